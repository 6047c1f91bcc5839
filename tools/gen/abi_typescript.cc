// SPDX-License-Identifier: Apache-2.0
// TypeScript constants from the text of the C headers.
#include "tools/gen/abi_typescript.h"

#include "core/base/strings.h"
#include "core/vm/file/format.h"

namespace tern::gen {
namespace {

constexpr std::string_view kMacroPrefix = "TERN_";
constexpr std::string_view kIdentifier = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// "kTypeSmallUcs4" of "TYPE_SMALL_UCS4".
std::string ConstantName(std::string_view enumerator) {
  std::string name = "k";
  bool upper = true;
  for (char c : enumerator) {
    if (c == '_') {
      upper = true;
      continue;
    }
    name += upper || c < 'A' ? c : static_cast<char>(c - 'A' + 'a');
    upper = false;
  }
  return name;
}

// Every `TERN_<prefix>… = number` of the text.
void AppendEnumerators(std::string_view text, std::string_view prefix, std::string* out) {
  const std::string start = StrCat(kMacroPrefix, prefix);
  for (size_t at = text.find(start); at != text.npos; at = text.find(start, at)) {
    size_t end = text.find_first_not_of(kIdentifier, at);
    if (end == text.npos) return;
    const std::string_view enumerator =
        text.substr(at + kMacroPrefix.size(), end - at - kMacroPrefix.size());
    at = end;
    constexpr std::string_view kEquals = " = ";
    if (text.substr(end, kEquals.size()) != kEquals) continue;
    end += kEquals.size();
    const size_t stop = text.find_first_not_of("-0123456789", end);
    if (stop == end || stop == text.npos) continue;  // another enumerator's name
    StrAppend(out, "export const ", ConstantName(enumerator), " = ", text.substr(end, stop - end),
              ";\n");
  }
}

}  // namespace

std::string AbiTypeScript(std::string_view abi_header, std::string_view api_header) {
  std::string out =
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// The numbers of core/abi/abi.h, core/api/c_api.h and core/vm/file/format.h; written by "
      "update_docs, checked by abi_test.\n";
  AppendEnumerators(abi_header, "TYPE_", &out);
  AppendEnumerators(api_header, "OPERAND_", &out);
  AppendEnumerators(api_header, "CALLEE_", &out);
  out += "/** The first bytes of an executable. */\nexport const kFileMagic = [";
  for (size_t i = 0; i < sizeof(vm::kMagic); ++i)
    StrAppend(&out, i == 0 ? "" : ", ", int{vm::kMagic[i]});
  out += "];\n";
  return out;
}

}  // namespace tern::gen
