// SPDX-License-Identifier: Apache-2.0
// Devices through the C interface: registered with a runtime, used by its machines (B30).
#include <gtest/gtest.h>

#include <string>

#include "core/api/c_api.h"
#include "tests/support/test_device.h"

namespace device_api_test {
namespace {

std::string Take(tern_status* status) {
  const std::string text = status == nullptr ? "" : tern_status_message(status);
  tern_status_free(status);
  return text;
}

class DeviceApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(tern_runtime_create(nullptr, &runtime_), nullptr);
    const TernDevice plugin = npu_.Plugin();
    int32_t number = 0;
    ASSERT_EQ(Take(tern_runtime_register_device(runtime_, &plugin, &number)), "");
    ASSERT_EQ(number, 1);
    const int64_t shape[] = {2};
    ASSERT_EQ(Take(tern_tensor_new(runtime_, "f32", 1, shape, &tensor_)), "");
  }
  void TearDown() override {
    tern_any_release(&tensor_);
    tern_runtime_free(runtime_);
    EXPECT_EQ(npu_.releases, 1);
  }
  float* Data(const TernAny& tensor) {
    void* data = nullptr;
    EXPECT_EQ(Take(tern_tensor_view(&tensor, &data, nullptr, nullptr, nullptr, nullptr)), "");
    return static_cast<float*>(data);
  }

  tern::TestDevice npu_{"npu"};
  tern_runtime* runtime_ = nullptr;
  TernAny tensor_{};
};

TEST_F(DeviceApi, B30_TensorsGoThereAndBack) {
  Data(tensor_)[1] = 2.5f;
  TernAny there{}, back{};
  ASSERT_EQ(Take(tern_tensor_to_device(runtime_, &tensor_, 1, &there)), "");
  int32_t number = -1;
  ASSERT_EQ(Take(tern_tensor_device(runtime_, &there, &number)), "");
  EXPECT_EQ(number, 1);
  void* data = nullptr;
  size_t bytes = 0;
  EXPECT_EQ(Take(tern_tensor_view(&there, &data, nullptr, nullptr, nullptr, nullptr)),
            "the tensor whose data is asked for is f32[2] on device 'npu', expected the processor "
            "(device 0): copy it there with device_copy");
  EXPECT_EQ(Take(tern_tensor_view(&there, nullptr, &bytes, nullptr, nullptr, nullptr)), "");
  EXPECT_EQ(bytes, 8u);
  ASSERT_EQ(Take(tern_tensor_to_device(runtime_, &there, 0, &back)), "");
  ASSERT_EQ(Take(tern_tensor_device(runtime_, &back, &number)), "");
  EXPECT_EQ(number, 0);
  EXPECT_EQ(Data(back)[1], 2.5f);
  tern_any_release(&there);
  tern_any_release(&back);
}

TEST_F(DeviceApi, B30_MachinesHaveTheDevicesOfTheirRuntime) {
  constexpr char kText[] =
      ".func @main(x)\n  device_copy %0 device: 1 dst: %1\n  call vm.builtin.copy in: %1 dst: %1\n"
      "  device_copy %1 device: 0 dst: %1\n  ret ret %1\n";
  tern_buffer* bytes = nullptr;
  ASSERT_EQ(Take(tern_assemble(runtime_, kText, sizeof(kText) - 1, nullptr, &bytes)), "");
  tern_program* program = nullptr;
  ASSERT_EQ(Take(tern_program_load(runtime_, tern_buffer_data(bytes), tern_buffer_size(bytes),
                                   nullptr, nullptr, &program)),
            "");
  tern_vm* vm = nullptr;
  ASSERT_EQ(Take(tern_vm_create(program, nullptr, &vm)), "");
  Data(tensor_)[0] = -1.5f;
  TernAny result{};
  ASSERT_EQ(Take(tern_vm_call(vm, "main", &tensor_, 1, &result)), "");
  EXPECT_EQ(Data(result)[0], -1.5f);
  EXPECT_EQ(npu_.copies_in, 1);
  EXPECT_EQ(npu_.copies_within, 1);
  EXPECT_EQ(npu_.copies_out, 1);
  tern_any_release(&result);
  tern_vm_free(vm);
  tern_program_free(program);
  tern_buffer_free(bytes);
}

TEST_F(DeviceApi, B30_BadDevicesAreRefused) {
  const TernDevice plugin = npu_.Plugin();
  int32_t number = 5;
  EXPECT_EQ(Take(tern_runtime_register_device(runtime_, &plugin, &number)),
            "this runtime has a device 'npu' already");
  EXPECT_EQ(Take(tern_runtime_register_device(runtime_, nullptr, &number)),
            "no device to register");
  TernDevice short_one = plugin;
  short_one.struct_size = 24;
  EXPECT_NE(Take(tern_runtime_register_device(runtime_, &short_one, &number)), "");
  EXPECT_EQ(number, 5) << "written on success only";
  TernAny copy{};
  EXPECT_EQ(Take(tern_tensor_to_device(runtime_, &tensor_, 2, &copy)),
            "there is no device 2: this machine has device 0, the processor, and 1, 'npu'");
  const TernAny number_value{};
  EXPECT_NE(Take(tern_tensor_to_device(runtime_, &number_value, 1, &copy)), "");
  EXPECT_NE(Take(tern_tensor_device(runtime_, &number_value, &number)), "");
  EXPECT_EQ(npu_.releases, 0) << "a plug-in that is refused is not released";
}

}  // namespace
}  // namespace device_api_test
