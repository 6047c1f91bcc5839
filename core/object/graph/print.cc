// SPDX-License-Identifier: Apache-2.0
// Values as text (Printer) and as JSON (JsonPrinter). Both bound what they show by Extent, because
// a debugger prints values of any size after each step.
#include "core/object/graph/print.h"

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/half.h"
#include "core/base/utf8.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/sequence.h"
#include "core/object/containers/table.h"
#include "core/object/device.h"
#include "core/object/error.h"
#include "core/object/function.h"
#include "core/object/graph/reflection.h"
#include "core/object/shape.h"
#include "core/object/small_numbers.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/strings/unicode.h"

namespace tern {
namespace {

// Calls visit(value) with the element as float, double, an integer, or bool. False for other types.
// 16-bit and 8-bit floats come as float, which holds them exactly.
template <typename Visit>
bool VisitNumber(DType dtype, const void* p, Visit visit) {
  // The lambda's parameter only names a type: as(0.0f) reads a float.
  const auto as = [p]<typename T>(T) { return *static_cast<const T*>(p); };
  if (dtype == kF32) return visit(as(0.0f)), true;
  if (dtype == kF64) return visit(as(0.0)), true;
  if (dtype == kF16) return visit(F16ToF32(as(uint16_t{}))), true;
  if (dtype == kBf16) return visit(Bf16ToF32(as(uint16_t{}))), true;
  if (dtype == kI64) return visit(as(int64_t{})), true;
  if (dtype == kI32) return visit(as(int32_t{})), true;
  if (dtype == kI16) return visit(as(int16_t{})), true;
  if (dtype == kI8) return visit(as(int8_t{})), true;
  if (dtype == kU64) return visit(as(uint64_t{})), true;
  if (dtype == kU32) return visit(as(uint32_t{})), true;
  if (dtype == kU16) return visit(as(uint16_t{})), true;
  if (dtype == kU8) return visit(as(uint8_t{})), true;
  if (dtype == kBool) return visit(as(uint8_t{}) != 0), true;
  return false;
}

const uint8_t* ElementAddress(const Tensor& tensor, int64_t index) {
  // Row-major: the last axis varies fastest, so its coordinate is the remainder. Dimensions are at
  // least 1 here, because there is an element.
  int64_t offset = 0;
  for (int axis = tensor.rank() - 1; axis >= 0; --axis) {
    offset += index % tensor.dim(axis) * tensor.strides()[static_cast<size_t>(axis)];
    index /= tensor.dim(axis);
  }
  return static_cast<const uint8_t*>(tensor.data()) + offset * tensor.dtype().size();
}

template <typename Visit>
bool VisitElement(const Tensor& tensor, int64_t index, Visit visit) {
  const DType dtype = tensor.dtype();
  if (IsSmallFloat(dtype) && dtype.bits == 8)
    return visit(SmallToF32(dtype, *ElementAddress(tensor, index))), true;
  if (IsSmallNumber(dtype)) {
    const float value = SmallToF32(dtype, SmallBits(dtype, tensor.data(), index));
    return dtype.is_int() ? visit(static_cast<int64_t>(value)) : visit(value), true;
  }
  return VisitNumber(tensor.dtype(), ElementAddress(tensor, index), visit);
}

std::string_view StringElement(const Tensor& tensor, int64_t index) {
  const auto* any = reinterpret_cast<const Any*>(ElementAddress(tensor, index));
  return any->TryCast<std::string_view>().value_or(std::string_view());
}

// The UTF-8 of a UCS-4 string; what is no code point becomes U+FFFD.
std::optional<std::string> CodePointText(const AnyView& value) {
  const std::optional<std::u32string_view> text = internal::AnyToUCS4(value.c_any());
  if (!text.has_value()) return std::nullopt;
  std::string out;
  for (const char32_t c : *text) AppendUtf8(&out, IsCodePoint(c) ? c : kReplacementCharacter);
  return out;
}

template <typename T>
int64_t ClampToInt(T value) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(value);
  } else {
    constexpr double kLimit = 9223372036854775808.0;
    const auto wide = static_cast<double>(value);
    if (wide != wide) return 0;
    return wide >= kLimit ? INT64_MAX : wide < -kLimit ? INT64_MIN : static_cast<int64_t>(wide);
  }
}

// Bounds how much of each container is shown, and of all together.
class Extent {
 public:
  explicit Extent(const PrintOptions& options) : options_(options) {}

  void CountOmitted(int64_t count) {
    if (options_.omitted != nullptr) *options_.omitted += count;
  }
  // Whether nothing in it is shown.
  bool Ends(int depth) const { return depth >= options_.max_depth || shown_ >= kMostItems; }
  void Add(size_t parts) { shown_ += parts; }
  // Of a list, tuple or map; counts what is left out.
  size_t Shown(size_t size, int depth) {
    const auto most = static_cast<size_t>(Ends(depth) ? 0 : options_.max_elements);
    const size_t shown = std::min(size, most);
    Add(shown);
    CountOmitted(static_cast<int64_t>(size - shown));
    return shown;
  }

 private:
  // Values that share parts, or hold themselves, may be as long as two to the power of their depth
  // when written out. So the sum of items is bounded too.
  static constexpr size_t kMostItems = size_t{1} << 22;

  const PrintOptions& options_;
  size_t shown_ = 0;
};

// Names are asked for only where a type is known: without `names` the type is always 0.
std::string_view ConstructorOf(const PrintOptions& options, uint32_t type, const Adt& adt) {
  return type == 0 ? std::string_view() : options.names->Constructor(type, adt.tag());
}

uint32_t PartOf(const PrintOptions& options, uint32_t type, int32_t tag, size_t index) {
  return type == 0 ? 0 : options.names->Part(type, tag, index);
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options), extent_(options) {}

  // `depth` counts containers around the value. `type` is passed down with the parts, so that
  // constructors are shown by name wherever the caller knows the static type.
  std::string Print(const AnyView& value, int depth, uint32_t type = 0) {
    switch (value.type_code()) {
      case TERN_TYPE_INT:
      case TERN_TYPE_BOOL:
      case TERN_TYPE_FLOAT: return Number(value);
      case TERN_TYPE_DTYPE: return value.TryCast<DType>()->ToString();
      case TERN_TYPE_TENSOR: return PrintTensor(*value.TryCast<Tensor>());
      case TERN_TYPE_SHAPE: return value.TryCast<Shape>()->ToString();
      case TERN_TYPE_LIST: return Items("list[", *value.TryCast<Sequence>(), "]", depth, type);
      case TERN_TYPE_MAP: return PrintTable(*value.TryCast<Table>(), depth, type);
      case TERN_TYPE_ADT: return PrintAdt(*value.TryCast<Adt>(), depth, type);
      case TERN_TYPE_CLOSURE: return PrintClosure(*value.TryCast<Closure>());
      case TERN_TYPE_FUNCTION: return StrCat("function ", value.TryCast<Function>()->name());
      case TERN_TYPE_STORAGE:
        return StrCat("storage(", value.TryCast<Storage>()->bytes(), " bytes)");
      case TERN_TYPE_ERROR:
        return StrCat("error(", value.TryCast<Error>()->status().ToString(), ")");
      default: break;
    }
    return PrintOther(value, depth);
  }

 private:
  std::string PrintOther(const AnyView& value, int depth) {
    if (std::optional<std::string_view> text = value.TryCast<std::string_view>())
      return JsonQuote(*text);
    if (const std::optional<std::string> text = CodePointText(value))
      return StrCat("u", JsonQuote(*text));
    if (const Bytes* bytes = value.TryCast<Bytes>()) return PrintBytes(*bytes);
    if (value.is_object() && IsReflected(value.type_code()))
      return PrintFields(*value.object(), depth);
    return std::string(value.type_name());
  }

  static std::string PrintBytes(const Bytes& bytes) {
    constexpr size_t kShown = 24;
    // Bytes that are text are shown as text, since most are names or messages; others only by size.
    if (bytes.size() > kShown || !IsValidUtf8(bytes.view()))
      return StrCat("bytes(", bytes.size(), ")");
    return StrCat("b", JsonQuote(bytes.view()));
  }

  // `sketch.Circle(radius=1.5, label="a")`.
  std::string PrintFields(const Object& object, int depth) {
    std::string out = StrCat(object.type_key(), "(");
    if (extent_.Ends(depth)) return StrCat(out, "…)");
    // Fields are counted against the bound at once, because an object is shown whole or not at all.
    extent_.Add(FieldsOf(object.type_code()).size());
    bool first = true;
    for (const FieldInfo& field : FieldsOf(object.type_code())) {
      StrAppend(&out, first ? "" : ", ", field.name, "=", Print(field.get(object), depth + 1));
      first = false;
    }
    return out += ')';
  }

  static std::string Number(const AnyView& value) {
    // The order matters: an int cast also takes bools, a float cast also takes ints.
    if (const std::optional<bool> b = value.TryCast<bool>()) return *b ? "true" : "false";
    if (const std::optional<int64_t> i = value.TryCast<int64_t>()) return StrCat(*i);
    return FormatDouble(*value.TryCast<double>());
  }

  std::string PrintTensor(const Tensor& tensor) {
    std::string out = tensor.TypeText();
    // Elements on a device cannot be read without a copy, which printing must not cause.
    if (!tensor.on_host()) return StrCat(out, " on ", PlaceText(tensor));
    const int64_t shown = std::min<int64_t>(tensor.element_count(), options_.max_elements);
    if (tensor.rank() == 0) return StrCat(out, " ", TensorElementText(tensor, 0));
    StrAppend(&out, " [");
    for (int64_t i = 0; i < shown; ++i)
      StrAppend(&out, i > 0 ? ", " : "", TensorElementText(tensor, i));
    if (shown < tensor.element_count()) StrAppend(&out, shown > 0 ? ", …" : "…");
    extent_.CountOmitted(tensor.element_count() - shown);
    return out += ']';
  }

  template <typename Range>
  std::string Items(std::string_view open, const Range& items, std::string_view close, int depth,
                    uint32_t type, int32_t tag = 0) {
    std::string out(open);
    const size_t shown = extent_.Shown(items.size(), depth);
    // Rendering never fails: what exceeds the bound becomes an ellipsis, and its count goes to
    // options.omitted.
    for (size_t i = 0; i < shown; ++i)
      StrAppend(&out, i > 0 ? ", " : "",
                Print(items[i], depth + 1, PartOf(options_, type, tag, i)));
    if (shown < items.size()) StrAppend(&out, shown > 0 ? ", …" : "…");
    return StrCat(out, close);
  }

  std::string PrintTable(const Table& table, int depth, uint32_t type) {
    const size_t most = extent_.Shown(table.size(), depth);
    std::string out = "map{";
    size_t shown = 0;
    for (const Table::Entry& entry : table) {
      StrAppend(&out, shown > 0 ? ", " : "");
      // One entry beyond the bound becomes the ellipsis.
      if (shown++ == most) return out += "…}";
      StrAppend(&out, Print(entry.key, depth + 1, PartOf(options_, type, 0, 0)), ": ",
                Print(entry.value, depth + 1, PartOf(options_, type, 0, 1)));
    }
    return out += '}';
  }

  std::string PrintAdt(const Adt& adt, int depth, uint32_t type) {
    const std::string_view name = ConstructorOf(options_, type, adt);
    // Without a name, tag 0 is a tuple and other tags are shown by number.
    if (name.empty() && adt.is_tuple()) return Items("(", adt.fields(), ")", depth, type);
    if (!name.empty() && adt.fields().empty()) return std::string(name);
    const std::string open = name.empty() ? StrCat("adt#", adt.tag(), "(") : StrCat(name, "(");
    return Items(open, adt.fields(), ")", depth, type, adt.tag());
  }

  static std::string PrintClosure(const Closure& closure) {
    return StrCat("closure(#", closure.function_index(), ", ", closure.free_variables().size(),
                  " free)");
  }

  const PrintOptions& options_;
  Extent extent_;
};

class JsonPrinter {
 public:
  JsonPrinter(JsonWriter* json, const PrintOptions& options)
      : json_(json), options_(options), extent_(options) {}

  void Write(const AnyView& value, int depth, uint32_t type = 0) {
    const Adt* adt = value.TryCast<Adt>();
    const std::string_view name = adt == nullptr ? "" : ConstructorOf(options_, type, *adt);
    // A named constructor is an adt even with tag 0, which a nameless value would show as a tuple.
    json_->BeginObject().Field("kind", name.empty() ? Kind(value) : "adt");
    if (!name.empty()) json_->Field("constructor", name);
    switch (value.type_code()) {
      case TERN_TYPE_NONE: break;
      case TERN_TYPE_INT: json_->Field("value", value.c_any().v.i); break;
      case TERN_TYPE_FLOAT: json_->Field("value", value.c_any().v.f); break;
      case TERN_TYPE_BOOL: json_->Field("value", *value.TryCast<bool>()); break;
      case TERN_TYPE_TENSOR: WriteTensor(*value.TryCast<Tensor>()); break;
      case TERN_TYPE_SHAPE: json_->Key("value").Ints(value.TryCast<Shape>()->dims()); break;
      case TERN_TYPE_LIST: WriteItems(*value.TryCast<Sequence>(), depth, type); break;
      case TERN_TYPE_MAP: WriteTable(*value.TryCast<Table>(), depth, type); break;
      case TERN_TYPE_ADT:
        json_->Field("tag", adt->tag());
        WriteItems(adt->fields(), depth, type, adt->tag());
        break;
      case TERN_TYPE_CLOSURE:
        json_->Field("function", value.TryCast<Closure>()->function_index());
        WriteItems(value.TryCast<Closure>()->free_variables(), depth);
        break;
      default: WriteOther(value, depth); break;
    }
    json_->EndObject();
  }

 private:
  static std::string_view Kind(const AnyView& value) {
    const Adt* adt = value.TryCast<Adt>();
    return adt != nullptr && adt->is_tuple() ? "tuple" : value.type_name();
  }

  void WriteOther(const AnyView& value, int depth) {
    if (const std::optional<std::string_view> text = value.TryCast<std::string_view>()) {
      json_->Field("value", *text);
    } else if (const std::optional<std::string> code_points = CodePointText(value)) {
      json_->Field("value", std::string_view(*code_points));
    } else if (const Bytes* bytes = value.TryCast<Bytes>()) {
      json_->Field("size", uint64_t{bytes->size()});
    } else if (value.is_object() && IsReflected(value.type_code())) {
      WriteFields(*value.object(), depth);
    } else {
      // Kinds without a JSON form of their own are shown as text; a new Printer starts at depth 0.
      json_->Field("text", Printer(options_).Print(value, 0));
    }
  }

  // Registered fields are what a front end needs to show an object of a type that it knows nothing
  // of.
  void WriteFields(const Object& object, int depth) {
    json_->Key("fields").BeginArray();
    if (!extent_.Ends(depth)) {
      extent_.Add(FieldsOf(object.type_code()).size());
      for (const FieldInfo& field : FieldsOf(object.type_code())) {
        json_->BeginObject().Field("name", field.name).Field("type", field.type);
        json_->Field("doc", field.doc).Key("value");
        Write(field.get(object), depth + 1);
        json_->EndObject();
      }
    }
    json_->EndArray();
  }

  template <typename Range>
  void WriteItems(const Range& items, int depth, uint32_t type = 0, int32_t tag = 0) {
    json_->Field("size", uint64_t{items.size()}).Key("items").BeginArray();
    const size_t shown = extent_.Shown(items.size(), depth);
    for (size_t i = 0; i < shown; ++i) Write(items[i], depth + 1, PartOf(options_, type, tag, i));
    json_->EndArray();
  }

  // Entries are pairs [key, value] and not members of a JSON object, since keys need not be text.
  void WriteTable(const Table& table, int depth, uint32_t type) {
    json_->Field("size", uint64_t{table.size()}).Key("entries").BeginArray();
    size_t left = extent_.Shown(table.size(), depth);
    for (const Table::Entry& entry : table) {
      if (left-- == 0) break;
      json_->BeginArray();
      Write(entry.key, depth + 1, PartOf(options_, type, 0, 0));
      Write(entry.value, depth + 1, PartOf(options_, type, 0, 1));
      json_->EndArray();
    }
    json_->EndArray();
  }

  void WriteTensor(const Tensor& tensor) {
    json_->Field("dtype", tensor.dtype().ToString()).Key("shape").Ints(tensor.dims());
    json_->Field("readOnly", tensor.is_read_only());
    if (!tensor.on_host()) {
      // A tensor on a device has a place instead of statistics and elements.
      json_->Field("place", PlaceText(tensor));
      return;
    }
    if (!tensor.dtype().is_string()) WriteStatistics(ComputeStatistics(tensor));
    json_->Key("elements").BeginArray();
    const int64_t shown = std::min<int64_t>(tensor.element_count(), options_.max_elements);
    for (int64_t i = 0; i < shown; ++i) WriteElement(tensor, i);
    extent_.CountOmitted(tensor.element_count() - shown);
    json_->EndArray();
  }

  void WriteStatistics(const TensorStatistics& statistics) {
    // JSON has no NaN or infinity; without a finite element there is nothing to say.
    if (statistics.finite > 0) {
      json_->Field("min", statistics.min)
          .Field("mean", statistics.mean)
          .Field("max", statistics.max);
    }
    json_->Field("nan", statistics.nan).Field("inf", statistics.inf);
  }

  void WriteElement(const Tensor& tensor, int64_t index) {
    const bool number = VisitElement(tensor, index, [this]<typename T>(T value) {
      // float and double print differently: the shortest text that reads back differs by type.
      if constexpr (std::same_as<T, float>)
        json_->Float(value);
      else if constexpr (std::same_as<T, double>)
        json_->Double(value);
      else if constexpr (std::same_as<T, bool>)
        json_->Bool(value);
      else if constexpr (std::is_signed_v<T>)
        json_->Int(value);
      else
        json_->Uint(value);
    });
    if (!number) json_->String(tensor.dtype().is_string() ? StringElement(tensor, index) : "?");
  }

  JsonWriter* json_;
  const PrintOptions& options_;
  Extent extent_;
};

// Minimum, maximum and mean of the finite elements; what is not finite is counted apart, as one NaN
// would hide all else.
class StatisticsCollector {
 public:
  void Add(double value) {
    if (value != value) {
      ++result_.nan;
    // inf - inf is NaN, which differs from 0; of a finite value the difference is 0.
    } else if (value - value != 0) {
      ++result_.inf;
    } else {
      if (result_.finite == 0) result_.min = result_.max = value;
      result_.min = std::min(result_.min, value);
      result_.max = std::max(result_.max, value);
      sum_ += value;
      ++result_.finite;
    }
  }
  // The same for many. Where all of a block are finite, which is common, none is tested by itself.
  void Add(std::span<const float> values) {
    constexpr size_t kBlock = 256;
    for (; !values.empty(); values = values.subspan(std::min(kBlock, values.size()))) {
      const std::span<const float> block = values.first(std::min(kBlock, values.size()));
      if (AddFinite(block)) continue;
      for (const float value : block) Add(static_cast<double>(value));
    }
  }
  TensorStatistics Finish() {
    if (result_.finite > 0) result_.mean = sum_ / static_cast<double>(result_.finite);
    return result_;
  }

 private:
  // False, and nothing is added, where one of the values is not finite.
  bool AddFinite(std::span<const float> block) {
    float low = block[0], high = block[0];
    double sum = sum_;
    for (const float value : block) {
      low = value < low ? value : low;
      high = value > high ? value : high;
      sum += static_cast<double>(value);
    }
    // Floats do not sum up to more than a double holds, so the sum is finite where all of them are.
    if (sum - sum != 0) return false;
    if (result_.finite == 0) result_.min = result_.max = static_cast<double>(low);
    result_.min = std::min(result_.min, static_cast<double>(low));
    result_.max = std::max(result_.max, static_cast<double>(high));
    result_.finite += static_cast<int64_t>(block.size());
    sum_ = sum;
    return true;
  }

  TensorStatistics result_;
  double sum_ = 0;
};

}  // namespace

std::string PrintValue(const AnyView& value, const PrintOptions& options) {
  return Printer(options).Print(value, 0, options.type);
}

void WriteValueJson(const AnyView& value, JsonWriter* json, const PrintOptions& options) {
  JsonPrinter(json, options).Write(value, 0, options.type);
}

std::string ValueJson(const AnyView& value, const PrintOptions& options) {
  JsonWriter json;
  WriteValueJson(value, &json, options);
  return json.Take();
}

double TensorElement(const Tensor& tensor, int64_t index) {
  TERN_DCHECK(tensor.on_host());
  // Stays 0 for strings and complex numbers, which the visitor does not visit.
  double result = 0;
  VisitElement(tensor, index, [&result](auto value) { result = static_cast<double>(value); });
  return result;
}

int64_t TensorInt(const Tensor& tensor, int64_t index) {
  TERN_DCHECK(tensor.on_host());
  int64_t result = 0;
  VisitElement(tensor, index, [&result](auto value) { result = ClampToInt(value); });
  return result;
}

std::string TensorElementText(const Tensor& tensor, int64_t index) {
  if (tensor.dtype().is_string()) return JsonQuote(StringElement(tensor, index));
  std::string out;
  const bool number = VisitElement(tensor, index, [&out](auto value) { out = StrCat(value); });
  return number ? out : "?";
}

TensorStatistics ComputeStatistics(const Tensor& tensor) {
  StatisticsCollector collector;
  if (!tensor.on_host()) return collector.Finish();
  // The common case without a visit per element: weights and activations of most models.
  if (tensor.dtype() == kF32 && tensor.is_contiguous()) {
    collector.Add(tensor.values<const float>());
  } else if (!tensor.dtype().is_string()) {
    for (int64_t i = 0; i < tensor.element_count(); ++i) {
      VisitElement(tensor, i,
                   [&collector](auto value) { collector.Add(static_cast<double>(value)); });
    }
  }
  return collector.Finish();
}

}  // namespace tern
