// SPDX-License-Identifier: Apache-2.0
// What stands behind --input (native/cli/input_spec.h): refused with a code and a reason, or an
// array of as many bytes as its type says, a scalar, or the program of a value, within a limit of
// memory. Texts that name files are left out.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "native/cli/input_spec.h"

namespace {

using namespace tern::cli;

const std::vector<ParamInfo>& Params() {
  static const std::vector<ParamInfo> kParams = {
      {"x", "f32", {"n", "2"}},
      {"count", "i64", {}},
      {"flag", "bool", {"1"}},
      {"n", "int", {}, false},
      {"f", "float", {}, false},
      {"text", "string", {}, false},
      {"xs", "list", {}, false, "List[int]"},
      {"pair", "(int, string)", {}, false},
      {"any", "any", {}, false},
      {"tree", "any", {}, false, "Tree[int]", "type Tree[a] { Leaf, Node(a, Tree[a]) }\n"},
  };
  return kParams;
}

void CheckInput(const NamedArray& input) {
  const Array& array = input.array;
  if (!input.program.empty()) {
    TERN_CHECK(array.is_scalar && array.bytes.empty(), "a value is no array");
    TERN_CHECK(input.program.starts_with("fn main()"), "a value is a program");
    return;
  }
  if (array.is_scalar) return;
  const tern::Result<size_t> bytes = ArrayBytes(array.dtype, array.shape);
  TERN_CHECK(bytes.ok() && *bytes == array.bytes.size(), "an array has the bytes of its type");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find('@') != std::string_view::npos) return 0;
  const DimBindings dims = {{"n", 2}, {"m", 300}};
  MemoryBudget budget = {.limit = 1 << 20};
  std::vector<NamedArray> inputs;
  const tern::Status status = ParseInput(text, dims, Params(), &inputs, &budget);
  if (status.ok()) {
    TERN_CHECK(inputs.size() == 1, "a text is one input");
    CheckInput(inputs[0]);
  } else {
    TERN_CHECK(!status.error_code().empty() && !status.message().empty(), "a refusal says why");
  }
  return 0;
}
