// SPDX-License-Identifier: Apache-2.0
// XNNPACK: channels last, weights packed when an operator is made.
#include <xnnpack.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tools/bench/kernels/rivals.h"

namespace tern::kernels {
namespace {

void Check(xnn_status status, const char* what) {
  if (status == xnn_status_success) return;
  std::fprintf(stderr, "bench_kernels: XNNPACK: %s: status %d\n", what, static_cast<int>(status));
  std::exit(1);
}

// An operator that has been given its arguments; null for the thread pool is one thread.
void AddSide(xnn_operator_t made, const Floats& output, std::vector<Side>* sides) {
  const std::shared_ptr<xnn_operator> operation(
      made, [](xnn_operator_t op) { Check(xnn_delete_operator(op), "xnn_delete_operator"); });
  sides->push_back(
      {"XNNPACK",
       [operation] { Check(xnn_run_operator(operation.get(), nullptr), "xnn_run_operator"); },
       [output] { return output; }});
}

void AddProducts(const Product& p, std::vector<Side>* sides) {
  if (p.kind != ProductKind::kPacked) return;
  Check(xnn_initialize(nullptr), "xnn_initialize");
  const size_t m = static_cast<size_t>(p.m), n = static_cast<size_t>(p.n),
               k = static_cast<size_t>(p.k);
  const Floats output = MakeFloats(p.outputs());
  xnn_operator_t operation = nullptr;
  Check(xnn_create_fully_connected_nc_f32(k, n, k, n, p.b.get(), nullptr, -INFINITY, INFINITY,
                                          XNN_FLAG_TRANSPOSE_WEIGHTS, &operation),
        "xnn_create_fully_connected_nc_f32");
  Check(xnn_setup_fully_connected_nc_f32(operation, m, p.a.get(), output.get(), nullptr),
        "xnn_setup_fully_connected_nc_f32");
  AddSide(operation, output, sides);
}

void AddConvolutions(const Convolution& c, std::vector<Side>* sides) {
  Check(xnn_initialize(nullptr), "xnn_initialize");
  const bool depthwise = c.kind == ConvKind::kDepthwise;
  const size_t in_c = static_cast<size_t>(c.in_c), out_c = static_cast<size_t>(c.out_c);
  const uint32_t pad = static_cast<uint32_t>(c.pad), kernel = static_cast<uint32_t>(c.kernel),
                 stride = static_cast<uint32_t>(c.stride);
  const Floats output = MakeFloats(c.outputs());
  xnn_operator_t operation = nullptr;
  Check(xnn_create_convolution2d_nhwc_f32(
            pad, pad, pad, pad, kernel, kernel, stride, stride, 1, 1,
            depthwise ? static_cast<uint32_t>(in_c) : 1, depthwise ? 1 : in_c,
            depthwise ? 1 : out_c, in_c, out_c, c.weights.get(), c.bias.get(), 0.0f, INFINITY,
            depthwise ? XNN_FLAG_DEPTHWISE_CONVOLUTION : 0, &operation),
        "xnn_create_convolution2d_nhwc_f32");
  Check(xnn_setup_convolution2d_nhwc_f32(operation, 1, static_cast<size_t>(c.height),
                                         static_cast<size_t>(c.width), c.input.get(), output.get(),
                                         nullptr),
        "xnn_setup_convolution2d_nhwc_f32");
  AddSide(operation, output, sides);
}

}  // namespace

const Rival kXnnPack = {&AddProducts, &AddConvolutions};

}  // namespace tern::kernels
