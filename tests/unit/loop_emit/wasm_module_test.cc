// SPDX-License-Identifier: Apache-2.0
// Emitted modules: which instructions they are made of, and what is refused. What they compute is
// tested in tests/loops.
#include "core/loop/emit/wasm_module.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/strings.h"
#include "core/loop/text/parser.h"
#include "tests/loops/samples.h"
#include "tests/support/commands.h"

namespace tern::loop::wasm_module_test {
namespace {

std::string Disassembly(const Program& program, const WasmOptions& options = {}) {
  const auto module = EmitWasm(program, options);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  const testing::ScratchFolder folder;
  const testing::CommandResult run = testing::RunCommand(StrCat(
      "llvm-objdump-19 -d --no-show-raw-insn --mattr=+simd128,+sign-ext,+nontrapping-fptoint ",
      folder.Write("m.wasm", module->bytes)));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  return run.output;
}

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

class WasmCodeOf : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::HaveCommand("llvm-objdump-19")) GTEST_SKIP() << "no llvm-objdump-19 here";
  }
};

TEST_F(WasmCodeOf, VectorsOfUnknownLengthAreTakenAt128Bits) {
  const std::string code = Disassembly(PredicatedAdd(kF32, Lanes{4, true}));
  EXPECT_EQ(Count(code, "f32x4.add"), 1) << code;
  EXPECT_EQ(Count(code, "v128.store\t"), 1) << code;
  EXPECT_EQ(Count(code, "v128.load\t"), 2) << code;
}

TEST_F(WasmCodeOf, WideVectorsAreSeveralRegisters) {
  const std::string code = Disassembly(PredicatedAdd(kF32, Lanes{16}));
  EXPECT_EQ(Count(code, "f32x4.add"), 4) << code;
  EXPECT_EQ(Count(code, "v128.store\t"), 4) << code;
}

// Where a comparison decides; the full ones are many instructions of a processor.
TEST_F(WasmCodeOf, LimitsByConstantsAreComparisons) {
  const auto limits = [](double low, double high) {
    const std::string text =
        StrCat("primfn f(X: in float32[4], Y: out float32[4]) { Y[ramp(0, 1, 4)] = max(min(",
               "X[ramp(0, 1, 4)], broadcast(float32(", high, "), 4)), broadcast(float32(", low,
               "), 4)) }");
    return Disassembly(ParseLoops("limits.tloop", text).value().program);
  };
  const std::string plain = limits(-1.5, 2);
  EXPECT_EQ(Count(plain, "f32x4.pmin"), 1) << plain;
  EXPECT_EQ(Count(plain, "f32x4.pmax"), 1) << plain;
  const std::string zeros = limits(0, 0);  // of which the sign matters
  EXPECT_EQ(Count(zeros, "f32x4.min"), 1) << zeros;
  EXPECT_EQ(Count(zeros, "f32x4.add"), 1) << zeros;
}

TEST_F(WasmCodeOf, FusedMultiplyAddOnlyWhereBothAllowIt) {
  Program program = AllOperators(kF32, Lanes{4});
  std::erase_if(program.functions, [](const LoopFunction& f) { return f.name != "mad"; });
  ASSERT_EQ(program.functions.size(), 1u);
  // LLVM 19 shows relaxed instructions as unknown.
  EXPECT_EQ(Count(Disassembly(program, {.relaxed_simd = true}), "f32x4.mul"), 1);
  program.functions[0].relaxed = true;
  EXPECT_EQ(Count(Disassembly(program), "f32x4.mul"), 1);
  const std::string fused = Disassembly(program, {.relaxed_simd = true});
  EXPECT_EQ(Count(fused, "f32x4.mul"), 0) << fused;
}

TEST(EmitWasm, RefusesLanesThatAreNoPowerOfTwo) {
  const auto module = EmitWasm(PredicatedAdd(kF32, Lanes{6}), {});
  ASSERT_FALSE(module.ok());
  EXPECT_NE(module.status().message().find("float32x6"), std::string_view::npos)
      << module.status().ToString();
}

TEST(EmitWasm, RefusesWhatIsNotLowered) {
  Program program = ScalarAdd(kF32);
  LoopFunction& function = program.functions[0];
  const auto loop = ObjectPtr<const For>(function.body->As<For>());
  function.body = MakeFor({.kind = ForKind::kUnrolled}, loop->var, loop->range, loop->body);
  auto module = EmitWasm(program, {});
  ASSERT_FALSE(module.ok());
  EXPECT_NE(module.status().message().find("unrolled loop over 'i'"), std::string_view::npos);
  const auto& store = *loop->body->As<Store>();
  function.body = MakeStore(store.buffer, {MakeInt(0)},
                            MakeCall(Intrinsic::kTanh, {MakeLoad(store.buffer, {MakeInt(0)})}));
  module = EmitWasm(program, {});
  ASSERT_FALSE(module.ok());
  EXPECT_NE(module.status().message().find("tanh"), std::string_view::npos);
}

TEST(EmitWasm, RefusesVariablesThatAreNotDeclared) {
  Program program = ScalarAdd(kF32);
  const Stmt body = program.functions[0].body->As<For>()->body;
  program.functions[0].body = body;
  const auto module = EmitWasm(program, {});
  ASSERT_FALSE(module.ok());
  EXPECT_NE(module.status().message().find("'i'"), std::string_view::npos);
}

TEST(EmitWasm, ScratchIsCountedAndLimited) {
  Program program = ScalarAdd(kF32);
  LoopFunction& function = program.functions[0];
  const Stmt body = function.body;
  const auto with_scratch = [&](int64_t count) {
    const BufferPtr scratch = MakeBuffer("T", kF32, {MakeInt(count)}, Access::kLocal);
    function.body = MakeBlock({MakeAllocate(scratch), body});
    return EmitWasm(program, {});
  };
  EXPECT_EQ(EmitWasm(program, {})->scratch_bytes, 0u);
  EXPECT_EQ(with_scratch(5)->scratch_bytes, 32u);
  EXPECT_EQ(with_scratch(4 << 20)->scratch_bytes, 16u << 20);
  const auto too_much = with_scratch((4 << 20) + 1);
  ASSERT_FALSE(too_much.ok());
  EXPECT_NE(too_much.status().message().find("'T'"), std::string_view::npos);
  EXPECT_FALSE(with_scratch(INT64_MAX / 2).ok());
}

}  // namespace
}  // namespace tern::loop::wasm_module_test
