// SPDX-License-Identifier: Apache-2.0
// `tern compile --native-kernels`, as the program: what it writes, what it leaves out, what it
// says.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "core/base/strings.h"
#include "native/jit/llvm_compiler.h"
#include "tests/support/commands.h"
#include "tests/support/read_file.h"

namespace tern::cli {
namespace {

// Two kernels, of which baseline x86-64 has no instructions for the second's 16-bit floats.
constexpr std::string_view kProgram =
    R"(
.kernel "bias_relu" "loop" text "te bias_relu<n>(x: float32[n, 40], b: float32[40]) ->)"
    R"( (y: float32[n, 40]) {\n  compute y[i, j] = max(x[i, j] + b[j], 0.0)\n)"
    R"(  schedule {\n    vectorize(y, j, scalable = true)\n  }\n}\n"
.kernel "widen" "loop" text "te widen<n>(x: float16[n]) -> (y: float32[n]) {\n)"
    R"(  compute y[i] = cast(float32, x[i])\n}\n"
.const c[0] = f32[] [0]
.func @bias_relu(x: f32[n, 40], b: f32[40]) -> f32[n, 40]
  call  add      in: %0, %1 dst: %2
  call  max      in: %2, c[0] dst: %2
  ret   ret %2
.func @widen(x: f16[n]) -> f32[n]
  call  cast{to=f32} in: %0 dst: %1
  ret   ret %1
.func @main(x: f32[n, 40], b: f32[40]) -> f32[n, 40]
  call  @bias_relu in: %0, %1 dst: %2
  ret   ret %2
)";

class NativeKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
    const char* tern = getenv("TERN_CLI");
    tern_ = tern == nullptr ? "build/host/tern" : tern;
    program_ = folder_.Write("program.tasm", kProgram);
    ASSERT_EQ(Tern(StrCat("asm ", program_, " -o ", folder_.Path("plain.tern"))).exit_code, 0);
  }

  testing::CommandResult Tern(const std::string& arguments) const {
    return testing::RunCommand(StrCat(tern_, " ", arguments));
  }
  testing::CommandResult Compile(std::string_view from, std::string_view to,
                                 std::string_view targets) const {
    return Tern(StrCat("compile ", folder_.Path(from), " -o ", folder_.Path(to),
                       " --native-kernels ", targets));
  }
  std::string Read(std::string_view name) const { return ReadFile(folder_.Path(name)); }

  testing::ScratchFolder folder_;
  std::string tern_, program_;
};

void ExpectSays(const testing::CommandResult& run, std::string_view words) {
  EXPECT_NE(run.output.find(words), std::string::npos) << run.output;
}

TEST_F(NativeKernels, TheSameBytesAndOutAgain) {
  const auto made = Compile("plain.tern", "native.tern", "x86-64-avx2,aarch64-sve");
  ASSERT_EQ(made.exit_code, 0) << made.output;
  ExpectSays(made, "native code for aarch64-sve: 2 of 2 kernels\n");
  ExpectSays(made, "native code for x86-64-avx2: 2 of 2 kernels\n");
  const std::string native = Read("native.tern");
  EXPECT_NE(native, Read("plain.tern"));

  ASSERT_EQ(Compile("program.tasm", "again.tern", "aarch64-sve,x86-64-avx2").exit_code, 0);
  EXPECT_EQ(Read("again.tern"), native);
  ASSERT_EQ(Compile("native.tern", "none.tern", "none").exit_code, 0);
  EXPECT_EQ(Read("none.tern"), Read("plain.tern"));
  ASSERT_EQ(Compile("native.tern", "other.tern", "riscv64-v").exit_code, 0);
  ASSERT_EQ(Compile("other.tern", "again.tern", "x86-64-avx2,aarch64-sve").exit_code, 0);
  EXPECT_EQ(Read("again.tern"), native);
}

TEST_F(NativeKernels, WhatATargetCannotHaveIsLeftOutAndNamed) {
  const auto made = Compile("plain.tern", "native.tern", "x86-64");
  ASSERT_EQ(made.exit_code, 0) << made.output;
  ExpectSays(made, "native code for x86-64: 1 of 2 kernels\n  no code of 'widen' for x86-64: ");
  ExpectSays(made, "it needs '__extendhfsf2'");
}

TEST_F(NativeKernels, NothingToCompile) {
  folder_.Write("none.tasm", ".func @main(x: f32[n]) -> f32[n]\n  ret ret %0\n");
  const auto made = Compile("none.tasm", "none.tern", "host");
  EXPECT_EQ(made.exit_code, 0);
  ExpectSays(made, "no loop kernels");

  folder_.Write("bad.tasm",
                ".kernel \"main\" \"loop\" text \"te main<n>(x: float32[n]) -> \"\n"
                ".func @main(x: f32[n]) -> f32[n]\n  ret ret %0\n");
  const auto bad = Compile("bad.tasm", "bad.tern", "aarch64-sve");
  EXPECT_EQ(bad.exit_code, 1);
  ExpectSays(bad, "error[E0802]: no kernel can be compiled");
  ExpectSays(bad, "no code of 'main' for aarch64-sve: ");
}

// What could leave its buffers is not compiled, nor what is not the function's.
TEST_F(NativeKernels, UnprovenKernelsAreLeftOut) {
  folder_.Write("outside.tasm",
                ".kernel \"far\" \"loop\" text \"te far<n>(x: float32[n]) -> (y: float32[n]) {"
                " compute y[i] = x[i + 1] }\"\n"
                ".kernel \"main\" \"loop\" text \"te main<n>(x: float64[n]) -> (y: float32[n]) {"
                " compute y[i] = cast(float32, x[i]) }\"\n"
                ".func @far(x: f32[n]) -> f32[n]\n  ret ret %0\n"
                ".func @main(x: f32[n]) -> f32[n]\n  ret ret %0\n");
  const auto made = Compile("outside.tasm", "outside.tern", "aarch64-sve,x86-64");
  EXPECT_EQ(made.exit_code, 1);
  ExpectSays(made, "native code for aarch64-sve: 0 of 2 kernels\n  no code of 'far' for");
  ExpectSays(made, "no code of 'main' for x86-64: ");
}

TEST_F(NativeKernels, AskedWrongly) {
  const auto unknown = Compile("plain.tern", "out.tern", "aarch64-svee");
  EXPECT_NE(unknown.exit_code, 0);
  ExpectSays(unknown, "error[E0804]: there is no code target 'aarch64-svee'");
  ExpectSays(unknown, "did you mean 'aarch64-sve'?");
  const auto unnamed =
      Tern(StrCat("compile ", folder_.Path("plain.tern"), " --native-kernels host"));
  EXPECT_EQ(unnamed.exit_code, 2);
  ExpectSays(unnamed, "--out FILE");
  const auto damaged = [&] {
    folder_.Write("damaged.tern", Read("plain.tern").substr(0, 100));
    return Compile("damaged.tern", "out.tern", "host");
  }();
  EXPECT_NE(damaged.exit_code, 0);
  ExpectSays(damaged, "error[E01");
}

}  // namespace
}  // namespace tern::cli
