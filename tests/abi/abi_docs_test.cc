// SPDX-License-Identifier: Apache-2.0
// docs/abi.md shows the layouts of the real header, all of them, and the package has its numbers.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/abi/abi.h"
#include "core/api/c_api.h"
#include "core/api/loop_api.h"
#include "tests/support/read_file.h"
#include "tools/gen/abi_markdown.h"
#include "tools/gen/abi_typescript.h"
#include "tools/gen/layouts_typescript.h"
#include "tools/gen/struct_layout.h"

namespace tern::abi_docs_test {
namespace {

TEST(AbiDocs, QuoteTheRealHeader) {
  const std::string header = ReadFile(TERN_SOURCE_DIR "/core/abi/abi.h");
  const std::string document = ReadFile(TERN_SOURCE_DIR "/docs/abi.md");
  EXPECT_GE(gen::AbiRegions(header).size(), 10u);
  std::string missing;
  EXPECT_TRUE(gen::QuoteAbi(document, header, &missing) == document)
      << "run update_docs " << missing;
  EXPECT_EQ(missing, "");
}

TEST(AbiDocs, ThePackageHasTheNumbersOfTheHeaders) {
  EXPECT_EQ(ReadFile(TERN_SOURCE_DIR "/" + std::string(gen::kAbiTypeScriptPath)),
            gen::AbiTypeScript(ReadFile(TERN_SOURCE_DIR "/core/abi/abi.h"),
                               ReadFile(TERN_SOURCE_DIR "/core/api/c_api.h")))
      << "run update_docs";
}

TEST(AbiDocs, EnumeratorsBecomeConstants) {
  const std::string text = gen::AbiTypeScript(
      "TERN_TYPE_S0_LAST = -13,\n TERN_TYPE_NEXT,\n TERN_TYPE_SAME = TERN_TYPE_NEXT };",
      "TERN_OPERAND_VM = 5 };");
  EXPECT_EQ(text.substr(text.find("export")),
            "export const kTypeS0Last = -13;\nexport const kOperandVm = 5;\n"
            "/** The first bytes of an executable. */\n"
            "export const kFileMagic = [137, 84, 69, 82, 78, 13, 10, 26];\n");
}

// The texts of the headers that the package's layouts are made from.
std::vector<std::string> LayoutHeaders() {
  std::vector<std::string> texts;
  for (std::string_view header : gen::kLayoutHeaders)
    texts.push_back(ReadFile(TERN_SOURCE_DIR "/" + std::string(header)));
  return texts;
}

// "8 u64" of a field as read from the headers, for this processor's pointers.
std::string PlaceOf(std::string_view struct_name, std::string_view field) {
  const std::vector<std::string> texts = LayoutHeaders();
  const auto layouts = gen::StructLayouts({texts.begin(), texts.end()}, sizeof(void*));
  if (!layouts.ok()) return layouts.status().ToString();
  for (const gen::StructLayout& layout : *layouts) {
    if (layout.name != struct_name) continue;
    if (field.empty()) return std::to_string(layout.size);
    for (const gen::FieldLayout& each : layout.fields)
      if (each.name == field) return std::to_string(each.offset) + " " + each.type;
  }
  return "none";
}

TEST(AbiDocs, ThePackageHasTheLayoutsOfTheHeaders) {
  const std::vector<std::string> texts = LayoutHeaders();
  const auto made = gen::LayoutsTypeScript({texts.begin(), texts.end()});
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(ReadFile(TERN_SOURCE_DIR "/" + std::string(gen::kLayoutsTypeScriptPath)), *made)
      << "run update_docs";
}

TEST(AbiDocs, ThePackageHasTheInstructions) {
  EXPECT_EQ(ReadFile(TERN_SOURCE_DIR "/" + std::string(gen::kIsaTypeScriptPath)),
            gen::IsaTypeScript())
      << "run update_docs";
}

// What the compiler of this test says about the same structs.
TEST(AbiDocs, LayoutsAreThoseOfTheCompiler) {
#define EXPECT_PLACE(type, field, kind) \
  EXPECT_EQ(PlaceOf(#type, #field), std::to_string(offsetof(type, field)) + " " kind)
  EXPECT_PLACE(tern_vm_options, max_instructions, "u64");
  EXPECT_PLACE(tern_vm_options, max_depth, "u32");
  EXPECT_PLACE(tern_vm_options, max_time_ms, "u64");
  EXPECT_PLACE(tern_debug_options, trace_steps, "u64");
  EXPECT_PLACE(tern_compile_options, relaxed_math, "i32");
  EXPECT_PLACE(tern_compile_options, exact_convolutions, "i32");
  EXPECT_PLACE(tern_compile_options, external_data, "pointer");
  EXPECT_PLACE(tern_kernel_spec, self, "pointer");
  EXPECT_PLACE(tern_kernel_spec, release, "pointer");
  EXPECT_PLACE(tern_kernel_backend, context, "pointer");
  EXPECT_PLACE(tern_operand, value, "i64");
  EXPECT_PLACE(tern_loop_request, max_steps, "i64");
  EXPECT_PLACE(tern_loop_lanes_options, tail, "i32");
  EXPECT_PLACE(tern_loop_tune_request, min_gain, "f64");
  EXPECT_PLACE(TernFunction, flags, "u32");
  EXPECT_PLACE(TernTensor, flags, "u64");
#undef EXPECT_PLACE
  EXPECT_EQ(PlaceOf("TernAny", "f"), std::to_string(offsetof(TernAny, v)) + " f64");
  EXPECT_EQ(PlaceOf("TernAny", "char32"), std::to_string(offsetof(TernAny, v)) + " u32");
  EXPECT_EQ(PlaceOf("tern_compile_options", ""), std::to_string(sizeof(tern_compile_options)));
  EXPECT_EQ(PlaceOf("tern_kernel_backend", ""), std::to_string(sizeof(tern_kernel_backend)));
  EXPECT_EQ(PlaceOf("TernAny", ""), std::to_string(sizeof(TernAny)));
  EXPECT_EQ(PlaceOf("TernTensor", ""), std::to_string(sizeof(TernTensor)));
}

TEST(AbiDocs, PointersOf32BitsMoveWhatFollows) {
  const std::string_view text =
      "typedef enum a_kind { A = 1, /* not ; */ B } a_kind;\n#define X typedef struct y {\n"
      "typedef struct a { const char* text; a_kind kind; double d; void (*f)(int a, int b); } a;";
  const auto narrow = gen::StructLayouts({text}, 4);
  ASSERT_TRUE(narrow.ok()) << narrow.status().ToString();
  ASSERT_EQ(narrow->size(), 1u);
  EXPECT_EQ(narrow->front().fields[3].offset, 16u);
  EXPECT_EQ(narrow->front().size, 24u);
  const auto wide = gen::StructLayouts({text}, 8);
  ASSERT_TRUE(wide.ok());
  EXPECT_EQ(wide->front().fields[3].offset, 24u);
  EXPECT_EQ(wide->front().size, 32u);
}

TEST(AbiDocsBad, LayoutsThatAreNotUnderstoodAreRefused) {
  const auto message = [](std::string_view text) {
    const auto made = gen::StructLayouts({text}, 4);
    return made.ok() ? "fine" : std::string(made.status().message());
  };
  EXPECT_EQ(message("typedef struct a { int32_t x; } a;"), "fine");
  EXPECT_NE(message("typedef struct a { strange x; } a;")
                .find("struct a: a type that is not known at 'strange'"),
            std::string::npos);
  EXPECT_NE(message("typedef struct a { int32_t x : 3; } a;").find("expected ';' at ':'"),
            std::string::npos);
  EXPECT_NE(message("typedef struct a { int32_t x[N]; } a;").find("an array without a number"),
            std::string::npos);
  EXPECT_NE(message("typedef struct a { int32_t x;").find("the text ends"), std::string::npos);
  EXPECT_NE(message("typedef struct a { void (f)(int); } a;").find("pointer to a function"),
            std::string::npos);
}

TEST(AbiDocs, RegionsAreFoundAndReplaced) {
  const std::string header = "x\n/* [abi:a-begin] One. */\nint a;\n/* [abi:a-end] */\ny";
  EXPECT_EQ(gen::AbiRegions(header), std::vector<std::string>{"a"});
  std::string missing;
  EXPECT_EQ(gen::QuoteAbi("<!-- abi:a-begin -->\nold\n<!-- abi:a-end -->\n", header, &missing),
            "<!-- abi:a-begin -->\n```c\n/* One. */\nint a;\n```\n<!-- abi:a-end -->\n");
}

TEST(AbiDocsBad, LostMarksAreNoticed) {
  EXPECT_TRUE(gen::AbiRegions("/* [abi:a-begin] */ int a;").empty());
  const std::string header = "/* [abi:a-begin] One. */\nint a;\n/* [abi:a-end] */\n";
  std::string missing;
  EXPECT_EQ(gen::QuoteAbi("no marks", header, &missing), "");
  EXPECT_EQ(missing, "a");
}

}  // namespace
}  // namespace tern::abi_docs_test
