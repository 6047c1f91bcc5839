// SPDX-License-Identifier: Apache-2.0
// `tern compile --native-kernels`, as the program: what it writes, what it leaves out, what it
// says.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "core/base/checksum.h"
#include "core/base/strings.h"
#include "native/code/link_object.h"
#include "native/code/object_target.h"
#include "native/jit/llvm_compiler.h"
#include "tests/support/commands.h"
#include "tests/support/read_file.h"

namespace tern::cli::native_kernels_test {
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
    program_ = folder_.Write("program.tasm", kProgram);
    ASSERT_EQ(Tern(StrCat("asm ", program_, " -o ", folder_.Path("plain.tern"))).exit_code, 0);
  }

  testing::CommandResult Tern(const std::string& arguments) const {
    return testing::RunCommand(StrCat(testing::TernCommand(), " ", arguments));
  }
  testing::CommandResult Compile(std::string_view from, std::string_view to,
                                 std::string_view targets) const {
    return Tern(StrCat("compile ", folder_.Path(from), " -o ", folder_.Path(to),
                       " --native-kernels ", targets));
  }
  std::string Read(std::string_view name) const { return ReadFile(folder_.Path(name)); }

  testing::ScratchFolder folder_;
  std::string program_;
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

// ---- running

constexpr const char* kInputs = " -i x='f32[37,40]:random(seed=1,normal)' -i b='f32[40]:random'";

class NativeKernelRuns : public NativeKernels {
 protected:
  // Which bytes the result has, or what the program said. Poison ends it: no core files then.
  std::string Run(const std::string& tern, std::string_view file, std::string_view options) const {
    const std::string output = folder_.Path("result.npy");
    const auto run = testing::RunCommand(StrCat("ulimit -c 0; rm -f ", output, "; ", tern, " run ",
                                                folder_.Path(file), kInputs, " --output output0=@",
                                                output, " ", options));
    if (run.exit_code != 0) return run.output;
    const std::string result = ReadFile(output);
    return StrCat(result.size(), " bytes, CRC-32C ", FormatHex(Crc32c(AsBytes(result))));
  }
  std::string Run(std::string_view file, std::string_view options) const {
    return Run(testing::TernCommand(), file, options);
  }
  std::string Inspect(std::string_view file, std::string_view options = "") const {
    return Tern(StrCat("inspect ", folder_.Path(file), " ", options)).output;
  }

  // A file of one kernel with one object.
  void WriteWith(std::string_view file, std::string_view target, std::string_view object) const {
    const size_t at = kProgram.find(".kernel \"widen\"");
    std::string text(kProgram.substr(0, at));
    StrAppend(&text, ".kernel \"bias_relu\" \"elf-", target, "\" hex ");
    constexpr char kDigits[] = "0123456789abcdef";
    for (const char c : object) {
      text += kDigits[static_cast<uint8_t>(c) >> 4];
      text += kDigits[c & 15];
    }
    StrAppend(&text, "\n", kProgram.substr(at));
    folder_.Write("written.tasm", text);
    ASSERT_EQ(
        Tern(StrCat("asm ", folder_.Path("written.tasm"), " -o ", folder_.Path(file))).exit_code,
        0);
  }

  static std::string LoopText() {
    const size_t begin = kProgram.find("te bias_relu");
    const std::string quoted(kProgram.substr(begin, kProgram.find('"', begin) - begin));
    std::string text;
    for (size_t i = 0; i < quoted.size(); ++i) {
      const bool line_end = quoted[i] == '\\' && quoted[i + 1] == 'n';
      text += line_end ? '\n' : quoted[i];
      i += line_end ? 1 : 0;
    }
    return text;
  }

  // An object that passes every check, whose function ends the process.
  static std::string Poison(std::string_view target, std::string_view symbol) {
    const std::string ir = StrCat("declare void @llvm.trap()\ndefine i32 @", symbol,
                                  "(ptr %b, ptr %s) nounwind {\n  call void @llvm.trap()\n"
                                  "  ret i32 0\n}\n");
    return *native::CompileClosedObject(ir, *native::FindCodeTarget(target),
                                        native::KernelStamp(LoopText()));
  }
};

TEST_F(NativeKernelRuns, EqualTheOperatorsWhereAllowed) {
  ASSERT_EQ(Compile("plain.tern", "native.tern", "host,aarch64-sve").exit_code, 0);
  const std::string expected = Run("plain.tern", "--kernels operators");
  ASSERT_TRUE(expected.starts_with("6048 bytes, ")) << expected;  // with 128 before the numbers
  EXPECT_EQ(Run("native.tern", "--allow-native-code"), expected);
  EXPECT_EQ(Run("native.tern", ""), expected);
  const std::string closed = Inspect("native.tern");
  EXPECT_NE(closed.find("is present, not allowed"), std::string::npos) << closed;
  const std::string open = Inspect("native.tern", "--allow-native-code");
  EXPECT_NE(open.find("native code for x86-64"), std::string::npos) << open;
  EXPECT_EQ(open.find("not allowed"), std::string::npos) << open;
}

// Code that would end the process is not entered unless it is allowed, and then it is.
TEST_F(NativeKernelRuns, NotAllowedIsNotEntered) {
  const std::string target(native::BestTarget(native::DetectProcessor())->name);
  WriteWith("poison.tern", target, Poison(target, "tern_kernel_bias_relu"));
  const std::string expected = Run("plain.tern", "--kernels operators");
  EXPECT_EQ(Run("poison.tern", ""), expected);
  EXPECT_EQ(Run("poison.tern", "--kernels operators --allow-native-code"), expected);
  EXPECT_NE(Run("poison.tern", "--allow-native-code"), expected);
}

TEST_F(NativeKernelRuns, WhatCannotBeLoadedIsPassedOver) {
  const std::string target(native::BestTarget(native::DetectProcessor())->name);
  const std::string expected = Run("plain.tern", "--kernels operators");
  const std::string good = Poison(target, "tern_kernel_bias_relu");
  const auto expect_passed_over = [&](std::string_view object, std::string_view why) {
    SCOPED_TRACE(why);
    WriteWith("bad.tern", target, object);
    EXPECT_EQ(Run("bad.tern", "--allow-native-code"), expected);
    const std::string listing = Inspect("bad.tern", "--allow-native-code");
    EXPECT_NE(listing.find(why), std::string::npos) << listing;
  };
  expect_passed_over(std::string_view(good).substr(0, good.size() / 2), "does not fit into");
  expect_passed_over(Poison("aarch64-sve", "tern_kernel_bias_relu"), "for another processor");
  expect_passed_over(Poison(target, "other"), "no function 'tern_kernel_bias_relu'");
  expect_passed_over("", "0 bytes");
  const std::string needy = StrCat(
      "declare void @elsewhere()\ndefine i32 @tern_kernel_bias_relu(ptr %b, ptr %s) nounwind {\n",
      "  call void @elsewhere()\n  ret i32 0\n}\n");
  expect_passed_over(*native::CompileClosedObject(needy, *native::FindCodeTarget(target),
                                                  native::KernelStamp(LoopText())),
                     "it needs 'elsewhere'");
  std::string stamp = native::KernelStamp(LoopText());
  std::string stale = good;
  ASSERT_NE(stale.find(stamp), std::string::npos);
  ++stale[stale.find(stamp) + stamp.size() - 1];
  expect_passed_over(stale, "was not made of the loop program");
}

// ---- the executable and its library

class NativeLibrary : public NativeKernelRuns {
 protected:
  testing::CommandResult Pair(std::string_view from, std::string_view options,
                              std::string_view to = "pair.tern") const {
    return Tern(StrCat("compile ", folder_.Path(from), " -o ", folder_.Path(to),
                       " --native-library ", folder_.Path("pair.so"), " ", options));
  }
  // Options that let a program have the library.
  std::string With(std::string_view library = "pair.so") const {
    return StrCat("--allow-native-code --kernel-library ", folder_.Path(library));
  }
};

TEST_F(NativeLibrary, RunsBesideTheExecutable) {
  const auto made = Pair("plain.tern", "--native-kernels host,x86-64");
  ASSERT_EQ(made.exit_code, 0) << made.output;
  ExpectSays(made, "native code for x86-64: 1 of 2 kernels\n");
  ExpectSays(made, StrCat("wrote ", folder_.Path("pair.so")));
  EXPECT_EQ(Read("pair.tern"), Read("plain.tern"));
  const std::string expected = Run("plain.tern", "--kernels operators");
  EXPECT_EQ(Run("pair.tern", With()), expected);
  const std::string listing = Inspect("pair.tern", With());
  EXPECT_NE(listing.find(StrCat(" of library '", folder_.Path("pair.so"), "'")), std::string::npos)
      << listing;
  EXPECT_EQ(Run("pair.tern", ""), expected);

  // Code of the executable leaves it, and the same objects make the same library.
  const std::string library = Read("pair.so");
  ASSERT_EQ(Compile("plain.tern", "native.tern", "host").exit_code, 0);
  ASSERT_EQ(Pair("native.tern", "--native-kernels x86-64,host").exit_code, 0);
  EXPECT_EQ(Read("pair.tern"), Read("plain.tern"));
  EXPECT_EQ(Read("pair.so"), library);
}

// A program with constants in its code and loops that workers share.
TEST_F(NativeLibrary, ConstantsAndParallelLoops) {
  folder_.Write("main.tasm",
                ".kernel \"main\" \"loop\" text \"te main<n>(x: float32[n, 40], b: float32[40]) -> "
                "(y: float32[n, 40]) {\\n  compute y[i, j] = exp(x[i, j]) * 0.3 + b[j]\\n"
                "  schedule {\\n    parallel(y, i)\\n    vectorize(y, j, scalable = true)\\n  }\\n"
                "}\\n\"\n"
                ".func @main(x: f32[n, 40], b: f32[40]) -> f32[n, 40]\n  ret ret %0\n");
  ASSERT_EQ(Pair("main.tasm", "", "pair.tern").exit_code, 0);
  const std::string library = Read("pair.so");
  EXPECT_NE(library.find("tern_kernel_main."), std::string::npos);
  EXPECT_NE(library.find(".parallel"), std::string::npos);
  const std::string expected = Run("pair.tern", "--kernels compiled");
  EXPECT_EQ(Run("pair.tern", With()), expected);
  EXPECT_EQ(Run("pair.tern", With() + " --threads 2"), expected);
}

TEST_F(NativeLibrary, OfAnotherVersionIsRefused) {
  ASSERT_EQ(Pair("plain.tern", "").exit_code, 0);
  std::string text(kProgram);
  text.replace(text.find("+ b[j]"), 6, "- b[j]");
  folder_.Write("other.tasm", text);
  ASSERT_EQ(Compile("other.tasm", "other.tern", "none").exit_code, 0);
  const std::string said = Run("other.tern", With());
  EXPECT_NE(said.find("error[E0808]"), std::string::npos) << said;
  EXPECT_NE(said.find("its code of 'bias_relu' was made of another loop program"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("tern compile --native-library makes it anew"), std::string::npos) << said;
}

TEST_F(NativeLibrary, WhatItLacksRunsOtherwise) {
  folder_.Write("half.tasm", kProgram.substr(kProgram.find(".kernel \"widen\"")));
  ASSERT_EQ(Pair("half.tasm", "").exit_code, 0);
  EXPECT_EQ(Run("plain.tern", With()), Run("plain.tern", "--kernels operators"));
  const std::string listing = Inspect("plain.tern", With());
  EXPECT_NE(listing.find("' has no code of it"), std::string::npos) << listing;
}

TEST_F(NativeLibrary, IsRefused) {
  const auto expect_refused = [&](std::string_view options, std::string_view why) {
    SCOPED_TRACE(options);
    const auto made = Pair("plain.tern", options);
    EXPECT_NE(made.exit_code, 0);
    ExpectSays(made, why);
    EXPECT_NE(access(folder_.Path("pair.so").c_str(), F_OK), 0);
  };
  expect_refused("--native-kernels x86-64,aarch64-sve",
                 "error[E0804]: a library is for one family of processors");
  expect_refused("--native-kernels riscv64-v",
                 "error[E0804]: there are no libraries for riscv64-v");
  expect_refused("--native-kernels none", "error[E0003]: --native-library with --native-kernels");
  expect_refused(StrCat("-o ", folder_.Path("pair.so")), "error[E0003]: ");
  folder_.Write("none.tasm", ".func @main(x: f32[n]) -> f32[n]\n  ret ret %0\n");
  const auto none = Pair("none.tasm", "");
  EXPECT_EQ(none.exit_code, 1);
  ExpectSays(none, "error[E0802]: the program has no loop kernels");

  ASSERT_EQ(Pair("plain.tern", "--native-kernels aarch64-neon").exit_code, 0);
  const std::string foreign = Run("plain.tern", With());
  EXPECT_NE(foreign.find("error[E0808]"), std::string::npos) << foreign;
  EXPECT_NE(foreign.find("expected code for x86-64, got aarch64"), std::string::npos) << foreign;

  ASSERT_EQ(Pair("plain.tern", "").exit_code, 0);
  folder_.Write("cut.so", Read("pair.so").substr(0, 3000));
  const std::string cut = Run("plain.tern", With("cut.so"));
  EXPECT_NE(cut.find("it is cut short: expected "), std::string::npos) << cut;
}

// ---- one file on AArch64, whose tern has no LLVM

class NativeKernelsOnArm : public NativeKernelRuns {
 protected:
  static constexpr const char* kTern = "build/aarch64/tern";
  void SetUp() override {
    NativeKernelRuns::SetUp();
    if (!testing::HaveCommand(kTern) || !testing::HaveCommand("qemu-aarch64"))
      GTEST_SKIP() << "there is no AArch64 build or emulator here";
  }
  static std::string On(std::string_view cpu) {
    return StrCat("qemu-aarch64 -cpu ", cpu, " ", kTern);
  }
  static std::string OnSve(int bits) {
    return On(StrCat("max,sme=off,sve-default-vector-length=", bits / 8));
  }
  std::string InspectOn(const std::string& tern, std::string_view file) const {
    return testing::RunCommand(
               StrCat(tern, " inspect ", folder_.Path(file), " --allow-native-code"))
        .output;
  }
};

TEST_F(NativeKernelsOnArm, E17OneFileForEveryProcessorAndVectorLength) {
  ASSERT_EQ(Compile("plain.tern", "native.tern", "x86-64,aarch64-sve").exit_code, 0);
  const std::string expected = Run("plain.tern", "--kernels operators");
  EXPECT_EQ(Run("native.tern", "--allow-native-code"), expected);
  for (const int bits : {128, 256, 512, 1024, 2048}) {
    SCOPED_TRACE(bits);
    EXPECT_EQ(Run(OnSve(bits), "native.tern", "--allow-native-code"), expected);
  }
  const std::string listing = InspectOn(OnSve(512), "native.tern");
  EXPECT_NE(listing.find("native code for aarch64-sve"), std::string::npos) << listing;
}

TEST_F(NativeKernelsOnArm, WithoutSveTheNextThatFits) {
  ASSERT_EQ(Compile("plain.tern", "sve.tern", "aarch64-sve").exit_code, 0);
  ASSERT_EQ(Compile("plain.tern", "both.tern", "aarch64-sve,aarch64-neon").exit_code, 0);
  const std::string expected = Run("plain.tern", "--kernels operators");
  const std::string no_sve = On("max,sve=off,sme=off");
  EXPECT_EQ(Run(no_sve, "sve.tern", "--allow-native-code"), expected);
  EXPECT_EQ(Run(no_sve, "both.tern", "--allow-native-code"), expected);
  const std::string without = InspectOn(no_sve, "sve.tern");
  EXPECT_NE(without.find("it needs sve, which this processor"), std::string::npos) << without;
  const std::string with_neon = InspectOn(no_sve, "both.tern");
  EXPECT_NE(with_neon.find("native code for aarch64-neon"), std::string::npos) << with_neon;
}

// The system's loader maps the library, at every vector length.
TEST_F(NativeKernelsOnArm, ALibraryForSeveralLevels) {
  const std::string library = folder_.Path("pair.so");
  ASSERT_EQ(Tern(StrCat("compile ", folder_.Path("plain.tern"), " -o ", folder_.Path("pair.tern"),
                        " --native-kernels aarch64-sve,aarch64-neon --native-library ", library))
                .exit_code,
            0);
  const std::string expected = Run("plain.tern", "--kernels operators");
  const std::string with = StrCat("--allow-native-code --kernel-library ", library);
  const auto expect_runs = [&](const std::string& tern, std::string_view target) {
    SCOPED_TRACE(tern);
    EXPECT_EQ(Run(tern, "pair.tern", with), expected);
    const auto shown =
        testing::RunCommand(StrCat(tern, " inspect ", folder_.Path("pair.tern"), " ", with));
    ExpectSays(shown, StrCat("native code for ", target, " of library"));
  };
  for (const int bits : {128, 512, 2048}) expect_runs(OnSve(bits), "aarch64-sve");
  expect_runs(On("max,sve=off,sme=off"), "aarch64-neon");
}

TEST_F(NativeKernelsOnArm, NotAllowedIsNotEntered) {
  WriteWith("poison.tern", "aarch64-sve", Poison("aarch64-sve", "tern_kernel_bias_relu"));
  const std::string expected = Run("plain.tern", "--kernels operators");
  EXPECT_EQ(Run(OnSve(256), "poison.tern", ""), expected);
  EXPECT_NE(Run(OnSve(256), "poison.tern", "--allow-native-code"), expected);
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
}  // namespace tern::cli::native_kernels_test
