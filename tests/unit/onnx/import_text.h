// SPDX-License-Identifier: Apache-2.0
// What a test model becomes, as text: the calls of "main", or the errors.
#ifndef TERN_TESTS_UNIT_ONNX_IMPORT_TEXT_H_
#define TERN_TESTS_UNIT_ONNX_IMPORT_TEXT_H_

#include <string>
#include <string_view>

#include "core/ir/text/printer.h"
#include "core/onnx/importer.h"
#include "tests/support/onnx_writer.h"

namespace tern::test {

struct Imported {
  bool ok = false;
  std::string text;  // of the module
  text::Diagnostics diagnostics;

  // The calls, one per line: "relu(%x)".
  std::string calls() const {
    std::string out;
    for (const std::string_view line : StrSplit(text, '\n')) {
      const size_t equals = line.find(" = ");
      if (!line.starts_with("  let ") || equals == std::string_view::npos) continue;
      StrAppend(&out, out.empty() ? "" : "\n",
                line.substr(equals + 3, line.rfind(": ") - equals - 3));
    }
    return out;
  }
  // "main(%x: f32[n]) -> f32[n]".
  std::string signature() const {
    const size_t begin = text.find("fn ") + 3;
    return text.substr(begin, text.find(" {", begin) - begin);
  }
  // "E0402 operator …" for each, one per line.
  std::string messages() const {
    std::string out;
    for (const text::Diagnostic& item : diagnostics.items()) {
      StrAppend(&out, item.code, " ", item.message, item.node.empty() ? "" : " @ ", item.node,
                "\n");
    }
    return out;
  }
};

inline Imported Import(std::string_view bytes) {
  Imported imported;
  Result<ir::Module> module = onnx::ImportModel(AsBytes(bytes), {}, &imported.diagnostics);
  imported.ok = module.ok();
  imported.text = module.ok() ? ir::ToText(*module) : imported.messages();
  return imported;
}

}  // namespace tern::test

#endif  // TERN_TESTS_UNIT_ONNX_IMPORT_TEXT_H_
