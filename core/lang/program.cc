// SPDX-License-Identifier: Apache-2.0
// Reads a program: parses it, declares its names, infers types, checks kernels and matches.
// Declarations come first as a whole, so their order in the file means nothing.
#include "core/lang/program.h"

#include "core/base/check.h"
#include "core/base/strings.h"
#include "core/lang/infer/constants.h"
#include "core/lang/infer/exhaustive.h"
#include "core/lang/infer/infer.h"
#include "core/lang/kernel.h"
#include "core/lang/parse/parser.h"
#include "core/object/memory_account.h"

namespace tern::lang {
namespace {

constexpr std::string_view kPreludeName = "prelude.tn";

// Keeps the first declaration of a name and reports the others with both places. Keys are views of
// the tree's strings, which live as long as the File.
template <class Map, class Value>
void Declare(Map* map, const Name& name, Value value, const Span* first,
             text::Diagnostics* diagnostics) {
  if (name.text.empty() || map->emplace(name.text, value).second) return;
  text::Diagnostic& diagnostic =
      diagnostics->Error("E1004", StrCat("'", name.text, "' is declared twice"))
          .At(name.span, "declared again here");
  if (first != nullptr) diagnostic.Mark(*first, "first declared here");
}

// Constructors share one namespace over all data types, so a name alone tells the type of a value.
void DeclareConstructors(DataDecl* data, Declarations* names, text::Diagnostics* diagnostics) {
  for (size_t tag = 0; tag < data->constructors.size(); ++tag) {
    const Name& name = data->constructors[tag].name;
    const auto found = names->constructors.find(name.text);
    const Span* first = nullptr;
    if (found != names->constructors.end()) {
      const ConstructorRef& ref = found->second;
      first = &ref.data->constructors[static_cast<size_t>(ref.tag)].name.span;
    }
    Declare(&names->constructors, name, ConstructorRef{data, static_cast<int>(tag)}, first,
            diagnostics);
  }
}

void DeclareAll(File* file, Declarations* names, text::Diagnostics* diagnostics) {
  for (Item& item : file->items) {
    if (Function* function = item.callable()) {
      const auto found = names->functions.find(function->name.text);
      const Span* first = found == names->functions.end() ? nullptr : &found->second->name.span;
      Declare(&names->functions, function->name, function, first, diagnostics);
    } else {
      DataDecl* const data = item.data.get();
      const auto found = names->data.find(data->name.text);
      const Span* first = found == names->data.end() ? nullptr : &found->second->name.span;
      Declare(&names->data, data->name, data, first, diagnostics);
      DeclareConstructors(data, names, diagnostics);
    }
  }
}

// The prelude's own code never sees a name of the program, otherwise a program that declares `map`
// would change what the prelude does.
template <class Map>
auto Find(const Map& own, const Map& prelude, std::string_view name, bool from_prelude) {
  const auto found = own.find(name);
  if (!from_prelude && found != own.end()) return found->second;
  const auto in_prelude = prelude.find(name);
  return in_prelude == prelude.end() ? typename Map::mapped_type{} : in_prelude->second;
}

// Visits the prelude's items first, so that lists of declarations have a stable order.
template <class Pointer, class Visit>
std::vector<Pointer> Collect(const Program& program, const Visit& visit) {
  std::vector<Pointer> all;
  for (const File* file : {program.prelude->file.get(), program.file.get()}) {
    for (const Item& item : file->items) {
      if (Pointer pointer = visit(item)) all.push_back(pointer);
    }
  }
  return all;
}

}  // namespace

Function* Program::FindFunction(std::string_view name, bool from_prelude) const {
  return Find(names.functions, prelude->names.functions, name, from_prelude);
}
DataDecl* Program::FindData(std::string_view name, bool from_prelude) const {
  return Find(names.data, prelude->names.data, name, from_prelude);
}
ConstructorRef Program::FindConstructor(std::string_view name, bool from_prelude) const {
  return Find(names.constructors, prelude->names.constructors, name, from_prelude);
}

std::vector<Function*> Program::AllFunctions() const {
  return Collect<Function*>(*this, [](const Item& item) { return item.callable(); });
}
std::vector<DataDecl*> Program::AllData() const {
  return Collect<DataDecl*>(*this, [](const Item& item) { return item.data.get(); });
}

PreludePtr LoadPrelude() {
  auto sources = std::make_shared<text::SourceMap>();
  text::Diagnostics diagnostics(sources);
  auto prelude = std::make_shared<Prelude>();
  // The prelude goes through the same reader as programs do; a mistake in it is ours, so it ends
  // the process.
  prelude->file = ParseFile(sources->AddFile(kPreludeName, PreludeText()), &diagnostics);
  DeclareAll(prelude->file.get(), &prelude->names, &diagnostics);
  for (const Item& item : prelude->file->items) {
    if (item.function != nullptr) item.function->in_prelude = true;
  }
  Program program;
  // Inference wants a program around the file. Its own file is empty here, and the prelude is what
  // it infers.
  program.sources = sources;
  program.prelude = prelude;
  program.file = std::make_unique<File>();
  InferTypes(&program, prelude->file.get(), &diagnostics);
  CheckMatches(*prelude->file, &diagnostics);
  TERN_CHECK(diagnostics.empty(), "the prelude is a program without mistakes");
  return prelude;
}

Status CheckRoomFor(std::string_view text) {
  // Measured over generated programs: tokens, nodes, and what inference keeps of them. One node has
  // some 400 bytes, and the shortest take two characters.
  constexpr uint64_t kBytesPerCharacter = 280;
  return CheckRoom(text.size() * kBytesPerCharacter);
}

CheckedProgram Check(std::string_view file_name, std::string_view text, PreludePtr prelude) {
  auto sources = std::make_shared<text::SourceMap>();
  // Spans of the prelude's tree say "file 0", so its text has to be the first file of every
  // program's sources.
  sources->AddFile(kPreludeName, PreludeText());
  const int32_t file = sources->AddFile(file_name, text);
  CheckedProgram result{std::make_unique<Program>(), text::Diagnostics(sources)};
  Program& program = *result.program;
  program.sources = sources;
  program.prelude = prelude != nullptr ? std::move(prelude) : LoadPrelude();
  program.file = ParseFile(file, &result.diagnostics);
  DeclareAll(program.file.get(), &program.names, &result.diagnostics);
  // After mistakes of syntax, errors about types are mostly consequences, so nobody is told of
  // them. Types are inferred all the same, because editors ask for them.
  text::Diagnostics ignored(sources);
  const bool readable = result.diagnostics.ok();
  InferTypes(&program, program.file.get(), readable ? &result.diagnostics : &ignored);
  // Then not every node has a type; the caller asks CheckMemory.
  if (IsMemoryOver()) return result;
  ReadKernels(&program, readable ? &result.diagnostics : &ignored);
  if (!readable) return result;
  CheckMatches(*program.file, &result.diagnostics);
  CheckConstants(*program.file, &result.diagnostics);
  return result;
}

}  // namespace tern::lang
