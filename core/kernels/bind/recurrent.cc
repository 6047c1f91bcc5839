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
#include "core/ops/recurrent_weights.h"

namespace tern::kernels::bind {
namespace {

struct Sizes {
  int64_t time, batch, input, hidden, directions;
  bool batch_first;

  // Where the row of one step of one sequence is; the layout attribute says whether the batch is
  // the first axis.
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

// lengths: the steps of each sequence, null where all have all; peepholes: of an lstm alone. Null
// is what was left out.
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

// What a file says of shapes is a claim. Behind this check loops and kernels read by `sizes` alone.
Status CheckOperands(const ops::RecurrentAttrs& attrs, const RecurrentOperands& in,
                     const Sizes& sizes, int64_t gates) {
  const int64_t d = sizes.directions, h = sizes.hidden;
  if (attrs.packed) {
    const int64_t panels = ops::PanelCount(gates * h);
    TERN_TRY(CheckShape("w", in.w, {d, panels, sizes.input, ops::kPanel}));
    TERN_TRY(
        CheckShape("r", in.r, {d, ops::StateRowsOf(attrs, gates, h).panels(), h, ops::kPanel}));
  } else {
    TERN_TRY(CheckShape("w", in.w, {d, gates * h, sizes.input}));
    TERN_TRY(CheckShape("r", in.r, {d, gates * h, h}));
  }
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
  const int rank = attrs.packed ? 4 : 3;
  if (in.x->rank() != 3 || in.r->rank() != rank)
    return InvalidArgument("x is ", in.x->TypeText(), " and r is ", in.r->TypeText(),
                           ", expected 3 and ", rank, " axes");
  Sizes sizes{};
  sizes.batch_first = attrs.batch_first;
  sizes.time = in.x->dim(attrs.batch_first ? 1 : 0);
  sizes.batch = in.x->dim(attrs.batch_first ? 0 : 1);
  sizes.input = in.x->dim(2);
  sizes.hidden = attrs.hidden > 0 ? attrs.hidden : in.r->dim(2);
  sizes.directions = attrs.direction == ops::Direction::kBidirectional ? 2 : 1;
  // Products of two extents then fit into 64 bits everywhere below.
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

// A matrix [rows][columns] that rows are multiplied with: packed once, when the program was
// compiled or else now, unless so few rows come that packing would take longer than they do, as in
// a model that hears one frame a call.
class Weights {
 public:
  void TakePacked(const float* panels, int64_t rows, int64_t columns) {
    panels_ = panels;
    rows_ = rows;
    columns_ = columns;
  }
  // uses: how many rows will be multiplied in all.
  Status Prepare(Call& call, const float* matrix, int64_t rows, int64_t columns, int64_t uses) {
    constexpr int64_t kFewUses = 4;
    matrix_ = matrix;
    rows_ = rows;
    columns_ = columns;
    if (rows == 0 || uses < kFewUses) return OkStatus();
    const int64_t panels = ops::PanelCount(rows);
    TERN_TRY_ASSIGN(packed_, call.NewF32({panels, columns, TERN_PANEL_WIDTH}));
    panels_ = packed_->data_as<float>();
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
  Status Multiply(const KernelTable& kernels, const TernKernelContext& context, const float* x,
                  int64_t count, const Output& out) const {
    if (count == 0 || rows_ == 0) return OkStatus();
    if (panels_ == nullptr) return MultiplyInPlace(kernels, context, x, count, out);
    TernGemmArgs args{};
    args.m = count;
    args.n = rows_;
    args.k = columns_;
    args.a = x;
    args.a_stride = columns_;
    args.b = panels_;
    args.c = out.y;
    args.c_stride = out.stride;
    args.epilogue.bias = out.bias;
    return Call::Check(kernels.gemm(&args, &context));
  }

 private:
  Status MultiplyInPlace(const KernelTable& kernels, const TernKernelContext& context,
                         const float* x, int64_t count, const Output& out) const {
    // One matrix, so the tables of offsets have one entry.
    const int64_t whole = 0;
    TernMatMulArgs args{};
    args.batches = 1;
    args.m = count;
    args.n = rows_;
    args.k = columns_;
    args.a = x;
    args.a_row_stride = columns_;
    args.a_col_stride = 1;
    args.b = matrix_;
    // The matrix is read along its columns, which is its transposition.
    args.b_row_stride = 1;
    args.b_col_stride = columns_;
    args.c = out.y;
    args.c_row_stride = out.stride;
    args.a_offsets = args.b_offsets = args.c_offsets = &whole;
    args.epilogue.bias = out.bias;
    return Call::Check(kernels.matmul(&args, &context));
  }

  const float *matrix_ = nullptr, *panels_ = nullptr;
  int64_t rows_ = 0, columns_ = 0;
  TensorPtr packed_;  // owns panels_ where they were made now
};

// One direction of one layer.
class Layer {
 public:
  Layer(Call& call, const ops::RecurrentAttrs& attrs, const Sizes& sizes)
      : call_(call),
        attrs_(attrs),
        sizes_(sizes),
        cell_(CellOf(call.info().name)),
        context_(*call.kernel_context()) {}

  // The state, the weights of direction d and the inputs' part of all gates: allocates.
  Status Prepare(const RecurrentOperands& in, int64_t d, std::span<const Gate> gates);
  // All steps; writes its part of y, the whole output, and allocates nothing.
  Status Run(const RecurrentOperands& in, float* y);
  // Run then shares neither workers nor scratch with the call, so that two layers may run at once.
  void Isolate() {
    context_.parallel = nullptr;
    context_.scratch = [](void*, size_t) -> void* { return nullptr; };
  }

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
  Status PrepareWeights(const RecurrentOperands& in);
  Status Multiply(const Weights& weights, const float* x, int64_t count,
                  const Weights::Output& out) const {
    return weights.Multiply(call_.kernels(), context_, x, count, out);
  }
  Status Step(const RecurrentOperands& in, int64_t step, float* y);
  Status Apply(const Gate& gate, float* values, int64_t count) const;
  // z: the gates of one row, from the input; r: those from the state. h, c: where the row has got.
  Status StepRnn(float* z, const float* r, float* h) const;
  Status StepLstm(float* z, const float* r, float* h, float* c) const;
  Status StepGru(float* z, float* r, float* h) const;

  Call& call_;
  const ops::RecurrentAttrs& attrs_;
  const Sizes& sizes_;
  const Cell& cell_;
  TernKernelContext context_;
  int64_t d_ = 0;
  std::span<const Gate> gates_;
  // The second: of a gru's h, where the state is reset before the product and not after.
  Weights state_weights_, candidate_weights_;
  const float *state_bias_ = nullptr, *peepholes_ = nullptr;
  TensorPtr inputs_;    // [time * batch][gates * hidden], as the rows of x
  TensorPtr products_;  // [batch][gates * hidden]
  TensorPtr h_, c_;     // [batch][hidden]
};

// In the order of the standard: clip, then scale * f(inner * x) + offset, all in place.
Status Layer::Apply(const Gate& gate, float* values, int64_t count) const {
  for (int64_t i = 0; attrs_.clip > 0 && i < count; ++i)
    values[i] = std::min(std::max(values[i], -attrs_.clip), attrs_.clip);
  for (int64_t i = 0; gate.inner != 1 && i < count; ++i) values[i] *= gate.inner;
  if (!gate.is_linear) {
    const TernUnaryArgs args{gate.op, gate.alpha, gate.beta, count, values, values};
    TERN_TRY(Call::Check(call_.kernels().unary(&args, &context_)));
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
  // i, o and f have one function and lie together, so without peepholes they are one call.
  if (peepholes_ == nullptr) {
    TERN_TRY(Apply(gates_[0], z, 3 * n));
  } else {
    for (int64_t i = 0; i < n; ++i) {
      in[i] += peepholes_[i] * c[i];
      forget[i] += peepholes_[2 * n + i] * c[i];
    }
    TERN_TRY(Apply(gates_[0], in, n));
    TERN_TRY(Apply(gates_[0], forget, n));
  }
  TERN_TRY(Apply(gates_[1], cell, n));
  // Coupled: what is forgotten is what makes room for the input.
  for (int64_t i = 0; attrs_.input_forget && i < n; ++i) forget[i] = 1 - in[i];
  for (int64_t i = 0; i < n; ++i) c[i] = forget[i] * c[i] + in[i] * cell[i];
  if (peepholes_ != nullptr) {  // the output gate sees the new cell
    for (int64_t i = 0; i < n; ++i) out[i] += peepholes_[n + i] * c[i];
    TERN_TRY(Apply(gates_[0], out, n));
  }
  // h = o * f(c), made where h lies, because c goes on to the next step as it is.
  std::copy(c, c + n, h);
  TERN_TRY(Apply(gates_[2], h, n));
  for (int64_t i = 0; i < n; ++i) h[i] *= out[i];
  return OkStatus();
}

Status Layer::StepGru(float* z, float* r, float* h) const {
  const int64_t n = sizes_.hidden;
  float *update = z, *reset = z + n, *candidate = z + 2 * n;
  for (int64_t i = 0; i < 2 * n; ++i) z[i] += r[i];
  TERN_TRY(Apply(gates_[0], z, 2 * n));
  // The reset gate scales what the state gave to the candidate, or the state before it is
  // multiplied.
  if (attrs_.linear_before_reset) {
    for (int64_t i = 0; i < n; ++i) candidate[i] += reset[i] * r[2 * n + i];
  } else {
    // The gate is not needed again: the state that was reset takes its place.
    for (int64_t i = 0; i < n; ++i) reset[i] *= h[i];
    const float* bias = state_bias_ == nullptr ? nullptr : state_bias_ + 2 * n;
    TERN_TRY(Multiply(candidate_weights_, reset, 1, {r + 2 * n, n, bias}));
    for (int64_t i = 0; i < n; ++i) candidate[i] += r[2 * n + i];
  }
  TERN_TRY(Apply(gates_[1], candidate, n));
  for (int64_t i = 0; i < n; ++i) h[i] = (1 - update[i]) * candidate[i] + update[i] * h[i];
  return OkStatus();
}

Status Layer::PrepareWeights(const RecurrentOperands& in) {
  const int64_t rows = cell_.gates * sizes_.hidden, n = sizes_.hidden;
  const int64_t count = sizes_.time * sizes_.batch;
  const ops::StateRows state = ops::StateRowsOf(attrs_, cell_.gates, n);
  const float* r = in.r->data_as<float>() + d_ * (in.r->element_count() / sizes_.directions);
  const float* w = in.w->data_as<float>() + d_ * (in.w->element_count() / sizes_.directions);
  Weights input_weights;
  if (attrs_.packed) {
    state_weights_.TakePacked(r, state.first, n);
    candidate_weights_.TakePacked(r + ops::PanelCount(state.first) * n * ops::kPanel,
                                  state.candidate, n);
    input_weights.TakePacked(w, rows, sizes_.input);
  } else {
    TERN_TRY(state_weights_.Prepare(call_, r, state.first, n, count));
    TERN_TRY(candidate_weights_.Prepare(call_, r + state.first * n, state.candidate, n, count));
    TERN_TRY(input_weights.Prepare(call_, w, rows, sizes_.input, count));
  }
  const float* bias = nullptr;
  if (in.bias != nullptr) {
    bias = in.bias->data_as<float>() + d_ * 2 * rows;
    state_bias_ = bias + rows;
  }
  if (in.peepholes != nullptr) peepholes_ = in.peepholes->data_as<float>() + d_ * 3 * n;
  TERN_TRY_ASSIGN(inputs_, call_.NewF32({count, rows}));
  TERN_TRY_ASSIGN(products_, call_.NewF32({sizes_.batch, rows}));
  return Multiply(input_weights, in.x->data_as<float>(), count,
                  {inputs_->data_as<float>(), rows, bias});
}

Status Layer::Prepare(const RecurrentOperands& in, int64_t d, std::span<const Gate> gates) {
  d_ = d;
  gates_ = gates;
  TERN_TRY_ASSIGN(h_, MakeState(in.h, d));
  TERN_TRY_ASSIGN(c_, MakeState(in.c, d));
  return PrepareWeights(in);
}

Status Layer::Step(const RecurrentOperands& in, int64_t step, float* y) {
  const int64_t rows = cell_.gates * sizes_.hidden, n = sizes_.hidden;
  float* products = products_->data_as<float>();
  // Sequences that are at their end are multiplied, too: one product of all rows is faster than one
  // for each that goes on.
  TERN_TRY(Multiply(state_weights_, h(), sizes_.batch, {products, rows, state_bias_}));
  const bool backward = attrs_.direction == ops::Direction::kReverse || d_ == 1;
  for (int64_t b = 0; b < sizes_.batch; ++b) {
    const int64_t length = in.lengths == nullptr ? sizes_.time : in.lengths->data_as<int32_t>()[b];
    if (step >= length) continue;
    // Backwards begins at the end of each sequence and not of the longest.
    const int64_t t = backward ? length - 1 - step : step;
    float* z = inputs_->data_as<float>() + sizes_.InputRow(t, b) * rows;
    float *r = products + b * rows, *h = h_->data_as<float>() + b * n;
    switch (cell_.gates) {
      case 1: TERN_TRY(StepRnn(z, r, h)); break;
      case 3: TERN_TRY(StepGru(z, r, h)); break;
      default: TERN_TRY(StepLstm(z, r, h, c_->data_as<float>() + b * n)); break;
    }
    std::copy(h, h + n, y + sizes_.OutputRow(t, d_, b) * n);
  }
  return OkStatus();
}

Status Layer::Run(const RecurrentOperands& in, float* y) {
  for (int64_t step = 0; step < sizes_.time && !call_.IsStopped(); ++step)
    TERN_TRY(Step(in, step, y));
  return OkStatus();
}

// Whether two directions are worth two workers. The products of one step are too small to be split
// where the batch is, but there are many of them.
bool RunsAtOnce(const Call& call, const Sizes& sizes, int64_t gates) {
  constexpr int64_t kLeastCost = 1000000;  // of one direction: some 100 us
  constexpr int64_t kLeastSteps = 16, kSmallBatch = 8;
  const TernParallel* parallel = call.kernel_context()->parallel;
  return sizes.directions == 2 && parallel != nullptr && parallel->num_workers > 1 &&
         sizes.batch <= kSmallBatch && sizes.time >= kLeastSteps &&
         CostOf(sizes, gates) >= kLeastCost;
}

struct Runs {
  std::span<Layer> layers;
  const RecurrentOperands* in;
  float* y;
  Status results[2];
};

void RunOne(void* data, int64_t index, int32_t) {
  auto* runs = static_cast<Runs*>(data);
  const auto i = static_cast<size_t>(index);
  runs->results[i] = runs->layers[i].Run(*runs->in, runs->y);
}

Status RunAtOnce(const TernParallel& parallel, Runs runs) {
  // What Run allocates it has allocated in Prepare, so layers share nothing but their inputs.
  for (Layer& layer : runs.layers) layer.Isolate();
  parallel.run(parallel.context, static_cast<int64_t>(runs.layers.size()), &RunOne, &runs);
  TERN_TRY(std::move(runs.results[0]));
  return std::move(runs.results[1]);
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
  TERN_TRY(CheckOperands(attrs, in, sizes, cell.gates));
  std::vector<Gate> gates;
  TERN_TRY(ReadGates(attrs, cell, sizes.directions, &gates));
  TERN_TRY(call.Charge(CostOf(sizes, cell.gates)));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(sizes.OutputShape()));
  TERN_TRY_ASSIGN(TensorPtr h, call.NewF32(sizes.StateShape()));
  TERN_TRY_ASSIGN(TensorPtr c, call.NewF32(sizes.StateShape()));
  std::fill_n(y->data_as<float>(), y->element_count(), 0.0f);  // beyond the end of shorter rows
  std::vector<Layer> layers;
  layers.reserve(2);
  const auto functions = static_cast<size_t>(cell.functions);
  for (int64_t d = 0; d < sizes.directions && h->element_count() > 0; ++d) {
    layers.emplace_back(call, attrs, sizes);
    TERN_TRY(layers.back().Prepare(
        in, d,
        std::span<const Gate>(gates).subspan(static_cast<size_t>(d) * functions, functions)));
  }
  if (layers.size() == 2 && RunsAtOnce(call, sizes, cell.gates)) {
    TERN_TRY(RunAtOnce(*call.kernel_context()->parallel, {layers, &in, y->data_as<float>(), {}}));
  } else {
    for (Layer& layer : layers) TERN_TRY(layer.Run(in, y->data_as<float>()));
  }
  for (size_t d = 0; d < layers.size(); ++d) {
    CopyState(sizes, static_cast<int64_t>(d), layers[d].h(), h->data_as<float>());
    CopyState(sizes, static_cast<int64_t>(d), layers[d].c(), c->data_as<float>());
  }
  if (cell.op != "lstm") return Any(Adt::Tuple({AnyView(y), AnyView(h)}));
  return Any(Adt::Tuple({AnyView(y), AnyView(h), AnyView(c)}));
}

}  // namespace tern::kernels::bind
