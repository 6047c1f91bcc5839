// SPDX-License-Identifier: Apache-2.0
// tern.list.* and tern.map.*: containers as values. Every function that takes much memory at once
// asks CheckRoom first, because containers themselves cannot fail (memory_account.h).
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/object/containers/sequence.h"
#include "core/object/containers/table.h"
#include "core/object/graph/print.h"
#include "core/object/graph/structural_equal.h"
#include "core/object/memory_account.h"
#include "core/vm/builtins/value_builtins.h"

namespace tern::vm {
namespace {

// Far more than fits a machine's default limit, and few enough that sizes in bytes cannot overflow.
constexpr int64_t kMaxItems = int64_t{1} << 28;
// What an item of a list takes in place, and what it takes besides while the list is sorted.
constexpr uint64_t kPlainBytes = 8, kSortBytes = 80;
// Ints below this magnitude lie in an item's 61 bits (item.h).
constexpr int64_t kPlainInt = int64_t{1} << 60;
constexpr size_t kFirstBytes = 8;  // of a list of one item that lies in place

// The position counted from the begin: below zero it counts from the end, as in Python.
int64_t FromBegin(int64_t index, size_t size) {
  return index < 0 ? index + static_cast<int64_t>(size) : index;
}

Result<size_t> IndexIn(const Sequence& list, int64_t index) {
  const int64_t position = FromBegin(index, list.size());
  if (position >= 0 && position < static_cast<int64_t>(list.size()))
    return static_cast<size_t>(position);
  return OutOfRange("index ", index, " is out of range for a list of ", list.size(),
                    list.size() == 1 ? " item" : " items");
}

// Slices are not clamped as Python's are: a range outside of the list is an error that says so.
Status CheckSlice(int64_t begin, int64_t end, size_t size) {
  const int64_t first = FromBegin(begin, size), last = FromBegin(end, size);
  if (first >= 0 && first <= last && last <= static_cast<int64_t>(size)) return OkStatus();
  return OutOfRange("items ", begin, " up to ", end, " of a list of ", size,
                    size == 1 ? " item" : " items");
}

Result<Any> ListLength(AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  return Any(static_cast<int64_t>(list->size()));
}

Result<Any> ListGet(AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  TERN_TRY_ASSIGN(const int64_t index, args[1].As<int64_t>());
  TERN_TRY_ASSIGN(const size_t position, IndexIn(*list, index));
  return Any((*list)[position]);
}

// Copies the whole list, as lists are values; ListPut avoids it where nobody else looks.
Result<Any> ListSet(AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  TERN_TRY_ASSIGN(const int64_t index, args[1].As<int64_t>());
  TERN_TRY_ASSIGN(const size_t position, IndexIn(*list, index));
  TERN_TRY(CheckRoom(list->memory_bytes()));
  SequencePtr copy = list->Copy();
  copy->Set(position, Any(args[2]));
  return Any(copy);
}

Result<Any> ListAppend(AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  TERN_TRY(CheckRoom(list->memory_bytes() + kItemBytes));
  SequencePtr copy = Sequence::Make();
  // Room for exactly the result: it is often appended to no further.
  copy->Reserve(list->size() + 1);
  for (const AnyView& item : *list) copy->PushBack(item);
  copy->PushBack(args[1]);
  return Any(copy);
}

Result<Any> ListFresh(AnyArgs) { return Any(Sequence::Make()); }

// Functions for callers that do not look at the first argument again write in place where the
// caller's register is its only holder. (A recorder that can step back holds it too, and keeps what
// it overwrites.) An argument that is the container itself is copied, so that nothing holds itself.
template <class T>
bool MayWrite(const T& container, AnyArgs args) {
  if (!container.unique()) return false;
  const auto is_other = [&](const AnyView& arg) { return arg.object() != &container; };
  return std::all_of(args.begin() + 1, args.end(), is_other);
}

Result<Any> ListPush(AnyArgs args) {
  TERN_TRY_ASSIGN(Sequence * list, args[0].As<Sequence>());
  if (!MayWrite(*list, args)) return ListAppend(args);
  // Only what growth takes: the list exists.
  TERN_TRY(CheckRoom(list->GrowthBytes(1)));
  list->PushBack(args[1]);
  return Any(args[0]);
}

Result<Any> ListPut(AnyArgs args) {
  TERN_TRY_ASSIGN(Sequence * list, args[0].As<Sequence>());
  if (!MayWrite(*list, args)) return ListSet(args);
  TERN_TRY_ASSIGN(const int64_t index, args[1].As<int64_t>());
  TERN_TRY_ASSIGN(const size_t position, IndexIn(*list, index));
  list->Set(position, Any(args[2]));
  return Any(args[0]);
}

Result<Any> ListConcat(AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* first, args[0].As<Sequence>());
  TERN_TRY_ASSIGN(const Sequence* second, args[1].As<Sequence>());
  TERN_TRY(CheckRoom(first->memory_bytes() + second->memory_bytes()));
  SequencePtr joined = Sequence::Make();
  joined->Reserve(first->size() + second->size());
  for (const AnyView& item : *first) joined->PushBack(item);
  for (const AnyView& item : *second) joined->PushBack(item);
  return Any(joined);
}

Result<Any> ListExtend(AnyArgs args) {
  TERN_TRY_ASSIGN(Sequence * first, args[0].As<Sequence>());
  TERN_TRY_ASSIGN(const Sequence* second, args[1].As<Sequence>());
  if (!MayWrite(*first, args)) return ListConcat(args);
  // Growth of the first, and slots for the items of the second.
  TERN_TRY(CheckRoom(first->GrowthBytes(second->size()) + second->memory_bytes()));
  for (const AnyView& item : *second) first->PushBack(item);
  return Any(args[0]);
}

Result<Any> ListSlice(AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  TERN_TRY_ASSIGN(const int64_t begin, args[1].As<int64_t>());
  TERN_TRY_ASSIGN(const int64_t end, args[2].As<int64_t>());
  TERN_TRY(CheckSlice(begin, end, list->size()));
  const auto first = static_cast<size_t>(FromBegin(begin, list->size()));
  const auto last = static_cast<size_t>(FromBegin(end, list->size()));
  // Items take at most kItemBytes, and never more than the whole list does.
  TERN_TRY(CheckRoom(std::min<uint64_t>(list->memory_bytes(), (last - first) * kItemBytes)));
  SequencePtr part = Sequence::Make();
  part->Reserve(last - first);
  for (size_t i = first; i < last; ++i) part->PushBack((*list)[i]);
  return Any(part);
}

Result<Any> ListReverse(AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  TERN_TRY(CheckRoom(list->memory_bytes()));
  SequencePtr reversed = Sequence::Make();
  reversed->Reserve(list->size());
  for (size_t i = list->size(); i > 0; --i) reversed->PushBack((*list)[i - 1]);
  return Any(reversed);
}

// The items as T with their positions; false where one is something else. Short text lies in the
// views themselves, so they must outlive the items.
template <class T>
bool ReadItems(const std::vector<AnyView>& views, std::vector<std::pair<T, size_t>>* items) {
  for (size_t i = 0; i < views.size(); ++i) {
    const std::optional<T> value = views[i].TryCast<T>();
    if (!value.has_value()) return false;
    items->emplace_back(*value, i);
  }
  return true;
}

// Sorts items of one kind. Positions decide between equal items, which makes std::sort stable here;
// NaN comes last, because comparing with it gives no order.
template <class T>
bool SortAs(const std::vector<AnyView>& views, Sequence* sorted) {
  std::vector<std::pair<T, size_t>> items;
  if (!ReadItems(views, &items)) return false;
  std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
    const bool a_is_nan = a.first != a.first, b_is_nan = b.first != b.first;
    if (a_is_nan || b_is_nan) return a_is_nan == b_is_nan ? a.second < b.second : b_is_nan;
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
  for (const auto& [value, at] : items) sorted->PushBack(views[at]);
  return true;
}

Result<Any> ListSort(AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  TERN_TRY(CheckRoom(list->memory_bytes() + list->size() * kSortBytes));
  const std::vector<AnyView> views(list->begin(), list->end());
  SequencePtr sorted = Sequence::Make();
  // Tried from the narrowest kind: ints and floats mixed are sorted as floats.
  if (SortAs<int64_t>(views, sorted.get()) || SortAs<double>(views, sorted.get()) ||
      SortAs<std::string_view>(views, sorted.get()))
    return Any(sorted);
  return TypeError("sort takes a list of ints, floats or strings, got ", PrintValue(args[0]));
}

// Structural equality, so that lists and tuples are found by content. Linear, as a list has no
// index.
int64_t FindItem(const Sequence& list, const AnyView& wanted) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (StructuralEqual(list[i], wanted)) return static_cast<int64_t>(i);
  }
  return -1;
}

Result<Any> ListContains(AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  return Any(FindItem(*list, args[1]) >= 0);
}

Result<Any> ListFind(AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  return Any(FindItem(*list, args[1]));
}

Result<Any> ListRange(AnyArgs args) {
  TERN_TRY_ASSIGN(const int64_t begin, args[0].As<int64_t>());
  TERN_TRY_ASSIGN(const int64_t end, args[1].As<int64_t>());
  SequencePtr list = Sequence::Make();
  // An empty range, also backwards: as Python's.
  if (begin >= end) return Any(list);
  // Unsigned: the difference of two int64 may need 64 bits.
  const uint64_t count = static_cast<uint64_t>(end) - static_cast<uint64_t>(begin);
  if (count > static_cast<uint64_t>(kMaxItems))
    return OutOfRange("a list of ", count, " items; at most ", kMaxItems, " are possible");
  // Numbers near the ends of 64 bits do not fit an item, so each takes a slot.
  TERN_TRY(CheckRoom(count * (begin < -kPlainInt || end > kPlainInt ? kItemBytes : kPlainBytes)));
  list->Reserve(static_cast<size_t>(count));
  for (int64_t i = begin; i < end; ++i) list->PushInt(i);
  return Any(list);
}

Result<Any> ListRepeat(AnyArgs args) {
  TERN_TRY_ASSIGN(const int64_t count, args[1].As<int64_t>());
  if (count < 0 || count > kMaxItems)
    return OutOfRange("a list of ", count, " items; 0 to ", kMaxItems, " are possible");
  // One item first: it shows whether such an item needs a slot.
  SequencePtr list = Sequence::Make(args.first(count > 0 ? 1 : 0));
  const uint64_t bytes = list->memory_bytes() > kFirstBytes ? kItemBytes : kPlainBytes;
  TERN_TRY(CheckRoom(static_cast<uint64_t>(count) * bytes));
  list->Reserve(static_cast<size_t>(count));
  for (int64_t i = 1; i < count; ++i) list->PushBack(args[0]);
  return Any(list);
}

// Arity is checked by the wrapper (FindValueBuiltin), so bodies may index their arguments.
constexpr ValueBuiltin kLists[] = {
    {"tern.list.length", 1, &ListLength},     {"tern.list.get", 2, &ListGet},
    {"tern.list.set", 3, &ListSet},           {"tern.list.append", 2, &ListAppend},
    {"tern.list.concat", 2, &ListConcat},     {"tern.list.slice", 3, &ListSlice},
    {"tern.list.reverse", 1, &ListReverse},   {"tern.list.sort", 1, &ListSort},
    {"tern.list.contains", 2, &ListContains}, {"tern.list.find", 2, &ListFind},
    {"tern.list.range", 2, &ListRange},       {"tern.list.repeat", 2, &ListRepeat},
    {"tern.list.new", 0, &ListFresh},         {"tern.list.push", 2, &ListPush},
    {"tern.list.put", 3, &ListPut},           {"tern.list.extend", 2, &ListExtend},
};

// --- maps

Result<Any> MapLength(AnyArgs args) {
  TERN_TRY_ASSIGN(const Table* map, args[0].As<Table>());
  return Any(static_cast<int64_t>(map->size()));
}

Result<Any> MapGet(AnyArgs args) {
  TERN_TRY_ASSIGN(const Table* map, args[0].As<Table>());
  const std::optional<AnyView> value = map->Find(args[1]);
  if (value.has_value()) return Any(*value);
  return NotFound("the map has no key ", PrintValue(args[1]), "; it has ", map->size(),
                  map->size() == 1 ? " key" : " keys");
}

Result<Any> MapGetOr(AnyArgs args) {
  TERN_TRY_ASSIGN(const Table* map, args[0].As<Table>());
  const std::optional<AnyView> value = map->Find(args[1]);
  return Any(value.has_value() ? *value : args[2]);
}

Result<Any> MapSet(AnyArgs args) {
  TERN_TRY_ASSIGN(const Table* map, args[0].As<Table>());
  // The copy, and the growth that one more entry may cause.
  TERN_TRY(CheckRoom(2 * map->memory_bytes()));
  TablePtr copy = map->Copy();
  copy->Set(args[1], Any(args[2]));
  return Any(copy);
}

Result<Any> MapRemove(AnyArgs args) {
  TERN_TRY_ASSIGN(const Table* map, args[0].As<Table>());
  TERN_TRY(CheckRoom(map->memory_bytes()));
  TablePtr copy = map->Copy();
  copy->Erase(args[1]);
  return Any(copy);
}

Result<Any> MapPut(AnyArgs args) {
  TERN_TRY_ASSIGN(Table * map, args[0].As<Table>());
  if (!MayWrite(*map, args)) return MapSet(args);
  TERN_TRY(CheckRoom(map->GrowthBytes()));
  map->Set(args[1], Any(args[2]));
  return Any(args[0]);
}

Result<Any> MapDrop(AnyArgs args) {
  TERN_TRY_ASSIGN(Table * map, args[0].As<Table>());
  if (!MayWrite(*map, args)) return MapRemove(args);
  map->Erase(args[1]);
  return Any(args[0]);
}

Result<Any> MapContains(AnyArgs args) {
  TERN_TRY_ASSIGN(const Table* map, args[0].As<Table>());
  return Any(map->Contains(args[1]));
}

Result<Any> MapKeys(AnyArgs args) {
  TERN_TRY_ASSIGN(const Table* map, args[0].As<Table>());
  TERN_TRY(CheckRoom(map->memory_bytes()));
  SequencePtr keys = Sequence::Make();
  for (const auto& entry : *map) keys->PushBack(entry.key);
  return Any(keys);
}

Result<Any> MapValues(AnyArgs args) {
  TERN_TRY_ASSIGN(const Table* map, args[0].As<Table>());
  TERN_TRY(CheckRoom(map->memory_bytes()));
  SequencePtr values = Sequence::Make();
  for (const auto& entry : *map) values->PushBack(entry.value);
  return Any(values);
}

// (key, value, key, value, …): a later entry replaces an earlier one with an equal key.
Result<Any> MapMake(AnyArgs args) {
  if (args.size() % 2 != 0) return InvalidArgument("tern.map.make takes keys and values in turn");
  TablePtr map = Table::Make();
  for (size_t i = 0; i + 1 < args.size(); i += 2) map->Set(args[i], Any(args[i + 1]));
  return Any(map);
}

constexpr ValueBuiltin kMaps[] = {
    {"tern.map.length", 1, &MapLength}, {"tern.map.get", 2, &MapGet},
    {"tern.map.get_or", 3, &MapGetOr},  {"tern.map.set", 3, &MapSet},
    {"tern.map.remove", 2, &MapRemove}, {"tern.map.contains", 2, &MapContains},
    {"tern.map.keys", 1, &MapKeys},     {"tern.map.values", 1, &MapValues},
    {"tern.map.make", -1, &MapMake},    {"tern.map.put", 3, &MapPut},
    {"tern.map.drop", 2, &MapDrop},
};

}  // namespace

std::span<const ValueBuiltin> ListBuiltins() { return kLists; }
std::span<const ValueBuiltin> MapBuiltins() { return kMaps; }

}  // namespace tern::vm
