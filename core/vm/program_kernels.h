// SPDX-License-Identifier: Apache-2.0
// Backends of a program's kernels: what runs instead of the bytecode of the functions that the
// executable's kernels (KernelInfo) are named after. Set by who can make code, whenever that is;
// machines made afterwards use it. The machine knows nothing of how it is made.
#ifndef TERN_CORE_VM_PROGRAM_KERNELS_H_
#define TERN_CORE_VM_PROGRAM_KERNELS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/spin_lock.h"
#include "core/object/function.h"

namespace tern::vm {

class Program;
class Signature;
struct DecodedOp;

// What is called instead of a function's bytecode, the choice being made at each call.
struct Replacement {
  FunctionPtr function;  // null: the bytecode
  // Non-zero where `function` takes this call, of arguments with so many elements together; else
  // the bytecode does. Null: always. From several threads at once. `context` lives as long as
  // function.
  int32_t (*ready)(void* context, int64_t elements) = nullptr;
  void* context = nullptr;
};

struct KernelBackend {
  Replacement replacement;
  std::string backend;  // "operators", "interpreter", "compiled", …
  std::string why;
  // For backends that change by themselves, of the replacement's context: the words of this moment,
  // which live as long as the context. Null: the two texts above.
  void (*describe)(void* context, const char** backend, const char** why) = nullptr;
};

// The backend of a function of the program.
struct FunctionBackend {
  uint32_t function = 0;
  KernelBackend backend;
};

// The backends at one moment, and the program's code with calls of replaced functions marked.
struct KernelTable {
  std::vector<KernelBackend> backends;  // by function
  std::vector<DecodedOp> code, plain_code;
};
using KernelTablePtr = std::shared_ptr<const KernelTable>;

// Where a program keeps its table. Any thread.
class KernelSlot {
 public:
  KernelTablePtr Get() const;  // null: no backend was set
  void Set(const Program& program, std::vector<FunctionBackend> backends);

 private:
  mutable SpinLock lock_;
  KernelTablePtr table_;
  SpinLock writing_;  // held while a new table is made from the old one
};

// Marks the calls of a function in copies of the program's code, or puts them back.
void MarkReplaced(const Program& program, uint32_t function, bool replaced,
                  std::vector<DecodedOp>* code, std::vector<DecodedOp>* plain_code);

// False where the function's body only says that it needs its kernel: it ends in `fatal` before it
// does anything.
bool HasOperators(const Program& program, uint32_t function);

// What is known of the kernels of one name. Texts of the executable live as long as the program.
struct KernelRow {
  std::string_view name;
  std::vector<std::string_view> formats;
  const Signature* signature = nullptr;  // of the function; null: none has the name
  bool has_operators = false;
  std::string backend, why;
};
// In the executable's order.
std::vector<KernelRow> ListKernels(const Program& program);
// [{"name", "formats": [...], "signature", "operators", "backend", "why"}]
void WriteKernelsJson(const Program& program, JsonWriter* json);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_PROGRAM_KERNELS_H_
