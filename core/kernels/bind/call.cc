// SPDX-License-Identifier: Apache-2.0
// Arguments of one call, checked.

#include "core/kernels/bind/call.h"

#include <utility>

#include "core/base/half.h"
#include "core/kernels/bind/types.h"
#include "core/kernels/choose.h"
#include "core/object/device.h"
#include "core/object/small_numbers.h"

namespace tern::kernels::bind {

Call::Call(const ops::OpInfo& info, RunContext& context, AnyArgs args)
    : info_(info),
      context_(context),
      args_(args),
      kernels_(context.kernels() != nullptr ? *context.kernels() : ChooseTable(CpuFeatures())),
      kernel_context_{context.parallel(), &context, &RunContext::ScratchCallback,
                      &RunContext::StoppedCallback} {}

// The first failure is kept, so that a function may take all its arguments before it asks.
void Call::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

Status WrongTensor(const Call& call, int index, const Tensor& tensor, std::string_view expected) {
  return TypeError(call.info().parameter(index), " (argument ", index, ") is ", tensor.TypeText(),
                   ", expected ", expected);
}

// Of a tensor without elements the other extents: loops over rows go through them all the same.
Status Call::ChargeElements(Dims dims, int64_t count) {
  if (count > 0) [[likely]]
    return context_.Charge(count);
  int64_t rows = 1;
  for (int64_t dim : dims) rows = ops::MulDim(rows, dim > 1 ? dim : 1);
  if (rows > ops::kMostExtent) {
    return OutOfRange("a tensor ", ops::ShapeText(Extents(dims)), " has no elements and more than ",
                      ops::kMostExtent, " rows");
  }
  return context_.Charge(rows);
}

Result<TensorPtr> Call::New(DType dtype, const Extents& extents) {
  // Charged for being written once.
  TERN_TRY_ASSIGN(TensorPtr tensor, context_.NewTensor(dtype, extents.span()));
  TERN_TRY(ChargeElements(extents.span(), tensor->element_count()));
  return tensor;
}

const Tensor* Call::Input(int index) {
  const Tensor* tensor = InputOfAnyType(index);
  if (tensor == nullptr) return nullptr;
  const DType dtype = tensor->dtype();
  // Elements below a byte have no address. Few functions know them, and those ask for
  // InputOfNumbers.
  if (dtype.lanes == 1 && dtype.bits >= 8) [[likely]]
    return tensor;
  Fail(WrongTensor(*this, index, *tensor, "elements of whole bytes"));
  return nullptr;
}

const Tensor* Call::InputOfNumbers(int index) {
  const Tensor* tensor = InputOfAnyType(index);
  if (tensor == nullptr || IsSmallNumber(tensor->dtype())) return tensor;
  const DType dtype = tensor->dtype();
  if (dtype.lanes == 1 && (dtype.is_int() || dtype.is_float() || dtype.is_bool())) return tensor;
  Fail(WrongTensor(*this, index, *tensor, "numbers"));
  return nullptr;
}

const Tensor* Call::InputOfAnyType(int index) {
  if (!ok()) return nullptr;
  if (!Has(index)) {
    Fail(InvalidArgument(info_.parameter(index), " (argument ", index, ") is missing"));
    return nullptr;
  }
  const AnyView& arg = args_[static_cast<size_t>(index)];
  const Tensor* tensor = arg.TryCast<Tensor>();
  if (tensor == nullptr) {
    Fail(TypeError(info_.parameter(index), " (argument ", index, ") is ", arg.type_name(),
                   ", expected a tensor"));
    return nullptr;
  }
  // Kernels read memory of this process.
  if (!tensor->on_host()) {
    Fail(CheckOnHost(*tensor, StrCat(info_.parameter(index), " (argument ", index, ")")));
    return nullptr;
  }
  // Extents have room for so many, and a file may hold a tensor of more.
  if (tensor->rank() > ops::kMaxDims) {
    Fail(WrongTensor(*this, index, *tensor, StrCat("a rank of at most ", ops::kMaxDims)));
    return nullptr;
  }
  if (Status charged = ChargeElements(tensor->dims(), tensor->element_count()); !charged.ok()) {
    Fail(std::move(charged));
    return nullptr;
  }
  // Kernels read rows that lie one behind the other. Views with other strides are copied for the
  // call.
  return tensor->is_contiguous() ? tensor : Hold(*tensor, index);
}

const Tensor* Call::Hold(const Tensor& tensor, int index) {
  Result<TensorPtr> copy = tensor.Contiguous(context_.allocator());
  if (!copy.ok()) {
    Fail(std::move(copy).status().AddNote(StrCat("copying ", info_.parameter(index))));
    return nullptr;
  }
  held_.push_back(*std::move(copy));
  return held_.back().get();
}

const Tensor* Call::Input(int index, DType dtype) {
  const Tensor* tensor = Input(index);
  if (tensor == nullptr || tensor->dtype() == dtype) return tensor;
  Fail(WrongTensor(*this, index, *tensor, StrCat("element type ", dtype.ToString())));
  return nullptr;
}

void Call::ReadInts(int index, Ints* values) {
  values->clear();
  if (ok() && Has(index)) {
    if (auto value = args_[static_cast<size_t>(index)].TryCast<int64_t>())
      return values->push_back(*value);
  }
  const Tensor* tensor = Input(index);
  if (tensor == nullptr) return;
  if (tensor->rank() > 1 || (tensor->dtype() != kI64 && tensor->dtype() != kI32)) {
    return Fail(WrongTensor(*this, index, *tensor, "integers (i64 or i32) of rank 0 or 1"));
  }
  // A tensor may claim any size, and its values are copied to the heap.
  constexpr int64_t kMostInts = 1 << 16;  // shapes, axes, repeats: one for each axis
  if (tensor->element_count() > kMostInts)
    return Fail(WrongTensor(*this, index, *tensor, StrCat("at most ", kMostInts, " integers")));
  values->reserve(static_cast<size_t>(tensor->element_count()));
  for (int64_t i = 0; i < tensor->element_count(); ++i) {
    values->push_back(tensor->dtype() == kI64 ? tensor->data_as<int64_t>()[i]
                                              : tensor->data_as<int32_t>()[i]);
  }
}

int64_t Call::ReadInt(int index) {
  Ints values;
  ReadInts(index, &values);
  if (ok() && values.size() != 1) {
    Fail(InvalidArgument(info_.parameter(index), " has ", values.size(), " elements, expected 1"));
  }
  return ok() ? values[0] : 0;
}

// A number of the program, or a tensor of one element of any rank, as models have both.
double Call::ReadNumber(int index) {
  if (ok() && Has(index)) {
    if (auto value = args_[static_cast<size_t>(index)].TryCast<double>()) return *value;
  }
  const Tensor* tensor = Input(index);
  if (tensor == nullptr) return 0;
  if (tensor->element_count() != 1) {
    Fail(WrongTensor(*this, index, *tensor, "one element"));
    return 0;
  }
  double value = 0;
  if (!ReadElement(*tensor, 0, &value)) Fail(WrongTensor(*this, index, *tensor, "a number"));
  return value;
}

Status Call::Check(int32_t code) {
  if (code == TERN_KERNEL_OK) return OkStatus();
  // Kernels check nothing and can fail for one reason only.
  return OutOfMemory("no memory for a kernel's scratch");
}

}  // namespace tern::kernels::bind
