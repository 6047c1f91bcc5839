// SPDX-License-Identifier: Apache-2.0
// couple_pairs: chances of many classes from the chances of each pair, as support vector machines
// give them. The second method of Wu, Lin and Weng, "Probability Estimates for Multi-class
// Classification by Pairwise Coupling", 2004: the chances p, which add up to 1, for which the sum
// over pairs of (r_ji p_i - r_ij p_j)^2 is least.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/types.h"
#include "core/ops/special_rules.h"

namespace tern::kernels::bind {
namespace {

// A chance of 0 or 1 would leave classes that no other can be weighed against.
constexpr double kLeastChance = 1e-7;
constexpr int64_t kLeastRounds = 100;
// Of the mean chance: how far from the optimum the iteration may end.
constexpr double kPrecision = 0.005;

class Coupling {
 public:
  explicit Coupling(int64_t classes)
      : classes_(static_cast<size_t>(classes)),
        matrix_(classes_ * classes_),
        product_(classes_),
        chances_(classes_) {}

  // pairs: the chance of class i against j, for each i < j in order.
  const std::vector<double>& Solve(const float* pairs) {
    Fill(pairs);
    std::fill(chances_.begin(), chances_.end(), 1 / static_cast<double>(classes_));
    const int64_t rounds = std::max(kLeastRounds, static_cast<int64_t>(classes_));
    for (int64_t round = 0; round < rounds && !IsDone(); ++round) {
      for (size_t i = 0; i < classes_; ++i) Improve(i);
    }
    return chances_;
  }

 private:
  // Q of the paper: r_ji^2 summed up on the diagonal, -r_ji r_ij beside it.
  void Fill(const float* pairs) {
    for (size_t i = 0; i < classes_; ++i) matrix_[i * classes_ + i] = 0;
    for (size_t i = 0; i < classes_; ++i) {
      for (size_t j = i + 1; j < classes_; ++j) {
        const double given = static_cast<double>(*pairs++);
        // NaN becomes the least chance, so that the iteration stays among numbers.
        const double first = std::fmin(std::fmax(given, kLeastChance), 1 - kLeastChance);
        const double second = 1 - first;
        matrix_[i * classes_ + i] += second * second;
        matrix_[j * classes_ + j] += first * first;
        matrix_[i * classes_ + j] = matrix_[j * classes_ + i] = -first * second;
      }
    }
  }

  // At the optimum Qp is the same number for all classes.
  bool IsDone() {
    whole_ = 0;
    for (size_t i = 0; i < classes_; ++i) {
      product_[i] = 0;
      for (size_t j = 0; j < classes_; ++j) product_[i] += matrix_[i * classes_ + j] * chances_[j];
      whole_ += chances_[i] * product_[i];
    }
    double worst = 0;
    for (const double value : product_) worst = std::max(worst, std::fabs(value - whole_));
    return worst < kPrecision / static_cast<double>(classes_);
  }

  // The best chance of class i beside the others as they are, then all divided by their sum.
  void Improve(size_t i) {
    const double* row = matrix_.data() + i * classes_;
    const double step = (whole_ - product_[i]) / row[i];
    const double sum = 1 + step;
    whole_ = (whole_ + step * (step * row[i] + 2 * product_[i])) / (sum * sum);
    chances_[i] += step;
    for (size_t j = 0; j < classes_; ++j) {
      product_[j] = (product_[j] + step * row[j]) / sum;
      chances_[j] /= sum;
    }
  }

  size_t classes_;
  std::vector<double> matrix_, product_, chances_;
  double whole_ = 0;  // p Q p
};

}  // namespace

Result<Any> CouplePairs(const ops::CoupleAttrs& attrs, Call& call) {
  const Tensor* x = call.F32(0);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::CouplePairsShape(attrs, ExtentsOf(*x), &out));
  const int64_t square = ops::MulDim(attrs.classes, attrs.classes);
  const int64_t rounds = std::max(kLeastRounds, attrs.classes);
  TERN_TRY(call.Charge(ops::MulDim(ops::MulDim(out[0], rounds), square)));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  Coupling coupling(attrs.classes);
  for (int64_t row = 0; row < out[0] && !call.IsStopped(); ++row) {
    const std::vector<double>& chances = coupling.Solve(x->data_as<float>() + row * x->dim(1));
    for (size_t i = 0; i < chances.size(); ++i)
      y->data_as<float>()[row * attrs.classes + static_cast<int64_t>(i)] =
          static_cast<float>(chances[i]);
  }
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
