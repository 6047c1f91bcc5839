// SPDX-License-Identifier: Apache-2.0
// Which constants a function can reach, and how their data is fetched from the file when the
// function is first entered.
#include "core/vm/file/on_demand.h"

#include <span>
#include <string>
#include <utility>

#include "core/base/strings.h"
#include "core/vm/executable.h"
#include "core/vm/file/format.h"

namespace tern::vm {
namespace {

std::string NameOf(const ExecutableParts& parts, uint32_t constant) {
  return StrCat("constant ", constant, " (", parts.constants[constant].TypeText(), ")");
}

// Functions and constants that a function mentions, directly and through others: calls, closures
// that it makes, functions that it passes on, parts of tuples. What it is given from outside,
// closures of this program included, is not among them: calling such a closure loads what it
// reaches (frames.cc).
class Reach {
 public:
  explicit Reach(const ExecutableParts& parts)
      : parts_(parts),
        has_function_(parts.functions.size(), false),
        has_constant_(parts.constants.size(), false) {}

  void Run(uint32_t function) {
    AddFunction(function);
    // Both lists grow while they are walked: they are the queues of a breadth-first search.
    for (size_t i = 0; i < functions.size(); ++i) Walk(parts_.functions[functions[i]]);
    for (size_t i = 0; i < constants.size(); ++i) {
      for (uint32_t element : parts_.constants[constants[i]].elements) AddConstant(element);
    }
  }

  std::vector<uint32_t> functions;
  std::vector<uint32_t> constants;

 private:
  void Walk(const FunctionInfo& function) {
    for (uint32_t i = 0; i < function.instruction_count; ++i) {
      DecodeInstruction(parts_.InstructionWords(function.first_instruction + i), &instruction_);
      for (const Operand& operand : instruction_.operands) {
        if (operand.kind == OperandKind::kConstant)
          AddConstant(static_cast<uint32_t>(operand.value));
        if (operand.is_function()) AddFunction(static_cast<uint32_t>(operand.function_index()));
      }
    }
  }
  void AddFunction(uint32_t index) {
    if (!has_function_[index]) functions.push_back(index);
    has_function_[index] = true;
  }
  void AddConstant(uint32_t index) {
    if (!has_constant_[index]) constants.push_back(index);
    has_constant_[index] = true;
  }

  const ExecutableParts& parts_;
  Instruction instruction_;
  std::vector<bool> has_function_;
  std::vector<bool> has_constant_;
};

// Gives a tensor its memory. The object is the C struct of abi.h and exists before its memory does;
// nobody can have looked at its data, because no function that reaches it was entered.
void SetData(const Tensor& tensor, StoragePtr storage) {
  auto& body = const_cast<TernTensor&>(tensor.c_tensor());
  body.dl.tensor.data = storage->data();
  body.owner.object = storage.Release()->header();
}

}  // namespace

void OnDemandConstants::Add(size_t constant, uint64_t offset) {
  // Constants are added in order, so those between are none of ours.
  entries_.resize(constant + 1);
  entries_[constant].offset = offset;
}

void OnDemandConstants::Seal(const ExecutableParts& parts) {
  // All false: nothing is loaded yet.
  entries_.resize(parts.constants.size());
  ready_ = std::make_unique<std::atomic<bool>[]>(parts.functions.size());
}

// Reads without the lock: files may be slow, and several threads may load different constants.
Result<StoragePtr> OnDemandConstants::Read(const ExecutableParts& parts, uint32_t constant,
                                           uint64_t offset) const {
  const Constant& from = parts.constants[constant];
  const size_t bytes = from.value.TryCast<Tensor>()->byte_size();
  Result<StoragePtr> storage = Storage::New(DefaultAllocator().get(), bytes);
  if (!storage.ok()) {
    return std::move(storage).status().AddNote(
        StrCat("while loading ", NameOf(parts, constant), " from the file"));
  }
  if (!source_.read(source_.context, offset, bytes, (*storage)->data())) {
    return IoError(NameOf(parts, constant), " cannot be read: the source of the file did not give ",
                   bytes, " bytes from ", offset, " on; it said it has ", source_.bytes)
        .SetErrorCode("E0101");
  }
  if (checks_ && ContentSum({(*storage)->data(), bytes}) != from.content_sum) {
    return Corrupt("section 'constants': the data of ", NameOf(parts, constant),
                   " does not match its checksum: the file is damaged")
        .SetErrorCode("E0105");
  }
  return storage;
}

// Loads one constant. Two threads may both read it; the first to come back provides it, since
// others may hold its address already.
Status OnDemandConstants::Load(const ExecutableParts& parts, uint32_t constant) {
  Entry& entry = entries_[constant];
  if (entry.offset == 0) return OkStatus();
  {
    const SpinLockGuard guard(&lock_);
    if (entry.loaded) return OkStatus();
  }
  TERN_TRY_ASSIGN(StoragePtr storage, Read(parts, constant, entry.offset));
  const SpinLockGuard guard(&lock_);
  if (entry.loaded) return OkStatus();
  SetData(*parts.constants[constant].value.TryCast<Tensor>(), std::move(storage));
  entry.loaded = true;
  return OkStatus();
}

Status OnDemandConstants::LoadReachable(const ExecutableParts& parts, uint32_t function) {
  Reach reach(parts);
  reach.Run(function);
  for (uint32_t constant : reach.constants) {
    Status status = Load(parts, constant);
    if (status.ok()) continue;
    return std::move(
        status.AddNote(StrCat("a call of @", parts.functions[function].name, " can reach it")));
  }
  // Each of them reaches no more than was loaded. Released after the data is in place, for LoadFor.
  for (uint32_t index : reach.functions) ready_[index].store(true, std::memory_order_release);
  return OkStatus();
}

Status OnDemandConstants::LoadAll(const ExecutableParts& parts) {
  for (uint32_t i = 0; i < entries_.size(); ++i) TERN_TRY(Load(parts, i));
  return OkStatus();
}

}  // namespace tern::vm
