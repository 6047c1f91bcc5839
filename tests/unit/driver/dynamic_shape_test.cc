// SPDX-License-Identifier: Apache-2.0
// One executable serves every extent of a symbolic dimension, through branches, calls and closures.
#include <gtest/gtest.h>

#include "core/driver/compile_module.h"
#include "core/ir/text/parser.h"
#include "core/kernels/bind/bind.h"
#include "core/vm/vm.h"

namespace tern::driver::dynamic_shape_test {
namespace {

constexpr std::string_view kProgram =
    "const @w: f32[4, 3] = 0.5\n"
    "fn layer(%x: f32[n, 4], %deep: int) -> f32[n, 3] {\n"
    "  let %0 = matmul(%x, @w)\n"
    "  let %again = gt.scalar(%deep, 0)\n"
    "  let %1 = if %again {\n"
    "    let %less = sub.scalar(%deep, 1)\n"
    "    let %2 = layer(%x, %less)\n"
    "    let %3 = add(%2, %0)\n"
    "    result %3\n"
    "  } else {\n    result %0\n  }\n"
    "  return %1\n}\n"
    "fn main(%x: f32[n, 4], %scale: f32[n, 1]) {\n"
    "  let %f = lambda(%deep: int) {\n"
    "    let %0 = layer(%x, %deep)\n"
    "    let %1 = mul(%0, %scale)\n"
    "    result %1\n  }\n"
    "  let %y = %f(2): f32[n, 3]\n"
    "  return %y\n}\n";

TensorPtr Filled(int64_t rows, int64_t columns, float value) {
  const int64_t dims[] = {rows, columns};
  const std::vector<float> values(static_cast<size_t>(rows * columns), value);
  return *Tensor::FromValues<float>(values, dims);
}

TEST(DynamicShape, B28EveryBatchThroughOneExecutable) {
  Result<ir::Module> module = ir::ParseModule("test", kProgram);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  CompileMemory memory(0);
  Result<CompileResult> compiled = CompileModule(*std::move(module), {}, "lower", &memory);
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  Registry registry;
  ASSERT_TRUE(kernels::RegisterOperators(&registry).ok());
  vm::LinkOptions link;
  link.registry = &registry;
  Result<vm::ProgramPtr> program = vm::Program::Link(compiled->executable, link);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  const auto machine = vm::VirtualMachine::Create(*program).value();
  for (int64_t batch = 1; batch <= 17; ++batch) {
    const TensorPtr x = Filled(batch, 4, 1), scale = Filled(batch, 1, 2);
    const Result<Any> result = machine->Call("main", {x, scale});
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    const Tensor* y = result->TryCast<Tensor>();
    ASSERT_NE(y, nullptr);
    EXPECT_EQ(y->TypeText(), StrCat("f32[", batch, ", 3]"));
    for (int64_t i = 0; i < y->element_count(); ++i) EXPECT_EQ(y->data_as<float>()[i], 12.0f);
  }
  // Names, expected and actual in the error, where two arguments disagree.
  const TensorPtr x = Filled(2, 4, 1), wrong = Filled(3, 1, 2);
  const Status status = machine->Call("main", {x, wrong}).status();
  EXPECT_EQ(status.error_code(), "E0203");
  EXPECT_NE(std::string(status.message()).find("scale"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace tern::driver::dynamic_shape_test
