// SPDX-License-Identifier: Apache-2.0
// The memory of objects, containers and texts: taken from malloc and given back here, and counted
// by the thread that does so, so that a run can be held to a limit.
//
// What is counted is what malloc gives: blocks that a thread keeps for reuse stay counted, and a
// block that another thread gives back is counted there. Elements of tensors are counted by their
// allocator (allocator.h). Taking never fails for the sake of a limit: what may take much at once
// asks CheckRoom first, and who runs a program looks after each step whether its account is over.
// Compilers look between their steps (CheckMemory).
#ifndef TERN_CORE_OBJECT_MEMORY_ACCOUNT_H_
#define TERN_CORE_OBJECT_MEMORY_ACCOUNT_H_

#include <cstddef>
#include <cstdint>

#include "core/base/status.h"

namespace tern {

class Allocator;

namespace internal {
// End the process where malloc has nothing left. bytes > 0.
void* TakeMemory(size_t bytes);
void* ResizeMemory(void* memory, size_t bytes);
// Null is fine.
void GiveMemory(void* memory);
}  // namespace internal

// What one run, or one compilation, has in objects and in an allocator's tensors, together, against
// a limit. Watches the thread that it is entered on; not safe for use by two threads at once.
class MemoryAccount {
 public:
  // allocator outlives the account; its own limit follows what objects leave of this one.
  // subject: who has the memory, in messages.
  explicit MemoryAccount(Allocator* allocator, const char* subject = "the run")
      : allocator_(*allocator), subject_(subject) {}

  // In bytes; kNoLimit (the default) watches nothing.
  static constexpr int64_t kNoLimit = INT64_MAX;
  void set_limit(int64_t bytes);
  int64_t limit() const { return limit_; }
  // Of tensors alone, besides what the objects leave them.
  void set_tensor_limit(int64_t bytes);
  // Called once, by what takes memory, when the limit is passed: it may only set a flag.
  using Passed = void (*)(void* context);
  void set_passed(Passed passed, void* context) {
    passed_ = passed;
    context_ = context;
  }

  // A new run: what objects hold by now is not its own.
  void Reset();
  // Whether the run has more than its limit.
  bool is_over() const { return is_over_; }
  // Bytes that the run has, in objects (when it was last looked at) and tensors.
  int64_t held() const;
  // E0302, with what the run has.
  Status OverLimit() const;
  // E0302 where `bytes` more would be too many.
  Status CheckRoom(uint64_t bytes);

  // For tests: the n-th time that memory is asked for or changes, from 1, fails as if the limit
  // were passed. 0: never.
  void FailAt(int64_t n);
  int64_t charges() const { return charges_; }

  // Counts for the account while it lives; scopes of other accounts may nest.
  class Scope {
   public:
    explicit Scope(MemoryAccount* account) {
      if (account->limit_ != kNoLimit) Enter(account);
    }
    ~Scope() {
      if (account_ != nullptr) Leave();
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    void Enter(MemoryAccount* account);
    void Leave();

    MemoryAccount* account_ = nullptr;
    MemoryAccount* outer_ = nullptr;
  };

 private:
  friend struct MemoryThread;

  bool FailsNow();
  void Look(int64_t taken, bool grew);
  void Watch(int64_t taken);
  void LimitTensors();

  Allocator& allocator_;
  const char* subject_;
  int64_t limit_ = kNoLimit;
  int64_t tensor_limit_ = kNoLimit;
  int64_t objects_ = 0;  // bytes of objects when last looked
  int64_t base_ = 0;     // of the thread's count, where the run began
  int64_t chunk_ = 0;    // how much may change between two looks
  int64_t fail_at_ = 0;
  int64_t charges_ = 0;
  bool is_over_ = false;
  Passed passed_ = nullptr;
  void* context_ = nullptr;
};

// CheckRoom of the account that is entered on this thread; ok where there is none.
Status CheckRoom(uint64_t bytes);
// Whether that account is over its limit, and OverLimit if it is.
bool IsMemoryOver();
Status CheckMemory();

}  // namespace tern

#endif  // TERN_CORE_OBJECT_MEMORY_ACCOUNT_H_
