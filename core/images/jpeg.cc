// SPDX-License-Identifier: Apache-2.0
// JPEG of 8 bits with Huffman codes, baseline and progressive, of one or three components.
#include "core/images/jpeg.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tern::images {
namespace {

// Each scan may go through the whole image. Encoders make about ten.
constexpr int kMostScans = 128;

// Where the coefficients lie, in the order in which a file has them: by rising frequency.
constexpr uint8_t kZigzag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

Status JpegDamaged(std::string_view what) {
  return InvalidArgument("its JPEG image is damaged: ", what);
}

struct JpegCodes {
  std::array<uint8_t, 17> counts{};  // of each length
  std::array<uint8_t, 256> symbols{};
};

// Bits of a scan, up to the next marker.
class JpegBits {
 public:
  JpegBits(Bytes bytes, size_t at) : bytes_(bytes), at_(at) {}

  int Next() {
    if (left_ == 0) Load();
    --left_;
    return byte_ >> left_ & 1;
  }
  int Read(int count) {
    int value = 0;
    for (int i = 0; i < count; ++i) value = value * 2 + Next();
    return value;
  }
  // A number of so many bits, of which half are negative.
  int ReadSigned(int count) {
    const int value = Read(count);
    return count > 0 && value < 1 << (count - 1) ? value - (1 << count) + 1 : value;
  }
  // -1: no such code.
  int Symbol(const JpegCodes& codes) {
    int code = 0, first = 0;
    size_t index = 0;
    for (size_t length = 1; length <= 16; ++length) {
      code = code * 2 + Next();
      const int count = codes.counts[length];
      // Codes of one length follow each other, from `first` on, so that counts alone say what they
      // are.
      if (code - first < count)
        return codes.symbols[(index + static_cast<size_t>(code - first)) & 255];
      index += static_cast<size_t>(count);
      first = (first + count) * 2;
    }
    return -1;
  }
  // Goes on behind a marker of a restart; false where there is none.
  bool Restart() {
    left_ = 0;
    if (at_ + 2 > bytes_.size() || bytes_[at_] != 0xff || (bytes_[at_ + 1] & 0xf8) != 0xd0)
      return false;
    at_ += 2;
    return true;
  }
  bool ended() const { return ended_; }
  size_t at() const { return at_; }

 private:
  void Load() {
    left_ = 8;
    byte_ = 0;
    // A byte 0xff of the data has a zero behind it; another byte there makes a marker, at which the
    // scan ends. Zeros are read from then on, and the caller asks `ended`.
    if (at_ >= bytes_.size() || (bytes_[at_] == 0xff && BigAt(bytes_, at_ + 1, 1) != 0)) {
      ended_ = true;
      return;
    }
    byte_ = bytes_[at_];
    // The zero is no data.
    at_ += byte_ == 0xff ? 2 : 1;
  }

  Bytes bytes_;
  size_t at_;
  int byte_ = 0, left_ = 0;
  bool ended_ = false;
};

// The coefficients of zigzag positions [begin, end] but for their lowest `low` bits; `high` is what
// the scans before left out, 0 for the first.
struct JpegScan {
  std::array<JpegComponent*, 3> components{};
  size_t count = 0;
  int begin = 0, end = 63, high = 0, low = 0;
};

class JpegDecoder {
 public:
  explicit JpegDecoder(Bytes bytes) : bytes_(bytes) {}

  const JpegImage& image() const { return image_; }
  // Up to the extents, or to the end where there is memory.
  Status Run(Memory* memory);

 private:
  Status Segment(int marker, Bytes content, Memory* memory);
  Status ReadTables(Bytes content);
  Status ReadCodes(Bytes content);
  Status ReadFrame(Bytes content);
  Status ReadScan(Bytes content);
  Status CheckScan(const JpegScan& scan);
  Status Allocate(Memory* memory);
  Status DecodeScan(const JpegScan& scan);
  bool DecodeUnit(const JpegScan& scan, JpegBits* bits, int64_t unit);
  bool DecodeBlock(const JpegScan& scan, JpegBits* bits, JpegComponent* component, int16_t* block);
  bool FirstBits(const JpegScan& scan, const JpegCodes& codes, JpegBits* bits, int16_t* block);
  bool MoreBits(const JpegScan& scan, const JpegCodes& codes, JpegBits* bits, int16_t* block);
  bool MoreOfRun(const JpegScan& scan, JpegBits* bits, int16_t* block, int from);

  Bytes bytes_;
  size_t at_ = 2;
  JpegImage image_;
  std::array<JpegCodes, 4> dc_, ac_;
  int64_t interval_ = 0;
  int scans_ = 0, run_ = 0;  // blocks that have no more coefficients in this scan
  int transform_ = -1;       // of Adobe: 0: no colours were changed
  bool is_jfif_ = false, has_frame_ = false;
};

Status JpegDecoder::ReadTables(Bytes content) {
  for (size_t at = 0; at < content.size();) {
    const size_t wide = content[at] >> 4, index = content[at] & 15;
    if (wide > 1 || index > 3 || content.size() - at < 1 + 64 * (wide + 1))
      return JpegDamaged("a table of quantization is too short");
    ++at;
    for (const uint8_t place : kZigzag) {
      image_.tables[index][place] = static_cast<uint16_t>(BigAt(content, at, wide + 1));
      at += wide + 1;
    }
  }
  return OkStatus();
}

Status JpegDecoder::ReadCodes(Bytes content) {
  for (size_t at = 0; at < content.size();) {
    const size_t kind = content[at] >> 4, index = content[at] & 15;
    if (kind > 1 || index > 3 || content.size() - at < 17)
      return JpegDamaged("a table of codes is too short");
    JpegCodes& codes = (kind == 0 ? dc_ : ac_)[index];
    size_t count = 0;
    for (size_t length = 1; length <= 16; ++length)
      count += codes.counts[length] = content[at + length];
    at += 17;
    if (count > 256 || count > content.size() - at)
      return JpegDamaged("a table of codes is too long");
    std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(at), count, codes.symbols.begin());
    at += count;
  }
  return OkStatus();
}

Status JpegDecoder::ReadFrame(Bytes content) {
  // A second one would change extents under what was allocated for the first.
  if (has_frame_) return JpegDamaged("it has two frames");
  has_frame_ = true;
  const size_t count = BigAt(content, 5, 1);
  if (content.size() < 6 + 3 * count) return JpegDamaged("its frame is too short");
  if (content[0] != 8 || (count != 1 && count != 3))
    return Unsupported("a JPEG image of ", count, " components of ", int{content[0]},
                       " bits; 1 or 3 of 8 bits are decoded");
  image_.extent = {BigAt(content, 1, 2), BigAt(content, 3, 2)};
  TERN_TRY(CheckExtent(image_.extent));
  image_.count = static_cast<int>(count);
  for (size_t i = 0; i < count; ++i) {
    JpegComponent& component = image_.components[i];
    component.id = content[6 + 3 * i];
    component.h = content[7 + 3 * i] >> 4;
    component.v = content[7 + 3 * i] & 15;
    component.table = content[8 + 3 * i];
    if (component.h < 1 || component.h > 4 || component.v < 1 || component.v > 4 ||
        component.table > 3)
      return JpegDamaged("a component has wrong factors");
    image_.most_h = std::max(image_.most_h, component.h);
    image_.most_v = std::max(image_.most_v, component.v);
  }
  image_.units_across = (image_.extent.width + 8 * image_.most_h - 1) / (8 * image_.most_h);
  image_.units_down = (image_.extent.height + 8 * image_.most_v - 1) / (8 * image_.most_v);
  for (size_t i = 0; i < count; ++i) {
    JpegComponent& component = image_.components[i];
    // Samples are spread by whole numbers.
    if (image_.most_h % component.h != 0 || image_.most_v % component.v != 0)
      return Unsupported(
          "a JPEG image whose components have sampling factors that do not divide each other");
    // Its own pixels, and below the blocks that units are filled up to.
    component.extent = {(image_.extent.height * component.v + image_.most_v - 1) / image_.most_v,
                        (image_.extent.width * component.h + image_.most_h - 1) / image_.most_h};
    component.blocks_across = image_.units_across * component.h;
    component.blocks_down = image_.units_down * component.v;
  }
  // Each block takes a bit at least.
  const int64_t blocks = (image_.extent.height + 7) / 8 * ((image_.extent.width + 7) / 8);
  if (blocks / image_.most_h / image_.most_v > static_cast<int64_t>(bytes_.size()) * 8)
    return InvalidArgument("its JPEG image has ", bytes_.size(), " bytes, too few for ",
                           image_.extent.height, " x ", image_.extent.width, " pixels");
  return OkStatus();
}

Status JpegDecoder::Allocate(Memory* memory) {
  // Once, at the first scan: later ones refine the same coefficients.
  if (image_.components[0].coefficients != nullptr) return OkStatus();
  for (int i = 0; i < image_.count; ++i) {
    JpegComponent& component = image_.components[static_cast<size_t>(i)];
    const int64_t size = component.blocks_across * component.blocks_down * 64;
    TERN_TRY_ASSIGN(uint8_t * coefficients, memory->New(size * 2));
    TERN_TRY_ASSIGN(component.samples, memory->New(size));
    component.coefficients = reinterpret_cast<int16_t*>(coefficients);
  }
  return OkStatus();
}

Status JpegDecoder::CheckScan(const JpegScan& scan) {
  if (++scans_ > kMostScans) return JpegDamaged("it has more than 128 scans");
  if (!image_.progressive) return OkStatus();
  // The first coefficient of each block is sent apart from the others, of which a scan holds one
  // component only.
  const bool fits = scan.begin <= scan.end && scan.end < 64 && scan.low <= 13 &&
                    (scan.high == 0 || scan.high == scan.low + 1) &&
                    (scan.begin == 0 ? scan.end == 0 : scan.count == 1);
  return fits ? OkStatus() : JpegDamaged("a scan has wrong bounds");
}

Status JpegDecoder::ReadScan(Bytes content) {
  JpegScan scan;
  scan.count = BigAt(content, 0, 1);
  if (!has_frame_ || scan.count < 1 || scan.count > 3 || content.size() < 4 + 2 * scan.count)
    return JpegDamaged("a scan has no components");
  for (size_t i = 0; i < scan.count; ++i) {
    for (int c = 0; c < image_.count; ++c) {
      JpegComponent& component = image_.components[static_cast<size_t>(c)];
      // Of components with one name the first is meant.
      if (component.id == content[1 + 2 * i] && scan.components[i] == nullptr)
        scan.components[i] = &component;
    }
    const int tables = content[2 + 2 * i];
    if (scan.components[i] == nullptr || tables >> 4 > 3 || (tables & 15) > 3)
      return JpegDamaged("a scan has a component that the frame has not");
    scan.components[i]->dc = tables >> 4;
    scan.components[i]->ac = tables & 15;
  }
  const size_t at = 1 + 2 * scan.count;
  if (image_.progressive) {
    scan.begin = content[at];
    scan.end = content[at + 1];
    scan.high = content[at + 2] >> 4;
    scan.low = content[at + 2] & 15;
  }
  TERN_TRY(CheckScan(scan));
  return DecodeScan(scan);
}

// One component: its blocks that count, row by row. Several: units of blocks of each.
Status JpegDecoder::DecodeScan(const JpegScan& scan) {
  JpegBits bits(bytes_, at_);
  const Extent& first = scan.components[0]->extent;
  const int64_t units = scan.count == 1 ? (first.height + 7) / 8 * ((first.width + 7) / 8)
                                        : image_.units_down * image_.units_across;
  for (int64_t unit = 0; unit < units; ++unit) {
    // A restart makes the scan readable from there on: nothing that came before counts.
    if (unit == 0 || (interval_ > 0 && unit % interval_ == 0)) {
      if (unit > 0 && !bits.Restart()) return JpegDamaged("a restart is missing");
      run_ = 0;
      for (size_t i = 0; i < scan.count; ++i) scan.components[i]->last = 0;
    }
    if (!DecodeUnit(scan, &bits, unit)) return JpegDamaged("a block has a code that there is not");
    // Asked once for each unit, since blocks read zeros behind the end.
    if (bits.ended()) return JpegDamaged("a scan ends too early");
  }
  at_ = bits.at();
  return OkStatus();
}

bool JpegDecoder::DecodeUnit(const JpegScan& scan, JpegBits* bits, int64_t unit) {
  const auto decode = [&](JpegComponent* component, int64_t y, int64_t x) {
    const int64_t block = y * component->blocks_across + x;
    return DecodeBlock(scan, bits, component, component->coefficients + block * 64);
  };
  if (scan.count == 1) {
    JpegComponent* component = scan.components[0];
    // Alone, a component has no blocks that lie outside of the image.
    const int64_t across = (component->extent.width + 7) / 8;
    return decode(component, unit / across, unit % across);
  }
  for (size_t i = 0; i < scan.count; ++i) {
    JpegComponent* component = scan.components[i];
    const int64_t y = unit / image_.units_across * component->v;
    const int64_t x = unit % image_.units_across * component->h;
    for (int block = 0; block < component->h * component->v; ++block) {
      if (!decode(component, y + block / component->h, x + block % component->h)) return false;
    }
  }
  return true;
}

bool JpegDecoder::DecodeBlock(const JpegScan& scan, JpegBits* bits, JpegComponent* component,
                              int16_t* block) {
  const JpegCodes& codes = ac_[static_cast<size_t>(component->ac)];
  if (scan.begin > 0)
    return scan.high == 0 ? FirstBits(scan, codes, bits, block)
                          : MoreBits(scan, codes, bits, block);
  if (scan.high != 0) {
    // A refinement of the first coefficient is its next bit.
    if (bits->Next() != 0) block[0] = static_cast<int16_t>(block[0] | 1 << scan.low);
    return true;
  }
  const int size = bits->Symbol(dc_[static_cast<size_t>(component->dc)]);
  if (size < 0 || size > 16) return false;
  // Sent as the difference to the block before.
  component->last = static_cast<int16_t>(component->last + bits->ReadSigned(size));
  block[0] = static_cast<int16_t>(component->last * (1 << scan.low));
  if (image_.progressive) return true;
  JpegScan rest = scan;
  rest.begin = 1;
  return FirstBits(rest, codes, bits, block);
}

bool JpegDecoder::FirstBits(const JpegScan& scan, const JpegCodes& codes, JpegBits* bits,
                            int16_t* block) {
  if (run_ > 0) {
    --run_;
    return true;
  }
  for (int k = scan.begin; k <= scan.end; ++k) {
    const int symbol = bits->Symbol(codes);
    if (symbol < 0) return false;
    const int skipped = symbol >> 4, size = symbol & 15;
    // No more coefficients: of this block, or in a progressive image of a run of blocks.
    if (size == 0 && skipped < 15) {
      if (!image_.progressive) return true;
      run_ = (1 << skipped) - 1 + bits->Read(skipped);
      return true;
    }
    k += skipped;
    // Sixteen zeros may lead beyond the end, a coefficient may not.
    if (k > scan.end) return size == 0;
    if (size > 0)
      block[kZigzag[k]] = static_cast<int16_t>(bits->ReadSigned(size) * (1 << scan.low));
  }
  return true;
}

// One more bit of the coefficients from k on that are not 0 yet.
bool JpegDecoder::MoreOfRun(const JpegScan& scan, JpegBits* bits, int16_t* block, int from) {
  const int one = 1 << scan.low;
  for (int k = from; k <= scan.end; ++k) {
    int16_t& value = block[kZigzag[k]];
    if (value != 0 && bits->Next() != 0 && (value & one) == 0)
      value = static_cast<int16_t>(value + (value > 0 ? one : -one));
  }
  return true;
}

bool JpegDecoder::MoreBits(const JpegScan& scan, const JpegCodes& codes, JpegBits* bits,
                           int16_t* block) {
  const int one = 1 << scan.low;
  int k = scan.begin;
  while (run_ == 0 && k <= scan.end) {
    const int symbol = bits->Symbol(codes);
    if (symbol < 0 || (symbol & 15) > 1) return false;
    int zeros = symbol >> 4, value = 0;
    if ((symbol & 15) == 1) {
      value = bits->Next() != 0 ? one : -one;
    } else if (zeros < 15) {
      run_ = (1 << zeros) + bits->Read(zeros);
      break;
    }
    // Over so many that are 0; those that are not take a bit each on the way.
    for (; k <= scan.end; ++k) {
      int16_t& old = block[kZigzag[k]];
      if (old == 0) {
        if (zeros-- == 0) {
          old = static_cast<int16_t>(value);
          break;
        }
      } else if (bits->Next() != 0 && (old & one) == 0) {
        old = static_cast<int16_t>(old + (old > 0 ? one : -one));
      }
    }
    ++k;
  }
  if (run_ == 0) return true;
  --run_;
  return MoreOfRun(scan, bits, block, k);
}

Status JpegDecoder::Segment(int marker, Bytes content, Memory* memory) {
  // By the names of ITU-T T.81: DQT, DHT, DRI, APP0, APP14, SOF0 to SOF2, SOS.
  if (marker == 0xdb) return ReadTables(content);
  if (marker == 0xc4) return ReadCodes(content);
  if (marker == 0xdd) interval_ = BigAt(content, 0, 2);
  if (marker == 0xe0 && BigAt(content, 0, 4) == 0x4a464946) is_jfif_ = true;  // JFIF
  if (marker == 0xee && BigAt(content, 0, 4) == 0x41646f62 && content.size() >= 12)
    transform_ = content[11];  // Adobe
  if (marker >= 0xc0 && marker <= 0xc2) {
    image_.progressive = marker == 0xc2;
    return ReadFrame(content);
  }
  if (marker >= 0xc3 && marker <= 0xcf && marker != 0xc8 && marker != 0xcc)
    return Unsupported("a JPEG image that is lossless, hierarchical or coded arithmetically");
  if (marker != 0xda) return OkStatus();
  if (!has_frame_) return JpegDamaged("a scan comes before its frame");
  TERN_TRY(Allocate(memory));
  return ReadScan(content);
}

Status JpegDecoder::Run(Memory* memory) {
  bool ended = false;
  while (!ended && at_ + 4 <= bytes_.size() + 2) {
    // Between segments there may be any number of bytes 0xff, and behind a scan what nobody read.
    if (bytes_[at_] != 0xff || at_ + 1 >= bytes_.size() || bytes_[at_ + 1] == 0xff ||
        bytes_[at_ + 1] == 0 || (bytes_[at_ + 1] & 0xf8) == 0xd0) {
      ++at_;
      if (at_ >= bytes_.size()) break;
      continue;
    }
    const int marker = bytes_[at_ + 1];
    ended = marker == 0xd9;
    if (ended || marker == 0xd8) {
      at_ += 2;
      continue;
    }
    const size_t size = BigAt(bytes_, at_ + 2, 2);
    if (size < 2 || size > bytes_.size() - at_ - 2)
      return JpegDamaged("a segment is longer than the file");
    const Bytes content = bytes_.subspan(at_ + 4, size - 2);
    at_ += 2 + size;
    TERN_TRY(Segment(marker, content, memory));
    // Who asks for the extents alone needs no scan.
    if (memory == nullptr && has_frame_) return OkStatus();
  }
  if (!has_frame_ || image_.components[0].coefficients == nullptr)
    return JpegDamaged("it has no image");
  // As libjpeg guesses it: what JFIF says, what Adobe says, or the names of the components.
  const auto& parts = image_.components;
  image_.is_rgb = !is_jfif_ && (transform_ >= 0 ? transform_ == 0
                                                : parts[0].id == 'R' && parts[1].id == 'G' &&
                                                      parts[2].id == 'B');
  return OkStatus();
}

}  // namespace

Result<Extent> ReadJpegExtent(Bytes bytes) {
  JpegDecoder decoder(bytes);
  TERN_TRY(decoder.Run(nullptr));
  return decoder.image().extent;
}

Status DecodeJpeg(Bytes bytes, Memory* memory, uint8_t* rgb) {
  JpegDecoder decoder(bytes);
  TERN_TRY(decoder.Run(memory));
  JpegImage image = decoder.image();
  for (int c = 0; c < image.count; ++c)
    MakeSamples(image, &image.components[static_cast<size_t>(c)]);
  return MakePixels(image, memory, rgb);
}

}  // namespace tern::images
