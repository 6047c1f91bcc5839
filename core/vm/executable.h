// SPDX-License-Identifier: Apache-2.0
// Executable: the immutable tables of a program: functions, constants, primitive names, code,
// kernels, metadata, debug info. Many machines and threads share one.
//
// Made by ExecBuilder (builder.h), ReadExecutable (reader.h) or Assemble (assembler.h), always
// through Make, which verifies: an Executable that exists is safe to run. Functions lie in the code
// one after the other.
#ifndef TERN_CORE_VM_EXECUTABLE_H_
#define TERN_CORE_VM_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/object/any.h"
#include "core/object/tensor.h"
#include "core/vm/encoding.h"
#include "core/vm/signature.h"

namespace tern::vm {

struct FunctionInfo {
  std::string name;
  // Parameters and results with symbolic dimensions; its text is what the file holds. Its
  // parameters are the first registers.
  Signature signature;
  uint32_t first_instruction = 0;
  uint32_t instruction_count = 0;
  uint32_t register_count = 0;  // one past the highest register used, at least the arity
  std::vector<std::pair<uint32_t, std::string>>
      register_names;  // ascending; parameters are named by the signature

  uint32_t arity() const { return static_cast<uint32_t>(signature.parameters().size()); }
  // Of a parameter or a named register; empty where there is none.
  std::string_view RegisterName(uint32_t index) const;
};

enum class ConstantKind : uint8_t {
  kNone = 0,
  kInt = 1,
  kFloat = 2,
  kBool = 3,
  kString = 4,
  kDType = 5,
  kShape = 6,
  kTensor = 7,
  kSplat = 8,  // a tensor whose elements are all the same: one is kept
  kTuple = 9,  // of constants that come before it
};

// What the splats of an executable may take when they are written out: a few bytes of a file can
// ask for any amount.
inline constexpr uint64_t kMostSplatBytes = uint64_t{1} << 30;

struct Constant {
  ConstantKind kind = ConstantKind::kNone;
  // The value; of a splat a tensor with its one element, of a tuple none.
  Any value;
  std::vector<int64_t> dims;       // of a splat
  std::vector<uint32_t> elements;  // of a tuple: indices of constants
  // Of tensor data read from a file: checked when the bytes are (format.h, ContentSum).
  uint64_t content_sum = 0;
  bool has_content_sum = false;

  // Tensor, shape and so on become their kinds; an error for what cannot be a constant (a closure).
  static Result<Constant> From(AnyView value);
  static Result<Constant> Splat(TensorPtr element, Dims dims);
  // What it takes as a tensor, at most INT64_MAX; 0 for what is no splat.
  uint64_t SplatBytes() const;
  // "f32[2, 3]", "int 5", "shape [2, 3]": what listings show.
  std::string TypeText() const;
};

// A loop program or compiled object that travels with the bytecode. The machine itself knows
// nothing of it.
struct KernelInfo {
  std::string name;
  std::string format;  // "loop", "elf-aarch64", …
  std::string bytes;
};

// What an instruction was made from. line 0: not known.
struct DebugEntry {
  uint32_t instruction = 0;
  uint32_t line = 0;
  uint32_t column = 0;
  std::shared_ptr<const std::string> shared_text;  // shared, so that a file cannot make it many

  std::string_view text() const { return *shared_text; }
};

// A section of the file that an executable was read from; `id` is a SectionId (format.h).
struct FileSection {
  uint32_t id = 0;
  uint64_t offset = 0, bytes = 0;
};

// The raw tables, to be moved into Executable::Make.
struct ExecutableParts {
  std::vector<FunctionInfo> functions;
  std::vector<Constant> constants;
  std::vector<std::string> primitives;
  std::vector<uint64_t> instr_data;
  std::vector<uint32_t> instr_offset;  // of every instruction
  std::vector<KernelInfo> kernels;
  std::vector<std::pair<std::string, std::string>> metadata;  // ascending by key
  std::vector<DebugEntry> debug;                              // ascending by instruction
  std::vector<FileSection> sections;                          // none where it was made in memory

  // Those of one instruction. The verifier has seen that offsets ascend and lie in instr_data.
  std::span<const uint64_t> InstructionWords(size_t instruction) const;
};

class Executable;
class OnDemandConstants;
using ExecutablePtr = std::shared_ptr<const Executable>;

class Executable {
 public:
  // Verifies (verifier.h). `on_demand`: where data of constants is that the parts lack.
  static Result<ExecutablePtr> Make(ExecutableParts parts,
                                    std::shared_ptr<OnDemandConstants> on_demand = nullptr);

  std::span<const FunctionInfo> functions() const { return parts_.functions; }
  std::span<const Constant> constants() const { return parts_.constants; }
  std::span<const std::string> primitives() const { return parts_.primitives; }
  std::span<const uint64_t> instr_data() const { return parts_.instr_data; }
  std::span<const uint32_t> instr_offset() const { return parts_.instr_offset; }
  std::span<const KernelInfo> kernels() const { return parts_.kernels; }
  std::span<const std::pair<std::string, std::string>> metadata() const { return parts_.metadata; }
  std::span<const DebugEntry> debug() const { return parts_.debug; }
  const ExecutableParts& parts() const { return parts_; }
  size_t instruction_count() const { return parts_.instr_offset.size(); }

  // Null where there is none.
  const FunctionInfo* FindFunction(std::string_view name) const;
  // The function, or an error that lists those that exist.
  Result<uint32_t> FunctionIndex(std::string_view name) const;
  // Empty where there is none.
  std::string_view FindMetadata(std::string_view key) const;
  // Null where nothing is known of the instruction.
  const DebugEntry* FindDebug(uint32_t instruction) const;
  // The function that holds an instruction.
  const FunctionInfo& FunctionOf(uint32_t instruction) const;

  std::span<const uint64_t> InstructionWords(uint32_t index) const {
    return parts_.InstructionWords(index);
  }
  // Error for an index that is out of range.
  Result<Instruction> GetInstruction(uint64_t index) const;

  // Of a file that was read on demand (reader.h): makes sure that the data of all constants is
  // there that a call of the function can reach, or of all. Until then data() of such tensors is
  // null, and what prints or writes values must not be called. Any thread.
  Status LoadConstants(uint32_t function) const {
    return on_demand_ == nullptr ? OkStatus() : LoadOnDemand(function);
  }
  Status LoadAllConstants() const;

  // The constant as a value. Splats and tuples are made here, and kept in `made` (one entry per
  // constant, or null) so that parts are shared.
  Result<Any> ConstantValue(uint32_t index, std::vector<Any>* made = nullptr) const;
  // Compares the data of tensors that came from a file with their checksums; loads it first.
  Status CheckConstants() const;
  // Bytes that constants take: here and, of splats, when materialised.
  uint64_t constant_bytes() const;

 private:
  friend class ExecBuilder;  // verifies by itself, to tell where in the text an error is
  explicit Executable(ExecutableParts parts) : parts_(std::move(parts)) {}
  Status LoadOnDemand(uint32_t function) const;

  ExecutableParts parts_;
  std::shared_ptr<OnDemandConstants> on_demand_;  // null: all data is there
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_EXECUTABLE_H_
