// SPDX-License-Identifier: Apache-2.0
// tern lower --emit: each form for each target, and what is asked wrongly.
#include "native/cli/emit_loops.h"

#include <gtest/gtest.h>

#include <string>

#include "native/jit/llvm_compiler.h"

namespace tern::cli::emit_loops_test {
namespace {

constexpr const char* kAdd = R"(
te add<n>(A: float32[n], B: float32[n]) -> (C: float32[n]) {
  compute C[i] = A[i] + B[i]
  schedule {
    vectorize(C, i, scalable = true)
  }
}
)";

Result<std::string> Emit(std::string_view form, std::string_view target,
                         std::string_view strategy = "", std::string_view text = kAdd) {
  return EmitLoops({"add.tloop", text, form, strategy, target});
}

void ExpectRefused(const Result<std::string>& result, std::string_view words) {
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().ToString().find(words), std::string::npos)
      << result.status().ToString();
}

TEST(EmitLoops, E09IrForWhateverTarget) {
  const auto sve = Emit("llvm", "aarch64+sve");
  ASSERT_TRUE(sve.ok()) << sve.status().ToString();
  EXPECT_NE(sve->find("@llvm.aarch64.sve.whilelt"), std::string::npos);
  const auto fixed = Emit("llvm", "x86_64+avx512", "fixed");
  ASSERT_TRUE(fixed.ok());
  EXPECT_NE(fixed->find("<16 x float>"), std::string::npos);
  const auto reference = Emit("llvm", "");
  ASSERT_TRUE(reference.ok());
  EXPECT_NE(reference->find("@llvm.get.active.lane.mask.nxv4i1"), std::string::npos);
}

TEST(EmitLoops, AssemblyAndObjects) {
  if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  const auto assembly = Emit("asm", "aarch64+sve");
  ASSERT_TRUE(assembly.ok()) << assembly.status().ToString();
  EXPECT_NE(assembly->find("whilelt"), std::string::npos);
  for (const char* target : {"aarch64", "x86_64", "x86_64+avx2", "x86_64+avx512"}) {
    const auto object = Emit("object", target, "fixed");
    ASSERT_TRUE(object.ok()) << target << object.status().ToString();
    EXPECT_EQ(object->substr(1, 3), "ELF");
  }
  EXPECT_TRUE(Emit("object", "riscv64+v").ok());
}

TEST(EmitLoops, WebAssembly) {
  const auto module = Emit("wasm", "", "fixed");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(module->substr(0, 4), std::string_view("\0asm", 4));
}

TEST(EmitLoops, BadRequests) {
  ExpectRefused(Emit("asm", ""), "--target aarch64+sve");
  ExpectRefused(Emit("object", "wasm32", "fixed"), "no machine code");
  ExpectRefused(Emit("llvm", "vax"), "riscv64+v");
  ExpectRefused(Emit("llvm", "aarch64+sve", "quickly"), "predicated");
  ExpectRefused(Emit("llvm", "x86_64+avx2", "predicated"), "x86_64+avx2");
  ExpectRefused(Emit("wasm", "", "", "te add<n>("), "expected a parameter");
}

}  // namespace
}  // namespace tern::cli::emit_loops_test
