// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml without trees: encoders, scalers, linear models and support vectors, as arithmetic
// with constants.
#include "core/onnx/convert/learned.h"

#include <algorithm>

#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/loop.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"
#include "core/ops/special_attrs.h"

namespace tern::onnx {
namespace {

Value FloatMatrix(NodeContext& node, const Floats& values, int64_t rows, int64_t columns) {
  const int64_t dims[] = {rows, columns};
  return node.Constant(tern::Tensor::FromValues(std::span<const float>(values), dims).value());
}

// sqrt(2) times the inverse error function of 2 x - 1, by Winitzki's approximation, as the standard
// computes it.
Value Probit(Compose& in, const Value& scores) {
  const Value x = in.Sub(in.Scaled(scores, 2), in.Like(scores, 1));
  const Value one = in.Like(scores, 1);
  const Value log = in.Unary("log", in.Mul(in.Sub(one, x), in.Add(one, x)));
  const Value v = in.Add(in.Scaled(log, 0.5), in.Like(log, 2 / (3.14159265358979 * 0.147)));
  const Value root = in.Unary("sqrt", in.Sub(in.Mul(v, v), in.Scaled(log, 1 / 0.147)));
  const Value size = in.Unary("sqrt", in.Sub(root, v));
  return in.Scaled(in.Mul(in.Unary("sign", x), size), 1.41421356);
}

// Softmax in which scores of zero stay zero.
Value SoftmaxZero(Compose& in, const Value& scores) {
  const Value most = in.Reduce("reduce_max", scores, {1}, true);
  const Value risen = in.Unary("exp", in.Sub(scores, most));
  const Value kept = in.Mul(scores, in.Unary("exp", in.Unary("neg", most)));
  const Value large = in.Call("greater", {in.Unary("abs", scores), in.Like(scores, 1e-7)});
  const Value parts = in.Where(large, risen, kept);
  const Value sum = in.Reduce("reduce_sum", parts, {1}, true);
  const Value none = in.Call("equal", {sum, in.Like(sum, 0)});
  return in.Where(none, in.Like(sum, 0.5), in.Div(parts, in.Where(none, in.Like(sum, 1), sum)));
}

}  // namespace

Value FeatureRows(NodeContext& node, const Value& x) {
  Compose in(node);
  const Value rows = node.RankOf(x) == 1 ? in.Unsqueeze(x, {0}) : x;
  if (node.ok() && node.RankOf(rows) != 2)
    node.Fail("its input has rank ", node.RankOf(rows), ", expected [n, features]");
  return in.Cast(rows, kF32);
}

PostTransform ReadPostTransform(NodeContext& node) {
  return static_cast<PostTransform>(
      // In the order of the enumeration, which is also that of the numbers in the new form of tree
      // ensembles.
      node.Choice("post_transform", {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}, 0));
}

Value Transformed(NodeContext& node, const Value& scores, PostTransform how) {
  Compose in(node);
  switch (how) {
    case PostTransform::kNone: return scores;
    case PostTransform::kSoftmax: return in.Softmax(scores, 1);
    case PostTransform::kLogistic: return in.Unary("sigmoid", scores);
    case PostTransform::kSoftmaxZero: return SoftmaxZero(in, scores);
    case PostTransform::kProbit: return Probit(in, scores);
  }
  return scores;
}

Labels ReadLabels(NodeContext& node, std::string_view texts, std::string_view ints) {
  Compose in(node);
  const std::vector<std::string_view> names = node.TextList(texts);
  const Ints numbers = node.IntList(ints);
  // Both or none: nothing says which labels are meant.
  if (node.ok() && names.empty() == numbers.empty())
    node.Fail("it needs either '", texts, "' or '", ints, "'");
  if (!node.ok()) return {};
  if (names.empty()) return {node.ConstantInts(numbers), static_cast<int64_t>(numbers.size())};
  return {in.Texts(names), static_cast<int64_t>(names.size())};
}

// Texts are not gathered, so that they are looked up by their places.
Value LabelsAt(NodeContext& node, const Value& places, const Labels& labels) {
  Compose in(node);
  if (!node.DTypeOf(labels.values).is_string()) return in.Gather(labels.values, places);
  Ints all;
  for (int64_t i = 0; i < labels.count; ++i) all.push_back(i);
  return node.Call("look_up", {places, node.ConstantInts(all), labels.values, in.Texts({""})});
}

Value BestLabel(NodeContext& node, const Value& scores, const Labels& labels) {
  ops::ArgReduceAttrs attrs;
  attrs.axis = 1;
  attrs.keep_dims = false;
  return LabelsAt(node, node.Call("argmax", {scores}, attrs.ToAttrs()), labels);
}

namespace {

// One of the lists keys_… or values_… of LabelEncoder as a constant; *type: which.
Value EncoderList(NodeContext& node, std::string_view prefix) {
  Compose in(node);
  const auto name = [prefix](std::string_view kind) { return StrCat(prefix, kind); };
  // Later versions add tensors to the lists of the older ones; at most one is given.
  if (node.Has(name("tensor"))) return node.Constant(node.TensorValue(name("tensor")));
  if (node.Has(name("strings"))) return in.Texts(node.TextList(name("strings")));
  if (node.Has(name("int64s"))) return node.ConstantInts(node.IntList(name("int64s")));
  if (node.Has(name("floats"))) return in.Floats(node.FloatList(name("floats")));
  node.Fail("it has no attribute '", prefix, "…'");
  return nullptr;
}

// What stands for keys that are not there, of the type of the values.
Value EncoderDefault(NodeContext& node, DType type) {
  Compose in(node);
  const std::string_view text = node.Text("default_string", "_Unused");
  const int64_t number = node.Int("default_int64", -1);
  const float real = node.Float("default_float", -0.0f);
  if (node.Has("default_tensor")) {
    const Value given = node.Constant(node.TensorValue("default_tensor"));
    return in.Cast(given, type);
  }
  if (type.is_string()) return in.Texts({text});
  return node.Scalar(type, type.is_int() ? static_cast<double>(number) : static_cast<double>(real));
}

void LookUp(NodeContext& node, const Value& keys, const Value& values) {
  Compose in(node);
  if (!node.ok()) return;
  if (node.RankOf(keys) != 1 || node.RankOf(values) != 1 ||
      node.DimOf(keys, 0) != node.DimOf(values, 0))
    return node.Fail("it has ", node.DimOf(keys, 0), " keys and ", node.DimOf(values, 0),
                     " values, expected lists of one length");
  const Value x = node.Input(0);
  // Models look up floats among integers and the other way round.
  const bool numbers = !node.DTypeOf(x).is_string() && !node.DTypeOf(keys).is_string();
  const Value wanted = numbers ? in.Cast(x, node.DTypeOf(keys)) : x;
  if (node.DTypeOf(wanted) != node.DTypeOf(keys))
    return node.Fail("its input is ", node.DTypeOf(x).ToString(), ", but its keys are ",
                     node.DTypeOf(keys).ToString());
  node.SetOutput(
      0, node.Call("look_up", {wanted, keys, values, EncoderDefault(node, node.DTypeOf(values))}));
}

// The places 0, 1, … of a list.
Value PlacesOf(NodeContext& node, int64_t count) {
  Ints places;
  for (int64_t i = 0; i < count; ++i) places.push_back(i);
  return node.ConstantInts(places);
}

}  // namespace

void ConvertLabelEncoder(NodeContext& node) {
  const Value keys = EncoderList(node, "keys_"), values = EncoderList(node, "values_");
  LookUp(node, keys, values);
}

// Version 1: texts to their places, or places to texts.
void ConvertLabelEncoderByClasses(NodeContext& node) {
  Compose in(node);
  const std::vector<std::string_view> names = node.TextList("classes_strings");
  const Value texts = in.Texts(names), places = PlacesOf(node, static_cast<int64_t>(names.size()));
  const bool forward = node.DTypeOf(node.Input(0)).is_string();
  LookUp(node, forward ? texts : places, forward ? places : texts);
}

void ConvertCategoryMapper(NodeContext& node) {
  Compose in(node);
  const Value texts = in.Texts(node.TextList("cats_strings"));
  const Value numbers = node.ConstantInts(node.IntList("cats_int64s"));
  const bool forward = node.DTypeOf(node.Input(0)).is_string();
  LookUp(node, forward ? texts : numbers, forward ? numbers : texts);
}

// Elements that are none of the categories get a row of zeros, or end the run.
void ConvertOneHotEncoder(NodeContext& node) {
  Compose in(node);
  const Labels cats = ReadLabels(node, "cats_strings", "cats_int64s");
  if (!node.ok()) return;
  const bool allows_others = node.Bool("zeros", true);
  const Value x = node.Input(0);
  const Value wanted = node.DTypeOf(x).is_string() ? x : node.ToI64(x);
  if (node.DTypeOf(wanted) != node.DTypeOf(cats.values))
    return node.Fail("its input is ", node.DTypeOf(x).ToString(), ", but its categories are ",
                     node.DTypeOf(cats.values).ToString());
  const Value place =
      node.Call("look_up", {wanted, cats.values, PlacesOf(node, cats.count), in.Int(cats.count)});
  if (!allows_others) {
    const Value is_other = in.Call("equal", {place, in.Int(cats.count)});
    Ints axes;
    for (int i = 0; i < node.RankOf(x); ++i) axes.push_back(i);
    Require(node, ir::ScalarOp::kEq, in.Reduce("reduce_sum", in.Cast(is_other, kI64), axes, false),
            in.Int(0), "an element is none of the categories of a OneHotEncoder with zeros=0");
  }
  // Compared with every place: the one behind the last is none.
  const Value same =
      in.Call("equal", {in.Unsqueeze(place, {node.RankOf(x)}), PlacesOf(node, cats.count)});
  node.SetOutput(0, in.Cast(same, kF32));
}

// (x - offset) * scale.
void ConvertScaler(NodeContext& node) {
  Compose in(node);
  const Floats offset = node.FloatList("offset"), scale = node.FloatList("scale");
  if (node.ok() && (offset.empty() || scale.empty()))
    return node.Fail("it needs 'offset' and 'scale'");
  const Value x = in.Cast(node.Input(0), kF32);
  node.SetOutput(0, in.Mul(in.Sub(x, in.Floats(offset)), in.Floats(scale)));
}

void ConvertNormalizer(NodeContext& node) {
  Compose in(node);
  const int norm = node.Choice("norm", {"MAX", "L1", "L2"}, 0);
  const Value x = in.Cast(node.Input(0), kF32);
  const int64_t last = node.RankOf(x) - 1;
  const std::string_view op = norm == 0 ? "reduce_max" : norm == 1 ? "reduce_l1" : "reduce_l2";
  const Value size = in.Reduce(op, x, {last}, true);
  // A row of zeros stays one: it has no direction to keep.
  const Value none = in.Call("equal", {size, in.Like(size, 0)});
  node.SetOutput(0, in.Div(x, in.Where(none, in.Like(size, 1), size)));
}

void ConvertBinarizer(NodeContext& node) {
  Compose in(node);
  const Value x = node.Input(0);
  const float threshold = node.Float("threshold", 0);
  // Whole numbers are compared as floats, so that a threshold between two counts.
  const Value number = node.DTypeOf(x).is_float() ? x : in.Cast(x, kF32);
  const Value above = in.Call("greater", {number, in.Like(number, static_cast<double>(threshold))});
  node.SetOutput(0, in.Cast(above, node.DTypeOf(x)));
}

// Columns picked by index, of the last axis.
void ConvertArrayFeatureExtractor(NodeContext& node) {
  Compose in(node);
  Value x = node.Input(0);
  if (node.RankOf(x) == 1) x = in.Unsqueeze(x, {0});
  const Value index = in.Reshape(node.ToI64(node.Input(1)), {-1});
  node.SetOutput(0, in.Gather(x, index, node.RankOf(x) - 1));
}

void ConvertFeatureVectorizer(NodeContext& node) {
  Compose in(node);
  const Ints sizes = node.IntList("inputdimensions");
  std::vector<Value> parts;
  for (int i = 0; i < node.input_count(); ++i) {
    Value part = FeatureRows(node, node.Input(i));
    const auto at = static_cast<size_t>(i);
    // The attribute says how much of each input counts; what is longer is cut off.
    if (at < sizes.size() && node.DimOf(part, 1) != sizes[at])
      part = in.Slice(part, 1, 0, sizes[at]);
    parts.push_back(part);
  }
  if (node.ok()) node.SetOutput(0, in.Concat(parts, 1));
}

void ConvertImputer(NodeContext& node) {
  Compose in(node);
  const Value x = node.Input(0);
  const bool real = node.DTypeOf(x).is_float();
  const Floats floats = node.FloatList("imputed_value_floats");
  const Ints ints = node.IntList("imputed_value_int64s");
  const float old_float = node.Float("replaced_value_float", 0);
  const int64_t old_int = node.Int("replaced_value_int64", 0);
  if (node.ok() && (real ? floats.empty() : ints.empty()))
    return node.Fail("its input is ", node.DTypeOf(x).ToString(), "; it needs '",
                     real ? "imputed_value_floats" : "imputed_value_int64s", "'");
  if (!node.ok()) return;
  const Value fresh = in.Cast(real ? in.Floats(floats) : node.ConstantInts(ints), node.DTypeOf(x));
  // A NaN equals nothing, itself included, so that it needs a question of its own.
  const bool nan = real && old_float != old_float;
  const double old = real ? static_cast<double>(old_float) : static_cast<double>(old_int);
  const Value missing = nan ? in.Unary("is_nan", x) : in.Call("equal", {x, in.Like(x, old)});
  node.SetOutput(0, in.Where(missing, fresh, x));
}

// --- linear models

void ConvertLinearRegressor(NodeContext& node) {
  Compose in(node);
  const Floats weights = node.FloatList("coefficients"), rest = node.FloatList("intercepts");
  const int64_t targets = node.IntAtLeast("targets", 1, 1);
  const auto count = static_cast<int64_t>(weights.size());
  if (node.ok() && (count == 0 || count % targets != 0))
    return node.Fail("it has ", count, " coefficients for ", targets, " targets");
  if (!node.ok()) return;
  const Value matrix = FloatMatrix(node, weights, targets, count / targets);
  Value y = in.MatMul(FeatureRows(node, node.Input(0)), matrix, true);
  if (!rest.empty()) y = in.Add(y, in.Floats(rest));
  node.SetOutput(0, Transformed(node, y, ReadPostTransform(node)));
}

namespace {

// Two labels and one score: it is that of the second label, the other one is its complement.
Value BothScores(NodeContext& node, const Value& score, PostTransform how) {
  Compose in(node);
  const bool plain = how == PostTransform::kNone || how == PostTransform::kProbit;
  const Value other = plain ? in.Sub(in.Like(score, 1), score) : in.Unary("neg", score);
  return in.Concat({other, score}, 1);
}

}  // namespace

void ConvertLinearClassifier(NodeContext& node) {
  Compose in(node);
  const Labels labels = ReadLabels(node, "classlabels_strings", "classlabels_ints");
  const Floats weights = node.FloatList("coefficients"), rest = node.FloatList("intercepts");
  // It tells how the model was trained and changes nothing that is computed. It is read so that
  // nobody is warned that it is unknown.
  node.Int("multi_class", 0);
  const Value x = FeatureRows(node, node.Input(0));
  const PostTransform how = ReadPostTransform(node);
  const int64_t features = node.DimOf(x, 1);
  const auto count = static_cast<int64_t>(weights.size());
  const int64_t classes = rest.empty() && features > 0 ? count / features
                          : rest.empty()               ? labels.count
                                                       : static_cast<int64_t>(rest.size());
  if (node.ok() && (classes < 1 || count % std::max<int64_t>(classes, 1) != 0))
    return node.Fail("it has ", count, " coefficients for ", classes, " classes");
  if (!node.ok()) return;
  Value scores = in.MatMul(x, FloatMatrix(node, weights, classes, count / classes), true);
  if (!rest.empty()) scores = in.Add(scores, in.Floats(rest));
  if (classes == 1 && labels.count == 2) {
    // The second label where the score is positive.
    const Value chances = Transformed(node, BothScores(node, scores, how), how);
    // On raw scores, before the transformation: 0 is the border between the two classes there,
    // however chances are made of them afterwards.
    const Value half = in.Like(scores, 0);
    const Value place = in.Reshape(in.Cast(in.Call("greater", {scores, half}), kI64), {-1});
    node.SetOutput(0, LabelsAt(node, place, labels));
    return node.SetOutput(1, chances);
  }
  if (classes != labels.count)
    return node.Fail("it has ", classes, " classes, but ", labels.count, " labels");
  node.SetOutput(0, BestLabel(node, scores, labels));
  node.SetOutput(1, Transformed(node, scores, how));
}

// --- support vectors

namespace {

// kernel_params are gamma, coef0 and degree, in this order. LINEAR uses none of them.
struct Machine {
  int kernel = 0;  // LINEAR, POLY, RBF, SIGMOID
  float gamma = 0, coef0 = 0, degree = 0;
};

Machine ReadMachine(NodeContext& node) {
  Machine machine;
  machine.kernel = node.Choice("kernel_type", {"LINEAR", "POLY", "RBF", "SIGMOID"}, 0);
  const Floats list = node.FloatList("kernel_params");
  if (node.ok() && machine.kernel != 0 && list.size() != 3)
    node.Fail("attribute 'kernel_params' has ", list.size(), " values, expected 3");
  if (list.size() == 3) machine.gamma = list[0], machine.coef0 = list[1], machine.degree = list[2];
  return machine;
}

// [n, vectors]: the kernel of each row with each of the vectors [vectors, features].
Value KernelOf(NodeContext& node, const Machine& machine, const Value& x, const Value& vectors) {
  Compose in(node);
  const auto real = [](float value) { return static_cast<double>(value); };
  if (machine.kernel == 2) {
    // The squares of the differences themselves: their expansion would cancel.
    const Value away = in.Sub(in.Unsqueeze(x, {1}), vectors);
    const Value squares = in.Reduce("reduce_sum_square", away, {2}, false);
    return in.Unary("exp", in.Scaled(squares, -real(machine.gamma)));
  }
  const Value product = in.MatMul(x, vectors, true);
  if (machine.kernel == 0) return product;
  // POLY is (gamma * product + coef0) ^ degree, SIGMOID the hyperbolic tangent of the same sum.
  const Value moved =
      in.Add(in.Scaled(product, real(machine.gamma)), in.Like(product, real(machine.coef0)));
  if (machine.kernel == 3) return in.Unary("tanh", moved);
  return in.Call("pow", {moved, in.Like(moved, real(machine.degree))});
}

}  // namespace

void ConvertSvmRegressor(NodeContext& node) {
  Compose in(node);
  const Machine machine = ReadMachine(node);
  const Floats vectors = node.FloatList("support_vectors"), rho = node.FloatList("rho");
  const Floats weights = node.FloatList("coefficients");
  const int64_t count = node.IntAtLeast("n_supports", 0, 0);
  const auto all = static_cast<int64_t>(vectors.size());
  const Value x = FeatureRows(node, node.Input(0));
  if (node.ok() && (rho.empty() || weights.empty() || (count > 0 && all % count != 0) ||
                    (count > 0 && count != static_cast<int64_t>(weights.size()))))
    return node.Fail("it has ", count, " vectors of ", all, " numbers, ", weights.size(),
                     " coefficients and ", rho.size(), " values of rho");
  if (!node.ok()) return;
  const auto size = static_cast<int64_t>(weights.size());
  const Value kernel =
      count > 0 ? KernelOf(node, machine, x, FloatMatrix(node, vectors, count, all / count)) : x;
  Value y = in.MatMul(kernel, FloatMatrix(node, weights, 1, size), true);
  y = in.Add(y, in.Like(y, static_cast<double>(rho[0])));
  if (node.Bool("one_class", false)) {
    const Value inside = in.Call("greater", {y, in.Like(y, 0)});
    y = in.Where(inside, in.Like(y, 1), in.Like(y, -1));
  }
  node.SetOutput(0, Transformed(node, y, ReadPostTransform(node)));
}

namespace {

// One classifier for each pair of classes, as columns over the vectors: vectors of the first class
// count with the row of the second one less one, those of the second with the row of the first.
Floats PairColumns(const Floats& weights, const Ints& each, int64_t vectors) {
  const auto classes = static_cast<int64_t>(each.size()), pairs = classes * (classes - 1) / 2;
  Floats columns(static_cast<size_t>(vectors * pairs), 0);
  Ints first(each.size(), 0);
  for (size_t i = 1; i < each.size(); ++i) first[i] = first[i - 1] + each[i - 1];
  int64_t pair = 0;
  for (int64_t i = 0; i < classes; ++i) {
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      const auto fill = [&](int64_t of, int64_t row) {
        const int64_t begin = first[static_cast<size_t>(of)];
        for (int64_t v = begin; v < begin + each[static_cast<size_t>(of)]; ++v)
          columns[static_cast<size_t>(v * pairs + pair)] =
              weights[static_cast<size_t>(row * vectors + v)];
      };
      fill(i, j - 1);
      fill(j, i);
    }
  }
  return columns;
}

// [pairs, classes]: 1 where the pair's first (or second) class is.
Value PairMembers(NodeContext& node, int64_t classes, bool second) {
  Floats members;
  for (int64_t i = 0; i < classes; ++i) {
    for (int64_t j = i + 1; j < classes; ++j) {
      for (int64_t c = 0; c < classes; ++c) members.push_back(c == (second ? j : i) ? 1.0f : 0.0f);
    }
  }
  return FloatMatrix(node, members, classes * (classes - 1) / 2, classes);
}

// For each pair of classes one rho and maybe one prob_a and prob_b. The coefficients are rows over
// all vectors, one row less than there are classes; vectors come class by class.
struct SvmInputs {
  Floats weights, rho, prob_a, prob_b;
  Ints each;
  int64_t vectors = 0;
};

SvmInputs ReadSvm(NodeContext& node, int64_t labels) {
  SvmInputs svm{node.FloatList("coefficients"), node.FloatList("rho"), node.FloatList("prob_a"),
                node.FloatList("prob_b"), node.IntList("vectors_per_class")};
  for (const int64_t count : svm.each) {
    // A bound, so that neither the sum nor the table of pairs and vectors can overflow.
    if (count < 0 || count > (int64_t{1} << 24))
      node.Fail("attribute 'vectors_per_class' is ", FormatDims(svm.each));
    else
      svm.vectors += count;
  }
  const auto classes = static_cast<int64_t>(svm.each.size());
  const int64_t pairs = classes * (classes - 1) / 2;
  if (node.ok() && classes < 2)
    node.Unsupported("a linear machine without support vectors; use LinearClassifier");
  if (node.ok() &&
      (classes != labels || classes > 1000 || static_cast<int64_t>(svm.rho.size()) != pairs ||
       static_cast<int64_t>(svm.weights.size()) != (classes - 1) * svm.vectors)) {
    node.Fail("it has ", classes, " classes of vectors, ", labels, " labels, ", svm.rho.size(),
              " values of rho and ", svm.weights.size(), " coefficients");
  }
  const auto told = [&](size_t count) { return count == 0 || count == static_cast<size_t>(pairs); };
  if (node.ok() && (svm.prob_a.size() != svm.prob_b.size() || !told(svm.prob_a.size())))
    node.Fail("it has ", svm.prob_a.size(), " values of prob_a and ", svm.prob_b.size(),
              " of prob_b, expected none or ", pairs);
  return svm;
}

}  // namespace

// Each pair of classes votes for one of them.
void ConvertSvmClassifier(NodeContext& node) {
  Compose in(node);
  const Labels labels = ReadLabels(node, "classlabels_strings", "classlabels_ints");
  const Machine machine = ReadMachine(node);
  const Floats vectors = node.FloatList("support_vectors");
  const SvmInputs svm = ReadSvm(node, labels.count);
  const Value x = FeatureRows(node, node.Input(0));
  const auto all = static_cast<int64_t>(vectors.size());
  if (node.ok() && (svm.vectors == 0 || all % svm.vectors != 0))
    return node.Fail("it has ", svm.vectors, " support vectors of ", all, " numbers");
  if (!node.ok()) return;
  const int64_t classes = labels.count, pairs = classes * (classes - 1) / 2;
  const Value kernel =
      KernelOf(node, machine, x, FloatMatrix(node, vectors, svm.vectors, all / svm.vectors));
  const Floats columns = PairColumns(svm.weights, svm.each, svm.vectors);
  const Value scores =
      in.Add(in.MatMul(kernel, FloatMatrix(node, columns, svm.vectors, pairs)), in.Floats(svm.rho));
  const Value first = in.Call("greater", {scores, in.Like(scores, 0)});
  const Value votes =
      in.Add(in.MatMul(in.Cast(first, kF32), PairMembers(node, classes, false)),
             in.MatMul(in.Cast(in.Unary("not", first), kF32), PairMembers(node, classes, true)));
  node.SetOutput(0, BestLabel(node, votes, labels));
  const PostTransform how = ReadPostTransform(node);
  if (!svm.prob_a.empty()) {
    // Platt's scaling: the chance of the pair's first class is 1 / (1 + exp(a * score + b)).
    const Value turned = in.Add(in.Mul(scores, in.Floats(svm.prob_a)), in.Floats(svm.prob_b));
    const Value chance = in.Unary("sigmoid", in.Unary("neg", turned));
    if (classes > 2) {
      ops::CoupleAttrs attrs;
      attrs.classes = classes;
      const Value all_chances = node.Call("couple_pairs", {chance}, attrs.ToAttrs());
      return node.SetOutput(1, Transformed(node, all_chances, how));
    }
    const Value both = in.Concat({chance, in.Sub(in.Like(chance, 1), chance)}, 1);
    return node.SetOutput(1, Transformed(node, both, how));
  }
  // Without chances, output 1 has the scores of the pairs, which are as many as the classes for
  // three classes only.
  if (classes != 2) return node.SetOutput(1, Transformed(node, scores, how));
  node.SetOutput(1, Transformed(node, in.Concat({in.Unary("neg", scores), scores}, 1), how));
}

}  // namespace tern::onnx
