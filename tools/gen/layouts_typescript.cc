// SPDX-License-Identifier: Apache-2.0
// TypeScript constants from the C headers' structs and from the instruction table.
#include "tools/gen/layouts_typescript.h"

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/vm/isa.h"
#include "core/vm/text/instruction_printer.h"
#include "tools/gen/struct_layout.h"

namespace tern::gen {
namespace {

constexpr size_t kWasmPointerBytes = 4;
constexpr std::string_view kFileHead =
    "// SPDX-License-Identifier: Apache-2.0\n"
    "// Written by update_docs, checked by abi_test: ";

// "maxInstructions" of "max_instructions"; with `upper` "MaxInstructions".
std::string CamelCase(std::string_view snake, bool upper) {
  std::string out;
  for (char c : snake) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return out;
}

// "kVmOptions" of "tern_vm_options", "kAny" of "TernAny".
std::string LayoutName(std::string_view name) {
  for (std::string_view prefix : {"tern_", "Tern"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  return "k" + CamelCase(name, true);
}

// Objects are made and read through functions of the C API; what crosses as a struct are values and
// what that API itself declares.
bool IsWrittenByCallers(std::string_view name) {
  return name == "TernAny" || name.starts_with("tern_");
}

std::string LayoutText(const StructLayout& layout) {
  std::string out = StrCat("\n/** ", layout.name, " */\nexport const ", LayoutName(layout.name),
                           " = {\n  size: ", layout.size, ",\n  fields: {\n");
  for (const FieldLayout& field : layout.fields) {
    StrAppend(&out, "    ", CamelCase(field.name, false), ": { at: ", field.offset, ", type: '",
              field.type == "pointer" ? "u32" : field.type, "' },\n");
  }
  return out + "  },\n} as const;\n";
}

std::string_view RepeatText(vm::Repeat repeat) {
  constexpr std::string_view kTexts[] = {"", "?", "*", "+"};
  return kTexts[static_cast<size_t>(repeat)];
}

}  // namespace

Result<std::string> LayoutsTypeScript(const std::vector<std::string_view>& headers) {
  TERN_TRY_ASSIGN(const auto layouts, StructLayouts(headers, kWasmPointerBytes));
  std::string out = StrCat(kFileHead, "where the fields of the structs\n// of");
  for (std::string_view header : kLayoutHeaders)
    StrAppend(&out, header == kLayoutHeaders[0] ? " " : ", ", header);
  out += " are in a WebAssembly\n// module. Members of unions are fields of the struct.\n";
  for (const StructLayout& layout : layouts)
    if (IsWrittenByCallers(layout.name)) out += LayoutText(layout);
  return out;
}

std::string IsaTypeScript() {
  std::string out = StrCat(
      kFileHead,
      "the instructions of\n// core/vm/isa.def by mnemonic, with what each operand is for.\n\n"
      "export const kInstructions: {\n  readonly [mnemonic: string]: {\n"
      "    readonly number: number;\n    readonly meaning: string;\n"
      "    /** By role (a letter of core/vm/isa.def) and how often: '', '?', '*' or '+'. */\n"
      "    readonly operands: readonly { name: string; role: string; repeat: string }[];\n"
      "  };\n} = {\n");
  for (const vm::InstructionInfo& info : vm::AllInstructions()) {
    StrAppend(&out, "  ", info.mnemonic, ": {\n    number: ", static_cast<int>(info.opcode),
              ",\n    meaning: ", JsonQuote(info.meaning), ",\n    operands: [");
    for (const vm::OperandInfo& operand : info.operands()) {
      StrAppend(&out, "\n      { name: '", operand.name, "', role: '",
                static_cast<char>(operand.role), "', repeat: '", RepeatText(operand.repeat),
                "' },");
    }
    StrAppend(&out, info.operands().empty() ? "" : "\n    ", "],\n  },\n");
  }
  out += "};\n\n/** What an operand may be, in the order of their numbers. */\n"
         "export const kOperandKinds = [";
  for (const std::string_view kind : vm::kOperandKindNames) StrAppend(&out, "\n  '", kind, "',");
  return out + "\n] as const;\n";
}

}  // namespace tern::gen
