// SPDX-License-Identifier: Apache-2.0
// tern.scalar.*, tern.float.*, tern.value.*, tern.tensor.*, tern.function.*, and what ends a
// program or tells something: print, fail, assert. Arguments of the language are checked by its
// compiler; the checks here serve programs from elsewhere.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/sequence.h"
#include "core/object/graph/print.h"
#include "core/object/graph/structural_equal.h"
#include "core/object/memory_account.h"
#include "core/object/tensor.h"
#include "core/vm/builtins/value_builtins.h"
#include "core/vm/signature.h"

namespace tern::vm {
namespace {

// --- scalars

// Chooses between two ints or two floats. NaN wins over everything, as in ONNX's Min and Max.
template <class Choose>
Result<Any> Pick(AnyArgs args, const Choose& choose) {
  // Ints stay ints: a float would lose digits.
  const std::optional<int64_t> a = args[0].TryCast<int64_t>(), b = args[1].TryCast<int64_t>();
  if (a.has_value() && b.has_value()) return Any(choose(*a, *b));
  TERN_TRY_ASSIGN(const double x, args[0].As<double>());
  TERN_TRY_ASSIGN(const double y, args[1].As<double>());
  return Any(x != x ? x : y != y ? y : choose(x, y));
}

Result<Any> Min(AnyArgs args) {
  return Pick(args, [](auto a, auto b) { return b < a ? b : a; });
}
Result<Any> Max(AnyArgs args) {
  return Pick(args, [](auto a, auto b) { return a < b ? b : a; });
}

// The magnitude. The smallest int stays as it is, as in two's complement.
Result<Any> Abs(AnyArgs args) {
  if (const std::optional<int64_t> value = args[0].TryCast<int64_t>()) {
    const auto bits = static_cast<uint64_t>(*value);
    return Any(*value < 0 ? static_cast<int64_t>(~bits + 1) : *value);
  }
  TERN_TRY_ASSIGN(const double value, args[0].As<double>());
  return Any(std::fabs(value));
}

template <double (*function)(double)>
Result<Any> OfFloat(AnyArgs args) {
  TERN_TRY_ASSIGN(const double value, args[0].As<double>());
  return Any(function(value));
}

Result<Any> Pow(AnyArgs args) {
  TERN_TRY_ASSIGN(const double base, args[0].As<double>());
  TERN_TRY_ASSIGN(const double exponent, args[1].As<double>());
  return Any(std::pow(base, exponent));
}

// --- values

// Equality of the language is structural, for values of every kind.
Result<Any> Equal(AnyArgs args) { return Any(StructuralEqual(args[0], args[1])); }

Result<Any> ToString(AnyArgs args) { return Any(TextOf(args[0])); }

Result<Any> Print(RunContext& context, AnyArgs args) {
  context.Write(TextOf(args[0]));
  // The language's unit value is the empty tuple.
  return Any(Adt::Tuple({}));
}

Result<Any> Fail(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view message, args[0].As<std::string_view>());
  return Failed(message).SetErrorCode("E0301");
}

Result<Any> Assert(AnyArgs args) {
  TERN_TRY_ASSIGN(const bool holds, args[0].As<bool>());
  TERN_TRY_ASSIGN(const std::string_view message, args[1].As<std::string_view>());
  if (!holds) return Failed("assertion failed: ", message).SetErrorCode("E0301");
  return Any(Adt::Tuple({}));
}

// --- tensors

// A list and not a Shape: the language has lists.
Result<Any> ShapeOfValue(AnyArgs args) {
  TERN_TRY_ASSIGN(const Tensor* tensor, args[0].As<Tensor>());
  SequencePtr dims = Sequence::Make();
  for (const int64_t dim : tensor->dims()) dims->PushInt(dim);
  return Any(dims);
}

Result<Any> Extent(AnyArgs args) {
  TERN_TRY_ASSIGN(const Tensor* tensor, args[0].As<Tensor>());
  TERN_TRY_ASSIGN(const int64_t axis, args[1].As<int64_t>());
  const int64_t at = axis < 0 ? axis + tensor->rank() : axis;
  if (at < 0 || at >= tensor->rank())
    return OutOfRange("axis ", axis, " of a tensor ", tensor->TypeText());
  return Any(tensor->dim(static_cast<int>(at)));
}

Result<const Tensor*> OneElement(const AnyView& value) {
  TERN_TRY_ASSIGN(const Tensor* tensor, value.As<Tensor>());
  TERN_TRY(CheckOnHost(*tensor, "the tensor"));
  if (tensor->element_count() == 1) return tensor;
  return InvalidArgument("a tensor ", tensor->TypeText(), " has ", tensor->element_count(),
                         " elements, expected 1");
}

Result<Any> ItemInt(AnyArgs args) {
  TERN_TRY_ASSIGN(const Tensor* tensor, OneElement(args[0]));
  return Any(TensorInt(*tensor, 0));
}
Result<Any> ItemFloat(AnyArgs args) {
  TERN_TRY_ASSIGN(const Tensor* tensor, OneElement(args[0]));
  return Any(TensorElement(*tensor, 0));
}
Result<Any> ItemBool(AnyArgs args) {
  TERN_TRY_ASSIGN(const Tensor* tensor, OneElement(args[0]));
  return Any(TensorElement(*tensor, 0) != 0);
}

Result<Any> ToList(AnyArgs args) {
  TERN_TRY_ASSIGN(const Tensor* tensor, args[0].As<Tensor>());
  if (tensor->rank() != 1)
    return InvalidArgument("to_list takes a tensor of rank 1, got ", tensor->TypeText());
  TERN_TRY(CheckOnHost(*tensor, "the tensor"));
  // Every element may need a slot of its own.
  TERN_TRY(CheckRoom(static_cast<uint64_t>(tensor->element_count()) * kItemBytes));
  SequencePtr list = Sequence::Make();
  list->Reserve(static_cast<size_t>(tensor->element_count()));
  for (int64_t i = 0; i < tensor->element_count(); ++i) {
    const DType dtype = tensor->dtype();
    if (dtype.is_bool())
      list->PushBack(AnyView(TensorElement(*tensor, i) != 0));
    else if (dtype.is_int())
      list->PushInt(TensorInt(*tensor, i));
    else
      list->PushBack(AnyView(TensorElement(*tensor, i)));
  }
  return Any(list);
}

// Puts tensors of one type side by side along a new first axis.
Result<Any> Stack(RunContext& context, AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  if (list->empty()) return InvalidArgument("stack of an empty list");
  TERN_TRY_ASSIGN(const Tensor* first, (*list)[0].As<Tensor>());
  std::vector<int64_t> dims = {static_cast<int64_t>(list->size())};
  dims.insert(dims.end(), first->dims().begin(), first->dims().end());
  // Elements are copied as bytes below, and strings hold references.
  if (first->dtype().is_string()) return TypeError("stack of tensors of strings");
  TERN_TRY_ASSIGN(TensorPtr out, context.NewTensor(first->dtype(), dims));
  auto* at = static_cast<uint8_t*>(out->data());
  for (size_t i = 0; i < list->size(); ++i) {
    TERN_TRY_ASSIGN(const Tensor* item, (*list)[i].As<Tensor>());
    TERN_TRY(CheckOnHost(*item, StrCat("tensor ", i)));
    // The text compares dtype and shape at once.
    if (item->TypeText() != first->TypeText()) {
      return InvalidArgument("stack: tensor ", i, " is ", item->TypeText(), ", expected ",
                             first->TypeText(), " as the first one");
    }
    TERN_TRY_ASSIGN(const TensorPtr whole, item->Contiguous(context.allocator()));
    const ByteSpan bytes = whole->bytes();
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    at += bytes.size();
  }
  return Any(out);
}

// Nested lists as one block of elements in row-major order. The first list at each depth fixes the
// extent; all others at that depth must agree.
class ElementReader {
 public:
  explicit ElementReader(int64_t rank) : dims_(static_cast<size_t>(rank), -1) {}

  Status Read(const AnyView& value, size_t depth) {
    // A leaf is kept as a view into its list, which the caller's argument keeps alive.
    if (depth == dims_.size()) {
      leaves_.push_back(value);
      return OkStatus();
    }
    TERN_TRY_ASSIGN(const Sequence* list, value.As<Sequence>());
    const auto size = static_cast<int64_t>(list->size());
    if (dims_[depth] < 0) dims_[depth] = size;
    if (dims_[depth] != size) {
      return InvalidArgument("a list of ", size, " items beside one of ", dims_[depth],
                             ": the rows of a tensor have one length");
    }
    // A list may stand many times in another and is read as many times, so its elements are not
    // bounded by the memory it takes.
    if (depth + 1 == dims_.size())
      TERN_TRY(CheckRoom((leaves_.size() + list->size()) * 2 * sizeof(AnyView)));
    for (const AnyView& item : *list) TERN_TRY(Read(item, depth + 1));
    return OkStatus();
  }
  std::vector<int64_t> dims() const {
    std::vector<int64_t> dims = dims_;
    // An extent below an empty list was never seen.
    for (int64_t& dim : dims) dim = dim < 0 ? 0 : dim;
    return dims;
  }
  const std::vector<AnyView>& leaves() const { return leaves_; }

 private:
  std::vector<int64_t> dims_;
  std::vector<AnyView> leaves_;
};

// The leaves in order; bools are stored as bytes.
template <class T>
Status Fill(const ElementReader& reader, Tensor* tensor) {
  auto* at = static_cast<T*>(tensor->data());
  for (const AnyView& leaf : reader.leaves()) {
    if constexpr (sizeof(T) == 1) {
      TERN_TRY_ASSIGN(const bool value, leaf.As<bool>());
      *at++ = value ? 1 : 0;
    } else {
      TERN_TRY_ASSIGN(*at++, leaf.As<T>());
    }
  }
  return OkStatus();
}

// (value, dtype, rank): a tensor of i64, f64, bool or string from nested lists.
Result<Any> TensorOf(RunContext& context, AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view name, args[1].As<std::string_view>());
  TERN_TRY_ASSIGN(const DType dtype, DType::Parse(name));
  TERN_TRY_ASSIGN(const int64_t rank, args[2].As<int64_t>());
  if (rank < 0 || rank > 8) return OutOfRange("a tensor of rank ", rank);
  ElementReader reader(rank);
  TERN_TRY(reader.Read(args[0], 0));
  TERN_TRY_ASSIGN(TensorPtr tensor, context.NewTensor(dtype, reader.dims()));
  if (dtype == kF64) TERN_TRY(Fill<double>(reader, tensor.get()));
  if (dtype == kI64) TERN_TRY(Fill<int64_t>(reader, tensor.get()));
  if (dtype == kBool) TERN_TRY(Fill<uint8_t>(reader, tensor.get()));
  for (size_t i = 0; dtype == kString && i < reader.leaves().size(); ++i) {
    TERN_TRY_ASSIGN(const std::string_view text, reader.leaves()[i].As<std::string_view>());
    tensor->set_string(static_cast<int64_t>(i), text);
  }
  return Any(tensor);
}

// (tensor, type, extent…): the tensor itself, if it has these extents; -1 takes any. `type` is what
// the program declared, for messages.
Result<Any> CheckShape(AnyArgs args) {
  if (args.size() < 2)
    return InvalidArgument("tern.tensor.check_shape takes (tensor, type, extent…)");
  TERN_TRY_ASSIGN(const Tensor* tensor, args[0].As<Tensor>());
  TERN_TRY_ASSIGN(const std::string_view type, args[1].As<std::string_view>());
  const auto rank = static_cast<int64_t>(args.size()) - 2;
  if (tensor->rank() != rank) {
    return InvalidArgument("rank mismatch: got ", tensor->TypeText(), ", expected ", type)
        .SetErrorCode("E0203");
  }
  for (int axis = 0; axis < rank; ++axis) {
    TERN_TRY_ASSIGN(const int64_t extent, args[static_cast<size_t>(axis) + 2].As<int64_t>());
    if (extent < 0 || tensor->dim(axis) == extent) continue;
    return InvalidArgument("shape mismatch: axis ", axis, " of ", tensor->TypeText(), " is ",
                           tensor->dim(axis), ", expected ", extent, " by ", type)
        .SetErrorCode("E0203");
  }
  return Any(args[0]);
}

// (name, signature, argument…): checks what a caller of the function passes against what it
// declares. For functions whose calls were not proved by the compiler.
Result<Any> CheckArguments(AnyArgs args) {
  if (args.size() < 2)
    return InvalidArgument("tern.function.check_arguments takes (name, signature, argument…)");
  TERN_TRY_ASSIGN(const std::string_view name, args[0].As<std::string_view>());
  TERN_TRY_ASSIGN(const std::string_view text, args[1].As<std::string_view>());
  TERN_TRY_ASSIGN(const Signature signature, Signature::Parse(text));
  TERN_TRY(signature.CheckArguments(name, args.subspan(2)));
  return Any(Adt::Tuple({}));
}

constexpr ValueBuiltin kScalars[] = {
    {"tern.scalar.min", 2, &Min},
    {"tern.scalar.max", 2, &Max},
    {"tern.scalar.abs", 1, &Abs},
    {"tern.float.sqrt", 1, &OfFloat<&std::sqrt>},
    {"tern.float.exp", 1, &OfFloat<&std::exp>},
    {"tern.float.log", 1, &OfFloat<&std::log>},
    {"tern.float.sin", 1, &OfFloat<&std::sin>},
    {"tern.float.cos", 1, &OfFloat<&std::cos>},
    {"tern.float.tanh", 1, &OfFloat<&std::tanh>},
    {"tern.float.floor", 1, &OfFloat<&std::floor>},
    {"tern.float.pow", 2, &Pow},
    {"tern.value.equal", 2, &Equal},
    {"tern.value.to_string", 1, &ToString},
    {"tern.print", 1, nullptr, &Print},
    {"tern.fail", 1, &Fail},
    {"tern.assert", 2, &Assert},
    {"tern.tensor.shape", 1, &ShapeOfValue},
    {"tern.tensor.dim", 2, &Extent},
    {"tern.tensor.item_int", 1, &ItemInt},
    {"tern.tensor.item_float", 1, &ItemFloat},
    {"tern.tensor.item_bool", 1, &ItemBool},
    {"tern.tensor.to_list", 1, &ToList},
    {"tern.tensor.stack", 1, nullptr, &Stack},
    {"tern.tensor.of", 3, nullptr, &TensorOf},
    {"tern.tensor.check_shape", -1, &CheckShape},
};

constexpr ValueBuiltin kChecks[] = {
    {"tern.function.check_arguments", -1, &CheckArguments},
};

Status CheckCount(const ValueBuiltin& builtin, AnyArgs args) {
  if (builtin.arity < 0 || args.size() == static_cast<size_t>(builtin.arity)) return OkStatus();
  return InvalidArgument(builtin.name, " takes ", builtin.arity, " arguments, got ", args.size());
}

}  // namespace

std::string TextOf(const AnyView& value) {
  if (const auto text = value.TryCast<std::string_view>()) return std::string(*text);
  constexpr tern::PrintOptions kWhole = {.max_elements = 1000, .max_depth = 32};
  return PrintValue(value, kWhole);
}

std::span<const ValueBuiltin> ScalarBuiltins() { return kScalars; }
std::span<const ValueBuiltin> CheckBuiltins() { return kChecks; }

FunctionPtr FindIn(std::span<const ValueBuiltin> table, std::string_view name) {
  for (const ValueBuiltin& builtin : table) {
    if (builtin.name != name) continue;
    const ValueBuiltin* found = &builtin;
    if (found->with_context == nullptr) {
      return Function::FromPacked(name, [found](AnyArgs args) -> Result<Any> {
        TERN_TRY(CheckCount(*found, args));
        return found->plain(args);
      });
    }
    return Function::FromPacked(name, [found](RunContext& context, AnyArgs args) -> Result<Any> {
      TERN_TRY(CheckCount(*found, args));
      return found->with_context(context, args);
    });
  }
  return nullptr;
}

FunctionPtr FindValueBuiltin(std::string_view name) {
  for (const auto& table : {ListBuiltins(), MapBuiltins(), StringBuiltins(), ScalarBuiltins()}) {
    if (FunctionPtr found = FindIn(table, name)) return found;
  }
  return nullptr;
}

}  // namespace tern::vm
