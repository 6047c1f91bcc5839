// SPDX-License-Identifier: Apache-2.0
// The standard's test data: the values of input_N.pb and output_N.pb files, and how far what a
// model gives is from what was expected.
#ifndef TERN_CORE_ONNX_TEST_DATA_H_
#define TERN_CORE_ONNX_TEST_DATA_H_

#include <cstdint>
#include <string>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/object/any.h"
#include "core/onnx/model.h"

namespace tern::onnx {

// A tensor, a list of them, or none; the file does not say which, the model's declaration does.
Result<Any> ReadTestValue(ByteSpan bytes, const Type& declared);

// An element agrees where |actual - expected| <= atol + rtol |expected|; NaN agrees with NaN, texts
// and infinities with themselves. The defaults are those of the standard's own test runner.
struct Tolerance {
  double rtol = 1e-3;
  double atol = 1e-7;
};

struct Comparison {
  int64_t elements = 0;  // compared
  int64_t wrong = 0;
  // The one that exceeds the tolerance most; of items of a list the item stands in front of it.
  std::string worst;  // "[1][0, 3]"
  std::string actual, expected;
  double excess = -1;    // of the worst
  double largest = 0;    // difference of any element, agreeing ones included; of numbers
  std::string mismatch;  // other than of elements: "is f32[2], expected f32[3]"; "" for none

  bool ok() const { return wrong == 0 && mismatch.empty(); }
};

Comparison CompareTestValues(AnyView actual, AnyView expected, const Tolerance& tolerance);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_TEST_DATA_H_
