// SPDX-License-Identifier: Apache-2.0
// The numbers of a Protobuf list of words of 4 or 8 bytes. Weights are stored so by some exporters,
// and copying them out word by word took most of what importing such a model takes.
#ifndef TERN_CORE_ONNX_WORD_LIST_H_
#define TERN_CORE_ONNX_WORD_LIST_H_

#include <cstring>
#include <vector>

#include "core/base/bytes.h"

namespace tern::onnx {

// One packed block, which is what exporters write, stays where it lies in the file; of several, and
// of words one by one, a copy is made.
template <typename T>
class WordList {
 public:
  void Append(T value) {
    Collect();
    words_.push_back(value);
  }
  // `block` holds whole words, at any address.
  void AppendBlock(ByteSpan block) {
    if (block.empty()) return;
    if (size() == 0) {
      block_ = block;
      return;
    }
    Collect();
    const size_t before = words_.size();
    words_.resize(before + block.size() / sizeof(T));
    std::memcpy(words_.data() + before, block.data(), block.size());
  }

  size_t size() const { return bytes().size() / sizeof(T); }
  bool is_in_file() const { return words_.empty(); }
  ByteSpan bytes() const {
    if (is_in_file()) return block_;
    return {reinterpret_cast<const uint8_t*>(words_.data()), words_.size() * sizeof(T)};
  }
  // size() words, or their bits.
  void CopyTo(void* out) const {
    if (size() > 0) std::memcpy(out, bytes().data(), bytes().size());
  }

 private:
  void Collect() {
    if (block_.empty()) return;
    words_.resize(block_.size() / sizeof(T));
    std::memcpy(words_.data(), block_.data(), block_.size());
    block_ = ByteSpan();
  }

  ByteSpan block_;  // empty where words_ is not
  std::vector<T> words_;
};

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_WORD_LIST_H_
