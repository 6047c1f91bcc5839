// SPDX-License-Identifier: Apache-2.0
// Registers as the interpreter's loop sees them: two 64-bit words at a byte offset.
//
// An Any is its head (type code, padding that is zero or a small string's length) and its payload.
// They are read and written as whole words: a 16-byte load behind two narrower stores would wait
// for them. Padding is zero, so that the head of a number is known.
#ifndef TERN_CORE_VM_REGISTERS_H_
#define TERN_CORE_VM_REGISTERS_H_

#include <cstdint>

#include "core/object/any.h"

namespace tern::vm {

inline constexpr uint64_t kIntHead = static_cast<uint32_t>(TERN_TYPE_INT);
inline constexpr uint64_t kBoolHead = static_cast<uint32_t>(TERN_TYPE_BOOL);

inline char* At(char* base, int32_t offset) { return base + offset; }
inline int32_t CodeAt(const char* at) {
  int32_t code;
  __builtin_memcpy(&code, at, sizeof(code));
  return code;
}
inline uint64_t HeadAt(const char* at) {
  uint64_t head;
  __builtin_memcpy(&head, at, sizeof(head));
  return head;
}
inline int64_t PayloadAt(const char* at) {
  int64_t payload;
  __builtin_memcpy(&payload, at + 8, sizeof(payload));
  return payload;
}
inline void SetWords(char* at, uint64_t head, int64_t payload) {
  __builtin_memcpy(at, &head, sizeof(head));
  __builtin_memcpy(at + 8, &payload, sizeof(payload));
}
inline void SetPayload(char* at, int64_t payload) {
  __builtin_memcpy(at + 8, &payload, sizeof(payload));
}
inline bool IsObjectHead(uint64_t head) { return static_cast<int32_t>(head) > 0; }
// The object of a value that holds one: the payload is the pointer.
inline Object* ObjectAt(const char* at) {
  Object* object;
  __builtin_memcpy(&object, at + 8, sizeof(object));
  return object;
}

// A callee that leaves the caller's registers alone, where the compiler can.
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define TERN_KEEPS_REGISTERS [[clang::preserve_most]]
#else
#define TERN_KEEPS_REGISTERS
#endif

// Out of line, so that the loop has a call and not a body.
TERN_KEEPS_REGISTERS void ReleaseAt(const char* at);

// Puts a scalar over whatever is there, or a value whose reference is handed over.
inline void StoreScalar(char* at, uint64_t head, int64_t payload) {
  if (CodeAt(at) > 0) [[unlikely]]
    ReleaseAt(at);
  SetWords(at, head, payload);
}
// Puts a value with a reference of its own in place of what is there. The reference is taken before
// the old value is released, as both may be one object.
inline void CopyOver(char* to, const char* from) {
  const uint64_t head = HeadAt(from);
  const int64_t payload = PayloadAt(from);
  if (IsObjectHead(head)) ObjectAt(from)->IncRef();
  const bool held = CodeAt(to) > 0;
  Object* const old = held ? ObjectAt(to) : nullptr;
  SetWords(to, head, payload);
  if (held) old->DecRef();
}

}  // namespace tern::vm

#endif  // TERN_CORE_VM_REGISTERS_H_
