// SPDX-License-Identifier: Apache-2.0
// Shape rules: known shapes, refusals, and that a rule over symbols, once they are replaced, is the
// rule over numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/ops/image_rules.h"
#include "core/ops/shape_rules.h"
#include "core/types/dim.h"

namespace tern::ops::rules_test {
namespace {

using types::Dim;
using Shape = Dims<int64_t>;

std::string Text(const Status& status, const Shape& out) {
  return status.ok() ? ShapeText(out) : "error: " + std::string(status.message());
}

TEST(Rules, Broadcast) {
  Shape out;
  EXPECT_EQ(Text(BroadcastShape(Shape{2, 1, 3}, Shape{4, 1}, &out), out), "[2, 4, 3]");
  EXPECT_EQ(Text(BroadcastShape(Shape{}, Shape{0, 2}, &out), out), "[0, 2]");
  EXPECT_EQ(Text(BroadcastShape(Shape{2}, Shape{3}, &out), out),
            "error: shapes [2] and [3] do not broadcast: axis 0 of the result is 2 against 3");
}

TEST(Rules, Reshape) {
  Shape out;
  const int64_t infer[] = {0, -1}, twice[] = {-1, -1}, far[] = {1, 1, 0}, zero[] = {0, 3};
  EXPECT_EQ(Text(ReshapeShape<int64_t>(Shape{2, 3, 4}, infer, false, &out), out), "[2, 12]");
  EXPECT_EQ(Text(ReshapeShape<int64_t>(Shape{0, 3}, zero, true, &out), out), "[0, 3]");
  EXPECT_FALSE(ReshapeShape<int64_t>(Shape{4}, twice, false, &out).ok());
  EXPECT_FALSE(ReshapeShape<int64_t>(Shape{4, 1}, far, false, &out).ok());
  EXPECT_FALSE(ReshapeShape<int64_t>(Shape{2, 3}, zero, true, &out).ok());
}

TEST(Rules, PoolCeilModeBeginsInsideTheImage) {
  PoolAttrs attrs =
      PoolAttrs::From(*Attrs::Parse("kernel=2,2 strides=2,2 pads=0,0,1,1 ceil_mode=1")).value();
  Shape out;
  ASSERT_TRUE(PoolShape(attrs, Shape{1, 1, 4, 5}, &out).ok());
  EXPECT_EQ(ShapeText(out), "[1, 1, 2, 3]");
}

TEST(Rules, SlicesOfEverySign) {
  for (int64_t extent = 0; extent <= 5; ++extent) {
    for (int64_t start = -7; start <= 7; ++start) {
      for (int64_t end = -7; end <= 7; ++end) {
        for (int64_t step : {-3, -1, 1, 2}) {
          // Python's own rule, spelled out.
          int64_t s = start < 0 ? start + extent : start, e = end < 0 ? end + extent : end;
          if (step > 0) {
            s = std::clamp<int64_t>(s, 0, extent);
            e = std::clamp<int64_t>(e, 0, extent);
          } else {
            s = std::clamp<int64_t>(s, -1, extent - 1);
            e = std::clamp<int64_t>(e, -1, extent - 1);
          }
          if (step < 0 && start + extent < 0)
            continue;  // ONNX and Python part here; models do not go there
          int64_t count = 0;
          for (int64_t i = s; step > 0 ? i < e : i > e; i += step) ++count;
          EXPECT_EQ(RangeOfSlice<int64_t>(extent, start, end, step).count, count)
              << extent << "[" << start << ":" << end << ":" << step << "]";
        }
      }
    }
  }
}

TEST(Rules, Einsum) {
  const auto shape = [](std::string_view equation, std::vector<Shape> inputs) {
    Result<EinsumTerms> terms = ParseEinsum(equation);
    if (!terms.ok()) return std::string("error");
    Shape out;
    return EinsumShape<int64_t>(*terms, inputs, &out).ok() ? ShapeText(out) : std::string("error");
  };
  EXPECT_EQ(shape("ij,jk->ik", {{2, 3}, {3, 4}}), "[2, 4]");
  EXPECT_EQ(shape("...ij,...jk->...ik", {{5, 2, 3}, {1, 3, 4}}), "[5, 2, 4]");
  EXPECT_EQ(shape("ba", {{2, 3}}), "[3, 2]");
  EXPECT_EQ(shape("ii->", {{3, 3}}), "[]");
  EXPECT_EQ(shape("ij,jk->ik", {{2, 3}, {4, 4}}), "error");
  EXPECT_EQ(shape("ij->ik", {{2, 3}}), "error");
  EXPECT_EQ(shape("i1->i", {{2, 3}}), "error");
  EXPECT_EQ(shape("ij->ii", {{2, 3}}), "error");
  EXPECT_EQ(shape("ij,jk->ik", {{2, 3}}), "error");
}

TEST(Rules, AbsurdExtentsSaturate) {
  Shape out;
  const int64_t repeats[] = {INT64_MAX};
  ASSERT_TRUE(TileShape<int64_t>(Shape{1000}, repeats, &out).ok());
  EXPECT_EQ(out[0], INT64_MAX);
  EXPECT_EQ(FloorDiv(INT64_MIN, int64_t{-1}), INT64_MAX);
  EXPECT_EQ(MulDim(INT64_MIN, int64_t{2}), INT64_MIN);
}

// --- symbols against numbers

struct Case {
  std::mt19937& random;
  std::vector<Dim::Binding> bindings;

  int64_t Number(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint32_t>(most - least + 1));
  }
  // The same shape twice; some extents are symbols in the second.
  void Make(int rank, int64_t least, int64_t most, Shape* numbers, Dims<Dim>* symbols) {
    for (int i = 0; i < rank; ++i) {
      numbers->push_back(Number(least, most));
      const std::string name = "s" + std::to_string(bindings.size());
      if (Number(0, 1) == 0) {
        symbols->push_back(Dim((*numbers)[i]));
      } else {
        bindings.emplace_back(name, Dim((*numbers)[i]));
        symbols->push_back(Dim::Symbol(name));
      }
    }
  }
  void Compare(const Status& a, const Shape& numbers, const Status& b, const Dims<Dim>& symbols,
               std::string_view what) {
    if (!a.ok()) return;  // a symbolic rule may not know yet
    ASSERT_TRUE(b.ok()) << what << ": " << b.message();
    ASSERT_EQ(numbers.rank(), symbols.rank()) << what;
    for (int i = 0; i < numbers.rank(); ++i) {
      if (symbols[i].is_any()) continue;
      const Dim got = symbols[i].Substitute(bindings);
      ASSERT_TRUE(got.is_constant()) << what << " " << symbols[i].ToText();
      EXPECT_EQ(got.constant(), numbers[i]) << what << " axis " << i << ": " << symbols[i].ToText();
    }
  }
};

TEST(Rules, SymbolsAgreeWithNumbersConv) {
  std::mt19937 random(3);
  const char* pads[] = {"", " auto_pad=same_upper", " auto_pad=same_lower", " auto_pad=valid",
                        " pads=1,0,2,1"};
  for (int round = 0; round < 500; ++round) {
    Case c{random, {}};
    Shape x, xo, w;
    Dims<Dim> sx, so, sw;
    c.Make(4, 4, 9, &x, &sx);
    w = Shape{5, x[1], c.Number(1, 3), c.Number(1, 3)};
    sw = Dims<Dim>{Dim(5), sx[1], Dim(w[2]), Dim(w[3])};
    const std::string text = StrCat("strides=", c.Number(1, 3), ",", c.Number(1, 3),
                                    " dilations=", c.Number(1, 2), ",1", pads[c.Number(0, 4)]);
    const ConvAttrs attrs = ConvAttrs::From(*Attrs::Parse(text)).value();
    c.Compare(ConvShape(attrs, x, w, &xo), xo, ConvShape(attrs, sx, sw, &so), so, text);
    const std::string pool_text = StrCat("kernel=2,3 ", text, " ceil_mode=", c.Number(0, 1));
    const PoolAttrs pool = PoolAttrs::From(*Attrs::Parse(pool_text)).value();
    c.Compare(PoolShape(pool, x, &xo), xo, PoolShape(pool, sx, &so), so, pool_text);
  }
}

TEST(Rules, SymbolsAgreeWithNumbersShapes) {
  std::mt19937 random(5);
  for (int round = 0; round < 1000; ++round) {
    Case c{random, {}};
    Shape x, out;
    Dims<Dim> sx, so;
    c.Make(3, 1, 6, &x, &sx);
    const int64_t begin = c.Number(-8, 8), end = c.Number(-8, 8),
                  step = c.Number(0, 1) == 0 ? 1 : 2;
    const int64_t starts[] = {begin}, ends[] = {end}, axes[] = {1}, steps[] = {step};
    const Dim symbolic_starts[] = {Dim(begin)}, symbolic_ends[] = {Dim(end)};
    c.Compare(SliceShape<int64_t>(x, starts, ends, axes, steps, &out), out,
              SliceShape<Dim>(sx, symbolic_starts, symbolic_ends, axes, steps, &so), so, "slice");
    const int64_t target[] = {0, -1};
    const Dim symbolic_target[] = {Dim(0), Dim(-1)};
    c.Compare(ReshapeShape<int64_t>(x, target, false, &out), out,
              ReshapeShape<Dim>(sx, symbolic_target, false, &so), so, "reshape");
    const SplitAttrs split = SplitAttrs::From(*Attrs::Parse("axis=2 parts=3")).value();
    std::vector<Shape> parts;
    std::vector<Dims<Dim>> symbolic_parts;
    ASSERT_TRUE(SplitShapes(split, x, &parts).ok());
    ASSERT_TRUE(SplitShapes(split, sx, &symbolic_parts).ok());
    for (size_t i = 0; i < 3; ++i)
      c.Compare(OkStatus(), parts[i], OkStatus(), symbolic_parts[i], "split");
  }
}

}  // namespace
}  // namespace tern::ops::rules_test
