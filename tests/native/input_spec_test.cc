// SPDX-License-Identifier: Apache-2.0
#include "native/cli/input_spec.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "core/base/strings.h"
#include "native/cli/elements.h"
#include "native/platform/mapped_file.h"

namespace tern::cli::input_spec_test {
namespace {

const std::vector<ParamInfo> kParams = {{"x", "f32", {"n", "2"}},
                                        {"count", "i64", {}},
                                        {"flag", "bool", {"1"}},
                                        {"n", "int", {}, false},
                                        {"on", "bool", {}, false},
                                        {"text", "string", {}, false},
                                        {"table", "Map[string, int]", {}, false}};

Result<NamedArray> Parse(std::string_view text, const DimBindings& dims = {}) {
  std::vector<NamedArray> out;
  TERN_TRY(ParseInput(text, dims, kParams, &out));
  TERN_CHECK(out.size() == 1, "one input gives one array");
  return std::move(out[0]);
}

std::string Show(const Result<NamedArray>& input) {
  if (!input.ok()) return StrCat("error: ", input.status().message());
  const Array& array = input.value().array;
  std::string text = StrCat(input.value().name, "=", TypeText(array.dtype, array.shape), ":");
  for (size_t i = 0; i < array.bytes.size() / ElementSize(array.dtype); ++i) {
    StrAppend(&text, i == 0 ? "" : ",", ElementAsDouble(array, i));
  }
  return text;
}

TEST(InputSpec, Literals) {
  EXPECT_EQ(Show(Parse("x=f32[2,3]:1,2,3,4,5,6")), "x=f32[2, 3]:1,2,3,4,5,6");
  EXPECT_EQ(Show(Parse("x=f32[2,3]:[[1,2,3],[4,5,6]]")), "x=f32[2, 3]:1,2,3,4,5,6");
  EXPECT_EQ(Show(Parse("2x3xf32=1,2,3,4,5,6")), "=f32[2, 3]:1,2,3,4,5,6");
  EXPECT_EQ(Show(Parse("x=2xi8=-1,2")), "x=i8[2]:-1,2");
  EXPECT_EQ(Show(Parse("input.1=u8[2]:1,255")), "input.1=u8[2]:1,255");
  EXPECT_EQ(Show(Parse("x=bool[2]:true,false")), "x=bool[2]:1,0");
  EXPECT_EQ(Show(Parse("x=f32[0]:")), "x=f32[0]:");
}

TEST(InputSpec, IntegersKeepAllBits) {
  const Result<NamedArray> input = Parse("x=i64[1]:9223372036854775807");
  ASSERT_TRUE(input.ok());
  int64_t value = 0;
  memcpy(&value, input.value().array.bytes.data(), 8);
  EXPECT_EQ(value, INT64_MAX);
}

TEST(InputSpec, ScalarsTakeTheParametersType) {
  EXPECT_EQ(Show(Parse("count=18")), "count=i64[]:18");
  EXPECT_EQ(Show(Parse("flag=true")), "flag=bool[1]:1");
  EXPECT_EQ(Show(Parse("x=2.5")), "x=f32[1, 1]:2.5");
}

TEST(InputSpec, ValuesThatAreNoTensorsKeepTheirText) {
  const auto show = [](std::string_view text) {
    const Result<NamedArray> input = Parse(text);
    if (!input.ok()) return StrCat("error: ", input.status().message());
    const Array& array = input.value().array;
    return StrCat(array.is_scalar ? "" : "tensor ", array.dtype, " ",
                  std::string(array.bytes.begin(), array.bytes.end()));
  };
  EXPECT_EQ(show("n=18"), "int 18");
  EXPECT_EQ(show("on=true"), "bool true");
  EXPECT_EQ(show("text=a b"), "string a b");
  EXPECT_FALSE(Parse("flag=bool[2]:true,false").value().array.is_scalar);
}

TEST(InputSpecBad, ValuesOfTheWrongKind) {
  for (const char* text : {"n=1.5", "n=", "on=1", "table=3"})
    EXPECT_FALSE(Parse(text).ok()) << text;
  EXPECT_NE(Parse("table=3").status().message().find("Map[string, int]"), std::string::npos);
}

TEST(InputSpec, Generators) {
  EXPECT_EQ(Show(Parse("x=f32[3]:zeros")), "x=f32[3]:0,0,0");
  EXPECT_EQ(Show(Parse("x=i32[2]:ones")), "x=i32[2]:1,1");
  EXPECT_EQ(Show(Parse("x=i32[4]:arange")), "x=i32[4]:0,1,2,3");
  EXPECT_EQ(Show(Parse("x=f64[2]:const(3)")), "x=f64[2]:3,3");
  EXPECT_EQ(Show(Parse("x=f32[2]:random(seed=1)")), Show(Parse("x=f32[2]:random(seed=1,uniform)")));
  EXPECT_NE(Show(Parse("x=f32[2]:random(seed=1)")), Show(Parse("x=f32[2]:random(seed=2)")));
}

TEST(InputSpec, RandomIntegersHaveARange) {
  const Array some = Parse("x=i64[100]:random").value().array;
  const Array given = Parse("x=u8[100]:random(200,202,seed=7)").value().array;
  bool differ = false;
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_GE(ElementAsDouble(some, i), 0);
    EXPECT_LT(ElementAsDouble(some, i), 100);
    EXPECT_GE(ElementAsDouble(given, i), 200);
    EXPECT_LT(ElementAsDouble(given, i), 202);
    differ = differ || ElementAsDouble(some, i) != ElementAsDouble(some, 0);
  }
  EXPECT_TRUE(differ);
}

TEST(InputSpec, EmptyListsNestToo) {
  EXPECT_EQ(Show(Parse("x=f32[0]:[]")), "x=f32[0]:");
  EXPECT_EQ(Show(Parse("x=f32[2,0]:[[],[]]")), "x=f32[2, 0]:");
  EXPECT_EQ(Show(Parse("x=f32[]:3")), "x=f32[]:3");
  EXPECT_EQ(Show(Parse("x=f32[1,2,1]:[ [[1], [2]] ]")), "x=f32[1, 2, 1]:1,2");
}

TEST(InputSpec, IntegersMayBeWrittenAsFloatsThatAreNone) {
  EXPECT_EQ(Show(Parse("x=i32[2]:1e3,-2.0")), "x=i32[2]:1000,-2");
}

TEST(InputSpecBad, MemoryIsChargedBeforeItIsAllocated) {
  std::vector<NamedArray> out;
  MemoryBudget budget = {.limit = 100, .used = 0};
  ASSERT_TRUE(ParseInput("x=f32[20]:zeros", {}, kParams, &out, &budget).ok());
  EXPECT_EQ(budget.used, 80u);
  const Status more = ParseInput("x=f32[6]:zeros", {}, kParams, &out, &budget);
  EXPECT_EQ(more.error_code(), "E0302");
  EXPECT_EQ(more.code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(Parse("x=f32[200000000000]:zeros").status().error_code(), "E0302");
}

TEST(InputSpec, SymbolicDimensionsAreBound) {
  DimBindings dims;
  ASSERT_TRUE(ParseDim("n=2", &dims).ok());
  EXPECT_EQ(Show(Parse("x=f32[n,2]:ones", dims)), "x=f32[2, 2]:1,1,1,1");
}

TEST(InputSpec, RawFilesAndNpy) {
  char name[] = "/tmp/tern-input-XXXXXX";
  const std::string folder = mkdtemp(name);
  const uint8_t raw[] = {1, 0, 2, 0};
  ASSERT_TRUE(native::WriteFile(folder + "/raw.bin", std::span<const uint8_t>(raw)).ok());
  EXPECT_EQ(Show(Parse("x=i16[2]@" + folder + "/raw.bin")), "x=i16[2]:1,2");
  EXPECT_NE(Show(Parse("x=i16[3]@" + folder + "/raw.bin")).find("takes 6 bytes"),
            std::string::npos);
  const Array array = Parse("x=f32[2]:3,4").value().array;
  ASSERT_TRUE(native::WriteFile(folder + "/x.npy", FormatNpy(array)).ok());
  EXPECT_EQ(Show(Parse("x=@" + folder + "/x.npy")), "x=f32[2]:3,4");
  EXPECT_EQ(Show(Parse("@" + folder + "/x.npy")), "=f32[2]:3,4");
  EXPECT_EQ(system(("rm -r " + folder).c_str()), 0);
}

TEST(InputSpec, EveryFillerThatIsNamedFills) {
  for (const std::string_view filler : kFillers) {
    Array array{"f32", {2}, std::vector<uint8_t>(8)};
    const std::string text = StrCat(filler, filler == "const"    ? "(3)"
                                            : filler == "random" ? "()"
                                                                 : "");
    bool known = false;
    EXPECT_TRUE(FillGenerated(text, &array, &known).ok()) << text;
    EXPECT_TRUE(known) << text;
  }
}

TEST(InputSpec, SaysWhatIsWrong) {
  const struct {
    const char* input;
    const char* part;
  } kCases[] = {
      {"x=f32[2]:1,2,3", "has 2 elements, the list has 3"},
      {"x=f32[2]:1,two", "'two' is not a number"},
      {"x=f32[2]", "after the type comes ':'"},
      {"x=f32[2:1,2", "no ']'"},
      {"x=f32[n]:ones", "dimension 'n' has no value"},
      {"x=f32[-1]:", "negative"},
      {"x=f32[99999999,99999999]:zeros", "too large"},
      {"x=f32[2]:random(sead=1)", "not 'sead=1'"},
      {"x=hello", "'hello' is not a number"},
      {"x=f23[2]:1,2", "no data type 'f23'; there are f32, f64, f16, bf16"},
      {"x=f23[2]:1,2", "did you mean 'f32'?"},
      {"x=quux[2]:1,2", "i64, u8, u16, u32, u64, bool"},
      {"x=f32[2]:zeroes", "nothing is called 'zeroes'"},
      {"x=f32[2]:zeroes", "did you mean 'zeros'?"},
      {"x=f32[2]:rnadom(seed=1)", "did you mean 'random'?"},
      {"x=f32[2]:zeros(2)", "'zeros(2)' is not one of zeros, ones"},
      {"x=f32[2]:two,1", "there are zeros, ones, arange, const, random"},
      {"x=f32[3]:inf,nan", "has 3 elements, the list has 2"},
      {"x=bool[3]:true,false", "has 3 elements, the list has 2"},
      {"x=x.npy", "a file is given as '@x.npy'"},
      {"x=i64[2]:1.5,2", "'1.5' is no integer"},
      {"x=i8[1]:128", "'128' is outside of i8"},
      {"x=f32[1]:1e39", "too large for f32"},
      {"x=f32[2,1]:[1,2]", "not nested as deep"},
      {"x=f32[2]:[1,2]]", "one ']' too many"},
      {"x=f32[2]:[1,2][1]", "goes on after its last"},
      {"x=f32[2]:[[1,2]]", "nested deeper"},
      {"x=f32[2]:[1,2,3]", "expected 2 items, got more"},
      {"x=@/nothing/here.npy", "No such file"},
      {"@/nothing/here.npz", "No such file"},
  };
  for (const auto& [input, part] : kCases) {
    const std::string shown = Show(Parse(input));
    EXPECT_NE(shown.find(part), std::string::npos) << input << " gave " << shown;
  }
}

TEST(InputSpec, BadDims) {
  DimBindings dims;
  for (const char* text : {"n", "=3", "n=x", "n=-1", ""}) {
    const Status status = ParseDim(text, &dims);
    EXPECT_EQ(status.error_code(), "E0005") << text;
  }
  ASSERT_TRUE(ParseDim("n=1", &dims).ok());
  EXPECT_EQ(ParseDim("n=1", &dims).error_code(), "E0007");
}

}  // namespace
}  // namespace tern::cli::input_spec_test
