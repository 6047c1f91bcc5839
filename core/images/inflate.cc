// SPDX-License-Identifier: Apache-2.0
// Bytes that were packed as RFC 1950 and 1951 say. Codes are read bit by bit: short code, and files
// of images are small beside what is computed with them.
#include <algorithm>
#include <array>

#include "core/base/strings.h"
#include "core/images/format.h"

namespace tern::images {
namespace {

constexpr int kMostCodeBits = 15;  // of a code

Status PackDamaged(std::string_view what) {
  return InvalidArgument("its packed bytes are damaged: ", what);
}

// Codes in the order of their lengths, and of symbols among those of one length.
struct PackCodes {
  std::array<uint16_t, kMostCodeBits + 1> counts{};
  std::array<uint16_t, 288> symbols{};

  // False where there are more codes than the lengths leave room for.
  bool Make(std::span<const uint8_t> lengths) {
    counts.fill(0);
    for (const uint8_t length : lengths) ++counts[length];
    counts[0] = 0;
    int left = 1;
    std::array<uint16_t, kMostCodeBits + 2> next{};
    for (size_t length = 1; length <= kMostCodeBits; ++length) {
      // How many codes of this length are still free. Fewer than none: the lengths contradict each
      // other.
      left = left * 2 - counts[length];
      if (left < 0) return false;
      next[length + 1] = static_cast<uint16_t>(next[length] + counts[length]);
    }
    for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] != 0) symbols[next[lengths[symbol]]++] = static_cast<uint16_t>(symbol);
    }
    return true;
  }
};

class Inflater {
 public:
  Inflater(Bytes bytes, std::span<uint8_t> out) : bytes_(bytes), out_(out) {}

  Status Run() {
    if (bytes_.size() < 2 || (bytes_[0] & 15) != 8 || BigAt(bytes_, 0, 2) % 31 != 0 ||
        (bytes_[1] & 32) != 0)
      return PackDamaged("they do not begin as zlib's");
    at_ = 2;
    for (bool is_last = false; !is_last;) {
      is_last = Bits(1) != 0;
      TERN_TRY(Block(Bits(2)));
    }
    // The caller knows how large the image is, so memory was given before, whatever the bytes say.
    if (made_ != out_.size()) return PackDamaged("they end too early");
    at_ -= static_cast<size_t>(held_ / 8);
    if (at_ + 4 > bytes_.size() || BigAt(bytes_, at_, 4) != Checksum())
      return PackDamaged("their checksum is another one");
    return OkStatus();
  }

 private:
  // Adler's, of all that was made.
  uint32_t Checksum() const {
    uint32_t low = 1, high = 0;
    for (const uint8_t byte : out_) {
      low = (low + byte) % 65521;
      high = (high + low) % 65521;
    }
    return high << 16 | low;
  }

  // 0 behind the end, which Block notices.
  uint32_t Bits(int count) {
    while (held_ < count) {
      ended_ = ended_ || at_ >= bytes_.size();
      bits_ |= static_cast<uint64_t>(at_ < bytes_.size() ? bytes_[at_] : 0) << held_;
      ++at_;
      held_ += 8;
    }
    const auto value = static_cast<uint32_t>(bits_ & ((uint64_t{1} << count) - 1));
    bits_ >>= count;
    held_ -= count;
    return value;
  }

  // -1: no such code.
  int Symbol(const PackCodes& codes) {
    int code = 0, first = 0, index = 0;
    for (size_t length = 1; length <= kMostCodeBits; ++length) {
      code |= static_cast<int>(Bits(1));
      const int count = codes.counts[length];
      if (code - first < count) return codes.symbols[static_cast<size_t>(index + code - first)];
      index += count;
      first = (first + count) * 2;
      code *= 2;
    }
    return -1;
  }

  Status Block(uint32_t kind) {
    if (kind == 0) return Stored();
    if (kind == 3) return PackDamaged("a block is of no known kind");
    if (kind == 1) {
      std::array<uint8_t, 288> lengths{};
      for (size_t i = 0; i < lengths.size(); ++i)
        // The codes that RFC 1951 (3.2.6) fixes, for blocks that bring none.
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
      literals_.Make(lengths);
      lengths.fill(5);
      distances_.Make(std::span(lengths).first(30));
    } else {
      TERN_TRY(ReadCodes());
    }
    return Packed();
  }

  Status Stored() {
    at_ -= static_cast<size_t>(held_ / 8);
    held_ = 0;
    bits_ = 0;
    const uint32_t size = LittleAt(bytes_, at_, 2);
    if (at_ + 4 > bytes_.size() || LittleAt(bytes_, at_ + 2, 2) != (size ^ 0xffff))
      return PackDamaged("a block's length is wrong");
    at_ += 4;
    if (size > bytes_.size() - at_ || size > out_.size() - made_)
      return PackDamaged("a block is longer than what is left");
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), size,
                out_.begin() + static_cast<std::ptrdiff_t>(made_));
    at_ += size;
    made_ += size;
    return OkStatus();
  }

  Status ReadCodes() {
    // By RFC 1951 (3.2.7): lengths that are seldom used come last, where they may be left out.
    static constexpr uint8_t kOrder[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                         11, 4,  12, 3, 13, 2, 14, 1, 15};
    const size_t literals = Bits(5) + 257, distances = Bits(5) + 1, given = Bits(4) + 4;
    std::array<uint8_t, 320> lengths{};
    for (size_t i = 0; i < given; ++i) lengths[kOrder[i]] = static_cast<uint8_t>(Bits(3));
    if (literals > 286 || !literals_.Make(std::span(lengths).first(19)))
      return PackDamaged("the codes of code lengths are too many");
    lengths.fill(0);
    for (size_t i = 0; i < literals + distances;) {
      const int symbol = Symbol(literals_);
      if (symbol < 0 || ended_) return PackDamaged("a code length has no code");
      if (symbol < 16) {
        lengths[i++] = static_cast<uint8_t>(symbol);
        continue;
      }
      // 16 repeats the length before it, 17 and 18 are zeros.
      if (symbol == 16 && i == 0) return PackDamaged("a code length repeats none");
      const uint8_t value = symbol == 16 ? lengths[i - 1] : uint8_t{0};
      const size_t times = symbol == 16 ? 3 + Bits(2) : symbol == 17 ? 3 + Bits(3) : 11 + Bits(7);
      if (times > literals + distances - i) return PackDamaged("code lengths are too many");
      std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), times, value);
      i += times;
    }
    if (!literals_.Make(std::span(lengths).first(literals)) ||
        !distances_.Make(std::span(lengths).subspan(literals, distances)))
      return PackDamaged("codes are too many");
    return OkStatus();
  }

  Status Packed() {
    for (;;) {
      const int symbol = Symbol(literals_);
      // Before the symbol is looked at: behind the end zeros were read.
      if (ended_) return PackDamaged("they end too early");
      if (symbol < 0) return PackDamaged("a symbol has no code");
      if (symbol == 256) return OkStatus();
      if (symbol < 256) {
        if (made_ == out_.size()) return PackDamaged("they are more than the image has");
        out_[made_++] = static_cast<uint8_t>(symbol);
        continue;
      }
      TERN_TRY(Copy(symbol - 257));
    }
  }

  // Lengths and distances come in groups: four (two) of each number of further bits.
  Status Copy(int symbol) {
    if (symbol > 28) return PackDamaged("a length has no meaning");
    const int more = symbol < 8 || symbol == 28 ? 0 : symbol / 4 - 1;
    const size_t length =
        symbol == 28 ? 258
        : symbol < 8 ? static_cast<size_t>(symbol) + 3
                     : (size_t{4 + static_cast<unsigned>(symbol) % 4} << more) + 3 + Bits(more);
    const int far = Symbol(distances_);
    if (far < 0 || far > 29) return PackDamaged("a distance has no code");
    const int further = far < 4 ? 0 : far / 2 - 1;
    const size_t distance =
        far < 4 ? static_cast<size_t>(far) + 1
                : (size_t{2 + static_cast<unsigned>(far) % 2} << further) + 1 + Bits(further);
    if (distance > made_ || length > out_.size() - made_)
      return PackDamaged("a copy leaves the bytes that there are");
    // Byte by byte, because a copy may reach into what it writes: that is how runs are packed.
    for (size_t i = 0; i < length; ++i, ++made_) out_[made_] = out_[made_ - distance];
    return OkStatus();
  }

  Bytes bytes_;
  std::span<uint8_t> out_;
  size_t at_ = 0, made_ = 0;
  uint64_t bits_ = 0;
  int held_ = 0;
  bool ended_ = false;
  PackCodes literals_, distances_;
};

}  // namespace

Status Inflate(Bytes bytes, std::span<uint8_t> out) { return Inflater(bytes, out).Run(); }

}  // namespace tern::images
