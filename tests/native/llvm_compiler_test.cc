// SPDX-License-Identifier: Apache-2.0
// LLVM IR to code: for this process, and as objects for every target. Where there is no LLVM all
// functions must say so, and nothing else is tested.
#include "native/jit/llvm_compiler.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace tern::native::llvm_compiler_test {
namespace {

constexpr const char* kAdd = R"(
define i32 @add(ptr %buffers, ptr %sizes) {
entry:
  %a = load ptr, ptr %buffers
  %b.at = getelementptr inbounds ptr, ptr %buffers, i64 1
  %b = load ptr, ptr %b.at
  %n = load i64, ptr %sizes
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %from = getelementptr inbounds float, ptr %a, i64 %i
  %to = getelementptr inbounds float, ptr %b, i64 %i
  %x = load float, ptr %from
  %y = fadd float %x, 1.0
  store float %y, ptr %to
  %next = add nsw i64 %i, 1
  br label %head
done:
  ret i32 0
}
)";

constexpr const char* kScalable = R"(
declare <vscale x 4 x i1> @llvm.get.active.lane.mask.nxv4i1.i64(i64, i64)
declare <vscale x 4 x float> @llvm.masked.load.nxv4f32.p0(
    ptr, i32, <vscale x 4 x i1>, <vscale x 4 x float>)
declare void @llvm.masked.store.nxv4f32.p0(<vscale x 4 x float>, ptr, i32, <vscale x 4 x i1>)
define void @twice(ptr %x, i64 %n) {
  %mask = call <vscale x 4 x i1> @llvm.get.active.lane.mask.nxv4i1.i64(i64 0, i64 %n)
  %v = call <vscale x 4 x float> @llvm.masked.load.nxv4f32.p0(
    ptr %x, i32 4, <vscale x 4 x i1> %mask, <vscale x 4 x float> zeroinitializer)
  %w = fadd <vscale x 4 x float> %v, %v
  call void @llvm.masked.store.nxv4f32.p0(
    <vscale x 4 x float> %w, ptr %x, i32 4, <vscale x 4 x i1> %mask)
  ret void
}
)";

class LlvmCompiler : public ::testing::Test {
 protected:
  void SetUp() override {
    const Result<std::string> there = LlvmDescription();
    if (there.ok()) return;
    EXPECT_EQ(there.status().error_code(), "E0801");
    EXPECT_FALSE(there.status().notes().empty());
    GTEST_SKIP() << there.status().ToString();
  }
};

TEST_F(LlvmCompiler, RunsInThisProcess) {
  auto code = NativeCode::FromIr(kAdd);
  ASSERT_TRUE(code.ok()) << code.status().ToString();
  auto address = (*code)->Find("add");
  ASSERT_TRUE(address.ok()) << address.status().ToString();
  const auto add = reinterpret_cast<int32_t (*)(void* const*, const int64_t*)>(*address);
  std::vector<float> from(37, 2.5f);
  std::vector<float> to(38, -1.0f);
  void* const buffers[] = {from.data(), to.data()};
  const int64_t sizes[] = {37};
  EXPECT_EQ(add(buffers, sizes), 0);
  for (int i = 0; i < 37; ++i) EXPECT_EQ(to[static_cast<size_t>(i)], 3.5f);
  EXPECT_EQ(to[37], -1.0f);
}

TEST_F(LlvmCompiler, SeveralLiveAtOnce) {
  auto first = NativeCode::FromIr(kAdd);
  auto second = NativeCode::FromIr(kAdd);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(*(*first)->Find("add"), *(*second)->Find("add"));
}

int32_t RunAdd(const NativeCode& code, std::vector<float>* to) {
  const std::vector<float> from(to->size(), 2.5f);
  void* const buffers[] = {const_cast<float*>(from.data()), to->data()};
  const int64_t sizes[] = {static_cast<int64_t>(to->size())};
  return CallLoopCode(reinterpret_cast<LoopCode>(*code.Find("add")), buffers, sizes);
}

// With the mark or without it, quickly or thoroughly: the same results.
TEST_F(LlvmCompiler, QuickCodeOfScheduledLoops) {
  const std::string scheduled = std::string(kAdd) + "!tern.scheduled = !{}\n";
  const CodeTarget host = *HostCodeTarget();
  const auto thorough = CompileLlvmIr(scheduled, host, {CodeForm::kObject});
  const auto quick = CompileLlvmIr(scheduled, host, {CodeForm::kObject, Effort::kQuick});
  ASSERT_TRUE(thorough.ok() && quick.ok());
  EXPECT_LT(quick->size(), thorough->size());  // -O3 unrolls this loop
  for (const std::string& object : {*thorough, *quick}) {
    const auto code = NativeCode::FromObject(object);
    ASSERT_TRUE(code.ok()) << code.status().ToString();
    std::vector<float> to(37, -1.0f);
    EXPECT_EQ(RunAdd(**code, &to), 0);
    EXPECT_EQ(to, std::vector<float>(37, 3.5f));
  }
  const auto unmarked = CompileLlvmIr(kAdd, host, {CodeForm::kObject, Effort::kQuick});
  ASSERT_TRUE(unmarked.ok());
  EXPECT_EQ(*unmarked, *CompileLlvmIr(kAdd, host, {CodeForm::kObject}));
}

// Machines are kept between compilations: what one left behind must not show in the next.
TEST_F(LlvmCompiler, TheSameBytesAgainAndFromSeveralThreads) {
  std::vector<std::string> first;
  for (const CodeTarget& target : KnownCodeTargets())
    first.push_back(*CompileLlvmIr(kAdd, target, {CodeForm::kObject}));
  ASSERT_FALSE(CompileLlvmIr("nonsense", KnownCodeTargets()[0], {CodeForm::kObject}).ok());
  std::vector<std::string> again[2];
  std::vector<std::thread> threads;
  for (std::vector<std::string>& objects : again) {
    threads.emplace_back([&objects] {
      for (const CodeTarget& target : KnownCodeTargets())
        objects.push_back(*CompileLlvmIr(kAdd, target, {CodeForm::kObject}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(again[0], first);
  EXPECT_EQ(again[1], first);
}

TEST_F(LlvmCompiler, UnknownFunction) {
  auto code = NativeCode::FromIr(kAdd);
  ASSERT_TRUE(code.ok());
  const auto missing = (*code)->Find("sub");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.status().message().find("sub"), std::string_view::npos);
}

TEST_F(LlvmCompiler, ObjectsForEveryTarget) {
  for (const CodeTarget& target : KnownCodeTargets()) {
    SCOPED_TRACE(target.name);
    const auto object = CompileLlvmIr(kAdd, target, {CodeForm::kObject});
    ASSERT_TRUE(object.ok()) << object.status().ToString();
    EXPECT_EQ(object->substr(0, 4),
              "\x7f"
              "ELF");
    const auto assembly = CompileLlvmIr(kAdd, target, {CodeForm::kAssembly});
    ASSERT_TRUE(assembly.ok());
    EXPECT_NE(assembly->find("add:"), std::string::npos);
  }
}

TEST_F(LlvmCompiler, E11ScalableVectorsBecomeSve) {
  const auto target = FindCodeTarget("aarch64-sve");
  ASSERT_TRUE(target.ok());
  const auto assembly = CompileLlvmIr(kScalable, *target, {CodeForm::kAssembly});
  ASSERT_TRUE(assembly.ok()) << assembly.status().ToString();
  for (const char* instruction : {"whilelo", "ld1w", "fadd", "st1w"})
    EXPECT_NE(assembly->find(instruction), std::string::npos) << instruction << "\n" << *assembly;
}

TEST_F(LlvmCompiler, E25TheSameTextForRiscV) {
  const auto target = FindCodeTarget("riscv64-v");
  ASSERT_TRUE(target.ok());
  const auto assembly = CompileLlvmIr(kScalable, *target, {CodeForm::kAssembly});
  ASSERT_TRUE(assembly.ok()) << assembly.status().ToString();
  EXPECT_NE(assembly->find("vfadd.vv"), std::string::npos) << *assembly;
}

TEST_F(LlvmCompiler, ScalableVectorsAreRefusedWhereThereAreNone) {
  for (const char* name : {"aarch64-neon", "x86-64-avx2"}) {
    const auto object = CompileLlvmIr(kScalable, *FindCodeTarget(name), {CodeForm::kObject});
    ASSERT_FALSE(object.ok());
    EXPECT_EQ(object.status().error_code(), "E0802");
    EXPECT_NE(object.status().message().find(name), std::string_view::npos);
  }
}

TEST_F(LlvmCompiler, BadTextIsRefusedWithItsPlace) {
  const Status parse = VerifyLlvmIr("define i32 @f() {\n  ret i32 %missing\n}\n");
  ASSERT_FALSE(parse.ok());
  EXPECT_EQ(parse.error_code(), "E0803");
  EXPECT_NE(parse.message().find("2:11"), std::string_view::npos) << parse.ToString();
  EXPECT_NE(parse.message().find("%missing"), std::string_view::npos) << parse.ToString();
  // Parses, but a definition does not dominate its use.
  const Status verify = VerifyLlvmIr(
      "define i32 @f() {\n  br label %b\na:\n  %x = add i32 1, 1\n  br label %b\n"
      "b:\n  ret i32 %x\n}");
  ASSERT_FALSE(verify.ok());
  EXPECT_NE(verify.message().find("dominate"), std::string_view::npos) << verify.ToString();
  EXPECT_FALSE(VerifyLlvmIr("").ok() && NativeCode::FromIr("nonsense").ok());
}

TEST_F(LlvmCompiler, DamagedObjects) {
  EXPECT_EQ(NativeCode::FromObject("not an object").status().error_code(), "E0805");
  const auto object = CompileLlvmIr(kAdd, *FindCodeTarget("host"), {CodeForm::kObject});
  ASSERT_TRUE(object.ok());
  EXPECT_TRUE((*NativeCode::FromObject(*object))->Find("add").ok());
  for (const size_t length : {0u, 3u, 20u, 64u, 200u}) {
    const auto code = NativeCode::FromObject(object->substr(0, length));
    EXPECT_FALSE(code.ok() && (*code)->Find("add").ok()) << length;
  }
  std::string foreign = *object;
  foreign[18] = 40;  // 32-bit ARM
  EXPECT_EQ(NativeCode::FromObject(foreign).status().error_code(), "E0805");
}

TEST(CodeTargets, UnknownNamesAreRefusedWithTheList) {
  const auto target = FindCodeTarget("aarch64-sve3");
  ASSERT_FALSE(target.ok());
  EXPECT_EQ(target.status().error_code(), "E0804");
  EXPECT_NE(target.status().message().find("riscv64-v"), std::string_view::npos);
  ASSERT_FALSE(target.status().notes().empty());
  EXPECT_NE(target.status().notes()[0].find("aarch64-sve"), std::string::npos);
}

}  // namespace
}  // namespace tern::native::llvm_compiler_test
