// SPDX-License-Identifier: Apache-2.0
#include "core/vm/places.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/strings.h"
#include "core/text/scanner.h"
#include "core/types/dim_grammar.h"
#include "core/vm/dimension.h"

namespace tern::vm {
namespace {

class PlacesParser {
 public:
  PlacesParser(std::string_view text, const ExecutableParts& parts) : text_(text), parts_(parts) {}

  Result<std::vector<FunctionPlaces>> Run() {
    std::vector<FunctionPlaces> all;
    do {
      FunctionPlaces function;
      TERN_TRY(ReadFunction(all.empty() ? nullptr : &all.back(), &function));
      all.push_back(std::move(function));
    } while (Take("; "));
    if (at_ < text_.size()) return Error("' ', '; ' or the end");
    return all;
  }

 private:
  Status Error(std::string_view expected) const {
    return Corrupt("section 'metadata': '", kPlacesKey, "', character ", at_ + 1, ": expected ",
                   expected)
        .SetErrorCode("E0106");
  }

  bool Take(std::string_view mark) {
    if (!text_.substr(at_).starts_with(mark)) return false;
    at_ += mark.size();
    return true;
  }

  // A number of at most `most`, and of at least `least`.
  Status ReadNumber(std::string_view what, uint64_t least, uint64_t most, uint64_t* number) {
    const size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    const std::optional<uint64_t> value = ParseUint64(text_.substr(at_, end - at_));
    if (!value || *value < least || *value > most)
      return Error(StrCat(what, " from ", least, " to ", most));
    at_ = end;
    *number = *value;
    return OkStatus();
  }

  // The same of bytes, a multiple of the alignment.
  Status ReadBytes(std::string_view what, uint64_t least, uint64_t most, uint64_t* number) {
    const size_t begin = at_;
    TERN_TRY(ReadNumber(what, least, most, number));
    if (*number % Arena::kAlignment == 0) return OkStatus();
    at_ = begin;
    return Error(StrCat(what, " that is a multiple of ", Arena::kAlignment));
  }

  Status ReadFunction(const FunctionPlaces* before, FunctionPlaces* function) {
    uint64_t number = 0;
    TERN_TRY(ReadNumber("a function's number", before == nullptr ? 0 : before->function + 1u,
                        parts_.functions.size() - 1, &number));
    function->function = static_cast<uint32_t>(number);
    if (!Take(":")) return Error("':'");
    TERN_TRY(ReadBytes("the arena's size", 0, kMostBytes, &function->arena_bytes));
    size_t sized = 0;
    while (Take(" ")) {
      TERN_TRY(ReadCall(function));
      sized += function->calls.back().size.empty() ? 0 : 1;
      if (sized > kMostSizedPlaces) return Error(StrCat("at most ", kMostSizedPlaces, " sizes"));
    }
    return OkStatus();
  }

  Status ReadCall(FunctionPlaces* function) {
    FunctionPlaces::Call call;
    const uint64_t first = function->calls.empty() ? 0 : function->calls.back().instruction;
    uint64_t number = 0;
    // The verifier has seen that every function has an instruction.
    TERN_TRY(ReadNumber("an instruction", first,
                        parts_.functions[function->function].instruction_count - 1, &number));
    call.instruction = static_cast<uint32_t>(number);
    if (!Take(":")) return Error("':'");
    TERN_TRY(Take("(") ? ReadSized(&call) : ReadFixed(function->arena_bytes, &call.place));
    function->calls.push_back(std::move(call));
    return OkStatus();
  }

  Status ReadFixed(uint64_t arena_bytes, Place* place) {
    if (arena_bytes == 0) return Error("'(', since the arena's size is 0");
    TERN_TRY(ReadBytes("an offset", 0, arena_bytes - Arena::kAlignment, &place->offset));
    if (!Take("+")) return Error("'+'");
    return ReadBytes("a size", Arena::kAlignment, arena_bytes - place->offset, &place->bytes);
  }

  Status ReadSized(FunctionPlaces::Call* call) {
    text::Scanner scanner(text_, types::kDimForm, at_);
    SkipDimension(&scanner);
    if (!scanner.ok()) return Error("a dimension");
    call->size = scanner.Since(at_);
    at_ = scanner.at();
    if (!Take(")@")) return Error("')@'");
    uint64_t number = 0;
    TERN_TRY(ReadNumber("the first point in time", 0, UINT32_MAX, &number));
    call->first = static_cast<uint32_t>(number);
    if (!Take("-")) return Error("'-'");
    TERN_TRY(ReadNumber("the last point in time", number, UINT32_MAX, &number));
    call->last = static_cast<uint32_t>(number);
    return OkStatus();
  }

  static constexpr uint64_t kMostBytes = uint64_t{1} << 48;

  std::string_view text_;
  const ExecutableParts& parts_;
  size_t at_ = 0;
};

}  // namespace

std::string PlacesText(const std::vector<FunctionPlaces>& places) {
  std::string text;
  for (const FunctionPlaces& function : places) {
    StrAppend(&text, text.empty() ? "" : "; ", function.function, ":", function.arena_bytes);
    for (const FunctionPlaces::Call& call : function.calls) {
      if (call.size.empty())
        StrAppend(&text, " ", call.instruction, ":", call.place.offset, "+", call.place.bytes);
      else
        StrAppend(&text, " ", call.instruction, ":(", call.size, ")@", call.first, "-", call.last);
    }
  }
  return text;
}

Result<std::vector<FunctionPlaces>> PlacesOf(const ExecutableParts& parts) {
  const auto entry = std::find_if(parts.metadata.begin(), parts.metadata.end(),
                                  [](const auto& pair) { return pair.first == kPlacesKey; });
  if (entry == parts.metadata.end() || parts.functions.empty())
    return std::vector<FunctionPlaces>();
  return PlacesParser(entry->second, parts).Run();
}

}  // namespace tern::vm
