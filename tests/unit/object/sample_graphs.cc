// SPDX-License-Identifier: Apache-2.0
// Samples by kind.
#include "tests/unit/object/sample_graphs.h"

#include <limits>
#include <string>

#include "core/object/containers/adt.h"
#include "core/object/containers/array.h"
#include "core/object/containers/list.h"
#include "core/object/containers/map.h"
#include "core/object/error.h"
#include "core/object/rfc97/dict.h"
#include "core/object/shape.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/tensor.h"
#include "tests/unit/object/sketch_types.h"

namespace tern {
namespace {

void AddValues(std::vector<Any>* out) {
  using Limits = std::numeric_limits<int64_t>;
  for (const int64_t i : {int64_t{0}, int64_t{-1}, Limits::max(), Limits::min()})
    out->push_back(Any(i));
  using Doubles = std::numeric_limits<double>;
  for (const double d : {0.0, -0.0, 0.1, Doubles::max(), Doubles::denorm_min(), Doubles::infinity(),
                         -Doubles::infinity(), Doubles::quiet_NaN()})
    out->push_back(Any(d));
  out->insert(out->end(), {Any(), Any(true), Any(false), Any(kBf16), Any(kString)});
  for (const size_t size : {0u, 7u, 8u, 64u, 65u, 1000u})
    out->push_back(Any(std::string(size, 'x')));
  out->push_back(Any(std::string_view("zero \0 in it", 12)));
  out->push_back(Any("quotes \" \\ \n añ你😀"));
  for (const std::u32string_view text : {U"", U"a", U"añ", U"añ你😀", U"añ你😀 and more"})
    out->push_back(Any(UCS4String(text)));
  out->push_back(Any(Bytes::Make("")));
  out->push_back(Any(Bytes::Make(std::string_view("\0\xff\x80 any", 7))));
  out->push_back(Any(Shape::Make({})));
  out->push_back(Any(Shape::Make({1, -2, std::numeric_limits<int64_t>::max()})));
}

void AddTensors(std::vector<Any>* out) {
  const uint8_t bytes[32] = {1, 2, 3, 4, 0, 0, 128, 63, 255, 255};
  for (const DType dtype : {kF64, kF32, kF16, kBf16, kI64, kI32, kI16, kI8, kU64, kU32, kU16, kU8,
                            kBool, kI4, kU4, kC64, kC128}) {
    const ShapePtr shape = Shape::Make({2, 1});
    const auto size = static_cast<size_t>(*dtype.bytes_for(2));
    out->push_back(Any(Tensor::FromBytes(dtype, shape->dims(), ByteSpan(bytes, size)).value()));
  }
  out->push_back(Any(Tensor::Scalar(1.5f)));
  out->push_back(Any(Tensor::New(kF32, {0, 5}).value()));
  const TensorPtr wide = Tensor::FromValues<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3}).value();
  out->push_back(Any(wide->Slice(1, 0, 3, 2).value()));  // strided
  const std::string long_word(100, 'w');
  const std::string_view words[] = {"", "a", "longer than seven", long_word};
  out->push_back(Any(Tensor::FromStrings(words, Shape::Make({2, 2})->dims()).value()));
  const TensorPtr plain = Tensor::FromValues<uint8_t>({1, 2, 3, 4, 5}, {5}).value();
  out->push_back(Any(ObjectPtr<Object>(Object::FromHeader(plain->c_tensor().owner.object))));
}

void AddContainers(std::vector<Any>* out) {
  out->push_back(Any(List<>()));
  out->push_back(Any(Array<>({1, "two", 3.5, nullptr})));
  const List<> shared({1, 2});
  out->push_back(Any(List<>({Any(shared), Any(shared), Any(std::string(80, 's'))})));
  out->push_back(Any(Map<>()));
  out->push_back(Any(Map<>{{"a", 1}, {2, Any(shared)}, {1.5, nullptr}, {Any(shared), true}}));
  out->push_back(Any(Dict<>({{"key of some length", Any(Map<>{{"inner", 1}})}})));
  out->push_back(Any(Adt::Tuple({})));
  out->push_back(Any(Adt::Tuple({AnyView(1), AnyView("x")})));
  const AnyView fields[] = {AnyView(shared), AnyView(-5)};
  out->push_back(Any(Adt::Make(-7, fields)));
  const ObjectPtr<Circle> circle = MakeObject<Circle>("a circle", 2.5, Any(shared));
  out->push_back(Any(circle));
  out->push_back(Any(List<>({Any(circle), Any(MakeObject<Circle>("", -1.0, Any(circle)))})));
  const ObjectPtr<Error> error =
      Error::Make(Failed("it failed").AddNote("a note"), Error::Make(NotFound("not there")));
  error->AddFrame({.function = "main", .pc = 3});
  out->push_back(Any(error));
}

}  // namespace

std::vector<Any> SampleGraphs() {
  std::vector<Any> samples;
  AddValues(&samples);
  AddTensors(&samples);
  AddContainers(&samples);
  return samples;
}

}  // namespace tern
