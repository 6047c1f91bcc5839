// SPDX-License-Identifier: Apache-2.0
// The vm.builtin.* functions: those by which compiled programs keep track of symbolic shapes, and
// those that the founding documents name.
//
// A shape heap is an int64 tensor of rank 1 with one entry per symbol or expression of the program.
// match_shape compares a shape with a pattern, one (code, value) pair per axis (MatchCode).
#include "core/vm/builtins/builtins.h"

#include <array>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/object/containers/sequence.h"
#include "core/object/device.h"
#include "core/object/graph/print.h"
#include "core/object/run_context.h"
#include "core/vm/builtins/value_builtins.h"
#include "core/vm/scalar.h"

namespace tern::vm {

std::string_view MatchArgument(std::string_view name) { return name.substr(0, name.find('[')); }

std::string_view MatchSymbol(std::string_view name, size_t axis) {
  const size_t begin = name.find('[');
  if (begin == std::string_view::npos || !name.ends_with(']')) return {};
  std::string_view rest = name.substr(begin + 1, name.size() - begin - 2);
  for (; axis > 0; --axis) {
    const size_t comma = rest.find(',');
    if (comma == std::string_view::npos) return {};
    rest.remove_prefix(comma + 1);
  }
  rest = rest.substr(0, rest.find(','));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return rest;
}

namespace {

// A heap has an entry per symbol, so a larger size is a mistake of the file.
constexpr int64_t kMaxHeap = 1 << 20;

Result<Any> AllocShapeHeap(RunContext& context, AnyArgs args) {
  if (args.size() != 1)
    return InvalidArgument("vm.builtin.alloc_shape_heap takes (size), got ", args.size(),
                           " arguments");
  TERN_TRY_ASSIGN(const int64_t size, args[0].As<int64_t>());
  if (size < 0 || size > kMaxHeap)
    return OutOfRange("a shape heap of ", size, " entries; at most ", kMaxHeap, " are possible");
  TERN_TRY_ASSIGN(TensorPtr heap, context.NewTensor(kI64, {size}));
  // The first match stores before anything loads, but a program may be wrong.
  for (int64_t& entry : heap->values<int64_t>()) entry = 0;
  return Any(heap);
}

// The heap as a span, after everything that could make writing to it unsafe.
Result<std::span<int64_t>> HeapOf(const AnyView& value) {
  Tensor* tensor = value.TryCast<Tensor>();
  if (tensor == nullptr || tensor->dtype() != kI64 || tensor->rank() != 1 ||
      !tensor->is_contiguous()) {
    return TypeError("a shape heap is an i64 tensor of rank 1, got ",
                     tensor != nullptr ? tensor->TypeText() : std::string(value.type_name()));
  }
  TERN_TRY(CheckOnHost(*tensor, "the shape heap"));
  if (tensor->is_read_only()) return InvalidArgument("the shape heap is read-only");
  return tensor->values<int64_t>();
}

Status CheckHeapIndex(int64_t index, std::span<const int64_t> heap) {
  if (index >= 0 && index < static_cast<int64_t>(heap.size())) return OkStatus();
  return OutOfRange("shape heap index ", index, " is out of range: the heap has ", heap.size(),
                    " entries");
}

// (shape, heap, index…): stores the shape's extents, one index per axis.
Result<Any> StoreShape(AnyArgs args) {
  if (args.size() < 2) return InvalidArgument("vm.builtin.store_shape takes (shape, heap, index…)");
  std::vector<int64_t> dims;
  TERN_TRY(ToDims(args[0], &dims));
  TERN_TRY_ASSIGN(const std::span<int64_t> heap, HeapOf(args[1]));
  if (args.size() - 2 != dims.size()) {
    return InvalidArgument("vm.builtin.store_shape: the shape ", FormatDims(dims), " has ",
                           dims.size(), " axes, got ", args.size() - 2, " heap indices");
  }
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    TERN_TRY_ASSIGN(const int64_t index, args[axis + 2].As<int64_t>());
    TERN_TRY(CheckHeapIndex(index, heap));
    heap[static_cast<size_t>(index)] = dims[axis];
  }
  return Any();
}

// (heap, index…): the entries as a Shape.
Result<Any> LoadShape(AnyArgs args) {
  if (args.empty()) return InvalidArgument("vm.builtin.load_shape takes (heap, index…)");
  TERN_TRY_ASSIGN(const std::span<int64_t> heap, HeapOf(args[0]));
  std::vector<int64_t> dims;
  for (const AnyView& arg : args.subspan(1)) {
    TERN_TRY_ASSIGN(const int64_t index, arg.As<int64_t>());
    TERN_TRY(CheckHeapIndex(index, heap));
    dims.push_back(heap[static_cast<size_t>(index)]);
  }
  return Any(Shape::Make(dims));
}

// (heap, index): one entry as an int. The interpreter has a faster form for heaps of the usual kind
// (fast_ops.h) and comes here for the others.
Result<Any> LoadDim(AnyArgs args) {
  if (args.size() != 2)
    return InvalidArgument("vm.builtin.load_dim takes (heap, index), got ", args.size(),
                           " arguments");
  TERN_TRY_ASSIGN(const std::span<int64_t> heap, HeapOf(args[0]));
  TERN_TRY_ASSIGN(const int64_t index, args[1].As<int64_t>());
  TERN_TRY(CheckHeapIndex(index, heap));
  return Any(heap[static_cast<size_t>(index)]);
}

// (heap, index, extent): sets one entry; as LoadDim.
Result<Any> StoreDim(AnyArgs args) {
  if (args.size() != 3) {
    return InvalidArgument("vm.builtin.store_dim takes (heap, index, extent), got ", args.size(),
                           " arguments");
  }
  TERN_TRY_ASSIGN(const std::span<int64_t> heap, HeapOf(args[0]));
  TERN_TRY_ASSIGN(const int64_t index, args[1].As<int64_t>());
  TERN_TRY_ASSIGN(const int64_t extent, args[2].As<int64_t>());
  TERN_TRY(CheckHeapIndex(index, heap));
  heap[static_cast<size_t>(index)] = extent;
  return Any();
}

// One axis of a pattern. An error names the axis, its symbol, and where the expected extent came
// from.
Status MatchAxis(const std::vector<int64_t>& dims, size_t axis, int64_t code, int64_t value,
                 std::span<int64_t> heap, std::string_view name) {
  if (code == kMatchIgnore) return OkStatus();
  int64_t expected = value;
  if (code == kMatchStore || code == kMatchEqualHeap) {
    TERN_TRY(CheckHeapIndex(value, heap));
    if (code == kMatchStore) {
      heap[static_cast<size_t>(value)] = dims[axis];
      return OkStatus();
    }
    expected = heap[static_cast<size_t>(value)];
  } else if (code != kMatchEqualValue) {
    return InvalidArgument("vm.builtin.match_shape: unknown code ", code, " for axis ", axis);
  }
  if (dims[axis] == expected) return OkStatus();
  const std::string_view symbol = MatchSymbol(name, axis);
  Status status =
      InvalidArgument("shape mismatch", name.empty() ? "" : " for ", MatchArgument(name), ": axis ",
                      axis, symbol.empty() ? "" : StrCat(" (", symbol, ")"), ": expected ",
                      expected, ", got ", dims[axis], " of ", FormatDims(dims));
  // A heap entry was set by an earlier axis, so its number alone would tell a reader little.
  if (code == kMatchEqualHeap) {
    status.AddNote(
        StrCat("expected because ", symbol.empty() ? std::string() : StrCat(symbol, ", "),
               "shape heap entry ", value, symbol.empty() ? " holds " : ", is ", expected));
  }
  return std::move(status.SetErrorCode("E0203"));
}

// (value, heap, name, code, value, code, value, …): checks and binds the shape of a tensor, or a
// shape, at the entry of a function.
Result<Any> MatchShape(AnyArgs args) {
  if (args.size() < 3 || args.size() % 2 == 0) {
    return InvalidArgument("vm.builtin.match_shape takes (value, heap, name, code, value, …)");
  }
  std::vector<int64_t> dims;
  const Tensor* tensor = args[0].TryCast<Tensor>();
  if (tensor != nullptr)
    dims.assign(tensor->dims().begin(), tensor->dims().end());
  else
    TERN_TRY(ToDims(args[0], &dims));
  TERN_TRY_ASSIGN(const std::span<int64_t> heap, HeapOf(args[1]));
  TERN_TRY_ASSIGN(const std::string_view name, args[2].As<std::string_view>());
  // Two arguments per axis behind the first three.
  const size_t rank = (args.size() - 3) / 2;
  if (rank != dims.size()) {
    return InvalidArgument("rank mismatch", name.empty() ? "" : " for ", MatchArgument(name),
                           ": expected ", rank, ", got ", dims.size(), " of ", FormatDims(dims))
        .SetErrorCode("E0203");
  }
  for (size_t axis = 0; axis < rank; ++axis) {
    TERN_TRY_ASSIGN(const int64_t code, args[3 + 2 * axis].As<int64_t>());
    TERN_TRY_ASSIGN(const int64_t value, args[4 + 2 * axis].As<int64_t>());
    TERN_TRY(MatchAxis(dims, axis, code, value, heap, name));
  }
  return Any();
}

Result<Any> ShapeOfTensor(AnyArgs args) {
  if (args.size() != 1)
    return InvalidArgument("vm.builtin.shape_of takes (tensor), got ", args.size(), " arguments");
  TERN_TRY_ASSIGN(const Tensor* tensor, args[0].As<Tensor>());
  return Any(Shape::Make(tensor->dims()));
}

// A call that does nothing: programs use it to give a value a register of its own.
Result<Any> MoveValue(AnyArgs args) {
  if (args.size() != 1)
    return InvalidArgument("vm.builtin.move takes (value), got ", args.size(), " arguments");
  return Any(args[0]);
}

Result<Any> CopyTensor(RunContext& context, AnyArgs args) {
  if (args.size() != 1)
    return InvalidArgument("vm.builtin.copy takes (tensor), got ", args.size(), " arguments");
  TERN_TRY_ASSIGN(const Tensor* tensor, args[0].As<Tensor>());
  // On the device where the tensor is.
  DeviceAllocator* const device = tensor->on_host() ? nullptr : tensor->storage()->device();
  TERN_TRY_ASSIGN(TensorPtr copy, CopyTensorTo(*tensor, device, context.allocator()));
  return Any(copy);
}

// Values of any kind as their short text, separated by spaces, the way listings show them.
Result<Any> ToText(AnyArgs args) {
  std::string text;
  for (size_t i = 0; i < args.size(); ++i) StrAppend(&text, i == 0 ? "" : " ", PrintValue(args[i]));
  return Any(text);
}

// A line of output: texts as they are, everything else as printed.
Result<Any> PrintLine(RunContext& context, AnyArgs args) {
  std::string line;
  for (size_t i = 0; i < args.size(); ++i) StrAppend(&line, i == 0 ? "" : " ", TextOf(args[i]));
  context.Write(line);
  return Any();
}

// Memory apart from tensors, as the instruction of that name gives it. The machine is an argument
// as in the founding document, so that a reader of the code sees who gives the memory.
Result<Any> AllocStorage(RunContext& context, AnyArgs args) {
  if (args.size() != 4) {
    return InvalidArgument("vm.builtin.alloc_storage takes (vm, size, alignment, device), got ",
                           args.size(), " arguments");
  }
  if (args[0].TryCast<void*>() != static_cast<void*>(&context)) {
    return TypeError("vm.builtin.alloc_storage: the first argument is the machine, %vm, got ",
                     args[0].type_name());
  }
  TERN_TRY_ASSIGN(const int64_t size, args[1].As<int64_t>());
  TERN_TRY_ASSIGN(const int64_t alignment, args[2].As<int64_t>());
  TERN_TRY_ASSIGN(const int64_t device, args[3].As<int64_t>());
  TERN_TRY_ASSIGN(StoragePtr storage,
                  NewStorage(context.devices(), context.allocator(), size, alignment, device));
  return Any(std::move(storage));
}

Result<Any> MakeList(AnyArgs args) { return Any(Sequence::Make(args)); }

// The table for look-up, listings and docs; MakeBuiltin joins names and bodies.
constexpr std::array<BuiltinInfo, 13> kBuiltins = {{
    {"vm.builtin.alloc_shape_heap", "(size: int) -> tensor",
     "a shape heap: an i64 vector of zeros"},
    {"vm.builtin.shape_of", "(tensor) -> shape", "the shape of a tensor"},
    {"vm.builtin.store_shape", "(shape, heap, index…)",
     "stores extents into a shape heap, one index per axis"},
    {"vm.builtin.load_shape", "(heap, index…) -> shape", "a shape of entries of a shape heap"},
    {"vm.builtin.load_dim", "(heap, index) -> int", "one entry of a shape heap"},
    {"vm.builtin.store_dim", "(heap, index, extent: int)", "sets one entry of a shape heap"},
    {"vm.builtin.match_shape", "(value, heap, name, code, value, …)",
     "checks a shape, per axis: 0 ignore, 1 store to heap entry, 2 equal to heap entry, 3 equal to "
     "value"},
    {"vm.builtin.move", "(value) -> value", "the same value"},
    {"vm.builtin.copy", "(tensor) -> tensor", "a copy of the data, on the same device"},
    {"vm.builtin.to_text", "(value…) -> string", "values as listings show them"},
    {"vm.builtin.make_list", "(value…) -> list", "a list of the values"},
    {"vm.builtin.print", "(value…)", "a line of output: the values, with a space between two"},
    {"vm.builtin.alloc_storage", "(vm, size: int, alignment: int, device: int) -> storage",
     "as the instruction `alloc_storage`; `%vm` is the machine"},
}};

FunctionPtr MakeBuiltin(const BuiltinInfo& info) {
  // Tails are compared, because all names begin alike. The order matters where one ends as another
  // does.
  const auto is = [&](std::string_view tail) { return info.name.ends_with(tail); };
  const auto plain = [&](auto* body) {
    return Function::FromPacked(
        info.name, [body](AnyArgs args) { return body(args); }, info.signature);
  };
  const auto with_context = [&](auto* body) {
    return Function::FromPacked(
        info.name, [body](RunContext& c, AnyArgs args) { return body(c, args); }, info.signature);
  };
  if (is(".alloc_shape_heap")) return with_context(&AllocShapeHeap);
  if (is(".copy")) return with_context(&CopyTensor);
  if (is(".shape_of")) return plain(&ShapeOfTensor);
  if (is(".store_shape")) return plain(&StoreShape);
  if (is(".load_shape")) return plain(&LoadShape);
  if (is(".load_dim")) return plain(&LoadDim);
  if (is(".store_dim")) return plain(&StoreDim);
  if (is(".match_shape")) return plain(&MatchShape);
  if (is(".move")) return plain(&MoveValue);
  if (is(".to_text")) return plain(&ToText);
  if (is(".print")) return with_context(&PrintLine);
  if (is(".alloc_storage")) return with_context(&AllocStorage);
  return plain(&MakeList);
}

}  // namespace

std::span<const BuiltinInfo> AllBuiltins() { return kBuiltins; }

FunctionPtr FindMachineBuiltin(std::string_view name) {
  for (const BuiltinInfo& info : kBuiltins) {
    if (info.name == name) return MakeBuiltin(info);
  }
  return FindIn(CheckBuiltins(), name);
}

FunctionPtr FindBuiltin(std::string_view name) {
  FunctionPtr found = FindMachineBuiltin(name);
  return found ? found : FindValueBuiltin(name);
}

Status RegisterBuiltins(Registry* registry) {
  // A host may have registered one of the names: then its own function stays.
  for (const BuiltinInfo& info : kBuiltins) {
    if (!registry->Contains(info.name)) TERN_TRY(registry->Register(MakeBuiltin(info)));
  }
  for (const ValueBuiltin& check : CheckBuiltins()) {
    if (!registry->Contains(check.name))
      TERN_TRY(registry->Register(FindIn(CheckBuiltins(), check.name)));
  }
  return OkStatus();
}

}  // namespace tern::vm
