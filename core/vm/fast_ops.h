// SPDX-License-Identifier: Apache-2.0
// What the specialised ops of the interpreter do with registers. Each gives false, having done
// nothing, where the values are not what its op is specialised for. They are templates over the
// operation, so that a new pair of instruction and operands is one line of the loop, and always
// inlined, because the loop's speed is one jump and a few instructions per op.
#ifndef TERN_CORE_VM_FAST_OPS_H_
#define TERN_CORE_VM_FAST_OPS_H_

#include <cstdint>

#include "core/object/tensor.h"
#include "core/vm/linker.h"
#include "core/vm/registers.h"

namespace tern::vm {

// Where the second operand of a specialised op is; the first is in a register.
enum class Second : uint8_t { kRegister, kImmediate };

// Sums and products wrap around, as the instructions say.
inline constexpr auto kPlus = [](int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
};
inline constexpr auto kMinus = [](int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) - static_cast<uint64_t>(y));
};
inline constexpr auto kTimes = [](int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
};
inline constexpr auto kLess = [](int64_t x, int64_t y) { return x < y; };
inline constexpr auto kLessEqual = [](int64_t x, int64_t y) { return x <= y; };
inline constexpr auto kGreater = [](int64_t x, int64_t y) { return x > y; };
inline constexpr auto kEqual = [](int64_t x, int64_t y) { return x == y; };
inline constexpr auto kNotEqual = [](int64_t x, int64_t y) { return x != y; };

inline bool BothInts(const char* a, const char* b) {
  return CodeAt(a) == TERN_TYPE_INT && CodeAt(b) == TERN_TYPE_INT;
}

// *result = kOperation(a, b) of ints.
template <auto kOperation, Second kSecond, class T>
[[gnu::always_inline]] inline bool ComputeInts(const DecodedOp& op, char* regs, T* result) {
  const char* const a = At(regs, op.a);
  if constexpr (kSecond == Second::kImmediate) {
    if (CodeAt(a) != TERN_TYPE_INT) return false;
    *result = kOperation(PayloadAt(a), op.b);
  } else {
    const char* const b = At(regs, op.b);
    if (!BothInts(a, b)) return false;
    *result = kOperation(PayloadAt(a), PayloadAt(b));
  }
  return true;
}

template <auto kOperation, Second kSecond>
[[gnu::always_inline]] inline bool StoreInt(const DecodedOp& op, char* regs) {
  int64_t value;
  if (!ComputeInts<kOperation, kSecond>(op, regs, &value)) return false;
  StoreScalar(At(regs, op.dst), kIntHead, value);
  return true;
}

// The result also as *is_true, for the branch that follows.
template <auto kOperation, Second kSecond>
[[gnu::always_inline]] inline bool StoreBool(const DecodedOp& op, char* regs, bool* is_true) {
  if (!ComputeInts<kOperation, kSecond>(op, regs, is_true)) return false;
  StoreScalar(At(regs, op.dst), kBoolHead, *is_true ? 1 : 0);
  return true;
}

// The entry of a shape heap (builtins.h) at `index`, or null.
inline int64_t* HeapEntry(const char* heap, const char* index) {
  if (CodeAt(heap) != TERN_TYPE_TENSOR || CodeAt(index) != TERN_TYPE_INT) return nullptr;
  const auto* tensor = static_cast<const Tensor*>(ObjectAt(heap));
  if (tensor->dtype() != kI64 || tensor->rank() != 1 || tensor->strides()[0] != 1 ||
      tensor->is_read_only() || !tensor->on_host() ||
      static_cast<uint64_t>(PayloadAt(index)) >= static_cast<uint64_t>(tensor->element_count()))
    return nullptr;
  return static_cast<int64_t*>(tensor->data()) + PayloadAt(index);
}

}  // namespace tern::vm

#endif  // TERN_CORE_VM_FAST_OPS_H_
