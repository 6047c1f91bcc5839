// SPDX-License-Identifier: Apache-2.0
// LLVM IR text: what it says, that LLVM's verifier takes it, and what SVE code it becomes.
#include "core/loop/emit/llvm_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/strings.h"
#include "native/jit/llvm_compiler.h"
#include "tests/loops/samples.h"

namespace tern::loop::llvm_text_test {
namespace {

using native::CodeForm;
using native::CompileLlvmIr;
using native::FindCodeTarget;

constexpr Lanes kSve4 = {4, true};

std::string Text(const Program& program, LlvmFlavor flavor) {
  Result<std::string> text = LlvmText(program, flavor);
  EXPECT_TRUE(text.ok()) << text.status().ToString();
  return text.ok() ? *text : std::string();
}

// Each of the lines in order, with anything in between: what FileCheck does.
void ExpectLines(const std::string& text, const std::vector<std::string>& lines) {
  size_t at = 0;
  for (const std::string& line : lines) {
    const size_t found = text.find(line, at);
    ASSERT_NE(found, std::string::npos) << "'" << line << "' does not follow in\n" << text;
    at = found + line.size();
  }
}

bool HaveLlvm() { return native::LlvmDescription().ok(); }

std::string Assembly(const std::string& ir, const char* target) {
  const auto code = CompileLlvmIr(ir, *FindCodeTarget(target), {CodeForm::kAssembly});
  EXPECT_TRUE(code.ok()) << code.status().ToString() << "\n" << ir;
  return code.ok() ? *code : std::string();
}

TEST(LlvmText, E09E10E11E12TheFoundingDocumentsLoop) {
  const std::string text = Text(PredicatedAdd(kF32, kSve4), LlvmFlavor::kSve);
  ExpectLines(text,
              {
                  "define internal void @vector_add.body(ptr noalias nocapture readonly %A, "
                  "ptr noalias nocapture readonly %B, ptr noalias nocapture %C, i64 %n) #0 {",
                  "%i = phi i64",
                  "icmp slt i64 %i, %i.end",
                  "call <vscale x 4 x i1> @llvm.aarch64.sve.whilelt.nxv4i1.i64(i64 %i, i64 %n)",
                  "call <vscale x 4 x float> @llvm.masked.load.nxv4f32.p0(ptr",
                  "call <vscale x 4 x float> @llvm.masked.load.nxv4f32.p0(ptr",
                  "fadd <vscale x 4 x float>",
                  "call void @llvm.masked.store.nxv4f32.p0(<vscale x 4 x float>",
                  "%i.after = add nsw i64 %i,",
                  "define i32 @vector_add(ptr nocapture readonly %buffers, ptr nocapture readonly "
                  "%sizes) #0 {",
              });
  // E10: the mask reaches memory and nothing else.
  EXPECT_EQ(text.find("select"), std::string::npos);
}

// The mask by which LLVM finds that the loop's own end masks the tail.
TEST(LlvmText, LoopsOfHeliumCountIn32Bits) {
  const std::string text = Text(PredicatedAdd(kF32, {4}), LlvmFlavor::kMve);
  ExpectLines(text, {"call void @llvm.trap()", "trunc i64 %i.end to i32", "and i32 ", ", -4",
                     "phi i32", "call <4 x i1> @llvm.get.active.lane.mask.v4i1.i32(i32 ",
                     "add nsw i32 %i.count", "icmp ne i32 "});
}

// LLVM 19 takes NaN for what is below zero there.
TEST(LlvmText, FloatsOfHeliumAreComparedOnTheirBits) {
  for (const DType type : {kF16, kF32, kF64, kBf16}) {
    SCOPED_TRACE(type.ToString());
    for (const Lanes lanes : {Lanes{1}, Lanes{4}}) {
      const std::string text = Text(AllOperators(type, lanes), LlvmFlavor::kMve);
      for (const char* compares : {"fcmp", "@llvm.maximum", "@llvm.minimum"})
        EXPECT_EQ(text.find(compares), std::string::npos) << compares;
    }
  }
}

TEST(LlvmText, E11SveInstructions) {
  if (!HaveLlvm()) GTEST_SKIP() << "there is no LLVM here";
  const std::string code =
      Assembly(Text(PredicatedAdd(kF32, kSve4), LlvmFlavor::kSve), "aarch64-sve");
  ExpectLines(code, {"whilelt\tp0.s", "ld1w\t{ z", "ld1w\t{ z", "fadd\tz", "st1w\t{ z", "b.lt"});
}

// The document's loop once more as a while loop: the counter becomes a register all the same.
TEST(LlvmText, E13WhileLoopsOnAArch64) {
  if (!HaveLlvm()) GTEST_SKIP() << "there is no LLVM here";
  Program program = PredicatedAdd(kF32, kSve4);
  LoopFunction& function = program.functions[0];
  const auto& loop = *function.body->As<For>();
  const Expr i(loop.var.get());
  const Stmt next = MakeAssign(loop.var, Add(i, loop.range.step));
  const Expr more = MakeBinary(BinaryOp::kLt, i, loop.range.extent);
  function.body = MakeBlock({MakeLet(loop.var, MakeInt(0), true),
                             MakeWhile(LoopRole::kVectorMain, more, MakeBlock({loop.body, next}))});
  const std::string code = Assembly(Text(program, LlvmFlavor::kSve), "aarch64-sve");
  ExpectLines(code, {"whilelt\tp0.s", "ld1w\t{ z", "fadd\tz", "st1w\t{ z", "b.lt"});
}

// Only then may a compiler leave out what it does to loops that nobody scheduled.
TEST(LlvmText, SaysWhetherItsLoopsAreScheduled) {
  const std::string mark = StrCat("\n!", kScheduledMark, " = !{}\n");
  Program program = PredicatedAdd(kF32, kSve4);
  const Stmt body = program.functions[0].body;
  const auto& loop = *body->As<For>();
  const Stmt plain = MakeFor({}, loop.var, loop.range, loop.body);
  const Stmt vectors = MakeFor({.role = LoopRole::kVectorMain}, loop.var, loop.range, loop.body);
  program.functions[0].body = plain;
  EXPECT_EQ(Text(program, LlvmFlavor::kSve).find(mark), std::string::npos);
  program.functions[0].body = vectors;
  EXPECT_NE(Text(program, LlvmFlavor::kSve).find(mark), std::string::npos);
  // What is around the loop of vectors is nothing to vectorize.
  const VarPtr row = MakeVar("row", kIndexType);
  program.functions[0].body = MakeFor({}, row, {MakeInt(0), MakeInt(3), MakeInt(1)}, vectors);
  EXPECT_NE(Text(program, LlvmFlavor::kSve).find(mark), std::string::npos);
  program.functions[0].body = MakeBlock({vectors, plain});
  EXPECT_EQ(Text(program, LlvmFlavor::kSve).find(mark), std::string::npos);
}

TEST(LlvmText, E14VscaleRangeOnlyWhereVectorsScale) {
  EXPECT_NE(Text(PredicatedAdd(kF32, kSve4), LlvmFlavor::kSve).find("vscale_range(1,16)"),
            std::string::npos);
  EXPECT_EQ(Text(PredicatedAdd(kF32, Lanes{4}), LlvmFlavor::kFixed).find("vscale_range"),
            std::string::npos);
  EXPECT_EQ(Text(ScalarAdd(kF32), LlvmFlavor::kNeon).find("vscale_range"), std::string::npos);
}

TEST(LlvmText, E21PredicationOnX86) {
  if (!HaveLlvm()) GTEST_SKIP() << "there is no LLVM here";
  const std::string text = Text(PredicatedAdd(kF32, Lanes{16}), LlvmFlavor::kFixed);
  ExpectLines(text, {"@llvm.get.active.lane.mask.v16i1.i32(i32 0,", "@llvm.masked.load.v16f32.p0"});
  EXPECT_NE(Assembly(text, "x86-64-avx512").find("%k1"), std::string::npos);
}

TEST(LlvmText, E25RiscVTakesTheSameLoops) {
  if (!HaveLlvm()) GTEST_SKIP() << "there is no LLVM here";
  for (const Program& program :
       {PredicatedAdd(kF32, kSve4), Indexed(kF32, kSve4), AllOperators(kI32, kSve4)}) {
    const std::string code = Assembly(Text(program, LlvmFlavor::kScalable), "riscv64-v");
    EXPECT_NE(code.find("vsetvli"), std::string::npos);
  }
}

TEST(LlvmText, E19GatherAndScatterInstructions) {
  if (!HaveLlvm()) GTEST_SKIP() << "there is no LLVM here";
  const std::string code = Assembly(Text(Indexed(kF32, kSve4), LlvmFlavor::kSve), "aarch64-sve");
  ExpectLines(code, {"gather:", "ld1w\t{ z0.s }, p0/z, [x", "sxtw #2]"});
  ExpectLines(code, {"scatter:", "st1w\t{ z", "sxtw #2]"});
}

// Every operator, intrinsic and conversion of these types.
Program EverythingOf(std::span<const DType> types, Lanes lanes) {
  Program all;
  for (const DType type : types) {
    const std::string suffix = "_" + type.ToString();
    Append(&all, AllOperators(type, lanes), suffix);
    for (const DType to : types) Append(&all, Casts(type, to, lanes), suffix + "_" + to.ToString());
  }
  return all;
}

// E23: every type on every target through LLVM's verifier. What takes long, generating code, is for
// types of each kind and width; tests/loops generates and runs all of it, for SVE and here.
TEST(LlvmText, E23EveryTypeOnEveryTarget) {
  if (!HaveLlvm()) GTEST_SKIP() << "there is no LLVM here";
  constexpr DType kAll[] = {kBool, kI8,  kU8,  kI16,  kU16, kI32, kU32,
                            kI64,  kU64, kF16, kBf16, kF32, kF64};
  constexpr DType kSome[] = {kBool, kU8, kI64, kF16, kF32};
  struct Backend {
    LlvmFlavor flavor;
    Lanes lanes;
    const char* target;
  };
  const Backend backends[] = {{LlvmFlavor::kSve, {8, true}, "aarch64-sve2"},
                              {LlvmFlavor::kScalable, kSve4, "riscv64-v"},
                              {LlvmFlavor::kFixed, {8}, "x86-64-avx2"},
                              {LlvmFlavor::kFixed, {16}, "x86-64-avx512"},
                              {LlvmFlavor::kNeon, {}, "aarch64-neon"}};
  for (const Backend& backend : backends) {
    SCOPED_TRACE(backend.target);
    const Status verified =
        native::VerifyLlvmIr(Text(EverythingOf(kAll, backend.lanes), backend.flavor));
    ASSERT_TRUE(verified.ok()) << verified.ToString();
    EXPECT_FALSE(
        Assembly(Text(EverythingOf(kSome, backend.lanes), backend.flavor), backend.target).empty());
  }
}

TEST(LlvmText, E24ReductionsOnEveryTarget) {
  if (!HaveLlvm()) GTEST_SKIP() << "there is no LLVM here";
  for (const DType type : {kF32, kF64, kF16, kBf16, kI32, kU8, kI64}) {
    for (const BinaryOp op : {BinaryOp::kAdd, BinaryOp::kMul, BinaryOp::kMin, BinaryOp::kMax}) {
      SCOPED_TRACE(type.ToString() + " " + std::string(InfoOf(op).name));
      Assembly(Text(Reduce(op, type, kSve4), LlvmFlavor::kSve), "aarch64-sve");
      Assembly(Text(Reduce(op, type, kSve4), LlvmFlavor::kScalable), "riscv64-v");
      Assembly(Text(Reduce(op, type, Lanes{8}), LlvmFlavor::kFixed), "x86-64-avx2");
    }
  }
  const std::string sum =
      Assembly(Text(Reduce(BinaryOp::kAdd, kF32, kSve4), LlvmFlavor::kSve), "aarch64-sve");
  EXPECT_NE(sum.find("fadda"), std::string::npos) << sum;  // the documented order, in hardware
}

// Relaxed mathematics is not for 16 bits.
TEST(LlvmText, HalvesAreRoundedAfterEachStep) {
  for (const DType type : {kF32, kF16}) {
    Program program = AllOperators(type, kSve4);
    for (LoopFunction& function : program.functions) function.relaxed = true;
    const std::string text = Text(program, LlvmFlavor::kSve);
    EXPECT_EQ(text.find("@llvm.fmuladd") != std::string::npos, type == kF32);
    EXPECT_EQ(text.find("fmul contract") != std::string::npos, type == kF32);
    if (!HaveLlvm()) continue;
    const std::string code = Assembly(text, "aarch64-sve");
    EXPECT_EQ(
        code.find("\tfmla\t") != std::string::npos || code.find("\tfmad\t") != std::string::npos,
        type == kF32);
  }
}

bool HasLimit(const std::string& text) {
  return text.find("@llvm.minimum") != std::string::npos ||
         text.find("@llvm.maximum") != std::string::npos;
}

// What LLVM makes of a vector's minimum for x86 can lose NaNs of halves. AArch64 has instructions.
TEST(LlvmText, LimitsOfHalvesAreThoseOfIntegersOnX86) {
  EXPECT_FALSE(HasLimit(Text(AllOperators(kF16, Lanes{8}), LlvmFlavor::kFixed)));
  EXPECT_TRUE(HasLimit(Text(AllOperators(kF32, Lanes{8}), LlvmFlavor::kFixed)));
  EXPECT_TRUE(HasLimit(Text(AllOperators(kF16, Lanes{8}), LlvmFlavor::kNeon)));
  EXPECT_TRUE(HasLimit(Text(AllOperators(kF16, kSve4), LlvmFlavor::kSve)));
  ExpectLines(Text(Reduce(BinaryOp::kMin, kF16, Lanes{8}), LlvmFlavor::kFixed),
              {"bitcast <8 x half>", "call i16 @llvm.vector.reduce.smin.v8i16", "to half"});
  ExpectLines(Text(Reduce(BinaryOp::kMax, kF16, kSve4), LlvmFlavor::kSve),
              {"call half @llvm.vector.reduce.fmaximum.nxv4f16"});
}

TEST(LlvmText, RefusesVectorsTheTargetLacks) {
  const auto text = LlvmText(PredicatedAdd(kF32, kSve4), LlvmFlavor::kFixed);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.status().error_code(), "E0802");
  EXPECT_NE(text.status().message().find("vector_add"), std::string_view::npos);
  EXPECT_FALSE(LlvmText(PredicatedAdd(kF32, {3, true}), LlvmFlavor::kSve).ok());
  EXPECT_FALSE(LlvmText(PredicatedAdd(kF32, {1, true}), LlvmFlavor::kSve).ok());
}

TEST(LlvmText, RefusesWhatIsNotLowered) {
  Program program = ScalarAdd(kF32);
  const auto& loop = *program.functions[0].body->As<For>();
  const Stmt inner = loop.body;
  const For::Range range = loop.range;
  const VarPtr var = loop.var;
  program.functions[0].body =
      MakeFor({.kind = ForKind::kVectorized, .lanes = 4}, var, range, inner);
  auto text = LlvmText(program, LlvmFlavor::kFixed);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.status().message().find("vectorized loop over 'i'"), std::string_view::npos)
      << text.status().ToString();
  const auto& store = *inner->As<Store>();
  program.functions[0].body =
      MakeStore(store.buffer, store.indices, MakeCall(Intrinsic::kExp, {store.value}));
  text = LlvmText(program, LlvmFlavor::kFixed);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.status().message().find("exp"), std::string_view::npos);
}

}  // namespace
}  // namespace tern::loop::llvm_text_test
