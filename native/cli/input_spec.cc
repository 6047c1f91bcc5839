// SPDX-License-Identifier: Apache-2.0
// Parses --input and --dim by the grammar of input_spec.h. A value is read in three steps: name,
// type, then what fills it; each step takes text from the front.
#include "native/cli/input_spec.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "core/base/strings.h"
#include "native/cli/elements.h"
#include "native/cli/input_value.h"
#include "native/cli/npz.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

Status BadInput(std::string_view text, std::string_view why) {
  return UsageError("E0004", StrCat("cannot read --input '", text, "': ", why))
      .AddNote("help: try x=@x.npy, x=f32[2,3]:1,2,3,4,5,6, x=f32[2,3]:random(seed=1) or n=18");
}

// Extents are numbers or names that --dim binds. Names are remembered, so that CheckDimIsUsed knows
// of their use.
Status ParseDims(std::string_view list, const DimBindings& dims, NamedArray* input) {
  if (StrTrim(list).empty()) return Status();
  for (std::string_view part : StrSplit(list, ',')) {
    part = StrTrim(part);
    if (const std::optional<int64_t> extent = ParseInt64(part)) {
      input->array.shape.push_back(*extent);
    } else if (const auto bound = dims.find(part); bound != dims.end()) {
      input->array.shape.push_back(bound->second);
      input->dims.emplace_back(part);
    } else {
      return BadInput(input->origin, StrCat("dimension '", part, "' has no value"))
          .AddNote(StrCat("help: bind it with --dim ", part, "=18"));
    }
  }
  return Status();
}

Result<Array> ReadArrayFile(const std::string& path, MemoryBudget* budget) {
  TERN_TRY_ASSIGN(const native::MappedFile file, OpenData(path));
  return ParseNpy(file.bytes(), path, budget);
}

// Raw bytes have no header, so only their number can be checked.
Status FillRaw(const std::string& path, Array* array, std::string_view text) {
  TERN_TRY_ASSIGN(const native::MappedFile file, OpenData(path));
  if (file.bytes().size() != array->bytes.size()) {
    return Corrupt("cannot read --input '", text, "': ", TypeText(array->dtype, array->shape),
                   " takes ", array->bytes.size(), " bytes, '", path, "' has ", file.bytes().size())
        .SetErrorCode("E0502");
  }
  std::copy(file.bytes().begin(), file.bytes().end(), array->bytes.begin());
  return Status();
}

std::string Meant(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view near = DidYouMean(word, known);
  return near.empty() ? std::string() : StrCat("; did you mean '", near, "'?");
}

// The word at the front of a text.
std::string_view WordOf(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !is_letter(text[0])) return {};
  const auto end = std::find_if(text.begin(), text.end(),
                                [&](char c) { return !is_letter(c) && (c < '0' || c > '9'); });
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

// Why a list could not be read: where it begins with a word that is no element, as a filler that
// there is not.
std::string WhyNoList(std::string_view list, std::string_view why) {
  const std::string_view word = WordOf(list);
  if (word.empty() || ParseDouble(word) || word == "true" || word == "false")
    return std::string(why);
  if (std::find(std::begin(kFillers), std::end(kFillers), word) != std::end(kFillers))
    return StrCat("'", list, "' is not one of zeros, ones, arange, const(3) and random(seed=1)");
  return StrCat("nothing is called '", word, "' that makes elements; there are ",
                StrJoin(kFillers, ", "), Meant(word, kFillers));
}

// Why a value is no number: it may be a type that there is not, or a file without its @.
std::string WhyNoNumber(std::string_view value, std::string_view why) {
  const std::string_view word = WordOf(value);
  const std::vector<std::string_view> types = ElementTypes();
  if (!word.empty() && value.substr(word.size()).starts_with('['))
    return StrCat("there is no data type '", word, "'; there are ", StrJoin(types, ", "),
                  Meant(word, types));
  if (value.ends_with(".npy") || value.ends_with(".npz"))
    return StrCat(why, "; a file is given as '@", value, "'");
  return std::string(why);
}

// Fills the array from the part after "dtype[dims]": ":literal", "=literal", ":generator" or
// "@file".
Status FillTyped(std::string_view tail, Array* array, std::string_view text, MemoryBudget* budget) {
  // Allocated before anything is read, because the type alone tells the bytes.
  Status allocated = AllocateArray(array, budget);
  if (!allocated.ok()) return std::move(allocated.AddNote(StrCat("from --input ", text)));
  if (tail.starts_with('@')) return FillRaw(std::string(tail.substr(1)), array, text);
  if (!tail.starts_with(':') && !tail.starts_with('=')) {
    return BadInput(text, "after the type comes ':' and the elements, or '@' and a file");
  }
  tail.remove_prefix(1);
  bool generated = false;
  // A generator's name cannot be a list, so trying it first is safe.
  Status filled = FillGenerated(tail, array, &generated);
  if (!generated) filled = FillList(tail, array);
  if (filled.ok()) return Status();
  return BadInput(text,
                  generated ? std::string(filled.message()) : WhyNoList(tail, filled.message()));
}

// Reads "f32[2,3]…" or "2x3xf32…": dtype and shape go into the array, the rest into *tail. False if
// it is neither, which means a scalar.
Result<bool> ParseType(std::string_view value, const DimBindings& dims, NamedArray* input,
                       std::string_view* tail) {
  Array* const array = &input->array;
  const size_t open = value.find('[');
  if (open != std::string_view::npos && ElementSize(value.substr(0, open)) > 0) {
    const size_t close = value.find(']', open);
    if (close == std::string_view::npos)
      return BadInput(input->origin, "the dimensions have no ']'");
    array->dtype = std::string(value.substr(0, open));
    TERN_TRY(ParseDims(value.substr(open + 1, close - open - 1), dims, input));
    *tail = value.substr(close + 1);
    return true;
  }
  // The short form ends at '=' or '@'; its last part must be a dtype, so that "x" in other texts is
  // not taken for it.
  const size_t end = value.find_first_of("=@");
  std::vector<std::string_view> parts = StrSplit(value.substr(0, end), 'x');
  if (end == std::string_view::npos || ElementSize(parts.back()) == 0) return false;
  array->dtype = std::string(parts.back());
  parts.pop_back();
  TERN_TRY(ParseDims(StrJoin(parts, ","), dims, input));
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

// The type of a value for a parameter without one: a number, true, false or "text" in quotes. "" if
// it is none of these.
std::string_view KindOf(std::string_view value) {
  if (ParseInt64(value)) return "int";
  if (ParseDouble(value)) return "float";
  if (value == "true" || value == "false") return "bool";
  return value.size() > 1 && value.starts_with('"') && value.ends_with('"') ? "string" : "";
}

// Scalars travel as their text; ToScalar makes values of them.
Array ScalarOf(std::string_view value, std::string_view type) {
  Array array;
  array.dtype = type;
  array.is_scalar = true;
  array.bytes.assign(value.begin(), value.end());
  return array;
}

Result<Array> ParseUntyped(std::string_view value, std::string_view text) {
  const std::string_view type = KindOf(value);
  if (type.empty())
    return BadInput(text, StrCat("'", value,
                                 "' is no number, true, false or \"text\" in quotes, "
                                 "which a parameter without a type takes"));
  return ScalarOf(type == "string" ? value.substr(1, value.size() - 2) : value, type);
}

Result<Array> ParseScalarValue(std::string_view value, std::string_view type,
                               std::string_view text) {
  if (type == "any") return ParseUntyped(value, text);
  if (type != "int" && type != "float" && type != "bool" && type != "string")
    return BadInput(text, StrCat("a ", type, " cannot be given on the command line"));
  const bool fits = type == "string" || (type == "int" && ParseInt64(value).has_value()) ||
                    (type == "float" && ParseDouble(value).has_value()) ||
                    (type == "bool" && (value == "true" || value == "false"));
  if (!fits)
    return BadInput(text, StrCat("expected ", type == "int" ? "an int" : StrCat("a ", type),
                                 ", got '", value, "'"));
  return ScalarOf(value, type);
}

// A bare number for a tensor parameter is a tensor of one element, with as many axes as declared.
Result<Array> ParseScalar(std::string_view value, const ParamInfo* param, std::string_view text) {
  if (param != nullptr && !param->tensor) return ParseScalarValue(value, param->dtype, text);
  Array array;
  const bool integral = ParseInt64(value).has_value();
  array.dtype = param != nullptr ? param->dtype : integral ? "i64" : "f32";
  if (ElementSize(array.dtype) == 0) return BadInput(text, "this parameter takes no number");
  if (param != nullptr) array.shape.assign(param->shape.size(), 1);
  array.bytes.assign(ElementSize(array.dtype), 0);
  const Status set = SetElementText(&array, 0, value);
  if (!set.ok()) return BadInput(text, WhyNoNumber(value, set.message()));
  return array;
}

// "x=…" gives "x"; empty if the first '=' belongs to the value, as in 2x3xf32=1,2.
std::string_view SplitName(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string_view name = text.substr(0, equals);
  // A bracket, quote or '@' before '=' means that a type, value or file stands there, so there is
  // no name.
  if (name.find_first_of("[({\"@") != std::string_view::npos) return {};
  // "2x3xf32" ends with a dtype behind an 'x'; a name that is a dtype alone, such as "f32", stays a
  // name.
  const std::string_view last = StrSplit(name, 'x').back();
  return ElementSize(last) > 0 && last.size() < name.size() ? std::string_view() : name;
}

}  // namespace

Status ParseInput(std::string_view text, const DimBindings& dims,
                  const std::vector<ParamInfo>& params, std::vector<NamedArray>* out,
                  MemoryBudget* budget) {
  const std::string_view name = SplitName(text);
  const std::string_view value = name.empty() ? text : text.substr(name.size() + 1);
  // A bundle gives names to its arrays itself, so it stands without one.
  if (name.empty() && value.starts_with('@') && value.ends_with(".npz")) {
    return ReadNpz(std::string(value.substr(1)), budget, out);
  }
  NamedArray input{std::string(name), std::string(text), {}, {}};
  std::string_view tail;
  const ParamInfo* const param = FindParam(params, name, out->size());
  if (param != nullptr && TakesLiteral(*param, value)) {
    TERN_TRY_ASSIGN(input.program, ProgramOfValue(*param, value, text));
    input.array.is_scalar = true;
  } else if (value.starts_with('@')) {
    TERN_TRY_ASSIGN(input.array, ReadArrayFile(std::string(value.substr(1)), budget));
  } else {
    TERN_TRY_ASSIGN(const bool typed, ParseType(value, dims, &input, &tail));
    if (typed) {
      TERN_TRY(FillTyped(tail, &input.array, text, budget));
    } else {
      TERN_TRY_ASSIGN(input.array, ParseScalar(value, param, text));
    }
  }
  out->push_back(std::move(input));
  return Status();
}

Status DimGivenTwice(std::string_view name, int64_t first, int64_t second) {
  return UsageError("E0007", StrCat("--dim ", name, " is given twice: ", first, " and ", second));
}

Status ParseDim(std::string_view text, DimBindings* dims) {
  const size_t equals = text.find('=');
  const std::optional<int64_t> extent =
      equals == std::string_view::npos ? std::nullopt : ParseInt64(text.substr(equals + 1));
  if (!extent || *extent < 0 || equals == 0) {
    return UsageError("E0005",
                      StrCat("cannot read --dim '", text, "': expected NAME=EXTENT, as in n=18"));
  }
  const auto [bound, is_new] = dims->emplace(std::string(text.substr(0, equals)), *extent);
  if (!is_new) return DimGivenTwice(bound->first, bound->second, *extent);
  return Status();
}

}  // namespace tern::cli
