// SPDX-License-Identifier: Apache-2.0
// Programs and helpers that the tests of debugger, trace, profiler and dependencies share.
#ifndef TERN_TESTS_UNIT_VM_DEBUG_TEST_UTIL_H_
#define TERN_TESTS_UNIT_VM_DEBUG_TEST_UTIL_H_

#include <memory>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/object/graph/print.h"
#include "core/object/run_context.h"
#include "core/vm/debug/debugger.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm {

// Recursion, calls of calls, a loop, a tail call: frames of every kind.
inline constexpr const char* kFrames = R"(
.func @main(n: int)
  invoke @factorial in: %0 dst: %1
  invoke @loop in: %0 dst: %2
  invoke @tail in: %0 dst: %3
  alloc_adt tag: 0 in: %1, %2, %3 dst: %4
  ret   ret %4
.func @factorial(n: int)
  if_equal %0, 0 true: +1 false: +2
  ret   ret 1
  sub   %0, 1 dst: %1
  invoke @factorial in: %1 dst: %1
  mul   %0, %1 dst: %1
  ret   ret %1
.func @loop(n: int)
  move  %0 dst: %1
again:
  sub   %0, 1 dst: %0
  add   %1, %0 dst: %1
  gt    %0, 0 dst: %2
  if    %2 true: again false: done
done:
  kill  %2
  ret   ret %1
.func @tail(n: int)
  tail_invoke @count in: %0, 0
.func @count(n: int, sum: int)
  if_equal %0, 0 true: +1 false: +2
  ret   ret %1
  add   %1, %0 dst: %1
  sub   %0, 1 dst: %0
  tail_invoke @count in: %0, %1
)";

// c = a + b of f32 tensors, written into c.
inline Status AddInto(Tensor* a, Tensor* b, Tensor* c) {
  if (a->element_count() != c->element_count() || b->element_count() != c->element_count())
    return InvalidArgument("test.add_into of ", a->TypeText(), " and ", b->TypeText());
  for (int64_t i = 0; i < c->element_count(); ++i)
    c->data_as<float>()[i] = a->data_as<float>()[i] + b->data_as<float>()[i];
  return OkStatus();
}

inline Result<TensorPtr> Binary(RunContext& context, Tensor* a, Tensor* b, char op) {
  if (a->element_count() != b->element_count())
    return InvalidArgument("operands ", a->TypeText(), " and ", b->TypeText());
  TERN_TRY_ASSIGN(TensorPtr c, context.NewTensor(kF32, a->dims()));
  for (int64_t i = 0; i < c->element_count(); ++i) {
    const float x = a->data_as<float>()[i], y = b->data_as<float>()[i];
    c->data_as<float>()[i] = op == '+' ? x + y : op == '*' ? x * y : x / y;
  }
  return c;
}

inline std::vector<FunctionPtr> DebugPrimitives() {
  return {
      Function::FromTyped("test.add_into", &AddInto),
      Function::FromTyped("test.add",
                          [](RunContext& c, Tensor* a, Tensor* b) { return Binary(c, a, b, '+'); }),
      Function::FromTyped("test.mul",
                          [](RunContext& c, Tensor* a, Tensor* b) { return Binary(c, a, b, '*'); }),
      Function::FromTyped("test.div",
                          [](RunContext& c, Tensor* a, Tensor* b) { return Binary(c, a, b, '/'); }),
      Function::FromTyped("test.fail", [](std::string_view why) -> Status { return Failed(why); }),
  };
}

inline std::unique_ptr<Debugger> MakeDebugger(std::string_view text,
                                              const DebuggerOptions& options = {}) {
  Result<std::unique_ptr<Debugger>> debugger =
      Debugger::Create(MustLink(MustAssemble(text), DebugPrimitives()), options);
  EXPECT_TRUE(debugger.ok());
  return std::move(debugger).value();
}

inline std::unique_ptr<Debugger> BeginDebugger(std::string_view text,
                                               std::vector<AnyView> args = {},
                                               const DebuggerOptions& options = {}) {
  std::unique_ptr<Debugger> debugger = MakeDebugger(text, options);
  const Status status = debugger->Begin("main", args);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return debugger;
}

// Everything that can be seen of a state, as text.
inline std::string StateText(const Debugger& debugger) {
  std::string text = StrCat("step ", debugger.step(), "\n");
  for (size_t i = 0; i < debugger.depth(); ++i) {
    const DebugFrame frame = debugger.frame(i);
    StrAppend(&text, "@", debugger.executable().functions()[frame.function].name, " ", frame.pc);
    for (uint32_t reg = 0; reg < frame.register_count; ++reg)
      StrAppend(&text, " ", PrintValue(*debugger.Register(i, reg)));
    text += "\n";
  }
  return text;
}

// The same of a machine.
inline std::string StateText(const VirtualMachine& vm) {
  std::string text = StrCat("step ", vm.steps(), "\n");
  for (size_t i = vm.depth(); i-- > 0;) {
    const FrameView frame = vm.frame(i);
    StrAppend(&text, "@", vm.executable().functions()[frame.function].name, " ", frame.pc);
    for (const Any& value : frame.registers) StrAppend(&text, " ", PrintValue(value));
    text += "\n";
  }
  return text;
}

inline DebugStopInfo MustRun(Debugger* debugger, DebugCommand command, uint64_t argument = 1,
                             uint64_t slice = 0) {
  Result<DebugStopInfo> stop = debugger->Run(command, argument, slice);
  EXPECT_TRUE(stop.ok()) << stop.status().ToString();
  return stop.ok() ? *stop : DebugStopInfo();
}

}  // namespace tern::vm

#endif  // TERN_TESTS_UNIT_VM_DEBUG_TEST_UTIL_H_
