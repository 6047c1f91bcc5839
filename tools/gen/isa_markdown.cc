// SPDX-License-Identifier: Apache-2.0
// Markdown from the instruction table and from a file.
#include "tools/gen/isa_markdown.h"

#include <span>
#include <vector>

#include "core/base/strings.h"
#include "core/vm/builtins/builtins.h"
#include "core/vm/encoding.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "core/vm/isa.h"
#include "core/vm/text/assembler.h"
#include "tests/support/hex_dump.h"

namespace tern::gen {
namespace {

using vm::InstructionInfo;
using vm::OperandInfo;
using vm::Repeat;

struct InstructionClass {
  uint8_t first;
  std::string_view title;
};
constexpr InstructionClass kClasses[] = {
    {0x00, "Control"}, {0x20, "Values and calls"}, {0x40, "Objects and memory"}, {0x60, "Scalars"}};

std::string OperandText(const OperandInfo& operand) {
  constexpr std::string_view kSuffixes[] = {"", "?", "…", "…"};
  return StrCat(operand.name, ":", static_cast<char>(operand.role),
                kSuffixes[static_cast<size_t>(operand.repeat)],
                operand.repeat == Repeat::kSome ? " (at least one)" : "");
}

std::string Row(const InstructionInfo& info) {
  std::string operands;
  for (const OperandInfo& operand : info.operands()) {
    StrAppend(&operands, operands.empty() ? "" : " ", "`", OperandText(operand), "`");
  }
  const size_t words = EncodedWords(info, info.has_list() ? 1 : 0);
  return StrCat("| `", info.mnemonic, "` | ", FormatHex(static_cast<uint64_t>(info.opcode)), " | ",
                words, info.has_list() ? "…" : "", " | ", operands, " | ", info.meaning, " |\n");
}

constexpr std::string_view kExample = R"(.meta "producer" = "docs/format.md"
.const c[0] = f32[2] [1.5, -2]
.func @main(x: f32[2]) -> f32[2]
  .loc "bias_add"
  call  add              in: %0, c[0]     dst: %1
  ret   ret %1
)";

}  // namespace

size_t EncodedWords(const vm::InstructionInfo& info, size_t extra) {
  const std::vector<vm::Operand> operands(info.fixed_count() + extra, vm::Operand::Register(1));
  std::vector<uint64_t> words;
  vm::EncodeInstruction(info.opcode, operands, &words);
  return words.size();
}

std::string IsaTables() {
  std::string out;
  for (size_t c = 0; c < std::size(kClasses); ++c) {
    const unsigned end = c + 1 < std::size(kClasses) ? kClasses[c + 1].first : 256;
    StrAppend(&out, "\n### ", kClasses[c].title,
              "\n\n| instruction | number | words | operands | meaning |\n| --- | --- | --- | --- "
              "| --- |\n");
    for (const InstructionInfo& info : vm::AllInstructions()) {
      const auto number = static_cast<unsigned>(info.opcode);
      if (number >= kClasses[c].first && number < end) out += Row(info);
    }
  }
  out +=
      "\n### Builtins\n\nPrimitives that every machine has.\n\n| name | signature | meaning |\n| "
      "--- | --- | --- |\n";
  for (const vm::BuiltinInfo& info : vm::AllBuiltins()) {
    StrAppend(&out, "| `", info.name, "` | `", info.signature, "` | ", info.meaning, " |\n");
  }
  return out + "\n";
}

std::string FormatExample() {
  const Result<vm::ExecutablePtr> executable = vm::Assemble(kExample, "example.tasm");
  if (!executable.ok()) return executable.status().ToString();
  const std::vector<uint8_t> bytes = vm::SaveExecutable(**executable);
  const Result<vm::FileLayout> layout = vm::ReadLayout(bytes);
  if (!layout.ok()) return layout.status().ToString();
  std::string out =
      StrCat("\nThis program\n\n```\n", kExample, "```\n\nis a file of ", bytes.size(),
             " bytes:\n\n```\n", support::HexDump(bytes),
             "```\n\n| section | offset | bytes | CRC-32C |\n| --- | --- | --- | --- |\n");
  for (const vm::SectionEntry& entry : layout->sections) {
    StrAppend(&out, "| ", entry.id, " ", vm::SectionName(entry.id), " | ", FormatHex(entry.offset),
              " | ", entry.bytes, " | ", FormatHex(entry.crc), " |\n");
  }
  return out + "\n";
}

std::string ReplaceBetween(std::string_view document, std::string_view name,
                           std::string_view text) {
  const std::string begin = StrCat("<!-- ", name, "-begin -->\n");
  const std::string end = StrCat("<!-- ", name, "-end -->");
  const size_t from = document.find(begin);
  const size_t to = document.find(end);
  if (from == std::string_view::npos || to == std::string_view::npos || to < from) return {};
  return StrCat(document.substr(0, from + begin.size()), text, document.substr(to));
}

}  // namespace tern::gen
