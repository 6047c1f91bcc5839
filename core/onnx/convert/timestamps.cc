// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/convert/timestamps.h"

#include <limits>

namespace tern::onnx {
namespace {

// Of a token that must not be chosen, as in scores.cc.
constexpr double kForbidden = std::numeric_limits<float>::lowest();

// How far behind the beginning, in steps of a fiftieth of a second, the first time may be.
constexpr int64_t kLatestStart = 50;

}  // namespace

bool TimestampRules::Read(int64_t end) {
  end_ = end;
  first_time_ = node_.RequiredInt("beginning_timestamp_token_id");
  for (const char* name : {"no_timestamps_token_id", "start_of_lm_token_id"})
    never_.push_back(node_.RequiredInt(name));
  for (const char* name : {"decoder_start_token_id", "translate_token_id", "transcribe_token_id"})
    once_.push_back(node_.RequiredInt(name));
  if (node_.ok() && first_time_ <= 0)
    node_.Fail("attribute 'beginning_timestamp_token_id' is ", first_time_,
               ", expected more than 0");
  return node_.ok();
}

Value TimestampRules::Never(const Value& forbidden, const Value& scores) {
  return in_.Where(forbidden, node_.Scalar(kF32, kForbidden), scores);
}

TimestampRules::Tail TimestampRules::Look(const Value& is_time, const Value& length) {
  const Value zero = in_.Int(0), one = in_.Int(1);
  const auto at = [&](int64_t from_end) {
    const Value place = in_.Binary("max", in_.Sub(length, in_.Int(from_end)), zero);
    return in_.Unsqueeze(in_.Gather(is_time, place, 1), {1});
  };
  // A sum, because there may be nothing before the last token.
  const Value before = in_.SliceTo(in_.Cast(is_time, kI64), 1, zero, in_.Sub(length, one));
  const Value begins = IsLess(in_.Reduce("reduce_sum", before, {1}, true), one);
  const Value last = at(1), is_second = Either(begins, at(2));
  return {begins, Both(last, Not(is_second)), Both(last, is_second)};
}

// The number of the last time in each row, 0 where there is none.
Value TimestampRules::Latest(const Value& is_time, const Value& sequences) {
  const Value tokens = in_.Cast(sequences, kI64);
  const Value places = in_.Add(in_.Range(in_.DimOf(sequences, 1)), in_.Int(1));
  const Value marked = in_.Mul(in_.Cast(is_time, kI64), places);
  const Value last = in_.Reduce("reduce_max", marked, {1}, true);
  const Value is_last = Both(is_time, in_.Binary("equal", places, last));
  return in_.Reduce("reduce_sum", in_.Mul(in_.Cast(is_last, kI64), tokens), {1}, true);
}

// Where all times together are likelier than any word, a time comes.
Value TimestampRules::PreferTimes(const Value& scores, const Value& is_text) {
  const Value lowest = node_.Scalar(kF32, kForbidden), zero = node_.Scalar(kF32, 0);
  const Value word = in_.Reduce("reduce_max", in_.Where(is_text, scores, lowest), {1}, true);
  const Value of_times = in_.Where(is_text, lowest, scores);
  const Value most = in_.Reduce("reduce_max", of_times, {1}, true);
  const Value shares = in_.Where(in_.Binary("greater", of_times, lowest),
                                 in_.Unary("exp", in_.Sub(of_times, most)), zero);
  const Value sum = in_.Reduce("reduce_sum", shares, {1}, true);
  // Minus infinity where no time is left.
  const Value together = in_.Add(in_.Unary("log", sum), most);
  return Never(Both(is_text, in_.Binary("greater", together, word)), scores);
}

// In the order in which ONNX Runtime applies them.
Value TimestampRules::Apply(const Value& scores, const Value& sequences) {
  const Value token = in_.Range(in_.DimOf(scores, 1)), first = in_.Int(first_time_);
  const auto is_any = [&](const Ints& numbers) {
    Value found = in_.Binary("equal", token, in_.Int(numbers[0]));
    for (size_t i = 1; i < numbers.size(); ++i)
      found = Either(found, in_.Binary("equal", token, in_.Int(numbers[i])));
    return found;
  };
  const Value is_text = IsLess(token, first);
  const Value is_time = Not(IsLess(in_.Cast(sequences, kI64), first));
  const Tail tail = Look(is_time, in_.DimOf(sequences, 1));
  // Behind the first of a pair comes the same time or a later one, otherwise a later one.
  const Value past = in_.Add(Latest(is_time, sequences), in_.Cast(Not(tail.is_open), kI64));
  const Value too_late = IsLess(in_.Int(first_time_ + kLatestStart), token);
  Value forbidden = Either(is_any(never_), Both(Not(tail.begins), is_any(once_)));
  forbidden = Either(forbidden, Both(tail.is_closed, Not(is_text)));
  forbidden = Either(forbidden, Both(tail.is_open, IsLess(token, in_.Int(end_))));
  forbidden = Either(forbidden, Both(Not(is_text), IsLess(token, past)));
  forbidden = Either(forbidden, Both(tail.begins, too_late));
  return PreferTimes(Never(forbidden, scores), is_text);
}

}  // namespace tern::onnx
