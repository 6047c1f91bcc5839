// SPDX-License-Identifier: Apache-2.0
#include "core/vm/places.h"

#include <algorithm>
#include <optional>

#include "core/base/strings.h"
#include "core/text/scanner.h"
#include "core/types/dim_grammar.h"
#include "core/vm/dimension.h"

namespace tern::vm {
namespace {

class PlacesParser {
 public:
  PlacesParser(std::string_view text, const ExecutableParts& parts) : text_(text), parts_(parts) {}

  Status Run(std::vector<FunctionPlaces>* all) {
    uint64_t least = 0;
    do {
      FunctionPlaces& function = all->emplace_back();
      TERN_TRY(ReadFunction(least, &function));
      least = function.function + uint64_t{1};
    } while (Take("; "));
    return at_ == text_.size() ? OkStatus() : Error("' ', '; ' or the end");
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

  // A number from `least` to `most`, both and itself multiples of `step`.
  Status ReadNumber(std::string_view what, uint64_t least, uint64_t most, uint64_t step,
                    uint64_t* number) {
    const size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    const std::optional<uint64_t> value = ParseUint64(text_.substr(at_, end - at_));
    if (!value || *value < least || *value > most || *value % step != 0) {
      return Error(StrCat(what, " from ", least, " to ", most,
                          step == 1 ? "" : ", a multiple of 64"));
    }
    at_ = end;
    *number = *value;
    return OkStatus();
  }
  Status ReadIndex(std::string_view what, uint64_t least, uint64_t most, uint32_t* number) {
    uint64_t value = 0;
    TERN_TRY(ReadNumber(what, least, most, 1, &value));
    *number = static_cast<uint32_t>(value);
    return OkStatus();
  }
  static_assert(Arena::kAlignment == 64);
  Status ReadBytes(std::string_view what, uint64_t least, uint64_t most, uint64_t* number) {
    return ReadNumber(what, least, most, Arena::kAlignment, number);
  }

  Status ReadFunction(uint64_t least, FunctionPlaces* function) {
    TERN_TRY(ReadIndex("a function's number", least, parts_.functions.size() - 1,
                       &function->function));
    if (!Take(":")) return Error("':'");
    TERN_TRY(ReadBytes("the arena's size", 0, kMostPlacedBytes, &function->arena_bytes));
    size_t sized = 0;
    while (Take(" ")) {
      TERN_TRY(ReadCall(function));
      sized += function->calls.back().size.empty() ? 0 : 1;
      if (sized > kMostSizedPlaces) return Error(StrCat("at most ", kMostSizedPlaces, " sizes"));
    }
    return OkStatus();
  }

  Status ReadCall(FunctionPlaces* function) {
    const uint32_t least = function->calls.empty() ? 0 : function->calls.back().instruction;
    FunctionPlaces::Call& call = function->calls.emplace_back();
    // The verifier has seen that every function has an instruction.
    TERN_TRY(ReadIndex("an instruction", least,
                       parts_.functions[function->function].instruction_count - 1,
                       &call.instruction));
    if (!Take(":")) return Error("':'");
    return Take("(") ? ReadSized(&call) : ReadFixed(function->arena_bytes, &call.place);
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
    TERN_TRY(ReadIndex("the first point in time", 0, UINT32_MAX, &call->first));
    if (!Take("-")) return Error("'-'");
    return ReadIndex("the last point in time", call->first, UINT32_MAX, &call->last);
  }

  std::string_view text_;
  const ExecutableParts& parts_;
  size_t at_ = 0;
};

}  // namespace

Status ReadPlaces(const ExecutableParts& parts, std::vector<FunctionPlaces>* places) {
  for (const auto& [key, text] : parts.metadata) {
    if (key == kPlacesKey && !parts.functions.empty()) return PlacesParser(text, parts).Run(places);
  }
  return OkStatus();
}

}  // namespace tern::vm
