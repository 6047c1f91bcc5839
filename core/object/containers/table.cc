// SPDX-License-Identifier: Apache-2.0
// Hashing, probing, growth and removal. The layout (dense entries, sparse index) is that of
// CPython's dict since 3.6: iteration is a walk over an array in the order of insertion, and the
// index costs 8 bytes per cell. Cells are at most three quarters full.
#include "core/object/containers/table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/object/graph/print.h"
#include "core/object/memory_account.h"
#include "core/object/shape.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"

namespace tern {

using internal::Item;

namespace {

// The index starts with eight cells and is always a power of two, so that the mask replaces a
// division.
constexpr uint32_t kFirstCells = 8;
constexpr uint32_t kMaxEntries = UINT32_MAX / 4 * 3;
// A key set that collides under five seeds in a row does so for another reason than its hashes (an
// adversary who reads our memory); then the table gives up and is slow, not wrong.
constexpr int kMaxReseedsInARow = 4;

// Odd constants with bits well spread: the fractions of the golden ratio and of the square root
// of 3.
constexpr uint64_t kMix1 = 0x9E3779B97F4A7C15u;
constexpr uint64_t kMix2 = 0xBB67AE8584CAA73Bu;

// Fibonacci hashing: the product's high bits depend on all bits of x, and the shift brings them
// down to where the mask looks.
uint64_t Mix(uint64_t x) {
  x *= kMix1;
  return x ^ x >> 32;
}

uint32_t Finish(uint64_t x) { return static_cast<uint32_t>(Mix(x) * kMix2 >> 32); }

uint32_t HashWord(uint64_t word, uint64_t seed) { return Finish(word ^ seed); }

// A word at a time. The last step reads the last eight bytes, which overlap the step before it, so
// that no tail of single bytes is left; the length in the seed keeps "a" and "a\\0" apart.
uint32_t HashContent(std::string_view bytes, uint64_t seed) {
  uint64_t hash = seed ^ bytes.size() * kMix2;
  const char* at = bytes.data();
  size_t left = bytes.size();
  if (left >= sizeof(uint64_t)) {
    for (; left > sizeof(uint64_t); left -= sizeof(uint64_t), at += sizeof(uint64_t))
      hash = Mix(hash ^ LoadWord<uint64_t>(at));
    return Finish(hash ^ LoadWord<uint64_t>(at + left - sizeof(uint64_t)));
  }
  return Finish(hash ^ LoadTextWord(at, left));
}

// A seed that cannot be foretold where addresses are random (ASLR), and another one for every
// table: an attacker who finds colliding keys for one table has none for the next.
uint64_t NewSeed(const void* table) {
  static uint64_t count = 0;
  const uint64_t number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  const uint64_t address = reinterpret_cast<uintptr_t>(table);
  return Mix(Mix(number * kMix2 ^ address) ^ reinterpret_cast<uintptr_t>(&number));
}

template <typename T>
std::string_view Raw(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// The bytes of an object that is a key by content, other than text.
std::optional<std::string_view> ContentOf(const TernAny& any) {
  switch (any.type_code) {
    case TERN_TYPE_SHAPE: return Raw(static_cast<Shape*>(internal::ObjectOf(any))->dims());
    case TERN_TYPE_BYTES: return static_cast<Bytes*>(internal::ObjectOf(any))->view();
    default: return std::nullopt;
  }
}

// The code points of UCS-4 text, however it is held.
std::optional<std::string_view> CodePointsOf(const TernAny& any) {
  const std::optional<std::u32string_view> text = internal::AnyToUCS4(any);
  if (!text.has_value()) return std::nullopt;
  return Raw(std::span(*text));
}

// What a key is kept as, without taking or copying it: what a moved reference offers, the object
// behind a handle, the value of a box. Not for text and code points, which may be padded.
TernAny KeptValue(const TernAny& key) {
  const TernAny& value = internal::Resolve(key);
  if (value.type_code == TERN_TYPE_OBJECT_HANDLE)
    return internal::MakeObjectAny(static_cast<Object*>(value.v.p));
  return internal::HoldsObject(value) ? internal::Unboxed(internal::ObjectOf(value)) : value;
}

// The float that stands for all floats equal to it: one NaN for all of them, +0 for both zeros.
// Without it a NaN key could be put but never found.
TernAny Canonical(TernAny any) {
  if (any.type_code != TERN_TYPE_FLOAT) return any;
  if (any.v.f != any.v.f) any.v.f = __builtin_nan("");
  if (any.v.f == 0) any.v.f = 0;
  return any;
}

// A key that can be compared by its bits alone, else a hole: for text that may come in several
// forms, and for floats, which have to be made canonical first.
Item ImmediateKey(const TernAny& any) {
  return any.type_code == TERN_TYPE_FLOAT ? Item::Hole() : Item::Immediate(any);
}

bool SameValue(const TernAny& a, const TernAny& b) {
  return a.type_code == b.type_code && a.v.i == b.v.i;
}

}  // namespace

// A key as it is searched for, with its hash: an immediate item; or text or other content of a
// kind; or a value compared as it is. Made once per operation, so that probing does not convert.
struct Table::Probe {
  enum Kind : uint8_t { kValue, kText, kCodePoints, kContent };

  Item item = Item::Hole();
  uint32_t hash = 0;
  Kind kind = kValue;
  std::string_view content = {};    // of any kind but kValue
  TernAny value = {};               // what is compared, or of content the object that has it
  const TernAny* source = nullptr;  // the key as it was given; null: just its text

  // Most found keys are the very object that was put; this spares comparing the text.
  bool IsSameObject(Item key) const {
    return key.is_object() && internal::HoldsObject(value) &&
           key.object()->header() == value.v.object;
  }
  bool MatchesText(Item key) const {
    if (!key.is_pointer()) return false;
    if (key.is_object()) {
      if (key.object()->type_code() != TERN_TYPE_STRING) return false;
      return static_cast<const LongString*>(key.object())->view() == content;
    }
    // Text in a slot, lent as a raw string.
    const TernAny other = key.View();
    const std::optional<std::string_view> text = internal::AnyToText(other);
    return text.has_value() && *text == content;
  }
  bool Matches(Item key) const {
    if (!key.is_pointer()) return false;
    const TernAny other = key.View();
    if (kind == kValue) return SameValue(value, other);
    if (kind == kCodePoints) return CodePointsOf(other) == content;
    return other.type_code == value.type_code && *ContentOf(other) == content;
  }
};

Table::Table() : Object(kTypeCode, nullptr), seed_(NewSeed(this)) {}

Table::~Table() { Clear(); }

// Short text always has the immediate form, long text never has it, so each text has one hash.
Table::Probe Table::MakeTextProbe(std::string_view text) const {
  Probe probe;
  if (text.size() <= Item::kMaxText) {
    probe.item = Item::OfText(text);
    probe.hash = HashWord(probe.item.bits(), seed_);
  } else {
    probe.kind = Probe::kText;
    probe.content = text;
    probe.hash = HashContent(text, seed_);
  }
  return probe;
}

Table::Probe Table::MakeProbe(const TernAny& key) const {
  if (const std::optional<std::string_view> text = internal::AnyToText(key)) {
    Probe probe = MakeTextProbe(*text);
    // Kept for IsSameObject; text that lies in the value has no object.
    if (internal::HoldsObject(key)) probe.value = key;
    probe.source = &key;
    return probe;
  }
  Probe probe;
  probe.source = &key;
  probe.value = Canonical(KeptValue(key));
  if (const std::optional<std::u32string_view> text = internal::AnyToUCS4(key)) {
    probe.kind = Probe::kCodePoints;
    probe.content = Raw(std::span(*text));
    // One or two code points are kept in the item itself, as short text is.
    if (text->size() <= UCS4String::kAnyCapacity)
      probe.item = Item::Immediate(internal::MakeSmallUCS4(*text));
  } else if (const std::optional<std::string_view> content = ContentOf(probe.value)) {
    probe.kind = Probe::kContent;
    probe.content = *content;
  } else {
    probe.item = Item::Immediate(probe.value);  // a canonical float may have become one
  }
  if (!probe.item.is_hole()) {
    probe.hash = HashWord(probe.item.bits(), seed_);
  } else if (probe.kind != Probe::kValue) {
    probe.hash = HashContent(probe.content, seed_);
  } else {
    probe.hash = HashWord(static_cast<uint64_t>(probe.value.v.i), seed_);
  }
  return probe;
}

// Linear probing from the hash's home cell. It ends, because a quarter of the cells is free. The
// stored hash is compared first, so that other keys are hardly ever looked at.
template <typename Matches>
Table::Cell* Table::FindCell(uint32_t hash, Matches matches) const {
  for (uint32_t at = hash & cell_mask_;; at = (at + 1) & cell_mask_) {
    Cell* cell = cells_ + at;
    if (cell->position == kEmpty) return cell;
    if (cell->hash == hash && matches(entries_[cell->position].key)) return cell;
  }
}

Table::Cell* Table::FindImmediate(Item key, uint32_t hash) const {
  // Forms are unique (item.h), so equal bits are the only way to be equal.
  return FindCell(hash, [key](Item other) { return other.bits() == key.bits(); });
}

Table::Cell* Table::FindOther(const Probe& probe) const {
  if (!probe.item.is_hole()) return FindImmediate(probe.item, probe.hash);
  if (probe.kind == Probe::kText) {
    return FindCell(probe.hash, [&probe](Item other) {
      return probe.IsSameObject(other) || probe.MatchesText(other);
    });
  }
  return FindCell(probe.hash, [&probe](Item other) { return probe.Matches(other); });
}

const Item* Table::FindItem(const AnyView& key) const {
  if (empty()) return nullptr;
  // The path of ints, bools, short text: no Probe is made.
  const Item item = ImmediateKey(key.c_any());
  if (!item.is_hole()) return ValueAt(FindImmediate(item, HashWord(item.bits(), seed_)));
  return ValueAt(FindOther(MakeProbe(key.c_any())));
}

const Item* Table::FindTextItem(std::string_view key) const {
  if (empty()) return nullptr;
  if (key.size() > Item::kMaxText) return ValueAt(FindOther(MakeTextProbe(key)));
  const Item item = Item::OfText(key);
  return ValueAt(FindImmediate(item, HashWord(item.bits(), seed_)));
}

std::optional<AnyView> Table::Find(const AnyView& key) const {
  const Item* item = FindItem(key);
  if (item == nullptr) return std::nullopt;
  return AnyView(item->View());
}

std::optional<AnyView> Table::FindText(std::string_view key) const {
  const Item* item = FindTextItem(key);
  if (item == nullptr) return std::nullopt;
  return AnyView(item->View());
}

Result<Any> Table::At(const AnyView& key) const {
  if (const std::optional<AnyView> value = Find(key)) return Any(*value);
  return NotFound("no key ", PrintValue(key), " in a map of ", size_,
                  size_ == 1 ? " entry" : " entries");
}

bool Table::Set(const AnyView& key, Any value) {
  if (key.type_code() != TERN_TYPE_DL_TENSOR)
    return SetProbed(MakeProbe(key.c_any()), std::move(value));
  const Any copy(key);  // a borrowed tensor is kept as a copy, which is then the key
  return SetProbed(MakeProbe(copy.c_any()), std::move(value));
}

bool Table::SetText(std::string_view key, Any value) {
  return SetProbed(MakeTextProbe(key), std::move(value));
}

bool Table::SetProbed(const Probe& probe, Any value) {
  // Before the search: growth moves the cells. A key that turns out to be there may thus cause a
  // growth that it did not need.
  if (used_ == capacity_) MakeRoom();
  Cell* cell = FindOther(probe);
  if (Replace(cell, &value)) return false;
  Append(cell, probe.hash, MakeKey(probe), std::move(value));
  return true;
}

bool Table::Replace(const Cell* cell, Any* value) {
  // An old value is dropped last, after the table is consistent again.
  if (cell->position == kEmpty) return false;
  // The new item is made first: the old one may be what keeps the value alive.
  const Item item = pool_.Adopt(value->Release());
  pool_.Drop(std::exchange(entries_[cell->position].value, item));
  return true;
}

void Table::Append(Cell* cell, uint32_t hash, Item key, Any value) {
  *cell = {.hash = hash, .position = used_};
  entries_[used_] = {.key = key, .value = pool_.Adopt(value.Release())};
  ++used_;
  ++size_;
  // The distance from the home cell is what finding the key will cost.
  const auto at = static_cast<uint32_t>(cell - cells_);
  if (((at - hash) & cell_mask_) > MostProbes()) [[unlikely]]
    Reseed();
}

Item Table::MakeKey(const Probe& probe) {
  // A probe of text alone (SetText) has no value whose object could be shared.
  if (!probe.item.is_hole()) return probe.item;
  if (probe.source == nullptr) return pool_.OfText(probe.content);
  const TernAny canonical = Canonical(*probe.source);
  return pool_.Share(canonical);  // takes what a moved reference offers
}

bool Table::Erase(const AnyView& key) {
  if (empty()) return false;
  Cell* cell = FindOther(MakeProbe(key.c_any()));
  if (cell->position == kEmpty) return false;
  // A hole keeps the positions of the other entries valid; the index points to positions.
  const Items dropped =
      std::exchange(entries_[cell->position], Items{.key = Item::Hole(), .value = Item()});
  RemoveCell(cell);
  --size_;
  // Holes cost iteration, so they are closed when they are the majority; the constant keeps small
  // tables from doing so at each removal.
  if (used_ - size_ > size_ + kFirstCells) CloseHoles();
  // Dropped last: a destructor that runs here may look at the table.
  pool_.Drop(dropped.key);
  pool_.Drop(dropped.value);
  return true;
}

// Backward-shift deletion (Knuth, volume 3, section 6.4, algorithm R): each following cell that was
// pushed past the freed one moves back, up to the next free cell. So no probe ends too early and no
// tombstones are needed.
void Table::RemoveCell(Cell* cell) {
  auto free = static_cast<uint32_t>(cell - cells_);
  for (uint32_t at = (free + 1) & cell_mask_; cells_[at].position != kEmpty;
       at = (at + 1) & cell_mask_) {
    const uint32_t home = cells_[at].hash & cell_mask_;
    // The cell's home lies behind the freed place, cyclically, so it must stay.
    if (((at - home) & cell_mask_) < ((at - free) & cell_mask_)) continue;
    cells_[free] = cells_[at];
    free = at;
  }
  cells_[free].position = kEmpty;
}

void Table::Clear() {
  // Everything leaves the table before it is dropped, because a destructor that runs then may look
  // at the table and finds it empty.
  Items* entries = std::exchange(entries_, nullptr);
  internal::GiveMemory(std::exchange(cells_, nullptr));
  internal::ItemPool pool = std::move(pool_);
  const uint32_t used = std::exchange(used_, 0);
  size_ = capacity_ = cell_mask_ = 0;
  for (uint32_t i = 0; i < used; ++i) {
    if (entries[i].key.is_hole()) continue;
    pool.Drop(entries[i].key);
    pool.Drop(entries[i].value);
  }
  internal::GiveMemory(entries);
}

void Table::Reserve(size_t count) {
  TERN_CHECK(count <= kMaxEntries, "no memory for so large a map");
  size_t cells = kFirstCells;
  // The number of entries that fit is three quarters of the cells.
  while (cells / 4 * 3 < count) cells *= 2;
  if (cells_ == nullptr || cells > size_t{cell_mask_} + 1) SetCells(cells);
}

void Table::MakeRoom() {
  // With a quarter of holes, closing them up frees enough room; otherwise the table doubles.
  if (used_ - size_ > used_ / 4) return CloseHoles();
  SetCells(cells_ == nullptr ? kFirstCells : (size_t{cell_mask_} + 1) * 2);
}

void Table::CloseHoles() {
  uint32_t kept = 0;
  // Entries keep their order, which is the order of insertion.
  for (uint32_t i = 0; i < used_; ++i) {
    if (!entries_[i].key.is_hole()) entries_[kept++] = entries_[i];
  }
  used_ = kept;
  PlaceCells();
}

void Table::SetCells(size_t count) {
  TERN_CHECK(count / 4 * 3 <= kMaxEntries, "no memory for so large a map");
  capacity_ = static_cast<uint32_t>(count / 4 * 3);
  entries_ = static_cast<Items*>(internal::ResizeMemory(entries_, capacity_ * sizeof(Items)));
  Cell* old = std::exchange(cells_, static_cast<Cell*>(internal::TakeMemory(count * sizeof(Cell))));
  const size_t old_count = old == nullptr ? 0 : size_t{cell_mask_} + 1;
  cell_mask_ = static_cast<uint32_t>(count - 1);
  // All ones: every position is kEmpty.
  memset(cells_, 0xFF, count * sizeof(Cell));
  // The stored hashes spare hashing the keys again; only their homes change with the mask.
  for (const Cell* cell = old; cell != old + old_count; ++cell) {
    if (cell->position != kEmpty) PlaceCell(*cell);
  }
  internal::GiveMemory(old);
}

uint32_t Table::HashOf(Item key) const {
  return key.is_pointer() ? MakeProbe(key.View()).hash : HashWord(key.bits(), seed_);
}

void Table::PlaceCell(Cell cell) {
  uint32_t at = cell.hash & cell_mask_;
  while (cells_[at].position != kEmpty) at = (at + 1) & cell_mask_;
  cells_[at] = cell;
}

// Builds the whole index anew, with hashes by the current seed.
void Table::PlaceCells() {
  memset(cells_, 0xFF, (size_t{cell_mask_} + 1) * sizeof(Cell));
  for (uint32_t i = 0; i < used_; ++i) {
    const Item key = entries_[i].key;
    if (!key.is_hole()) PlaceCell({.hash = HashOf(key), .position = i});
  }
}

// At three quarters full, the longest of n probes with random hashes is about 18 log2 n (Knuth,
// volume 3, section 6.4). More than twice that is not chance.
uint32_t Table::MostProbes() const {
  return std::max(kMaxProbe, 48 * static_cast<uint32_t>(std::bit_width(cell_mask_)));
}

void Table::Reseed() {
  // Each try costs one pass over the keys. Only Append calls this, so a chain of tries is paid for
  // by a probe that was far too long.
  for (int i = 0; i < kMaxReseedsInARow; ++i) {
    ++reseeds_;
    seed_ = Mix(seed_ ^ NewSeed(this));
    PlaceCells();
    if (LongestProbe() <= MostProbes()) return;
  }
}

size_t Table::memory_bytes() const {
  if (cells_ == nullptr) return 0;
  return capacity_ * sizeof(Items) + (size_t{cell_mask_} + 1) * sizeof(Cell) + pool_.bytes();
}

size_t Table::LongestProbe() const {
  size_t longest = 0;
  if (cells_ == nullptr) return longest;
  for (uint32_t at = 0; at <= cell_mask_; ++at) {
    if (cells_[at].position == kEmpty) continue;
    const size_t probe = ((at - cells_[at].hash) & cell_mask_) + 1;
    longest = probe > longest ? probe : longest;
  }
  return longest;
}

TablePtr Table::Copy() const {
  // Holes are not copied, so the positions change and the index is built anew. The copy has its own
  // seed.
  TablePtr copy = Make();
  if (empty()) return copy;
  copy->Reserve(size_);
  for (const Items* entry = entries_; entry != entries_ + used_; ++entry) {
    if (entry->key.is_hole()) continue;
    copy->entries_[copy->used_++] = {.key = copy->pool_.Copy(entry->key),
                                     .value = copy->pool_.Copy(entry->value)};
  }
  copy->size_ = copy->used_;
  copy->PlaceCells();
  return copy;
}

}  // namespace tern
