// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/fuse_epilogues.h"

#include "core/ir/rewriter.h"
#include "core/ops/math_attrs.h"

namespace tern::ir {

namespace {

using ops::Activation;
using ops::Op;

// A call that can have an epilogue, and what is in it already.
struct Producer {
  const Call* call = nullptr;
  ops::Epilogue epilogue;
};

// Moves an addition or activation behind a convolution or product into its epilogue: the kernel
// applies it while the result is in registers, instead of reading it again from memory.
class EpilogueFuser : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override {
    if (call.Is(Op::k_add)) {
      // Both operands of an addition may be the product.
      if (Expr fused = FuseAdd(call, args, 1)) return fused;
      return FuseAdd(call, args, 0);
    }
    const Activation activation = ops::ActivationOf(call.op().name);
    return activation == Activation::kNone ? nullptr : FuseActivation(call, args, activation);
  }

 private:
  // The call that makes args[index], if this is its only use and it computes f32, the only type
  // whose kernels have epilogues.
  Producer FindProducer(const Call& call, const std::vector<Expr>& args, size_t index) {
    Producer producer;
    const Call* made = NewCall(args[index]);
    const types::TensorType* type = TensorTypeOf(args[index]);
    if (made == nullptr || Uses(call.args()[index]) != 1 || type == nullptr || type->dtype != kF32)
      return producer;
    const Attrs& attrs = made->attrs();
    if (made->Is(Op::k_conv2d)) {
      producer.epilogue = ops::ConvAttrs::From(attrs).value().epilogue;
    } else if (made->Is(Op::k_matmul)) {
      producer.epilogue = ops::MatMulAttrs::From(attrs).value().epilogue;
    } else if (made->Is(Op::k_conv_transpose2d)) {
      producer.epilogue = ops::ConvTransposeAttrs::From(attrs).value().epilogue;
    } else {
      return producer;
    }
    producer.call = made;
    return producer;
  }

  static Attrs WithEpilogue(const Call& call, const ops::Epilogue& epilogue) {
    if (call.Is(Op::k_matmul)) {
      ops::MatMulAttrs attrs = ops::MatMulAttrs::From(call.attrs()).value();
      attrs.epilogue = epilogue;
      return attrs.ToAttrs();
    }
    if (call.Is(Op::k_conv2d)) {
      ops::ConvAttrs attrs = ops::ConvAttrs::From(call.attrs()).value();
      attrs.epilogue = epilogue;
      return attrs.ToAttrs();
    }
    ops::ConvTransposeAttrs attrs = ops::ConvTransposeAttrs::From(call.attrs()).value();
    attrs.epilogue = epilogue;
    return attrs.ToAttrs();
  }

  // One activation, and none behind a residual that was added after one: the epilogue has one
  // order.
  Expr FuseActivation(const Call& call, const std::vector<Expr>& args, Activation activation) {
    Producer producer = FindProducer(call, args, 0);
    if (producer.call == nullptr || producer.epilogue.activation != Activation::kNone ||
        producer.epilogue.residual_after) {
      return nullptr;
    }
    const ops::UnaryAttrs unary = ops::UnaryAttrs::From(call.attrs()).value();
    producer.epilogue.activation = activation;
    producer.epilogue.act_alpha = unary.alpha;
    producer.epilogue.act_beta = unary.beta;
    return builder().Emit(producer.call->op(),
                          {producer.call->args().begin(), producer.call->args().end()},
                          WithEpilogue(*producer.call, producer.epilogue));
  }

  // args[index] is the product, the other one its bias or residual.
  Expr FuseAdd(const Call& call, const std::vector<Expr>& args, size_t index) {
    Producer producer = FindProducer(call, args, index);
    if (producer.call == nullptr || producer.call->Is(Op::k_conv_transpose2d)) return nullptr;
    const Expr& other = args[1 - index];
    std::vector<Expr> operands(producer.call->args().begin(), producer.call->args().end());
    while (operands.size() < 4) operands.push_back(MakeNone());
    if (IsBias(producer, args[index], other)) {
      operands[2] = other;
    } else if (TypeOf(other) == TypeOf(args[index]) && IsNone(operands[3])) {
      operands[3] = other;
      // Whether the residual is added ahead of the activation or behind it depends on which came
      // first.
      producer.epilogue.residual_after = producer.epilogue.activation != Activation::kNone;
    } else {
      return nullptr;
    }
    return builder().Emit(producer.call->op(), std::move(operands),
                          WithEpilogue(*producer.call, producer.epilogue));
  }

  // Whether `other` is a vector as long as the product's rows, and the product has no bias and
  // nothing behind it yet.
  static bool IsBias(const Producer& producer, const Expr& product, const Expr& other) {
    const types::TensorType* type = TensorTypeOf(other);
    const types::TensorType* result = TensorTypeOf(product);
    return producer.call->Is(Op::k_matmul) && type != nullptr && type->rank() == 1 &&
           result->rank() >= 1 && type->dims[0] == result->dims.back() &&
           producer.call->arg(2) == nullptr && producer.call->arg(3) == nullptr &&
           producer.epilogue.activation == Activation::kNone &&
           ops::MatMulAttrs::From(producer.call->attrs()).value().beta == 1;
  }
};

}  // namespace

Module FuseEpilogues(const Module& module, const PassContext& context) {
  return RewriteModule<EpilogueFuser>(module, context.diagnostics);
}

}  // namespace tern::ir
