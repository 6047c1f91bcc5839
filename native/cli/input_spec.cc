// SPDX-License-Identifier: Apache-2.0
// Parsing of --input and --dim.
#include "native/cli/input_spec.h"

#include <string.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/base/strings.h"
#include "native/cli/npz.h"
#include "native/cli/report.h"
#include "native/platform/mapped_file.h"

namespace tern::cli {
namespace {

Status BadInput(std::string_view text, std::string_view why) {
  return UsageError("E0004", StrCat("cannot read --input '", text, "': ", why))
      .AddNote("help: try x=@x.npy, x=f32[2,3]:1,2,3,4,5,6, x=f32[2,3]:random(seed=1) or n=18");
}

// The numbers of random(): the linear congruential generator that model folders use too
// (docs/models.md).
class Lcg {
 public:
  explicit Lcg(uint32_t seed) : state_(seed) {}
  double Uniform() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<double>(state_ >> 8) / 16777216.0;
  }
  // Box-Muller.
  double Normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * Uniform());
  }

 private:
  uint32_t state_;
};

size_t Count(const Array& array) { return array.bytes.size() / ElementSize(array.dtype); }

// "name(a,b)" -> {"name", {"a", "b"}}; no parentheses is no arguments.
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

Status FillRandom(const Invocation& call, Array* array, std::string_view text) {
  uint32_t seed = 0;
  bool normal = false;
  double low = 0, high = 1;
  for (std::string_view arg : call.args) {
    arg = StrTrim(arg);
    const size_t equals = arg.find('=');
    const std::string_view key = arg.substr(0, equals);
    const std::optional<double> value =
        equals == std::string_view::npos ? std::nullopt : ParseDouble(arg.substr(equals + 1));
    if (arg == "normal" || arg == "uniform") {
      normal = arg == "normal";
    } else if (value && key == "seed" && *value >= 0 && *value <= 4294967295.0) {
      seed = static_cast<uint32_t>(*value);
    } else if (value && key == "low") {
      low = *value;
    } else if (value && key == "high") {
      high = *value;
    } else {
      return BadInput(
          text, StrCat("random() takes seed=N, low=X, high=X, normal or uniform, not '", arg, "'"));
    }
  }
  Lcg lcg(seed);
  for (size_t i = 0; i < Count(*array); ++i) {
    SetElement(array, i, normal ? lcg.Normal() : low + (high - low) * lcg.Uniform());
  }
  return Status();
}

// Fills the array by a generator; false in *known when the text names none.
Status FillGenerated(std::string_view generator, Array* array, std::string_view text, bool* known) {
  const std::optional<Invocation> call = ParseInvocation(generator);
  *known = call.has_value();
  if (!call) return Status();
  if (call->name == "random") return FillRandom(*call, array, text);
  std::optional<double> constant;
  if (call->name == "zeros") constant = 0;
  if (call->name == "ones") constant = 1;
  if (call->name == "const" && call->args.size() == 1) constant = ParseDouble(call->args[0]);
  *known = constant.has_value() || call->name == "arange";
  for (size_t i = 0; *known && i < Count(*array); ++i) {
    SetElement(array, i, constant ? *constant : static_cast<double>(i));
  }
  return Status();
}

std::optional<double> ParseElement(std::string_view text) {
  if (text == "true") return 1;
  if (text == "false") return 0;
  return ParseDouble(text);
}

// Integers keep all their bits, which a double would not.
Status SetText(Array* array, size_t i, std::string_view element, std::string_view text) {
  if (array->dtype == "i64") {
    if (const std::optional<int64_t> exact = ParseInt64(element)) {
      memcpy(array->bytes.data() + i * 8, &*exact, 8);
      return Status();
    }
  }
  const std::optional<double> value = ParseElement(element);
  if (!value) return BadInput(text, StrCat("'", element, "' is not a number"));
  SetElement(array, i, *value);
  return Status();
}

Status FillLiteral(std::string_view literal, Array* array, std::string_view text) {
  std::string flat;
  for (const char c : literal) {
    if (c == '[' || c == ']' || c == ' ') continue;
    flat += c;
  }
  const std::vector<std::string_view> parts =
      flat.empty() ? std::vector<std::string_view>() : StrSplit(flat, ',');
  const size_t count = Count(*array);
  if (parts.size() != count) {
    return BadInput(text, StrCat(TypeText(array->dtype, array->shape), " has ", count,
                                 " elements, the list has ", parts.size()));
  }
  for (size_t i = 0; i < count; ++i) TERN_TRY(SetText(array, i, parts[i], text));
  return Status();
}

Status ParseDims(std::string_view list, const DimBindings& dims, std::string_view text,
                 Array* array) {
  if (StrTrim(list).empty()) return Status();
  for (std::string_view part : StrSplit(list, ',')) {
    part = StrTrim(part);
    if (const std::optional<int64_t> extent = ParseInt64(part)) {
      array->shape.push_back(*extent);
    } else if (const auto bound = dims.find(part); bound != dims.end()) {
      array->shape.push_back(bound->second);
    } else {
      return BadInput(text, StrCat("dimension '", part, "' has no value"))
          .AddNote(StrCat("help: bind it with --dim ", part, "=18"));
    }
  }
  return Status();
}

Result<Array> ReadArrayFile(const std::string& path) {
  TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(path));
  return ParseNpy(file.bytes(), path);
}

Status FillRaw(const std::string& path, Array* array, std::string_view text) {
  TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(path));
  if (file.bytes().size() != array->bytes.size()) {
    return BadInput(text,
                    StrCat(TypeText(array->dtype, array->shape), " takes ", array->bytes.size(),
                           " bytes, '", path, "' has ", file.bytes().size()));
  }
  std::copy(file.bytes().begin(), file.bytes().end(), array->bytes.begin());
  return Status();
}

// The part after "dtype[dims]": ":literal", "=literal", ":generator" or "@file".
Status FillTyped(std::string_view tail, Array* array, std::string_view text) {
  TERN_TRY_ASSIGN(const size_t bytes, ArrayBytes(array->dtype, array->shape));
  array->bytes.assign(bytes, 0);
  if (tail.starts_with('@')) return FillRaw(std::string(tail.substr(1)), array, text);
  if (!tail.starts_with(':') && !tail.starts_with('=')) {
    return BadInput(text, "after the type comes ':' and the elements, or '@' and a file");
  }
  tail.remove_prefix(1);
  bool generated = false;
  TERN_TRY(FillGenerated(tail, array, text, &generated));
  return generated ? Status() : FillLiteral(tail, array, text);
}

// "f32[2,3]..." or "2x3xf32...": dtype and shape into *array and the rest into *tail; false if it
// is neither.
Result<bool> ParseType(std::string_view value, const DimBindings& dims, std::string_view text,
                       Array* array, std::string_view* tail) {
  const size_t open = value.find('[');
  if (open != std::string_view::npos && ElementSize(value.substr(0, open)) > 0) {
    const size_t close = value.find(']', open);
    if (close == std::string_view::npos) return BadInput(text, "the dimensions have no ']'");
    array->dtype = std::string(value.substr(0, open));
    TERN_TRY(ParseDims(value.substr(open + 1, close - open - 1), dims, text, array));
    *tail = value.substr(close + 1);
    return true;
  }
  const size_t end = value.find_first_of("=@");
  std::vector<std::string_view> parts = StrSplit(value.substr(0, end), 'x');
  if (end == std::string_view::npos || ElementSize(parts.back()) == 0) return false;
  array->dtype = std::string(parts.back());
  parts.pop_back();
  TERN_TRY(ParseDims(StrJoin(parts, ","), dims, text, array));
  *tail = value.substr(end);
  return true;
}

const ParamInfo* FindParam(const std::vector<ParamInfo>& params, std::string_view name,
                           size_t position) {
  if (name.empty()) return position < params.size() ? &params[position] : nullptr;
  for (const ParamInfo& param : params) {
    if (param.name == name) return &param;
  }
  return nullptr;
}

Result<Array> ParseScalarValue(std::string_view value, std::string_view type,
                               std::string_view text) {
  if (type != "int" && type != "float" && type != "bool" && type != "string")
    return BadInput(text, StrCat("a ", type, " cannot be given on the command line"));
  const bool fits = type == "string" || (type == "int" && ParseInt64(value).has_value()) ||
                    (type == "float" && ParseDouble(value).has_value()) ||
                    (type == "bool" && (value == "true" || value == "false"));
  if (!fits)
    return BadInput(text, StrCat("expected ", type == "int" ? "an int" : StrCat("a ", type)));
  Array array;
  array.dtype = type;
  array.is_scalar = true;
  array.bytes.assign(value.begin(), value.end());
  return array;
}

Result<Array> ParseScalar(std::string_view value, const ParamInfo* param, std::string_view text) {
  if (param != nullptr && !param->tensor) return ParseScalarValue(value, param->dtype, text);
  Array array;
  const bool integral = ParseInt64(value).has_value();
  array.dtype = param != nullptr ? param->dtype : integral ? "i64" : "f32";
  if (ElementSize(array.dtype) == 0) return BadInput(text, "this parameter takes no number");
  if (param != nullptr) array.shape.assign(param->shape.size(), 1);
  array.bytes.assign(ElementSize(array.dtype), 0);
  TERN_TRY(SetText(&array, 0, value, text));
  return array;
}

// "x=..." -> "x"; empty where the first '=' belongs to the value.
std::string_view SplitName(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string_view name = text.substr(0, equals);
  if (name.find_first_of("[(@") != std::string_view::npos) return {};
  const std::string_view last = StrSplit(name, 'x').back();
  return ElementSize(last) > 0 && last.size() < name.size() ? std::string_view() : name;
}

}  // namespace

Status ParseInput(std::string_view text, const DimBindings& dims,
                  const std::vector<ParamInfo>& params, std::vector<NamedArray>* out) {
  const std::string_view name = SplitName(text);
  const std::string_view value = name.empty() ? text : text.substr(name.size() + 1);
  if (name.empty() && value.starts_with('@') && value.ends_with(".npz")) {
    return ReadNpz(std::string(value.substr(1)), out);
  }
  NamedArray input{std::string(name), std::string(text), {}};
  std::string_view tail;
  if (value.starts_with('@')) {
    TERN_TRY_ASSIGN(input.array, ReadArrayFile(std::string(value.substr(1))));
  } else {
    TERN_TRY_ASSIGN(const bool typed, ParseType(value, dims, text, &input.array, &tail));
    if (typed) {
      TERN_TRY(FillTyped(tail, &input.array, text));
    } else {
      TERN_TRY_ASSIGN(input.array, ParseScalar(value, FindParam(params, name, out->size()), text));
    }
  }
  out->push_back(std::move(input));
  return Status();
}

Status ParseDim(std::string_view text, DimBindings* dims) {
  const size_t equals = text.find('=');
  const std::optional<int64_t> extent =
      equals == std::string_view::npos ? std::nullopt : ParseInt64(text.substr(equals + 1));
  if (!extent || *extent < 0 || equals == 0) {
    return UsageError("E0005",
                      StrCat("cannot read --dim '", text, "': expected NAME=EXTENT, as in n=18"));
  }
  (*dims)[std::string(text.substr(0, equals))] = *extent;
  return Status();
}

}  // namespace tern::cli
