// SPDX-License-Identifier: Apache-2.0
// rnn, gru, lstm as ONNX defines them: one product of all inputs with their weights, then, step by
// step, one of the state with its own. Gates are in the order of the weights: i o f c of an lstm,
// z r h of a gru.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/gates.h"
#include "core/object/containers/adt.h"

namespace tern::kernels::bind {
namespace {

struct Sizes {
  int64_t time, batch, input, hidden, directions;
  bool batch_first;

  int64_t InputRow(int64_t t, int64_t b) const {
    return batch_first ? b * time + t : t * batch + b;
  }
  // In units of `hidden`.
  int64_t OutputRow(int64_t t, int64_t d, int64_t b) const {
    return batch_first ? (b * time + t) * directions + d : (t * directions + d) * batch + b;
  }
  int64_t StateRow(int64_t d, int64_t b) const {
    return batch_first ? b * directions + d : d * batch + b;
  }
  Extents StateShape() const {
    return batch_first ? Extents{batch, directions, hidden} : Extents{directions, batch, hidden};
  }
  Extents OutputShape() const {
    return batch_first ? Extents{batch, time, directions, hidden}
                       : Extents{time, directions, batch, hidden};
  }
};

struct RecurrentOperands {
  const Tensor *x, *w, *r, *bias, *lengths, *h, *c, *peepholes;
};

RecurrentOperands ReadOperands(Call& call) {
  return {call.F32(0),
          call.F32(1),
          call.F32(2),
          call.OptionalF32(3),
          call.Optional(4, kI32),
          call.OptionalF32(5),
          call.OptionalF32(6),
          call.OptionalF32(7)};
}

Status CheckShape(std::string_view name, const Tensor* tensor, const Extents& expected) {
  if (tensor == nullptr || std::equal(tensor->dims().begin(), tensor->dims().end(),
                                      expected.span().begin(), expected.span().end()))
    return OkStatus();
  return InvalidArgument(name, " is ", tensor->TypeText(), ", expected the shape ",
                         ops::ShapeText(expected));
}

Status CheckOperands(const RecurrentOperands& in, const Sizes& sizes, int64_t gates) {
  const int64_t d = sizes.directions, h = sizes.hidden;
  TERN_TRY(CheckShape("w", in.w, {d, gates * h, sizes.input}));
  TERN_TRY(CheckShape("r", in.r, {d, gates * h, h}));
  TERN_TRY(CheckShape("bias", in.bias, {d, 2 * gates * h}));
  TERN_TRY(CheckShape("lengths", in.lengths, {sizes.batch}));
  TERN_TRY(CheckShape("initial_h", in.h, sizes.StateShape()));
  TERN_TRY(CheckShape("initial_c", in.c, sizes.StateShape()));
  TERN_TRY(CheckShape("peepholes", in.peepholes, {d, 3 * h}));
  for (int64_t b = 0; in.lengths != nullptr && b < sizes.batch; ++b) {
    const int32_t length = in.lengths->data_as<int32_t>()[b];
    if (length < 0 || length > sizes.time)
      return InvalidArgument("lengths[", b, "] is ", length, ", expected 0 to ", sizes.time);
  }
  return OkStatus();
}

Result<Sizes> ReadSizes(const ops::RecurrentAttrs& attrs, const RecurrentOperands& in) {
  if (in.x->rank() != 3 || in.r->rank() != 3)
    return InvalidArgument("x is ", in.x->TypeText(), " and r is ", in.r->TypeText(),
                           ", expected three axes each");
  Sizes sizes{};
  sizes.batch_first = attrs.batch_first;
  sizes.time = in.x->dim(attrs.batch_first ? 1 : 0);
  sizes.batch = in.x->dim(attrs.batch_first ? 0 : 1);
  sizes.input = in.x->dim(2);
  sizes.hidden = attrs.hidden > 0 ? attrs.hidden : in.r->dim(2);
  sizes.directions = attrs.direction == ops::Direction::kBidirectional ? 2 : 1;
  for (const int64_t extent : {sizes.time, sizes.batch, sizes.input, sizes.hidden}) {
    if (extent > INT32_MAX)
      return OutOfRange("an extent of ", extent, " is more than a layer can have");
  }
  return sizes;
}

// Every step multiplies each row of the batch with the weights of the input and of the state.
int64_t CostOf(const Sizes& sizes, int64_t gates) {
  const int64_t rows = ops::MulDim(sizes.time, ops::MulDim(sizes.batch, sizes.directions));
  return ops::MulDim(rows, ops::MulDim(gates * sizes.hidden, sizes.input + sizes.hidden));
}

// A matrix [rows][columns] whose products are asked for: packed once.
class Weights {
 public:
  Status Pack(Call& call, const float* matrix, int64_t rows, int64_t columns) {
    rows_ = rows;
    columns_ = columns;
    const int64_t panels = (rows + TERN_PANEL_WIDTH - 1) / TERN_PANEL_WIDTH;
    TERN_TRY_ASSIGN(packed_, call.NewF32({panels, columns, TERN_PANEL_WIDTH}));
    if (packed_->element_count() == 0) return OkStatus();
    const TernPackArgs args{rows, columns, matrix, 1, columns, packed_->data_as<float>()};
    return Call::Check(call.kernels().pack_panels(&args, call.kernel_context()));
  }
  struct Output {
    float* y;
    int64_t stride;  // between rows
    const float* bias = nullptr;
  };
  // y[count][rows] = x[count][columns] * matrix^T + bias.
  Status Multiply(Call& call, const float* x, int64_t count, const Output& out) const {
    if (count == 0 || rows_ == 0) return OkStatus();
    TernGemmArgs args{};
    args.m = count;
    args.n = rows_;
    args.k = columns_;
    args.a = x;
    args.a_stride = columns_;
    args.b = packed_->data_as<float>();
    args.c = out.y;
    args.c_stride = out.stride;
    args.epilogue.bias = out.bias;
    return Call::Check(call.kernels().gemm(&args, call.kernel_context()));
  }

 private:
  int64_t rows_ = 0, columns_ = 0;
  TensorPtr packed_;
};

// One direction of one layer.
class Layer {
 public:
  Layer(Call& call, const ops::RecurrentAttrs& attrs, const Sizes& sizes)
      : call_(call), attrs_(attrs), sizes_(sizes), cell_(CellOf(call.info().name)) {}

  // y: the whole output, of which this writes its part.
  Status Run(const RecurrentOperands& in, int64_t d, std::span<const Gate> gates, float* y);

  const float* h() const { return h_->data_as<float>(); }
  const float* c() const { return c_->data_as<float>(); }

 private:
  Result<TensorPtr> MakeState(const Tensor* initial, int64_t d) const {
    TERN_TRY_ASSIGN(TensorPtr state, call_.NewF32({sizes_.batch, sizes_.hidden}));
    float* to = state->data_as<float>();
    std::fill_n(to, state->element_count(), 0.0f);
    for (int64_t b = 0; initial != nullptr && b < sizes_.batch; ++b) {
      const float* from = initial->data_as<float>() + sizes_.StateRow(d, b) * sizes_.hidden;
      std::copy(from, from + sizes_.hidden, to + b * sizes_.hidden);
    }
    return state;
  }
  Status Prepare(const RecurrentOperands& in, int64_t d);
  Status Step(const RecurrentOperands& in, int64_t d, int64_t step, float* y);
  Status Apply(const Gate& gate, float* values, int64_t count) const;
  // z: the gates of one row, from the input; r: those from the state. h, c: where the row has got.
  Status StepRnn(float* z, const float* r, float* h) const;
  Status StepLstm(float* z, const float* r, float* h, float* c) const;
  Status StepGru(float* z, float* r, float* h) const;

  Call& call_;
  const ops::RecurrentAttrs& attrs_;
  const Sizes& sizes_;
  const Cell& cell_;
  std::span<const Gate> gates_;
  // The second: of a gru's h, where the state is reset before the product and not after.
  Weights state_weights_, candidate_weights_;
  const float *state_bias_ = nullptr, *peepholes_ = nullptr;
  TensorPtr inputs_;    // [time * batch][gates * hidden], as the rows of x
  TensorPtr products_;  // [batch][gates * hidden]
  TensorPtr h_, c_;     // [batch][hidden]
};

Status Layer::Apply(const Gate& gate, float* values, int64_t count) const {
  for (int64_t i = 0; attrs_.clip > 0 && i < count; ++i)
    values[i] = std::min(std::max(values[i], -attrs_.clip), attrs_.clip);
  for (int64_t i = 0; gate.inner != 1 && i < count; ++i) values[i] *= gate.inner;
  if (!gate.is_linear) {
    const TernUnaryArgs args{gate.op, gate.alpha, gate.beta, count, values, values};
    TERN_TRY(Call::Check(call_.kernels().unary(&args, call_.kernel_context())));
  }
  if (gate.scale == 1 && gate.offset == 0) return OkStatus();
  for (int64_t i = 0; i < count; ++i) values[i] = gate.scale * values[i] + gate.offset;
  return OkStatus();
}

Status Layer::StepRnn(float* z, const float* r, float* h) const {
  const int64_t n = sizes_.hidden;
  for (int64_t i = 0; i < n; ++i) z[i] += r[i];
  TERN_TRY(Apply(gates_[0], z, n));
  std::copy(z, z + n, h);
  return OkStatus();
}

Status Layer::StepLstm(float* z, const float* r, float* h, float* c) const {
  const int64_t n = sizes_.hidden;
  float *in = z, *out = z + n, *forget = z + 2 * n, *cell = z + 3 * n;
  for (int64_t i = 0; i < 4 * n; ++i) z[i] += r[i];
  for (int64_t i = 0; peepholes_ != nullptr && i < n; ++i) {
    in[i] += peepholes_[i] * c[i];
    forget[i] += peepholes_[2 * n + i] * c[i];
  }
  TERN_TRY(Apply(gates_[0], in, n));
  TERN_TRY(Apply(gates_[0], forget, n));
  TERN_TRY(Apply(gates_[1], cell, n));
  for (int64_t i = 0; attrs_.input_forget && i < n; ++i) forget[i] = 1 - in[i];
  for (int64_t i = 0; i < n; ++i) c[i] = forget[i] * c[i] + in[i] * cell[i];
  for (int64_t i = 0; peepholes_ != nullptr && i < n; ++i) out[i] += peepholes_[n + i] * c[i];
  TERN_TRY(Apply(gates_[0], out, n));
  std::copy(c, c + n, h);
  TERN_TRY(Apply(gates_[2], h, n));
  for (int64_t i = 0; i < n; ++i) h[i] *= out[i];
  return OkStatus();
}

Status Layer::StepGru(float* z, float* r, float* h) const {
  const int64_t n = sizes_.hidden;
  float *update = z, *reset = z + n, *candidate = z + 2 * n;
  for (int64_t i = 0; i < 2 * n; ++i) z[i] += r[i];
  TERN_TRY(Apply(gates_[0], update, n));
  TERN_TRY(Apply(gates_[0], reset, n));
  if (attrs_.linear_before_reset) {
    for (int64_t i = 0; i < n; ++i) candidate[i] += reset[i] * r[2 * n + i];
  } else {
    for (int64_t i = 0; i < n; ++i) reset[i] *= h[i];
    const float* bias = state_bias_ == nullptr ? nullptr : state_bias_ + 2 * n;
    TERN_TRY(candidate_weights_.Multiply(call_, reset, 1, {r + 2 * n, n, bias}));
    for (int64_t i = 0; i < n; ++i) candidate[i] += r[2 * n + i];
  }
  TERN_TRY(Apply(gates_[1], candidate, n));
  for (int64_t i = 0; i < n; ++i) h[i] = (1 - update[i]) * candidate[i] + update[i] * h[i];
  return OkStatus();
}

// The weights of this direction, and the inputs' part of all gates.
Status Layer::Prepare(const RecurrentOperands& in, int64_t d) {
  const int64_t rows = cell_.gates * sizes_.hidden, n = sizes_.hidden;
  const float* r = in.r->data_as<float>() + d * rows * n;
  const bool resets_first = cell_.op == "gru" && !attrs_.linear_before_reset;
  TERN_TRY(state_weights_.Pack(call_, r, resets_first ? 2 * n : rows, n));
  if (resets_first) TERN_TRY(candidate_weights_.Pack(call_, r + 2 * n * n, n, n));
  const float* bias = nullptr;
  if (in.bias != nullptr) {
    bias = in.bias->data_as<float>() + d * 2 * rows;
    state_bias_ = bias + rows;
  }
  if (in.peepholes != nullptr) peepholes_ = in.peepholes->data_as<float>() + d * 3 * n;
  Weights input_weights;
  TERN_TRY(input_weights.Pack(call_, in.w->data_as<float>() + d * rows * sizes_.input, rows,
                              sizes_.input));
  const int64_t count = sizes_.time * sizes_.batch;
  TERN_TRY_ASSIGN(inputs_, call_.NewF32({count, rows}));
  TERN_TRY_ASSIGN(products_, call_.NewF32({sizes_.batch, rows}));
  return input_weights.Multiply(call_, in.x->data_as<float>(), count,
                                {inputs_->data_as<float>(), rows, bias});
}

Status Layer::Step(const RecurrentOperands& in, int64_t d, int64_t step, float* y) {
  const int64_t rows = cell_.gates * sizes_.hidden, n = sizes_.hidden;
  float* products = products_->data_as<float>();
  TERN_TRY(state_weights_.Multiply(call_, h(), sizes_.batch, {products, rows, state_bias_}));
  const bool backward = attrs_.direction == ops::Direction::kReverse || d == 1;
  for (int64_t b = 0; b < sizes_.batch; ++b) {
    const int64_t length = in.lengths == nullptr ? sizes_.time : in.lengths->data_as<int32_t>()[b];
    if (step >= length) continue;
    const int64_t t = backward ? length - 1 - step : step;
    float* z = inputs_->data_as<float>() + sizes_.InputRow(t, b) * rows;
    float *r = products + b * rows, *h = h_->data_as<float>() + b * n;
    switch (cell_.gates) {
      case 1: TERN_TRY(StepRnn(z, r, h)); break;
      case 3: TERN_TRY(StepGru(z, r, h)); break;
      default: TERN_TRY(StepLstm(z, r, h, c_->data_as<float>() + b * n)); break;
    }
    std::copy(h, h + n, y + sizes_.OutputRow(t, d, b) * n);
  }
  return OkStatus();
}

Status Layer::Run(const RecurrentOperands& in, int64_t d, std::span<const Gate> gates, float* y) {
  gates_ = gates;
  TERN_TRY_ASSIGN(h_, MakeState(in.h, d));
  TERN_TRY_ASSIGN(c_, MakeState(in.c, d));
  TERN_TRY(Prepare(in, d));
  for (int64_t step = 0; step < sizes_.time && !call_.IsStopped(); ++step)
    TERN_TRY(Step(in, d, step, y));
  return OkStatus();
}

// The rows of one direction.
void CopyState(const Sizes& sizes, int64_t d, const float* from, float* to) {
  for (int64_t b = 0; b < sizes.batch; ++b) {
    const float* row = from + b * sizes.hidden;
    std::copy(row, row + sizes.hidden, to + sizes.StateRow(d, b) * sizes.hidden);
  }
}

}  // namespace

Result<Any> Recurrent(const ops::RecurrentAttrs& attrs, Call& call) {
  const RecurrentOperands in = ReadOperands(call);
  TERN_TRY(call.TakeStatus());
  const Cell& cell = CellOf(call.info().name);
  TERN_TRY_ASSIGN(const Sizes sizes, ReadSizes(attrs, in));
  TERN_TRY(CheckOperands(in, sizes, cell.gates));
  std::vector<Gate> gates;
  TERN_TRY(ReadGates(attrs, cell, sizes.directions, &gates));
  TERN_TRY(call.Charge(CostOf(sizes, cell.gates)));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(sizes.OutputShape()));
  TERN_TRY_ASSIGN(TensorPtr h, call.NewF32(sizes.StateShape()));
  TERN_TRY_ASSIGN(TensorPtr c, call.NewF32(sizes.StateShape()));
  std::fill_n(y->data_as<float>(), y->element_count(), 0.0f);  // beyond the end of shorter rows
  for (int64_t d = 0; d < sizes.directions && h->element_count() > 0; ++d) {
    Layer layer(call, attrs, sizes);
    const size_t per_direction = static_cast<size_t>(cell.functions);
    TERN_TRY(layer.Run(
        in, d,
        std::span<const Gate>(gates).subspan(static_cast<size_t>(d) * per_direction, per_direction),
        y->data_as<float>()));
    CopyState(sizes, d, layer.h(), h->data_as<float>());
    CopyState(sizes, d, layer.c(), c->data_as<float>());
  }
  if (cell.op != "lstm") return Any(Adt::Tuple({AnyView(y), AnyView(h)}));
  return Any(Adt::Tuple({AnyView(y), AnyView(h), AnyView(c)}));
}

}  // namespace tern::kernels::bind
