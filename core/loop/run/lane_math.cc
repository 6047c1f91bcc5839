// SPDX-License-Identifier: Apache-2.0
#include "core/loop/run/lane_math.h"

#include <math.h>
#include <string.h>

#include "core/base/half.h"

namespace tern::loop {
namespace {

Lane FromInt(int64_t value) {
  Lane lane;
  lane.i = value;
  return lane;
}
Lane FromFloat(double value) {
  Lane lane;
  lane.f = value;
  return lane;
}

bool IsUnsigned(DType type) { return !type.is_signed_int(); }

// INT64_MIN / -1 would trap in C++; here it wraps.
int64_t FloorDivide(DType type, int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (IsUnsigned(type))
    return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

int64_t FloorModulo(DType type, int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (IsUnsigned(type))
    return static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b));
  if (b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// minimum and maximum of IEEE 754-2019 (section 9.6): NaN is passed on, and -0 is less than 0.
double Least(double a, double b) {
  if (a != a || b != b) return a + b;
  if (a == b) return signbit(a) ? a : b;
  return a < b ? a : b;
}
double Greatest(double a, double b) {
  if (a != a || b != b) return a + b;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;
}

Lane FloatBinary(BinaryOp op, DType type, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd: return FromFloat(RoundFloat(type, a + b));
    case BinaryOp::kSub: return FromFloat(RoundFloat(type, a - b));
    case BinaryOp::kMul: return FromFloat(RoundFloat(type, a * b));
    case BinaryOp::kDiv: return FromFloat(RoundFloat(type, a / b));
    case BinaryOp::kMin: return FromFloat(Least(a, b));
    case BinaryOp::kMax: return FromFloat(Greatest(a, b));
    // a - floor(a / b) * b with each step rounded, as expand_intrinsics.cc writes it.
    case BinaryOp::kMod: {
      const double quotient = floor(RoundFloat(type, a / b));
      return FromFloat(RoundFloat(type, a - RoundFloat(type, quotient * b)));
    }
    case BinaryOp::kLt: return FromInt(a < b);
    case BinaryOp::kLe: return FromInt(a <= b);
    case BinaryOp::kGt: return FromInt(a > b);
    case BinaryOp::kGe: return FromInt(a >= b);
    case BinaryOp::kEq: return FromInt(a == b);
    case BinaryOp::kNe: return FromInt(a != b);
#define TERN_LOOP_INTEGER(Name, ...) case BinaryOp::k##Name:
#define TERN_LOOP_LOGIC(Name, ...) case BinaryOp::k##Name:
#include "core/loop/binary_ops.def"
      break;
  }
  TERN_CHECK(false, "an operator that floats do not have");
  return {};
}

bool IntLess(DType type, int64_t a, int64_t b) {
  return IsUnsigned(type) ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
}

// Counts are taken modulo the width, as wasm does; C++ leaves larger ones undefined.
int64_t ShiftLeft(DType type, int64_t a, int64_t count) {
  const int by = static_cast<int>(count & (type.bits - 1));
  return static_cast<int64_t>(static_cast<uint64_t>(a) << by);
}
int64_t ShiftRight(DType type, int64_t a, int64_t count) {
  const int by = static_cast<int>(count & (type.bits - 1));
  return IsUnsigned(type) ? static_cast<int64_t>(static_cast<uint64_t>(a) >> by) : a >> by;
}

int64_t IntBinary(BinaryOp op, DType type, int64_t a, int64_t b) {
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (op) {
    case BinaryOp::kAdd: return static_cast<int64_t>(x + y);
    case BinaryOp::kSub: return static_cast<int64_t>(x - y);
    case BinaryOp::kMul: return static_cast<int64_t>(x * y);
    case BinaryOp::kDiv: return FloorDivide(type, a, b);
    case BinaryOp::kMod: return FloorModulo(type, a, b);
    case BinaryOp::kMin: return IntLess(type, b, a) ? b : a;
    case BinaryOp::kMax: return IntLess(type, a, b) ? b : a;
    case BinaryOp::kShl: return ShiftLeft(type, a, b);
    case BinaryOp::kShr: return ShiftRight(type, a, b);
    case BinaryOp::kLt: return IntLess(type, a, b);
    case BinaryOp::kLe: return !IntLess(type, b, a);
    case BinaryOp::kGt: return IntLess(type, b, a);
    case BinaryOp::kGe: return !IntLess(type, a, b);
    case BinaryOp::kEq: return a == b;
    case BinaryOp::kNe: return a != b;
    case BinaryOp::kAnd: return a & b;
    case BinaryOp::kXor: return a ^ b;
    case BinaryOp::kOr: return a | b;
  }
  return 0;
}

// The bits of a float of its type, zero-extended.
uint64_t FloatBits(DType type, double value) {
  if (type == kF64) return __builtin_bit_cast(uint64_t, value);
  const float narrow = static_cast<float>(value);
  if (type == kF32) return __builtin_bit_cast(uint32_t, narrow);
  return type == kF16 ? F32ToF16(narrow) : F32ToBf16(narrow);
}
double FloatOfBits(DType type, uint64_t bits) {
  if (type == kF64) return __builtin_bit_cast(double, bits);
  if (type == kF32) return __builtin_bit_cast(float, static_cast<uint32_t>(bits));
  const uint16_t low = static_cast<uint16_t>(bits);
  return type == kF16 ? F16ToF32(low) : Bf16ToF32(low);
}

// Truncates and saturates, and NaN gives 0: wasm's trunc_sat. C++ leaves values out of range
// undefined.
int64_t IntOfFloat(DType to, double value) {
  if (value != value) return 0;
  const double whole = trunc(value);
  if (IsUnsigned(to)) {
    // 2^bits, exact as a double, which the greatest integer of 64 bits is not.
    const double limit = ldexp(1.0, to.bits);
    if (whole <= 0) return 0;
    if (whole >= limit) return WrapInt(to, -1);
    return static_cast<int64_t>(static_cast<uint64_t>(whole));
  }
  const double limit = ldexp(1.0, to.bits - 1);
  if (whole < -limit) return static_cast<int64_t>(~uint64_t{0} << (to.bits - 1));
  if (whole >= limit) return static_cast<int64_t>(~(~uint64_t{0} << (to.bits - 1)));
  return static_cast<int64_t>(whole);
}

// A conversion to 16 bits is rounded once: to odd first (Boldo and Melquiond), because rounding to
// float32 and then to 16 bits could round twice. Operations do round twice, as emitters compute in
// float32.
double ConvertFloat(DType to, double value) {
  return RoundFloat(to, to.bits == 16 ? RoundToOdd(value) : value);
}

// To float32 directly, because float64 could round a 64-bit integer twice; to 16 bits through
// float64.
double FloatOfInt(DType from, DType to, int64_t value) {
  const bool huge = IsUnsigned(from) && value < 0;
  const uint64_t bits = static_cast<uint64_t>(value);
  if (to == kF32) return huge ? static_cast<float>(bits) : static_cast<float>(value);
  return ConvertFloat(to, huge ? static_cast<double>(bits) : static_cast<double>(value));
}

}  // namespace

// Shifts the value up and down again, so that the sign or zeros fill the upper bits.
int64_t WrapInt(DType type, int64_t value) {
  if (type.is_bool()) return value != 0;
  if (type.bits == 64) return value;
  const int shift = 64 - type.bits;
  const uint64_t high = static_cast<uint64_t>(value) << shift;
  return type.is_signed_int() ? static_cast<int64_t>(high) >> shift
                              : static_cast<int64_t>(high >> shift);
}

// Rounding a double result of +, -, *, / or sqrt to float32 gives the correctly rounded result,
// because 53 >= 2 * 24 + 2 bits (Figueroa, "When is double rounding innocuous?", 1995).
double RoundFloat(DType type, double value) {
  if (type == kF64) return value;
  const float narrow = static_cast<float>(value);
  if (type == kF32) return narrow;
  return type == kF16 ? F16ToF32(F32ToF16(narrow)) : Bf16ToF32(F32ToBf16(narrow));
}

Lane LaneBinary(BinaryOp op, DType type, Lane a, Lane b) {
  if (type.is_float()) return FloatBinary(op, type, a.f, b.f);
  const int64_t value = IntBinary(op, type, a.i, b.i);
  const bool compares = InfoOf(op).op_class == BinaryClass::kCompare;
  return FromInt(compares ? value : WrapInt(type, value));
}

Lane LaneCall(Intrinsic intrinsic, DType type, const Lane* args) {
  if (!type.is_float()) {
    const int64_t a = args[0].i;
    if (intrinsic == Intrinsic::kMulAdd) {
      const Lane product = LaneBinary(BinaryOp::kMul, type, args[0], args[1]);
      return LaneBinary(BinaryOp::kAdd, type, product, args[2]);
    }
    const bool negative = type.is_signed_int() && a < 0;  // kAbs
    return FromInt(negative ? WrapInt(type, static_cast<int64_t>(0 - static_cast<uint64_t>(a)))
                            : a);
  }
  const double x = args[0].f;
  switch (intrinsic) {
    case Intrinsic::kAbs: return FromFloat(fabs(x));
    case Intrinsic::kSqrt: return FromFloat(RoundFloat(type, sqrt(x)));
    case Intrinsic::kFloor: return FromFloat(floor(x));
    case Intrinsic::kCeil: return FromFloat(ceil(x));
    case Intrinsic::kTrunc: return FromFloat(trunc(x));
    case Intrinsic::kRound: return FromFloat(rint(x));
    case Intrinsic::kMulAdd: {
      const double product = RoundFloat(type, x * args[1].f);
      return FromFloat(RoundFloat(type, product + args[2].f));
    }
#define TERN_LOOP_EXPANDED(Name, ...) case Intrinsic::k##Name:
#include "core/loop/intrinsics.def"
    break;
  }
  TERN_CHECK(false, "an intrinsic that is not lowered");
  return {};
}

Lane LaneCast(DType from, DType to, Lane value) {
  if (to.is_bool()) return FromInt(from.is_float() ? value.f != 0 : value.i != 0);
  if (from.is_float() && !to.is_float()) return FromInt(IntOfFloat(to, value.f));
  if (from.is_float()) return FromFloat(ConvertFloat(to, value.f));
  return to.is_float() ? FromFloat(FloatOfInt(from, to, value.i)) : FromInt(WrapInt(to, value.i));
}

Lane LaneReinterpret(DType from, DType to, Lane value) {
  const int64_t bits = from.is_float() ? static_cast<int64_t>(FloatBits(from, value.f)) : value.i;
  return to.is_float() ? FromFloat(FloatOfBits(to, static_cast<uint64_t>(bits)))
                       : FromInt(WrapInt(to, bits));
}

Lane ReadLane(DType type, const uint8_t* from) {
  uint64_t bits = 0;
  memcpy(&bits, from, static_cast<size_t>(type.size()));  // hosts are little-endian
  if (type.is_float()) return FromFloat(FloatOfBits(type, bits));
  return FromInt(WrapInt(type, static_cast<int64_t>(bits)));
}

void WriteLane(DType type, Lane value, uint8_t* to) {
  const uint64_t bits = type.is_float() ? FloatBits(type, value.f) : static_cast<uint64_t>(value.i);
  memcpy(to, &bits, static_cast<size_t>(type.size()));
}

}  // namespace tern::loop
