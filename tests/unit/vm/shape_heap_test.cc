// SPDX-License-Identifier: Apache-2.0
// Shape heaps: what the founding documents compute with them, and errors that say which argument,
// axis and symbol is wrong.
#include "core/object/graph/print.h"
#include "core/object/strings/string.h"
#include "core/vm/builtins/builtins.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::shape_heap_test {
namespace {

TensorPtr Zeros(std::initializer_list<int64_t> dims) { return Tensor::New(kF32, dims).value(); }

// f(x: (n, m), y: (n, m)), then (j, k) = (m + 1, n + 1) over the heap.
constexpr std::string_view kProgram = R"(
.func @main(x: tensor, y: tensor)
  call  vm.builtin.alloc_shape_heap in: 4 dst: %2
  call  vm.builtin.match_shape in: %0, %2, "x[n, m]", 1, 0, 1, 1 dst: void
  call  vm.builtin.match_shape in: %1, %2, "y[n, m]", 2, 0, 2, 1 dst: void
  call  vm.builtin.load_dim in: %2, 1 dst: %3
  add   %3, 1 dst: %3
  call  vm.builtin.store_dim in: %2, 2, %3 dst: void
  call  vm.builtin.load_dim in: %2, 0 dst: %3
  add   %3, 1 dst: %3
  call  vm.builtin.store_dim in: %2, 3, %3 dst: void
  call  vm.builtin.load_shape in: %2, 2, 3 dst: %4
  ret   ret %4
)";

TEST(ShapeHeap, C07_TwoDynamicShapesInOneSession) {
  auto vm = MakeVm(kProgram);
  EXPECT_EQ(PrintValue(vm->Call("main", {Zeros({32, 16}), Zeros({32, 16})}).value()), "[17, 33]");
  EXPECT_EQ(PrintValue(vm->Call("main", {Zeros({1, 5}), Zeros({1, 5})}).value()), "[6, 2]");
}

TEST(ShapeHeap, C08_MismatchNamesArgumentAxisAndSymbol) {
  auto vm = MakeVm(kProgram);
  const Status status = vm->Call("main", {Zeros({2, 3}), Zeros({4, 3})}).status();
  EXPECT_EQ(status.error_code(), "E0203");
  const text::Diagnostics* diagnostics = text::DiagnosticsOf(status);
  ASSERT_NE(diagnostics, nullptr);
  const text::Diagnostic& d = diagnostics->items()[0];
  EXPECT_EQ(d.message, "shape mismatch for y: axis 0 (n): expected 2, got 4 of [4, 3]");
  EXPECT_EQ(d.notes[0], "expected because n, shape heap entry 0, is 2");
  const Status rank = vm->Call("main", {Zeros({2, 3}), Zeros({2, 3, 1})}).status();
  EXPECT_NE(rank.ToString().find("rank mismatch for y: expected 2, got 3"), std::string::npos)
      << rank.ToString();
}

Status Match(std::string_view name, const Tensor& x) {
  const FunctionPtr match = FindBuiltin("vm.builtin.match_shape");
  const TensorPtr heap = Tensor::FromValues<int64_t>({7, 8}, {2}).value();
  return match
      ->Invoke({AnyView(const_cast<Tensor*>(&x)), AnyView(heap), AnyView(String(name)), AnyView(3),
                AnyView(2), AnyView(2), AnyView(1)})
      .status()
      .Clone();
}

TEST(ShapeHeap, C08_NamesWithoutSymbolsWillDo) {
  const TensorPtr x = Zeros({2, 9});
  EXPECT_NE(Match("x", *x).ToString().find("for x: axis 1: expected 8, got 9"), std::string::npos);
  EXPECT_NE(Match("", *x).ToString().find("mismatch: axis 1: expected 8"), std::string::npos);
  EXPECT_NE(Match("x[n]", *x).ToString().find("for x: axis 1: expected 8"), std::string::npos);
  EXPECT_NE(Match("x[n, m]", *x).ToString().find("axis 1 (m): expected 8"), std::string::npos);
}

// C06: indices are checked, the heap is left alone.
TEST(ShapeHeap, C06_BadUse) {
  const TensorPtr heap = Tensor::FromValues<int64_t>({7, 8}, {2}).value();
  const FunctionPtr store = FindBuiltin("vm.builtin.store_shape");
  const FunctionPtr load = FindBuiltin("vm.builtin.load_shape");
  const ShapePtr shape = Shape::Make(std::vector<int64_t>{1, 2});
  EXPECT_FALSE(store->Invoke({shape, heap, 0, 2}).ok());
  EXPECT_FALSE(store->Invoke({shape, heap, 0}).ok());
  EXPECT_FALSE(store->Invoke({shape, shape, 0, 1}).ok());
  EXPECT_FALSE(load->Invoke({heap, -1}).ok());
  EXPECT_FALSE(load->Invoke({heap, 0.5}).ok());
  EXPECT_FALSE(load->Invoke({Zeros({2}), 0}).ok());
  EXPECT_TRUE(store->Invoke({shape, heap, 1, 0}).ok());
  EXPECT_EQ(PrintValue(load->Invoke({heap, 0, 1}).value()), "[2, 1]");
}

// C05: all builtins can be listed, with what they take and do.
TEST(ShapeHeap, C05_BuiltinsAreListed) {
  EXPECT_GE(AllBuiltins().size(), 11u);
  for (const BuiltinInfo& info : AllBuiltins()) {
    EXPECT_TRUE(info.name.starts_with("vm.builtin.")) << info.name;
    EXPECT_TRUE(info.signature.starts_with("(")) << info.name;
    EXPECT_FALSE(info.meaning.empty()) << info.name;
    const FunctionPtr function = FindBuiltin(info.name);
    ASSERT_TRUE(function) << info.name;
    EXPECT_EQ(function->signature(), info.signature);
  }
  EXPECT_FALSE(FindBuiltin("vm.builtin.none"));
}

}  // namespace
}  // namespace tern::vm::shape_heap_test
