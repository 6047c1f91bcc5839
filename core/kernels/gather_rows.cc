// SPDX-License-Identifier: Apache-2.0
// Rows picked by index: embedding look-ups, and gather along any axis whose inner part is
// contiguous. Indices are checked by the caller, which has made negative ones positive.

#include "core/kernels/copy_bytes.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

constexpr int64_t kGatherGrainBytes = 512 * 1024;

// Rows of one element, by far the most frequent short ones, without a call of memcpy for each.
template <class T>
void GatherElements(const TernGatherRowsArgs& args, int64_t begin, int64_t end) {
  const T* x = static_cast<const T*>(args.x);
  T* y = static_cast<T*>(args.y);
  for (int64_t row = begin; row < end; ++row) {
    y[row] = x[row / args.indices * args.axis + args.index[row % args.indices]];
  }
}

void GatherBytes(const TernGatherRowsArgs& args, int64_t begin, int64_t end) {
  const char* x = static_cast<const char*>(args.x);
  char* y = static_cast<char*>(args.y);
  for (int64_t row = begin; row < end; ++row) {
    const int64_t from = row / args.indices * args.axis + args.index[row % args.indices];
    CopyBytes(y + row * args.row_bytes, x + from * args.row_bytes,
              static_cast<size_t>(args.row_bytes));
  }
}

}  // namespace

int32_t gather_rows(const TernGatherRowsArgs* args, const TernKernelContext* context) {
  const int64_t rows = args->outer * args->indices;
  if (args->row_bytes == 0) return TERN_KERNEL_OK;
  ParallelFor(context, rows, kGatherGrainBytes / (args->row_bytes + 8) + 1, 1,
              [args](int64_t begin, int64_t end, int32_t) {
                if (args->row_bytes == 4)
                  GatherElements<uint32_t>(*args, begin, end);
                else if (args->row_bytes == 8)
                  GatherElements<uint64_t>(*args, begin, end);
                else
                  GatherBytes(*args, begin, end);
              });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
