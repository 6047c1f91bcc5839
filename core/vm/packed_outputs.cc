// SPDX-License-Identifier: Apache-2.0
// invoke_packed with outputs (destination passing). The outputs are offered to
// RunContext::NewTensor, which hands one out where a result of its type and shape is allocated; the
// operator then writes in place and knows nothing of it. What it allocated otherwise is copied.
#include "core/vm/packed_outputs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/tensor.h"

namespace tern::vm {
namespace {

// An output must be memory that may be written as one run of bytes.
Result<Tensor*> OutputTensor(const AnyView& output, size_t index) {
  Tensor* tensor = output.TryCast<Tensor>();
  if (tensor == nullptr)
    return TypeError("output ", index, " is ", output.type_name(), ", expected a tensor");
  if (tensor->is_read_only() || !tensor->is_contiguous() || !tensor->on_host()) {
    return InvalidArgument("output ", index, ", ", tensor->TypeText(),
                           ", cannot be written: it is ",
                           tensor->is_read_only() ? "read-only"
                           : tensor->on_host()    ? "a view with gaps"
                                                  : "on another device");
  }
  return tensor;
}

// Tensors of one storage count as overlapping, even where their bytes do not: proving that they do
// not is not worth it. Without storages (mapped memory) the first address decides.
bool Overlap(const Tensor& a, const Tensor& b) {
  const auto begin = [](const Tensor& t) { return reinterpret_cast<uintptr_t>(t.data()); };
  return a.storage() == b.storage() || begin(a) == begin(b);
}

// An output that shares memory with an argument, or with another output, must not be written while
// the operator still reads: such a result is made elsewhere and copied.
bool SharesMemory(const Tensor& output, std::span<const TernAny> args,
                  std::span<const AnyView> outputs) {
  for (const TernAny& arg : args) {
    const Tensor* tensor = AnyView(arg).TryCast<Tensor>();
    if (tensor != nullptr && Overlap(output, *tensor)) return true;
  }
  const auto is_same = [&](const AnyView& other) {
    const Tensor* tensor = other.TryCast<Tensor>();
    return tensor != nullptr && Overlap(output, *tensor);
  };
  // The output itself is in the list, so one is expected.
  return std::count_if(outputs.begin(), outputs.end(), is_same) > 1;
}

// Copies a result into its output, unless it was made there.
Status Put(const AnyView& result, size_t index, Tensor* output) {
  const Tensor* made = result.TryCast<Tensor>();
  if (made == nullptr)
    return TypeError("result ", index, " is ", result.type_name(), ", expected a tensor");
  if (made == output) return OkStatus();
  if (made->dtype() != output->dtype() || !std::ranges::equal(made->dims(), output->dims())) {
    return InvalidArgument("output ", index, " is ", output->TypeText(), ", and the result is ",
                           made->TypeText())
        .SetErrorCode(made->dtype() != output->dtype() ? "E0204" : "E0203");
  }
  TERN_TRY_ASSIGN(const TensorPtr whole, made->Contiguous());
  if (whole->dtype().is_string()) {
    for (int64_t i = 0; i < whole->element_count(); ++i) output->set_string(i, whole->string_at(i));
    return OkStatus();
  }
  // memmove below, since result and output may overlap.
  const ByteSpan bytes = whole->bytes();
  if (!bytes.empty()) std::memmove(output->data(), bytes.data(), bytes.size());
  return OkStatus();
}

}  // namespace

Status CallInto(Function& function, RunContext* context, std::span<const TernAny> args,
                std::span<const AnyView> outputs) {
  std::vector<Tensor*> tensors;
  std::vector<TensorPtr> offered;
  for (size_t i = 0; i < outputs.size(); ++i) {
    TERN_TRY_ASSIGN(Tensor * tensor, OutputTensor(outputs[i], i));
    tensors.push_back(tensor);
    if (!SharesMemory(*tensor, args, outputs)) offered.emplace_back(tensor);
  }
  // Offered for this one call; what was not taken is withdrawn, also when the call fails.
  context->OfferResults(std::move(offered));
  TernAny raw{};
  const int32_t code = function.Call(args.data(), static_cast<int32_t>(args.size()), &raw);
  context->OfferResults({});
  if (code != 0) return tern::internal::ErrorOf(function, code, raw);
  const Any result = Any::Adopt(raw);
  // One output is the result itself, several are the fields of a tuple.
  if (tensors.size() == 1) return Put(result, 0, tensors[0]);
  const Adt* results = result.TryCast<Adt>();
  const size_t count = results == nullptr ? 1 : results->size();
  if (count != tensors.size())
    return InvalidArgument(tensors.size(), " outputs for ", count,
                           count == 1 ? " result" : " results");
  for (size_t i = 0; i < count; ++i) TERN_TRY(Put((*results)[i], i, tensors[i]));
  return OkStatus();
}

}  // namespace tern::vm
