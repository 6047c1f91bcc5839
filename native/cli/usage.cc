// SPDX-License-Identifier: Apache-2.0
// CLI11 keeps no parts of its complaints, only sentences; each is taken apart where its words are
// known, and what is not known stays as it is.
#include "native/cli/usage.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/strings.h"
#include "native/cli/describe.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct Halves {
  std::string before, behind;
};
std::optional<Halves> SplitAt(std::string_view text, std::string_view mark, bool last = false) {
  const size_t at = last ? text.rfind(mark) : text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return Halves{std::string(text.substr(0, at)), std::string(text.substr(at + mark.size()))};
}

// The option of a name as CLI11 says it; none where the complaint names something else.
std::optional<OptionText> FindOption(const std::string& name, const CLI::App& verb,
                                     const CLI::App& tool) {
  for (const CLI::App* app : {&verb, &tool}) {
    if (const CLI::Option* option = app->get_option_no_throw(name)) return DescribeOption(*option);
  }
  return std::nullopt;
}

// "text, json or jsonl"
std::string OneOf(const std::vector<std::string_view>& choices) {
  std::string list;
  for (size_t i = 0; i < choices.size(); ++i)
    StrAppend(&list, i == 0 ? "" : i + 1 < choices.size() ? ", " : " or ", choices[i]);
  return list;
}

Status Expected(std::string_view name, std::string_view wanted, std::string_view got) {
  return UsageError("E0003", StrCat(name, ": expected ", wanted, ", got ", got));
}

std::string Quote(std::string_view text) { return StrCat("'", text, "'"); }

// "b is required"
std::optional<Status> ExplainMissing(std::string_view complaint, const CLI::App& verb,
                                     const CLI::App& tool) {
  const auto parts = SplitAt(complaint, " is required");
  if (!parts) return std::nullopt;
  const auto option = FindOption(parts->before, verb, tool);
  if (!option) return std::nullopt;
  Status status =
      UsageError("E0003", StrCat("tern ", verb.get_name(), " lacks its ",
                                 option->positional ? "argument " : "option ", parts->before));
  status.AddNote(StrCat(StrJoin(option->names, ", "), ": ", option->phrase));
  status.AddNote(StrCat("usage: ", UsageLine(DescribeVerb(verb))));
  return status;
}

// "--format: jsn not in {text,json,jsonl}"
std::optional<Status> ExplainChoice(std::string_view name, std::string_view rest) {
  const auto parts = SplitAt(rest, " not in {", true);
  if (!parts || !parts->behind.ends_with('}')) return std::nullopt;
  const std::string_view list = parts->behind;
  const std::vector<std::string_view> choices = StrSplit(list.substr(0, list.size() - 1), ',');
  Status status = Expected(name, OneOf(choices), Quote(parts->before));
  const std::string_view near = DidYouMean(parts->before, choices);
  if (!near.empty()) status.AddNote(StrCat("help: did you mean '", near, "'?"));
  return status;
}

// "--threads: Value 5000 not in range 0 to 1024"
std::optional<Status> ExplainRange(std::string_view name, std::string_view rest) {
  const auto parts = SplitAt(rest, " not in range ", true);
  constexpr std::string_view kValue = "Value ";
  if (!parts || !parts->before.starts_with(kValue)) return std::nullopt;
  return Expected(name, StrCat("a number from ", parts->behind),
                  Quote(std::string_view(parts->before).substr(kValue.size())));
}

// "--list: At least 2 required but received 1", "--dim: 1 required TEXT missing"
std::optional<Status> ExplainCount(std::string_view name, std::string_view rest) {
  if (const auto parts = SplitAt(rest, " required but received ")) {
    const auto words = StrSplit(parts->before, ' ');
    const std::string_view bound =
        parts->before.starts_with("At least ") ? "at least " : "at most ";
    return Expected(name, StrCat(bound, words.back(), words.back() == "1" ? " value" : " values"),
                    parts->behind);
  }
  if (!rest.ends_with(" missing")) return std::nullopt;
  return Expected(name, "a value behind it", "none");
}

std::optional<Status> ExplainValue(std::string_view complaint) {
  const auto parts = SplitAt(complaint, ": ");
  if (!parts) return std::nullopt;
  if (auto status = ExplainChoice(parts->before, parts->behind)) return status;
  if (auto status = ExplainRange(parts->before, parts->behind)) return status;
  return ExplainCount(parts->before, parts->behind);
}

// "Could not convert: --seed = x"
std::optional<Status> ExplainConversion(std::string_view complaint, const CLI::App& verb,
                                        const CLI::App& tool) {
  const auto named = SplitAt(complaint, "Could not convert: ");
  const auto parts = named ? SplitAt(named->behind, " = ") : std::nullopt;
  if (!parts) return std::nullopt;
  const auto option = FindOption(parts->before, verb, tool);
  const bool whole = option && option->value != "FLOAT";
  return Expected(parts->before, whole ? "a whole number" : "a number", Quote(parts->behind));
}

// "--quiet excludes --verbose", "--vscale requires --count"
std::optional<Status> ExplainPair(std::string_view complaint) {
  if (const auto pair = SplitAt(complaint, " excludes ")) {
    return UsageError("E0003", StrCat(pair->before, " and ", pair->behind,
                                      " cannot be given together: leave one of them out"));
  }
  if (const auto pair = SplitAt(complaint, " requires ")) {
    return UsageError("E0003", StrCat(pair->before, " means something with ", pair->behind,
                                      " only: add that, or leave it out"));
  }
  return std::nullopt;
}

}  // namespace

Status ExplainComplaint(const CLI::Error& error, const CLI::App& verb, const CLI::App& tool) {
  const std::string complaint = error.what(), kind = error.get_name();
  std::optional<Status> explained;
  if (kind == "RequiredError") explained = ExplainMissing(complaint, verb, tool);
  if (kind == "ValidationError" || kind == "ArgumentMismatch") explained = ExplainValue(complaint);
  if (kind == "ConversionError") explained = ExplainConversion(complaint, verb, tool);
  if (kind == "ExcludesError" || kind == "RequiresError") explained = ExplainPair(complaint);
  return explained ? std::move(*explained) : UsageError("E0003", complaint);
}

}  // namespace tern::cli
