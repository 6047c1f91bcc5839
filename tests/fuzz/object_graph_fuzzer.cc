// SPDX-License-Identifier: Apache-2.0
// Bytes as a serialized object graph. Whatever is read must be written, read and compared without
// harm: through bytes, and through JSON. An input that begins with '{' or a space is read as JSON.
// Seeds are made by `object_test` (tests/unit/object/serialize_seeds_test.cc).
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/object/graph/print.h"
#include "core/object/graph/serialize_binary.h"
#include "core/object/graph/serialize_json.h"
#include "core/object/graph/structural_equal.h"
#include "core/object/graph/structural_hash.h"
#include "tests/unit/object/sketch_types.h"

namespace tern {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckGraph(const Any& value) {
  PrintValue(value);
  const uint64_t hash = StructuralHash(value).value();
  const Result<std::vector<uint8_t>> bytes = SerializeBinary(value);
  if (bytes.ok()) {
    const Any back = DeserializeBinary(*bytes).value();
    Require(StructuralEqual(value, back, {.compare_sharing = true}));
    Require(StructuralHash(back).value() == hash);
  }
  const Result<std::string> json = SerializeJson(value);
  if (json.ok()) Require(StructuralEqual(value, DeserializeJson(*json).value()));
}

}  // namespace
}  // namespace tern

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tern::RegisterSketchTypes();
  const tern::ByteSpan bytes(data, size);
  const bool is_json = size > 0 && (data[0] == '{' || data[0] == ' ');
  const tern::Result<tern::Any> value =
      is_json ? tern::DeserializeJson(tern::AsText(bytes)) : tern::DeserializeBinary(bytes);
  if (value.ok()) tern::CheckGraph(*value);
  return 0;
}
