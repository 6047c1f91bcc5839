// SPDX-License-Identifier: Apache-2.0
// Devices: memory that only a plug-in can reach. Whatever host code reaches for it ends in an error
// that names operation, argument and device; rows B30 and B31.
#include "core/object/device.h"

#include <string>

#include "core/base/strings.h"
#include "core/kernels/bind/bind.h"
#include "core/object/graph/print.h"
#include "core/object/graph/serialize_binary.h"
#include "core/object/graph/structural_equal.h"
#include "core/object/graph/structural_hash.h"
#include "core/vm/builtins/builtins.h"
#include "tests/support/test_device.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::device_test {
namespace {

#define EXPECT_HAS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << std::string(text)

class Devices : public testing::Test {
 protected:
  Devices() {
    options_.devices = {Device::Make(npu_.Plugin()).value(), Device::Make(dsp_.Plugin()).value()};
  }

  Result<Any> Run(std::string_view text, std::initializer_list<AnyView> args = {},
                  const std::vector<FunctionPtr>& functions = {}) {
    auto vm = MakeVm(text, functions, options_);
    return vm->Call("main", args);
  }
  // What a body of @main(x) gives for a tensor on the first device.
  std::string OnDevice(std::string_view body, const std::vector<FunctionPtr>& functions = {}) {
    const Result<Any> result =
        Run(StrCat(".func @main(x)\n  device_copy %0 device: 1 dst: %0\n", body), {Vector()},
            functions);
    return result.ok() ? PrintValue(*result) : result.status().ToString();
  }
  static TensorPtr Vector() { return Tensor::FromValues<int64_t>({2, 3}, {2}).value(); }
  static TensorPtr Matrix() {
    return Tensor::FromValues<float>({1, 2, 3, 4, 5, 6}, {2, 3}).value();
  }

  TestDevice npu_{"npu"};
  TestDevice dsp_{"dsp"};
  VmOptions options_;
};

TEST_F(Devices, B30_CopiesGoThereAndBack) {
  const Result<Any> back = Run(R"(
.func @main(x)
  device_copy %0 device: 1 dst: %1
  device_copy %1 device: 1 dst: %2
  device_copy %2 device: 2 dst: %3
  device_copy %3 device: 0 dst: %4
  ret   ret %4
)",
                               {Matrix()});
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(PrintValue(*back), "f32[2, 3] [1, 2, 3, 4, 5, 6]");
  EXPECT_EQ(npu_.copies_in, 1) << "a copy to the device it is on is none";
  EXPECT_EQ(npu_.copies_out, 1);
  EXPECT_EQ(dsp_.copies_in, 1);
  EXPECT_EQ(dsp_.copies_out, 1);
  EXPECT_EQ(npu_.live_blocks() + dsp_.live_blocks(), 0u);
}

TEST_F(Devices, B30_MemoryIsTheDevicesOwn) {
  const Result<Any> there =
      Run(".func @main(x)\n  device_copy %0 device: 1 dst: %1\n  ret ret %1\n", {Matrix()});
  const Tensor* tensor = there->TryCast<Tensor>();
  ASSERT_NE(tensor, nullptr);
  EXPECT_FALSE(tensor->on_host());
  EXPECT_EQ(tensor->device().device_type, TERN_DEVICE_EXTENSION);
  EXPECT_TRUE(TestDevice::IsHandle(tensor->data()));
  EXPECT_EQ(PrintValue(*there), "f32[2, 3] on device 'npu'");
  EXPECT_HAS(ValueJson(*there), R"("place":"device 'npu'")");
  EXPECT_EQ(npu_.live_blocks(), 1u) << "it outlives its machine";
}

TEST_F(Devices, B30_DevicesEndWhenNothingUsesThem) {
  Result<Any> there =
      Run(".func @main(x)\n  device_copy %0 device: 2 dst: %1\n  ret ret %1\n", {Matrix()});
  options_.devices.clear();
  EXPECT_EQ(npu_.releases, 1);
  EXPECT_EQ(dsp_.releases, 0) << "a tensor holds it";
  there = Any();
  EXPECT_EQ(dsp_.releases, 1);
}

TEST_F(Devices, B30_StoragesAndTensorsInThem) {
  auto vm = MakeVm(R"(
.func @main(x)
  alloc_storage size: 256 alignment: 128 dtype: u8 device: 1 dst: %1
  alloc_tensor storage: %1 offset: 64 dtype: f32 shape: 2, 3 dst: %2
  shape_of %2 dst: %3
  alloc_tensor_reg storage: %1 offset: 128 dtype: f32 shape: %3 dst: %4
  reshape_tensor %4 shape: %0 dst: %4
  ret   ret %4
)",
                   {}, options_);
  const TensorPtr shape = Tensor::FromValues<int64_t>({3, -1}, {2}).value();
  const Result<Any> made = vm->Call("main", {shape});
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(PrintValue(*made), "f32[3, 2] on device 'npu'");
  EXPECT_EQ(vm->device_memory(1).live_bytes, 256);
  EXPECT_EQ(vm->device_memory(2).allocations, 0);
  EXPECT_EQ(npu_.copies_in + npu_.copies_out, 0);
}

TEST_F(Devices, B30_LimitsHoldOnEachDevice) {
  options_.max_bytes = 1000;
  const std::string text = Run(".func @main()\n  alloc_storage size: 2000 alignment: 64 dtype: u8 "
                               "device: 1 dst: %0\n  ret ret %0\n")
                               .status()
                               .ToString();
  EXPECT_HAS(text, "on device 'npu'");
  EXPECT_HAS(text, "no memory");
}

TEST_F(Devices, B30_FullDevicesAndFailingCopiesAreErrors) {
  EXPECT_HAS(
      Run(".func @main()\n  alloc_storage size: 2000000 alignment: 64 dtype: u8 device: 2 dst: "
          "%0\n  ret ret %0\n")
          .status()
          .ToString(),
      "no memory for 1.9 MiB on device 'dsp'");
  npu_.fail_copies = 7;
  EXPECT_HAS(OnDevice("  ret ret %0\n"),
             "device 'npu' could not copy 16 B from the host: its error 7");
  EXPECT_EQ(npu_.live_blocks(), 0u);
}

TEST_F(Devices, B30_WhatIsNoDeviceIsNamedWithThoseThereAre) {
  EXPECT_HAS(OnDevice("  device_copy %0 device: 3 dst: %1\n  ret ret %1\n"),
             "there is no device 3: this machine has device 0, the processor, and 1, 'npu', and 2, "
             "'dsp'");
  const TensorPtr text = Tensor::FromStrings(std::vector<std::string_view>{"a"}, Dims()).value();
  EXPECT_HAS(Run(".func @main(x)\n  device_copy %0 device: 1 dst: %1\n  ret ret %1\n", {text})
                 .status()
                 .ToString(),
             "a tensor of strings cannot leave the processor");
}

TEST_F(Devices, B30_StridedTensorsAreGathered) {
  const TensorPtr columns = Matrix()->Slice(1, 0, 3, 2).value();
  const ObjectPtr<DeviceAllocator> memory =
      ObjectPtr<DeviceAllocator>::Adopt(new DeviceAllocator(options_.devices[0]));
  const TensorPtr there = CopyTensorTo(*columns, memory.get(), nullptr).value();
  EXPECT_EQ(PrintValue(AnyView(CopyTensorTo(*there, nullptr, nullptr).value())),
            "f32[2, 2] [1, 3, 4, 6]");
  const TensorPtr whole = CopyTensorTo(*Matrix(), memory.get(), nullptr).value();
  const TensorPtr slice = whole->Slice(1, 0, 3, 2).value();
  EXPECT_FALSE(slice->on_host()) << "a view is where its memory is";
  EXPECT_EQ(PrintValue(AnyView(CopyTensorTo(*slice, nullptr, nullptr).value())),
            "f32[2, 2] [1, 3, 4, 6]");
  const TensorPtr again = CopyTensorTo(*slice, memory.get(), nullptr).value();
  EXPECT_EQ(PrintValue(AnyView(CopyTensorTo(*again, nullptr, nullptr).value())),
            "f32[2, 2] [1, 3, 4, 6]");
}

TEST_F(Devices, B30_PluginsWithoutACopyGoThroughTheHost) {
  TestDevice plain("plain");
  plain.has_copy = false;
  for (TestDevice* device : {&npu_, &plain}) {
    const auto memory = ObjectPtr<DeviceAllocator>::Adopt(
        new DeviceAllocator(Device::Make(device->Plugin()).value()));
    const TensorPtr there = CopyTensorTo(*Matrix(), memory.get(), nullptr).value();
    const TensorPtr copy = CopyTensorTo(*there, memory.get(), nullptr).value();
    EXPECT_NE(copy->data(), there->data());
    EXPECT_EQ(device->copies_out, device == &plain ? 1 : 0);
    EXPECT_EQ(PrintValue(AnyView(CopyTensorTo(*copy, nullptr, nullptr).value())),
              "f32[2, 3] [1, 2, 3, 4, 5, 6]");
  }
}

TEST_F(Devices, B30_PluginsAreChecked) {
  TernDevice plugin = npu_.Plugin();
  plugin.copy_to_host = nullptr;
  EXPECT_HAS(Device::Make(plugin).status().ToString(), "device 'npu' lacks one of allocate");
  plugin = npu_.Plugin();
  plugin.name = "";
  EXPECT_HAS(Device::Make(plugin).status().ToString(), "has no name");
  plugin = npu_.Plugin();
  plugin.struct_size = 0;
  EXPECT_FALSE(Device::Make(plugin).ok()) << "a struct of an older caller lacks what lies behind";
  EXPECT_EQ(npu_.releases, 0);
}

// Operators of the processor refuse by themselves, whoever calls them.
TEST_F(Devices, B30_OperatorsNameArgumentAndDevice) {
  const FunctionPtr add = kernels::MakeOperator("add").value();
  const std::string text = OnDevice(R"(
  load_consti 1 dst: %1
  call  add in: %1, %0 dst: %2
  ret   ret %2
)",
                                    {add});
  EXPECT_HAS(text, "add: b (argument 1) is i64[2] on device 'npu', expected the processor");
  EXPECT_HAS(
      OnDevice("  device_copy %0 device: 0 dst: %0\n  call add in: %0, %0 dst: %1\n  ret ret "
               "%1\n",
               {add}),
      "i64[2] [4, 6]");
}

// --- B31: each instruction and builtin that could touch elements, on a device and off it

struct Touch {
  const char* name;
  const char* body;      // of @main(x), x an i64[2] on a device
  const char* expected;  // of what it gives or says
};

constexpr Touch kTouches[] = {
    {"move", "move %0 dst: %1\nret ret %1\n", "i64[2] on device 'npu'"},
    {"shape_of", "shape_of %0 dst: %1\nret ret %1\n", "[2]"},
    {"reshape_tensor",
     "load_const shape [1, 2] dst: %2\nreshape_tensor %0 shape: %2 dst: %1\nret "
     "ret %1\n",
     "i64[1, 2] on device 'npu'"},
    {"reshape_tensor, shape",
     "device_copy %0 device: 0 dst: %1\nreshape_tensor %1 shape: %0 dst: %1\nret ret %1\n",
     "the shape is i64[2] on device 'npu', expected the processor"},
    {"reshape_tensor, count",
     "load_const shape [3] dst: %2\nreshape_tensor %0 shape: %2 dst: "
     "%1\nret ret %1\n",
     "cannot have the shape [3]"},
    {"alloc_tensor_reg", "alloc_tensor_reg offset: 0 dtype: f32 shape: %0 dst: %1\nret ret %1\n",
     "the shape is i64[2] on device 'npu', expected the processor"},
    {"if", "if %0 true: +1 false: +2\nret ret 1\nret ret 2\n",
     "the value is i64[2] on device 'npu'"},
    {"if_equal", "if_equal %0, 1 true: +1 false: +2\nret ret 1\nret ret 2\n",
     "the value is i64[2] on device 'npu'"},
    {"to_int", "to_int %0 dst: %1\nret ret %1\n", "the value is i64[2] on device 'npu'"},
    {"to_float", "to_float %0 dst: %1\nret ret %1\n", "the value is i64[2] on device 'npu'"},
    {"to_bool", "to_bool %0 dst: %1\nret ret %1\n", "the value is i64[2] on device 'npu'"},
    {"device_copy, kind", "device_copy %1 device: 1 dst: %1\nret ret %1\n",
     "expected a tensor, got"},
    {"vm.builtin.move", "call vm.builtin.move in: %0 dst: %1\nret ret %1\n",
     "i64[2] on device 'npu'"},
    {"vm.builtin.shape_of", "call vm.builtin.shape_of in: %0 dst: %1\nret ret %1\n", "[2]"},
    {"vm.builtin.copy",
     "call vm.builtin.copy in: %0 dst: %1\ndevice_copy %1 device: 0 dst: %1\nret "
     "ret %1\n",
     "i64[2] [2, 3]"},
    {"vm.builtin.to_text", "call vm.builtin.to_text in: %0 dst: %1\nret ret %1\n",
     "i64[2] on device 'npu'"},
    {"vm.builtin.alloc_storage",
     "call vm.builtin.alloc_storage in: %vm, 64, 64, 1 dst: %1\n"
     "alloc_tensor storage: %1 offset: 0 dtype: i64 shape: 2 dst: %2\n"
     "ret ret %2\n",
     "i64[2] on device 'npu'"},
    {"vm.builtin.print", "call vm.builtin.print in: %0 dst: void\nret ret %0\n",
     "i64[2] on device 'npu'"},
    {"vm.builtin.make_list", "call vm.builtin.make_list in: %0 dst: %1\nret ret %1\n",
     "list[i64[2] on device 'npu']"},
    {"vm.builtin.store_shape",
     "load_const shape [4] dst: %1\ncall vm.builtin.store_shape in: %1, %0, 0 "
     "dst: void\nret ret %1\n",
     "the shape heap is i64[2] on device 'npu'"},
    {"vm.builtin.store_shape, shape",
     "call vm.builtin.alloc_shape_heap in: 4 dst: %1\ncall vm.builtin.store_shape in: %0, %1, 0, 1 "
     "dst: void\nret ret %1\n",
     "the shape is i64[2] on device 'npu'"},
    {"vm.builtin.load_shape", "call vm.builtin.load_shape in: %0, 0 dst: %1\nret ret %1\n",
     "the shape heap is i64[2] on device 'npu'"},
    {"vm.builtin.load_dim", "call vm.builtin.load_dim in: %0, 0 dst: %1\nret ret %1\n",
     "the shape heap is i64[2] on device 'npu'"},
    {"vm.builtin.store_dim", "call vm.builtin.store_dim in: %0, 0, 1 dst: void\nret ret 0\n",
     "the shape heap is i64[2] on device 'npu'"},
    {"vm.builtin.match_shape",
     "call vm.builtin.alloc_shape_heap in: 1 dst: %1\ncall vm.builtin.match_shape in: %0, %1, "
     "\"x\", "
     "1, 0 dst: void\ncall vm.builtin.load_dim in: %1, 0 dst: %2\nret ret %2\n",
     "2"},
    {"vm.builtin.match_shape, heap",
     "call vm.builtin.match_shape in: %0, %0, \"x\", 1, 0 dst: void\nret ret 0\n",
     "the shape heap is i64[2] on device 'npu'"},
    {"tern.tensor.item_int", "call tern.tensor.item_int in: %0 dst: %1\nret ret %1\n",
     "the tensor is i64[2] on device 'npu'"},
    {"tern.tensor.to_list", "call tern.tensor.to_list in: %0 dst: %1\nret ret %1\n",
     "the tensor is i64[2] on device 'npu'"},
    {"tern.tensor.stack",
     "call vm.builtin.make_list in: %0 dst: %1\ncall tern.tensor.stack in: %1 dst: %2\nret ret "
     "%2\n",
     "tensor 0 is i64[2] on device 'npu'"},
    {"kill", "kill %0\nret ret 5\n", "5"},
};

TEST_F(Devices, B31_NothingTouchesWhatIsElsewhere) {
  for (const Touch& touch : kTouches) {
    SCOPED_TRACE(touch.name);
    const std::string_view body = touch.body;
    const bool is_kind = std::string_view(touch.name) == "device_copy, kind";
    const std::string got =
        OnDevice(is_kind ? StrCat("shape_of %0 dst: %1\n", body) : std::string(body));
    EXPECT_HAS(got, touch.expected);
  }
  EXPECT_EQ(npu_.live_blocks(), 0u);
}

// Where the host's error stands is told with it.
TEST_F(Devices, B31_ErrorsNameTheInstruction) {
  auto vm = MakeVm(
      ".func @main(x)\n  device_copy %0 device: 1 dst: %0\n  to_int %0 dst: %1\n  ret "
      "ret %1\n",
      {}, options_);
  const Status status = vm->Call("main", {Vector()}).status().Clone();
  EXPECT_EQ(status.error_code(), "E0208");
  const std::string text = text::RenderText(status);
  EXPECT_HAS(text, "@main at pc 1");
  EXPECT_HAS(text, "to_int %0");
  EXPECT_TRUE(vm->Call("main", {Vector()}).status().error_code() == "E0208") << "usable again";
}

TEST_F(Devices, B30_GraphsOfValuesStayOutOfIt) {
  const Any a =
      *Run(".func @main(x)\n  device_copy %0 device: 1 dst: %1\n  ret ret %1\n", {Matrix()});
  const Any b =
      *Run(".func @main(x)\n  device_copy %0 device: 1 dst: %1\n  ret ret %1\n", {Matrix()});
  EXPECT_TRUE(StructuralEqual(a, a));
  EXPECT_FALSE(StructuralEqual(a, b));
  EXPECT_EQ(StructuralHash(a).value(), StructuralHash(b).value());
  EXPECT_HAS(SerializeBinary(a).status().ToString(), "is on device 'npu'");
  EXPECT_FALSE(Constant::From(a).ok());
  const TensorPtr columns = a.TryCast<Tensor>()->Slice(1, 0, 3, 2).value();
  EXPECT_HAS(columns->Contiguous().status().ToString(), "on device 'npu', expected the processor");
}

}  // namespace
}  // namespace tern::vm::device_test
