// SPDX-License-Identifier: Apache-2.0
// The packed call: kinds that cross it both ways, conversions allowed and refused, the exact words
// of errors, and code that reads arguments as a compiler's output does.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "core/object/allocator.h"
#include "core/object/boxed.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/array.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/list.h"
#include "core/object/containers/map.h"
#include "core/object/containers/tuple.h"
#include "core/object/function.h"
#include "core/object/graph/print.h"
#include "core/object/rfc97/module.h"
#include "core/object/shape.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/tensor.h"
#include "tests/unit/object/counting.h"

namespace tern::calls_test {
namespace {

using CallsTest = CountedTest;
using CallsTestBad = CountedTest;

FunctionPtr MakeEcho() {
  return Function::FromTyped("echo", [](Any value) { return value; });
}

// What the samples below borrow.
struct Kept {
  Kept() { values.reserve(100); }
  std::vector<Any> values;
  std::vector<ObjectPtr<Object>> boxes;
};

// A value of every kind that types.def lists, as a caller may write it.
AnyView SampleOfKind(TernTypeCode code, Kept* keep) {
  using internal::MakePointerAny;
  const auto kept = [keep](Any value) {
    keep->values.push_back(std::move(value));
    return &keep->values.back();
  };
  static int target = 0;
  static const AnyPad<2> padded(std::string_view("fifteen letters"));
  static const UCS4String two(U"é😀");
  switch (code) {
    case TERN_TYPE_NONE: return AnyView();
    case TERN_TYPE_INT: return AnyView(INT64_MIN);
    case TERN_TYPE_FLOAT: return AnyView(-0.0);
    case TERN_TYPE_BOOL: return AnyView(true);
    case TERN_TYPE_OPAQUE: return AnyView(static_cast<void*>(&target));
    case TERN_TYPE_OBJECT_HANDLE:
      return AnyView(MakePointerAny(code, kept(Any(Shape::Make({3})))->object()));
    case TERN_TYPE_SMALL_STRING: return *kept(Any("seven77"));
    case TERN_TYPE_SMALL_UCS4: return *kept(Any(two));
    case TERN_TYPE_RAW_STRING: return AnyView("raw C text");
    case TERN_TYPE_DTYPE: return AnyView(kF8E4M3);
    case TERN_TYPE_DEVICE: return AnyView(TernDLDevice{TERN_DEVICE_CPU, 5});
    case TERN_TYPE_RVALUE_REF: return AnyView(MakePointerAny(code, kept(Any(Shape::Make({4})))));
    case TERN_TYPE_DL_TENSOR: {
      const Any* tensor = kept(Any(Tensor::Scalar(1.5f)));
      return AnyView(*AnyView(*tensor).TryCast<const TernDLTensor*>());
    }
    case TERN_TYPE_PADDED: return padded.view();
    case TERN_TYPE_MODULE: return *kept(Any(Module::Make("m")));
    case TERN_TYPE_FUNCTION: return *kept(Any(MakeEcho()));
    case TERN_TYPE_TENSOR: return *kept(Any(Tensor::Scalar(2.5f)));
    case TERN_TYPE_BOX_INT:
    case TERN_TYPE_BOX_FLOAT:
    case TERN_TYPE_BOX_BOOL:
    case TERN_TYPE_BOX_OPAQUE:
    case TERN_TYPE_BOX_DTYPE:
    case TERN_TYPE_BOX_DEVICE: {
      // As foreign callers may pass it; C++ unboxes it.
      static const TernTypeCode kValues[] = {TERN_TYPE_INT,    TERN_TYPE_FLOAT, TERN_TYPE_BOOL,
                                             TERN_TYPE_OPAQUE, TERN_TYPE_DTYPE, TERN_TYPE_DEVICE};
      keep->boxes.push_back(ToObject(SampleOfKind(kValues[code - TERN_TYPE_BOX_INT], keep)));
      TernAny box = internal::MakeAny(code);
      box.v.object = keep->boxes.back()->header();
      return AnyView(box);
    }
    case TERN_TYPE_STRING: return *kept(Any(std::string(30, 's')));
    case TERN_TYPE_UCS4_STRING: return *kept(Any(UCS4String(U"añ你😀 and more")));
    case TERN_TYPE_BYTES: return *kept(Any(Bytes::Make("bytes")));
    case TERN_TYPE_SHAPE: return *kept(Any(Shape::Make({1, 2})));
    case TERN_TYPE_LIST: return *kept(Any(List<>({1, "two"})));
    case TERN_TYPE_MAP: return *kept(Any(Map<>{{"a", 1}}));
    case TERN_TYPE_ADT: return *kept(Any(Adt::Make(3, AnyArgs())));
    case TERN_TYPE_CLOSURE: return *kept(Any(Closure::Make(1, AnyArgs())));
    case TERN_TYPE_STORAGE: return *kept(Any(Storage::New(DefaultAllocator().get(), 8).value()));
    case TERN_TYPE_ERROR: return *kept(Any(Error::Make(Failed("an error"))));
    default: ADD_FAILURE() << "no sample of kind " << TypeKey(code); return AnyView();
  }
}

TEST_F(CallsTest, D16EveryKindOfTheTableCrossesACallBothWays) {
  const FunctionPtr echo = MakeEcho();
  Kept keep;
  const auto check = [&](TernTypeCode code, TernTypeCode back) {
    const AnyView sent = SampleOfKind(code, &keep);
    EXPECT_EQ(sent.type_code(), code);
    // A moved reference is looked through, since owning it would take what it offers.
    const bool moved = code == TERN_TYPE_RVALUE_REF;
    const std::string text =
        PrintValue(moved ? Any(AnyView(internal::Resolve(sent.c_any()))) : Any(sent));
    const Result<Any> got = echo->Invoke({sent});
    ASSERT_TRUE(got.ok()) << TypeKey(code) << ": " << got.status().message();
    EXPECT_EQ(got->type_code(), back) << TypeKey(code);
    EXPECT_EQ(PrintValue(*got), text) << TypeKey(code);
    if (code == back)
      EXPECT_EQ(std::memcmp(&got->c_any(), &sent.c_any(), sizeof(TernAny)), 0) << TypeKey(code);
  };
#define TERN_TYPE(NAME, key, phrase) TERN_TYPE_##NAME,
  const TernTypeCode kinds[] = {
#include "core/object/types.def"
  };
#undef TERN_TYPE
  // What is borrowed comes back owned, what is boxed unboxed; all else as it was.
  const std::map<TernTypeCode, TernTypeCode> others = {
      {TERN_TYPE_OBJECT_HANDLE, TERN_TYPE_SHAPE}, {TERN_TYPE_RAW_STRING, TERN_TYPE_STRING},
      {TERN_TYPE_RVALUE_REF, TERN_TYPE_SHAPE},    {TERN_TYPE_DL_TENSOR, TERN_TYPE_TENSOR},
      {TERN_TYPE_PADDED, TERN_TYPE_STRING},       {TERN_TYPE_BOX_INT, TERN_TYPE_INT},
      {TERN_TYPE_BOX_FLOAT, TERN_TYPE_FLOAT},     {TERN_TYPE_BOX_BOOL, TERN_TYPE_BOOL},
      {TERN_TYPE_BOX_OPAQUE, TERN_TYPE_OPAQUE},   {TERN_TYPE_BOX_DTYPE, TERN_TYPE_DTYPE},
      {TERN_TYPE_BOX_DEVICE, TERN_TYPE_DEVICE}};
  for (const TernTypeCode kind : kinds) {
    const auto other = others.find(kind);
    check(kind, other == others.end() ? kind : other->second);
  }
}

TEST_F(CallsTest, D16EveryKindCrossesACallBothWays) {
  const FunctionPtr echo = MakeEcho();
  int target = 0;
  const Any values[] = {Any(),
                        Any(INT64_MIN),
                        Any(-0.0),
                        Any(false),
                        Any(static_cast<void*>(&target)),
                        Any("seven77"),
                        Any(std::string(30, 's')),
                        Any(kF8E4M3),
                        Any(TernDLDevice{TERN_DEVICE_CPU, 5}),
                        Any(Shape::Make({1, 2})),
                        Any(Tensor::Scalar(1.5f)),
                        Any(echo)};
  for (const Any& value : values) {
    const Any back = *echo->Invoke({value});
    EXPECT_EQ(std::memcmp(&back.c_any(), &value.c_any(), sizeof(TernAny)), 0) << value.type_name();
  }
  EXPECT_EQ(*echo->Invoke({"raw"})->As<std::string>(), "raw");
  EXPECT_EQ(std::string(*echo->Invoke({"raw C text"})->TryCast<const char*>()), "raw C text");
}

TEST_F(CallsTest, D16DLTensorsCrossBothWays) {
  const auto first = Function::FromTyped("first", [](const TernDLTensor* tensor) {
    return double{static_cast<const float*>(tensor->data)[0]};
  });
  EXPECT_EQ(first->signature(), "(tensor) -> float");
  const TensorPtr tensor = Tensor::FromValues<float>({3, 4}, {2}).value();
  EXPECT_EQ(*first->Invoke({tensor})->As<double>(), 3);
  const TernDLTensor* borrowed = &tensor->c_tensor().dl.tensor;
  EXPECT_EQ(*first->Invoke({borrowed})->As<double>(), 3);
  // A borrowed one that is kept, or given back, is copied into a tensor.
  const Any back = *MakeEcho()->Invoke({borrowed});
  EXPECT_EQ(back.TryCast<Tensor>()->values<float>()[1], 4);
  EXPECT_NE(back.TryCast<Tensor>()->data(), tensor->data());
}

TEST_F(CallsTest, D04ViewsCopyWithoutCounting) {
  static_assert(std::is_trivially_copyable_v<AnyView> && std::is_trivially_destructible_v<AnyView>);
  const ShapePtr shape = Shape::Make({1});
  std::vector<AnyView> views(1000, AnyView(shape));
  std::vector<AnyView> copies = views;
  EXPECT_EQ(shape->ref_count(), 1);
  int32_t seen = 0;
  const auto count =
      Function::FromTyped("count", [&seen](AnyView view) { seen = view.object()->ref_count(); });
  ASSERT_TRUE(count->Invoke({copies[7]}).ok());
  EXPECT_EQ(seen, 1) << "an argument is borrowed";
}

TEST_F(CallsTest, D03EqualValuesAreEqualBytesWhateverWasThereBefore) {
  const auto same = [](const Any& a, const Any& b) {
    return std::memcmp(&a.c_any(), &b.c_any(), sizeof(TernAny)) == 0;
  };
  const Any values[] = {Any(),
                        Any(7),
                        Any(2.5),
                        Any(true),
                        Any("abc"),
                        Any("seven77"),
                        Any(kI8),
                        Any(TernDLDevice{1, 2}),
                        Any(Shape::Make({1}))};
  for (const Any& value : values) {
    for (const Any& before : values) {
      Any written = before;
      written = value;
      EXPECT_TRUE(same(written, value)) << before.type_name() << " " << value.type_name();
    }
  }
  // One payload byte of a bool or a dtype is used; the rest is zero.
  EXPECT_EQ(Any(true).c_any().v.i, 1);
  EXPECT_EQ(Any(kI8).c_any().v.i >> 32, 0);
  EXPECT_EQ(Any("").c_any().v.i, 0);
  EXPECT_FALSE(same(Any(1), Any(true)));
}

TEST_F(CallsTest, D22D33TheTableOfConversions) {
  const auto to_int = Function::FromTyped("to_int", [](int64_t) {});
  const auto to_i8 = Function::FromTyped("to_i8", [](int8_t) {});
  const auto to_float = Function::FromTyped("to_float", [](double) {});
  const auto to_bool = Function::FromTyped("to_bool", [](bool) {});
  const auto to_text = Function::FromTyped("to_text", [](std::string_view) {});
  const auto to_dtype = Function::FromTyped("to_dtype", [](DType) {});
  const auto to_object = Function::FromTyped("to_object", [](ObjectPtr<Object>) {});
  const auto to_shape = Function::FromTyped("to_shape", [](const Shape&) {});
  const auto to_any = Function::FromTyped("to_any", [](AnyView) {});
  const FunctionPtr functions[] = {to_int,   to_i8,     to_float, to_bool, to_text,
                                   to_dtype, to_object, to_shape, to_any};
  const struct {
    Any value;
    const char* allowed;  // one letter per function: y or n
  } kRows[] = {
      {Any(5), "yyynnnyny"},
      {Any(1000), "ynynnnyny"},
      {Any(true), "yyyynnyny"},
      {Any(2.5), "nnynnnyny"},
      {Any(2.0), "nnynnnyny"},
      {Any("5"), "nnnnynyny"},
      {Any("long text"), "nnnnynyny"},
      {Any(kF32), "nnnnnyyny"},
      {Any(), "nnnnnnnny"},
      {Any(Shape::Make({1})), "nnnnnnyyy"},
      {Any(Tensor::Scalar(5)), "nnnnnnyny"},
  };
  for (const auto& [value, allowed] : kRows) {
    for (size_t i = 0; i < std::size(functions); ++i) {
      const Result<Any> result = functions[i]->Invoke({value});
      EXPECT_EQ(result.ok(), allowed[i] == 'y')
          << functions[i]->name() << " of " << value.type_name();
      if (!result.ok()) EXPECT_EQ(result.status().code(), StatusCode::kTypeError);
    }
  }
}

// What containers convert to, and what they do not.
TEST_F(CallsTest, D33TuplesAndListsConvertWhereNothingIsLost) {
  const auto to_array = Function::FromTyped("to_array", [](Array<>) {});
  const auto to_ints = Function::FromTyped("to_ints", [](Array<int64_t>) {});
  const auto to_floats = Function::FromTyped("to_floats", [](const List<double>&) {});
  const auto to_list = Function::FromTyped("to_list", [](List<>) {});
  const auto to_shape = Function::FromTyped("to_shape", [](ShapePtr) {});
  const auto to_map = Function::FromTyped("to_map", [](Map<String, int64_t>) {});
  const auto to_pair = Function::FromTyped("to_pair", [](Tuple<int64_t, double>) {});
  const FunctionPtr functions[] = {to_array, to_ints, to_floats, to_list,
                                   to_shape, to_map,  to_pair};
  const struct {
    Any value;
    const char* allowed;  // one letter per function: y or n
  } kRows[] = {
      {Any(List<>({1, 2})), "yyyyynn"},
      {Any(Array<>({1, 2})), "yyyyynn"},
      {Any(List<>({1, 2.5})), "ynyynnn"},
      {Any(List<>({"a"})), "ynnynnn"},
      {Any(Adt::Tuple({1, 2})), "yynnyny"},
      {Any(Adt::Tuple({1, 2.5})), "ynnnnny"},
      {Any(Adt::Tuple({})), "yynnynn"},
      {Any(Adt::Make(3, AnyArgs())), "nnnnnnn"},
      {Any(Map<>{{"a", 1}}), "nnnnnyn"},
      {Any(Map<>{{1, 1}}), "nnnnnnn"},
      {Any(Shape::Make({1})), "nnnnynn"},
      {Any("text"), "nnnnnnn"},
      {Any(1), "nnnnnnn"},
      {Any(), "nnnnnnn"},
  };
  for (const auto& [value, allowed] : kRows) {
    for (size_t i = 0; i < std::size(functions); ++i) {
      EXPECT_EQ(functions[i]->Invoke({value}).ok(), allowed[i] == 'y')
          << functions[i]->name() << " of " << PrintValue(value);
    }
  }
  const auto sum = Function::FromTyped("sum", [](const Array<int64_t>& numbers) {
    int64_t total = 0;
    for (const int64_t number : numbers) total += number;
    return total;
  });
  EXPECT_EQ(*sum->CallAs<int64_t>(Adt::Tuple({1, 2, 39})), 42);
  EXPECT_EQ(sum->CallAs<int64_t>(Adt::Tuple({1, "b"})).status().message(),
            "sum: argument 0: expected array<int>: item 1: expected int, got string \"b\"");
  const auto rank = Function::FromTyped("rank", [](ShapePtr shape) { return shape->size(); });
  EXPECT_EQ(*rank->CallAs<int64_t>(List<>({2, 3})), 2);
  EXPECT_EQ(rank->CallAs<int64_t>(List<>({2, true})).status().message(),
            "rank: argument 0: expected shape, got list");
}

TEST_F(CallsTestBad, D32TheWordsOfEveryRefusal) {
  const auto f = Function::FromTyped(
      "pad", [](const Tensor&, int8_t, std::string_view, bool, ObjectPtr<Shape>) { return 1; });
  EXPECT_EQ(f->signature(), "(tensor, i8, string, bool, shape) -> i32");
  const TensorPtr t = Tensor::Scalar(1.0f);
  const ShapePtr s = Shape::Make({1});
  const auto error = [&](std::initializer_list<AnyView> args) {
    return std::string(f->Invoke(args).status().message());
  };
  EXPECT_EQ(error({}),
            "pad: expected 5 arguments, got 0; its signature is "
            "(tensor, i8, string, bool, shape) -> i32");
  EXPECT_EQ(error({1, 1, "s", true, s}), "pad: argument 0: expected tensor, got int 1");
  EXPECT_EQ(error({t, 128, "s", true, s}), "pad: argument 1: expected i8, got int 128");
  EXPECT_EQ(error({t, 1, kF32, true, s}), "pad: argument 2: expected string, got dtype");
  EXPECT_EQ(error({t, 1, "s", 1, s}), "pad: argument 3: expected bool, got int 1");
  EXPECT_EQ(error({t, 1, "s", true, t}), "pad: argument 4: expected shape, got tensor f32[]");
  EXPECT_EQ(error({t, 1, "s", true, nullptr}), "pad: argument 4: expected shape, got none");
  EXPECT_EQ(error({t, 2.5, kF32, 1, t}), "pad: argument 1: expected i8, got float 2.5")
      << "the first that is wrong";
}

TEST_F(CallsTest, D29CallAsPacksAndUnpacks) {
  const auto add = Function::FromTyped("add", [](int64_t a, int64_t b) { return a + b; });
  EXPECT_EQ(*add->CallAs<int64_t>(40, 2), 42);
  EXPECT_EQ(*add->CallAs<double>(40, 2), 42.0);
  EXPECT_EQ(add->CallAs(40, 2)->type_code(), TERN_TYPE_INT);
  EXPECT_EQ(add->CallAs<std::string>(40, 2).status().message(),
            "add: its result: expected string, got int 42");
  EXPECT_EQ(add->CallAs<int64_t>(40, "2").status().message(),
            "add: argument 1: expected int, got string \"2\"");
  const auto make = Function::FromTyped("make", [](int64_t n) { return Shape::Make({n}); });
  EXPECT_EQ((**make->CallAs<ShapePtr>(3))[0], 3);
  EXPECT_EQ(make->CallAs<ShapePtr>(3)->get()->ref_count(), 1);
}

// What a compiler emits for f(int x, int y) = x * 10 + y: loads at fixed offsets, no helper. It may
// expect a plain int, because what goes into an argument is unboxed.
int32_t Generated(void*, const TernAny* args, int32_t num_args, TernAny* result) {
  const char* base = reinterpret_cast<const char*>(args);
  int32_t code0, code1;
  int64_t x, y;
  std::memcpy(&code0, base + 0, 4);
  std::memcpy(&x, base + 8, 8);
  std::memcpy(&code1, base + 16, 4);
  std::memcpy(&y, base + 24, 8);
  if (num_args != 2 || code0 != -1 || code1 != -1) return 2;
  const int64_t head = 0xFFFFFFFF, value = x * 10 + y;  // type code -1, small_len 0
  std::memcpy(reinterpret_cast<char*>(result), &head, 8);
  std::memcpy(reinterpret_cast<char*>(result) + 8, &value, 8);
  return 0;
}

TEST_F(CallsTest, D39GeneratedCodeReadsIntsFromTheArray) {
  const FunctionPtr function = Function::FromC("generated", &Generated, nullptr, nullptr);
  EXPECT_EQ(*function->CallAs<int64_t>(4, 2), 42);
  EXPECT_EQ(*function->Invoke({BoxInt::Make(4), ObjectPtr<Object>(BoxInt::Make(2))})->As<int64_t>(),
            42)
      << "boxes have become ints";
  EXPECT_EQ(function->Invoke({4, "2"}).status().message(), "generated: failed with code 2");
}

TEST_F(CallsTest, D38TheSameOnEveryWidthOfPointer) {
  static_assert(sizeof(TernAny) == 16 && sizeof(TernObject) == 16 && offsetof(TernAny, v) == 8);
  static_assert(sizeof(Object) == 16 && sizeof(BoxInt) == 24);
  const ShapePtr shape = Shape::Make({1});
  const Any any(shape);
  uint64_t payload;
  std::memcpy(&payload, &any.c_any().v, sizeof payload);
  EXPECT_EQ(payload, reinterpret_cast<uintptr_t>(shape.get())) << "the upper half is zero";
  EXPECT_EQ(shape->header()->deleter.slot,
            reinterpret_cast<uintptr_t>(shape->header()->deleter.call));
}

TEST_F(CallsTest, D29ManyArguments) {
  const auto sum = Function::FromPacked("sum", [](AnyArgs args) -> Result<Any> {
    int64_t total = 0;
    for (const AnyView& arg : args) total += *arg.TryCast<int64_t>();
    return Any(total);
  });
  std::vector<AnyView> args;
  for (int64_t i = 0; i < 1000; ++i) args.emplace_back(i);
  EXPECT_EQ(*sum->Invoke(args)->As<int64_t>(), 499500);
}

}  // namespace
}  // namespace tern::calls_test
