// SPDX-License-Identifier: Apache-2.0
// Strided copy of elements of 1, 2, 4, 8 or 16 bytes. Three ways: contiguous rows, a plane whose
// source and destination run along different axes (tiled transpose, in registers for 4 and 8
// bytes), and a plain loop. An odometer walks the axes that the way does not take itself.

#include <string.h>

#include "core/kernels/copy_bytes.h"
#include "core/kernels/offsets.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

// Twice what other kernels are cut by: elements are read from the cache of the processor that wrote
// them, and often by it again.
constexpr int64_t kCopyGrainBytes = 512 * 1024;
constexpr int64_t kTile = 32;

// No standard integer has 16 bytes.
struct Bytes16 {
  uint64_t low, high;
};

// The axes that an odometer walks, outermost first.
struct Outer {
  int rank = 0;
  int64_t count = 1;
  int64_t shape[TERN_MAX_RANK], src_strides[TERN_MAX_RANK], dst_strides[TERN_MAX_RANK];
};

// All axes but the two that the inner loop takes (the same one twice where it takes only one).
Outer OuterAxes(const TernCopyArgs& args, int taken_a, int taken_b) {
  Outer outer;
  for (int i = 0; i < args.rank; ++i) {
    if (i == taken_a || i == taken_b) continue;
    outer.shape[outer.rank] = args.shape[i];
    outer.src_strides[outer.rank] = args.src_strides[i];
    outer.dst_strides[outer.rank] = args.dst_strides[i];
    outer.count *= args.shape[i];
    ++outer.rank;
  }
  return outer;
}

// Calls body(source offset, destination offset) for positions [begin, end).
template <class Body>
void Walk(const Outer& outer, int64_t begin, int64_t end, const Body& body) {
  ForOffsets(outer.rank, outer.shape, outer.src_strides, outer.dst_strides, begin, end,
             [&](int64_t, int64_t src, int64_t dst) { body(src, dst); });
}

// --- rows

template <class T>
HWY_INLINE void CopyRow(const T* src, int64_t src_stride, T* dst, int64_t dst_stride,
                        int64_t size) {
  if (src_stride == 1 && dst_stride == 1) {
    const size_t bytes = static_cast<size_t>(size) * sizeof(T);
    if (bytes >= kCopyBlock) return CopyBytes(dst, src, bytes);
    for (int64_t i = 0; i < size; ++i) dst[i] = src[i];
    // Broadcasting: one element fills the row.
  } else if (src_stride == 0 && dst_stride == 1) {
    const T value = *src;
    for (int64_t i = 0; i < size; ++i) dst[i] = value;
  } else if (dst_stride == 1) {
    for (int64_t i = 0; i < size; ++i) dst[i] = src[i * src_stride];
  } else {
    for (int64_t i = 0; i < size; ++i) dst[i * dst_stride] = src[i * src_stride];
  }
}

template <class T>
void CopyRows(const TernCopyArgs& args, const TernKernelContext* context) {
  const int inner = args.rank - 1;
  const int64_t size = args.shape[inner];
  const int64_t src_stride = args.src_strides[inner], dst_stride = args.dst_strides[inner];
  const T* src = static_cast<const T*>(args.src);
  T* dst = static_cast<T*>(args.dst);
  const Outer outer = OuterAxes(args, inner, inner);
  // A single row is cut along itself.
  if (outer.count == 1) {
    const int64_t grain = kCopyGrainBytes / static_cast<int64_t>(sizeof(T));
    ParallelFor(context, size, grain, 64, [&](int64_t begin, int64_t end, int32_t) {
      CopyRow(src + begin * src_stride, src_stride, dst + begin * dst_stride, dst_stride,
              end - begin);
    });
    return;
  }
  const int64_t grain = kCopyGrainBytes / (size * static_cast<int64_t>(sizeof(T)) + 8) + 1;
  ParallelFor(context, outer.count, grain, 1, [&](int64_t begin, int64_t end, int32_t) {
    Walk(outer, begin, end, [&](int64_t from, int64_t to) {
      CopyRow(src + from, src_stride, dst + to, dst_stride, size);
    });
  });
}

// --- planes: dst[r * dst_stride + c] = src[c * src_stride + r]

template <class T>
struct Plane {
  const T* src;
  int64_t src_stride;
  T* dst;
  int64_t dst_stride;
  int64_t rows, columns;
};

template <class T>
void TransposeEdge(const Plane<T>& p) {
  for (int64_t r = 0; r < p.rows; ++r) {
    for (int64_t c = 0; c < p.columns; ++c)
      p.dst[r * p.dst_stride + c] = p.src[c * p.src_stride + r];
  }
}

// A square of as many elements as 128 bits hold, transposed in registers. The size is fixed, also
// where vectors are longer, because a transpose of any size has no portable form. 0 means that
// there is none for the type.
template <class T>
struct Square {
  static constexpr int64_t kSize = 0;
  static void Transpose(const T*, int64_t, T*, int64_t) {}
};

template <>
struct Square<uint32_t> {
  static constexpr int64_t kSize = 4;
  static HWY_INLINE void Transpose(const uint32_t* src, int64_t src_stride, uint32_t* dst,
                                   int64_t dst_stride) {
    const hn::FixedTag<uint32_t, 4> d;
    const auto v0 = hn::LoadU(d, src), v1 = hn::LoadU(d, src + src_stride);
    const auto v2 = hn::LoadU(d, src + 2 * src_stride), v3 = hn::LoadU(d, src + 3 * src_stride);
    // Two rounds of interleaving: pairs of even and of odd rows, then these.
    const auto even_low = hn::InterleaveLower(d, v0, v2), odd_low = hn::InterleaveLower(d, v1, v3);
    const auto even_high = hn::InterleaveUpper(d, v0, v2),
               odd_high = hn::InterleaveUpper(d, v1, v3);
    hn::StoreU(hn::InterleaveLower(d, even_low, odd_low), d, dst);
    hn::StoreU(hn::InterleaveUpper(d, even_low, odd_low), d, dst + dst_stride);
    hn::StoreU(hn::InterleaveLower(d, even_high, odd_high), d, dst + 2 * dst_stride);
    hn::StoreU(hn::InterleaveUpper(d, even_high, odd_high), d, dst + 3 * dst_stride);
  }
};

template <>
struct Square<uint64_t> {
  static constexpr int64_t kSize = 2;
  static HWY_INLINE void Transpose(const uint64_t* src, int64_t src_stride, uint64_t* dst,
                                   int64_t dst_stride) {
    const hn::FixedTag<uint64_t, 2> d;
    const auto v0 = hn::LoadU(d, src), v1 = hn::LoadU(d, src + src_stride);
    hn::StoreU(hn::InterleaveLower(d, v0, v1), d, dst);
    hn::StoreU(hn::InterleaveUpper(d, v0, v1), d, dst + dst_stride);
  }
};

// A tile that fits in the first-level cache: whole squares, then the two edges, which are narrower
// than a square and go element by element.
template <class T>
void TransposeTile(const Plane<T>& p) {
  constexpr int64_t kSize = Square<T>::kSize;
  if (kSize == 0) return TransposeEdge(p);
  const int64_t rows = p.rows - p.rows % (kSize + (kSize == 0));
  const int64_t columns = p.columns - p.columns % (kSize + (kSize == 0));
  for (int64_t r = 0; r < rows; r += kSize) {
    for (int64_t c = 0; c < columns; c += kSize) {
      Square<T>::Transpose(p.src + c * p.src_stride + r, p.src_stride, p.dst + r * p.dst_stride + c,
                           p.dst_stride);
    }
  }
  TransposeEdge(Plane<T>{p.src + columns * p.src_stride, p.src_stride, p.dst + columns,
                         p.dst_stride, rows, p.columns - columns});
  TransposeEdge(Plane<T>{p.src + rows, p.src_stride, p.dst + rows * p.dst_stride, p.dst_stride,
                         p.rows - rows, p.columns});
}

// Two, three or four source rows into pixels, as many as there are lanes, from row r on.
// Instructions for structures do in one step what squares do in many.
template <class D, class T>
HWY_INLINE void InterleaveAt(D d, const Plane<T>& p, int64_t r) {
  T* dst = p.dst + r * p.columns;
  const auto v0 = hn::LoadU(d, p.src + r), v1 = hn::LoadU(d, p.src + p.src_stride + r);
  if (p.columns == 2) return hn::StoreInterleaved2(v0, v1, d, dst);
  const auto v2 = hn::LoadU(d, p.src + 2 * p.src_stride + r);
  if (p.columns == 3) return hn::StoreInterleaved3(v0, v1, v2, d, dst);
  hn::StoreInterleaved4(v0, v1, v2, hn::LoadU(d, p.src + 3 * p.src_stride + r), d, dst);
}

// Images to channels-last, and shuffled channels: whole vectors, then those of 128 bits, of which
// the last one begins early enough to end with the rows. Returns the rows that are done.
template <class T>
int64_t InterleavePlane(const Plane<T>& p) {
  const hn::ScalableTag<T> d;
  const hn::FixedTag<T, 16 / sizeof(T)> d128;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), few = 16 / sizeof(T);
  if (p.dst_stride != p.columns || p.columns < 2 || p.columns > 4 || p.rows < few) return 0;
  int64_t r = 0;
  if constexpr (hn::MaxLanes(d) > 16 / sizeof(T)) {
    for (; r + lanes <= p.rows; r += lanes) InterleaveAt(d, p, r);
  }
  for (; r < p.rows; r += few) InterleaveAt(d128, p, r + few <= p.rows ? r : p.rows - few);
  return p.rows;
}

// The reverse: pixels of two, three or four elements into rows; returns columns done.
int64_t DeinterleavePlane(const Plane<uint32_t>& p) {
  const hn::ScalableTag<uint32_t> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (p.src_stride != p.rows || p.rows < 2 || p.rows > 4) return 0;
  int64_t c = 0;
  for (; c + lanes <= p.columns; c += lanes) {
    const uint32_t* src = p.src + c * p.rows;
    V v0, v1, v2, v3;
    if (p.rows == 2)
      hn::LoadInterleaved2(d, src, v0, v1);
    else if (p.rows == 3)
      hn::LoadInterleaved3(d, src, v0, v1, v2);
    else
      hn::LoadInterleaved4(d, src, v0, v1, v2, v3);
    hn::StoreU(v0, d, p.dst + c);
    hn::StoreU(v1, d, p.dst + p.dst_stride + c);
    if (p.rows > 2) hn::StoreU(v2, d, p.dst + 2 * p.dst_stride + c);
    if (p.rows > 3) hn::StoreU(v3, d, p.dst + 3 * p.dst_stride + c);
  }
  return c;
}

// Does what it can by interleaving and shrinks the plane to the rest: floats both ways, bytes into
// pixels.
template <class T>
void SkipInterleaved(Plane<T>& p) {
  int64_t rows = 0;
  if constexpr (sizeof(T) == 1 || sizeof(T) == 4) rows = InterleavePlane(p);
  p.src += rows;
  p.dst += rows * p.dst_stride;
  p.rows -= rows;
  int64_t columns = 0;
  if constexpr (sizeof(T) == 4) columns = rows == 0 ? DeinterleavePlane(p) : 0;
  p.src += columns * p.src_stride;
  p.dst += columns;
  p.columns -= columns;
}

// Tiles of kTile by kTile elements keep source and destination lines in the first-level cache,
// although one of them is walked across.
template <class T>
void TransposePlane(Plane<T> p) {
  SkipInterleaved(p);
  for (int64_t r = 0; r < p.rows; r += kTile) {
    const int64_t rows = p.rows - r < kTile ? p.rows - r : kTile;
    for (int64_t c = 0; c < p.columns; c += kTile) {
      const int64_t columns = p.columns - c < kTile ? p.columns - c : kTile;
      TransposeTile(Plane<T>{p.src + c * p.src_stride + r, p.src_stride,
                             p.dst + r * p.dst_stride + c, p.dst_stride, rows, columns});
    }
  }
}

// `across` is the axis along which the source is contiguous; the destination is contiguous along
// the last one. The work is cut along whatever is long: the outer axes, else rows, else columns, in
// multiples of a tile.
template <class T>
void TransposePlanes(const TernCopyArgs& args, const TernKernelContext* context, int across) {
  const int inner = args.rank - 1;
  const T* src = static_cast<const T*>(args.src);
  T* dst = static_cast<T*>(args.dst);
  const Outer outer = OuterAxes(args, across, inner);
  const int64_t rows = args.shape[across], columns = args.shape[inner];
  const int64_t row_stride = args.dst_strides[across], column_stride = args.src_strides[inner];
  const int64_t elements = kCopyGrainBytes / static_cast<int64_t>(sizeof(T));
  if (outer.count > 1) {
    ParallelFor(context, outer.count, elements / (rows * columns) + 1, 1,
                [&](int64_t begin, int64_t end, int32_t) {
                  Walk(outer, begin, end, [&](int64_t from, int64_t to) {
                    TransposePlane(
                        Plane<T>{src + from, column_stride, dst + to, row_stride, rows, columns});
                  });
                });
  } else if (rows >= columns) {
    ParallelFor(context, rows, elements / columns + 1, kTile,
                [&](int64_t begin, int64_t end, int32_t) {
                  TransposePlane(Plane<T>{src + begin, column_stride, dst + begin * row_stride,
                                          row_stride, end - begin, columns});
                });
  } else {
    ParallelFor(context, columns, elements / rows + 1, kTile,
                [&](int64_t begin, int64_t end, int32_t) {
                  TransposePlane(Plane<T>{src + begin * column_stride, column_stride, dst + begin,
                                          row_stride, rows, end - begin});
                });
  }
}

// The axis along which the source is contiguous, if a transpose pays: the destination is contiguous
// along the last axis, the source is not. -1 otherwise.
int AxisOfContiguousSource(const TernCopyArgs& args) {
  const int inner = args.rank - 1;
  if (args.src_strides[inner] == 1 || args.dst_strides[inner] != 1 || args.shape[inner] == 1)
    return -1;
  for (int i = inner - 1; i >= 0; --i) {
    if (args.src_strides[i] == 1 && args.shape[i] > 1) return i;
  }
  return -1;
}

template <class T>
void Copy(const TernCopyArgs& args, const TernKernelContext* context) {
  const int across = AxisOfContiguousSource(args);
  if (across >= 0)
    TransposePlanes<T>(args, context, across);
  else
    CopyRows<T>(args, context);
}

}  // namespace

int32_t copy(const TernCopyArgs* args, const TernKernelContext* context) {
  // Empty tensors must not reach the divisions below.
  for (int i = 0; i < args->rank; ++i) {
    if (args->shape[i] == 0) return TERN_KERNEL_OK;
  }
  if (args->rank == 0) {
    memcpy(args->dst, args->src, static_cast<size_t>(args->element_size));
    return TERN_KERNEL_OK;
  }
  switch (args->element_size) {
    case 1: Copy<uint8_t>(*args, context); break;
    case 2: Copy<uint16_t>(*args, context); break;
    case 4: Copy<uint32_t>(*args, context); break;
    case 8: Copy<uint64_t>(*args, context); break;
    case 16: Copy<Bytes16>(*args, context); break;
    default: break;
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
