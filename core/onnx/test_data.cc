// SPDX-License-Identifier: Apache-2.0
// Values of test folders, which are messages without the model around them: the declared type of
// the input or output says which message it is.
#include "core/onnx/test_data.h"

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/object/containers/sequence.h"
#include "core/object/graph/print.h"
#include "core/object/tensor.h"
#include "core/onnx/read_model.h"
#include "core/onnx/tensor_data.h"
#include "core/onnx/wire.h"

namespace tern::onnx {
namespace {

// Field numbers of SequenceProto and OptionalProto.
constexpr uint32_t kTensorField = 3;
constexpr uint32_t kSequenceField = 5;

Result<Any> ReadTestTensor(ByteSpan bytes, int32_t declared) {
  Tensor proto;
  TERN_TRY(ReadTensor(bytes, &proto));
  // Test data has bfloat16 as the integers of its bits.
  const bool is_bf16 = declared == static_cast<int32_t>(DataType::kBfloat16);
  if (is_bf16 && proto.data_type == static_cast<int32_t>(DataType::kUint16))
    proto.data_type = declared;
  TERN_TRY_ASSIGN(TensorPtr tensor, MakeTensor(proto, TensorSource{}));
  return Any(std::move(tensor));
}

Status DamagedValue(const WireError& error, std::string_view what) {
  return Corrupt("damaged ", what, ": ", error.message, " (at byte ", error.offset, ")");
}

// A SequenceProto of tensors; lists of lists do not occur in tests.
Result<Any> ReadTestList(ByteSpan bytes, int32_t declared) {
  WireError error;
  WireReader in(bytes, &error);
  SequencePtr list = Sequence::Make();
  while (in.Next()) {
    if (in.field() != kTensorField || !in.is_message()) continue;
    std::string_view item;
    in.Get(&item);
    TERN_TRY_ASSIGN(const Any value, ReadTestTensor(AsBytes(item), declared));
    list->PushBack(value);
  }
  if (error.message != nullptr) return DamagedValue(error, "ONNX sequence");
  return Any(list);
}

// An OptionalProto without a value is none.
Result<Any> ReadTestOptional(ByteSpan bytes, const Type& contents) {
  WireError error;
  WireReader in(bytes, &error);
  while (in.Next()) {
    if (!in.is_message()) continue;
    std::string_view item;
    in.Get(&item);
    if (in.field() == kTensorField) return ReadTestTensor(AsBytes(item), contents.elem_type);
    if (in.field() != kSequenceField) continue;
    const Type* items = contents.contents.get();
    return ReadTestList(AsBytes(item), items == nullptr ? 0 : items->elem_type);
  }
  if (error.message != nullptr) return DamagedValue(error, "ONNX optional");
  return Any();
}

// "[1, 0, 3]": the place of an element in row-major order.
std::string IndexOf(int64_t flat, Dims dims) {
  std::vector<std::string> parts(dims.size());
  for (size_t axis = dims.size(); axis-- > 0; flat /= dims[axis])
    parts[axis] = StrCat(flat % dims[axis]);
  return StrCat("[", StrJoin(parts, ", "), "]");
}

// How much further apart than allowed; negative where they agree.
double ExcessOf(double actual, double expected, const Tolerance& tolerance) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return -1;
  const double excess =
      std::fabs(actual - expected) - (tolerance.atol + tolerance.rtol * std::fabs(expected));
  return std::isfinite(actual) && std::isfinite(expected) ? excess : HUGE_VAL;
}

// Counts all elements that differ and keeps the worst. The first difference of another kind (type,
// shape, length) is kept as a text, since elements cannot be compared then.
class Comparer {
 public:
  explicit Comparer(const Tolerance& tolerance) : tolerance_(tolerance) {}

  void Compare(const AnyView& actual, const AnyView& expected, const std::string& place) {
    if (const Sequence* list = expected.TryCast<Sequence>()) {
      const Sequence* got = actual.TryCast<Sequence>();
      if (got == nullptr || got->size() != list->size())
        return Differ(place, got == nullptr ? PrintValue(actual) : StrCat(got->size(), " items"),
                      StrCat("a list of ", list->size()));
      for (size_t i = 0; i < list->size(); ++i)
        Compare((*got)[i], (*list)[i], StrCat(place, "[", i, "]"));
      return;
    }
    const auto *got = actual.TryCast<tern::Tensor>(), *tensor = expected.TryCast<tern::Tensor>();
    if (got != nullptr && tensor != nullptr) return CompareTensors(*got, *tensor, place);
    if (!actual.is_none() || !expected.is_none())
      Differ(place, PrintValue(actual), PrintValue(expected));
  }

  Comparison Take() { return std::move(out_); }

 private:
  void Differ(const std::string& place, std::string_view actual, std::string_view expected) {
    if (out_.mismatch.empty())
      out_.mismatch =
          StrCat(place, place.empty() ? "" : " ", "is ", actual, ", expected ", expected);
  }

  void CompareTensors(const tern::Tensor& actual, const tern::Tensor& expected,
                      const std::string& place) {
    if (actual.dtype() != expected.dtype() ||
        FormatDims(actual.dims()) != FormatDims(expected.dims()))
      return Differ(place, actual.TypeText(), expected.TypeText());
    for (int64_t i = 0; i < expected.element_count(); ++i) {
      ++out_.elements;
      const double excess = Excess(actual, expected, i);
      if (excess <= 0) continue;
      ++out_.wrong;
      if (excess <= out_.excess) continue;
      out_.excess = excess;
      out_.worst = StrCat(place, IndexOf(i, expected.dims()));
      out_.actual = TensorElementText(actual, i);
      out_.expected = TensorElementText(expected, i);
    }
  }

  // Texts agree or are infinitely far apart.
  double Excess(const tern::Tensor& actual, const tern::Tensor& expected, int64_t i) {
    if (expected.dtype().is_string())
      return actual.string_at(i) == expected.string_at(i) ? -1 : HUGE_VAL;
    const double a = TensorElement(actual, i), e = TensorElement(expected, i);
    const double difference = std::fabs(a - e);
    if (difference > out_.largest) out_.largest = difference;
    return ExcessOf(a, e, tolerance_);
  }

  const Tolerance& tolerance_;
  Comparison out_;
};

}  // namespace

Result<Any> ReadTestValue(ByteSpan bytes, const Type& declared) {
  const Type* contents = declared.contents.get();
  if (declared.kind == Type::Kind::kSequence)
    return ReadTestList(bytes, contents == nullptr ? 0 : contents->elem_type);
  if (declared.kind == Type::Kind::kOptional) {
    const Type nothing;
    return ReadTestOptional(bytes, contents == nullptr ? nothing : *contents);
  }
  return ReadTestTensor(bytes, declared.elem_type);
}

Comparison CompareTestValues(AnyView actual, AnyView expected, const Tolerance& tolerance) {
  Comparer comparer(tolerance);
  comparer.Compare(actual, expected, "");
  return comparer.Take();
}

}  // namespace tern::onnx
