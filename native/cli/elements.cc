// SPDX-License-Identifier: Apache-2.0
// Fills arrays from lists and generators. The one rule: an array holds what the text says, or there
// is an error (elements.h).
#include "native/cli/elements.h"

#include <string.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/base/strings.h"

namespace tern::cli {
namespace {

size_t CountOf(const Array& array) { return array.bytes.size() / ElementSize(array.dtype); }

// --- integers

struct IntegerRange {
  int64_t low;
  uint64_t high;
};

// The values that an integer dtype holds; nothing for floats.
std::optional<IntegerRange> RangeOf(std::string_view dtype) {
  if (dtype == "bool") return IntegerRange{0, 1};
  const bool is_signed = dtype.starts_with('i');
  if (!is_signed && !dtype.starts_with('u')) return std::nullopt;
  const auto bits = static_cast<unsigned>(8 * ElementSize(dtype));
  // A shift by 64 - bits works for all widths, because bits is at least 8.
  const uint64_t all = UINT64_MAX >> (64 - bits);
  if (!is_signed) return IntegerRange{0, all};
  return IntegerRange{-static_cast<int64_t>(all / 2) - 1, all / 2};
}

// An integer of 65 bits, sign apart, because neither i64 nor u64 holds both.
struct Whole {
  bool is_negative;
  uint64_t bits;  // two's complement

  bool Fits(const IntegerRange& range) const {
    return is_negative ? static_cast<int64_t>(bits) >= range.low : bits <= range.high;
  }
};

constexpr double kExactDouble = 9007199254740992.0;  // 2^53: below, doubles are exact integers

// Reads "7", "-7", "7.0" and "7e3", but not "7.5". Integers are read as such first: a double has 53
// bits. Doubles above 2^53 are refused, because the text may have meant a neighbour.
std::optional<Whole> ParseWhole(std::string_view text) {
  if (const std::optional<int64_t> value = ParseInt64(text))
    return Whole{*value < 0, static_cast<uint64_t>(*value)};
  if (const std::optional<uint64_t> value = ParseUint64(text)) return Whole{false, *value};
  const std::optional<double> value = ParseDouble(text);
  if (!value || std::trunc(*value) != *value || std::fabs(*value) > kExactDouble)
    return std::nullopt;
  return Whole{*value < 0, static_cast<uint64_t>(static_cast<int64_t>(*value))};
}

// The low bytes of two's complement are the value in every width; the caller has checked that it
// fits.
void StoreWhole(Array* array, size_t i, uint64_t bits) {
  const size_t size = ElementSize(array->dtype);
  memcpy(array->bytes.data() + i * size, &bits, size);
}

Status OutsideOf(std::string_view text, std::string_view dtype, const IntegerRange& range) {
  return InvalidArgument("'", text, "' is outside of ", dtype, ", which holds ", range.low, " to ",
                         range.high);
}

Status SetInteger(Array* array, size_t i, std::string_view text, const IntegerRange& range) {
  if (array->dtype == "bool" && text == "true") return StoreWhole(array, i, 1), Status();
  if (array->dtype == "bool" && text == "false") return Status();
  // Read as a number first, so that the message can tell "no number" from "no integer" and
  // "outside".
  const std::optional<double> value = ParseDouble(text);
  if (!value) return InvalidArgument("'", text, "' is not a number");
  if (std::trunc(*value) != *value)
    return InvalidArgument("'", text, "' is no integer; ", array->dtype, " holds only those");
  const std::optional<Whole> whole = ParseWhole(text);
  if (!whole || !whole->Fits(range)) return OutsideOf(text, array->dtype, range);
  StoreWhole(array, i, whole->bits);
  return Status();
}

// --- lists

// A list in brackets, read against the shape that it must have. It keeps a stack of counts and no
// tree, so that long lists need no memory, and errors name the axis.
class NestedList {
 public:
  NestedList(std::string_view text, Array* array) : text_(text), array_(array) {}

  Status Fill() {
    while (Skip(), at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '[')
        TERN_TRY(Open());
      else if (c == ']')
        TERN_TRY(Close());
      else if (c == ',')
        TERN_TRY(Comma());
      else
        TERN_TRY(Element());
    }
    if (!counts_.empty()) return Wrong("it has no ']' at its end");
    return is_done_ ? Status() : Wrong("it is empty");
  }

 private:
  Status Wrong(std::string_view what) const {
    return InvalidArgument("the list does not nest as ", TypeText(array_->dtype, array_->shape),
                           " does: ", what);
  }
  Status WrongCount(size_t axis, std::string_view got) const {
    return Wrong(
        StrCat("along axis ", axis, " expected ", array_->shape[axis], " items, got ", got));
  }

  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  // Begins an item of the innermost open list, or the list itself; counts it against its axis.
  Status Begin() {
    if (is_done_) return Wrong("it goes on after its last ']'");
    if (after_item_) return Wrong("there is no comma between two items");
    after_item_ = false;
    if (counts_.empty()) return Status();
    const size_t axis = counts_.size() - 1;
    if (counts_.back()++ < array_->shape[axis]) return Status();
    return WrongCount(axis, "more");
  }

  Status Open() {
    TERN_TRY(Begin());
    if (counts_.size() == array_->shape.size()) return Wrong("it is nested deeper");
    counts_.push_back(0);
    after_comma_ = false;
    ++at_;
    return Status();
  }

  Status Close() {
    if (counts_.empty()) return Wrong("it has one ']' too many");
    if (after_comma_) return Wrong("there is no item after a comma");
    const size_t axis = counts_.size() - 1;
    if (counts_.back() != array_->shape[axis]) return WrongCount(axis, StrCat(counts_.back()));
    counts_.pop_back();
    is_done_ = counts_.empty();
    after_item_ = true;
    ++at_;
    return Status();
  }

  Status Comma() {
    if (!after_item_ || counts_.empty()) return Wrong("there is no item before a comma");
    after_item_ = false;
    after_comma_ = true;
    ++at_;
    return Status();
  }

  Status Element() {
    // Depth is checked after the count, so that an item too many is reported as such.
    TERN_TRY(Begin());
    const size_t end = std::min(text_.find_first_of(",[] ", at_), text_.size());
    if (counts_.size() != array_->shape.size()) return Wrong("it is not nested as deep");
    TERN_TRY(SetElementText(array_, index_++, text_.substr(at_, end - at_)));
    after_item_ = true;
    after_comma_ = false;
    at_ = end;
    return Status();
  }

  std::string_view text_;
  Array* array_;
  size_t at_ = 0;
  size_t index_ = 0;             // of the next element
  std::vector<int64_t> counts_;  // items so far of each list that is open
  bool after_item_ = false, after_comma_ = false, is_done_ = false;
};

// --- generators

// The numbers of random(): the linear congruential generator of W. Press et al., "Numerical
// Recipes" (modulus 2^32), which model folders use too (docs/models.md). Results depend on it, so
// it must never change.
class Lcg {
 public:
  explicit Lcg(uint32_t seed) : state_(seed) {}
  double Uniform() {
    state_ = state_ * 1664525u + 1013904223u;
    // The upper 24 bits, because the lower bits of such a generator have short periods; 24 bits are
    // exact in f32.
    return static_cast<double>(state_ >> 8) / 16777216.0;
  }
  // The method of G. Box and M. Muller (1958), with the cosine alone, so that each number takes two
  // draws wherever it stands. 1 - Uniform() is never 0, whose logarithm is infinite.
  double Normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * Uniform());
  }

 private:
  uint32_t state_;
};

// "name(a,b)" becomes {"name", {"a", "b"}}; without parentheses there are no arguments.
struct Invocation {
  std::string_view name;
  std::vector<std::string_view> args;
};

std::optional<Invocation> ParseInvocation(std::string_view text) {
  const size_t open = text.find('(');
  if (open == std::string_view::npos) return Invocation{text, {}};
  if (!text.ends_with(')')) return std::nullopt;
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  Invocation call{text.substr(0, open), {}};
  if (!inside.empty()) call.args = StrSplit(inside, ',');
  return call;
}

struct RandomOptions {
  uint32_t seed = 0;
  bool is_normal = false;
  std::optional<double> low, high;
};

bool SetRandomOption(std::string_view arg, RandomOptions* options) {
  if (arg == "normal" || arg == "uniform") {
    options->is_normal = arg == "normal";
    return true;
  }
  const size_t equals = arg.find('=');
  const bool has_key = equals != std::string_view::npos;
  // Numbers without a key are low, then high.
  const std::string_view key = has_key ? arg.substr(0, equals) : options->low ? "high" : "low";
  const std::optional<double> value = ParseDouble(has_key ? arg.substr(equals + 1) : arg);
  if (!value || !std::isfinite(*value)) return false;
  if (key == "seed") {
    if (*value < 0 || *value > 4294967295.0 || std::trunc(*value) != *value) return false;
    options->seed = static_cast<uint32_t>(*value);
    return true;
  }
  std::optional<double>* const end = key == "low"    ? &options->low
                                     : key == "high" ? &options->high
                                                     : nullptr;
  // Each end may be given once.
  if (end == nullptr || end->has_value()) return false;
  *end = value;
  return true;
}

Result<RandomOptions> ParseRandom(const Invocation& call) {
  RandomOptions options;
  for (const std::string_view arg : call.args) {
    if (!SetRandomOption(StrTrim(arg), &options))
      return InvalidArgument(
          "random() takes low and high, as in random(0,1000), seed=N, low=X, "
          "high=X, normal or uniform, each once, not '",
          StrTrim(arg), "'");
  }
  if (options.is_normal && (options.low || options.high))
    return InvalidArgument("normal has mean 0 and deviation 1 and takes no low or high");
  return options;
}

// The size of the range of integers that were asked for without one.
constexpr double kRandomIntegers = 100;

Status FillRandomIntegers(const RandomOptions& options, const IntegerRange& range, Array* array) {
  if (options.is_normal)
    return InvalidArgument("normal gives no integers; ", array->dtype, " takes random(0,1000)");
  const double low = options.low.value_or(0);
  const double high = options.high.value_or(array->dtype == "bool" ? 2 : low + kRandomIntegers);
  if (std::trunc(low) != low || std::trunc(high) != high)
    return InvalidArgument("random() of ", array->dtype, " takes integers as low and high");
  if (low >= high)
    return InvalidArgument("random() gives integers from low up to below high; low ", low,
                           " is not below high ", high);
  // Both ends have to fit, so that no element in between can fail.
  for (const double end : {low, high - 1}) {
    const std::string text = StrCat(end);
    const std::optional<Whole> whole = ParseWhole(text);
    if (!whole || !whole->Fits(range)) return OutsideOf(text, array->dtype, range);
  }
  Lcg lcg(options.seed);
  for (size_t i = 0, count = CountOf(*array); i < count; ++i) {
    const double value = low + std::floor((high - low) * lcg.Uniform());
    // low + floor(width * u) and not floor(low + width * u), so that rounding cannot reach high.
    StoreWhole(array, i, static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
  return Status();
}

Status FillRandom(const Invocation& call, Array* array) {
  TERN_TRY_ASSIGN(const RandomOptions options, ParseRandom(call));
  if (const auto range = RangeOf(array->dtype)) return FillRandomIntegers(options, *range, array);
  const double low = options.low.value_or(0), high = options.high.value_or(1);
  if (low > high) return InvalidArgument("random(): low ", low, " is above high ", high);
  Lcg lcg(options.seed);
  const ElementStore store = StoreOf(array->dtype);
  for (size_t i = 0, count = CountOf(*array); i < count; ++i)
    store(array, i, options.is_normal ? lcg.Normal() : low + (high - low) * lcg.Uniform());
  return Status();
}

Status FillConstant(std::string_view text, Array* array) {
  const size_t size = ElementSize(array->dtype);
  // The text is checked once, and its bytes are repeated.
  Array one{array->dtype, {}, std::vector<uint8_t>(size)};
  TERN_TRY(SetElementText(&one, 0, text));
  for (size_t i = 0, count = CountOf(*array); i < count; ++i)
    memcpy(array->bytes.data() + i * size, one.bytes.data(), size);
  return Status();
}

Status FillAscending(Array* array) {
  const size_t count = CountOf(*array);
  const std::optional<IntegerRange> range = RangeOf(array->dtype);
  // The count is known before anything is written: the last element is the largest.
  if (range && count > 0 && count - 1 > range->high)
    return OutsideOf(StrCat(count - 1), array->dtype, *range);
  const ElementStore store = StoreOf(array->dtype);
  for (size_t i = 0; i < count; ++i) {
    if (range)
      StoreWhole(array, i, i);
    else
      store(array, i, static_cast<double>(i));
  }
  return Status();
}

}  // namespace

Status SetElementText(Array* array, size_t i, std::string_view text) {
  if (const auto range = RangeOf(array->dtype)) return SetInteger(array, i, text, *range);
  const std::optional<double> value = ParseDouble(text);
  if (!value) return InvalidArgument("'", text, "' is not a number");
  SetElement(array, i, *value);
  // A finite number that became infinite was too large for the float type; "inf" itself is allowed.
  if (std::isfinite(*value) && !std::isfinite(ElementAsDouble(*array, i)))
    return InvalidArgument("'", text, "' is too large for ", array->dtype);
  return Status();
}

Status FillList(std::string_view list, Array* array) {
  if (list.find_first_of("[]") != std::string_view::npos) return NestedList(list, array).Fill();
  const std::vector<std::string_view> parts =
      // Splitting an empty text would give one empty part, but an empty array has no elements.
      StrTrim(list).empty() ? std::vector<std::string_view>() : StrSplit(list, ',');
  const size_t count = CountOf(*array);
  if (parts.size() != count)
    return InvalidArgument(TypeText(array->dtype, array->shape), " has ", count,
                           " elements, the list has ", parts.size());
  for (size_t i = 0; i < count; ++i) TERN_TRY(SetElementText(array, i, StrTrim(parts[i])));
  return Status();
}

// Unknown names are no error here: the caller reads the text as a list, and reports that.
Status FillGenerated(std::string_view generator, Array* array, bool* known) {
  const std::optional<Invocation> call = ParseInvocation(generator);
  *known = call.has_value();
  if (!call) return Status();
  if (call->name == "random") return FillRandom(*call, array);
  if (call->name == "const" && call->args.size() == 1)
    return FillConstant(StrTrim(call->args[0]), array);
  if (call->args.empty()) {
    if (call->name == "zeros") return Status();  // as it was allocated
    if (call->name == "ones") return FillConstant("1", array);
    if (call->name == "arange") return FillAscending(array);
  }
  *known = false;
  return Status();
}

}  // namespace tern::cli
