// SPDX-License-Identifier: Apache-2.0
// The instruction table itself, and the documents that are printed from it.
#include "core/vm/isa.h"

#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "tests/support/read_file.h"
#include "tools/gen/isa_markdown.h"

namespace tern::vm::isa_test {
namespace {

TEST(Isa, LookUps) {
  for (const InstructionInfo& info : AllInstructions()) {
    EXPECT_EQ(FindInstruction(info.mnemonic), &info);
    EXPECT_EQ(FindInstruction(static_cast<uint8_t>(info.opcode)), &info);
    EXPECT_EQ(&GetInfo(info.opcode), &info);
  }
  EXPECT_EQ(FindInstruction("no such"), nullptr);
  EXPECT_EQ(FindInstruction(uint8_t{0}), nullptr);
  EXPECT_EQ(FindInstruction(uint8_t{255}), nullptr);
}

TEST(Isa, OperandStrings) {
  const InstructionInfo& call = GetInfo(Opcode::kCall);
  ASSERT_EQ(call.operand_count, 3);
  EXPECT_EQ(call.write, 0);
  EXPECT_EQ(call.operands()[0].repeat, Repeat::kOptional);
  EXPECT_TRUE(call.operands()[1].is_callee());
  EXPECT_TRUE(call.has_list());
  EXPECT_EQ(call.fixed_count(), 2u);
  EXPECT_EQ(GetInfo(Opcode::kRet).operands()[0].label, Label::kPlain);
  EXPECT_EQ(GetInfo(Opcode::kMove).operands()[1].label, Label::kNone);
}

// The interpreter gives destinations a register where they are not optional, and jumps are two or
// one.
TEST(Isa, WhatTheLinkerRelaysOn) {
  for (const InstructionInfo& info : AllInstructions()) {
    int jumps = 0, values = 0;
    for (const OperandInfo& operand : info.operands()) {
      if (operand.role == Role::kOffset)
        ++jumps;
      else if (operand.role != Role::kWrite && !operand.is_list())
        ++values;
    }
    EXPECT_EQ(jumps > 0, info.flow == Flow::kJump) << info.mnemonic;
    EXPECT_LE(jumps, 2) << info.mnemonic;
    EXPECT_LE(values, info.flow == Flow::kJump ? 2 : 4) << info.mnemonic;
    EXPECT_FALSE(jumps > 0 && info.has_list())
        << info.mnemonic << ": jumps and lists share a field of DecodedOp";
  }
}

// B01: the first word holds three operands, each further word four; the document says the same.
TEST(Isa, B01_EncodedSizes) {
  const std::string document = ReadFile(TERN_SOURCE_DIR "/docs/isa.md");
  for (const InstructionInfo& info : AllInstructions()) {
    for (const size_t extra : {0u, 1u, 2u, 5u, 40u}) {
      if (extra > 0 && !info.has_list()) continue;
      const size_t operands = info.fixed_count() + extra;
      const size_t expected = operands <= 3 ? 1 : 1 + (operands - 3 + 3) / 4;
      EXPECT_EQ(gen::EncodedWords(info, extra), expected) << info.mnemonic << " with " << extra;
    }
    const size_t words = gen::EncodedWords(info, info.has_list() ? 1 : 0);
    const std::string row =
        StrCat("| `", info.mnemonic, "` | ", FormatHex(static_cast<uint64_t>(info.opcode)), " | ",
               words, info.has_list() ? "… |" : " |");
    EXPECT_NE(document.find(row), std::string::npos) << row;
  }
  EXPECT_EQ(FindInstruction(0xff), nullptr) << "what is not in the table has no size";
}

std::vector<std::string> FilesIn(const char* folder) {
  std::vector<std::string> names;
  DIR* const open = opendir(folder);
  if (open == nullptr) return names;
  while (const dirent* entry = readdir(open)) names.emplace_back(entry->d_name);
  closedir(open);
  return names;
}

// bad-MNEMONIC-WHAT.tasm, which names the instruction and ends with an exit code that is not 0.
bool IsBadProgramOf(const std::string& file, std::string_view mnemonic) {
  if (!file.starts_with(StrCat("bad-", mnemonic, "-")) || !file.ends_with(".tasm")) return false;
  const std::string text = ReadFile(StrCat(TERN_SOURCE_DIR "/tests/golden/vm/", file));
  return text.find("\n;; exit: ") != std::string::npos &&
         text.find("\n;; exit: 0\n") == std::string::npos &&
         text.find(mnemonic) != std::string::npos;
}

// tests/golden/vm holds at least one good and one bad program of each instruction: there is none
// that cannot be wrong at load or when it runs.
TEST(Isa, EveryInstructionHasGoldenTests) {
  const std::vector<std::string> files = FilesIn(TERN_SOURCE_DIR "/tests/golden/vm");
  for (const InstructionInfo& info : AllInstructions()) {
    const std::string name(info.mnemonic);
    EXPECT_FALSE(ReadFile(StrCat(TERN_SOURCE_DIR "/tests/golden/vm/", name, ".tasm")).empty())
        << name;
    EXPECT_TRUE(std::any_of(files.begin(), files.end(),
                            [&](const std::string& file) { return IsBadProgramOf(file, name); }))
        << "no bad-" << name << "-….tasm that fails";
  }
}

TEST(Isa, DocumentsAreUpToDate) {
  const std::string isa = ReadFile(TERN_SOURCE_DIR "/docs/isa.md");
  ASSERT_FALSE(isa.empty());
  EXPECT_TRUE(gen::ReplaceBetween(isa, "isa", gen::IsaTables()) == isa) << "run update_docs";
  const std::string format = ReadFile(TERN_SOURCE_DIR "/docs/format.md");
  ASSERT_FALSE(format.empty());
  EXPECT_TRUE(gen::ReplaceBetween(format, "example", gen::FormatExample()) == format)
      << "run update_docs";
}

TEST(Isa, ReplaceBetweenNeedsBothMarks) {
  EXPECT_EQ(gen::ReplaceBetween("a\n<!-- x-begin -->\nold\n<!-- x-end -->\nb", "x", "new\n"),
            "a\n<!-- x-begin -->\nnew\n<!-- x-end -->\nb");
  EXPECT_EQ(gen::ReplaceBetween("a\n<!-- x-begin -->\nold\n", "x", "new\n"), "");
  EXPECT_EQ(gen::ReplaceBetween("<!-- x-end --> <!-- x-begin -->\n", "x", "new\n"), "");
}

}  // namespace
}  // namespace tern::vm::isa_test
