// SPDX-License-Identifier: Apache-2.0
// Owning handles over the C API, for the command line: each ends its object with the matching free
// function.
#ifndef TERN_NATIVE_CLI_HANDLES_H_
#define TERN_NATIVE_CLI_HANDLES_H_

#include <memory>
#include <string_view>
#include <utility>

#include "core/api/c_api.h"

namespace tern::cli {

template <auto Free>
struct HandleDeleter {
  template <typename T>
  void operator()(T* handle) const {
    Free(handle);
  }
};

using ApiStatus = std::unique_ptr<tern_status, HandleDeleter<tern_status_free>>;
using Buffer = std::unique_ptr<tern_buffer, HandleDeleter<tern_buffer_free>>;
using Runtime = std::unique_ptr<tern_runtime, HandleDeleter<tern_runtime_free>>;
using Program = std::unique_ptr<tern_program, HandleDeleter<tern_program_free>>;
using Debugger = std::unique_ptr<tern_debugger, HandleDeleter<tern_debugger_free>>;
using Machine = std::unique_ptr<tern_vm, HandleDeleter<tern_vm_free>>;

inline std::string_view Text(const Buffer& buffer) {
  return {static_cast<const char*>(tern_buffer_data(buffer.get())), tern_buffer_size(buffer.get())};
}

// An owned TernAny.
class Value {
 public:
  Value() = default;
  Value(Value&& other) noexcept : any_(std::exchange(other.any_, TernAny{})) {}
  Value& operator=(Value&& other) noexcept {
    std::swap(any_, other.any_);
    return *this;
  }
  ~Value() { tern_any_release(&any_); }

  const TernAny& get() const { return any_; }
  // For functions that write an owned value; only on an empty Value.
  TernAny* out() { return &any_; }

 private:
  TernAny any_{};
};

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_HANDLES_H_
