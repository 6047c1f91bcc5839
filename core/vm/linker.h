// SPDX-License-Identifier: Apache-2.0
// Program: an executable made ready to run: primitives found, constants in place, code decoded for
// dispatch.
//
// Link resolves every primitive name in the registry (exact, then by factory with its attributes)
// and reports all that are missing in one error, each with where it is used. The decoded code is
// one 24-byte record per instruction, twice: plain, and specialised for speed. Operands are
// register numbers or, below zero, entries of a pool that holds immediates, constants and functions
// as values, so that the interpreter reads every operand the same way.
#ifndef TERN_CORE_VM_LINKER_H_
#define TERN_CORE_VM_LINKER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/object/function.h"
#include "core/object/registry.h"
#include "core/vm/builtins/builtins.h"
#include "core/vm/executable.h"
#include "core/vm/places.h"
#include "core/vm/program_kernels.h"
#include "core/vm/type_codes.h"

namespace tern::vm {

struct LinkOptions {
  Registry* registry = nullptr;                 // null: Registry::Global()
  std::span<const FunctionPtr> functions = {};  // looked at first, by name
  // Looked for last: FindBuiltin or what a program has of it.
  FunctionPtr (*find_builtin)(std::string_view name) = &FindBuiltin;
  // Splats are stored as one element; more than this many bytes of them in full is an error.
  uint64_t max_splat_bytes = kMostSplatBytes;
};

// A value of a decoded operand: a register where >= 0, else pool()[~value].
using ValueRef = int32_t;
inline constexpr ValueRef kNoValue = INT32_MIN;      // an optional operand that is left out
inline constexpr ValueRef kVmValue = INT32_MIN + 1;  // the machine; only in ops with kPassesVm

// Handlers: opcodes without gaps, in the order of isa.def; then what the linker makes of common
// cases of them (specialize.h), which only code() holds.
//   …RR two registers, …RI a register and an int of 32 bits; If… a comparison and the branch on its
//   result in one; …Pool a value of the pool; Ret… by where the value lies. RetInner and Leave are
//   what code that runs ahead (specialize.h) has for ret and for all that must be told.
// clang-format off
#define TERN_FAST_HANDLERS(X)                                                        \
  X(AddRR) X(SubRR) X(MulRR) X(AddRI) X(MulRI) X(AddRIGoto)                          \
  X(LtRR) X(LeRR) X(EqRR) X(NeRR) X(LtRI) X(GtRI) X(EqRI) X(NeRI)                    \
  X(IfLtRR) X(IfLeRR) X(IfEqRR) X(IfNeRR) X(IfLtRI) X(IfGtRI) X(IfEqRI) X(IfNeRI)    \
  X(IfEqualRR) X(IfEqualRI)                                                          \
  X(MoveRR) X(RetOwned) X(RetParameter) X(RetPool) X(InvokeFrame)                    \
  X(LoadDim) X(StoreDim) X(InvokeNative) X(TailInvokeNative)                         \
  X(RetInner) X(Leave)
// clang-format on

enum class Handler : uint16_t {
#define TERN_INSTRUCTION(number, symbol, mnemonic, operands, flow, meaning) k##symbol,
#include "core/vm/isa.def"
#undef TERN_INSTRUCTION
#define TERN_FAST_HANDLER(symbol) k##symbol,
  TERN_FAST_HANDLERS(TERN_FAST_HANDLER)
#undef TERN_FAST_HANDLER
};

// What the interpreter executes. `a` and `b` are the first two operands besides dst and jumps:
// values, or indices of functions; further ones stand in lists(), before the operand list. Call is
// decoded to Invoke where its callee is a function of the file, InvokePacked to Call.
//
// `b` of a call whose results have places is the first of them in those of its function (places.h).
//
// Jumps are indices of ops in plain_code(). In code() they are distances in bytes from the op
// behind the instruction, and dst, a and b of a specialised op are byte offsets of registers, or b
// an int.
struct DecodedOp {
  Handler handler{};
  uint16_t flags = 0;
  int32_t dst = -1;  // register, -1: none
  int32_t a = kNoValue;
  int32_t b = kNoValue;
  int32_t list = 0;   // first of its values in lists(); of branches: the target if true
  int32_t count = 0;  // how many;                       of branches: the target if false
};
inline constexpr uint16_t kPassesVm = 1;
// Of a specialised call of the program's function: the caller does not look again at some of the
// arguments, which the callee is then the only one to hold.
inline constexpr uint16_t kReleasesOperands = 2;
inline constexpr int kOutputsShift = 1;  // above: outputs of InvokePacked, at most 2^15 - 1
inline constexpr int64_t kMaxOutputs = (1 << 15) - 1;

// What entering a function takes.
struct EntryInfo {
  uint32_t first = 0;  // op
  uint32_t registers = 0;
  uint32_t arity = 0;
  // Its code never writes or kills a parameter, so that callers may lend it theirs uncounted.
  bool borrows = false;
  // It declares types that nobody has proved of its calls and results: they are checked when it is
  // entered and left.
  bool checks_types = false;
  // Of what is checked: the type codes of the parameters, `arity` of them, where codes are all
  // there is to check, else null; and that of the result (type_codes.h).
  const int32_t* codes = nullptr;
  int32_t result_code = kNoCode;
  const FunctionPlaces* places = nullptr;  // null: none
};

class Program;
using ProgramPtr = std::shared_ptr<const Program>;

class Program {
 public:
  static Result<ProgramPtr> Link(ExecutablePtr executable, const LinkOptions& options = {});

  const Executable& executable() const { return *executable_; }
  const ExecutablePtr& shared_executable() const { return executable_; }
  // Op i is what runs from instruction i on: it, or it and the next. Entering in the middle of two
  // that run together is fine.
  std::span<const DecodedOp> code() const { return code_; }
  // One op per instruction, none specialised: for observed runs.
  std::span<const DecodedOp> plain_code() const { return plain_; }
  std::span<const EntryInfo> entries() const { return entries_; }
  // Instructions of the longest function.
  uint32_t longest_function() const { return longest_function_; }
  std::span<const int32_t> lists() const { return lists_; }
  std::span<const Any> pool() const { return pool_; }
  std::span<const FunctionPtr> primitives() const { return primitives_; }
  // The most values any instruction passes, the context included.
  uint32_t max_args() const { return max_args_; }

  // The one thing of a program that changes: what machines made from now on call instead of the
  // bytecode of the function. Not found: no such function.
  Status SetKernel(std::string_view function, KernelBackend backend) const;
  // The same of several at once, by the functions' numbers.
  void SetKernels(std::vector<FunctionBackend> backends) const;
  KernelTablePtr kernels() const { return kernels_->Get(); }

 private:
  friend class Linker;
  Program() = default;

  ExecutablePtr executable_;
  std::vector<DecodedOp> plain_;
  std::vector<DecodedOp> code_;
  std::vector<EntryInfo> entries_;
  std::vector<int32_t> codes_;  // those of the entries
  uint32_t longest_function_ = 0;
  std::vector<int32_t> lists_;
  std::vector<Any> pool_;
  std::vector<FunctionPtr> primitives_;
  std::vector<FunctionPlaces> places_;
  uint32_t max_args_ = 0;
  std::unique_ptr<KernelSlot> kernels_ = std::make_unique<KernelSlot>();
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_LINKER_H_
