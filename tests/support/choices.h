// SPDX-License-Identifier: Apache-2.0
// Choices: bytes, of a fuzzer or of a random generator, that generators of programs decide by.
#ifndef TERN_TESTS_SUPPORT_CHOICES_H_
#define TERN_TESTS_SUPPORT_CHOICES_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace tern::support {

class Choices {
 public:
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {}

 protected:
  // After the last byte, zeros.
  uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const uint8_t byte = bytes_[0];
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  std::string Pick(std::initializer_list<const char*> list) {
    return list.begin()[Byte() % list.size()];
  }

 private:
  std::span<const uint8_t> bytes_;
};

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_CHOICES_H_
