// SPDX-License-Identifier: Apache-2.0
// OpenBLAS: products only. It has no packed operands, so it packs b in each call.
#include <cblas.h>

#include "tools/bench/kernels/rivals.h"

namespace tern::kernels {
namespace {

void AddProducts(const Product& p, std::vector<Side>* sides) {
  openblas_set_num_threads(1);
  const Floats output = MakeFloats(p.outputs());
  const blasint m = static_cast<blasint>(p.m), n = static_cast<blasint>(p.n),
                k = static_cast<blasint>(p.k);
  const bool transposed = p.kind == ProductKind::kTransposed;
  const blasint stride = transposed ? k : n;
  std::function<void()> run;
  if (m == 1) {
    run = [=, a = p.a, b = p.b] {
      cblas_sgemv(CblasRowMajor, transposed ? CblasNoTrans : CblasTrans, transposed ? n : k,
                  transposed ? k : n, 1.0f, b.get(), stride, a.get(), 1, 0.0f, output.get(), 1);
    };
  } else {
    run = [=, a = p.a, b = p.b] {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, m, n, k,
                  1.0f, a.get(), k, b.get(), stride, 0.0f, output.get(), n);
    };
  }
  sides->push_back({"OpenBLAS", std::move(run), [output] { return output; }});
}

}  // namespace

const Rival kOpenBlas = {&AddProducts, nullptr};

}  // namespace tern::kernels
