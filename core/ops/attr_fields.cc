// SPDX-License-Identifier: Apache-2.0
// Reading and writing of single attribute fields.
#include "core/ops/attr_fields.h"

#include "core/base/strings.h"

namespace tern::ops {

// Element types are texts in attributes, such as "f32".
void AttrIn::Type(std::string_view key, DType& field, DType fallback) {
  field = fallback;
  if (!reader_.Has(key)) return;
  Result<DType> parsed = DType::Parse(reader_.String(key, ""));
  if (parsed.ok()) {
    field = *parsed;
  } else {
    reader_.Fail(key, parsed.status().message());
  }
}

void AttrIn::CheckAtLeast(std::string_view key, const Ints& values, int64_t least) {
  for (int64_t value : values) CheckAtLeast(key, value, least);
}

void AttrIn::CheckAtLeast(std::string_view key, int64_t value, int64_t least) {
  if (value < least) reader_.Fail(key, StrCat("is ", value, ", must be at least ", least));
}

// Extents are limited, so that sums and products of a few of them fit int64.
void AttrIn::CheckExtent(std::string_view key, const Ints& values, int64_t least) {
  for (int64_t value : values) CheckExtent(key, value, least);
}

void AttrIn::CheckExtent(std::string_view key, int64_t value, int64_t least) {
  CheckAtLeast(key, value, least);
  if (value > kMostExtent)
    reader_.Fail(key, StrCat("is ", value, ", must be at most ", kMostExtent));
}

bool IsZeroPoint(DType dtype, int64_t zero) {
  return dtype == kI8 ? zero >= -128 && zero <= 127 : zero >= 0 && zero <= 255;
}

void AttrIn::CheckQuantized(DType to, int64_t zero) {
  if (to != kU8 && to != kI8) Fail("to", "must be u8 or i8");
  if (!IsZeroPoint(to, zero))
    Fail("zero", StrCat("is ", zero, ", expected a value of ", to.ToString()));
}

// Fields with their fallback are not written, so that equal operators have equal texts.
void AttrOut::Int(std::string_view key, int64_t field, int64_t fallback) {
  if (field != fallback) attrs_->SetInt(key, field);
}

void AttrOut::Float(std::string_view key, float field, float fallback) {
  if (field != fallback) attrs_->SetFloat32(key, field);
}

void AttrOut::IntList(std::string_view key, const Ints& field) {
  if (!field.empty()) attrs_->SetInts(key, field);
}

void AttrOut::FloatList(std::string_view key, const Floats& field) {
  if (!field.empty()) attrs_->SetFloats(key, field);
}

void AttrOut::Text(std::string_view key, const std::string& field) {
  if (!field.empty()) SetText(key, field);
}

void AttrOut::Type(std::string_view key, DType field, DType fallback) {
  if (!(field == fallback)) SetText(key, field.ToString());
}

void AttrOut::SetText(std::string_view key, std::string_view text) { attrs_->SetString(key, text); }

}  // namespace tern::ops
