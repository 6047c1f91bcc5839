// SPDX-License-Identifier: Apache-2.0
// A program: its file and the prelude, what they declare by name, and (once Check has run) what
// every name and expression is.
#ifndef TERN_CORE_LANG_PROGRAM_H_
#define TERN_CORE_LANG_PROGRAM_H_

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/lang/parse/ast.h"
#include "core/text/diagnostics.h"

namespace tern::lang {

struct ConstructorRef {
  const DataDecl* data = nullptr;
  int tag = -1;
};

// The declarations of one file.
struct Declarations {
  std::unordered_map<std::string_view, Function*> functions;
  std::unordered_map<std::string_view, DataDecl*> data;
  std::unordered_map<std::string_view, ConstructorRef> constructors;
};

// The prelude, read and checked. Nothing writes to it from then on, so that programs, also of
// several threads, may share one.
struct Prelude {
  std::unique_ptr<File> file;
  Declarations names;
};
using PreludePtr = std::shared_ptr<const Prelude>;
PreludePtr LoadPrelude();

class Program {
 public:
  std::shared_ptr<const text::SourceMap> sources;
  PreludePtr prelude;
  std::unique_ptr<File> file;
  Declarations names;

  // The program's own come before the prelude's; the prelude sees only its own. Null if there is
  // none.
  Function* FindFunction(std::string_view name, bool from_prelude = false) const;
  DataDecl* FindData(std::string_view name, bool from_prelude = false) const;
  ConstructorRef FindConstructor(std::string_view name, bool from_prelude = false) const;

  // Every function and data type, the prelude's first.
  std::vector<Function*> AllFunctions() const;
  std::vector<DataDecl*> AllData() const;
};

// Reads and checks a program. What is wrong with it is in the diagnostics, which have its sources;
// the tree is whole in any case. Lower finds the rest.
struct CheckedProgram {
  std::unique_ptr<Program> program;
  text::Diagnostics diagnostics;
};
// Who checks many programs gives the same prelude with each; null: it is read anew.
CheckedProgram Check(std::string_view file_name, std::string_view text,
                     PreludePtr prelude = nullptr);

// The functions that are written in the language itself (prelude.tn).
std::string_view PreludeText();

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_PROGRAM_H_
