// SPDX-License-Identifier: Apache-2.0
// Words into characters, for both forms of text and for lists.
#include "core/object/strings/unicode_split.h"

#include "core/base/strings.h"
#include "core/base/utf8.h"
#include "core/object/strings/unicode.h"

namespace tern {
namespace {

Status NoItem(int64_t index, int64_t size, std::string_view kind) {
  return OutOfRange("index ", index, " of a ", kind, " of ", size, size == 1 ? " item" : " items");
}

Result<Any> TextItem(std::string_view text, int64_t index) {
  // UTF-8 has no index, so this walks from the start and checks what it passes.
  size_t offset = 0;
  for (int64_t i = 0; offset < text.size(); ++i) {
    const size_t begin = offset;
    const char32_t c = DecodeUtf8(text, &offset);
    if (c == kInvalidCodePoint) return InvalidUtf8(text, begin);
    if (i == index) return Any(UCS4String(c));
  }
  // Walked to its end without an invalid byte, so the count is exact.
  return NoItem(index, static_cast<int64_t>(Utf8Length(text)), "string");
}

}  // namespace

Result<int64_t> SequenceSize(const AnyView& sequence) {
  // UCS-4 first: the cast to UTF-8 text would refuse it, but only after looking at every form.
  if (const auto text = internal::AnyToUCS4(sequence.c_any()))
    return static_cast<int64_t>(text->size());
  if (const auto text = sequence.TryCast<std::string_view>())
    // Counts lead bytes; that the text is valid is checked where characters are made.
    return static_cast<int64_t>(Utf8Length(*text));
  if (const Sequence* list = sequence.TryCast<Sequence>())
    return static_cast<int64_t>(list->size());
  return internal::CastError("a sequence (text or list)", sequence.c_any());
}

Result<Any> SequenceItem(const AnyView& sequence, int64_t index) {
  if (const auto text = internal::AnyToUCS4(sequence.c_any())) {
    const auto size = static_cast<int64_t>(text->size());
    if (index < 0 || index >= size) return NoItem(index, size, "ucs4 string");
    return Any(UCS4String((*text)[static_cast<size_t>(index)]));
  }
  if (const auto text = sequence.TryCast<std::string_view>()) return TextItem(*text, index);
  if (const Sequence* list = sequence.TryCast<Sequence>()) return list->At(index);
  return internal::CastError("a sequence (text or list)", sequence.c_any());
}

List<UCS4String> UnicodeSplit(const UCS4String& word) {
  List<UCS4String> characters;
  characters.Reserve(word.size());
  // Pushed as items, so that no string is made for any character.
  for (const char32_t c : word.view()) characters.object()->PushCodePoint(c);
  return characters;
}

Result<Any> UnicodeSplitAny(const AnyView& word) {
  TERN_TRY_ASSIGN(const int64_t size, SequenceSize(word));
  List<> characters;
  characters.Reserve(static_cast<size_t>(size));
  // UTF-8 is walked once, where SequenceItem would begin anew for each character.
  if (const auto text = word.TryCast<std::string_view>()) {
    for (size_t offset = 0; offset < text->size();) {
      const size_t begin = offset;
      const char32_t c = DecodeUtf8(*text, &offset);
      if (c == kInvalidCodePoint) return InvalidUtf8(*text, begin);
      characters.object()->PushCodePoint(c);
    }
    return Any(std::move(characters));
  }
  if (const auto text = internal::AnyToUCS4(word.c_any())) {
    for (const char32_t c : *text) characters.object()->PushCodePoint(c);
    return Any(std::move(characters));
  }
  // Any other sequence is a list.
  for (int64_t i = 0; i < size; ++i) {
    TERN_TRY_ASSIGN(Any character, SequenceItem(word, i));
    characters.PushBack(std::move(character));
  }
  return Any(std::move(characters));
}

}  // namespace tern
