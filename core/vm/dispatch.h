// SPDX-License-Identifier: Apache-2.0
// How the interpreter goes from one instruction to the next: a table of labels where the compiler
// has computed goto, a switch elsewhere (WebAssembly, where it becomes one anyhow) and in the
// stepping loop, from the same source.
//
//   TERN_DISPATCH_BEGIN(op->handler) {
//     TERN_CASE(Add) { …; TERN_NEXT(op->handler); }
//   }
//
// The enclosing function is a template over `bool kStep` and has a table `kLabels` in the order of
// Handler where TERN_THREADED_DISPATCH is defined. Bodies end in one of TERN_STEP, TERN_JUMP,
// TERN_BRANCH and TERN_TRANSFER, which use what it has: `op`, the code's first op `code`, the
// registers `regs` and constants `pool` as bytes, `stop_at`, and the label `attention`.
#ifndef TERN_CORE_VM_DISPATCH_H_
#define TERN_CORE_VM_DISPATCH_H_

#if !defined(TERN_SWITCH_DISPATCH) && (defined(__clang__) || defined(__GNUC__)) && \
    !defined(__wasm__)
#define TERN_THREADED_DISPATCH 1
#endif

// A label that one of the two instances may not use.
#define TERN_LABEL(name) \
  name:                  \
  __attribute__((unused));

#define TERN_DISPATCH_BEGIN(handler) \
  TERN_LABEL(dispatch_next)          \
  switch (handler)
#ifdef TERN_THREADED_DISPATCH
#define TERN_CASE(symbol) \
  case Handler::k##symbol: label_##symbol:
#define TERN_NEXT(handler)                           \
  {                                                  \
    if constexpr (kStep) {                           \
      goto dispatch_next;                            \
    } else {                                         \
      goto* kLabels[static_cast<unsigned>(handler)]; \
    }                                                \
  }
#else
#define TERN_CASE(symbol) case Handler::k##symbol:
#define TERN_NEXT(handler) goto dispatch_next;
#endif

// clang-format off
#define TERN_REG(offset) At(regs, offset)
#define TERN_VALUE(ref)                                                      \
  ((ref) >= 0 ? regs + size_t{sizeof(Any)} * static_cast<uint32_t>(ref)     \
              : pool + size_t{sizeof(Any)} * static_cast<uint32_t>(~(ref)))
// Goes on at the op that `op` is set to, which stands behind the one before.
#define TERN_GO                            \
  {                                        \
    if constexpr (kStep) goto attention;   \
    else TERN_NEXT(op->handler)            \
  }
#define TERN_STEP   \
  {                 \
    ++op;           \
    TERN_GO         \
  }
// Goes on at the target of a jump, `distance` (an index, when stepping) behind the `length` ops of
// this one.
#define TERN_JUMP(distance, length)                            \
  {                                                            \
    const int32_t to = distance;                               \
    if constexpr (kStep) {                                     \
      op = code + to;                                          \
      goto attention;                                          \
    } else {                                                   \
      op = Moved(op + (length), to);                           \
      stop_at += to;                                           \
      if (AddressOf(op) >= stop_at) [[unlikely]] goto attention; \
      TERN_NEXT(op->handler)                                   \
    }                                                          \
  }
// Goes on at the op with this index, from a call or return. stop_at moves by the same distance as
// op, as if the code were straight: the difference of the two is what is left of the grant.
#define TERN_TRANSFER(index)                                   \
  {                                                            \
    const DecodedOp* const to = code + (index);                \
    if constexpr (!kStep) stop_at += AddressOf(to) - AddressOf(op + 1); \
    op = to;                                                   \
    if constexpr (kStep) goto attention;                       \
    if (AddressOf(op) >= stop_at) [[unlikely]] goto attention; \
    TERN_NEXT(op->handler)                                     \
  }
// Goes on at one of the two targets of a branch.
#define TERN_BRANCH(is_true, length)              \
  {                                               \
    if (is_true) TERN_JUMP(op->list, length)      \
    TERN_JUMP(op->count, length)                  \
  }
// Handlers that exist in the specialised code only.
#define TERN_FAST_CASE(symbol) \
  TERN_CASE(symbol) if constexpr (kStep) { __builtin_unreachable(); } else

// clang-format on

#endif  // TERN_CORE_VM_DISPATCH_H_
