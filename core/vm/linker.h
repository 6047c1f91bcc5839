// SPDX-License-Identifier: Apache-2.0
// Program: an executable made ready to run: primitives found, constants in place, code decoded for
// dispatch.
//
// Link resolves every primitive name in the registry (exact, then by factory with its attributes)
// and reports all that are missing in one error, each with where it is used. The decoded code is
// one 24-byte record per instruction; operands are register numbers or, below zero, entries of a
// pool that holds immediates, constants and functions as values, so that the interpreter reads
// every operand the same way.
#ifndef TERN_CORE_VM_LINKER_H_
#define TERN_CORE_VM_LINKER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/object/function.h"
#include "core/object/registry.h"
#include "core/vm/executable.h"

namespace tern::vm {

struct LinkOptions {
  Registry* registry = nullptr;                 // null: Registry::Global()
  std::span<const FunctionPtr> functions = {};  // looked at first, by name
  // Splats are stored as one element; more than this many bytes of them in full is an error.
  uint64_t max_splat_bytes = uint64_t{1} << 30;
};

// A value of a decoded operand: a register where >= 0, else pool()[~value].
using ValueRef = int32_t;
inline constexpr ValueRef kNoValue = INT32_MIN;      // an optional operand that is left out
inline constexpr ValueRef kVmValue = INT32_MIN + 1;  // the machine; only in ops with kPassesVm

// Opcodes without gaps, in the order of isa.def.
enum class Handler : uint16_t {
#define TERN_INSTRUCTION(number, symbol, mnemonic, operands, flow, meaning) k##symbol,
#include "core/vm/isa.def"
#undef TERN_INSTRUCTION
};

// What the interpreter executes. `a` and `b` are the first two operands besides dst and jumps:
// values, or indices of functions; further ones stand in lists(), before the operand list. Jumps
// are indices of decoded ops. Call is decoded to Invoke where its callee is a function of the file,
// InvokePacked to Call.
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
inline constexpr int kOutputsShift = 1;  // above: outputs of InvokePacked, at most 2^15 - 1
inline constexpr int64_t kMaxOutputs = (1 << 15) - 1;

class Program;
using ProgramPtr = std::shared_ptr<const Program>;

class Program {
 public:
  static Result<ProgramPtr> Link(ExecutablePtr executable, const LinkOptions& options = {});

  const Executable& executable() const { return *executable_; }
  const ExecutablePtr& shared_executable() const { return executable_; }
  std::span<const DecodedOp> code() const { return code_; }
  std::span<const int32_t> lists() const { return lists_; }
  std::span<const Any> pool() const { return pool_; }
  std::span<const FunctionPtr> primitives() const { return primitives_; }
  // The most values any instruction passes, the context included.
  uint32_t max_args() const { return max_args_; }

 private:
  friend class Linker;
  Program() = default;

  ExecutablePtr executable_;
  std::vector<DecodedOp> code_;
  std::vector<int32_t> lists_;
  std::vector<Any> pool_;
  std::vector<FunctionPtr> primitives_;
  uint32_t max_args_ = 0;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_LINKER_H_
