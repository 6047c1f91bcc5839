// SPDX-License-Identifier: Apache-2.0
// update_docs: writes the generated parts of docs/isa.md, docs/format.md, docs/abi.md and
// docs/builtins.md, and the package's constants, layouts and instructions. vm_test, abi_test and
// lang_test compare them.
//   update_docs [SOURCE_FOLDER]
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/read_file.h"
#include "tools/gen/abi_markdown.h"
#include "tools/gen/abi_typescript.h"
#include "tools/gen/builtins_markdown.h"
#include "tools/gen/isa_markdown.h"
#include "tools/gen/layouts_typescript.h"

namespace {

bool Write(const std::string& path, const char* mark, const std::string& updated) {
  std::FILE* file = updated.empty() ? nullptr : std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    std::fprintf(stderr, "update_docs: %s cannot be read or written, or has no %s marks\n",
                 path.c_str(), mark);
    return false;
  }
  const bool written = std::fwrite(updated.data(), 1, updated.size(), file) == updated.size();
  return std::fclose(file) == 0 && written;
}

bool Update(const std::string& path, const char* mark, const std::string& text) {
  return Write(path, mark, tern::gen::ReplaceBetween(tern::ReadFile(path), mark, text));
}

bool UpdateAbi(const std::string& root) {
  std::string missing;
  const std::string path = root + "/docs/abi.md";
  const std::string header = tern::ReadFile(root + "/core/abi/abi.h");
  const std::string updated = tern::gen::QuoteAbi(tern::ReadFile(path), header, &missing);
  return Write(path, ("abi:" + missing).c_str(), updated);
}

bool UpdateAbiTypeScript(const std::string& root) {
  const std::string path = root + "/" + std::string(tern::gen::kAbiTypeScriptPath);
  return Write(path, "abi",
               tern::gen::AbiTypeScript(tern::ReadFile(root + "/core/abi/abi.h"),
                                        tern::ReadFile(root + "/core/api/c_api.h")));
}

bool UpdateLayouts(const std::string& root) {
  std::vector<std::string> texts;
  for (std::string_view header : tern::gen::kLayoutHeaders)
    texts.push_back(tern::ReadFile(root + "/" + std::string(header)));
  const auto made = tern::gen::LayoutsTypeScript({texts.begin(), texts.end()});
  if (!made.ok()) std::fprintf(stderr, "update_docs: %s\n", made.status().ToString().c_str());
  const std::string path = root + "/" + std::string(tern::gen::kLayoutsTypeScriptPath);
  return made.ok() && Write(path, "layout", *made);
}

bool UpdateIsaTypeScript(const std::string& root) {
  const std::string path = root + "/" + std::string(tern::gen::kIsaTypeScriptPath);
  return Write(path, "isa", tern::gen::IsaTypeScript());
}

bool UpdateBuiltins(const std::string& root) {
  const std::string path = root + "/docs/builtins.md";
  const std::string prelude = tern::ReadFile(root + "/core/lang/prelude.tn");
  return Write(path, "builtins", tern::gen::BuiltinsPage(tern::ReadFile(path), prelude));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string root = argc > 1 ? argv[1] : TERN_SOURCE_DIR;
  const bool isa = Update(root + "/docs/isa.md", "isa", tern::gen::IsaTables());
  const bool format = Update(root + "/docs/format.md", "example", tern::gen::FormatExample());
  const bool abi = UpdateAbi(root);
  const bool constants = UpdateAbiTypeScript(root);
  const bool layouts = UpdateLayouts(root);
  const bool instructions = UpdateIsaTypeScript(root);
  const bool builtins = UpdateBuiltins(root);
  return isa && format && abi && constants && layouts && instructions && builtins ? 0 : 1;
}
