// SPDX-License-Identifier: Apache-2.0
// Files whose constants are read when they are used: which are read when, what a source that fails
// does, and that nothing in the file is believed that is not believed in memory.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "core/object/containers/closure.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/disassembler.h"
#include "tests/support/rounds.h"
#include "tests/support/vm_file.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::on_demand_test {
namespace {

// Four tensors of different lengths: 4, 8, 12 and 16 bytes; @alone reaches the first, @through the
// second by a call and a tuple, @maker the third by a closure that it makes.
constexpr std::string_view kProgram = R"(
.const c[0] = f32[1] [1]
.const c[1] = f32[2] [1, 2]
.const c[2] = tuple (c[1], c[1])
.const c[3] = f32[3] [1, 2, 3]
.const c[4] = f32[4] [1, 2, 3, 4]
.func @alone()
  ret   ret c[0]
.func @through()
  invoke @pair dst: %0
  ret   ret %0
.func @pair()
  load_const c[2] dst: %0
  tail_invoke @loop in: %0
.func @loop(x)
  get_field %0, 0 dst: %1
  ret   ret %1
.func @maker()
  alloc_closure @third dst: %0
  ret   ret %0
.func @third()
  ret   ret c[3]
.func @run(f)
  invoke_closure %0 dst: %1
  ret   ret %1
.func @fourth()
  ret   ret c[4]
)";

// A file in memory that counts how often each place of it was read.
struct CountingSource {
  std::vector<uint8_t> bytes;
  std::vector<uint64_t> lengths;  // of the reads since the last Take
  bool fails = false;
  int released = 0;

  FileSource Get() {
    return {.context = this,
            .bytes = bytes.size(),
            .read =
                [](void* context, uint64_t offset, uint64_t length, void* destination) {
                  auto& self = *static_cast<CountingSource*>(context);
                  EXPECT_LE(offset, self.bytes.size());
                  EXPECT_LE(length, self.bytes.size() - offset);
                  self.lengths.push_back(length);
                  if (self.fails) return false;
                  std::memcpy(destination, self.bytes.data() + offset, static_cast<size_t>(length));
                  return true;
                },
            .release = [](void* context) { ++static_cast<CountingSource*>(context)->released; }};
  }
  std::vector<uint64_t> Take() { return std::exchange(lengths, {}); }
};

using Lengths = std::vector<uint64_t>;

class OnDemand : public testing::Test {
 protected:
  OnDemand() {
    source_.bytes = SaveExecutable(*MustAssemble(kProgram));
    Result<ExecutablePtr> read = ReadOnDemand(source_.Get());
    EXPECT_TRUE(read.ok()) << read.status().ToString();
    executable_ = *read;
    vm_ = VirtualMachine::Create(MustLink(executable_)).value();
    source_.Take();
  }
  static std::vector<float> Values(const Any& value) {
    const auto values = value.TryCast<Tensor>()->values<const float>();
    return {values.begin(), values.end()};
  }

  CountingSource source_;
  ExecutablePtr executable_;
  std::unique_ptr<VirtualMachine> vm_;
};

// B33: a call reads what it can reach, once, and nothing else.
TEST_F(OnDemand, B33_ReadsWhatACallCanReach) {
  EXPECT_EQ(Values(vm_->Call("alone", {}).value()), std::vector<float>{1});
  EXPECT_EQ(source_.Take(), Lengths{4});
  EXPECT_EQ(Values(vm_->Call("through", {}).value()), (std::vector<float>{1, 2}));
  EXPECT_EQ(source_.Take(), Lengths{8});
  const Any closure = vm_->Call("maker", {}).value();
  EXPECT_EQ(source_.Take(), Lengths{12});
  EXPECT_EQ(Values(vm_->Call("run", {closure}).value()), (std::vector<float>{1, 2, 3}));
  ASSERT_TRUE(vm_->Begin("through", {}).ok());
  const Any again = vm_->Call("alone", {}).value();
  EXPECT_TRUE(source_.Take().empty());
  EXPECT_TRUE(again.TryCast<Tensor>()->is_read_only());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(again.TryCast<Tensor>()->data()) % kTensorAlignment, 0u);
  // What a machine has read, others have too; and values outlive all of it.
  const auto other = VirtualMachine::Create(MustLink(executable_)).value();
  EXPECT_TRUE(other->Call("third", {}).ok());
  EXPECT_TRUE(source_.Take().empty());
  vm_ = nullptr;
  EXPECT_EQ(source_.released, 0);
}

TEST_F(OnDemand, ReleasesItsSourceOnce) {
  const Any value = vm_->Call("alone", {}).value();
  vm_ = nullptr;
  executable_ = nullptr;
  EXPECT_EQ(source_.released, 1);
  EXPECT_EQ(Values(value), std::vector<float>{1});
}

// A closure that no run of this program made, and frames that were put there.
TEST_F(OnDemand, ClosuresAndFramesFromOutside) {
  const uint32_t fourth = executable_->FunctionIndex("fourth").value();
  const Any closure = Any(Closure::Make(fourth, {}));
  EXPECT_EQ(Values(vm_->Call("run", {closure}).value()), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(source_.Take(), Lengths{16});

  const FunctionInfo& third = executable_->functions()[executable_->FunctionIndex("third").value()];
  RunState state;
  state.frames.push_back({executable_->FunctionIndex("third").value(), third.first_instruction,
                          std::vector<Any>(third.register_count)});
  source_.fails = true;
  EXPECT_EQ(vm_->RestoreState(state).error_code(), "E0101");
  source_.fails = false;
  source_.Take();
  ASSERT_TRUE(vm_->RestoreState(state).ok());
  EXPECT_EQ(source_.Take(), Lengths{12});
  EXPECT_EQ(vm_->Resume().value(), StopReason::kReturned);
  EXPECT_EQ(Values(vm_->result()), (std::vector<float>{1, 2, 3}));
}

TEST_F(OnDemand, AFailingReadLeavesAllUsable) {
  source_.fails = true;
  for (int i = 0; i < 2; ++i) {
    const Result<Any> failed = vm_->Call("through", {});
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.status().error_code(), "E0101");
    const std::string text = text::RenderText(failed.status());
    EXPECT_NE(text.find("constant 1 (f32[2]) cannot be read"), std::string::npos) << text;
    EXPECT_NE(text.find("a call of @through can reach it"), std::string::npos) << text;
    EXPECT_EQ(vm_->state(), VirtualMachine::State::kIdle);
    EXPECT_FALSE(vm_->Begin("through", {}).ok());
  }
  // In the midst of a run.
  const Any closure = Any(Closure::Make(executable_->FunctionIndex("fourth").value(), {}));
  EXPECT_EQ(vm_->Call("run", {closure}).status().error_code(), "E0101");
  source_.fails = false;
  EXPECT_TRUE(vm_->Call("run", {closure}).ok());
  EXPECT_TRUE(vm_->Call("through", {}).ok());
}

TEST_F(OnDemand, ChangedDataIsNoticedWhenItIsRead) {
  const SectionEntry constants = ReadLayout(source_.bytes)->sections[1];
  uint8_t& last = source_.bytes[static_cast<size_t>(constants.offset + constants.bytes - 1)];
  last ^= 1;
  EXPECT_TRUE(vm_->Call("alone", {}).ok());
  const Result<Any> failed = vm_->Call("fourth", {});
  EXPECT_EQ(failed.status().error_code(), "E0105");
  EXPECT_NE(failed.status().ToString().find("constant 4 (f32[4]) does not match its checksum"),
            std::string::npos)
      << failed.status().ToString();
  EXPECT_EQ(executable_->CheckConstants().error_code(), "E0105");
  const ExecutablePtr unchecked =
      ReadOnDemand(source_.Get(), {.checks = ConstantChecks::kNever}).value();
  EXPECT_TRUE(unchecked->LoadAllConstants().ok());
  last ^= 1;
  EXPECT_TRUE(vm_->Call("fourth", {}).ok());
  EXPECT_TRUE(executable_->CheckConstants().ok());
}

class CollectingSink : public ByteSink {
 public:
  Status Begin(uint64_t more) override {
    announced = more;
    return OkStatus();
  }
  Status Write(ByteSpan more) override {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return OkStatus();
  }
  std::vector<uint8_t> bytes;
  uint64_t announced = 0;
};

TEST_F(OnDemand, SavesTheSameBytes) {
  ASSERT_TRUE(vm_->Call("alone", {}).ok());  // some are there, the others are not
  CollectingSink failed;
  source_.fails = true;
  EXPECT_EQ(WriteExecutable(*executable_, &failed).error_code(), "E0101");
  EXPECT_TRUE(failed.bytes.empty());
  source_.fails = false;
  CollectingSink saved;
  ASSERT_TRUE(WriteExecutable(*executable_, &saved).ok());
  EXPECT_EQ(saved.bytes, source_.bytes);
  EXPECT_EQ(saved.announced, source_.bytes.size());
  EXPECT_EQ(SaveExecutable(*executable_), source_.bytes);
  EXPECT_EQ(SaveExecutable(*MustAssemble(Disassemble(*executable_))), source_.bytes);
}

// The result of reading a file in both ways.
void ExpectTheSame(CountingSource* source) {
  const Result<ExecutablePtr> whole = ReadExecutable(source->bytes, nullptr);
  source->released = 0;
  Result<ExecutablePtr> pieces = ReadOnDemand(source->Get());
  Status status = pieces.ok() ? (*pieces)->LoadAllConstants() : pieces.status().Clone();
  EXPECT_EQ(status.ToString(), whole.status().ToString());
  EXPECT_EQ(source->released, pieces.ok() ? 0 : 1);
}

// Hostile lengths and offsets: the same is refused for the same reason, and no read goes beyond the
// file (CountingSource).
TEST(OnDemandFiles, RefusesWhatIsRefusedInMemory) {
  for (std::string_view program : {kProgram, support::SamplePrograms()[1]}) {
    CountingSource source;
    source.bytes = SaveExecutable(*MustAssemble(program));
    ExpectTheSame(&source);
    const std::vector<uint8_t> good = source.bytes;
    for (size_t at = 0; at < good.size(); at += support::kMutationsShare) {
      for (const uint8_t change : {uint8_t{0x01}, uint8_t{0x80}, uint8_t{0xff}}) {
        source.bytes = good;
        source.bytes[at] ^= change;
        ExpectTheSame(&source);
        support::Reseal(&source.bytes);
        ExpectTheSame(&source);
      }
    }
    for (size_t size = 0; size < good.size(); size += 7) {
      source.bytes.assign(good.begin(), good.begin() + static_cast<ptrdiff_t>(size));
      ExpectTheSame(&source);
    }
  }
}

TEST(OnDemandFiles, SourcesThatFailWhileTheFileIsRead) {
  CountingSource source;
  source.bytes = SaveExecutable(*MustAssemble(kProgram));
  struct Failing {
    CountingSource* source;
    size_t good;
  } failing{&source, 0};
  const auto read = [](void* context, uint64_t offset, uint64_t length, void* to) {
    auto& self = *static_cast<Failing*>(context);
    if (self.good-- == 0) return false;
    const FileSource from = self.source->Get();
    return from.read(from.context, offset, length, to);
  };
  size_t refused = 0;
  for (;; ++refused) {
    failing.good = refused;
    const FileSource from = {.context = &failing, .bytes = source.bytes.size(), .read = read};
    const Result<ExecutablePtr> executable = ReadOnDemand(from);
    if (executable.ok()) break;
    EXPECT_EQ(executable.status().error_code(), "E0101") << executable.status().ToString();
  }
  EXPECT_GT(refused, 8u);  // header, table and seven sections at least
  EXPECT_EQ(ReadOnDemand({.bytes = 100}).status().code(), StatusCode::kInvalidArgument);
}

#ifndef TERN_SINGLE_THREADED

TEST_F(OnDemand, ThreadsShareWhatIsRead) {
  const FileSource plain = source_.Get();
  const auto read = [](void* context, uint64_t offset, uint64_t length, void* to) {
    std::memcpy(to, static_cast<CountingSource*>(context)->bytes.data() + offset,
                static_cast<size_t>(length));
    return true;
  };
  for (int round = 0; round < 20; ++round) {
    const ProgramPtr program =
        MustLink(ReadOnDemand({.context = &source_, .bytes = plain.bytes, .read = read}).value());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&program] {
        const auto vm = VirtualMachine::Create(program).value();
        for (std::string_view name : {"through", "alone", "pair"}) {
          const Result<Any> value = vm->Call(name, {});
          ASSERT_TRUE(value.ok());
          EXPECT_EQ(Values(*value)[0], 1);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

#endif

}  // namespace
}  // namespace tern::vm::on_demand_test
