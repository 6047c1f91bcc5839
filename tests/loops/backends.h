// SPDX-License-Identifier: Apache-2.0
// The backends a loop program can take, each as "run these calls and give back the memory":
// compiled for this processor or a lesser one, compiled for others and run under an emulator,
// AArch64 SVE at any vector length, and emitted as WebAssembly and run by Node. Tests compare whole
// memories, canaries included.
#ifndef TERN_TESTS_LOOPS_BACKENDS_H_
#define TERN_TESTS_LOOPS_BACKENDS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop/stmt.h"
#include "native/jit/llvm_compiler.h"
#include "tests/support/commands.h"

namespace tern::loop {

// Memory for one buffer parameter, with bytes before and after that nobody may touch.
struct GuardedBuffer {
  static constexpr size_t kGuard = 64;
  std::vector<uint8_t> bytes;  // guard, contents, guard
  size_t element_bytes = 1;  // the contents begin off by one element, so that no vector is aligned

  GuardedBuffer(size_t element_size, size_t count);
  size_t start() const { return kGuard + element_bytes; }
  size_t size() const { return bytes.size() - 2 * kGuard - element_bytes; }
  uint8_t* data() { return bytes.data() + start(); }
  const uint8_t* data() const { return bytes.data() + start(); }
  bool GuardsAreWhole() const;
};

struct LoopCall {
  std::string function;
  std::vector<GuardedBuffer> buffers;
  std::vector<int64_t> slots;  // sizes, then scalars
};

// Runs every call on its own memory.
Status RunInInterpreter(const Program& program, int64_t vscale, std::vector<LoopCall>* calls);
Status RunOnHost(const Program& program, std::vector<LoopCall>* calls);
Status RunInNode(const Program& program, std::vector<LoopCall>* calls);

// The object file of a program without vectors of unknown length, and the calls by one that this
// processor can run.
Result<std::string> CompileFor(const native::CodeTarget& target, const Program& program,
                               native::Effort effort);
Status RunObject(std::string_view object, std::vector<LoopCall>* calls);

// The same for another processor, under an emulator of x86-64 that calls it `emulated`.
Status RunInX86Emulator(const std::string& emulated, const native::CodeTarget& target,
                        const Program& program, std::vector<LoopCall>* calls);
bool HaveX86Emulator();

// One object file for all vector lengths. Unsupported where there is no cross compiler.
class SveBackend {
 public:
  static Result<SveBackend> Make(const Program& program);
  // vector_bits: 128 … 2048. The program must still be there.
  Status Run(int vector_bits, std::vector<LoopCall>* calls) const;

 private:
  explicit SveBackend(std::shared_ptr<testing::ScratchFolder> folder)
      : folder_(std::move(folder)) {}
  std::shared_ptr<testing::ScratchFolder> folder_;
  const Program* program_ = nullptr;
};
bool HaveSveBackend();

// One object for Armv8.1-M with MVE, on an emulated board without a system (bare/).
Status RunOnMve(const Program& program, std::vector<LoopCall>* calls);
bool HaveMveBackend();

}  // namespace tern::loop

#endif  // TERN_TESTS_LOOPS_BACKENDS_H_
