// SPDX-License-Identifier: Apache-2.0
// The checker of memory plans finds what it must: plans that were good and have been spoiled.
#include <gtest/gtest.h>

#include "core/ir/passes/plan_memory.h"
#include "core/ir/text/parser.h"

namespace tern::ir::memory_plan_test {
namespace {

constexpr std::string_view kProgram =
    "fn main(%x: f32[64], %y: f32[n], %c: bool) {\n"
    "  let %0 = exp(%x)\n  let %1 = abs(%x)\n  let %2 = add(%0, %1)\n  let %3 = neg(%2)\n"
    "  let %4 = exp(%y)\n  let %5 = abs(%y)\n  let %6 = add(%4, %5)\n"
    "  let %7 = if %c {\n    let %8 = add(%6, %4)\n    let %9 = neg(%8)\n    result %9\n"
    "  } else {\n    let %10 = neg(%4)\n    result %10\n  }\n"
    "  return (%3, %7)\n}\n";

class MemoryPlan : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Module> module = ParseModule("test", kProgram);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    function_ = module->Find("main");
    plan_ = PlanMemory("main", *function_);
    ASSERT_TRUE(CheckMemoryPlan(*function_, plan_).ok());
    for (const int64_t n : {0, 1, 64, 1000}) ASSERT_EQ(Check(n), "");
  }
  std::string Check(int64_t n = 8) const {
    return std::string(CheckMemoryPlan(*function_, plan_, {{"n", types::Dim(n)}}).message());
  }
  PlannedTensor& At(int binding) {
    for (PlannedTensor& tensor : plan_.tensors) {
      if (tensor.first == binding) return tensor;
    }
    ADD_FAILURE() << "no tensor of binding " << binding;
    return plan_.tensors[0];
  }

  FunctionPtr function_;
  FunctionPlan plan_;
};

TEST_F(MemoryPlan, B24ReusesWhatIsFree) {
  EXPECT_EQ(plan_.static_bytes_before, 3 * 256);
  EXPECT_EQ(plan_.static_bytes_after, 3 * 256);  // two operands and their sum are there at once
  EXPECT_EQ(plan_.static_bytes_live, 3 * 256);
  EXPECT_EQ(plan_.symbolic_tensors, 4);
  EXPECT_EQ(plan_.unplanned, 3);  // the results, also those of branches
}

TEST_F(MemoryPlan, TwoInOnePlace) {
  At(1).offset = At(0).offset;
  EXPECT_NE(Check().find("lies over that of binding 0"), std::string::npos) << Check();
}

// Laid out anew with the lifetime that is too short.
TEST_F(MemoryPlan, TwoOfSymbolicSizeInOnePlace) {
  At(5).first = At(5).last = At(6).last + 10;
  EXPECT_NE(Check().find("lies over that of binding 4"), std::string::npos) << Check();
  EXPECT_EQ(CheckMemoryPlan(*function_, plan_).message(), "") << "sizes are not known";
}

// What a branch makes lies over what the branch still reads.
TEST_F(MemoryPlan, OverWhatABranchNeeds) {
  At(6).last = At(6).first;
  At(5).last = At(8).last;  // keeps the one place that would be lower
  EXPECT_NE(Check().find("lies over that of binding 6"), std::string::npos) << Check();
}

// Alive at once are 4, 5 and 6, and then 4, 6 and 8.
TEST_F(MemoryPlan, SizesDecideWhereTensorsLie) {
  const std::optional<PlacedPlan> placed = PlaceTensors(plan_, {{"n", types::Dim(1000)}});
  ASSERT_TRUE(placed.has_value());
  EXPECT_EQ(placed->arena, 768 + 3 * 4032);
  EXPECT_EQ(placed->planned, placed->arena + 256 + 2 * 4032);
  for (size_t i = 0; i < plan_.tensors.size(); ++i) {
    const PlannedTensor::Where where = plan_.tensors[i].where;
    EXPECT_EQ(placed->base[i] >= placed->arena, where == PlannedTensor::Where::kOwn);
    if (where == PlannedTensor::Where::kStatic) EXPECT_EQ(placed->base[i], plan_.tensors[i].offset);
  }
  EXPECT_EQ(PlaceTensors(plan_, {}), std::nullopt);
}

TEST_F(MemoryPlan, ResultsOutliveTheirPlace) {
  At(3).where = PlannedTensor::Where::kStatic;
  EXPECT_NE(Check().find("outlives its place"), std::string::npos) << Check();
}

TEST_F(MemoryPlan, PlacesThatAreNone) {
  const FunctionPlan good = plan_;
  At(0).offset = 32;
  EXPECT_NE(Check().find("no multiple of 64"), std::string::npos) << Check();
  plan_ = good;
  At(0).offset = 3 * 256;
  EXPECT_NE(Check().find("of an arena of 768"), std::string::npos) << Check();
  plan_ = good;
  At(0).bytes = types::Dim(64);
  EXPECT_NE(Check().find("needs 256 bytes"), std::string::npos) << Check();
}

TEST_F(MemoryPlan, Json) {
  Module module;
  module.Set("main", function_);
  JsonWriter json;
  WriteMemoryPlanJson(module, nullptr, &json);
  EXPECT_TRUE(json.text().starts_with(
      "{\"functions\":[{\"name\":\"main\",\"static\":{\"before\":768,\"after\":768,\"live\":768}"))
      << json.text();
  EXPECT_NE(json.text().find("\"bytes\":\"4*n\""), std::string::npos) << json.text();
  EXPECT_EQ(json.text().find("\"at\""), std::string::npos) << json.text();
  // Places need the extent of every symbol.
  const Sizes none, sizes = {{"n", types::Dim(16)}};
  JsonWriter without, with;
  WriteMemoryPlanJson(module, &none, &without);
  EXPECT_EQ(without.text().find("\"at\""), std::string::npos) << without.text();
  WriteMemoryPlanJson(module, &sizes, &with);
  EXPECT_NE(with.text().find("\"at\":{\"before\":"), std::string::npos) << with.text();
}

}  // namespace
}  // namespace tern::ir::memory_plan_test
