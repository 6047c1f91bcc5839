// SPDX-License-Identifier: Apache-2.0
// Builder: tensor expressions and schedules from C++, equal to what the text form reads.
//
//   te::Builder b("dot");
//   const te::Value n = b.Size("n"), k = b.ReduceAxis("k", n);
//   const te::Tensor A = b.Placeholder("A", kF32, {n}), B = b.Placeholder("B", kF32, {n});
//   const te::Tensor C = b.Result("C", kF32, {});
//   b.Compute(C, {}, Sum({k}, A(k) * B(k)));
//   b.Schedule(C).Vectorize("k", {.scalable = true, .interleave = 4});
//   Result<te::Definition> definition = b.Build();
//
// What does not fit becomes a diagnostic, which Build gives, all at once; no call ends the process.
// C++ numbers take the type of what stands beside them. Values belong to the builder they come
// from, which must outlive them.
#ifndef TERN_CORE_LOOP_TE_BUILDER_H_
#define TERN_CORE_LOOP_TE_BUILDER_H_

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/loop/te/te.h"
#include "core/text/diagnostics.h"

namespace tern::loop::te {

class Builder;

// An expression, a number that has no type yet, or what an error left.
class Value {
 public:
  Value(int number) : Value(int64_t{number}) {}                  // NOLINT: x + 1
  Value(int64_t number) : kind_(Kind::kInt), int_(number) {}     // NOLINT
  Value(double number) : kind_(Kind::kFloat), float_(number) {}  // NOLINT
  // Null of numbers and of what an error left.
  const Expr& expr() const { return expr_; }

 private:
  friend class Builder;
  friend class Tensor;
  friend struct ValueMaker;
  enum class Kind : int8_t { kExpr, kInt, kFloat };
  Value(Builder* builder, Expr expr) : builder_(builder), expr_(std::move(expr)) {}

  Kind kind_ = Kind::kExpr;
  Builder* builder_ = nullptr;  // of an expression
  Expr expr_;                   // null where an error was
  int64_t int_ = 0;
  double float_ = 0;
};

// One operator of binary_ops.def, one function of intrinsics.def.
Value Apply(BinaryOp op, const Value& a, const Value& b);
Value Apply(Intrinsic intrinsic, std::initializer_list<Value> args);
inline Value operator+(const Value& a, const Value& b) { return Apply(BinaryOp::kAdd, a, b); }
inline Value operator-(const Value& a, const Value& b) { return Apply(BinaryOp::kSub, a, b); }
inline Value operator*(const Value& a, const Value& b) { return Apply(BinaryOp::kMul, a, b); }
inline Value operator/(const Value& a, const Value& b) { return Apply(BinaryOp::kDiv, a, b); }
inline Value operator%(const Value& a, const Value& b) { return Apply(BinaryOp::kMod, a, b); }
inline Value operator<(const Value& a, const Value& b) { return Apply(BinaryOp::kLt, a, b); }
inline Value operator<=(const Value& a, const Value& b) { return Apply(BinaryOp::kLe, a, b); }
inline Value operator>(const Value& a, const Value& b) { return Apply(BinaryOp::kGt, a, b); }
inline Value operator>=(const Value& a, const Value& b) { return Apply(BinaryOp::kGe, a, b); }
inline Value operator&(const Value& a, const Value& b) { return Apply(BinaryOp::kAnd, a, b); }
inline Value operator|(const Value& a, const Value& b) { return Apply(BinaryOp::kOr, a, b); }
inline Value Min(const Value& a, const Value& b) { return Apply(BinaryOp::kMin, a, b); }
inline Value Max(const Value& a, const Value& b) { return Apply(BinaryOp::kMax, a, b); }
inline Value Equal(const Value& a, const Value& b) { return Apply(BinaryOp::kEq, a, b); }
Value Not(const Value& value);
Value Select(const Value& condition, const Value& a, const Value& b);
Value Cast(DType element, const Value& value);

// A fold over reduce axes; it must be the whole of what a tensor is computed from.
Value Reduce(BinaryOp op, std::span<const Value> axes, const Value& value);
Value Reduce(BinaryOp op, std::initializer_list<Value> axes, const Value& value);
inline Value Sum(std::initializer_list<Value> axes, const Value& value) {
  return Reduce(BinaryOp::kAdd, axes, value);
}

class Tensor {
 public:
  // An element; as many indices as dimensions.
  template <class... T>
  Value operator()(const T&... indices) const {
    return At({Value(indices)...});
  }
  Value At(std::vector<Value> indices) const;

 private:
  friend class Builder;
  friend class TensorSchedule;
  Tensor(Builder* builder, BufferPtr buffer) : builder_(builder), buffer_(std::move(buffer)) {}
  Builder* builder_;
  BufferPtr buffer_;
};

struct VectorOptions {
  int32_t lanes = 0;  // 0: as the element and the target want
  bool scalable = false;
  LoopTail tail = LoopTail::kOfKind;
  int32_t interleave = 0;
};

// The schedule of one tensor: lines of primitives.def. Axes are named as in the text form; the new
// ones are returned.
class TensorSchedule {
 public:
  using Pair = std::pair<std::string, std::string>;
  Pair Split(std::string_view axis, Lanes factor);
  Pair Split(std::string_view axis, int32_t factor) { return Split(axis, Lanes{factor}); }
  std::string Fuse(std::string_view first, std::string_view second);
  TensorSchedule& Reorder(std::vector<std::string> axes);
  // factors: of y, then of x.
  TensorSchedule& Tile(std::string_view y, std::string_view x, std::pair<int32_t, int32_t> factors);
  TensorSchedule& Unroll(std::string_view axis);
  TensorSchedule& Parallel(std::string_view axis);
  TensorSchedule& Vectorize(std::string_view axis, const VectorOptions& options = {});
  TensorSchedule& VectorizeScalable(std::string_view axis) {
    return Vectorize(axis, {.lanes = 0, .scalable = true});
  }
  TensorSchedule& ComputeAt(const Tensor& consumer, std::string_view axis);
  TensorSchedule& ComputeInline();

 private:
  friend class Builder;
  TensorSchedule(Builder* builder, std::string tensor)
      : builder_(builder), tensor_(std::move(tensor)) {}
  TensorSchedule& Add(Primitive primitive, std::vector<std::string> names,
                      std::vector<Lanes> factors = {});
  Builder* builder_;
  std::string tensor_;
};

class Builder {
 public:
  explicit Builder(std::string_view name);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  Value Size(std::string_view name);                // an int64, at least 0
  Value Scalar(std::string_view name, DType type);  // a parameter of one element
  Value Axis(std::string_view name);                // of one tensor, from 0 to its extent
  Value ReduceAxis(std::string_view name, const Value& extent);
  Tensor Placeholder(std::string_view name, DType type, std::vector<Value> shape);
  Tensor Result(std::string_view name, DType type, std::vector<Value> shape);
  Tensor Between(std::string_view name, DType type, std::vector<Value> shape);

  // tensor[axes...] = value, once for every result and every tensor between, before it is read.
  void Compute(const Tensor& tensor, const std::vector<Value>& axes, const Value& value);
  TensorSchedule Schedule(const Tensor& tensor);
  void SetRelaxed() { definition_.relaxed = true; }

  // An expression that was made elsewhere, of what this builder made.
  Value Of(Expr expr);

  // What was described, for callers whose definitions are sound by themselves: not verified, the
  // schedule not tried. The builder is used up.
  tern::Result<Definition> Finish();
  // Verified, its schedule tried.
  tern::Result<Definition> Build();

 private:
  friend struct ValueMaker;
  friend class Tensor;
  friend class TensorSchedule;
  friend Value Reduce(BinaryOp op, std::span<const Value> axes, const Value& value);
  void Complain(std::string_view code, std::string_view message);
  std::string NameOf(std::string_view name, std::string_view what);
  Tensor MakeTensor(std::string_view name, DType type, const std::vector<Value>& shape,
                    Access access);

  struct Extent {
    VarPtr var;
    Expr extent;  // null: an axis of a tensor
  };
  const Extent* FindAxis(const Value& value) const;

  Definition definition_;
  std::vector<Extent> axes_;
  std::vector<std::string> names_;
  text::Diagnostics diagnostics_;
};

}  // namespace tern::loop::te

#endif  // TERN_CORE_LOOP_TE_BUILDER_H_
