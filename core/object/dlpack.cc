// SPDX-License-Identifier: Apache-2.0
// DLPack in and out, versioned, without copying.
#include "core/object/tensor.h"
#include "core/object/tensor_window.h"

namespace tern {
namespace {

constexpr TernDLVersion kVersion{1, 0};

// What an export needs to live: the managed tensor and the reference that keeps the memory.
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
  made->managed.dl_tensor = c_.dl.tensor;
  return &made->managed;
}

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
  window.manager = managed;
  window.read_only = (managed->flags & TERN_DLPACK_READ_ONLY) != 0;
  return Make(window, nullptr);
}

Result<TensorPtr> Tensor::CopyOf(const TernDLTensor& borrowed) {
  TERN_TRY_ASSIGN(const Window window, WindowOf(borrowed));
  return Make(window, nullptr)->Copy();
}

}  // namespace tern
