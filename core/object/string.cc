// SPDX-License-Identifier: Apache-2.0
// The heap form of String.
#include "core/object/string.h"

namespace tern {

LongString::LongString(std::string_view text) : Object(kTypeCode, nullptr), size_(text.size()) {
  text.copy(this->text(), text.size());
  this->text()[text.size()] = '\0';
}

ObjectPtr<LongString> LongString::Make(std::string_view text) {
  return MakeObjectWithExtra<LongString>(text.size() + 1, text);
}

}  // namespace tern
