// SPDX-License-Identifier: Apache-2.0
// The type table. Entries of S4 lie in blocks that double in size, block k holding the codes [128
// << k, 256 << k). So an entry is found from its code by two loads without a lock, and it never
// moves when the table grows.
#include "core/object/type_table.h"

#include <bit>
#include <cstring>
#include <iterator>
#include <new>
#include <vector>

#include "core/base/hash.h"
#include "core/base/spin_lock.h"
#include "core/base/strings.h"

namespace tern {
namespace {

constexpr int kBlocks = 24;  // 128 << 24 is past the last code
// Depth bounds the size of an entry; no real hierarchy comes near it.
constexpr int32_t kMaxDepth = 255;
static_assert(TERN_TYPE_S4_FIRST == 128);

constinit TypeEntry fixed[] = {
#define TERN_TYPE(NAME, KEY, PHRASE)               \
  {.code = TERN_TYPE_##NAME,                       \
   .depth = int32_t{TERN_TYPE_##NAME > 0 ? 1 : 0}, \
   .key = KEY,                                     \
   .doc = PHRASE},
#include "core/object/types.def"
#undef TERN_TYPE
};

// place[code - S0_LAST] is 1 + the place in `fixed`, 0 where there is none. Built at compile time,
// so that a look-up of the commonest types is two loads.
struct FixedIndex {
  uint8_t place[TERN_TYPE_S4_FIRST - TERN_TYPE_S0_LAST] = {};
};
constexpr FixedIndex MakeFixedIndex() {
  constexpr TernTypeCode kCodes[] = {
#define TERN_TYPE(NAME, KEY, PHRASE) TERN_TYPE_##NAME,
#include "core/object/types.def"
#undef TERN_TYPE
  };
  FixedIndex index;
  for (size_t i = 0; i < std::size(kCodes); ++i)
    index.place[kCodes[i] - TERN_TYPE_S0_LAST] = static_cast<uint8_t>(i + 1);
  return index;
}
constexpr FixedIndex kFixedIndex = MakeFixedIndex();

using Slot = const TypeEntry*;
constinit Slot* blocks[kBlocks] = {};  // written under the lock, read without
constinit int32_t count = 0;           // the same
constinit SpinLock lock;

// Keys of S4: open addressing with linear probing over entries, at most half full. Nothing is ever
// removed. Guarded by the lock.
struct KeyTable {
  std::vector<Slot> slots;

  size_t PlaceOf(std::string_view key) const {
    size_t place = static_cast<size_t>(HashText(key)) & (slots.size() - 1);
    while (slots[place] != nullptr && slots[place]->key != key)
      place = (place + 1) & (slots.size() - 1);
    return place;
  }
  Slot Find(std::string_view key) const { return slots.empty() ? nullptr : slots[PlaceOf(key)]; }
  // The new slots are made before the swap; PlaceOf then searches the larger table.
  void Insert(Slot entry, size_t entries) {
    if (slots.size() < 2 * (entries + 1)) {
      std::vector<Slot> old(slots.empty() ? 64 : 2 * slots.size());
      old.swap(slots);
      for (Slot moved : old) {
        if (moved != nullptr) slots[PlaceOf(moved->key)] = moved;
      }
    }
    slots[PlaceOf(entry->key)] = entry;
  }
};
// Made at the first registration and never destroyed: types outlive every static.
constinit KeyTable* keys = nullptr;

// Codes 128 … 255 have 8 bits and lie in block 0; each further bit is the next block.
int BlockOf(TernTypeCode code) {
  return static_cast<int>(std::bit_width(static_cast<uint32_t>(code))) - 8;  // 8 bits: 128 … 255
}

const TypeEntry* FindFixed(std::string_view key) {
  const TypeEntry* found = nullptr;
  for (const TypeEntry& entry : fixed) {
    // A value and an object may share a key ("string"). The object's code is the larger one, and it
    // is the one that reflection and casts ask for.
    if (entry.key == key && (found == nullptr || entry.code > found->code)) found = &entry;
  }
  return found;
}

// Keys are shown in messages and written to files, so they must be printable and free of spaces.
Status CheckKey(std::string_view key) {
  bool good = !key.empty() && key.size() <= 255;
  for (const char c : key) good = good && static_cast<unsigned char>(c) > ' ' && c != '\x7f';
  if (good) return OkStatus();
  return InvalidArgument("type key '", key, "': expected 1 to 255 characters without spaces");
}

// One block of memory: the entry, its ancestors, key and doc. Kept for ever, so that string views
// and pointers given out never dangle.
TypeEntry* MakeEntry(const TypeSpec& spec, TernTypeCode code, const TypeEntry* parent) {
  const int32_t depth = parent == nullptr ? 1 : parent->depth + 1;
  const size_t line = static_cast<size_t>(depth) * sizeof(TernTypeCode);
  void* memory = ::operator new(sizeof(TypeEntry) + line + spec.key.size() + spec.doc.size());
  auto* entry = new (memory) TypeEntry;
  auto* ancestors = reinterpret_cast<TernTypeCode*>(entry + 1);
  for (int32_t d = 1; d < depth; ++d) {
    // A parent before S4 keeps no line of its own: it is its whole line.
    const bool inherited = parent->ancestors != nullptr;
    ancestors[d - 1] = inherited ? parent->ancestors[d - 1] : parent->code;
  }
  ancestors[depth - 1] = code;
  char* text = reinterpret_cast<char*>(ancestors + depth);
  spec.key.copy(text, spec.key.size());
  spec.doc.copy(text + spec.key.size(), spec.doc.size());
  entry->code = code;
  entry->parent = parent == nullptr ? 0 : parent->code;
  entry->depth = depth;
  entry->key = {text, spec.key.size()};
  entry->doc = {text + spec.key.size(), spec.doc.size()};
  entry->ancestors = ancestors;
  return entry;
}

// The lock is held. The order of stores matters, because readers take no lock: the block, then the
// entry in it, then the count, each released after what it points to is complete.
TernTypeCode Publish(const TypeSpec& spec, const TypeEntry* parent) {
  const TernTypeCode code = TERN_TYPE_S4_FIRST + count;
  const int block = BlockOf(code);
  const int32_t first = TERN_TYPE_S4_FIRST << block;
  if (blocks[block] == nullptr) {
    Slot* made = new Slot[static_cast<size_t>(first)]();
    __atomic_store_n(&blocks[block], made, __ATOMIC_RELEASE);
  }
  Slot entry = MakeEntry(spec, code, parent);
  __atomic_store_n(&blocks[block][code - first], entry, __ATOMIC_RELEASE);
  if (keys == nullptr) keys = new KeyTable;
  keys->Insert(entry, static_cast<size_t>(count));
  __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
  return code;
}

const TypeEntry* FindByKey(std::string_view key) {
  // Fixed types need no lock; they are most of what is asked for.
  if (const TypeEntry* entry = FindFixed(key)) return entry;
  SpinLockGuard guard(&lock);
  return keys == nullptr ? nullptr : keys->Find(key);
}

Status UnknownKey(std::string_view key) {
  Status status = NotFound("no type '", key, "' is registered");
  std::vector<std::string_view> names;
  for (const TypeEntry& entry : fixed) names.push_back(entry.key);
  const int32_t types = DynamicTypeCount();
  for (int32_t i = 0; i < types; ++i) names.push_back(TypeKey(TERN_TYPE_S4_FIRST + i));
  const std::string_view meant = DidYouMean(key, names);
  if (!meant.empty()) status.AddNote(StrCat("did you mean '", meant, "'?"));
  return status;
}

}  // namespace

std::string_view TypeKey(TernTypeCode code) {
  const TypeEntry* entry = FindType(code);
  return entry != nullptr ? entry->key : "unknown type";
}

const TypeEntry* FindType(TernTypeCode code) {
  if (code < TERN_TYPE_S4_FIRST) {
    if (code < TERN_TYPE_S0_LAST) return nullptr;
    const uint8_t place = kFixedIndex.place[code - TERN_TYPE_S0_LAST];
    return place == 0 ? nullptr : &fixed[place - 1];
  }
  const int block = BlockOf(code);
  if (block >= kBlocks) return nullptr;
  // The acquire pairs with Publish: who sees the pointer sees the whole entry. A code that nobody
  // got reads null, because blocks are made zeroed.
  const Slot* slots = __atomic_load_n(&blocks[block], __ATOMIC_ACQUIRE);
  if (slots == nullptr) return nullptr;
  return __atomic_load_n(&slots[code - (TERN_TYPE_S4_FIRST << block)], __ATOMIC_ACQUIRE);
}

Result<const TypeEntry*> FindType(std::string_view key) {
  if (const TypeEntry* entry = FindByKey(key)) return entry;
  return UnknownKey(key);
}

int32_t DynamicTypeCount() { return __atomic_load_n(&count, __ATOMIC_ACQUIRE); }

Result<TernTypeCode> RegisterType(const TypeSpec& spec) {
  TERN_TRY(CheckKey(spec.key));
  const TypeEntry* parent = nullptr;
  if (!spec.parent.empty() && spec.parent != "Object") {
    // Looked up before the lock is taken: entries live for ever, so the parent cannot vanish in
    // between.
    Result<const TypeEntry*> found = FindType(spec.parent);
    if (!found.ok()) {
      return std::move(found).status().AddNote(
          StrCat("it was to be the parent of '", spec.key, "'"));
    }
    parent = *found;
    if (IsSealed(parent->code) || parent->depth >= kMaxDepth) {
      return InvalidArgument("type '", spec.key, "': its parent '", parent->key, "' ",
                             IsSealed(parent->code) ? "cannot have children" : "lies too deep");
    }
  }
  const TernTypeCode parent_code = parent == nullptr ? 0 : parent->code;
  const TypeEntry* taken = FindFixed(spec.key);
  // "Object" is the root and no entry; its name may not be taken.
  if (taken == nullptr && spec.key != "Object") {
    SpinLockGuard guard(&lock);
    // Look-up and insertion happen under one lock, so two threads that register one class get one
    // code.
    taken = keys == nullptr ? nullptr : keys->Find(spec.key);
    if (taken == nullptr) return Publish(spec, parent);
    if (taken->parent == parent_code) return taken->code;
  }
  const std::string_view had =
      taken == nullptr || taken->parent == 0 ? "Object" : TypeKey(taken->parent);
  return AlreadyExists("a type '", spec.key, "' is registered already, with the parent ", had);
}

// One compare-and-swap, so that of two threads only one gives the fields.
bool SetReflection(TernTypeCode code, const TypeReflection* reflection) {
  const TypeEntry* entry = FindType(code);
  if (entry == nullptr) return false;
  const TypeReflection* none = nullptr;
  return __atomic_compare_exchange_n(&entry->reflection_, &none, reflection, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

namespace internal {

bool InheritsFrom(TernTypeCode code, TernTypeCode ancestor) {
  // An ancestor stands at its own depth in the line of its descendants, so one comparison decides,
  // however deep the tree is (a display, as in Cohen's type test of 1991).
  const TypeEntry* entry = FindType(code);
  const TypeEntry* above = FindType(ancestor);
  if (entry == nullptr || above == nullptr || entry->ancestors == nullptr) return code == ancestor;
  const int32_t depth = above->depth;
  return depth >= 1 && depth <= entry->depth && entry->ancestors[depth - 1] == ancestor;
}

TernTypeCode RegisterClass(std::string_view key, TernTypeCode parent, TernTypeCode* cache) {
  // A class is registered at its first use, so its name is known here only by its parent's code.
  TypeSpec spec{.key = key};
  if (parent != 0) spec.parent = TypeKey(parent);
  const Result<TernTypeCode> code = RegisterType(spec);
  // The keys are constants of the program: a failure is a clash between two classes of ours.
  TERN_CHECK(code.ok(), "a class whose type key or parent cannot be registered");
  // Relaxed suffices: every thread that misses the cache registers again and gets the same code.
  __atomic_store_n(cache, *code, __ATOMIC_RELAXED);
  return *code;
}

}  // namespace internal
}  // namespace tern
