// SPDX-License-Identifier: Apache-2.0
// A word taken apart into its characters, as text pre-processing does all day: once with types and
// once without. Neither allocates per character: one lies in an item of the list.
#ifndef TERN_CORE_OBJECT_STRINGS_UNICODE_SPLIT_H_
#define TERN_CORE_OBJECT_STRINGS_UNICODE_SPLIT_H_

#include "core/object/any.h"
#include "core/object/containers/list.h"
#include "core/object/strings/ucs4_string.h"

namespace tern {

// The size of text (a String in code points; a UCS4String) or of a list, in a value that may hold
// either; the item at an index of it, of text one UCS4String. Errors: other kinds, out of range.
Result<int64_t> SequenceSize(const AnyView& sequence);
Result<Any> SequenceItem(const AnyView& sequence, int64_t index);

// One UCS4String per code point.
List<UCS4String> UnicodeSplit(const UCS4String& word);
// A list of the items of whatever is a sequence: of text in either form its characters. Errors:
// another kind, invalid UTF-8.
Result<Any> UnicodeSplitAny(const AnyView& word);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_STRINGS_UNICODE_SPLIT_H_
