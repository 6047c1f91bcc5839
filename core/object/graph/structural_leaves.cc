// SPDX-License-Identifier: Apache-2.0
// Leaves: values without parts. Numbers that compare equal are brought to one pattern of bits
// first, which then serves equality and hash alike, so that the two cannot disagree.
#include "core/object/graph/structural_leaves.h"

#include <algorithm>
#include <cstring>

#include "core/base/hash.h"
#include "core/object/function.h"
#include "core/object/shape.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/tensor.h"

namespace tern {
namespace {

// -0 becomes 0 and every NaN one NaN. `infinity` is the pattern of +inf in a float of that width:
// NaNs are the magnitudes above it (IEEE 754).
uint64_t CanonicalFloat(uint64_t bits, int width, uint64_t infinity) {
  const uint64_t magnitude = bits & ((uint64_t{1} << (width - 1)) - 1);
  if (magnitude == 0) return 0;
  return magnitude > infinity ? infinity + 1 : bits;
}

uint64_t CanonicalDouble(double value) {
  return CanonicalFloat(__builtin_bit_cast(uint64_t, value), 64, 0x7FF0000000000000);
}

// The numbers that an element consists of: lanes, times two for complex ones.
struct Component {
  int count;
  int width;          // in bits: a multiple of 8, or 4
  uint64_t infinity;  // 0: not a float with infinities; compared bit for bit

  explicit Component(DType dtype) {
    const bool is_complex = dtype.code == TERN_DTYPE_COMPLEX;
    count = dtype.lanes * (is_complex ? 2 : 1);
    width = is_complex ? dtype.bits / 2 : dtype.bits;
    const bool is_float = is_complex || dtype.code == TERN_DTYPE_FLOAT;
    infinity = dtype.code == TERN_DTYPE_BFLOAT ? 0x7F80u
               : !is_float                     ? 0
               : width == 64                   ? 0x7FF0000000000000u
               : width == 32                   ? 0x7F800000u
               : width == 16                   ? 0x7C00u
                                               : 0;
  }
  uint64_t Read(const uint8_t* p) const {
    uint64_t bits = 0;
    // Little-endian, as all our targets are: the low bytes of the word are filled.
    std::memcpy(&bits, p, static_cast<size_t>(width / 8));
    return infinity == 0 ? bits : CanonicalFloat(bits, width, infinity);
  }
};

const uint8_t* ElementAt(const Tensor& tensor, int64_t index) {
  const auto* data = static_cast<const uint8_t*>(tensor.data());
  // The fast way, since most tensors are contiguous.
  if (tensor.is_contiguous()) return data + index * tensor.dtype().size();
  int64_t offset = 0;
  for (int axis = tensor.rank() - 1; axis >= 0; --axis) {
    offset += index % tensor.dim(axis) * tensor.strides()[static_cast<size_t>(axis)];
    index /= tensor.dim(axis);
  }
  return data + offset * tensor.dtype().size();
}

std::string_view StringAt(const Tensor& tensor, int64_t index) {
  const auto* any = reinterpret_cast<const Any*>(ElementAt(tensor, index));
  return any->TryCast<std::string_view>().value_or(std::string_view());
}

// visit(bits) with each number in order, until it gives false.
template <typename Visit>
void VisitNumbers(const Tensor& tensor, Visit visit) {
  const Component component(tensor.dtype());
  if (component.width < 8) {  // packed, so contiguous
    const auto* data = static_cast<const uint8_t*>(tensor.data());
    for (int64_t i = 0; i < tensor.element_count() * component.count; ++i) {
      if (!visit(uint64_t{static_cast<uint8_t>(data[i / 2] >> (i % 2 * 4) & 0xF)})) return;
    }
    return;
  }
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    const uint8_t* p = ElementAt(tensor, i);
    for (int c = 0; c < component.count; ++c, p += component.width / 8) {
      if (!visit(component.Read(p))) return;
    }
  }
}

bool StringTensorsEqual(const Tensor& a, const Tensor& b) {
  for (int64_t i = 0; i < a.element_count(); ++i) {
    if (StringAt(a, i) != StringAt(b, i)) return false;
  }
  return true;
}

bool TensorsEqual(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) return false;
  if (!std::equal(a.dims().begin(), a.dims().end(), b.dims().begin(), b.dims().end())) return false;
  // What lies on a device cannot be looked at, so only the same memory is equal.
  if (!a.on_host() || !b.on_host()) return a.data() == b.data() && a.storage() == b.storage();
  if (a.dtype().is_string()) return StringTensorsEqual(a, b);
  // Equal bytes are equal numbers. Different bytes may still be: -0 and 0, or two NaNs.
  if (a.is_contiguous() && b.is_contiguous() && a.dtype().bits % 8 == 0 &&
      (a.byte_size() == 0 || std::memcmp(a.data(), b.data(), a.byte_size()) == 0))
    return true;
  const Component component(b.dtype());
  int64_t index = 0;  // of the number, in b
  bool equal = true;
  VisitNumbers(a, [&](uint64_t bits) {
    uint64_t other = 0;
    // Both have the same dtype, so b is packed where a is.
    if (component.width < 8) {
      other = static_cast<const uint8_t*>(b.data())[index / 2] >> (index % 2 * 4) & 0xF;
    } else {
      other = component.Read(ElementAt(b, index / component.count) +
                             index % component.count * (component.width / 8));
    }
    ++index;
    return equal = bits == other;
  });
  return equal;
}

uint64_t HashTensor(const Tensor& tensor) {
  uint64_t hash = tensor.dtype().ToWord();
  for (const int64_t dim : tensor.dims()) hash = HashCombine(hash, static_cast<uint64_t>(dim));
  // Elements on a device cannot be read. Equal tensors still hash equally, as dtype and shape
  // agree.
  if (!tensor.on_host()) return hash;
  if (tensor.dtype().is_string()) {
    for (int64_t i = 0; i < tensor.element_count(); ++i) hash = HashText(StringAt(tensor, i), hash);
  } else {
    VisitNumbers(tensor, [&hash](uint64_t bits) {
      hash = HashCombine(hash, bits);
      return true;
    });
  }
  return hash;
}

template <typename T>
const T& HeldObject(const AnyView& value) {
  return *static_cast<const T*>(value.object());
}

uint64_t HashStorage(const Storage& storage, uint64_t seed) {
  // As for tensors: equal storages hash equally, the converse need not hold.
  if (storage.device() != nullptr) return HashCombine(seed, storage.bytes());
  return HashBytes({storage.data(), storage.bytes()}, seed);
}

bool SameBytes(ByteSpan a, ByteSpan b) { return AsText(a) == AsText(b); }

bool StoragesEqual(const Storage& a, const Storage& b) {
  if (a.device() != nullptr || b.device() != nullptr) return &a == &b;
  return SameBytes({a.data(), a.bytes()}, {b.data(), b.bytes()});
}

ByteSpan CodePointBytes(const AnyView& value) {
  const std::u32string_view text = internal::AnyToUCS4(value.c_any()).value_or(U"");
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size() * sizeof(char32_t)};
}

ByteSpan DimBytes(const AnyView& value) {
  const Dims dims = HeldObject<Shape>(value).dims();
  return {reinterpret_cast<const uint8_t*>(dims.data()), dims.size_bytes()};
}

}  // namespace

TernTypeCode LeafKindOf(const AnyView& value) {
  if (internal::AnyToText(value.c_any()).has_value()) return TERN_TYPE_STRING;
  if (internal::AnyToUCS4(value.c_any()).has_value()) return TERN_TYPE_UCS4_STRING;
  return value.type_code();
}

bool LeavesEqual(const AnyView& a, const AnyView& b) {
  switch (LeafKindOf(a)) {
    case TERN_TYPE_STRING: return internal::AnyToText(a.c_any()) == internal::AnyToText(b.c_any());
    case TERN_TYPE_UCS4_STRING: return SameBytes(CodePointBytes(a), CodePointBytes(b));
    case TERN_TYPE_FLOAT: return CanonicalDouble(a.c_any().v.f) == CanonicalDouble(b.c_any().v.f);
    case TERN_TYPE_BYTES: return HeldObject<Bytes>(a).view() == HeldObject<Bytes>(b).view();
    case TERN_TYPE_SHAPE: return SameBytes(DimBytes(a), DimBytes(b));
    case TERN_TYPE_STORAGE: return StoragesEqual(HeldObject<Storage>(a), HeldObject<Storage>(b));
    case TERN_TYPE_TENSOR: return TensorsEqual(HeldObject<Tensor>(a), HeldObject<Tensor>(b));
    default: break;
  }
  // Functions, modules and types without fields have identity only.
  if (a.is_object()) return a.object() == b.object();
  return a.is_none() || a.c_any().v.i == b.c_any().v.i;
}

uint64_t HashLeaf(const AnyView& value) {
  const TernTypeCode kind = LeafKindOf(value);
  const auto seed = static_cast<uint64_t>(static_cast<int64_t>(kind));
  switch (kind) {
    case TERN_TYPE_STRING: return HashText(*internal::AnyToText(value.c_any()), seed);
    case TERN_TYPE_UCS4_STRING: return HashBytes(CodePointBytes(value), seed);
    case TERN_TYPE_FLOAT: return HashCombine(seed, CanonicalDouble(value.c_any().v.f));
    case TERN_TYPE_BYTES: return HashBytes(HeldObject<Bytes>(value).span(), seed);
    case TERN_TYPE_SHAPE: return HashBytes(DimBytes(value), seed);
    case TERN_TYPE_STORAGE: return HashStorage(HeldObject<Storage>(value), seed);
    case TERN_TYPE_TENSOR: return HashCombine(seed, HashTensor(HeldObject<Tensor>(value)));
    // Functions are equal by identity, and one function has one name. Its address would differ from
    // run to run.
    case TERN_TYPE_FUNCTION: return HashText(HeldObject<Function>(value).name(), seed);
    default: break;
  }
  // Equal by identity, but the hash must be the same in every run, so all of them hash alike by
  // kind.
  if (value.is_object() || value.is_none()) return HashCombine(seed, 0);
  return HashCombine(seed, static_cast<uint64_t>(value.c_any().v.i));
}

// The complement of what a table compares by content (ContentOf in table.cc, and text).
bool IsIdentityKey(const AnyView& key) {
  if (!key.is_object()) return false;
  const TernTypeCode kind = LeafKindOf(key);
  return kind != TERN_TYPE_STRING && kind != TERN_TYPE_UCS4_STRING && kind != TERN_TYPE_BYTES &&
         kind != TERN_TYPE_SHAPE;
}

}  // namespace tern
