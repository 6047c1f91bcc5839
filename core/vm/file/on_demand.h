// SPDX-License-Identifier: Apache-2.0
// Tensor constants whose data stays in the file until a function that can reach it is entered.
//
// Such a constant is a tensor of the right type whose data is null until it is loaded, so pools and
// tuples hold it as they hold any other, and running code never asks: whoever enters a function
// from outside loads what the function and all that it mentions use (VirtualMachine). Data that was
// loaded stays as long as the executable.
#ifndef TERN_CORE_VM_FILE_ON_DEMAND_H_
#define TERN_CORE_VM_FILE_ON_DEMAND_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/base/spin_lock.h"
#include "core/object/tensor.h"

namespace tern::vm {

struct ExecutableParts;

// The bytes of a file that are not in memory as a whole.
struct FileSource {
  void* context = nullptr;
  uint64_t bytes = 0;  // of the whole file
  // Copies `length` bytes from `offset` on to destination; false where they cannot be had. Called
  // by any thread that enters a function, by several at once where there are several.
  bool (*read)(void* context, uint64_t offset, uint64_t length, void* destination) = nullptr;
  // Called once, when nothing will be read any more; may be null.
  void (*release)(void* context) = nullptr;
};

class OnDemandConstants {
 public:
  // `checks`: data is compared with its sum when it is loaded.
  OnDemandConstants(const FileSource& source, bool checks) : source_(source), checks_(checks) {}
  ~OnDemandConstants() {
    if (source_.release != nullptr) source_.release(source_.context);
  }
  OnDemandConstants(const OnDemandConstants&) = delete;
  OnDemandConstants& operator=(const OnDemandConstants&) = delete;

  const FileSource& source() const { return source_; }

  // While the file is read: the constant's data lies at `offset` of the file.
  void Add(size_t constant, uint64_t offset);
  // When all are there.
  void Seal(const ExecutableParts& parts);

  // Loads what the function can reach. An error names the constant, and changes nothing for good:
  // the next call tries again.
  Status LoadFor(const ExecutableParts& parts, uint32_t function) {
    if (ready_[function].load(std::memory_order_acquire)) [[likely]]
      return OkStatus();
    return LoadReachable(parts, function);
  }
  Status LoadAll(const ExecutableParts& parts);

 private:
  // offset 0: not on demand, the file's header lies there.
  struct Entry {
    uint64_t offset = 0;
    bool loaded = false;
  };

  Status LoadReachable(const ExecutableParts& parts, uint32_t function);
  Status Load(const ExecutableParts& parts, uint32_t constant);
  Result<StoragePtr> Read(const ExecutableParts& parts, uint32_t constant, uint64_t offset) const;

  const FileSource source_;
  const bool checks_;
  SpinLock lock_;                               // of what is loaded; not held while reading
  std::vector<Entry> entries_;                  // by constant
  std::unique_ptr<std::atomic<bool>[]> ready_;  // by function: all that it can reach is loaded
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_FILE_ON_DEMAND_H_
