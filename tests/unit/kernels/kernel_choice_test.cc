// SPDX-License-Identifier: Apache-2.0
// Operators compute with the table of the context that runs them, whatever other contexts use.

#include "core/kernels/choose.h"
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::kernel_choice_test {
namespace {

int32_t softmax_calls = 0;

int32_t CountedSoftmax(const TernSoftmaxArgs* args, const TernKernelContext* context) {
  ++softmax_calls;
  return ReferenceTable().softmax(args, context);
}

TEST(KernelChoice, EachContextHasItsOwn) {
  KernelTable counting = ReferenceTable();
  counting.softmax = &CountedSoftmax;
  RunContext plain, counted;
  counted.set_kernels(&counting);
  const FunctionPtr softmax = MakeOperator("softmax").value();
  const TensorPtr x = F({2}, {1, 1});
  const std::vector<AnyView> args = {x};
  softmax_calls = 0;
  for (RunContext* context : {&plain, &counted, &plain, &counted, &plain})
    ASSERT_TRUE(softmax->Invoke(args, context).ok());
  EXPECT_EQ(softmax_calls, 2);
}

}  // namespace
}  // namespace tern::kernels::kernel_choice_test
