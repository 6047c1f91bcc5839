// SPDX-License-Identifier: Apache-2.0
#include "core/driver/count_work.h"

#include "core/ir/visitor.h"
#include "core/ops/math_attrs.h"

namespace tern::driver {
namespace {

using types::Dim;
using types::TensorType;

// The extents behind the first, multiplied.
Dim ProductBehindFirst(const TensorType& tensor) {
  Dim product(1);
  for (size_t axis = 1; axis < tensor.dims.size(); ++axis) product = product * tensor.dims[axis];
  return product;
}

// Products of a matrix product: each element of the result is a sum over the axis that the two
// matrices share.
Dim MatMulWork(const ir::Call& call, const TensorType& a, const TensorType& result) {
  const Result<ops::MatMulAttrs> attrs = ops::MatMulAttrs::From(call.attrs());
  if (!attrs.ok() || a.dims.empty()) return Dim::Any();
  const size_t rank = a.dims.size();
  return result.ElementCount() * a.dims[attrs->trans_a && rank > 1 ? rank - 2 : rank - 1];
}

// Each element of a convolution's result takes one product per element of its filter [in/groups,
// …]; each element of a transposed one's input spreads over [out/groups, …].
Dim CallWork(const ir::Call& call, const ir::VarPtr& var) {
  const bool transposed =
      call.Is(ops::Op::k_conv_transpose2d) || call.Is(ops::Op::k_conv_transpose3d);
  const bool convolution = call.Is(ops::Op::k_conv2d) || call.Is(ops::Op::k_conv3d) || transposed;
  if (!convolution && !call.Is(ops::Op::k_matmul)) return Dim(0);
  const TensorType* input = ir::TensorTypeOf(call.args()[0]);
  const TensorType* weight = ir::TensorTypeOf(call.args()[1]);
  if (input == nullptr || weight == nullptr || !var->type().is_tensor()) return Dim::Any();
  const TensorType& result = var->type().tensor();
  if (!convolution) return MatMulWork(call, *input, result);
  return (transposed ? *input : result).ElementCount() * ProductBehindFirst(*weight);
}

}  // namespace

// In multiplications with addition, the unit in which the field states the size of models. Unknown
// extents make it a formula or "?".
Dim CountMultiplyAdds(const ir::Module& module) {
  Dim total(0);
  for (const ir::Module::Item& item : module.items()) {
    ir::ForEachBinding(item.function->bindings(), [&total](const ir::Binding& binding) {
      const ir::Call* call = binding.value->As<ir::Call>();
      if (call != nullptr) total = total + CallWork(*call, binding.var);
    });
  }
  return total;
}

}  // namespace tern::driver
