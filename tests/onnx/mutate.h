// SPDX-License-Identifier: Apache-2.0
// Deterministic damage to ONNX files: bytes changed, cut, doubled, swapped, varints made huge.
#ifndef TERN_TESTS_ONNX_MUTATE_H_
#define TERN_TESTS_ONNX_MUTATE_H_

#include <cstdint>
#include <string>

namespace tern::test {

// A small generator with the same numbers on every platform.
class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed) {}
  // 0 … limit - 1; 0 for a limit of 0.
  size_t operator()(size_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return limit == 0 ? 0 : static_cast<size_t>(state_ >> 33) % limit;
  }

 private:
  uint64_t state_;
};

inline char InterestingByte(Draws& draw) {
  constexpr char kBytes[] = {0,    1,      2,      7,      8,    10,   16,   18,
                             0x7F, '\x80', '\xFF', '\xFE', 0x40, 0x2A, 0x3A, 0x0B};
  return draw(3) == 0 ? static_cast<char>(draw(256)) : kBytes[draw(sizeof(kBytes))];
}

inline std::string Mutate(std::string bytes, Draws& draw) {
  const size_t at = draw(bytes.size());
  switch (draw(8)) {
    case 0: bytes.resize(at); break;
    case 1: bytes.insert(draw(bytes.size()), bytes.substr(at, draw(24))); break;
    case 2: bytes.erase(at, draw(8)); break;
    case 3: bytes.insert(at, 9, '\xFF'); break;
    case 4: bytes += bytes.substr(at, draw(bytes.size())); break;
    default: break;
  }
  for (size_t i = draw(4) + 1; i > 0 && !bytes.empty(); --i)
    bytes[draw(bytes.size())] = InterestingByte(draw);
  return bytes;
}

}  // namespace tern::test

#endif  // TERN_TESTS_ONNX_MUTATE_H_
