// SPDX-License-Identifier: Apache-2.0
// Binary operators, comparisons and logic. f32 arithmetic goes to the kernel; everything else is a
// typed loop over merged axes. Integers wrap around; a zero divisor is an error.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/broadcast.h"
#include "core/kernels/bind/elementwise.h"
#include "core/kernels/bind/epilogue.h"
#include "core/kernels/bind/types.h"
#include "core/kernels/reference/functions.h"

namespace tern::kernels::bind {
namespace {

TernBinaryOp BinaryOpOf(ops::Op op) {
  switch (op) {
#define TERN_CASE(name) \
  case ops::Op::k_##name: return TERN_BINARY_##name;
    TERN_BINARY_LIST(TERN_CASE)
#undef TERN_CASE
    default: return TERN_BINARY_COUNT;
  }
}

// Neighbouring elements of both sides.
using RowFunction = void (*)(const void* l, const void* r, void* out, int64_t count);

// F: a lambda without captures. What differs between operators and types is this loop alone, which
// compilers make vectors of.
template <class T, class R, class F>
RowFunction RowOf(F) {
  return [](const void* l, const void* r, void* out, int64_t count) {
    const T* left = static_cast<const T*>(l);
    const T* right = static_cast<const T*>(r);
    R* to = static_cast<R*>(out);
    for (int64_t i = 0; i < count; ++i) to[i] = F()(left[i], right[i]);
  };
}

// Elements that a loop takes at once where a side repeats, as many copies of its element: a power
// of two.
constexpr int64_t kCopies = 256;

// One side of a row: its elements, or copies of the one that it has.
class Side {
 public:
  Side(const Tensor& tensor, int64_t step)
      : data_(static_cast<const char*>(tensor.data())),
        size_(static_cast<int64_t>(tensor.dtype().size())),
        repeats_(step == 0) {}

  bool repeats() const { return repeats_; }
  void Start(int64_t at, int64_t row_size) {
    from_ = data_ + at * size_;
    if (!repeats_) return;
    std::memcpy(copies_, from_, static_cast<size_t>(size_));
    for (int64_t have = 1; have < std::min(row_size, kCopies); have *= 2)
      std::memcpy(copies_ + have * size_, copies_, static_cast<size_t>(have * size_));
  }
  const void* At(int64_t index) const { return repeats_ ? copies_ : from_ + index * size_; }

 private:
  const char* data_;
  const char* from_ = nullptr;
  int64_t size_;
  bool repeats_;
  alignas(16) char copies_[kCopies * sizeof(int64_t)];
};

struct Sides {
  const Broadcast* shape;
  const Tensor* left;
  const Tensor* right;
  const Tensor* out;  // dense
  RowFunction run;
};

// Elements [begin, end) of the row that begins at the offsets.
void RunRow(const Sides& sides, Side& left, Side& right, const int64_t* at, int64_t row,
            int64_t begin, int64_t end) {
  const int64_t size = sides.shape->inner();
  const auto out_size = static_cast<int64_t>(sides.out->dtype().size());
  char* to = static_cast<char*>(sides.out->data()) + row * size * out_size;
  left.Start(at[0], end - begin);
  right.Start(at[1], end - begin);
  const int64_t most = left.repeats() || right.repeats() ? kCopies : size;
  for (int64_t i = begin; i < end; i += most)
    sides.run(left.At(i), right.At(i), to + i * out_size, std::min(most, end - i));
}

// Elements [begin, end) of the result, which may begin and end within a row.
void RunElements(const Sides& sides, int64_t begin, int64_t end) {
  const Broadcast& b = *sides.shape;
  const int last = b.rank - 1;
  const int64_t size = b.inner(), first_row = begin / size;
  Side left(*sides.left, b.strides[0][last]), right(*sides.right, b.strides[1][last]);
  int64_t row = first_row;
  ForRows(b, first_row, ops::CeilDiv(end, size), [&](const int64_t* at) {
    RunRow(sides, left, right, at, row, std::max(begin - row * size, int64_t{0}),
           std::min(end - row * size, size));
    ++row;
  });
}

// Every row of the broadcast.
void RunRows(const Call& call, const Broadcast& b, const Tensor& left, const Tensor& right,
             const Tensor& out, RowFunction run) {
  constexpr int64_t kGrain = 32 * 1024;
  const Sides sides{&b, &left, &right, &out, run};
  if (b.rows() == 0) return;
  call.ForRanges(out.element_count(), kGrain,
                 [&](int64_t begin, int64_t end) { RunElements(sides, begin, end); });
}

// ---- arithmetic

// Wraps around like unsigned numbers.
template <class T, class F>
T Wrapped(T a, T b, const F& function) {
  return static_cast<T>(function(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
}

template <class T>
T Quotient(T a, T b) {
  // The least number by -1 wraps to itself. The instruction for it would trap.
  return b == static_cast<T>(-1) && std::is_signed_v<T>
             ? static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a))
             : static_cast<T>(a / b);
}

template <class T>
T Remainder(T a, T b, bool floor) {
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  const T r = static_cast<T>(a % b);
  return floor && r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
}

template <class T>
T IntegerPower(T base, T exponent) {
  // 1 / base^n is a whole number for 1 and -1 alone. All others are rounded to 0, and so is that of
  // 0, which is none.
  if (exponent < 0)
    return base == 1 ? T{1} : base == static_cast<T>(-1) ? (exponent % 2 != 0 ? base : T{1}) : T{0};
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  // By squaring, in unsigned numbers, whose overflow wraps.
  for (uint64_t e = static_cast<uint64_t>(exponent); e != 0; e >>= 1) {
    if ((e & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

template <class T, class F>
RowFunction WrappedRow(F) {
  return RowOf<T, T>([](T p, T q) { return Wrapped(p, q, F()); });
}

template <class T>
RowFunction IntegerRow(TernBinaryOp op) {
  switch (op) {
    case TERN_BINARY_add: return WrappedRow<T>([](auto u, auto v) { return u + v; });
    case TERN_BINARY_sub: return WrappedRow<T>([](auto u, auto v) { return u - v; });
    case TERN_BINARY_mul: return WrappedRow<T>([](auto u, auto v) { return u * v; });
    case TERN_BINARY_div: return RowOf<T, T>([](T p, T q) { return Quotient(p, q); });
    case TERN_BINARY_pow: return RowOf<T, T>([](T p, T q) { return IntegerPower(p, q); });
    case TERN_BINARY_min: return RowOf<T, T>([](T p, T q) { return p < q ? p : q; });
    case TERN_BINARY_max: return RowOf<T, T>([](T p, T q) { return p > q ? p : q; });
    case TERN_BINARY_mod: return RowOf<T, T>([](T p, T q) { return Remainder(p, q, true); });
    case TERN_BINARY_fmod: return RowOf<T, T>([](T p, T q) { return Remainder(p, q, false); });
    case TERN_BINARY_prelu:
      return RowOf<T, T>(
          [](T p, T q) { return p < 0 ? Wrapped(p, q, [](auto u, auto v) { return u * v; }) : p; });
    case TERN_BINARY_COUNT: break;
  }
  return nullptr;
}

// f64 is rare in models and has no kernels. The functions that tests compare kernels with serve.
void DoubleRows(TernBinaryOp op, const Broadcast& b, const Tensor& l, const Tensor& r, double* y) {
  const double* left = l.data_as<double>();
  const double* right = r.data_as<double>();
  const int last = b.rank - 1;
  ForEachRow(b, [&](const int64_t* at) {
    for (int64_t i = 0; i < b.inner(); ++i) {
      *y++ = reference::EvaluateBinary(op, left[at[0] + i * b.strides[0][last]],
                                       right[at[1] + i * b.strides[1][last]]);
    }
  });
}

// A pass of its own, so that the loop that divides has no error to report.
Status CheckDivisor(TernBinaryOp op, const Tensor& divisor) {
  if (op != TERN_BINARY_div && op != TERN_BINARY_mod && op != TERN_BINARY_fmod) return OkStatus();
  bool zero = false;
  DispatchNumber(divisor.dtype(), [&](auto type) {
    for (int64_t i = 0; i < divisor.element_count(); ++i)
      zero |= divisor.data_as<decltype(type)>()[i] == 0;
  });
  return zero ? InvalidArgument("b (argument 1) has a zero, by which integers cannot be divided")
              : OkStatus();
}

Result<TensorPtr> Arithmetic(Call& call, const Tensor& l, const Tensor& r, const Extents& out) {
  const TernBinaryOp op = BinaryOpOf(call.op());
  TERN_TRY_ASSIGN(TensorPtr y, call.New(l.dtype(), out));
  if (l.dtype() == kF32) {
    TERN_TRY(RunBinary(call, op, l, r, out, y->data_as<float>()));
    return y;
  }
  const Broadcast b(out, {&l, &r});
  if (l.dtype() == kF64) {
    DoubleRows(op, b, l, r, y->data_as<double>());
    return y;
  }
  TERN_TRY(CheckDivisor(op, r));
  RowFunction row = nullptr;
  DispatchNumber(l.dtype(), [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) row = IntegerRow<T>(op);
  });
  if (row == nullptr) return WrongTensor(call, 0, l, "numbers");
  RunRows(call, b, l, r, *y, row);
  return y;
}

// Processors have no arithmetic of these in common: it is done in f32.
bool IsWidened(const Tensor& x) { return x.dtype() == kF16 || x.dtype() == kBf16; }

// 16-bit floats: both operands widened, the result narrowed.
Result<TensorPtr> ArithmeticOf16Bits(Call& call, const Tensor& l, const Tensor& r,
                                     const Extents& out) {
  TERN_TRY_ASSIGN(TensorPtr wide_l, Widen(call, l));
  TERN_TRY_ASSIGN(TensorPtr wide_r, Widen(call, r));
  TERN_TRY_ASSIGN(TensorPtr wide, Arithmetic(call, *wide_l, *wide_r, out));
  return Narrow(call, *wide, l.dtype());
}

}  // namespace

Result<Any> Binary(const ops::NoAttrs&, Call& call) {
  const Tensor* l = call.Input(0);
  TERN_TRY(call.TakeStatus());
  const Tensor* r = call.Input(1, l->dtype());
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::BroadcastShape(ExtentsOf(*l), ExtentsOf(*r), &out));
  TERN_TRY_ASSIGN(TensorPtr y, IsWidened(*l) ? ArithmeticOf16Bits(call, *l, *r, out)
                                             : Arithmetic(call, *l, *r, out));
  return Any(std::move(y));
}

// The exponent may be of another type: integers stay exact with integers, all else is done in f64
// or f32.
Result<Any> Pow(const ops::NoAttrs& attrs, Call& call) {
  const Tensor* l = call.Input(0);
  const Tensor* r = call.Input(1);
  TERN_TRY(call.TakeStatus());
  if (l->dtype() == r->dtype()) return Binary(attrs, call);
  Extents out;
  TERN_TRY(ops::BroadcastShape(ExtentsOf(*l), ExtentsOf(*r), &out));
  TERN_TRY_ASSIGN(TensorPtr base, CastTo(call, *l, kF64));
  TERN_TRY_ASSIGN(TensorPtr exponent, CastTo(call, *r, kF64));
  TERN_TRY_ASSIGN(TensorPtr wide, Arithmetic(call, *base, *exponent, out));
  TERN_TRY_ASSIGN(TensorPtr y, CastTo(call, *wide, l->dtype()));
  return Any(std::move(y));
}

// ---- comparison

namespace {

template <class T>
RowFunction CompareRow(ops::Op op) {
  switch (op) {
    case ops::Op::k_equal: return RowOf<T, bool>([](T p, T q) { return p == q; });
    case ops::Op::k_less: return RowOf<T, bool>([](T p, T q) { return p < q; });
    case ops::Op::k_greater: return RowOf<T, bool>([](T p, T q) { return p > q; });
    case ops::Op::k_less_equal: return RowOf<T, bool>([](T p, T q) { return p <= q; });
    default: return RowOf<T, bool>([](T p, T q) { return p >= q; });
  }
}

// Texts are equal or not; they have no order.
void CompareTexts(const Broadcast& b, const Tensor& l, const Tensor& r, bool* out) {
  const int last = b.rank - 1;
  ForEachRow(b, [&](const int64_t* at) {
    for (int64_t i = 0; i < b.inner(); ++i) {
      *out++ = l.string_at(at[0] + i * b.strides[0][last]) ==
               r.string_at(at[1] + i * b.strides[1][last]);
    }
  });
}

Result<TensorPtr> CompareTensors(Call& call, const Tensor& l, const Tensor& r) {
  Extents out;
  TERN_TRY(ops::BroadcastShape(ExtentsOf(l), ExtentsOf(r), &out));
  const Broadcast b(out, {&l, &r});
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kBool, out));
  if (l.dtype().is_string() && call.op() == ops::Op::k_equal) {
    if (y->element_count() > 0) CompareTexts(b, l, r, y->data_as<bool>());
    return y;
  }
  RowFunction row = nullptr;
  DispatchNumber(l.dtype(), [&](auto type) { row = CompareRow<decltype(type)>(call.op()); });
  if (row == nullptr) return WrongTensor(call, 0, l, "numbers or bools");
  RunRows(call, b, l, r, *y, row);
  return y;
}

}  // namespace

Result<Any> Compare(const ops::NoAttrs&, Call& call) {
  const Tensor* l = call.Input(0);
  TERN_TRY(call.TakeStatus());
  const Tensor* r = call.Input(1, l->dtype());
  TERN_TRY(call.TakeStatus());
  // Widening is exact, so wide ones compare as the 16-bit ones do.
  if (IsWidened(*l)) {
    TERN_TRY_ASSIGN(TensorPtr wide_l, Widen(call, *l));
    TERN_TRY_ASSIGN(TensorPtr wide_r, Widen(call, *r));
    TERN_TRY_ASSIGN(TensorPtr y, CompareTensors(call, *wide_l, *wide_r));
    return Any(std::move(y));
  }
  TERN_TRY_ASSIGN(TensorPtr y, CompareTensors(call, *l, *r));
  return Any(std::move(y));
}

// ---- logic and bits

Result<Any> Logical(const ops::NoAttrs&, Call& call) {
  const Tensor* l = call.Input(0, kBool);
  const Tensor* r = call.Input(1, kBool);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::BroadcastShape(ExtentsOf(*l), ExtentsOf(*r), &out));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kBool, out));
  const RowFunction row =
      call.op() == ops::Op::k_and  ? RowOf<bool, bool>([](bool p, bool q) { return p && q; })
      : call.op() == ops::Op::k_or ? RowOf<bool, bool>([](bool p, bool q) { return p || q; })
                                   : RowOf<bool, bool>([](bool p, bool q) { return p != q; });
  RunRows(call, Broadcast(out, {l, r}), *l, *r, *y, row);
  return Any(std::move(y));
}

namespace {

// T is unsigned; shifts by the width or more give 0.
template <class T>
RowFunction BitRow(ops::Op op) {
  constexpr T kWidth = static_cast<T>(sizeof(T) * 8);
  switch (op) {
    case ops::Op::k_bitwise_and: return RowOf<T, T>([](T p, T q) { return static_cast<T>(p & q); });
    case ops::Op::k_bitwise_or: return RowOf<T, T>([](T p, T q) { return static_cast<T>(p | q); });
    case ops::Op::k_bitwise_xor: return RowOf<T, T>([](T p, T q) { return static_cast<T>(p ^ q); });
    case ops::Op::k_shift_left:
      return RowOf<T, T>([](T p, T q) { return q >= kWidth ? T{0} : static_cast<T>(p << q); });
    default:
      return RowOf<T, T>([](T p, T q) { return q >= kWidth ? T{0} : static_cast<T>(p >> q); });
  }
}

}  // namespace

Result<Any> Bitwise(const ops::NoAttrs&, Call& call) {
  const Tensor* l = call.Input(0);
  TERN_TRY(call.TakeStatus());
  const Tensor* r = call.Input(1, l->dtype());
  TERN_TRY(call.TakeStatus());
  const bool shifts = call.op() == ops::Op::k_shift_left || call.op() == ops::Op::k_shift_right;
  if (!l->dtype().is_int() || (shifts && l->dtype().is_signed_int())) {
    return WrongTensor(call, 0, *l,
                       shifts ? "an unsigned integer element type" : "an integer element type");
  }
  Extents out;
  TERN_TRY(ops::BroadcastShape(ExtentsOf(*l), ExtentsOf(*r), &out));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(l->dtype(), out));
  RowFunction row = nullptr;
  DispatchSize(l->dtype().size(), [&](auto type) { row = BitRow<decltype(type)>(call.op()); });
  RunRows(call, Broadcast(out, {l, r}), *l, *r, *y, row);
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
