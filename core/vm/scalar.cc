// SPDX-License-Identifier: Apache-2.0
// Scalar operations on values: the general way, for operands that the interpreter's fast forms do
// not cover, tensors of one element among them.
#include "core/vm/scalar.h"

#include <cmath>

#include "core/base/strings.h"
#include "core/object/device.h"
#include "core/object/graph/print.h"
#include "core/object/tensor.h"

namespace tern::vm {
namespace {

// Unsigned arithmetic wraps where signed overflow is undefined.
uint64_t ToBits(int64_t value) { return static_cast<uint64_t>(value); }
int64_t FromBits(uint64_t value) { return static_cast<int64_t>(value); }

std::string KindsText(const AnyView& a, const AnyView& b) {
  return StrCat(a.type_name(), " and ", b.type_name());
}

// A tensor with one element as a value of int, float or bool; other values as they are.
Status Unwrap(const AnyView& value, Any* scalar) {
  const Tensor* tensor = value.TryCast<Tensor>();
  if (tensor == nullptr) {
    *scalar = Any(value);
    return OkStatus();
  }
  TERN_TRY(CheckOnHost(*tensor, "the value"));
  if (tensor->element_count() != 1) {
    return TypeError("expected a scalar or a tensor of one element, got ", tensor->TypeText());
  }
  const DType dtype = tensor->dtype();
  if (dtype.is_bool()) {
    *scalar = Any(*static_cast<const uint8_t*>(tensor->data()) != 0);
  } else if (dtype == kU64 && *tensor->data_as<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
    return OutOfRange("the element of ", tensor->TypeText(), " does not fit an int");
  } else if (dtype.is_int() && dtype.bits >= 8) {
    *scalar = Any(TensorInt(*tensor, 0));
  } else if (dtype.is_float()) {
    *scalar = Any(TensorElement(*tensor, 0));
  } else {
    return TypeError("a tensor of ", dtype.ToString(), " has no scalar value");
  }
  return OkStatus();
}

Status IntOperation(Opcode opcode, int64_t a, int64_t b, Any* result) {
  switch (opcode) {
    case Opcode::kAdd: *result = FromBits(ToBits(a) + ToBits(b)); return OkStatus();
    case Opcode::kSub: *result = FromBits(ToBits(a) - ToBits(b)); return OkStatus();
    case Opcode::kMul: *result = FromBits(ToBits(a) * ToBits(b)); return OkStatus();
    // Division truncates, as C's does; expressions of dimensions round down (dimension.h).
    case Opcode::kDiv:
    case Opcode::kMod:
      if (b == 0) return Failed("division of ", a, " by zero");
      // The one quotient that does not fit wraps, as the other operations do.
      if (b == -1)
        *result = opcode == Opcode::kDiv ? FromBits(0 - ToBits(a)) : int64_t{0};
      else
        *result = opcode == Opcode::kDiv ? a / b : a % b;
      return OkStatus();
    case Opcode::kLt: *result = a < b; return OkStatus();
    case Opcode::kLe: *result = a <= b; return OkStatus();
    case Opcode::kGt: *result = a > b; return OkStatus();
    case Opcode::kGe: *result = a >= b; return OkStatus();
    case Opcode::kEq: *result = a == b; return OkStatus();
    case Opcode::kNe: *result = a != b; return OkStatus();
    case Opcode::kAnd: *result = a & b; return OkStatus();
    case Opcode::kOr: *result = a | b; return OkStatus();
    default: return Status(StatusCode::kInternal, "not an operation on ints");
  }
}

Status FloatOperation(Opcode opcode, double a, double b, Any* result) {
  switch (opcode) {
    case Opcode::kAdd: *result = a + b; return OkStatus();
    case Opcode::kSub: *result = a - b; return OkStatus();
    case Opcode::kMul: *result = a * b; return OkStatus();
    case Opcode::kDiv: *result = a / b; return OkStatus();
    case Opcode::kMod: *result = std::fmod(a, b); return OkStatus();
    case Opcode::kLt: *result = a < b; return OkStatus();
    case Opcode::kLe: *result = a <= b; return OkStatus();
    case Opcode::kGt: *result = a > b; return OkStatus();
    case Opcode::kGe: *result = a >= b; return OkStatus();
    case Opcode::kEq: *result = a == b; return OkStatus();
    case Opcode::kNe: *result = a != b; return OkStatus();
    default: return TypeError("'", GetInfo(opcode).mnemonic, "' takes ints or bools, got float");
  }
}

Status BoolOperation(Opcode opcode, bool a, bool b, Any* result) {
  switch (opcode) {
    case Opcode::kAnd: *result = a && b; return OkStatus();
    case Opcode::kOr: *result = a || b; return OkStatus();
    case Opcode::kEq: *result = a == b; return OkStatus();
    case Opcode::kNe: *result = a != b; return OkStatus();
    default:
      return TypeError("'", GetInfo(opcode).mnemonic,
                       "' takes ints or floats, got bool; convert with to_int");
  }
}

Status ToIntFrom(const Any& value, Any* result) {
  if (value.type_code() == TERN_TYPE_FLOAT) {
    const double f = *value.TryCast<double>();
    // Both bounds are exact doubles; a NaN fails the comparison.
    if (!(f >= -9223372036854775808.0 && f < 9223372036854775808.0)) {
      return OutOfRange("the float ", f, " does not fit an int");
    }
    *result = static_cast<int64_t>(f);
    return OkStatus();
  }
  const auto i = value.TryCast<int64_t>();
  if (!i.has_value()) return TypeError("'to_int' takes a scalar, got ", value.type_name());
  *result = *i;
  return OkStatus();
}

Status Convert(Opcode opcode, const AnyView& a, Any* result) {
  Any value;
  TERN_TRY(Unwrap(a, &value));
  if (opcode == Opcode::kToInt) return ToIntFrom(value, result);
  if (opcode == Opcode::kToBool) {
    bool truth = false;
    TERN_TRY(Truth(value, &truth));
    *result = truth;
    return OkStatus();
  }
  const auto f = value.TryCast<double>();
  if (!f.has_value()) return TypeError("'to_float' takes a scalar, got ", value.type_name());
  *result = *f;
  return OkStatus();
}

Status UnaryOperation(Opcode opcode, const AnyView& a, Any* result) {
  const TernTypeCode code = a.type_code();
  if (opcode == Opcode::kNeg && code == TERN_TYPE_INT)
    *result = FromBits(0 - ToBits(*a.TryCast<int64_t>()));
  else if (opcode == Opcode::kNeg && code == TERN_TYPE_FLOAT)
    *result = -*a.TryCast<double>();
  else if (opcode == Opcode::kNot && code == TERN_TYPE_BOOL)
    *result = !*a.TryCast<bool>();
  else if (opcode == Opcode::kNot && code == TERN_TYPE_INT)
    *result = ~*a.TryCast<int64_t>();
  else
    return TypeError("'", GetInfo(opcode).mnemonic, "' takes ",
                     opcode == Opcode::kNot ? "a bool or an int" : "an int or a float", ", got ",
                     a.type_name());
  return OkStatus();
}

}  // namespace

Status ScalarOperation(Opcode opcode, const AnyView& a, const AnyView& b, Any* result) {
  switch (opcode) {
    case Opcode::kNeg:
    case Opcode::kNot: return UnaryOperation(opcode, a, result);
    case Opcode::kToInt:
    case Opcode::kToFloat:
    case Opcode::kToBool: return Convert(opcode, a, result);
    default: break;  // two operands
  }
  // No implicit conversion: int and float differ in programs as they do in the file.
  if (a.type_code() != b.type_code()) {
    return TypeError("'", GetInfo(opcode).mnemonic, "' takes two values of one kind, got ",
                     KindsText(a, b), "; convert with to_int or to_float");
  }
  switch (a.type_code()) {
    case TERN_TYPE_INT:
      return IntOperation(opcode, *a.TryCast<int64_t>(), *b.TryCast<int64_t>(), result);
    case TERN_TYPE_FLOAT:
      return FloatOperation(opcode, *a.TryCast<double>(), *b.TryCast<double>(), result);
    case TERN_TYPE_BOOL:
      return BoolOperation(opcode, *a.TryCast<bool>(), *b.TryCast<bool>(), result);
    default: break;
  }
  return TypeError("'", GetInfo(opcode).mnemonic, "' takes ints, floats or bools, got ",
                   KindsText(a, b));
}

Status Truth(const AnyView& value, bool* result) {
  Any scalar;
  TERN_TRY(Unwrap(value, &scalar));
  switch (scalar.type_code()) {
    case TERN_TYPE_INT: *result = *scalar.TryCast<int64_t>() != 0; return OkStatus();
    // NaN is not zero, so it is true, as in C.
    case TERN_TYPE_FLOAT: *result = *scalar.TryCast<double>() != 0; return OkStatus();
    case TERN_TYPE_BOOL: *result = *scalar.TryCast<bool>(); return OkStatus();
    default:
      return TypeError("a condition must be a bool, a number or a tensor of one element, got ",
                       value.type_name());
  }
}

Status ScalarsEqual(const AnyView& a, const AnyView& b, bool* result) {
  for (const AnyView* value : {&a, &b}) {
    const Tensor* tensor = value->TryCast<Tensor>();
    if (tensor == nullptr) continue;
    TERN_TRY(CheckOnHost(*tensor, "the value"));
    if (tensor->rank() == 0) continue;
    return TypeError("'if_equal' compares scalars and tensors of rank 0, got ", tensor->TypeText());
  }
  Any x, y;
  TERN_TRY(Unwrap(a, &x));
  TERN_TRY(Unwrap(b, &y));
  // Text is compared here, because the scalar operations below know only numbers.
  if (const auto s = x.TryCast<std::string_view>(), t = y.TryCast<std::string_view>();
      s.has_value() && t.has_value()) {
    *result = *s == *t;
    return OkStatus();
  }
  if (x.type_code() != y.type_code()) {
    return TypeError("'if_equal' compares two values of one kind, got ", KindsText(a, b));
  }
  Any equal;
  TERN_TRY(ScalarOperation(Opcode::kEq, x, y, &equal));
  *result = *equal.TryCast<bool>();
  return OkStatus();
}

Status ToDims(const AnyView& value, std::vector<int64_t>* dims) {
  if (const Shape* shape = value.TryCast<Shape>(); shape != nullptr) {
    dims->assign(shape->dims().begin(), shape->dims().end());
    return OkStatus();
  }
  const Tensor* tensor = value.TryCast<Tensor>();
  // Checked before elements are read: a tensor of a million elements is no shape.
  const bool is_vector = tensor != nullptr && tensor->rank() == 1 && tensor->dim(0) <= kMaxRank;
  if (!is_vector || (tensor->dtype() != kI64 && tensor->dtype() != kI32)) {
    return TypeError("a shape must be a shape or an int tensor of rank 1, got ",
                     tensor != nullptr ? tensor->TypeText() : std::string(value.type_name()));
  }
  TERN_TRY(CheckOnHost(*tensor, "the shape"));
  dims->clear();
  for (int64_t i = 0; i < tensor->dim(0); ++i)
    dims->push_back(TensorInt(*tensor, i));
  return OkStatus();
}

// The rule of ONNX's Reshape: at most one -1, which takes what the others leave.
Status InferExtent(int64_t element_count, std::vector<int64_t>* dims) {
  int64_t* open = nullptr;
  int64_t known = 1;
  for (int64_t& dim : *dims) {
    if (dim == -1 && open == nullptr)
      open = &dim;
    else if (dim < 0)
      return InvalidArgument("a shape of ", FormatDims(*dims));
    else if (__builtin_mul_overflow(known, dim, &known))
      return OutOfRange("a shape of ", FormatDims(*dims));
  }
  if (open == nullptr) return OkStatus();
  // With a zero among the others any extent would do, so none can be inferred.
  if (known == 0 || element_count % known != 0) {
    return InvalidArgument("no extent for -1 makes ", FormatDims(*dims), " hold ", element_count,
                           " elements");
  }
  *open = element_count / known;
  return OkStatus();
}

}  // namespace tern::vm
