// SPDX-License-Identifier: Apache-2.0
// Mutator: single- and multi-byte changes of a file, the same for a seed on every target.
#ifndef TERN_TESTS_SUPPORT_VM_MUTATOR_H_
#define TERN_TESTS_SUPPORT_VM_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace tern::support {

class Mutator {
 public:
  // Changes begin in one of the ranges [first, second), each as likely as the others; none:
  // anywhere.
  explicit Mutator(uint32_t seed, std::vector<std::pair<size_t, size_t>> ranges = {})
      : random_(seed), ranges_(std::move(ranges)) {}

  // One to three changes.
  void Mutate(std::vector<uint8_t>* bytes) {
    const int changes = 1 + static_cast<int>(random_() % 3);
    for (int i = 0; i < changes; ++i) Change(bytes);
  }

 private:
  size_t Place(const std::vector<uint8_t>& bytes) {
    if (ranges_.empty()) return random_() % bytes.size();
    const auto& [begin, end] = ranges_[random_() % ranges_.size()];
    return (begin + random_() % (end - begin)) % bytes.size();
  }

  void Change(std::vector<uint8_t>* bytes) {
    if (bytes->empty()) return;
    const size_t at = Place(*bytes);
    uint8_t& byte = (*bytes)[at];
    switch (random_() % 6) {
      case 0: byte ^= static_cast<uint8_t>(1u << random_() % 8); return;
      case 1: byte = static_cast<uint8_t>(random_()); return;
      case 2: byte = random_() % 2 != 0 ? 0xff : 0; return;
      case 3: return CopyWord(at, Place(*bytes), bytes);
      case 4: byte = static_cast<uint8_t>(byte + (random_() % 2 != 0 ? 1 : -1)); return;
      default:
        for (size_t i = at; i < at + 8 && i < bytes->size(); ++i) (*bytes)[i] = 0xff;
        return;
    }
  }

  static void CopyWord(size_t to, size_t from, std::vector<uint8_t>* bytes) {
    for (size_t i = 0; i < 8 && to + i < bytes->size() && from + i < bytes->size(); ++i)
      (*bytes)[to + i] = (*bytes)[from + i];
  }

  std::mt19937 random_;
  std::vector<std::pair<size_t, size_t>> ranges_;
};

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_VM_MUTATOR_H_
