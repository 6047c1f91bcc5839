// SPDX-License-Identifier: Apache-2.0
// A program: its file and the prelude, what they declare by name, and (once Check has run) the
// meaning of every name and expression. The compiler's driver, the editor (editor/editor.h) and the
// fixer (editor/fix.h) begin here.
#ifndef TERN_CORE_LANG_PROGRAM_H_
#define TERN_CORE_LANG_PROGRAM_H_

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/status.h"
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

  // The program's own declarations come before the prelude's; the prelude sees only its own. Null
  // if there is none of this name.
  Function* FindFunction(std::string_view name, bool from_prelude = false) const;
  DataDecl* FindData(std::string_view name, bool from_prelude = false) const;
  ConstructorRef FindConstructor(std::string_view name, bool from_prelude = false) const;

  // Every function and data type, the prelude's first.
  std::vector<Function*> AllFunctions() const;
  std::vector<DataDecl*> AllData() const;
};

// Reads and checks a program. The diagnostics say what is wrong with it and share its sources. The
// tree is whole in any case. Lower (lower/lower.h) reports what only it can tell.
struct CheckedProgram {
  std::unique_ptr<Program> program;
  text::Diagnostics diagnostics;
};
// Checks this text as a file of that name. A caller that checks many programs gives the same
// prelude with each; with null it is read anew. Safe from several threads that share a prelude.
CheckedProgram Check(std::string_view file_name, std::string_view text,
                     PreludePtr prelude = nullptr);

// E0302 where the tree of such a text would be more than the memory account of this thread has
// left. Parsing a text cannot fail, so whoever has a limit asks before.
Status CheckRoomFor(std::string_view text);

// The functions that are written in the language itself (prelude.tn).
std::string_view PreludeText();

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_PROGRAM_H_
