// SPDX-License-Identifier: Apache-2.0
// The Protobuf wire format: tags, varints, fixed words, length-delimited fields, groups (skipped).
// Accepts and refuses exactly what libprotobuf does for proto2; tests/onnx compares the two.
#include "core/onnx/wire.h"

#include <cstring>

#include "core/object/memory_account.h"

namespace tern::onnx {

WireReader::WireReader(ByteSpan bytes, const uint8_t* origin, WireError* error, int depth)
    : cursor_(bytes.data()),
      end_(bytes.data() + bytes.size()),
      origin_(origin),
      error_(error),
      depth_(depth) {
  if (depth > kMaxDepth) Fail("messages are nested too deeply");
}

bool WireReader::Fail(const char* message) {
  // The first mistake is kept. The cursor goes to the end, so that loops over fields end there.
  if (error_->message == nullptr) {
    error_->message = message;
    error_->offset = static_cast<size_t>(cursor_ - origin_);
  }
  cursor_ = end_;
  return false;
}

void WireReader::Take(size_t bytes) {
  // Asked in steps, because most messages are small.
  constexpr uint64_t kStep = uint64_t{1} << 16;
  error_->taken += bytes;
  if (error_->taken < error_->allowed + kStep) return;
  error_->allowed = error_->taken;
  error_->no_room = CheckRoom(error_->taken);
  if (!error_->no_room.ok()) Fail("no memory");
}

bool WireReader::Next() {
  if (error_->message != nullptr) return false;
  while (cursor_ != end_) {
    if (!ReadTag()) return false;
    if (type_ == Type::kEnd) return Fail("a group ends that was not begun");
    if (type_ != Type::kStart) return ReadPayload();
    if (!SkipGroup()) return false;
  }
  return false;
}

bool WireReader::ReadTag() {
  uint64_t tag = 0;
  const uint8_t* start = cursor_;
  if (!ReadVarint(&tag)) return false;
  // Five bytes hold 32 bits. Longer forms of a small number are refused, as libprotobuf does.
  if (cursor_ - start > 5 || tag > UINT32_MAX) return Fail("a field number is too large");
  field_ = static_cast<uint32_t>(tag >> 3);
  if (field_ == 0) return Fail("a field has the number 0");
  if ((tag & 7) > 5) return Fail("a field has an unknown wire type");
  type_ = static_cast<Type>(tag & 7);
  return true;
}

bool WireReader::ReadPayload() {
  switch (type_) {
    case Type::kVarint: return ReadVarint(&scalar_);
    case Type::kFixed64: return ReadFixed(8);
    case Type::kFixed32: return ReadFixed(4);
    case Type::kBytes: return ReadBytes();
    case Type::kStart:
    case Type::kEnd: break;
  }
  return Fail("a group where a value is due");
}

bool WireReader::ReadVarint(uint64_t* value) {
  uint64_t bits = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (cursor_ == end_) return Fail("the data ends inside a number");
    const uint8_t byte = *cursor_++;
    // The tenth byte has one bit that counts; libprotobuf drops the others, too.
    if (shift < 64) bits |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) {
      *value = bits;
      return true;
    }
  }
  return Fail("a number is longer than ten bytes");
}

bool WireReader::ReadFixed(size_t width) {
  if (width > static_cast<size_t>(end_ - cursor_)) return Fail("the data ends inside a number");
  scalar_ = 0;
  for (size_t i = 0; i < width; ++i) scalar_ |= uint64_t{cursor_[i]} << (8 * i);
  cursor_ += width;
  return true;
}

bool WireReader::ReadBytes() {
  uint64_t length = 0;
  if (!ReadVarint(&length)) return false;
  if (length > static_cast<size_t>(end_ - cursor_)) {
    return Fail("a field is longer than the message that holds it");
  }
  // A view: nothing is copied, so the file's bytes must outlive the model.
  payload_ = ByteSpan(cursor_, static_cast<size_t>(length));
  cursor_ += length;
  return true;
}

// Groups are not used by ONNX, but unknown fields may be groups: passes over one, with all inside
// it.
bool WireReader::SkipGroup() {
  uint32_t open[kMaxDepth];
  int count = 0;
  do {
    if (type_ == Type::kStart) {
      if (depth_ + count >= kMaxDepth) return Fail("messages are nested too deeply");
      open[count++] = field_;
    } else if (type_ == Type::kEnd) {
      if (open[--count] != field_) return Fail("a group ends that was not begun");
    } else if (!ReadPayload()) {
      return false;
    }
    if (count == 0) return true;
    if (cursor_ == end_) return Fail("the data ends inside a group");
  } while (ReadTag());
  return false;
}

WireReader WireReader::Message() const {
  return WireReader(is_message() ? payload_ : ByteSpan(), origin_, error_, depth_ + 1);
}

void WireReader::Get(std::string_view* out) const {
  if (type_ == Type::kBytes) *out = AsText(payload_);
}

void WireReader::Get(int64_t* out) const {
  if (type_ == Type::kVarint) *out = static_cast<int64_t>(scalar_);
}

void WireReader::Get(int32_t* out) const {
  if (type_ == Type::kVarint) *out = static_cast<int32_t>(static_cast<uint32_t>(scalar_));
}

void WireReader::Get(float* out) const {
  if (type_ == Type::kFixed32) *out = __builtin_bit_cast(float, static_cast<uint32_t>(scalar_));
}

void WireReader::Append(std::vector<std::string_view>* out) {
  if (type_ != Type::kBytes) return;
  // Measured: a name of one character becomes an argument in the list of a node and in the copies
  // of it that passes make, and a long one is copied into names of nodes and results.
  constexpr size_t kBytesPerName = 300, kCopies = 4;
  Take(kBytesPerName + kCopies * payload_.size());
  out->push_back(AsText(payload_));
}

template <typename T>
void WireReader::AppendVarints(std::vector<T>* out) {
  // One byte becomes a number in a vector that doubles, and in the attributes of an operator.
  constexpr size_t kBytesPerNumber = 6 * sizeof(T);
  if (type_ == Type::kVarint) {
    Take(kBytesPerNumber);
    out->push_back(static_cast<T>(scalar_));
  } else if (type_ == Type::kBytes) {
    WireReader packed(payload_, origin_, error_, depth_);
    uint64_t value = 0;
    while (packed.cursor_ != packed.end_ && packed.ReadVarint(&value)) {
      packed.Take(kBytesPerNumber);
      out->push_back(static_cast<T>(value));
    }
    if (error_->message != nullptr) cursor_ = end_;
  }
}

// Little-endian words in the file are little-endian words here: every host of ours is
// little-endian.
template <typename T>
void WireReader::AppendFixed(WordList<T>* out, Type single) {
  if (type_ == single) {
    T value;
    std::memcpy(&value, &scalar_, sizeof(T));
    out->Append(value);
  } else if (type_ == Type::kBytes) {
    if (payload_.size() % sizeof(T) != 0) {
      Fail("a packed list ends inside a number");
      return;
    }
    out->AppendBlock(payload_);
  }
}

void WireReader::Append(std::vector<int64_t>* out) { AppendVarints(out); }
void WireReader::Append(std::vector<uint64_t>* out) { AppendVarints(out); }
void WireReader::Append(std::vector<int32_t>* out) { AppendVarints(out); }
void WireReader::Append(WordList<float>* out) { AppendFixed(out, Type::kFixed32); }
void WireReader::Append(WordList<double>* out) { AppendFixed(out, Type::kFixed64); }
void WireReader::Append(std::vector<float>* out) {
  WordList<float> more;
  Append(&more);
  const size_t before = out->size();
  out->resize(before + more.size());
  more.CopyTo(out->data() + before);
}

}  // namespace tern::onnx
