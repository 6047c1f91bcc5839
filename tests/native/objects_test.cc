// SPDX-License-Identifier: Apache-2.0
// Objects of loop kernels: linked for every target that has a loader, run on this one without
// LLVM's linker, and refused with a reason where anything in them is not as it should be.
#include <errno.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>

#include "core/base/bytes.h"
#include "core/base/strings.h"
#include "core/vm/file/reader.h"
#include "native/code/choose_code.h"
#include "native/code/link_object.h"
#include "native/code/mapped_code.h"
#include "native/code/object_target.h"
#include "native/code/relocation.h"
#include "native/jit/llvm_compiler.h"
#include "tests/support/read_file.h"

namespace tern::native::objects_test {
namespace {

// Has constants of its own and calls a function beside it, so that its objects have relocations.
constexpr const char* kIr = R"(
define internal float @scale(float %x) noinline {
  %y = fmul float %x, 0x3FF3AE1480000000
  %z = fadd float %y, 0x40091EB860000000
  ret float %z
}
define i32 @tern_kernel_scale(ptr %buffers, ptr %sizes) nounwind {
entry:
  %a = load ptr, ptr %buffers
  %n = load i64, ptr %sizes
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = getelementptr inbounds float, ptr %a, i64 %i
  %x = load float, ptr %at
  %y = call float @scale(float %x)
  store float %y, ptr %at
  %next = add nsw i64 %i, 1
  br label %head
done:
  ret i32 0
}
)";
constexpr const char* kFill = R"(
define i32 @tern_kernel_fill(ptr %buffers, ptr %sizes) nounwind {
entry:
  %a = load ptr, ptr %buffers
  %n = load i64, ptr %sizes
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = getelementptr inbounds i32, ptr %a, i64 %i
  store i32 0, ptr %at
  %next = add nsw i64 %i, 1
  br label %head
done:
  ret i32 0
}
)";
constexpr std::string_view kText = "te kernel …";

Result<std::string> Compile(std::string_view target, const char* ir = kIr) {
  TERN_TRY_ASSIGN(const CodeTarget code, FindCodeTarget(target));
  return CompileClosedObject(ir, code, KernelStamp(kText));
}

const ObjectTarget& HostTarget() {
  const ObjectTarget* target = BestTarget(DetectProcessor());
  TERN_CHECK(target != nullptr);
  return *target;
}

void ExpectRefused(const Status& status, std::string_view words) {
  ASSERT_FALSE(status.ok()) << "expected: " << words;
  EXPECT_NE(status.message().find(words), std::string_view::npos) << status.ToString();
}

void ExpectOtherProcessor(const Status& status, std::string_view words) {
  ExpectRefused(status, words);
  EXPECT_EQ(status.error_code(), "E0807");
}

class Objects : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  }
};

TEST_F(Objects, RunWithoutLlvmsLinker) {
  const auto object = Compile(HostTarget().name);
  ASSERT_TRUE(object.ok()) << object.status().ToString();
  const auto code = MappedCode::Load({*object, "scale", kText});
  ASSERT_TRUE(code.ok()) << code.status().ToString();
  std::vector<float> values = {0, 1, -2, 100};
  const std::vector<float> before = values;
  void* const buffers[] = {values.data()};
  const int64_t sizes[] = {3};
  EXPECT_EQ((*code)->entry()(buffers, sizes), 0);
  for (size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(values[i], before[i] * 1.23f + 3.14f);
  EXPECT_EQ(values[3], 100);
}

// Pages are never both written and run.
TEST_F(Objects, CodeLiesInMemoryThatIsNotWritten) {
  const auto object = Compile(HostTarget().name);
  ASSERT_TRUE(object.ok());
  const auto code = MappedCode::Load({*object, "scale", kText});
  ASSERT_TRUE(code.ok()) << code.status().ToString();
  const auto entry = reinterpret_cast<uintptr_t>((*code)->entry());
  const std::string maps = ReadFile("/proc/self/maps");
  std::string of_code, of_constants;
  for (const std::string_view line : StrSplit(maps, '\n')) {
    unsigned long begin = 0, end = 0;
    char access[5] = {};
    if (sscanf(std::string(line).c_str(), "%lx-%lx %4s", &begin, &end, access) != 3) continue;
    EXPECT_FALSE(access[1] == 'w' && access[2] == 'x') << line;
    if (begin <= entry && entry < end) of_code = access;
    const uintptr_t constants = entry / 4096 * 4096 + ObjectImage::kSegmentBytes;
    if (begin <= constants && constants < end) of_constants = access;
  }
  EXPECT_EQ(of_code, "r-xp");
  EXPECT_EQ(of_constants, "r--p");
}

// From now on this process gets no executable memory, as on systems that are hardened.
bool RefuseExecutableMemory() {
  constexpr auto kProtection = static_cast<uint32_t>(offsetof(seccomp_data, args[2]));
  constexpr auto kCall = static_cast<uint32_t>(offsetof(seccomp_data, nr));
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kCall),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mprotect, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kProtection),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {static_cast<unsigned short>(std::size(program)), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST_F(Objects, ASystemThatGivesNoExecutableMemoryIsTold) {
  const auto object = Compile(HostTarget().name);
  ASSERT_TRUE(object.ok());
  constexpr int kUnsupported = 77;
  const auto in_child = [&] {
    if (!RefuseExecutableMemory()) _exit(kUnsupported);  // an emulator has no filters
    const auto code = MappedCode::Load({*object, "scale", kText});
    std::fprintf(stderr, "%s: %s\n", StrCat(code.status().error_code()).c_str(),
                 StrCat(code.status().message()).c_str());
    _exit(code.ok() ? 1 : 0);
  };
  const auto ended = [](int status) {
    return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kUnsupported);
  };
  EXPECT_EXIT(in_child(), ended, "^$|^E0806: the system refuses executable memory for native code");
}

TEST_F(Objects, LinkForEveryTargetTheSameEachTime) {
  for (const ObjectTarget& target : AllObjectTargets()) {
    SCOPED_TRACE(target.name);
    const auto object = Compile(target.name);
    ASSERT_TRUE(object.ok()) << object.status().ToString();
    EXPECT_EQ(*object, *Compile(target.name));
    if (target.machine == ElfMachine::kRiscV) continue;
    const auto image = LinkObject(*object, target.machine);
    ASSERT_TRUE(image.ok()) << image.status().ToString();
    ASSERT_EQ(image->functions.size(), 1u);
    EXPECT_EQ(image->functions[0].name, "tern_kernel_scale");
    EXPECT_NE(image->comment.find(KernelStamp(kText)), std::string::npos);
  }
}

TEST_F(Objects, LoopsThatFillMemoryCallNothing) {
  for (const ObjectTarget& target : AllObjectTargets()) {
    if (target.machine == ElfMachine::kRiscV) continue;
    const auto object = Compile(target.name, kFill);
    ASSERT_TRUE(object.ok()) << object.status().ToString();
    const auto image = LinkObject(*object, target.machine);
    EXPECT_TRUE(image.ok()) << target.name << ": " << image.status().ToString();
  }
}

TEST_F(Objects, WhatTheyLackIsNamed) {
  constexpr const char* kCall = R"(
declare void @elsewhere()
define i32 @tern_kernel_scale(ptr %buffers, ptr %sizes) nounwind {
  call void @elsewhere()
  ret i32 0
}
)";
  for (const char* target : {"x86-64", "aarch64-sve"}) {
    const auto object = Compile(target, kCall);
    ASSERT_TRUE(object.ok());
    ExpectRefused(LinkObject(*object, FindObjectTarget(target)->machine).status(),
                  "it needs 'elsewhere'");
  }
}

TEST_F(Objects, DataThatIsWrittenIsRefused) {
  constexpr const char* kCounter = R"(
@calls = internal global i32 1
define i32 @tern_kernel_scale(ptr %buffers, ptr %sizes) nounwind {
  %n = load i32, ptr @calls
  %next = add i32 %n, 1
  store i32 %next, ptr @calls
  ret i32 %n
}
)";
  const auto object = Compile("x86-64", kCounter);
  ASSERT_TRUE(object.ok());
  ExpectRefused(LinkObject(*object, ElfMachine::kX86_64).status(), "'.data'");
}

TEST_F(Objects, OtherMachinesNamesAndTextsAreRefused) {
  const auto object = Compile(HostTarget().name);
  ASSERT_TRUE(object.ok());
  ExpectRefused(MappedCode::Load({*object, "missing", kText}).status(),
                "no function 'tern_kernel_missing'");
  ExpectRefused(MappedCode::Load({*object, "scale", "another text"}).status(),
                "not made of the loop program");
  const auto other =
      Compile(HostTarget().machine == ElfMachine::kX86_64 ? "aarch64-neon" : "x86-64");
  ASSERT_TRUE(other.ok());
  ExpectRefused(MappedCode::Load({*other, "scale", kText}).status(), "for another processor");
}

TEST_F(Objects, EveryTruncationIsRefused) {
  for (const char* target : {"x86-64", "aarch64-neon"}) {
    const auto object = Compile(target);
    ASSERT_TRUE(object.ok());
    const ElfMachine machine = FindObjectTarget(target)->machine;
    for (size_t size = 0; size < object->size(); ++size) {
      const auto image = LinkObject(std::string_view(*object).substr(0, size), machine);
      ASSERT_FALSE(image.ok()) << target << " of " << size << " bytes";
    }
  }
}

// One to three bytes of an object changed: whatever comes out, it is an image whose functions lie
// in its code, or an error. Nothing of it is run.
TEST_F(Objects, MutationsLinkOrAreRefused) {
  std::mt19937 random(19);
  int refused = 0;
  for (const char* target : {"x86-64-avx2", "aarch64-sve"}) {
    const auto object = Compile(target);
    ASSERT_TRUE(object.ok());
    const ElfMachine machine = FindObjectTarget(target)->machine;
    for (int round = 0; round < 20000; ++round) {
      std::string changed = *object;
      const int changes = 1 + static_cast<int>(random() % 3);
      for (int i = 0; i < changes; ++i) {
        const auto value = static_cast<uint32_t>(random());
        const size_t bytes = (value & 1) != 0 ? 1 : 4;
        memcpy(changed.data() + random() % (changed.size() - bytes), &value, bytes);
      }
      const auto image = LinkObject(changed, machine);
      refused += image.ok() ? 0 : 1;
      if (!image.ok()) EXPECT_EQ(image.status().error_code(), "E0805");
      if (!image.ok()) continue;
      EXPECT_LE(image->code_bytes, image->bytes.size());
      for (const ImageFunction& function : image->functions)
        EXPECT_LT(function.offset, image->code_bytes);
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST_F(Objects, TheBestThatLoadsIsChosen) {
  const Processor here = DetectProcessor();
  KernelObjects kernel{"scale", kText, {{"loop", kText}}};
  EXPECT_EQ(ChooseCode(kernel, true, {}, here).why, "");
  std::vector<std::string> objects;
  std::vector<std::string> formats;
  for (const ObjectTarget& target : AllObjectTargets()) {
    objects.push_back(*Compile(target.name));
    formats.push_back(ObjectFormat(target));
  }
  for (size_t i = 0; i < objects.size(); ++i) kernel.objects.push_back({formats[i], objects[i]});
  const ChosenCode best = ChooseCode(kernel, true, {}, here);
  ASSERT_NE(best.entry, nullptr) << best.why;
  EXPECT_EQ(best.why, StrCat("native code for ", HostTarget().name));

  const ChosenCode closed = ChooseCode(kernel, false, {}, here);
  EXPECT_EQ(closed.entry, nullptr);
  EXPECT_TRUE(closed.why.ends_with("riscv64-v is present, not allowed")) << closed.why;

  const ChosenCode none = ChooseCode(kernel, true, {}, {here.machine, {}});
  EXPECT_EQ(none.entry, nullptr);
  EXPECT_NE(none.why.find("it needs "), std::string::npos) << none.why;

  const ChosenCode foreign = ChooseCode(kernel, true, {}, {ElfMachine{8}, {}});
  EXPECT_EQ(foreign.entry, nullptr);
  EXPECT_TRUE(foreign.why.ends_with("not for this processor")) << foreign.why;

  for (KernelObjects::Object& object : kernel.objects)
    object.bytes = object.bytes.substr(0, object.bytes.size() / 2);
  const ChosenCode damaged = ChooseCode(kernel, true, {}, here);
  EXPECT_EQ(damaged.entry, nullptr);
  EXPECT_NE(damaged.why.find("no object that can be loaded"), std::string::npos) << damaged.why;
}

// ---- without LLVM

// The objects of a file that an earlier version wrote: all link, and those for this processor copy
// n floats and no more.
TEST(ObjectsOfFiles, E17RunWhereThereIsNoLlvm) {
  const std::string bytes = ReadFile(TERN_SOURCE_DIR "/tests/compat/1.0-kernels.tern");
  const auto executable = vm::ReadExecutable(AsBytes(bytes), nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const Processor here = DetectProcessor();
  int objects = 0;
  for (const vm::KernelInfo& kernel : (*executable)->kernels()) {
    const ObjectTarget* target = TargetOfFormat(kernel.format);
    if (target == nullptr) continue;
    SCOPED_TRACE(target->name);
    ++objects;
    EXPECT_TRUE(LinkObject(kernel.bytes, target->machine).ok());
    if (!CheckProcessor(*target, here).ok()) continue;
    const auto code =
        MappedCode::Load({kernel.bytes, kernel.name, (*executable)->kernels()[0].bytes});
    ASSERT_TRUE(code.ok()) << code.status().ToString();
    for (int64_t n = 0; n < 300; ++n) {
      std::vector<float> from(300, 2), to(300, -1);
      void* const buffers[] = {from.data(), to.data()};
      EXPECT_EQ((*code)->entry()(buffers, &n), 0);
      EXPECT_EQ(std::count(to.begin(), to.begin() + n, 2.0f), n);
      EXPECT_EQ(std::count(to.begin() + n, to.end(), -1.0f), 300 - n);
    }
  }
  EXPECT_EQ(objects, 2);
}

std::vector<uint8_t> Words(std::initializer_list<uint32_t> words) {
  ByteWriter out;
  for (const uint32_t word : words) out.U32(word);
  return out.Take();
}

uint32_t WordAt(const std::vector<uint8_t>& bytes, size_t at) {
  ByteReader in(bytes);
  in.Seek(at);
  return in.U32();
}

TEST(Relocations, OfAArch64) {
  constexpr uint32_t kAdrp = 0x90000001, kLdr = 0x3dc00020, kBl = 0x94000000;
  std::vector<uint8_t> image = Words({kAdrp, kLdr, kBl});
  image.resize(0x3000);
  const auto apply = [&](uint32_t type, uint64_t place, int64_t target) {
    return ApplyRelocation({ElfMachine::kAArch64, type, place, target}, image);
  };
  EXPECT_TRUE(apply(275, 0, 0x2050).ok());  // two pages on: both low bits, none above
  EXPECT_EQ(WordAt(image, 0), 0xd0000001u);
  EXPECT_TRUE(apply(299, 4, 0x2050).ok());  // 0x50 / 16
  EXPECT_EQ(WordAt(image, 4), kLdr | 5u << 10);
  EXPECT_TRUE(apply(283, 8, 0).ok());  // two instructions back
  EXPECT_EQ(WordAt(image, 8), 0x97fffffeu);
  ExpectRefused(apply(299, 4, 0x2058), "LDST128_ABS_LO12_NC at 4 cannot reach 8280");
  ExpectRefused(apply(283, 8, 2), "cannot reach");
  ExpectRefused(apply(283, 6, 0), "is not at an instruction");
  ExpectRefused(apply(257, 0, 0), "relocation 257 of AArch64 is none");
  ExpectRefused(apply(283, 0x2ffe, 0), "lies outside of 12288 bytes");
  ExpectRefused(apply(283, 0, 0x3001), "points to 12289");
}

TEST(Relocations, OfX86) {
  std::vector<uint8_t> image(64);
  EXPECT_TRUE(ApplyRelocation({ElfMachine::kX86_64, 2, 10, -4}, image).ok());
  EXPECT_EQ(WordAt(image, 10), static_cast<uint32_t>(-14));
  ExpectRefused(ApplyRelocation({ElfMachine::kX86_64, 1, 10, 0}, image), "relocation 1 of x86-64");
  ExpectRefused(ApplyRelocation({ElfMachine::kRiscV, 23, 0, 0}, image), "of RISC-V");
  ExpectRefused(ApplyRelocation({ElfMachine::kX86_64, 2, ~uint64_t{0}, 0}, image), "outside");
}

TEST(ObjectTargets, AreTheCompilersTargets) {
  // Executables do not run on processors of 32 bits, which loops alone are compiled for.
  constexpr std::string_view kLoopsOnly = "armv8.1m-mve";
  for (const CodeTarget& target : KnownCodeTargets())
    EXPECT_EQ(FindObjectTarget(target.name) == nullptr, target.name == kLoopsOnly) << target.name;
  EXPECT_EQ(AllObjectTargets().size(), KnownCodeTargets().size() - 1);
  for (const ObjectTarget& target : AllObjectTargets())
    EXPECT_EQ(TargetOfFormat(ObjectFormat(target)), &target);
  for (const char* format : {"loop", "elf-", "elf-x86", "aarch64-sve", ""})
    EXPECT_EQ(TargetOfFormat(format), nullptr) << format;
}

TEST(ObjectTargets, NeedWhatTheProcessorHas) {
  const ObjectTarget& sve = *FindObjectTarget("aarch64-sve");
  const ObjectTarget& neon = *FindObjectTarget("aarch64-neon");
  Processor processor{ElfMachine::kAArch64, {neon.needs.begin(), neon.needs.end()}};
  EXPECT_EQ(BestTarget(processor), &neon);
  ExpectOtherProcessor(CheckProcessor(sve, processor), "it needs sve, which this processor");
  processor.features.push_back("sve");
  EXPECT_EQ(BestTarget(processor), &sve);
  ExpectOtherProcessor(CheckProcessor(*FindObjectTarget("x86-64"), processor),
                       "it is for x86-64, this processor is AArch64");
  EXPECT_EQ(BestTarget({ElfMachine::kX86_64, {}}), nullptr);
  EXPECT_EQ(BestTarget({ElfMachine::kRiscV, {}}), nullptr);
}

TEST(ObjectFiles, AreNoObjects) {
  ExpectRefused(LinkObject("", ElfMachine::kX86_64).status(), "0 bytes");
  ExpectRefused(LinkObject(std::string(100, 'x'), ElfMachine::kX86_64).status(), "64-bit ELF");
  std::string header(64, '\0');
  header.replace(0, 7,
                 std::string_view("\x7f"
                                  "ELF\2\1\1",
                                  7));
  ExpectRefused(LinkObject(header, ElfMachine::kX86_64).status(), "ELF type 0");
  header[16] = 1;
  ExpectRefused(LinkObject(header, ElfMachine::kX86_64).status(), "section headers of 0 bytes");
  header[58] = 64;
  ExpectRefused(LinkObject(header, ElfMachine::kX86_64).status(), "0 sections");
  header[60] = 1;
  header[40] = 1;
  ExpectRefused(LinkObject(header, ElfMachine::kX86_64).status(), "does not fit into 64 bytes");
}

}  // namespace
}  // namespace tern::native::objects_test
