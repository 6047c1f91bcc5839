// SPDX-License-Identifier: Apache-2.0
// What a module of the functional IR means, said a second time: a walk over its tree, one value per
// variable, before any pass and without the machine. Lambdas keep the environment they were made
// in. Operators run by the kernels, primitives by the machine's builtins.
#ifndef TERN_TESTS_SUPPORT_IR_EVALUATOR_H_
#define TERN_TESTS_SUPPORT_IR_EVALUATOR_H_

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "core/ir/module.h"
#include "core/object/run_context.h"

namespace tern::support {

class IrEvaluator {
 public:
  explicit IrEvaluator(const ir::Module& module) : module_(module) {}

  Result<Any> Call(std::string_view function, const std::vector<Any>& args);
  // Values that were computed since it was made; more than max_steps are an error.
  int64_t steps() const { return steps_; }
  void set_max_steps(int64_t steps) { max_steps_ = steps; }

 private:
  using Environment = std::map<const ir::Node*, Any>;
  // What a closure's function index stands for.
  struct Code {
    ir::FunctionPtr function;
    std::shared_ptr<const Environment> environment;  // null: a function of the module
  };

  Result<Any> Enter(const ir::Function& function, const std::vector<Any>& args, Environment env);
  Result<Any> Block(const ir::Let& block, Environment env);
  Result<Any> Value(const ir::Expr& value, const Environment& env);
  Result<Any> Atom(const ir::Expr& atom, const Environment& env);
  Result<std::vector<Any>> Atoms(std::span<const ir::Expr> atoms, const Environment& env);
  Result<Any> Operator(const ir::Call& call, const Environment& env);
  Result<Any> Invocation(const ir::Expr& value, const Environment& env);
  Result<Any> CallClosure(const Any& closure, std::vector<Any> args);
  Result<Any> Choice(const ir::Expr& value, const Environment& env);
  Result<Any> Cases(const ir::Expr& value, const Environment& env);
  Result<Any> Arithmetic(const ir::Expr& value, const Environment& env);
  void MakeLambdas(std::span<const ir::Binding> group, Environment* env);

  const ir::Module& module_;
  RunContext context_;
  std::vector<Code> codes_;
  int64_t steps_ = 0, max_steps_ = 1'000'000;
};

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_IR_EVALUATOR_H_
