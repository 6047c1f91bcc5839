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
// Handler where TERN_THREADED_DISPATCH is defined.
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

#endif  // TERN_CORE_VM_DISPATCH_H_
