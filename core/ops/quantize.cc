// SPDX-License-Identifier: Apache-2.0
// Type relations of the families quantize and recurrent.
#include "core/ops/math_attrs.h"
#include "core/ops/recurrent_weights.h"
#include "core/ops/relations.h"

namespace tern::ops {

using types::Dim;

Status RelateQuantize(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                      RelationOutput* out) {
  TERN_TRY_ASSIGN(QuantizeAttrs quantize, QuantizeAttrs::From(attrs, op.name));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  // The zero point's type decides, as in ONNX; without one the attribute does.
  AddResult(HasArg(args, 2) ? args[2].type->dtype : quantize.to, x, out);
  return OkStatus();
}

Status RelateDequantize(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                        RelationOutput* out) {
  TERN_TRY_ASSIGN(QuantizeAttrs quantize, QuantizeAttrs::From(attrs, op.name));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  // The type of the scale is that of the result, unless the attributes say another.
  AddResult(quantize.to.is_float() ? quantize.to : args[1].type->dtype, x, out);
  return OkStatus();
}

Status RelateQuantizedBinary(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                             RelationOutput* out) {
  TERN_TRY_ASSIGN(QuantizedBinaryAttrs quantized, QuantizedBinaryAttrs::From(attrs, op.name));
  TERN_TRY(quantized.CheckOperands(args[0].type->dtype, args[1].type->dtype));
  SymDims a, b, result;
  TERN_TRY(ReadDims(op, args, 0, &a));
  TERN_TRY(ReadDims(op, args, 1, &b));
  TERN_TRY(BroadcastShape(a, b, &result));
  AddResult(quantized.to, result, out);
  return OkStatus();
}

Status RelateDynamicQuantize(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                             RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(NoAttrs::From(attrs, op.name)));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  // The data, its scale and its zero point.
  AddResult(kU8, x, out);
  AddResult(kF32, {}, out);
  AddResult(kU8, {}, out);
  return OkStatus();
}

// Shapes: x [time, batch, in], or [batch, time, in] with batch_first; y [time, directions, batch,
// hidden], or [batch, time, directions, hidden]; states [directions, batch, hidden], or [batch,
// directions, hidden].
Status RelateRecurrent(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                       RelationOutput* out) {
  TERN_TRY_ASSIGN(RecurrentAttrs rnn, RecurrentAttrs::From(attrs, op.name));
  SymDims x, w, r;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ReadDims(op, args, 1, &w));
  TERN_TRY(ReadDims(op, args, 2, &r));
  TERN_TRY(CheckRank("x", x.rank(), 3, 3));
  const int rank = rnn.packed ? 4 : 3;
  TERN_TRY(CheckRank("w", w.rank(), rank, rank));
  TERN_TRY(CheckRank("r", r.rank(), rank, rank));
  TERN_TRY(CheckDim("w", w, 2, x[2]));
  const Dim directions(rnn.direction == Direction::kBidirectional ? 2 : 1);
  TERN_TRY(CheckDim("w", w, 0, directions));
  if (rnn.packed) {
    TERN_TRY(CheckDim("w", w, 3, Dim(kPanel)));
    TERN_TRY(CheckDim("r", r, 2, Dim(rnn.hidden)));
    TERN_TRY(CheckDim("r", r, 3, Dim(kPanel)));
  }
  // Without the attribute, the weights tell the size of the state.
  const Dim hidden = rnn.hidden > 0 ? Dim(rnn.hidden) : r[2];
  TERN_TRY(CheckDim("r", r, 2, hidden));
  const Dim& time = x[rnn.batch_first ? 1 : 0];
  const Dim& batch = x[rnn.batch_first ? 0 : 1];
  const DType dtype = args[0].type->dtype;
  AddResult(dtype,
            rnn.batch_first ? SymDims{batch, time, directions, hidden}
                            : SymDims{time, directions, batch, hidden},
            out);
  // The last states: of LSTM two, else one.
  for (int i = 1; i < op.outputs; ++i) {
    AddResult(
        dtype,
        rnn.batch_first ? SymDims{batch, directions, hidden} : SymDims{directions, batch, hidden},
        out);
  }
  return OkStatus();
}

}  // namespace tern::ops
