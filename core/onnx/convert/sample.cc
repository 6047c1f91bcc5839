// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/convert/sample.h"

#include <cmath>

#include "core/onnx/convert/loop.h"
#include "core/onnx/convert/scores.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

constexpr int kPresenceMask = 7, kSeed = 8;
// Numbers drawn are multiples of 2^-23, below 1. A sum of f32 times the largest of them is below
// the sum, whatever it is, so a token that has no share is never drawn.
constexpr int kBits = 23;

}  // namespace

bool Sampler::Read() {
  temperature_ = node_.Float("temperature", 1);
  top_p_ = node_.Float("top_p", 0);
  filter_value_ = node_.Float("filter_value", -1e20f);
  presence_penalty_ = node_.Float("presence_penalty", 0);
  least_ = node_.IntAtLeast("min_tokens_to_keep", 0, 0);
  custom_ = node_.Bool("custom", false);
  if (!node_.ok()) return false;
  // Also where one of them is no number.
  if (!(temperature_ > 0))
    node_.Fail("attribute 'temperature' is ", temperature_, ", expected more than 0");
  else if (!(top_p_ >= 0))
    node_.Fail("attribute 'top_p' is ", top_p_, ", expected 0 or more");
  else if (std::isnan(filter_value_) || !std::isfinite(presence_penalty_))
    node_.Fail("attribute 'filter_value' or 'presence_penalty' is no number");
  if (!node_.ok()) return false;
  seed_ = node_.HasInput(kSeed) ? ScalarOf(node_, kSeed, kI32) : node_.Scalar(kI32, 0);
  seed_ = in_.Cast(seed_, kU32);
  if (node_.HasInput(kPresenceMask)) {
    const Value mask = node_.Input(kPresenceMask);
    if (node_.RankOf(mask) != 2)
      node_.Fail("its presence_mask has rank ", node_.RankOf(mask), ", expected 2");
    Require(node_, ir::ScalarOp::kEq, in_.DimOf(mask, 0), in_.DimOf(node_.Input(0), 0),
            "the presence_mask of Sampling has not as many rows as its input_ids");
  }
  return node_.ok();
}

Value Sampler::Cooled(const Value& scores) {
  Value cooled = scores;
  if (temperature_ != 1)
    cooled = in_.Div(scores, node_.Scalar(kF32, static_cast<double>(temperature_)));
  if (presence_penalty_ == 0 || !node_.HasInput(kPresenceMask)) return cooled;
  const Value present = in_.Cast(node_.Input(kPresenceMask), kF32);
  return in_.Sub(cooled, in_.Scaled(present, static_cast<double>(presence_penalty_)));
}

// Which of the shares stay, from the largest to the smallest: those before which less than top_p is
// given away, and so many whatever they are. The custom way, `custom`, counts only the best one.
Value Sampler::Kept(const Value& shares) {
  const Value place = in_.Range(in_.DimOf(shares, 1));
  if (top_p_ >= 1) return in_.Call("greater_equal", {place, in_.Int(0)});
  const Value before = in_.RunningSum(shares, 1, true);
  const Value limit = node_.Scalar(kF32, static_cast<double>(top_p_));
  const int64_t least = custom_ || least_ < 1 ? 1 : least_;
  return in_.Binary("or", in_.Call(custom_ ? "less_equal" : "less", {before, limit}),
                    in_.Binary("less", place, in_.Int(least)));
}

// Each bit depends on every one: the last steps of MurmurHash3.
Value Sampler::Shuffled(Value bits) {
  const auto mixed = [&](int shift) {
    bits =
        in_.Binary("bitwise_xor", bits, in_.Binary("shift_right", bits, node_.Scalar(kU32, shift)));
  };
  mixed(16);
  bits = in_.Mul(bits, node_.Scalar(kU32, 0x85EBCA6Bu));
  mixed(13);
  bits = in_.Mul(bits, node_.Scalar(kU32, 0xC2B2AE35u));
  mixed(16);
  return bits;
}

// One number of [0, 1) for each row, f32 of (row, 1): it follows from the seed, the turn and the
// row alone.
Value Sampler::Number(const Value& turn, const Value& rows) {
  Value bits = Shuffled(in_.Add(seed_, node_.Scalar(kU32, 0x9E3779B9u)));
  bits = Shuffled(in_.Add(bits, in_.Cast(turn, kU32)));
  bits = Shuffled(in_.Add(in_.Cast(in_.Unsqueeze(in_.Range(rows), {1}), kU32), bits));
  const Value whole = in_.Binary("shift_right", bits, node_.Scalar(kU32, 32 - kBits));
  return in_.Scaled(in_.Cast(whole, kF32), std::ldexp(1.0, -kBits));
}

Value Sampler::Draw(const Value& scores, const Value& turn) {
  const Value cooled = Cooled(scores);
  ops::TopKAttrs all;
  all.axis = 1;
  const std::vector<Value> sorted =
      node_.CallMany("topk", {cooled, in_.DimOf(cooled, 1)}, all.ToAttrs(), 2);
  if (!node_.ok()) return nullptr;
  const Value filter = node_.Scalar(kF32, static_cast<double>(filter_value_));
  const Value left = in_.Where(Kept(in_.Softmax(sorted[0])), sorted[0], filter);
  ops::AxisAttrs columns;
  columns.axis = 1;
  if (node_.WantsOutput(1)) {
    ops::ScatterAttrs attrs;
    attrs.axis = 1;
    filtered_ = node_.Call("scatter_elements", {cooled, sorted[1], left}, attrs.ToAttrs());
  }
  // The first place up to which more than the number's part of everything lies.
  const Value shares = in_.RunningSum(in_.Softmax(left), 1);
  const Value whole = in_.Unsqueeze(in_.Gather(shares, in_.Int(-1), 1), {1});
  const Value drawn = in_.Mul(Number(turn, in_.DimOf(cooled, 0)), whole);
  const Value passed = in_.Cast(in_.Call("less_equal", {shares, drawn}), kI64);
  const Value place = in_.Reduce("reduce_sum", passed, {1}, true);
  const Value token = node_.Call("gather_elements", {sorted[1], place}, columns.ToAttrs());
  return in_.Reshape(token, {-1});
}

}  // namespace tern::onnx
