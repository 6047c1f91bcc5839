// SPDX-License-Identifier: Apache-2.0
// WireReader: walks the fields of one Protobuf message in place; nothing is copied, nothing
// allocated.
//
// Sticky: the first error ends the reading of the whole tree of messages; Next() then gives false
// everywhere. A field whose wire type is not the expected one is an unknown field (as in
// libprotobuf) and is left alone. Hostile input is harmless: lengths are compared by subtraction,
// messages nest at most kMaxDepth deep.
#ifndef TERN_CORE_ONNX_WIRE_H_
#define TERN_CORE_ONNX_WIRE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/onnx/word_list.h"

namespace tern::onnx {

// Where and why reading stopped; shared by a reader and those of the messages inside.
struct WireError {
  const char* message = nullptr;  // a literal; null: no error
  size_t offset = 0;              // from the start of the outermost message
  // Of Take: bytes so far, those that there was room for, and E0302 where there was not.
  uint64_t taken = 0, allowed = 0;
  Status no_room;
};

class WireReader {
 public:
  static constexpr int kMaxDepth = 100;  // libprotobuf's own limit

  // `bytes` and `error` must outlive the reader and every view it gives out.
  WireReader(ByteSpan bytes, WireError* error) : WireReader(bytes, bytes.data(), error, 0) {}

  // Goes to the next field; false at the end or after an error.
  bool Next();
  uint32_t field() const { return field_; }

  // The reader of the message that is the present field; an empty one if it is no message.
  WireReader Message() const;
  // Says that messages become so many bytes more. Reading ends where the memory account of this
  // thread has no room for them. Append does so by itself.
  void Take(size_t bytes);
  bool is_message() const { return type_ == Type::kBytes; }
  bool is_varint() const { return type_ == Type::kVarint; }
  bool is_scalar(bool is_fixed64) const {
    return type_ == (is_fixed64 ? Type::kFixed64 : Type::kVarint);
  }
  // Behind the present field, from the start of the outermost message.
  size_t offset() const { return static_cast<size_t>(cursor_ - origin_); }

  // Each stores the present field if it has the right wire type. Later fields win, repeated ones
  // append, packed or one by one.
  void Get(std::string_view* out) const;
  void Get(int64_t* out) const;
  void Get(int32_t* out) const;
  void Get(float* out) const;
  void Append(std::vector<std::string_view>* out);
  void Append(std::vector<int64_t>* out);
  void Append(std::vector<uint64_t>* out);
  void Append(std::vector<int32_t>* out);
  void Append(std::vector<float>* out);
  void Append(WordList<float>* out);
  void Append(WordList<double>* out);

 private:
  enum class Type : uint8_t {
    kVarint = 0,
    kFixed64 = 1,
    kBytes = 2,
    kStart = 3,
    kEnd = 4,
    kFixed32 = 5
  };

  WireReader(ByteSpan bytes, const uint8_t* origin, WireError* error, int depth);
  bool ReadTag();
  bool ReadPayload();
  bool ReadFixed(size_t width);
  bool ReadBytes();
  bool ReadVarint(uint64_t* value);
  bool SkipGroup();
  bool Fail(const char* message);
  template <typename T>
  void AppendVarints(std::vector<T>* out);
  template <typename T>
  void AppendFixed(WordList<T>* out, Type single);

  const uint8_t* cursor_;
  const uint8_t* end_;
  const uint8_t* origin_;
  WireError* error_;
  int depth_;
  Type type_ = Type::kVarint;
  uint32_t field_ = 0;
  uint64_t scalar_ = 0;  // of a varint or fixed field
  ByteSpan payload_;     // of a length-delimited field
};

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_WIRE_H_
