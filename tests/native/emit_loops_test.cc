// SPDX-License-Identifier: Apache-2.0
// tern lower --emit: each form for each target, and what is asked wrongly.
#include "native/cli/emit_loops.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/base/strings.h"
#include "native/jit/llvm_compiler.h"
#include "tests/support/commands.h"
#include "tests/support/read_file.h"

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

// The loop instruction masks the last vector: nothing of the tail is left to compare, and no
// scalars follow.
TEST(EmitLoops, E21HeliumFoldsTails) {
  if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  for (const char* type : {"float32", "float16", "int8"}) {
    SCOPED_TRACE(type);
    const std::string text = StrCat("te add<n>(a: ", type, "[n], b: ", type, "[n]) -> (c: ", type,
                                    "[n]) {\n  compute c[i] = a[i] + b[i]\n"
                                    "  schedule { vectorize(c, i, scalable = true) }\n}\n");
    const auto assembly = Emit("asm", "armv8.1m+mve", "target", text);
    ASSERT_TRUE(assembly.ok()) << assembly.status().ToString();
    EXPECT_NE(assembly->find("dlstp."), std::string::npos) << *assembly;
    EXPECT_NE(assembly->find("letp"), std::string::npos);
    EXPECT_EQ(assembly->find("vcmp"), std::string::npos);
  }
}

// Those that do not have the loop instruction divide, compute in 64 bits or keep what only some
// lanes change. Comparisons of floats are those that LLVM 19 gets wrong of NaNs (float_order.h),
// but for its own of float64, of which there are no vectors.
TEST(EmitLoops, AllProgramsAssembleForHelium) {
  if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  constexpr std::string_view kComparisons[] = {"vcmp.f32", "vcmp.f16", "vpt.f",
                                               "vcmpt.f",  "vmaxnm",   "vminnm"};
  int folded = 0, programs = 0;
  for (const auto& file : std::filesystem::directory_iterator("tests/loop/programs")) {
    SCOPED_TRACE(file.path().string());
    const std::string text = ReadFile(file.path().string());
    const auto object = Emit("object", "armv8.1m+mve", "target", text);
    ASSERT_TRUE(object.ok()) << object.status().ToString();
    EXPECT_EQ(object->substr(0, 5), "\177ELF\1");  // of 32 bits
    const auto assembly = Emit("asm", "armv8.1m+mve", "target", text);
    ASSERT_TRUE(assembly.ok()) << assembly.status().ToString();
    ++programs;
    const bool begins = assembly->find("dlstp.") != std::string::npos;
    folded += begins && assembly->find("letp") != std::string::npos;
    for (const std::string_view comparison : kComparisons)
      EXPECT_EQ(assembly->find(comparison), std::string::npos) << comparison;
  }
  EXPECT_GE(programs, 28);
  EXPECT_GE(folded, 20);
}

TEST(EmitLoops, HeliumIsRefusedWhatItCannot) {
  ExpectRefused(Emit("asm", "armv8.1m+mve", "predicated"), "no vectors of unknown length");
  ExpectRefused(Emit("asm", "armv8.1m+mve", "cleanup"), "no vectors of unknown length");
  if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  const auto object = Emit("object", "armv8.1m+mve", "target");
  ASSERT_TRUE(object.ok()) << object.status().ToString();
  const auto code = native::NativeCode::FromObject(*object);
  ASSERT_FALSE(code.ok());
  EXPECT_NE(code.status().ToString().find("ELF machine 40"), std::string::npos);
}

// LLVM would end the process.
TEST(EmitLoops, TheLengthOfVectorsIsRefusedWhereThereAreNone) {
  constexpr const char* kLengths = R"(
primfn lengths<n>(A: out int64[n]) {
  for (i, 0, n) {
    A[i] = vscale
  }
}
)";
  for (const char* target : {"armv8.1m+mve", "aarch64", "x86_64", "x86_64+avx512"})
    ExpectRefused(Emit("asm", target, "", kLengths), "'vscale'");
  EXPECT_TRUE(Emit("llvm", "aarch64+sve", "", kLengths).ok());
}

TEST(EmitLoops, WebAssembly) {
  const auto module = Emit("wasm", "", "fixed");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(module->substr(0, 4), std::string_view("\0asm", 4));
}

// Two ways to the same bytes: the emitter's own, and what an assembler makes of the text.
TEST(EmitLoops, WebAssemblyTextIsTheModule) {
  if (!testing::HaveCommand("wat2wasm")) GTEST_SKIP() << "there is no wat2wasm here";
  const testing::ScratchFolder folder;
  int programs = 0;
  for (const auto& file : std::filesystem::directory_iterator("web/examples")) {
    if (file.path().extension() != ".tloop") continue;
    const std::string program = ReadFile(file.path().string());
    ++programs;
    for (const char* strategy : {"schedule", "scalar", "fixed", "cleanup", "predicated"}) {
      SCOPED_TRACE(StrCat(file.path().string(), " ", strategy));
      const auto text = Emit("wat", "reference", strategy, program);
      const auto module = Emit("wasm", "reference", strategy, program);
      ASSERT_TRUE(text.ok() && module.ok()) << text.status().ToString();
      const std::string made = folder.Path("made.wasm");
      const testing::CommandResult run = testing::RunCommand(
          StrCat("wat2wasm ", folder.Write("program.wat", *text), " -o ", made));
      ASSERT_EQ(run.exit_code, 0) << run.output;
      EXPECT_TRUE(ReadFile(made) == *module);
    }
  }
  EXPECT_GE(programs, 12);
}

TEST(EmitLoops, BadRequests) {
  ExpectRefused(Emit("asm", ""), "--target aarch64+sve");
  ExpectRefused(Emit("object", "wasm32", "fixed"), "no machine code");
  ExpectRefused(Emit("llvm", "vax"), "riscv64+v");
  ExpectRefused(Emit("llvm", "aarch64+sve", "quickly"), "predicated");
  ExpectRefused(Emit("llvm", "x86_64+avx2", "predicated"), "x86_64+avx2");
  ExpectRefused(Emit("wasm", "", "", "te add<n>("), "expected a parameter");
  ExpectRefused(Emit("wat", "", "", "te add<n>("), "expected a parameter");
  ExpectRefused(Emit("wat", "", "predicated"), "wasm32");
  ExpectRefused(Emit("wat", "vax", "fixed"), "riscv64+v");
}

}  // namespace
}  // namespace tern::cli::emit_loops_test
