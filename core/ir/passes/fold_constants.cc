// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/fold_constants.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/rewriter.h"
#include "core/ir/splat.h"
#include "core/ir/visitor.h"
#include "core/ops/dims.h"

namespace tern::ir {

namespace {

using types::Dim;

bool StaticDims(const types::TensorType& type, std::vector<int64_t>* dims) {
  dims->clear();
  for (const Dim& dim : type.dims) {
    if (!dim.is_constant()) return false;
    dims->push_back(dim.constant());
  }
  return true;
}

// Operators that only move elements: of a splat, the result is a splat, whatever its size.
bool OnlyMoves(const ops::OpInfo& op) { return op.movement != ops::Movement::computes; }

// In bytes, with every element in its place.
int64_t FullBytes(const Tensor& tensor) {
  return tensor.dtype().bytes_for(tensor.element_count()).value_or(INT64_MAX);
}

// What splats may still take, in bytes: the limit less what the splats of the module have.
int64_t RoomForSplats(const Module& module, int64_t limit) {
  std::unordered_set<const Tensor*> seen;
  int64_t bytes = 0;
  for (const Module::Item& item : module.items()) {
    if (item.kernel != nullptr) continue;
    ForEachUse(item.function->bindings(), item.function->result(), [&](const Expr& atom) {
      const Tensor* tensor = ConstantWindow(atom);
      if (tensor == nullptr || !SplatElement(*tensor) || !seen.insert(tensor).second) return;
      bytes = ops::AddDim(bytes, FullBytes(*tensor));
    });
  }
  return std::max<int64_t>(limit - bytes, 0);
}

// Computes calls whose arguments are constants by the operators that a run would call, so that
// results are the same bits.
class ConstantFolder : public Rewriter {
 public:
  ConstantFolder(text::Diagnostics* diagnostics, const PassContext& context, int64_t* splat_room)
      : Rewriter(diagnostics), context_(context), splat_room_(*splat_room) {}

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override {
    // Values by shape arithmetic need no constant arguments: the shape of an input can be known.
    if (Expr known = FoldKnownValue()) return known;
    for (const Expr& arg : args) {
      if (arg->As<Constant>() == nullptr) return nullptr;
    }
    if (args.empty()) return nullptr;
    if (const TensorPtr element = ElementOfSplat(call, args)) return FoldSplat(*element, args);
    return Evaluate(call, args);
  }

 private:
  // What would fail is left to fail at run time, with its place.
  Expr RewriteScalar(const Scalar& scalar, const std::vector<Expr>& args) override {
    if (context_.evaluator.run_scalar == nullptr) return nullptr;
    for (const Expr& arg : args) {
      if (arg->As<Constant>() == nullptr) return nullptr;
    }
    const Any& a = args.front()->As<Constant>()->value();
    const Any& b = args.back()->As<Constant>()->value();
    Any result;
    if (!context_.evaluator.run_scalar(scalar.op(), a, b, &result).ok()) return nullptr;
    return MakeConstant(std::move(result));
  }

  // The result as a constant if shape arithmetic knows all its elements.
  Expr FoldKnownValue() {
    const Var& var = *current().var;
    if (var.value() == nullptr || !var.type().is_tensor()) return nullptr;
    std::vector<int64_t> values;
    for (const Dim& dim : *var.value()) {
      if (!dim.is_constant()) return nullptr;
      values.push_back(dim.constant());
    }
    const types::TensorType& type = var.type().tensor();
    const int64_t count = static_cast<int64_t>(values.size());
    const tern::Dims dims = type.rank() == 0 ? tern::Dims() : tern::Dims(&count, 1);
    if (type.dtype == kI64)
      return MakeConstant(Any(Tensor::FromValues<int64_t>(values, dims).value()));
    if (type.dtype != kI32) return nullptr;
    const std::vector<int32_t> narrow(values.begin(), values.end());
    return MakeConstant(Any(Tensor::FromValues<int32_t>(narrow, dims).value()));
  }

  // The element of a result that is a splat whatever its size; null for other calls.
  TensorPtr ElementOfSplat(const Call& call, const std::vector<Expr>& args) {
    const types::Type& type = current().var->type();
    if (!type.is_tensor() || !type.tensor().IsStatic()) return nullptr;
    if (call.Is(ops::Op::k_constant_of_shape)) return EvaluateElement(call);
    const Tensor* moved = OnlyMoves(call.op()) ? ConstantWindow(args[0]) : nullptr;
    return moved == nullptr ? nullptr : SplatElement(*moved);
  }

  // Null, so that the run makes it, where splats would take more than they may. One that is moved
  // takes the place of its argument.
  Expr FoldSplat(const Tensor& element, const std::vector<Expr>& args) {
    std::vector<int64_t> dims;
    StaticDims(current().var->type().tensor(), &dims);
    const Result<TensorPtr> splat = MakeSplat(element, dims);
    if (!splat.ok()) return nullptr;
    const Tensor* from = ConstantWindow(args[0]);
    const int64_t more = FullBytes(**splat) - (from == nullptr ? 0 : FullBytes(*from));
    if (more > splat_room_) return nullptr;
    splat_room_ -= std::max<int64_t>(more, 0);
    return MakeConstant(Any(*splat));
  }

  // constant_of_shape for the shape [].
  TensorPtr EvaluateElement(const Call& call) {
    const Any empty(Tensor::FromValues<int64_t>({}, {0}).value());
    Result<std::vector<TensorPtr>> made = Compute(call, {&empty, 1});
    return made.ok() ? (*made)[0] : nullptr;
  }

  // Computes by the evaluator of the context; passes have none where nothing may be computed.
  Result<std::vector<TensorPtr>> Compute(const Call& call, std::span<const Any> args) {
    const Evaluator& evaluator = context_.evaluator;
    if (evaluator.run == nullptr) return Unsupported("no evaluator");
    return evaluator.run(evaluator.context, call.op(), call.attrs(), args);
  }

  // In bytes, by the type: 0 where the size is not static, -1 where it is too large.
  static int64_t BytesOf(const types::Type& type) {
    if (type.is_tuple()) {
      int64_t sum = 0;
      for (const types::Type& element : type.elements()) {
        const int64_t bytes = BytesOf(element);
        if (bytes < 0) return -1;
        sum = ops::AddDim(sum, bytes);
      }
      return sum;
    }
    if (!type.is_tensor()) return 0;
    const Dim count = type.tensor().ElementCount();
    if (!count.is_constant()) return 0;  // depends on the data of constants: small in practice
    return type.tensor().dtype.bytes_for(count.constant()).value_or(-1);
  }

  // A constant that is much larger than what it is made of costs more to load than to compute.
  bool WorthIt(const std::vector<Expr>& args) {
    int64_t in = 0;
    for (const Expr& arg : args) in = ops::AddDim(in, BytesOf(TypeOf(arg)));
    const int64_t out = BytesOf(current().var->type());
    return out >= 0 && (out <= context_.max_folded_bytes || out / 2 <= in);
  }

  // The call's results as constants, or null where it stays a call.
  Expr Evaluate(const Call& call, const std::vector<Expr>& args) {
    // A range of floats may have any length, whatever the size of its arguments.
    const types::Type& type = current().var->type();
    if (call.Is(ops::Op::k_range) && !type.tensor().IsStatic()) return nullptr;
    if (!WorthIt(args)) return nullptr;
    std::vector<Any> values;
    for (const Expr& arg : args) {
      const Tensor* tensor = ConstantWindow(arg);
      if (tensor == nullptr) {
        values.push_back(arg->As<Constant>()->value());
        continue;
      }
      Result<TensorPtr> contiguous = Materialize(*tensor, context_.allocator);
      if (!contiguous.ok()) return nullptr;
      values.emplace_back(*std::move(contiguous));
    }
    Result<std::vector<TensorPtr>> results = Compute(call, values);
    // Such as a division by zero: the program fails when, and if, it runs there.
    if (!results.ok()) return nullptr;
    if (results->size() == 1 && !current().var->type().is_tuple())
      return MakeConstant(Any((*results)[0]));
    std::vector<Expr> fields;
    for (const TensorPtr& result : *results) fields.push_back(MakeConstant(Any(result)));
    return builder().Bind(MakeTuple(std::move(fields)));
  }

  const PassContext& context_;
  int64_t& splat_room_;
};

}  // namespace

Module FoldConstants(const Module& module, const PassContext& context) {
  int64_t splat_room = RoomForSplats(module, context.max_splat_bytes);
  return RewriteModule<ConstantFolder>(module, context.diagnostics, context, &splat_room);
}

}  // namespace tern::ir
