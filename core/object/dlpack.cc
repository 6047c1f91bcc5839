// SPDX-License-Identifier: Apache-2.0
// DLPack (dmlc.github.io/dlpack) in and out, in its versioned form and without copying.
#include "core/object/tensor.h"
#include "core/object/tensor_window.h"

namespace tern {
namespace {

// A consumer must refuse another major version and may ignore a newer minor one: that is DLPack's
// own rule.
constexpr TernDLVersion kVersion{1, 0};

// What an export needs to live: the managed tensor, and the reference that keeps the memory. The
// consumer calls the deleter once, from any thread.
struct Export {
  TernDLManagedTensorVersioned managed;
  TensorPtr tensor;
};

void DeleteExport(TernDLManagedTensorVersioned* managed) {
  delete static_cast<Export*>(managed->manager_ctx);
}

Status CheckVersion(TernDLVersion version) {
  if (version.major == kVersion.major) return OkStatus();
  return Unsupported("DLPack version ", version.major, ".", version.minor, ": expected ",
                     kVersion.major, ".x");
}

// What can be said without reading memory: device, rank, and that the elements are plain data. The
// strings are our own extension of DLPack's codes, so a foreign tensor that claims them is damaged
// or hostile.
Status CheckBorrowed(const TernDLTensor& dl) {
  if (dl.device.device_type != TERN_DEVICE_CPU) {
    return Unsupported("a DLPack tensor on device type ", dl.device.device_type,
                       ": expected 1 (CPU)");
  }
  if (dl.ndim < 0 || dl.ndim > kMaxRank || (dl.ndim > 0 && dl.shape == nullptr)) {
    return InvalidArgument("a DLPack tensor of rank ", dl.ndim, " with",
                           dl.shape == nullptr ? "out" : "", " a shape");
  }
  if (DType(dl.dtype).is_string()) return TypeError("a DLPack tensor cannot hold strings");
  return OkStatus();
}

}  // namespace

Result<TernDLManagedTensorVersioned*> Tensor::ToDLPack() const {
  if (dtype().is_string()) return TypeError("a string tensor cannot be exported through DLPack");
  auto* made = new Export{{}, TensorPtr(const_cast<Tensor*>(this))};
  made->managed.version = kVersion;
  made->managed.manager_ctx = made;
  made->managed.deleter = &DeleteExport;
  made->managed.flags = is_read_only() ? TERN_DLPACK_READ_ONLY : 0;
  // A copy of the struct; its shape and strides point into this tensor, which the export keeps
  // alive.
  made->managed.dl_tensor = c_.dl.tensor;
  return &made->managed;
}

// Everything that a foreign tensor can get wrong is checked here once: sizes that overflow, strides
// that leave the address space, a null pointer with elements, and elements that are not aligned.
Result<Tensor::Window> Tensor::WindowOf(const TernDLTensor& dl) {
  TERN_TRY(CheckBorrowed(dl));
  const Dims dims(dl.shape, static_cast<size_t>(dl.ndim));
  TERN_TRY(TensorBytes(dl.dtype, dims));
  Window window{.data = dl.data, .byte_offset = dl.byte_offset, .dtype = dl.dtype, .dims = dims};
  if (dl.strides != nullptr) {
    window.strides = Dims(dl.strides, dims.size());
    window.has_strides = true;
    if (!ReachOf(dims, window.strides).has_value()) {
      return OutOfRange("a DLPack tensor whose strides ", FormatDims(window.strides), " overflow");
    }
  }
  // A tensor without elements may have any pointer, null included.
  if (*ElementCount(dims) > 0) {
    if (dl.data == nullptr) return InvalidArgument("a DLPack tensor without data");
    TERN_TRY(CheckAlignment(static_cast<uint8_t*>(dl.data) + dl.byte_offset, dl.dtype));
  }
  return window;
}

Result<TensorPtr> Tensor::FromDLPack(TernDLManagedTensorVersioned* managed) {
  if (managed == nullptr) return InvalidArgument("a null DLPack tensor");
  TERN_TRY(CheckVersion(managed->version));
  TERN_TRY_ASSIGN(Window window, WindowOf(managed->dl_tensor));
  // From here on the tensor owns `managed` and calls its deleter. On each error above it stays the
  // caller's.
  window.manager = managed;
  window.read_only = (managed->flags & TERN_DLPACK_READ_ONLY) != 0;
  return Make(window, nullptr);
}

Result<TensorPtr> Tensor::CopyOf(const TernDLTensor& borrowed) {
  TERN_TRY_ASSIGN(const Window window, WindowOf(borrowed));
  return Make(window, nullptr)->Copy();
}

}  // namespace tern
