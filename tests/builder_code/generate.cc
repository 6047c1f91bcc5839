// SPDX-License-Identifier: Apache-2.0
// builder_code_generator SOURCE_FOLDER OUT.cc: the golden program of every instruction, the
// founding document's programs, the samples and random programs as builder code, each with its
// file's bytes.
#include <cstdio>
#include <string>

#include "core/base/strings.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/assembler.h"
#include "core/vm/text/builder_code.h"
#include "tests/support/random_program.h"
#include "tests/support/read_file.h"
#include "tests/support/vm_file.h"

namespace tern::vm {
namespace {

constexpr uint32_t kRandomPrograms = 25;

class Output {
 public:
  void Add(std::string_view name, const Executable& executable) {
    StrAppend(&code_, "namespace case", count_, " {\n",
              AsBuilderCode(executable, CodeLanguage::kCpp), "const uint8_t kBytes[] = {");
    for (const uint8_t byte : SaveExecutable(executable)) StrAppend(&code_, int{byte}, ",");
    StrAppend(&code_, "};\n}  // namespace case", count_, "\n\n");
    StrAppend(&table_, "    {\"", name, "\", &case", count_, "::build, case", count_,
              "::kBytes},\n");
    ++count_;
  }

  // A program as text; only those that are sound are asked for.
  bool AddText(std::string_view name, std::string_view text) {
    const Result<ExecutablePtr> executable = Assemble(text.substr(0, text.find(";; expect")), name);
    if (executable.ok())
      Add(name, **executable);
    else
      std::fputs(text::RenderText(executable.status()).c_str(), stderr);
    return executable.ok();
  }

  std::string Text() const {
    return StrCat(
        "// Made by builder_code_generator.\n#include \"core/vm/builder.h\"\n#include "
        "\"tests/builder_code/cases.h\"\n\nnamespace {\n\n",
        code_, "constexpr tern::vm::GeneratedCase kCases[] = {\n", table_,
        "};\n\n}  // namespace\n\nstd::span<const tern::vm::GeneratedCase> "
        "tern::vm::GeneratedCases() { return kCases; }\n");
  }

 private:
  std::string code_;
  std::string table_;
  int count_ = 0;
};

int Generate(const std::string& source, const char* path) {
  Output output;
  bool ok = true;
  std::vector<std::string> names = {"founding-listing", "founding-move-add-mul",
                                    "founding-shape-arithmetic", "founding-shape-heap",
                                    "text-everything"};
  for (const InstructionInfo& info : AllInstructions()) names.emplace_back(info.mnemonic);
  for (const std::string& name : names)
    ok = output.AddText(name, ReadFile(StrCat(source, "/tests/golden/vm/", name, ".tasm"))) && ok;
  for (const std::string_view sample : support::SamplePrograms())
    ok = output.AddText("sample", sample) && ok;
  for (uint32_t seed = 0; seed < kRandomPrograms; ++seed)
    output.Add(StrCat("random ", seed), *support::RandomProgram(1000 + seed));
  std::FILE* file = ok ? std::fopen(path, "wb") : nullptr;
  if (file == nullptr) return 1;
  const std::string text = output.Text();
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written ? 0 : 1;
}

}  // namespace
}  // namespace tern::vm

int main(int argc, char** argv) { return argc == 3 ? tern::vm::Generate(argv[1], argv[2]) : 2; }
