// SPDX-License-Identifier: Apache-2.0
// DirectiveReader: collects the arguments of one schedule line and checks them against its
// primitive's form. The parser of .tloop text makes one for each line.
#ifndef TERN_CORE_LOOP_TE_SCHEDULE_PARSER_H_
#define TERN_CORE_LOOP_TE_SCHEDULE_PARSER_H_

#include <optional>

#include "core/loop/te/te.h"
#include "core/loop/text/lexer.h"
#include "core/text/diagnostics.h"

namespace tern::loop::te {

inline constexpr std::string_view kBadSchedule = "E0514";

class DirectiveReader {
 public:
  explicit DirectiveReader(const Token& primitive) : name_(primitive) {}
  void SetTensor(std::string_view tensor) { directive_.tensor = std::string(tensor); }
  void AddName(const Token& name) { directive_.names.emplace_back(name.text); }
  void AddFactor(Lanes factor, text::Span span);
  // An option such as "factor = 4", "lanes = 8" or "scalable = true".
  void AddOption(const Token& option, const Token& value);
  // The directive, or nothing after an error was reported. Called once, at the end of the line.
  std::optional<Directive> Finish(text::Diagnostics* diagnostics);

 private:
  bool FitsForm() const;

  Token name_;
  Directive directive_;
  std::string problem_;
  text::Span where_;
};

}  // namespace tern::loop::te

#endif  // TERN_CORE_LOOP_TE_SCHEDULE_PARSER_H_
