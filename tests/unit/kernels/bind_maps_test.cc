// SPDX-License-Identifier: Apache-2.0
// Functions between tensors and maps, called with what a damaged program may hand them.
#include "core/kernels/bind/maps.h"

#include <gmock/gmock.h>

#include "core/object/containers/map.h"
#include "core/object/graph/print.h"
#include "core/object/memory_account.h"
#include "core/object/strings/string.h"
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::maps_test {
namespace {

using ::testing::HasSubstr;

std::string RunMap(std::string_view name, std::initializer_list<AnyView> args) {
  Registry registry;
  if (Status status = RegisterMapFunctions(&registry); !status.ok()) return status.ToString();
  Result<FunctionPtr> function = registry.Find(name);
  if (!function.ok()) return function.status().ToString();
  RunContext context;
  Result<Any> result = (*function)->Invoke(args, &context);
  return result.ok() ? PrintValue(*result) : result.status().ToString();
}

TEST(MapFunctions, RowsOfAViewThatIsNotContiguous) {
  const TensorPtr x = F({2, 2}, {1, 2, 3, 4});
  const int64_t dims[] = {2, 2}, strides[] = {1, 2};
  const TensorPtr turned = x->View(dims, strides, 0).value();
  const TensorPtr keys = I({2}, {5, 6});
  EXPECT_EQ(RunMap("map_rows", {AnyView(turned), AnyView(keys)}),
            "list[map{5: 1, 6: 3}, map{5: 2, 6: 4}]");
}

TEST(MapFunctions, LastOfEqualKeysStays) {
  EXPECT_EQ(RunMap("map_rows", {AnyView(F({2}, {1, 2})), AnyView(I({2}, {5, 5}))}),
            "list[map{5: 2}]");
}

TEST(MapFunctions, RefuseWhatIsNoMapOrNoKeys) {
  const TensorPtr x = F({1, 2}, {1, 2}), keys = I({2}, {5, 6});
  const Map<int64_t, double> map = {{1, 2.0}};
  const Any value(map);
  EXPECT_THAT(RunMap("map_rows", {AnyView(x)}), HasSubstr("takes 2 to 2 arguments, got 1"));
  EXPECT_THAT(RunMap("map_rows", {AnyView(x), AnyView(x)}),
              HasSubstr("the keys are f32[1, 2], expected i64[n] or string[n]"));
  EXPECT_THAT(RunMap("map_rows", {AnyView(keys), AnyView(keys)}), HasSubstr("x is i64[2]"));
  EXPECT_THAT(RunMap("map_rows", {AnyView(int64_t{3}), AnyView(keys)}), HasSubstr("x is 3"));
  EXPECT_THAT(RunMap("map_values", {AnyView(x)}), HasSubstr("map_values"));
  EXPECT_THAT(RunMap("map_look_up", {value, AnyView(int64_t{1})}), HasSubstr("the keys are 1"));
}

TEST(MapFunctions, RefuseItemsOfOtherKinds) {
  const Map<String, double> named = {{"a", 2.0}};
  EXPECT_THAT(RunMap("map_values", {Any(named)}), HasSubstr("expected int"));
  const Map<int64_t, double> numbers = {{1, 2.5}};
  EXPECT_THAT(RunMap("map_values{of=string}", {Any(numbers)}), HasSubstr("expected string"));
  EXPECT_THAT(RunMap("map_values{of=i64}", {Any(numbers)}), HasSubstr("expected int"));
  const Map<int64_t, double> negative = {{-1, 2.5}};
  EXPECT_THAT(RunMap("map_values{width=4}", {Any(negative)}), HasSubstr("the key -1"));
}

TEST(MapFunctions, RefuseAttributes) {
  const Map<int64_t, double> map;
  EXPECT_THAT(RunMap("map_values{width=-2}", {Any(map)}), HasSubstr("width"));
  EXPECT_THAT(RunMap("map_values{width=9000000000}", {Any(map)}), HasSubstr("width"));
  EXPECT_THAT(RunMap("map_values{of=u8}", {Any(map)}), HasSubstr("'of' is u8"));
  EXPECT_THAT(RunMap("map_values{of=tensor}", {Any(map)}), HasSubstr("tensor"));
  EXPECT_THAT(RunMap("map_turn", {Any(map)}), HasSubstr("no function or operator 'map_turn'"));
}

TEST(MapFunctions, RowsNeedColumns) {
  const TensorPtr endless = Tensor::New(kF32, std::vector<int64_t>{int64_t{1} << 40, 0}).value();
  EXPECT_THAT(RunMap("map_rows", {AnyView(endless), AnyView(I({0}, {}))}),
              HasSubstr("there are no keys"));
}

TEST(MapFunctions, AskForRoomFirst) {
  const TensorPtr x = Iota({1000, 2}), keys = I({2}, {1, 2});
  const ObjectPtr<Allocator> allocator = MakeNaiveAllocator();
  MemoryAccount account(allocator.get());
  account.set_limit(10000);
  const MemoryAccount::Scope scope(&account);
  EXPECT_THAT(RunMap("map_rows", {AnyView(x), AnyView(keys)}),
              HasSubstr("map_rows: no memory for 343.8 KiB"));
}

}  // namespace
}  // namespace tern::kernels::maps_test
