// SPDX-License-Identifier: Apache-2.0
// Attributes are made by the visitors of their own structs (core/ops/attr_fields.h), so that a new
// operator or attribute is tried without a line here.
#include "tests/support/random_call.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/base/check.h"
#include "core/base/strings.h"
#include "core/kernels/bind/bind.h"
#include "core/kernels/choose.h"
#include "core/kernels/cpu_features.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/sequence.h"
#include "core/object/containers/table.h"
#include "core/object/graph/print.h"
#include "core/object/run_context.h"
#include "core/object/shape.h"
#include "core/object/small_numbers.h"
#include "core/object/tensor.h"
#include "core/ops/image_attrs.h"
#include "core/ops/math_attrs.h"
#include "core/ops/ops.h"
#include "core/ops/shape_attrs.h"
#include "core/ops/special_attrs.h"
#include "core/vm/builtins/builtins.h"
#include "core/vm/builtins/value_builtins.h"
#include "tests/support/choices.h"

namespace tern::support {
namespace {

constexpr int64_t kMostBytes = int64_t{4} << 20;
constexpr int64_t kMostWork = int64_t{1} << 26;
constexpr int64_t kEdges[] = {0,
                              1,
                              -1,
                              2,
                              -2,
                              7,
                              8,
                              int64_t{1} << 16,
                              int64_t{1} << 31,
                              (int64_t{1} << 31) - 1,
                              -(int64_t{1} << 31),
                              int64_t{1} << 40,
                              int64_t{1} << 62,
                              INT64_MAX,
                              INT64_MAX - 1,
                              INT64_MIN,
                              INT64_MIN + 1};
constexpr double kFloatEdges[] = {0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.5,
                                  2.5,
                                  1e-30,
                                  1e30,
                                  -1e30,
                                  1e300,
                                  std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN()};
constexpr DType kTypes[] = {kF32,
                            kF64,
                            kF16,
                            kBf16,
                            kI64,
                            kI32,
                            kI16,
                            kI8,
                            kU64,
                            kU32,
                            kU16,
                            kU8,
                            kBool,
                            kString,
                            kI4,
                            kU4,
                            kC64,
                            kC128,
                            kF8E4M3,
                            kF8E5M2Fnuz,
                            kF8E8M0,
                            kF4E2M1,
                            kI2,
                            DType(TERN_DTYPE_FLOAT, 32, 4),
                            DType(TERN_DTYPE_UINT, 8, 3)};
constexpr std::string_view kEquations[] = {
    "ij,jk->ik",    "ii->i", "ij->ji",   "...i,...i->...", "i,j->ij", "ij->",
    "abc,abd->acd", "->",    "i,i,i->i", "...->...",       "aab->b",  "abcdefgh,ijklmnop->a"};

// Shapes that the arguments of one call share, so that many calls fit.
class Maker : public Choices {
 public:
  explicit Maker(std::span<const uint8_t> bytes) : Choices(bytes) {
    rank_ = Byte() % 5 + (One(8) ? 4 : 0);
    for (int64_t& extent : dims_) extent = SmallExtent();
    main_type_ = One(2) ? kF32 : kTypes[Byte() % std::size(kTypes)];
  }

  bool One(int of) { return Byte() % of == 0; }
  int64_t Small() { return Byte() % 4; }
  int64_t Edge() { return kEdges[Byte() % std::size(kEdges)]; }
  double FloatEdge() { return kFloatEdges[Byte() % std::size(kFloatEdges)]; }
  int64_t Integer() { return One(4) ? Edge() : Small() - (One(4) ? 2 : 0); }
  std::vector<int64_t> Integers() {
    const int64_t kinds[] = {rank_, rank_ - 2, 2 * rank_, 2 * (rank_ - 2), 0, 1, 2, 9};
    std::vector<int64_t> list(static_cast<size_t>(std::max<int64_t>(kinds[Byte() % 8], 0)));
    const int64_t shift = One(2) ? 1 : 0;
    for (int64_t& value : list) value = One(12) ? Edge() : Small() % 3 + shift;
    return list;
  }
  // As many as the attribute wants, mostly.
  std::vector<int64_t> IntegersOf(std::string_view key) {
    if (One(4)) return Integers();
    const bool is_window = key == "kernel" || key == "strides" || key == "dilations" ||
                           key == "output_padding" || key == "output_shape";
    const int64_t count = is_window       ? rank_ - 2
                          : key == "pads" ? 2 * (is_image_ ? rank_ - 2 : rank_)
                          : key == "axes" ? Small()
                                          : rank_;
    std::vector<int64_t> list(static_cast<size_t>(std::max<int64_t>(count, 0)));
    const int64_t least = is_window ? 1 : 0;
    for (int64_t& value : list) value = One(16) ? Edge() : least + Small() % 3;
    return list;
  }
  uint8_t Next() { return Byte(); }
  int rank() const { return static_cast<int>(rank_); }
  void MakeImage() {
    is_image_ = true;
    rank_ = One(4) ? 3 + Small() : 4;
  }
  void UseType(DType dtype) { main_type_ = dtype; }
  DType main_type() const { return main_type_; }
  // An extent that the arguments share, by its number.
  int64_t Shared(int64_t i) const { return dims_[i & 7]; }
  int64_t Positive() { return 1 + Small(); }

  DType Type() { return One(12) ? kTypes[Byte() % std::size(kTypes)] : main_type_; }
  std::vector<int64_t> Extents();
  Any Tensor(DType dtype, std::vector<int64_t> dims);
  Any Argument(std::string_view parameter);
  Any Value(int depth);

 private:
  int64_t SmallExtent() {
    const int64_t common[] = {1, 2, 3, 1, 2, 4, 6, 16, 0};
    return common[Byte() % std::size(common)];
  }
  void Fill(tern::Tensor* tensor);

  bool is_image_ = false;
  int64_t rank_;
  int64_t dims_[8] = {};
  DType main_type_;
};

std::vector<int64_t> Maker::Extents() {
  const int64_t rank = One(6) ? Byte() % 10 : rank_;
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i) {
    const uint8_t kind = Byte() % 32;
    dims.push_back(kind == 0   ? 1
                   : kind == 1 ? 0
                   : kind == 2 ? dims_[0]
                   : kind == 3 ? dims_[1]
                   : kind == 4 ? SmallExtent()
                   : kind == 5 ? Edge()
                               : dims_[i % 8]);
  }
  return dims;
}

void Maker::Fill(tern::Tensor* tensor) {
  const DType dtype = tensor->dtype();
  auto* bytes = static_cast<uint8_t*>(tensor->data());
  if (dtype.is_string()) return;
  const int64_t count = std::min<int64_t>(tensor->element_count(), 1 << 16);
  std::fill_n(bytes, tensor->byte_size(), uint8_t{0});
  const bool edges = One(4);
  for (int64_t i = 0; i < count; ++i) {
    const bool edge = edges && One(4);
    if (dtype == kI64)
      reinterpret_cast<int64_t*>(bytes)[i] = edge ? Edge() : Small();
    else if (dtype == kI32)
      reinterpret_cast<int32_t*>(bytes)[i] = static_cast<int32_t>(edge ? Edge() : Small());
    else if (dtype == kF32)
      reinterpret_cast<float*>(bytes)[i] =
          static_cast<float>(edge ? FloatEdge() : static_cast<double>(Small()));
    else if (dtype == kF64)
      reinterpret_cast<double*>(bytes)[i] = edge ? FloatEdge() : static_cast<double>(Small());
    else if (dtype == kBool)
      bytes[i] = static_cast<uint8_t>(Small() & 1);
    else if (i < static_cast<int64_t>(tensor->byte_size()))
      bytes[i] = Next();
  }
}

Any Maker::Tensor(DType dtype, std::vector<int64_t> dims) {
  static const ObjectPtr<Allocator> allocator = [] {
    ObjectPtr<Allocator> made = MakeNaiveAllocator();
    made->set_limit(kMostBytes);
    return made;
  }();
  Result<TensorPtr> tensor = tern::Tensor::New(allocator.get(), dtype, dims);
  if (!tensor.ok()) {
    for (int64_t& dim : dims) dim = dim < 0 || dim > 4 ? 2 : dim;
    tensor = tern::Tensor::New(allocator.get(), dtype, dims);
  }
  if (!tensor.ok()) return Any();
  Fill(tensor->get());
  if (!One(16) || dtype.is_string() || dtype.bits < 8) return Any(*std::move(tensor));
  // A window whose elements repeat.
  std::vector<int64_t> strides(dims.size(), 0);
  if ((*tensor)->element_count() == 0) return Any(*std::move(tensor));
  Result<TensorPtr> view = (*tensor)->View(dims, strides, 0);
  return view.ok() ? Any(*std::move(view)) : Any(*std::move(tensor));
}

Any Maker::Argument(std::string_view parameter) {
  constexpr std::string_view kIntegers[] = {"indices", "shape",   "axes",      "starts", "ends",
                                            "steps",   "pads",    "k",         "depth",  "repeats",
                                            "sizes",   "lengths", "max_output"};
  const uint8_t kind = Byte() % 64;
  if (kind == 0) return Any();
  if (kind == 1) return Value(0);
  if (kind == 2) return Any(Integer());
  if (kind == 3) return Any(FloatEdge());
  const bool integers =
      std::find(std::begin(kIntegers), std::end(kIntegers), parameter) != std::end(kIntegers);
  if (parameter == "condition") return Tensor(kBool, Extents());
  if (parameter == "lengths") return Tensor(kI32, {dims_[1]});
  if (integers && One(2)) {
    const std::vector<int64_t> values = Integers();
    const std::vector<int64_t> dims = {static_cast<int64_t>(values.size())};
    return Any(tern::Tensor::FromValues<int64_t>(values, dims).value());
  }
  if (integers && One(2)) return Any(tern::Tensor::Scalar(Integer()));
  if (integers) return Tensor(kI64, Extents());
  if (One(4)) return Tensor(Type(), {dims_[1]});
  if (One(16)) return Tensor(Type(), {});
  return Tensor(Type(), Extents());
}

// A value of any kind.
Any Maker::Value(int depth) {
  switch (Byte() % (depth < 3 ? 14 : 8)) {
    case 0: return Any();
    case 1: return Any(Edge());
    case 2: return Any(Small());
    case 3: return Any(FloatEdge());
    case 4: return Any(One(2));
    case 5: return Any(std::string(Byte() % 24, "a\xc3\xa9,"[Byte() % 4]));
    case 6: return Any(std::string("f32"));
    case 7: return Any(Shape::Make(Integers()));
    case 8: return Tensor(kTypes[Byte() % std::size(kTypes)], Extents());
    case 9: return Tensor(kI64, {Small()});
    case 10: {
      TablePtr table = Table::Make();
      for (int64_t i = Small(); i > 0; --i) table->Set(Value(depth + 1), Value(depth + 1));
      return Any(table);
    }
    default: {
      std::vector<Any> items;
      for (int64_t i = Small(); i > 0; --i) items.push_back(Value(depth + 1));
      const std::vector<AnyView> views(items.begin(), items.end());
      if (One(4)) return Any(Adt::Tuple(std::span<const AnyView>(views)));
      return Any(Sequence::Make(views));
    }
  }
}

// Visits the fields of an attribute struct and sets some of them.
class AttrMaker {
 public:
  AttrMaker(Maker* maker, Attrs* attrs) : maker_(*maker), attrs_(*attrs) {}

  void Int(std::string_view key, int64_t, int64_t) {
    if (maker_.One(2)) attrs_.SetInt(key, maker_.Integer());
  }
  void Bool(std::string_view key, bool, bool) {
    if (maker_.One(2)) attrs_.SetInt(key, maker_.One(2) ? 1 : 0);
  }
  void Float(std::string_view key, float, float) {
    if (maker_.One(4)) attrs_.SetFloat(key, maker_.FloatEdge());
  }
  void IntList(std::string_view key, const ops::Ints&) {
    if (key == "kernel" || maker_.One(2)) attrs_.SetInts(key, maker_.IntegersOf(key));
  }
  void FloatList(std::string_view key, const ops::Floats&) {
    if (!maker_.One(2)) return;
    std::vector<float> values;
    for (int64_t value : maker_.Integers())
      values.push_back(maker_.One(4) ? static_cast<float>(maker_.FloatEdge())
                                     : static_cast<float>(value) / 2);
    attrs_.SetFloats(key, values);
  }
  void Text(std::string_view key, const std::string&) {
    if (key == "equation") attrs_.SetString(key, kEquations[maker_.Next() % std::size(kEquations)]);
    if (key == "value") attrs_.SetFloat(key, maker_.FloatEdge());
    if (key == "activations" && maker_.One(3)) attrs_.SetString(key, "Tanh,Affine,ScaledTanh");
  }
  void Type(std::string_view key, DType, DType) {
    if (!maker_.One(8)) attrs_.SetString(key, kTypes[maker_.Next() % std::size(kTypes)].ToString());
  }
  template <class E>
  void Enum(std::string_view key, E value, E) {
    const std::span<const std::string_view> names = EnumNames(value);
    if (maker_.One(2)) attrs_.SetString(key, names[maker_.Next() % names.size()]);
  }

 private:
  Maker& maker_;
  Attrs& attrs_;
};

template <class AttrsType>
void MakeAttrs(Maker* maker, Attrs* attrs) {
  AttrMaker visitor(maker, attrs);
  AttrsType fields;
  AttrsType::Fields(visitor, fields);
}

// Arguments that fit each other, for operators whose arguments seldom do by chance; empty: none.
using Shapes = std::vector<std::vector<int64_t>>;

Shapes ConvolutionShapes(Maker* maker, const Attrs& attrs, bool transposed) {
  const int64_t groups = std::clamp<int64_t>(attrs.GetInt("groups", 1), 1, 4);
  const bool last = attrs.GetString("layout", "nchw") == "nhwc";
  const int64_t in = groups * maker->Positive(), out = groups * maker->Positive();
  Shapes shapes(3);
  shapes[0] = {maker->Positive(), in};
  shapes[1] =
      transposed ? std::vector<int64_t>{in, out / groups} : std::vector<int64_t>{out, in / groups};
  for (int i = 2; i < maker->rank(); ++i) {
    shapes[0].insert(last ? shapes[0].begin() + 1 : shapes[0].end(), maker->Next() % 24);
    shapes[1].push_back(maker->Positive());
  }
  shapes[2] = {out};
  return shapes;
}

Shapes RecurrentShapes(Maker* maker, std::string_view op, const Attrs& attrs) {
  const int64_t gates = op == "rnn" ? 1 : op == "gru" ? 3 : 4;
  const int64_t directions = attrs.GetString("direction", "") == "bidirectional" ? 2 : 1;
  const int64_t given = attrs.GetInt("hidden", 0);
  const int64_t hidden = given > 0 && given < 9 ? given : maker->Positive();
  const int64_t a = maker->Small(), b = maker->Small(), in = maker->Small();
  const int64_t batch = attrs.GetInt("batch_first", 0) != 0 ? a : b;
  return {{a, b, in},
          {directions, gates * hidden, in},
          {directions, gates * hidden, hidden},
          {directions, 2 * gates * hidden},
          {batch}};
}

Shapes FittingShapes(Maker* maker, const ops::OpInfo& info, const Attrs& attrs) {
  const std::string_view op = info.name;
  if (op == "conv2d" || op == "conv3d") return ConvolutionShapes(maker, attrs, false);
  if (op == "conv_transpose2d") return ConvolutionShapes(maker, attrs, true);
  if (info.family == ops::Family::recurrent) return RecurrentShapes(maker, op, attrs);
  std::vector<int64_t> x;
  for (int i = 0; i < maker->rank(); ++i) x.push_back(maker->Shared(i));
  if (op == "scatter_elements") return {x, x, x};
  if (op == "scatter_nd") return {{4, 5}, {3, 1}, {3, 5}};
  if (op == "non_max_suppression") return {{2, 7, 4}, {2, 3, 7}, {}, {}, {}};
  if (op == "range" || op == "one_hot") return {{}, {}, {op == "range" ? 1 : 2}};
  if (op == "quantize_linear" || op == "dequantize_linear") return {x, {}, {}};
  if (info.family != ops::Family::norm || x.empty()) return {};
  const auto rank = static_cast<int64_t>(x.size());
  const int64_t axis = attrs.GetInt("axis", 1);
  const int64_t channels = x[static_cast<size_t>(((axis % rank) + rank) % rank)];
  Shapes shapes(5, {channels});
  shapes[0] = x;
  return shapes;
}

// Of argument `index`, where not the main one.
DType FittingType(std::string_view op, int index, DType main) {
  if (op == "where" || op == "compress") return index == (op == "where" ? 0 : 1) ? kBool : main;
  if (op == "non_max_suppression") return index == 2 ? kI64 : kF32;
  if (op == "scatter_elements" || op == "scatter_nd") return index == 1 ? kI64 : main;
  if (op == "dequantize_linear" || op == "quantize_linear")
    return (index == 0) == (op == "quantize_linear") || index == 1 ? kF32 : kU8;
  if (index == 4 && (op == "rnn" || op == "gru" || op == "lstm")) return kI32;
  return main;
}

void ChooseMain(Maker* maker, const ops::OpInfo& info) {
  if (info.family == ops::Family::image && !maker->One(8)) maker->MakeImage();
  if (maker->One(4)) return;
  const std::string_view op = info.name;
  const bool logic = op == "not" || op == "and" || op == "or" || op == "xor";
  const bool bits = op.starts_with("bitwise") || op.starts_with("shift");
  if (logic) maker->UseType(kBool);
  if (bits) maker->UseType(maker->One(2) ? kU8 : kU64);
  if (op == "range") maker->UseType(maker->One(2) ? kI32 : kI64);
  if (info.family == ops::Family::norm || info.family == ops::Family::recurrent)
    maker->UseType(kF32);
}

struct Operator {
  std::string_view name;
  void (*make)(Maker* maker, Attrs* attrs);
};
constexpr Operator kOperators[] = {
#define TERN_BIND(name, AttrsType, Function) {#name, &MakeAttrs<ops::AttrsType>},
#include "core/kernels/bind/bindings.def"
};

std::vector<std::string_view> BuiltinNames() {
  std::vector<std::string_view> names;
  for (const vm::BuiltinInfo& info : vm::AllBuiltins()) names.push_back(info.name);
  for (const auto& table :
       {vm::ListBuiltins(), vm::MapBuiltins(), vm::StringBuiltins(), vm::ScalarBuiltins(),
        vm::CheckBuiltins()}) {
    for (const vm::ValueBuiltin& builtin : table) names.push_back(builtin.name);
  }
  return names;
}

// So that a sanitizer sees a result that is not there.
void Touch(const AnyView& value) {
  if (const Adt* tuple = value.TryCast<Adt>()) {
    for (const Any& field : tuple->fields()) Touch(field);
  }
  const tern::Tensor* tensor = value.TryCast<tern::Tensor>();
  if (tensor == nullptr || tensor->dtype().is_string() || !tensor->is_contiguous()) return;
  uint8_t sum = 0;
  for (const uint8_t byte : tensor->bytes()) sum = static_cast<uint8_t>(sum ^ byte);
  volatile uint8_t kept = sum;
  static_cast<void>(kept);
}

}  // namespace

std::string RandomCall::ToText() const {
  std::string text = name;
  for (const Any& arg : args) {
    const tern::Tensor* tensor = arg.TryCast<tern::Tensor>();
    StrAppend(&text, " ", tensor != nullptr ? tensor->TypeText() : PrintValue(arg));
  }
  return text;
}

size_t OperatorCount() { return std::size(kOperators); }

RandomCall MakeOperatorCall(size_t op, std::span<const uint8_t> choices) {
  const Operator& made = kOperators[op % std::size(kOperators)];
  Maker maker(choices);
  const ops::OpInfo& info = *ops::FindOp(made.name);
  ChooseMain(&maker, info);
  Attrs attrs;
  if (!maker.One(4)) made.make(&maker, &attrs);
  RandomCall call;
  call.name = MakePrimitiveName(made.name, attrs);
  const Shapes shapes = maker.One(4) ? Shapes() : FittingShapes(&maker, info, attrs);
  int count = info.max_args > 16 ? maker.Next() % 4 : info.min_args;
  while (count < info.max_args && count < 16 && maker.One(2)) ++count;
  if (maker.One(64)) count = maker.Next() % 10;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(i);
    const DType dtype = FittingType(info.name, i, maker.main_type());
    if (at < shapes.size() && !maker.One(16))
      call.args.push_back(maker.Tensor(dtype, shapes[at]));
    else if (dtype != maker.main_type() && !maker.One(8))
      call.args.push_back(maker.Tensor(dtype, maker.Extents()));
    else
      call.args.push_back(maker.Argument(info.parameter(i)));
  }
  return call;
}

size_t BuiltinCount() { return BuiltinNames().size(); }

RandomCall MakeBuiltinCall(size_t builtin, std::span<const uint8_t> choices) {
  static const std::vector<std::string_view> names = BuiltinNames();
  Maker maker(choices);
  RandomCall call;
  call.name = std::string(names[builtin % names.size()]);
  for (int64_t count = 1 + maker.Small() + (maker.One(8) ? 4 : 0); count > 0; --count)
    call.args.push_back(maker.Value(0));
  return call;
}

CallOutcome RunCall(const RandomCall& call, CallKernels which) {
  static const kernels::KernelTable& fastest = kernels::ChooseTable(kernels::DetectCpuFeatures());
  FunctionPtr function = vm::FindBuiltin(call.name);
  if (function == nullptr) {
    Result<FunctionPtr> made = kernels::MakeOperator(call.name);
    if (!made.ok()) return {};
    function = *std::move(made);
  }
  ObjectPtr<Allocator> allocator = MakeNaiveAllocator();
  allocator->set_limit(kMostBytes);
  RunContext context(allocator);
  if (which == CallKernels::kFastest) context.set_kernels(&fastest);
  context.set_work_left(kMostWork, "S0301");
  const std::vector<AnyView> views(call.args.begin(), call.args.end());
  const Result<Any> result = function->Invoke(views, &context);
  if (result.ok()) Touch(*result);
  return {.made = true, .ran = result.ok()};
}

}  // namespace tern::support
