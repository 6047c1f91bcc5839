// SPDX-License-Identifier: Apache-2.0
// B33 through the C interface: programs that read their constants when they need them.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/api/c_api.h"

namespace on_demand_api_test {
namespace {

constexpr char kProgram[] = R"(
.const c[0] = f32[2] [1, 2]
.const c[1] = f32[4] [1, 2, 3, 4]
.func @first()
  ret   ret c[0]
.func @second()
  ret   ret c[1]
)";

struct Source {
  std::vector<char> bytes;
  int reads = 0;
  int released = 0;
  bool fails = false;

  tern_file_source Get() {
    return {.struct_size = sizeof(tern_file_source),
            .context = this,
            .bytes = bytes.size(),
            .read =
                [](void* context, uint64_t offset, uint64_t length, void* destination) {
                  auto& self = *static_cast<Source*>(context);
                  ++self.reads;
                  if (self.fails) return 1;
                  std::memcpy(destination, self.bytes.data() + offset, static_cast<size_t>(length));
                  return 0;
                },
            .release = [](void* context) { ++static_cast<Source*>(context)->released; }};
  }
};

// Code and message; empty for success.
std::string Take(tern_status* status) {
  std::string text;
  if (status != nullptr)
    text = std::string(tern_status_code(status)) + " " + tern_status_message(status);
  tern_status_free(status);
  return text;
}

class OnDemandApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Take(tern_runtime_create(nullptr, &runtime_)), "");
    tern_buffer* bytes = nullptr;
    ASSERT_EQ(Take(tern_assemble(runtime_, kProgram, sizeof(kProgram) - 1, nullptr, &bytes)), "");
    const auto* data = static_cast<const char*>(tern_buffer_data(bytes));
    source_.bytes.assign(data, data + tern_buffer_size(bytes));
    tern_buffer_free(bytes);
  }
  void TearDown() override { tern_runtime_free(runtime_); }

  tern_runtime* runtime_ = nullptr;
  Source source_;
};

TEST_F(OnDemandApi, B33_ConstantsComeWhenAFunctionIsCalled) {
  const tern_file_source from = source_.Get();
  tern_program* program = nullptr;
  ASSERT_EQ(Take(tern_program_load_on_demand(runtime_, &from, &program)), "");
  tern_vm* vm = nullptr;
  ASSERT_EQ(Take(tern_vm_create(program, nullptr, &vm)), "");
  source_.reads = 0;
  TernAny result{};
  ASSERT_EQ(Take(tern_vm_call(vm, "first", nullptr, 0, &result)), "");
  tern_any_release(&result);
  EXPECT_EQ(source_.reads, 1);
  tern_buffer* listing = nullptr;
  ASSERT_EQ(Take(tern_program_inspect(program, "json", &listing)), "");
  tern_buffer_free(listing);
  EXPECT_EQ(source_.reads, 1);

  source_.fails = true;
  const std::string refused = Take(tern_vm_begin(vm, "second", nullptr, 0));
  EXPECT_EQ(refused.substr(0, 39), "E0101 constant 1 (f32[4]) cannot be rea") << refused;
  EXPECT_EQ(Take(tern_program_disassemble(program, &listing)), refused);
  source_.fails = false;
  ASSERT_EQ(Take(tern_program_disassemble(program, &listing)), "");
  const std::string text(static_cast<const char*>(tern_buffer_data(listing)),
                         tern_buffer_size(listing));
  EXPECT_NE(text.find(".const c[1] = f32[4] [1, 2, 3, 4]"), std::string::npos) << text;
  tern_buffer_free(listing);
  ASSERT_EQ(Take(tern_vm_begin(vm, "second", nullptr, 0)), "");
  tern_vm_free(vm);
  EXPECT_EQ(source_.released, 0);
  tern_program_free(program);
  EXPECT_EQ(source_.released, 1);
}

TEST_F(OnDemandApi, WhatCannotBeLoadedIsReleased) {
  tern_program* program = nullptr;
  tern_file_source from = source_.Get();
  from.bytes = 100;
  EXPECT_EQ(Take(tern_program_load_on_demand(runtime_, &from, &program)).substr(0, 5), "E0105");
  EXPECT_EQ(source_.released, 1);
  source_.fails = true;
  from = source_.Get();
  EXPECT_EQ(Take(tern_program_load_on_demand(runtime_, &from, &program)).substr(0, 5), "E0101");
  EXPECT_EQ(source_.released, 2);
  from.read = nullptr;
  EXPECT_NE(Take(tern_program_load_on_demand(runtime_, &from, &program)), "");
  EXPECT_EQ(source_.released, 3);
}

}  // namespace
}  // namespace on_demand_api_test
