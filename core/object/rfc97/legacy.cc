// SPDX-License-Identifier: Apache-2.0
// Adapters between TernAny and the legacy convention's values and type codes, which are those of
// TVM's packed functions before its object system was unified.
#include "core/object/rfc97/legacy.h"

#include <memory>
#include <vector>

#include "core/object/boxed.h"
#include "core/object/tensor.h"

namespace tern {
namespace {

TernLegacyValue PointerValue(void* pointer) {
  TernLegacyValue value = {};
  value.p = pointer;
  return value;
}

// The arguments of one call in the legacy form, and what must live as long as the call.
class LegacyArguments {
 public:
  explicit LegacyArguments(AnyArgs args) : values_(args.size()), codes_(args.size()) {
    moved_.reserve(args.size());
    for (size_t i = 0; i < args.size(); ++i) codes_[i] = Put(args[i].c_any(), &values_[i]);
  }
  // After the call: an object that the callee took is gone from its owner, which becomes none.
  void SettleMoved() {
    for (const Offer& offer : moved_) {
      if (offer.object == nullptr) *offer.owner = TernAny{};
    }
  }
  const TernLegacyValue* values() const { return values_.data(); }
  const int32_t* codes() const { return codes_.data(); }

 private:
  struct Offer {
    TernObject* object;
    TernAny* owner;
  };

  int32_t Put(const TernAny& any, TernLegacyValue* value) {
    value->i = any.v.i;
    switch (any.type_code) {
      case TERN_TYPE_NONE: return TERN_LEGACY_NULL;
      case TERN_TYPE_INT:
      case TERN_TYPE_BOOL: return TERN_LEGACY_INT;
      case TERN_TYPE_FLOAT: return TERN_LEGACY_FLOAT;
      case TERN_TYPE_OPAQUE: return TERN_LEGACY_HANDLE;
      case TERN_TYPE_DTYPE: return TERN_LEGACY_DTYPE;
      case TERN_TYPE_DEVICE: return TERN_LEGACY_DEVICE;
      case TERN_TYPE_DL_TENSOR: return TERN_LEGACY_DL_TENSOR;
      case TERN_TYPE_RAW_STRING: return TERN_LEGACY_STRING;
      case TERN_TYPE_OBJECT_HANDLE: return TERN_LEGACY_OBJECT;
      case TERN_TYPE_RVALUE_REF: return PutMoved(any, value);
      case TERN_TYPE_MODULE: return TERN_LEGACY_MODULE;
      case TERN_TYPE_FUNCTION: return TERN_LEGACY_FUNCTION;
      // The callee expects a DLTensor and gets ours, borrowed.
      case TERN_TYPE_TENSOR:
        *value =
            PointerValue(const_cast<TernDLTensor*>(*AnyView(any).TryCast<const TernDLTensor*>()));
        return TERN_LEGACY_DL_TENSOR;
      default: break;
    }
    // Other objects are passed by pointer.
    if (any.type_code > 0) return TERN_LEGACY_OBJECT;
    kept_.push_back(ToObject(AnyView(any)));  // small and padded text
    *value = PointerValue(kept_.back() != nullptr ? kept_.back()->header() : nullptr);
    return kept_.back() != nullptr ? TERN_LEGACY_OBJECT : TERN_LEGACY_NULL;
  }
  int32_t PutMoved(const TernAny& any, TernLegacyValue* value) {
    auto* owner = static_cast<TernAny*>(any.v.p);
    if (!internal::HoldsObject(*owner)) {
      *value = PointerValue(nullptr);
      return TERN_LEGACY_NULL;
    }
    moved_.push_back({owner->v.object, owner});
    *value = PointerValue(&moved_.back().object);
    return TERN_LEGACY_RVALUE_REF;
  }

  std::vector<TernLegacyValue> values_;
  std::vector<int32_t> codes_;
  std::vector<ObjectPtr<Object>> kept_;
  std::vector<Offer> moved_;  // never grows past what was reserved: slots are pointed to
};

// Makes a view of a legacy value. False for codes that are unknown, and for bytes, which have no
// counterpart without a copy.
bool ViewLegacy(const TernLegacyValue& value, int32_t code, TernAny* any) {
  // By legacy code. OBJECT_HANDLE stands for all objects, as their own header says the kind; the
  // entry of bytes is a code that no value has.
  static constexpr TernTypeCode kCodes[] = {
      TERN_TYPE_INT,           TERN_TYPE_INT,           TERN_TYPE_FLOAT,
      TERN_TYPE_OPAQUE,        TERN_TYPE_NONE,          TERN_TYPE_DTYPE,
      TERN_TYPE_DEVICE,        TERN_TYPE_DL_TENSOR,     TERN_TYPE_OBJECT_HANDLE,
      TERN_TYPE_OBJECT_HANDLE, TERN_TYPE_OBJECT_HANDLE, TERN_TYPE_RAW_STRING,
      TERN_TYPE_S0_LAST - 1,   TERN_TYPE_OBJECT_HANDLE};
  if (code < 0 || static_cast<size_t>(code) >= std::size(kCodes) || code == TERN_LEGACY_BYTES)
    return false;
  *any = internal::MakeAny(kCodes[code]);
  if (any->type_code == TERN_TYPE_NONE) return true;
  any->v.i = value.i;
  // A dtype fills half of the word; the padding of a TernAny is zero (abi.h).
  if (any->type_code == TERN_TYPE_DTYPE) any->v.i = 0, any->v.dtype = value.dtype;
  if (any->type_code == TERN_TYPE_OBJECT_HANDLE)
    *any = internal::MakeObjectAny(static_cast<Object*>(value.p));
  return true;
}

Status UnknownCode(std::string_view function, std::string_view what, int32_t code) {
  return TypeError(function, ": ", what, ": legacy type code ", code, " cannot be converted");
}

// The value of a call's owned legacy result.
Result<Any> AdoptLegacy(std::string_view function, const TernLegacyValue& value, int32_t code) {
  TernAny view;
  if (!ViewLegacy(value, code, &view)) return UnknownCode(function, "its result", code);
  // These results come with a reference, which the Any takes over; others are plain or borrowed.
  const bool object = code == TERN_LEGACY_OBJECT || code == TERN_LEGACY_MODULE ||
                      code == TERN_LEGACY_FUNCTION || code == TERN_LEGACY_TENSOR;
  if (!object) return Any(AnyView(view));
  return Any::Adopt(internal::AdoptObjectAny(static_cast<Object*>(value.p)));
}

struct LegacyFunction {
  TernLegacyCall call;
  void* resource;
  void (*release)(void*);
};

int32_t CallLegacy(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
  auto* function = static_cast<Function*>(self);
  const auto* legacy = static_cast<const LegacyFunction*>(function->data());
  LegacyArguments arguments(
      AnyArgs(reinterpret_cast<const AnyView*>(args), static_cast<size_t>(num_args)));
  TernLegacyValue value = {};
  int32_t value_code = TERN_LEGACY_NULL;
  const int32_t code = legacy->call(arguments.values(), arguments.codes(), num_args, &value,
                                    &value_code, legacy->resource);
  // Before the result is looked at, because it may hold the object that was taken.
  arguments.SettleMoved();
  Result<Any> converted = AdoptLegacy(function->name(), value, value_code);
  if (!converted.ok()) return internal::ReturnError(std::move(converted).status(), result);
  internal::ReturnAny(*std::move(converted), result);
  return code;
}

// Stores an owned value in the legacy form.
int32_t ReleaseLegacy(Any value, TernLegacyValue* result) {
  const TernTypeCode code = value.type_code();
  *result = {};
  if (code == TERN_TYPE_NONE) return TERN_LEGACY_NULL;
  // Text in place has no legacy form, so it travels as an object.
  if (code == TERN_TYPE_SMALL_STRING || code == TERN_TYPE_SMALL_UCS4)
    value = Any(ToObject(AnyView(value)));
  const TernAny owned = value.Release();
  result->i = owned.v.i;
  switch (code) {
    case TERN_TYPE_INT:
    case TERN_TYPE_BOOL: return TERN_LEGACY_INT;
    case TERN_TYPE_FLOAT: return TERN_LEGACY_FLOAT;
    case TERN_TYPE_OPAQUE: return TERN_LEGACY_HANDLE;
    case TERN_TYPE_DTYPE: return TERN_LEGACY_DTYPE;
    case TERN_TYPE_DEVICE: return TERN_LEGACY_DEVICE;
    case TERN_TYPE_MODULE: return TERN_LEGACY_MODULE;
    case TERN_TYPE_FUNCTION: return TERN_LEGACY_FUNCTION;
    case TERN_TYPE_TENSOR: return TERN_LEGACY_TENSOR;
    default: return TERN_LEGACY_OBJECT;
  }
}

// What a legacy caller offers, in the form of AnyViews. Offers are pointed to, so `moved` is
// reserved.
struct FromLegacyArguments {
  explicit FromLegacyArguments(size_t count) : views(count) { moved.reserve(count); }

  bool Put(const TernLegacyValue& value, int32_t code, TernAny* view) {
    if (code != TERN_LEGACY_RVALUE_REF) return ViewLegacy(value, code, view);
    // Null or taken before: refused, as nothing is offered.
    auto** slot = static_cast<TernObject**>(value.p);
    if (slot == nullptr || *slot == nullptr) return false;
    TernAny offered = internal::MakeAny((*slot)->type_code);
    offered.v.object = *slot;
    moved.push_back({offered, slot});
    *view = internal::MakePointerAny(TERN_TYPE_RVALUE_REF, &moved.back().offered);
    return true;
  }
  void SettleMoved() {
    for (const Offer& offer : moved) {
      if (offer.offered.type_code == TERN_TYPE_NONE) *offer.slot = nullptr;
    }
  }

  struct Offer {
    TernAny offered;
    TernObject** slot;
  };
  std::vector<TernAny> views;
  std::vector<Offer> moved;  // never grows past what was reserved
};

}  // namespace

FunctionPtr FromLegacy(std::string_view name, TernLegacyCall call, void* resource,
                       void (*release)(void*), std::string_view signature) {
  const auto end = [](void* data) {
    const std::unique_ptr<LegacyFunction> legacy(static_cast<LegacyFunction*>(data));
    if (legacy->release != nullptr) legacy->release(legacy->resource);
  };
  return Function::FromC(name, &CallLegacy, new LegacyFunction{call, resource, release}, end, false,
                         signature);
}

int32_t CallAsLegacy(Function* function, const TernLegacyValue* values, const int32_t* type_codes,
                     int32_t num_args, TernLegacyValue* result, int32_t* result_code) {
  const auto count = static_cast<size_t>(num_args);
  FromLegacyArguments arguments(count);
  TernAny returned{};
  int32_t code = 0;
  // Stops at the first argument that cannot be converted; `returned` then holds the Error.
  for (size_t i = 0; i < count && code == 0; ++i) {
    if (arguments.Put(values[i], type_codes[i], &arguments.views[i])) continue;
    code = internal::ReturnError(
        UnknownCode(function->name(), StrCat("argument ", i), type_codes[i]), &returned);
  }
  if (code == 0) code = function->Call(arguments.views.data(), num_args, &returned);
  arguments.SettleMoved();
  // The result is owned in either case: a value, or an Error.
  *result_code = ReleaseLegacy(Any::Adopt(returned), result);
  return code;
}

int32_t ReturnLegacyError(Status status, TernLegacyValue* result, int32_t* result_code) {
  TernAny error{};
  const int32_t code = internal::ReturnError(std::move(status), &error);
  *result_code = ReleaseLegacy(Any::Adopt(error), result);
  return code;
}

Status CallPacked(Function* function, TVMArgs args, TVMRetValue* result) {
  result->Reset();
  Result<Any> value = function->InvokeRaw(AnyArgs(args.values, static_cast<size_t>(args.num_args)));
  if (!value.ok()) return std::move(value).status();
  *result = *std::move(value);
  return OkStatus();
}

}  // namespace tern
