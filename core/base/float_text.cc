// SPDX-License-Identifier: Apache-2.0
// Floats to text and back, exactly, by big integers.
//
// Printing: Steele and White's free-format algorithm as given by Dybvig and Burger (1996): digits
// of value = r/s are produced until what is left lies within half a unit in the last place on
// either side (m_minus, m_plus). Parsing: the decimal is a ratio of big integers, divided bit by
// bit, with a short cut where a single exact floating operation gives the answer. Both are plain
// and small rather than fast: about a microsecond.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/strings.h"

namespace tern {
namespace {

// An unsigned integer of up to kWords * 32 bits. Operations assume room: see the bounds at their
// users.
class BigInteger {
 public:
  static constexpr int kWords = 144;

  BigInteger() = default;
  explicit BigInteger(uint64_t value) {
    while (value != 0) {
      words_[size_++] = static_cast<uint32_t>(value);
      value >>= 32;
    }
  }

  // Schoolbook multiplication by one word; every longer operation is made of it.
  void MultiplyAdd(uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (int i = 0; i < size_; ++i) {
      carry += uint64_t{words_[i]} * factor;
      words_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words_[size_++] = static_cast<uint32_t>(carry);
  }
  void MultiplyPowerOfTen(int exponent) {
    for (; exponent >= 9; exponent -= 9) MultiplyAdd(1000000000, 0);
    for (; exponent > 0; --exponent) MultiplyAdd(10, 0);
  }
  void ShiftLeft(int bits) {
    if (size_ == 0) return;
    const int whole = bits / 32;
    std::memmove(words_ + whole, words_, static_cast<size_t>(size_) * sizeof *words_);
    std::memset(words_, 0, static_cast<size_t>(whole) * sizeof *words_);
    size_ += whole;
    if (bits % 32 != 0) MultiplyAdd(1u << (bits % 32), 0);
  }
  void Add(const BigInteger& other) {
    uint64_t carry = 0;
    for (int i = 0; i < other.size_ || i < size_ || carry != 0; ++i) {
      if (i >= size_) words_[size_++] = 0;
      carry += uint64_t{words_[i]} + (i < other.size_ ? other.words_[i] : 0);
      words_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  // other <= *this.
  void Subtract(const BigInteger& other) {
    int64_t borrow = 0;
    for (int i = 0; i < size_; ++i) {
      borrow += int64_t{words_[i]} - (i < other.size_ ? other.words_[i] : 0);
      words_[i] = static_cast<uint32_t>(borrow);
      borrow >>= 32;
    }
    while (size_ > 0 && words_[size_ - 1] == 0) --size_;
  }
  int BitLength() const { return size_ == 0 ? 0 : 32 * size_ - __builtin_clz(words_[size_ - 1]); }
  // Negative, zero, positive.
  static int Compare(const BigInteger& a, const BigInteger& b) {
    if (a.size_ != b.size_) return a.size_ - b.size_;
    for (int i = a.size_ - 1; i >= 0; --i) {
      if (a.words_[i] != b.words_[i]) return a.words_[i] < b.words_[i] ? -1 : 1;
    }
    return 0;
  }
  // The quotient, known to be <= 9; *this becomes the remainder. Repeated subtraction takes at most
  // nine rounds and spares the division of long numbers.
  int DivideDigit(const BigInteger& divisor) {
    int digit = 0;
    for (; Compare(*this, divisor) >= 0; ++digit) Subtract(divisor);
    return digit;
  }

 private:
  uint32_t words_[kWords];
  int size_ = 0;
};

// What the algorithms need to know about float and double.
struct Format {
  int precision;     // bits of the mantissa, the hidden one included
  int min_exponent;  // of the smallest normal number, as 2^e
  int max_exponent;
};
constexpr Format kFloatFormat{24, -126, 127};
constexpr Format kDoubleFormat{53, -1022, 1023};

// value = mantissa * 2^exponent, mantissa > 0.
struct Parts {
  uint64_t mantissa;
  int exponent;
};

// A field of 0 is a subnormal: no hidden bit, and the exponent of the smallest normal number.
Parts Decompose(uint64_t bits, const Format& format) {
  const int stored = format.precision - 1;
  const uint64_t mantissa = bits & ((uint64_t{1} << stored) - 1);
  const int field = static_cast<int>(bits >> stored);
  if (field == 0) return {mantissa, format.min_exponent - stored};
  return {mantissa | uint64_t{1} << stored, field - 1 + format.min_exponent - stored};
}

// 0.d1d2d3… * 10^exponent.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

// The value is r / s. Half the distance to the next number above it is m_plus / s, and to the next
// one below it m_minus / s.
struct Ratio {
  BigInteger r, s, m_plus, m_minus;
};

Ratio MakeRatio(const Parts& parts, const Format& format) {
  // Below a power of two the next smaller number is only half as far away.
  const bool lopsided = parts.mantissa == uint64_t{1} << (format.precision - 1) &&
                        parts.exponent > format.min_exponent - (format.precision - 1);
  const int extra = lopsided ? 2 : 1;
  const int up = std::max(parts.exponent, 0);
  Ratio ratio{BigInteger(parts.mantissa), BigInteger(1), BigInteger(1), BigInteger(1)};
  ratio.r.ShiftLeft(up + extra);
  ratio.s.ShiftLeft(std::max(-parts.exponent, 0) + extra);
  ratio.m_plus.ShiftLeft(up + extra - 1);
  ratio.m_minus.ShiftLeft(up);
  return ratio;
}

// Scales so that r/s is in [1/10, 1) and the first digit is that of 10 r/s; returns the decimal
// exponent.
int Scale(const Parts& parts, Ratio* ratio, bool even, bool shortest) {
  // The estimate may be one too small, never too large: between powers of two the logarithm is
  // taken for a straight line, at most 0.09 below it, and the small amount that is subtracted
  // covers rounding. The comparison below corrects it. std::log2 would bring 2 KB of tables.
  const int bits = static_cast<int>(std::bit_width(parts.mantissa)) - 1;
  const double fraction =
      static_cast<double>(parts.mantissa) / static_cast<double>(uint64_t{1} << bits) - 1.0;
  const double log = (bits + fraction + parts.exponent) * 0.30102999566398120;
  int exponent = static_cast<int>(std::ceil(log - 1e-9));
  if (exponent >= 0) {
    ratio->s.MultiplyPowerOfTen(exponent);
  } else {
    for (BigInteger* n : {&ratio->r, &ratio->m_plus, &ratio->m_minus})
      n->MultiplyPowerOfTen(-exponent);
  }
  BigInteger high = ratio->r;
  if (shortest) high.Add(ratio->m_plus);
  const int order = BigInteger::Compare(high, ratio->s);
  if (order > 0 || (order == 0 && (even || !shortest))) {
    ratio->s.MultiplyAdd(10, 0);
    ++exponent;
  }
  return exponent;
}

// A carry through nines; all nines become a 1 and one more digit before the point.
void RoundUp(Decimal* decimal) {
  size_t i = decimal->digits.size();
  while (i > 0 && decimal->digits[i - 1] == '9') decimal->digits[--i] = '0';
  if (i > 0) {
    ++decimal->digits[i - 1];
  } else {
    decimal->digits.insert(0, "1");
    ++decimal->exponent;
  }
}

Decimal ShortestDigits(const Parts& parts, const Format& format) {
  const bool even = parts.mantissa % 2 == 0;
  Ratio ratio = MakeRatio(parts, format);
  Decimal decimal;
  decimal.exponent = Scale(parts, &ratio, even, /*shortest=*/true);
  // Stops at the first digit whose remainder cannot be told from the value (low) or from the next
  // decimal (up). Ties count if the mantissa is even, because reading rounds ties to even.
  for (;;) {
    for (BigInteger* n : {&ratio.r, &ratio.m_plus, &ratio.m_minus}) n->MultiplyAdd(10, 0);
    decimal.digits += static_cast<char>('0' + ratio.r.DivideDigit(ratio.s));
    const int low_order = BigInteger::Compare(ratio.r, ratio.m_minus);
    BigInteger high = ratio.r;
    high.Add(ratio.m_plus);
    const int high_order = BigInteger::Compare(high, ratio.s);
    const bool low = low_order < 0 || (low_order == 0 && even);
    const bool up = high_order > 0 || (high_order == 0 && even);
    if (!low && !up) continue;
    ratio.r.MultiplyAdd(2, 0);
    if (up && (!low || BigInteger::Compare(ratio.r, ratio.s) >= 0)) RoundUp(&decimal);
    return decimal;
  }
}

Decimal FixedDigits(const Parts& parts, const Format& format, int count) {
  Ratio ratio = MakeRatio(parts, format);
  Decimal decimal;
  decimal.exponent = Scale(parts, &ratio, false, /*shortest=*/false);
  for (int i = 0; i < count; ++i) {
    ratio.r.MultiplyAdd(10, 0);
    decimal.digits += static_cast<char>('0' + ratio.r.DivideDigit(ratio.s));
  }
  ratio.r.MultiplyAdd(2, 0);
  const int order = BigInteger::Compare(ratio.r, ratio.s);
  if (order > 0 || (order == 0 && (decimal.digits.back() - '0') % 2 != 0)) RoundUp(&decimal);
  return decimal;
}

// Plain notation from 1e-5 up to 17 digits before the point; other magnitudes get an exponent.
std::string Layout(bool negative, Decimal decimal) {
  std::string& digits = decimal.digits;
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  const int size = static_cast<int>(digits.size());
  const int point = decimal.exponent;  // digits before the point
  std::string out = negative ? "-" : "";
  if (point > 17 || point < -4) {
    out += digits.substr(0, 1);
    if (size > 1) StrAppend(&out, ".", digits.substr(1));
    StrAppend(&out, point > 0 ? "e+" : "e", point - 1);
  } else if (point <= 0) {
    StrAppend(&out, "0.", std::string(static_cast<size_t>(-point), '0'), digits);
  } else if (point >= size) {
    StrAppend(&out, digits, std::string(static_cast<size_t>(point - size), '0'));
  } else {
    StrAppend(&out, digits.substr(0, static_cast<size_t>(point)), ".",
              digits.substr(static_cast<size_t>(point)));
  }
  return out;
}

// bits without the sign. digits 0: shortest.
std::string FormatBits(bool negative, uint64_t bits, const Format& format, int digits) {
  const uint64_t infinity = uint64_t(2 * format.max_exponent + 1) << (format.precision - 1);
  if (bits > infinity) return "nan";
  if (bits == infinity) return negative ? "-inf" : "inf";
  if (bits == 0) return negative ? "-0" : "0";
  const Parts parts = Decompose(bits, format);
  return Layout(negative,
                digits == 0 ? ShortestDigits(parts, format) : FixedDigits(parts, format, digits));
}

// --- parsing

// A number as read: digits * 10^exponent.
struct Scanned {
  bool negative = false;
  bool special = false;  // nan or inf, in `bits` of the double format
  uint64_t bits = 0;
  std::string digits;  // no leading zeros, at most kMaxDigits
  int exponent = 0;
};

// Digits past these cannot change the result but for being there, which a last 1 stands for.
constexpr size_t kMaxDigits = 780;
constexpr int kMaxExponent = 100000;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (Lower(text[i]) != lower[i]) return false;
  }
  return true;
}

bool ScanSpecial(std::string_view text, Scanned* out) {
  out->special = true;
  if (EqualsIgnoringCase(text, "nan")) {
    out->bits = 0x7FF8000000000000;
  } else if (EqualsIgnoringCase(text, "inf") || EqualsIgnoringCase(text, "infinity")) {
    out->bits = 0x7FF0000000000000;
  } else {
    return false;
  }
  return true;
}

// "e" and a signed integer, clamped.
bool ScanExponent(std::string_view text, int* exponent) {
  if (text.empty()) return true;
  if (Lower(text[0]) != 'e') return false;
  text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return false;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = std::min(value * 10 + (c - '0'), kMaxExponent);
  }
  *exponent += negative ? -value : value;
  return true;
}

// Leading zeros only move the point. Digits beyond kMaxDigits are dropped, but whether any was not
// zero decides ties.
void AddDigit(char c, bool after_point, bool* dropped, Scanned* out) {
  const bool leading = out->digits.empty() && c == '0';
  if (leading) {
    if (after_point && out->exponent > -kMaxExponent) --out->exponent;
  } else if (out->digits.size() < kMaxDigits) {
    out->digits += c;
    if (after_point) --out->exponent;
  } else {
    *dropped |= c != '0';
    if (!after_point && out->exponent < kMaxExponent) ++out->exponent;
  }
}

bool Scan(std::string_view text, Scanned* out) {
  out->negative = text.starts_with('-');
  if (out->negative || text.starts_with('+')) text.remove_prefix(1);
  size_t i = 0;
  bool any = false, point = false, dropped = false;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
    } else if (text[i] >= '0' && text[i] <= '9') {
      any = true;
      AddDigit(text[i], point, &dropped, out);
    } else {
      break;
    }
  }
  if (!any) return !point && ScanSpecial(text, out);
  if (dropped) {
    out->digits += '1';
    --out->exponent;
  }
  return ScanExponent(text.substr(i), &out->exponent);
}

// num/den in [1, 2) after this, and the value is num/den * 2^(result).
int Normalize(BigInteger* num, BigInteger* den) {
  int shift = num->BitLength() - den->BitLength();
  shift >= 0 ? den->ShiftLeft(shift) : num->ShiftLeft(-shift);
  if (BigInteger::Compare(*num, *den) < 0) {
    num->ShiftLeft(1);
    --shift;
  }
  return shift;
}

// The bits of the nearest number, ties to even, without a sign.
uint64_t Nearest(const Scanned& scanned, const Format& format) {
  const int size = static_cast<int>(scanned.digits.size());
  const uint64_t infinity = uint64_t(2 * format.max_exponent + 1) << (format.precision - 1);
  // Far outside of both formats, so the big integers keep to their size.
  if (size == 0 || scanned.exponent + size < -400) return 0;
  if (scanned.exponent + size > 400) return infinity;
  BigInteger num, den(1);
  for (const char c : scanned.digits) num.MultiplyAdd(10, static_cast<uint32_t>(c - '0'));
  num.MultiplyPowerOfTen(std::max(scanned.exponent, 0));
  den.MultiplyPowerOfTen(std::max(-scanned.exponent, 0));
  const int exponent = Normalize(&num, &den);
  if (exponent > format.max_exponent) return infinity;
  // Fewer bits below the normal range; none means that only rounding decides.
  const int bits = format.precision - std::max(format.min_exponent - exponent, 0);
  if (bits < 0) return 0;
  uint64_t mantissa = 0;
  // Long division, one bit of the mantissa per step.
  for (int i = 0; i < bits; ++i) {
    const bool one = BigInteger::Compare(num, den) >= 0;
    mantissa = mantissa << 1 | (one ? 1 : 0);
    if (one) num.Subtract(den);
    num.ShiftLeft(1);
  }
  const int order = BigInteger::Compare(num, den);
  if (order > 0 || (order == 0 && mantissa % 2 != 0)) ++mantissa;
  // Adding moves the hidden bit, and a carry out of the mantissa, into the exponent field.
  const int field = std::max(exponent - format.min_exponent, 0);
  return (uint64_t(field) << (format.precision - 1)) + mantissa;
}

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Where both operands are exact in T, one operation rounds correctly.
template <typename T>
std::optional<T> ShortCut(const Scanned& scanned, size_t max_digits, int max_power) {
  if (scanned.digits.size() > max_digits || std::abs(scanned.exponent) > max_power)
    return std::nullopt;
  uint64_t value = 0;
  for (const char c : scanned.digits) value = value * 10 + static_cast<uint64_t>(c - '0');
  const T power = static_cast<T>(kPowersOfTen[std::abs(scanned.exponent)]);
  const T magnitude =
      scanned.exponent < 0 ? static_cast<T>(value) / power : static_cast<T>(value) * power;
  return scanned.negative ? -magnitude : magnitude;
}

}  // namespace

std::string FormatDouble(double value) {
  const uint64_t bits = __builtin_bit_cast(uint64_t, value);
  return FormatBits(bits >> 63 != 0, bits & ~(uint64_t{1} << 63), kDoubleFormat, 0);
}

std::string FormatFloat(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  return FormatBits(bits >> 31 != 0, bits & 0x7FFFFFFFu, kFloatFormat, 0);
}

std::string FormatDoubleDigits(double value, int digits) {
  const uint64_t bits = __builtin_bit_cast(uint64_t, value);
  return FormatBits(bits >> 63 != 0, bits & ~(uint64_t{1} << 63), kDoubleFormat,
                    std::clamp(digits, 1, 17));
}

std::optional<double> ParseDouble(std::string_view text) {
  Scanned scanned;
  if (!Scan(text, &scanned)) return std::nullopt;
  if (!scanned.special) {
    if (std::optional<double> quick = ShortCut<double>(scanned, 15, 22)) return quick;
    scanned.bits = Nearest(scanned, kDoubleFormat);
  }
  return __builtin_bit_cast(double, scanned.bits | uint64_t{scanned.negative} << 63);
}

std::optional<float> ParseFloat(std::string_view text) {
  Scanned scanned;
  if (!Scan(text, &scanned)) return std::nullopt;
  if (scanned.special) {
    const float magnitude = static_cast<float>(__builtin_bit_cast(double, scanned.bits));
    return scanned.negative ? -magnitude : magnitude;
  }
  if (std::optional<float> quick = ShortCut<float>(scanned, 7, 10)) return quick;
  const auto bits = static_cast<uint32_t>(Nearest(scanned, kFloatFormat));
  return __builtin_bit_cast(float, bits | uint32_t{scanned.negative} << 31);
}

}  // namespace tern
