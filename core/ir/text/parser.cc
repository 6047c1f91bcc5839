// SPDX-License-Identifier: Apache-2.0
#include "core/ir/text/parser.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "core/base/strings.h"
#include "core/ir/text/value_parser.h"
#include "core/loop/text/parser.h"

namespace tern::ir {

namespace {

// Declarations. Two passes: headers first, so that a call may stand ahead of its function, then
// everything.
class Parser : public ValueParser {
 public:
  using ValueParser::ValueParser;

  Result<Module> Run() {
    ReadHeaders();
    while (!in_.AtEnd()) {
      const std::string_view word = in_.PeekWord();
      if (AcceptWord("const"))
        ParseConstant();
      else if (word == "type")
        ParseDataType();
      else if (word == "fn" || word == "private" || word == "primitive")
        ParseFunction(AcceptWord("private"));
      else
        in_.Fail("'const', 'type' or 'fn'");
    }
    Tell(in_.mistake());
    if (!diagnostics_.ok()) return diagnostics_.ToStatus();
    return std::move(module_);
  }

 private:
  // Reads the types of functions only. Braces are counted and nothing else is understood; the
  // second pass tells what is wrong.
  void ReadHeaders() {
    const text::Scanner begin = in_;
    quiet_ = true;
    int depth = 0;
    while (!in_.AtEnd()) {
      const std::string_view word = in_.TakeWord();
      const char c = in_.Here();
      if (depth == 0 && word == "fn") {
        ReadHeader();
      } else if (word.empty() && c == '"') {
        Quoted();
      } else if (word.empty()) {
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        in_.Take(in_.PeekCharacter());
      }
    }
    quiet_ = false;
    in_ = begin;
  }

  void ReadHeader() {
    const std::string name(Word("a function name"));
    std::vector<types::Type> parameters;
    in_.ExpectList("(", ")", [&] {
      in_.Expect("%");
      Word("a parameter name");
      in_.Expect(":");
      parameters.push_back(ParseType());
    });
    types::Type result;
    if (in_.Accept("->")) result = ParseType();
    if (in_.ok()) headers_.emplace(name, types::Type::Function(std::move(parameters), result));
  }

  // type NAME { … }. After a mistake the rest of the file is read from the next brace on.
  void ParseDataType() {
    const size_t begin = Begin();
    text::Scanner in = in_;
    types::DataType type = types::DataType::Read(&in);
    if (!in.ok()) {
      Tell(in.mistake());
      const size_t brace = in_.text().find('}', in.mistake().begin);
      return in_.MoveTo(std::min(brace, in_.text().size() - 1) + 1);
    }
    in_.GoOn(in);
    if (module_.FindDataType(type.name) != nullptr)
      return Complain(begin, StrCat("type ", type.name, " is defined twice"));
    module_.AddDataType(std::make_shared<const types::DataType>(std::move(type)));
  }

  // fn NAME(parameters) -> type { bindings return value }
  void ParseFunction(bool is_private) {
    const bool is_primitive = AcceptWord("primitive");
    in_.Expect("fn");
    const size_t begin = Begin();
    const std::string name(Word("a function name"));
    if (module_.Find(name) != nullptr)
      Complain(begin, StrCat("function ", name, " is defined twice"));
    // A builder per function: names of symbols begin again.
    builder_.emplace(&diagnostics_);
    locals_.clear();
    ParseParameters([this](const VarPtr& parameter) { builder_->AddParameter(parameter); });
    types::Type result;
    if (in_.Accept("->")) result = ParseType();
    in_.Expect("{");
    loop::te::DefinitionPtr kernel = ParseKernel(name);
    ParseBindings();
    in_.Expect("return");
    const size_t at_result = Begin();
    const Expr value = ResultValue();
    std::vector<std::string> names = OutputNames();
    in_.Expect("}");
    for (const auto& announced : recursive_)
      Complain(begin, StrCat("%", announced.first, " is announced by rec and not bound"));
    recursive_.clear();
    if (!in_.ok()) return;
    CheckDeclared(at_result, result, TypeOf(value));
    FunctionPtr function = builder_->Finish(value, std::move(names));
    // From here on, calls know what the function gives even if it declared no result.
    headers_.insert_or_assign(name, TypeOf(function));
    module_.Set(name, std::move(function));
    module_.SetPrivate(name, is_private);
    module_.SetPrimitive(name, is_primitive);
    module_.SetKernel(name, std::move(kernel));
  }

  // A `te` definition by the parser of core/loop, where it stands.
  loop::te::DefinitionPtr ParseKernel(const std::string& function) {
    if (!AcceptWord("te")) return nullptr;
    text::Span where = At(in_.at(), in_.text().size());
    std::optional<loop::te::Definition> kernel = loop::ParseDefinitionAt(&where, &diagnostics_);
    if (!kernel.has_value()) return in_.Stop(), nullptr;
    in_.MoveTo(where.end);
    if (kernel->name != function)
      diagnostics_
          .Error(kBadModule, StrCat("the loop program of ", function, " is called ", kernel->name))
          .At(kernel->span)
          .Help(StrCat("a loop program has the name of its function: te ", function));
    return std::make_shared<const loop::te::Definition>(*std::move(kernel));
  }

  std::vector<std::string> OutputNames() {
    std::vector<std::string> names;
    if (!AcceptWord("as")) return names;
    do {
      names.push_back(Quoted());
    } while (in_.Accept(','));
    return names;
  }
};

}  // namespace

Result<Module> ParseModule(std::string_view file_name, std::string_view text) {
  return Parser(file_name, text).Run();
}

}  // namespace tern::ir
