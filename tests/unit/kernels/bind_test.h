// SPDX-License-Identifier: Apache-2.0
// Running one operator by its name, for tests of core/kernels/bind.

#ifndef TERN_TESTS_UNIT_KERNELS_BIND_TEST_H_
#define TERN_TESTS_UNIT_KERNELS_BIND_TEST_H_

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernels/bind/bind.h"
#include "core/kernels/kernel.h"
#include "core/object/containers/adt.h"
#include "core/object/run_context.h"
#include "core/object/tensor.h"

namespace tern::kernels {

template <class T>
TensorPtr T_(std::initializer_list<int64_t> dims, std::initializer_list<T> values) {
  return Tensor::FromValues<T>(values, dims).value();
}
inline TensorPtr F(std::initializer_list<int64_t> dims, std::initializer_list<float> values) {
  return T_<float>(dims, values);
}
inline TensorPtr I(std::initializer_list<int64_t> dims, std::initializer_list<int64_t> values) {
  return T_<int64_t>(dims, values);
}
inline TensorPtr B(std::initializer_list<int64_t> dims, std::initializer_list<bool> values) {
  return T_<bool>(dims, values);
}
// 0, 1, 2, … times step.
inline TensorPtr Iota(std::initializer_list<int64_t> dims, float step = 1.0f) {
  TensorPtr x = Tensor::New(kF32, dims).value();
  for (int64_t i = 0; i < x->element_count(); ++i) {
    x->data_as<float>()[i] = static_cast<float>(i) * step;
  }
  return x;
}

// Two workers that take turns on this thread, the last task first.
class Turns {
 public:
  const TernParallel* parallel() const { return &parallel_; }
  int64_t tasks() const { return tasks_; }

 private:
  static void Run(void* context, int64_t count,
                  void (*task)(void* data, int64_t index, int32_t worker), void* data) {
    static_cast<Turns*>(context)->tasks_ += count;
    for (int64_t i = count; i-- > 0;) task(data, i, static_cast<int32_t>(i % 2));
  }

  int64_t tasks_ = 0;
  TernParallel parallel_{this, 2, &Run, nullptr};
};

// Without `parallel` on one worker.
inline Result<Any> Run(std::string_view op, std::initializer_list<AnyView> args,
                       const TernParallel* parallel = nullptr) {
  Result<FunctionPtr> function = MakeOperator(op);
  if (!function.ok()) return std::move(function).status();
  RunContext context(nullptr, parallel);
  return (*function)->Invoke(args, &context);
}

inline TensorPtr RunTensor(std::string_view op, std::initializer_list<AnyView> args,
                           const TernParallel* parallel = nullptr) {
  Result<Any> result = Run(op, args, parallel);
  if (!result.ok()) {
    ADD_FAILURE() << op << ": " << result.status().ToString();
    return F({0}, {});
  }
  Tensor* tensor = result->TryCast<Tensor>();
  EXPECT_NE(tensor, nullptr) << op << " gave " << result->type_name();
  return tensor != nullptr ? TensorPtr(tensor) : F({0}, {});
}

// "f32[2, 3]" and its elements as text, floats rounded to 5 decimals.
inline std::string Text(const Tensor& tensor) {
  std::string text = tensor.TypeText() + " {";
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    char part[32] = "?";
    const auto print = [&](double value) {
      snprintf(part, sizeof(part), "%.6g", value == 0 ? 0.0 : std::round(value * 1e5) / 1e5);
    };
    if (tensor.dtype() == kF32) print(static_cast<double>(tensor.data_as<float>()[i]));
    if (tensor.dtype() == kF64) print(tensor.data_as<double>()[i]);
    if (tensor.dtype() == kI64) print(static_cast<double>(tensor.data_as<int64_t>()[i]));
    if (tensor.dtype() == kI32) print(tensor.data_as<int32_t>()[i]);
    if (tensor.dtype() == kU8) print(tensor.data_as<uint8_t>()[i]);
    if (tensor.dtype() == kI8) print(tensor.data_as<int8_t>()[i]);
    if (tensor.dtype() == kBool) print(tensor.data_as<bool>()[i] ? 1 : 0);
    text += (i > 0 ? " " : "") + std::string(part);
  }
  return text + "}";
}

inline std::string RunText(std::string_view op, std::initializer_list<AnyView> args) {
  Result<Any> result = Run(op, args);
  if (!result.ok()) return result.status().ToString();
  if (Tensor* tensor = result->TryCast<Tensor>()) return Text(*tensor);
  std::string text;
  if (Adt* tuple = result->TryCast<Adt>()) {
    for (const Any& field : tuple->fields()) {
      text += (text.empty() ? "" : " ") + Text(*field.TryCast<Tensor>());
    }
  }
  return text;
}

// The error's text contains every part.
inline void ExpectError(std::string_view op, std::initializer_list<AnyView> args,
                        std::initializer_list<std::string_view> parts) {
  Result<Any> result = Run(op, args);
  ASSERT_FALSE(result.ok()) << op << " gave a result";
  const std::string text = result.status().ToString();
  for (std::string_view part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
  }
}

}  // namespace tern::kernels

#endif  // TERN_TESTS_UNIT_KERNELS_BIND_TEST_H_
