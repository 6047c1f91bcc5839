// SPDX-License-Identifier: Apache-2.0
// Places of tensors in the arena of their function: the text in the metadata, and what runs do.
#include "core/vm/places.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/strings.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::places_test {
namespace {

constexpr int64_t kFloats = 16384;
constexpr int64_t kBytes = 4 * kFloats;

// Three tensors of 65536 bytes, of which two are alive at once.
std::string Chain(std::string_view places) {
  return StrCat(".meta \"places\" = \"", places, R"("
.func @main()
  call  fill in: 1 dst: %0
  call  next in: %0 dst: %1
  kill  %0
  call  next in: %1 dst: %2
  kill  %1
  call  sum in: %2 dst: %3
  ret   ret %3
)");
}

class Places : public ::testing::Test {
 protected:
  std::unique_ptr<VirtualMachine> Make(std::string_view text, const VmOptions& options = {}) {
    const auto note = [this](TensorPtr t) {
      made_.push_back(static_cast<const char*>(t->data()));
      return t;
    };
    const auto fill = [note](RunContext& context, int64_t value) -> Result<TensorPtr> {
      TERN_TRY_ASSIGN(TensorPtr t, context.NewTensor(kF32, {kFloats}));
      std::fill_n(t->data_as<float>(), kFloats, static_cast<float>(value));
      return note(std::move(t));
    };
    const auto next = [note](RunContext& context, Tensor* x) -> Result<TensorPtr> {
      TERN_TRY_ASSIGN(TensorPtr t, context.NewTensor(kF32, x->dims()));
      for (int64_t i = 0; i < t->element_count(); ++i)
        t->data_as<float>()[i] = x->data_as<float>()[i] + 1;
      return note(std::move(t));
    };
    const auto sum = [](Tensor* x) {
      return static_cast<int64_t>(x->data_as<float>()[0]) * 1000 +
             static_cast<int64_t>(x->data_as<float>()[x->element_count() - 1]);
    };
    // What an operator may do: its argument is its result.
    const auto same = [](Tensor* x) { return TensorPtr(x); };
    return MakeVm(text,
                  {Function::FromTyped("fill", fill), Function::FromTyped("next", next),
                   Function::FromTyped("sum", sum), Function::FromTyped("same", same)},
                  options);
  }

  // By the distances between what was made.
  bool LieOver(size_t a, size_t b) const {
    const ptrdiff_t distance = made_[a] - made_[b];
    return distance > -kBytes && distance < kBytes;
  }

  std::vector<const char*> made_;
};

TEST_F(Places, RunsUseThem) {
  const auto vm = Make(Chain("0:131072 0:65536+65536 1:0+65536 3:65536+65536"));
  int64_t reserved = 0;
  for (int run = 0; run < 3; ++run) {
    made_.clear();
    EXPECT_EQ(vm->Call("main", {}).value().TryCast<int64_t>(), 3003);
    ASSERT_EQ(made_.size(), 3u);
    EXPECT_EQ(made_[0] - made_[1], 65536);
    EXPECT_EQ(made_[2], made_[0]);
    EXPECT_EQ(vm->memory().placed, 3 * (run + 1));
    EXPECT_EQ(vm->memory().live_bytes, 0);
    // The arena, and a few hundred bytes of objects. A steady run asks for nothing.
    EXPECT_NEAR(static_cast<double>(vm->memory().reserved_bytes), 131072 + 512, 512);
    if (run > 0) EXPECT_EQ(vm->memory().reserved_bytes, reserved);
    reserved = vm->memory().reserved_bytes;
  }
}

// A plan is advice. Whatever it says, answers are the same, and nothing lies over what is alive.
TEST_F(Places, WrongOnesDoNoHarm) {
  for (const std::string_view text : {
           "0:65536 0:0+65536 1:0+65536 3:0+65536",        // all over each other
           "0:131072 0:0+65536 1:64+65536 3:0+65536",      // the second over the first
           "0:131072 0:0+65536 1:65536+64",                // another size
           "0:131072 2:0+65536 4:0+65536 6:0+65536",       // none makes a tensor
           "0:131072 5:0+65536",                           // makes an int
           "0:131072 0:0+65536 0:0+65536 0:65536+65536"})  // three results of one
  {
    SCOPED_TRACE(text);
    made_.clear();
    const auto vm = Make(Chain(text));
    EXPECT_EQ(vm->Call("main", {}).value().TryCast<int64_t>(), 3003);
    EXPECT_FALSE(LieOver(0, 1));
    EXPECT_FALSE(LieOver(1, 2));
    EXPECT_EQ(vm->memory().live_bytes, 0);
  }
}

// The planner believes that the memory of the first is free once `same` has read it.
TEST_F(Places, WhatIsStillSeenIsNotWrittenOver) {
  const auto vm = Make(R"(.meta "places" = "0:65536 0:0+65536 1:0+65536 3:0+65536"
.func @main()
  call  fill in: 7 dst: %0
  call  same in: %0 dst: %1
  kill  %0
  call  next in: %1 dst: %2
  call  sum in: %1 dst: %3
  ret   ret %3
)");
  EXPECT_EQ(vm->Call("main", {}).value().TryCast<int64_t>(), 7007);
}

TEST_F(Places, ResultsOutliveTheirArena) {
  const auto vm = Make(R"(.meta "places" = "0:65536 0:0+65536"
.func @main(value: int)
  call  fill in: %0 dst: %1
  ret   ret %1
)");
  const Any first = vm->Call("main", {int64_t{1}}).value();
  const Any second = vm->Call("main", {int64_t{2}}).value();
  EXPECT_EQ(first.TryCast<Tensor>()->data_as<float>()[0], 1);
  EXPECT_EQ(second.TryCast<Tensor>()->data_as<float>()[0], 2);
}

// A function that calls itself: only its first frame has places.
TEST_F(Places, OnlyTheFirstFrameHasThem) {
  const auto vm = Make(R"(.meta "places" = "0:65536 2:0+65536"
.func @main(n: int)
  if_equal %0, 0 true: done false: more
more:
  sub   %0, 1 dst: %1
  call  fill in: %0 dst: %2
  invoke @main in: %1 dst: %3
  call  sum in: %2 dst: %4
  add   %3, %4 dst: %5
  ret   ret %5
done:
  ret   ret 0
)");
  EXPECT_EQ(vm->Call("main", {int64_t{3}}).value().TryCast<int64_t>(), 6006);
  EXPECT_EQ(vm->memory().placed, 1);
  EXPECT_FALSE(LieOver(0, 1));
  EXPECT_FALSE(LieOver(0, 2));
}

TEST_F(Places, ALimitHasRoomForWhatLives) {
  VmOptions options;
  // What the run needs, and no arena of the size that the text asks for.
  options.max_bytes = 2 * kBytes + 4096;
  const auto vm = Make(Chain("0:1048576 0:65536+65536 1:0+65536 3:65536+65536"), options);
  const Result<Any> result = vm->Call("main", {});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(vm->memory().placed, 0);
}

// Three vectors of n floats, of which two are alive at once.
constexpr std::string_view kSized = R"(.meta "places" = "0:128 0:(4*n)@0-1 1:(4*n)@1-3 3:(4*n)@3-5"
.func @main(x: f32[n])
  call  next in: %0 dst: %1
  call  next in: %1 dst: %2
  kill  %1
  call  next in: %2 dst: %3
  kill  %2
  call  sum in: %3 dst: %4
  ret   ret %4
)";

class SizedPlaces : public Places {
 protected:
  Result<Any> Call(VirtualMachine* vm, int64_t n) {
    const TensorPtr x = *Tensor::New(kF32, {n});
    std::fill_n(x->data_as<float>(), n, 10.0f);
    made_.clear();
    return vm->Call("main", {AnyView(x)});
  }
};

TEST_F(SizedPlaces, AreLaidOutWhereARunBegins) {
  const auto vm = Make(kSized);
  int64_t placed = 0;
  for (const int64_t n : {20000, 20000, 10001, 50000, 20000}) {
    EXPECT_EQ(Call(vm.get(), n).value().TryCast<int64_t>(), 13013);
    // Behind the fixed part, rounded up.
    EXPECT_EQ(made_[1] - made_[0], (4 * n + 63) / 64 * 64);
    EXPECT_EQ(made_[2], made_[0]);
    EXPECT_EQ(vm->memory().placed, placed += 3);
    EXPECT_EQ(vm->memory().live_bytes, 0);
  }
  // The largest of them, and a few hundred bytes of objects.
  EXPECT_NEAR(static_cast<double>(vm->memory().reserved_bytes), 128 + 2 * 200000 + 512, 512);
}

TEST_F(SizedPlaces, SmallOnesAreLeftToTheAllocator) {
  const auto vm = Make(kSized);
  EXPECT_EQ(Call(vm.get(), 100).value().TryCast<int64_t>(), 13013);
  EXPECT_EQ(vm->memory().placed, 0);
}

// What no compiler writes: the run does without an arena, or with fewer places.
TEST_F(SizedPlaces, WrongOnesDoNoHarm) {
  for (const std::string_view size :
       {"k", "n-100000000", "n*n*n*n*n*n*n*n", "n*1000000000000", "2*n", "?", "0", "n%0"}) {
    std::string text(kSized);
    text.replace(text.find("(4*n)") + 1, 3, size);
    const auto vm = Make(text);
    EXPECT_EQ(Call(vm.get(), 20000).value().TryCast<int64_t>(), 13013) << size;
    EXPECT_EQ(vm->memory().live_bytes, 0);
  }
  // Lifetimes that end too early: places would lie over each other.
  std::string text(kSized);
  text.replace(text.find("@0-1"), 4, "@0-0");
  const auto vm = Make(text);
  EXPECT_EQ(Call(vm.get(), 20000).value().TryCast<int64_t>(), 13013);
}

TEST(PlacesText, IsRead) {
  ExecutableParts parts;
  parts.functions.resize(4);
  for (FunctionInfo& function : parts.functions) function.instruction_count = 10;
  const std::string text =
      "0:128 3:0+64 3:64+64 9:0+128; 2:0 4:(4*n*max(m, 2))@0-4294967295; 3:64 0:0+64 1:(k)@7-7";
  parts.metadata.emplace_back("places", text);
  std::vector<FunctionPlaces> places;
  const Status status = ReadPlaces(parts, &places);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].calls.size(), 3u);
  EXPECT_EQ(places[0].calls[2].place.bytes, 128u);
  EXPECT_EQ(places[1].calls[0].size, "4*n*max(m, 2)");
  EXPECT_EQ(places[1].calls[0].last, UINT32_MAX);
  EXPECT_EQ(places[2].function, 3u);
}

TEST(PlacesText, BadOnesAreRefusedWhereTheyAreBad) {
  struct Bad {
    std::string_view text, message;
  };
  for (const Bad& bad : std::initializer_list<Bad>{
           {"", "character 1: expected a function's number from 0 to 0"},
           {"x", "character 1: expected a function's number"},
           {"1:64", "character 1: expected a function's number from 0 to 0"},
           {"0", "character 2: expected ':'"},
           {"0:", "character 3: expected the arena's size from 0"},
           {"0:0 1:0+64", "character 7: expected '(', since the arena's size is 0"},
           {"0:0 1:(", "character 8: expected a dimension"},
           {"0:0 1:()@1-2", "character 8: expected a dimension"},
           {"0:0 1:(n+)@1-2", "expected a dimension"},
           {"0:0 1:(n", "character 9: expected ')@'"},
           {"0:0 1:(n)1-2", "character 9: expected ')@'"},
           {"0:0 1:(n)@", "character 11: expected the first point in time from 0"},
           {"0:0 1:(n)@2", "character 12: expected '-'"},
           {"0:0 1:(n)@2-1", "character 13: expected the last point in time from 2"},
           {"0:0 1:(n)@2-4294967296", "character 13: expected the last point in time"},
           {"0:100", "expected the arena's size from 0 to 281474976710656, a multiple of 64"},
           {"0:9223372036854775808", "character 3: expected the arena's size"},
           {"0:99999999999999999999", "character 3: expected the arena's size"},
           {"0:128 9:0+64", "character 7: expected an instruction from 0 to 6"},
           {"0:128 1:0+64 0:64+64", "character 14: expected an instruction from 1 to 6"},
           {"0:128 1", "character 8: expected ':'"},
           {"0:128 1:128+64", "character 9: expected an offset from 0 to 64"},
           {"0:128 1:32+64", "character 9: expected an offset from 0 to 64, a multiple of 64"},
           {"0:128 1:64", "character 11: expected '+'"},
           {"0:128 1:64+128", "character 12: expected a size from 64 to 64"},
           {"0:128 1:0+0", "character 11: expected a size from 64 to 128"},
           {"0:128 1:0+65", "character 11: expected a size from 64 to 128, a multiple of 64"},
           {"0:128 1:0+64 ", "character 14: expected an instruction"},
           {"0:128 1:0+64,", "character 13: expected ' ', '; ' or the end"},
           {"0:128;", "character 6: expected ' ', '; ' or the end"},
           {"0:128; 0:128", "character 8: expected a function's number from 1 to 0"},
           {"0:-128", "character 3: expected the arena's size"}}) {
    const Result<ExecutablePtr> executable = Assemble(Chain(bad.text), "bad.tasm");
    ASSERT_FALSE(executable.ok()) << bad.text;
    EXPECT_EQ(executable.status().error_code(), "E0106") << bad.text;
    EXPECT_NE(std::string(executable.status().message()).find(bad.message), std::string::npos)
        << bad.text << "\n" << executable.status().message();
  }
}

}  // namespace
}  // namespace tern::vm::places_test
