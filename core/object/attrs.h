// SPDX-License-Identifier: Apache-2.0
// Attrs: the attributes of an operator instance, an ordered list key → text, as written in a
// primitive's name:
//
//   conv2d{strides=2,2 pads=1,1,1,1 activation=relu}
//
// A value is an integer, a float, an identifier, or a comma list of them: no spaces, no '=', '{' or
// '}'. Keys are identifiers. Canonical text has keys in the operator's own order, defaults left
// out, one space between.
#ifndef TERN_CORE_OBJECT_ATTRS_H_
#define TERN_CORE_OBJECT_ATTRS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tern {

class Attrs {
 public:
  using Entry = std::pair<std::string, std::string>;

  // "strides=2,2 pads=1,1" (no braces). Errors: bad key, empty or bad value, a key twice.
  static Result<Attrs> Parse(std::string_view text);
  // "strides=2,2 pads=1,1".
  std::string ToText() const;

  bool empty() const { return entries_.empty(); }
  std::span<const Entry> entries() const { return entries_; }
  // The text of the value, or null.
  const std::string* Find(std::string_view key) const;
  bool Has(std::string_view key) const { return Find(key) != nullptr; }

  // The value, or the default where the key is absent or the text is of another kind (use
  // AttrReader to report).
  int64_t GetInt(std::string_view key, int64_t fallback) const;
  double GetFloat(std::string_view key, double fallback) const;
  std::string GetString(std::string_view key, std::string_view fallback) const;
  std::vector<int64_t> GetInts(std::string_view key, std::vector<int64_t> fallback) const;

  // Set an existing key in place, or append. Text must be a legal value.
  void SetInt(std::string_view key, int64_t value);
  void SetFloat(std::string_view key, double value);   // shortest text of the double
  void SetFloat32(std::string_view key, float value);  // shortest text of the float
  void SetString(std::string_view key, std::string_view value);
  void SetInts(std::string_view key, std::span<const int64_t> values);
  void SetFloats(std::string_view key, std::span<const float> values);
  void Remove(std::string_view key);

  friend bool operator==(const Attrs&, const Attrs&) = default;

 private:
  void Set(std::string_view key, std::string value);

  std::vector<Entry> entries_;
};

// "conv2d{strides=2,2}" → {"conv2d", attrs}; "relu" → {"relu", {}}.
struct PrimitiveName {
  std::string op;
  Attrs attrs;
};
Result<PrimitiveName> ParsePrimitiveName(std::string_view name);
// "conv2d{strides=2,2}", or "relu" where there are no attributes.
std::string MakePrimitiveName(std::string_view op, const Attrs& attrs);

// Sticky reader: the first wrong type is kept, and Finish() also reports keys that nobody asked
// for.
//
//   AttrReader reader("conv2d", attrs);
//   result.strides = reader.Ints("strides", {1, 1});
//   TERN_TRY(reader.Finish());
class AttrReader {
 public:
  // Both must outlive the reader.
  AttrReader(std::string_view op, const Attrs& attrs) : op_(op), attrs_(attrs) {}

  bool Has(std::string_view key) const { return attrs_.Has(key); }
  int64_t Int(std::string_view key, int64_t fallback);
  bool Bool(std::string_view key, bool fallback);  // 0, 1, false, true
  double Float(std::string_view key, double fallback);
  std::string String(std::string_view key, std::string_view fallback);
  std::vector<int64_t> Ints(std::string_view key, std::vector<int64_t> fallback);
  std::vector<float> Floats(std::string_view key, std::vector<float> fallback);
  // One of `names`; gives its index.
  int Choice(std::string_view key, std::span<const std::string_view> names, int fallback);
  int Choice(std::string_view key, std::initializer_list<std::string_view> names, int fallback) {
    return Choice(key, std::span(names.begin(), names.size()), fallback);
  }
  // Keeps the first error: "conv2d: attribute 'strides': message".
  void Fail(std::string_view key, std::string_view message);

  bool ok() const { return status_.ok(); }
  Status Finish();

 private:
  const std::string* Take(std::string_view key);

  std::string_view op_;
  const Attrs& attrs_;
  std::vector<std::string> known_;
  Status status_;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_ATTRS_H_
