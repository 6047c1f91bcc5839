// SPDX-License-Identifier: Apache-2.0
// Operands and instructions to words and back (encoding.h has the layout). Decoding is strict: it
// never trusts the words, and it refuses a second spelling of an instruction, so that equal
// programs have equal bytes.
#include "core/vm/encoding.h"

#include <algorithm>

#include "core/base/check.h"

namespace tern::vm {
namespace {

// The short form's numbers. The two highest short registers stand for void and the machine, as the
// two highest long ones do.
constexpr uint64_t kValueMask = (uint64_t{1} << kValueBits) - 1;
constexpr int kShortBits = 14;
constexpr uint16_t kShortMask = (1u << kShortBits) - 1;
constexpr int64_t kMaxShortImmediate = (1 << (kShortBits - 1)) - 1;
constexpr uint16_t kShortVoid = kShortMask;
constexpr uint16_t kShortVm = kShortMask - 1;
constexpr size_t kHeaderShorts = 3;
constexpr uint64_t kLongCount = 255;

// The value's 14 bits, or nothing where they are not enough.
std::optional<uint16_t> ShortValue(const Operand& operand) {
  const int64_t value = operand.value;
  switch (operand.kind) {
    case OperandKind::kRegister:
      if (operand.is_void()) return kShortVoid;
      if (operand.is_vm()) return kShortVm;
      if (value < kShortVm) return static_cast<uint16_t>(value);
      return std::nullopt;
    case OperandKind::kImmediate:
      if (value < -kMaxShortImmediate - 1 || value > kMaxShortImmediate) return std::nullopt;
      return static_cast<uint16_t>(value) & kShortMask;
    case OperandKind::kConstant:
      if (value <= kShortMask) return static_cast<uint16_t>(value);
      return std::nullopt;
    case OperandKind::kFunction:
      if (value < kShortMask) return static_cast<uint16_t>(value);  // 0xffff is kLongForm
      return std::nullopt;
  }
  return std::nullopt;
}

Operand DecodeShort(uint16_t bits) {
  const auto kind = static_cast<OperandKind>(bits >> kShortBits);
  const uint16_t value = bits & kShortMask;
  if (kind == OperandKind::kRegister && value == kShortVoid) return Operand::Void();
  if (kind == OperandKind::kRegister && value == kShortVm) return Operand::Vm();
  // The upper half of the 14 bits are negative numbers (two's complement).
  if (kind == OperandKind::kImmediate && value > kMaxShortImmediate) {
    return Operand::Immediate(int64_t{value} - (int64_t{1} << kShortBits));
  }
  return {kind, value};
}

// Walks the words of one instruction. `next_` is the next word of shorts, `long_` the next long
// operand, which lie behind all shorts.
class Decoder {
 public:
  Decoder(std::span<const uint64_t> words, Instruction* out) : words_(words), out_(out) {}

  const char* Run() {
    if (words_.empty()) return "an instruction has no words";
    out_->info = FindInstruction(static_cast<uint8_t>(words_[0] >> 56));
    if (out_->info == nullptr) return "unknown opcode";
    next_ = 1;
    if (!ReadCount()) return "its operand count is malformed";
    // Three shorts are in word 0, the others four to a word.
    const size_t short_words = count_ <= kHeaderShorts ? 0 : (count_ - kHeaderShorts + 3) / 4;
    // Checked before operands are allocated: the count is bounded by the words that exist.
    if (short_words > words_.size() - next_) return "its operands run past its last word";
    long_ = next_ + short_words;
    out_->operands.resize(count_);
    // The lower 48 bits of word 0.
    const char* error = ReadShorts(words_[0] & ((uint64_t{1} << 48) - 1), kHeaderShorts);
    for (size_t i = 0; i < short_words && error == nullptr; ++i)
      error = ReadShorts(words_[next_ + i], 4);
    // Every long operand was used, or there are words that nobody reads.
    if (error == nullptr && long_ != words_.size())
      return "words are left over behind its operands";
    return error;
  }

 private:
  bool ReadCount() {
    count_ = words_[0] >> 48 & 0xff;
    if (count_ < kLongCount) return true;
    if (words_.size() < 2) return false;
    const Operand count = DecodeOperand(words_[1]);
    next_ = 2;
    // The kind is looked at after DecodeOperand, which takes any word.
    if (words_[1] >> 56 != static_cast<uint8_t>(OperandKind::kImmediate)) return false;
    // Every operand takes at least 16 bits, so the words bound the count.
    if (count.value < static_cast<int64_t>(kLongCount) ||
        count.value > static_cast<int64_t>(words_.size()) * 4) {
      return false;
    }
    count_ = static_cast<size_t>(count.value);
    return true;
  }

  // Reads up to `capacity` operands from one word; what is left of the word must be zero.
  const char* ReadShorts(uint64_t word, size_t capacity) {
    const size_t here = std::min(capacity, count_ - filled_);
    for (size_t i = 0; i < here; ++i, word >>= 16) {
      const auto bits = static_cast<uint16_t>(word);
      Operand& operand = out_->operands[filled_ + i];
      if (bits != kLongForm) {
        operand = DecodeShort(bits);
      } else if (const char* error = ReadLong(&operand)) {
        return error;
      }
    }
    filled_ += here;
    return here < capacity && word != 0 ? "an unused operand is not zero" : nullptr;
  }

  const char* ReadLong(Operand* operand) {
    if (long_ >= words_.size()) return "a long operand is missing";
    const uint64_t word = words_[long_++];
    if (word >> 56 > static_cast<uint8_t>(OperandKind::kFunction))
      return "an operand has an unknown kind";
    *operand = DecodeOperand(word);
    // What fits a short must be in one: there is one encoding of every instruction.
    return ShortForm(*operand) != kLongForm ? "an operand is longer than it need be" : nullptr;
  }

  std::span<const uint64_t> words_;
  Instruction* out_;
  size_t count_ = 0;
  size_t filled_ = 0;
  size_t next_ = 0;
  size_t long_ = 0;
};

// Most instructions are one word with up to three short operands. False: the Decoder takes over,
// which also says what is wrong.
bool DecodeOneWord(uint64_t word, Instruction* out) {
  const size_t count = word >> 48 & 0xff;
  out->info = FindInstruction(static_cast<uint8_t>(word >> 56));
  if (count > kHeaderShorts || out->info == nullptr) return false;
  uint64_t shorts = word & ((uint64_t{1} << 48) - 1);
  out->operands.resize(count);
  for (Operand& operand : out->operands) {
    const auto bits = static_cast<uint16_t>(shorts);  // kind 0, a register, is in no high bit
    if (bits == kLongForm) return false;
    operand = bits < kShortVm ? Operand::Register(bits) : DecodeShort(bits);
    shorts >>= 16;
  }
  return shorts == 0;
}

}  // namespace

std::optional<DType> DTypeFromImmediate(int64_t value) {
  if (value < 0 || value > 0xffffffff) return std::nullopt;
  // lanes - 1 is stored, so 65535 + 1 does not fit.
  const auto lanes = static_cast<uint32_t>(value >> 16) + 1;
  if (lanes > 0xffff) return std::nullopt;
  const DType dtype(static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value),
                    static_cast<uint16_t>(lanes));
  if (!dtype.IsKnown()) return std::nullopt;
  return dtype;
}

uint64_t EncodeOperand(const Operand& operand) {
  return static_cast<uint64_t>(operand.kind) << kValueBits |
         (static_cast<uint64_t>(operand.value) & kValueMask);
}

Operand DecodeOperand(uint64_t word) {
  const auto kind = static_cast<OperandKind>(word >> kValueBits);
  auto value = static_cast<int64_t>(word & kValueMask);
  // Sign extension of 56 bits.
  if (kind == OperandKind::kImmediate && value > kMaxImmediate) value -= int64_t{1} << kValueBits;
  return {kind, value};
}

uint16_t ShortForm(const Operand& operand) {
  const std::optional<uint16_t> value = ShortValue(operand);
  if (!value.has_value()) return kLongForm;
  return static_cast<uint16_t>(static_cast<unsigned>(operand.kind) << kShortBits | *value);
}

void EncodeInstruction(Opcode opcode, std::span<const Operand> operands,
                       std::vector<uint64_t>* words) {
  // The word's index, since push_back may move the words.
  const size_t header = words->size();
  const uint64_t count = operands.size() < kLongCount ? operands.size() : kLongCount;
  words->push_back(uint64_t{static_cast<uint8_t>(opcode)} << 56 | count << 48);
  if (count == kLongCount)
    words->push_back(EncodeOperand(Operand::Immediate(static_cast<int64_t>(operands.size()))));
  for (size_t i = 0; i < operands.size(); ++i) {
    const uint64_t bits = ShortForm(operands[i]);
    if (i < kHeaderShorts) {
      (*words)[header] |= bits << (16 * i);
      continue;
    }
    const size_t slot = (i - kHeaderShorts) % 4;
    // A new word begins with every fourth short.
    if (slot == 0) words->push_back(0);
    words->back() |= bits << (16 * slot);
  }
  // Long operands follow all shorts, in order; nothing else says which they belong to.
  for (const Operand& operand : operands) {
    TERN_CHECK(!operand.is_immediate() || FitsImmediate(operand.value));
    if (ShortForm(operand) == kLongForm) words->push_back(EncodeOperand(operand));
  }
}

const char* DecodeInstruction(std::span<const uint64_t> words, Instruction* instruction) {
  // The fast way serves the linker, which decodes each instruction once, and tools.
  if (words.size() == 1 && DecodeOneWord(words[0], instruction)) return nullptr;
  return Decoder(words, instruction).Run();
}

}  // namespace tern::vm
