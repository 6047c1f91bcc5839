// SPDX-License-Identifier: Apache-2.0
// How the interpreter goes from one instruction to the next: a table of labels where the compiler
// has computed goto, a switch elsewhere (WebAssembly, where it becomes one anyhow), from the same
// source.
//
//   TERN_DISPATCH(op->handler) {                   goes to the first instruction
//     TERN_CASE(Add) { …; TERN_NEXT(op->handler); }
//   }
//
// With labels, a table `kLabels` in the order of isa.def must be in scope.
#ifndef TERN_CORE_VM_DISPATCH_H_
#define TERN_CORE_VM_DISPATCH_H_

#if !defined(TERN_SWITCH_DISPATCH) && (defined(__clang__) || defined(__GNUC__)) && \
    !defined(__wasm__)
#define TERN_THREADED_DISPATCH 1
#endif

#ifdef TERN_THREADED_DISPATCH
#define TERN_DISPATCH(handler) goto* kLabels[static_cast<unsigned>(handler)];
#define TERN_CASE(symbol) label_##symbol:
#define TERN_NEXT(handler) goto* kLabels[static_cast<unsigned>(handler)]
#else
#define TERN_DISPATCH(handler) \
  dispatch_next:               \
  switch (handler)
#define TERN_CASE(symbol) case Handler::k##symbol:
#define TERN_NEXT(handler) goto dispatch_next
#endif

#endif  // TERN_CORE_VM_DISPATCH_H_
