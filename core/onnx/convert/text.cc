// SPDX-License-Identifier: Apache-2.0
// Texts: what is an attribute there (stopwords, a pool of n-grams) becomes a constant argument,
// because attributes of operators hold numbers and words only.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/ops/shape_attrs.h"
#include "core/ops/special_attrs.h"

namespace tern::onnx {
namespace {

Value TextsOf(NodeContext& node, const std::vector<std::string_view>& texts) {
  const int64_t dims[] = {static_cast<int64_t>(texts.size())};
  return node.Constant(tern::Tensor::FromStrings(texts, dims).value());
}

Value FloatsOf(NodeContext& node, const Floats& values) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  return node.Constant(tern::Tensor::FromValues(std::span<const float>(values), dims).value());
}

}  // namespace

void ConvertStringNormalizer(NodeContext& node) {
  ops::StringNormalizerAttrs attrs;
  attrs.change = static_cast<ops::CaseChange>(
      node.Choice("case_change_action", {"NONE", "LOWER", "UPPER"}, 0));
  attrs.sensitive = node.Bool("is_case_sensitive", false);
  // Letters change their case in ASCII only, so that the locale has no effect. It is read so that
  // nobody is warned that it is unknown.
  node.Text("locale", "");
  const Value stopwords = TextsOf(node, node.TextList("stopwords"));
  node.SetOutput(0, node.Call("string_normalizer", {node.Input(0), stopwords}, attrs.ToAttrs()));
}

void ConvertTfIdfVectorizer(NodeContext& node) {
  ops::TfIdfAttrs attrs;
  attrs.mode = static_cast<ops::TfIdfMode>(node.Choice("mode", {"TF", "IDF", "TFIDF"}, 0));
  attrs.least = node.IntAtLeast("min_gram_length", 1, 1);
  attrs.most = node.IntAtLeast("max_gram_length", 1, attrs.least);
  attrs.skips = node.IntAtLeast("max_skip_count", 0, 0);
  const Ints counts = node.IntList("ngram_counts"), indices = node.IntList("ngram_indexes");
  const Ints numbers = node.IntList("pool_int64s");
  const std::vector<std::string_view> texts = node.TextList("pool_strings");
  const Floats weights = node.FloatList("weights");
  if (node.ok() && numbers.empty() == texts.empty())
    return node.Fail("it needs either 'pool_int64s' or 'pool_strings'");
  for (const int64_t index : indices) {
    if (index < 0) node.Fail("attribute 'ngram_indexes' has the value ", index);
    // The greatest index decides how wide the result is, not how many n-grams there are. An index
    // that has no successor is left for the operator to refuse.
    attrs.columns = std::max(attrs.columns, index < INT64_MAX ? index + 1 : index);
  }
  if (!node.ok()) return;
  const bool is_text = !texts.empty();
  const Value x = is_text ? node.Input(0) : node.ToI64(node.Input(0));
  const Value pool = is_text ? TextsOf(node, texts) : node.ConstantInts(numbers);
  node.SetOutput(0, node.Call("tf_idf",
                              {x, pool, node.ConstantInts(counts), node.ConstantInts(indices),
                               weights.empty() ? nullptr : FloatsOf(node, weights)},
                              attrs.ToAttrs()));
}

void ConvertImageDecoder(NodeContext& node) {
  ops::ImageDecodeAttrs attrs;
  attrs.pixels =
      static_cast<ops::PixelFormat>(node.Choice("pixel_format", {"RGB", "BGR", "Grayscale"}, 0));
  node.SetOutput(0, node.Call("image_decode", {node.Input(0)}, attrs.ToAttrs()));
}

void ConvertStringSplit(NodeContext& node) {
  ops::StringSplitAttrs attrs;
  attrs.most = node.IntAtLeast("maxsplit", -1, -1);
  const Value delimiter = TextsOf(node, {node.Text("delimiter", "")});
  const std::vector<Value> parts =
      node.CallMany("string_split", {node.Input(0), delimiter}, attrs.ToAttrs(), 2);
  for (int i = 0; i < 2; ++i) node.SetOutput(i, parts[static_cast<size_t>(i)]);
}

namespace {

// Each row between texts that say where it begins and ends; the end comes before the padding. Rows
// of nothing but padding stay without them.
Value MarkRows(NodeContext& node, const Value& rows, const Value& counts, const Value& pad) {
  Compose in(node);
  const int rank = node.RankOf(rows);
  const Value one = node.ConstantInts({1}), width = in.DimOf(rows, -1);
  const Value shape = in.Concat({in.ShapeOf(rows, 0, -1), one}, 0);
  const auto column = [&](const Value& text) { return in.Expand(text, shape); };
  const Value begin = column(TextsOf(node, {"\x02"})), end = TextsOf(node, {"\x03"});
  Value marked = in.Concat({begin, rows, column(pad)}, rank - 1);
  const Value places = in.Range(in.Add(width, in.Int(2)));
  const Value behind = in.Add(in.Unsqueeze(counts, {rank - 1}), in.Int(1));
  marked = in.Where(in.Binary("equal", places, behind), end, marked);
  const Value whole = in.Mul(in.Add(width, in.Int(2)), in.Binary("min", width, in.Int(1)));
  return in.SliceTo(marked, rank - 1, in.Int(0), whole);
}

}  // namespace

// com.microsoft: parts that 'tokenexp' describes, or that lie between 'separators', and a text of
// its own where a row has fewer. One separator that is empty cuts between all characters.
void ConvertTokenizer(NodeContext& node) {
  Compose in(node);
  std::vector<std::string_view> patterns = node.TextList("separators");
  const bool has_parts = node.Has("tokenexp");
  if (node.ok() && has_parts == !patterns.empty())
    return node.Fail("it needs either 'tokenexp' or 'separators'");
  const bool marks = node.Bool("mark", false);
  ops::StringSplitAttrs attrs;
  attrs.least = node.IntAtLeast("mincharnum", 1, 1);
  attrs.at = has_parts ? ops::SplitAt::kParts : ops::SplitAt::kPatterns;
  if (has_parts) patterns = {node.Text("tokenexp", "")};
  if (patterns.size() == 1 && patterns[0].empty()) {
    // The s lets the dot match the end of a line, so that no character is lost.
    patterns = {"(?s)."};
    attrs.at = ops::SplitAt::kParts;
  }
  const Value cut = TextsOf(node, patterns), pad = TextsOf(node, {node.Text("pad_value", "")});
  const std::vector<Value> parts =
      node.CallMany("string_split", {node.Input(0), cut}, attrs.ToAttrs(), 2);
  if (!node.ok()) return;
  // The operator pads short rows with empty texts. Its second result says how many parts are real.
  const Value is_part = in.Call(
      "less", {in.Range(in.DimOf(parts[0], -1)), in.Unsqueeze(parts[1], {node.RankOf(parts[1])})});
  const Value rows = in.Where(is_part, parts[0], pad);
  node.SetOutput(0, marks ? MarkRows(node, rows, parts[1], pad) : rows);
}

void ConvertRegexFullMatch(NodeContext& node) {
  if (!node.Has("pattern")) return node.Fail("attribute 'pattern' is missing");
  const Value pattern = TextsOf(node, {node.Text("pattern", "")});
  node.SetOutput(0, node.Call("regex_match", {node.Input(0), pattern}));
}

}  // namespace tern::onnx
