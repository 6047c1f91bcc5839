// SPDX-License-Identifier: Apache-2.0
// Operators on tensors of texts.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/kernels/bind/bindings.h"

namespace tern::kernels::bind {
namespace {

// Letters of ASCII alone: what else has cases depends on the language.
std::string InCase(std::string_view text, ops::CaseChange change) {
  std::string changed(text);
  for (char& c : changed) {
    if (change == ops::CaseChange::kLower && c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    if (change == ops::CaseChange::kUpper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return changed;
}

const Tensor* TextInput(Call& call, int index) {
  const Tensor* tensor = call.Input(index, kString);
  return tensor;
}

}  // namespace

Result<Any> StringNormalizer(const ops::StringNormalizerAttrs& attrs, Call& call) {
  const Tensor *x = TextInput(call, 0), *stopwords = TextInput(call, 1);
  TERN_TRY(call.TakeStatus());
  if (x->rank() < 1 || x->rank() > 2 || (x->rank() == 2 && x->dim(0) != 1))
    return WrongTensor(call, 0, *x, "texts [n] or [1, n]");
  // Every text may be compared with every stopword.
  TERN_TRY(call.Charge(ops::MulDim(x->element_count(), stopwords->element_count())));
  const auto compared = [&](std::string_view text) {
    return attrs.sensitive ? std::string(text) : InCase(text, ops::CaseChange::kLower);
  };
  std::vector<std::string> words;
  for (int64_t i = 0; i < stopwords->element_count(); ++i)
    words.push_back(compared(stopwords->string_at(i)));
  std::vector<std::string> kept;
  for (int64_t i = 0; i < x->element_count(); ++i) {
    const std::string_view text = x->string_at(i);
    if (std::find(words.begin(), words.end(), compared(text)) != words.end()) continue;
    kept.push_back(InCase(text, attrs.change));
  }
  if (kept.empty()) kept.emplace_back();  // the standard wants one text at least
  Extents out = ExtentsOf(*x);
  out[out.rank() - 1] = static_cast<int64_t>(kept.size());
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kString, out));
  for (size_t i = 0; i < kept.size(); ++i) y->set_string(static_cast<int64_t>(i), kept[i]);
  return Any(std::move(y));
}

namespace {

// The pool: n-grams of 1, 2, … elements one after the other, from counts[n - 1] on.
struct Pool {
  const Tensor *x, *pool, *weights = nullptr;
  ops::TfIdfMode mode = ops::TfIdfMode::kTf;
  std::span<const int64_t> starts = {}, indices = {};  // a column for each n-gram

  bool Same(int64_t in_x, int64_t in_pool) const {
    if (x->dtype().is_string()) return x->string_at(in_x) == pool->string_at(in_pool);
    return x->data_as<int64_t>()[in_x] == pool->data_as<int64_t>()[in_pool];
  }
  // An n-gram was found.
  void Count(int64_t gram, float* row) const {
    float& column = row[indices[static_cast<size_t>(gram)]];
    const float weight =
        weights == nullptr || mode == ops::TfIdfMode::kTf ? 1 : weights->data_as<float>()[gram];
    column = mode == ops::TfIdfMode::kIdf ? weight : column + weight;
  }
  int64_t size() const { return pool->element_count(); }
  int64_t start(int64_t n) const {
    return n <= static_cast<int64_t>(starts.size()) ? starts[static_cast<size_t>(n - 1)] : size();
  }
};

// What it lets through may be read without looking: starts rise, n-grams are whole, columns exist.
Status CheckPool(const Pool& pool, int64_t columns) {
  int64_t previous = 0, grams = 0;
  for (int64_t n = 1; n <= static_cast<int64_t>(pool.starts.size()); ++n) {
    const int64_t begin = pool.start(n), end = pool.start(n + 1);
    if (begin < previous || begin > end || end > pool.size() || (end - begin) % n != 0)
      return InvalidArgument("counts do not cut the pool of ", pool.size(), " elements in n-grams");
    previous = begin;
    grams += (end - begin) / n;
  }
  if (grams != static_cast<int64_t>(pool.indices.size()))
    return InvalidArgument("there are ", pool.indices.size(), " indices for ", grams, " n-grams");
  for (const int64_t index : pool.indices) {
    if (index < 0 || index >= columns)
      return OutOfRange("an index is ", index, ", expected less than ", columns);
  }
  return OkStatus();
}

// Counts the n-gram that begins at `at`, if the pool has it. first: the number of
// the first n-gram of n elements.
void CountGram(const Pool& pool, int64_t n, int64_t first, int64_t at, int64_t step, float* row) {
  const int64_t begin = pool.start(n), end = pool.start(n + 1);
  for (int64_t gram = begin, number = first; gram < end; gram += n, ++number) {
    int64_t same = 0;
    while (same < n && pool.Same(at + same * step, gram + same)) ++same;
    if (same == n) pool.Count(number, row);
  }
}

// All n-grams of one row, those of one element once.
void CountRow(Call& call, const ops::TfIdfAttrs& attrs, const Pool& pool, int64_t begin,
              int64_t count, float* row) {
  const auto most = std::min(attrs.most, static_cast<int64_t>(pool.starts.size()));
  int64_t first = 0;
  for (int64_t n = 1; n <= most; first += (pool.start(n + 1) - pool.start(n)) / n, ++n) {
    if (n < attrs.least) continue;
    // Elements of an n-gram may have others between them, the same number at each step.
    for (int64_t skip = 0; skip <= (n == 1 ? 0 : std::min(attrs.skips, count)); ++skip) {
      // What the n-gram covers; saturated, since attributes are any numbers.
      const int64_t span = ops::AddDim(ops::MulDim(n - 1, skip + 1), 1);
      for (int64_t at = 0; ops::AddDim(at, span) <= count && !call.IsStopped(); ++at)
        CountGram(pool, n, first, begin + at, skip + 1, row);
    }
  }
}

}  // namespace

Result<Any> TfIdf(const ops::TfIdfAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  if (!x->dtype().is_string() && x->dtype() != kI64)
    return WrongTensor(call, 0, *x, "texts or i64");
  const Tensor *starts = call.Input(2, kI64), *indices = call.Input(3, kI64);
  Pool pool{x, call.Input(1, x->dtype()), call.OptionalF32(4), attrs.mode};
  TERN_TRY(call.TakeStatus());
  pool.starts = starts->values<int64_t>();
  pool.indices = indices->values<int64_t>();
  const Tensor* weights = pool.weights;
  TERN_TRY(ops::CheckRank("x", x->rank(), 1, 2));
  TERN_TRY(CheckPool(pool, attrs.columns));
  if (weights != nullptr && weights->element_count() != static_cast<int64_t>(pool.indices.size()))
    return WrongTensor(call, 4, *weights, StrCat(pool.indices.size(), " elements"));
  const int64_t count = x->dim(x->rank() - 1), rows = x->rank() == 2 ? x->dim(0) : 1;
  const int64_t skips = ops::AddDim(std::min(attrs.skips, count), 1);
  TERN_TRY(call.Charge(ops::MulDim(ops::MulDim(x->element_count(), skips), pool.size())));
  Extents out = ExtentsOf(*x);
  out[out.rank() - 1] = attrs.columns;
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  std::fill_n(y->data_as<float>(), y->element_count(), 0.0f);
  for (int64_t r = 0; r < rows; ++r)
    CountRow(call, attrs, pool, r * count, count, y->data_as<float>() + r * attrs.columns);
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
