// SPDX-License-Identifier: Apache-2.0
// Samples of images, what spreads elements over larger ones, and order.
#include "core/base/strings.h"
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::sample_test {
namespace {

TEST(GridSampleTest, ModesAndPadding) {
  const TensorPtr x = F({1, 1, 2, 2}, {1, 2, 3, 4});
  // The middle, a corner pixel's middle, and a place outside.
  const TensorPtr grid = F({1, 1, 3, 2}, {0, 0, -0.5f, -0.5f, 3, 3});
  EXPECT_EQ(RunText("grid_sample", {x, grid}), "f32[1, 1, 1, 3] {2.5 1 0}");
  EXPECT_EQ(RunText("grid_sample{padding=border}", {x, grid}), "f32[1, 1, 1, 3] {2.5 1 4}");
  EXPECT_EQ(RunText("grid_sample{mode=nearest padding=reflection}", {x, grid}),
            "f32[1, 1, 1, 3] {1 1 1}");
  EXPECT_EQ(RunText("grid_sample{align_corners=1}", {x, F({1, 1, 1, 2}, {1, -1})}),
            "f32[1, 1, 1, 1] {2}");
  EXPECT_EQ(RunText("grid_sample", {F({1, 1, 4}, {1, 2, 3, 4}), F({1, 1, 1}, {0})}),
            "f32[1, 1, 1] {2.5}");
}

TEST(GridSampleTest, AnyPlaceIsSafe) {
  const float inf = INFINITY, nan = NAN;
  const TensorPtr x = F({1, 1, 1, 1}, {5}), grid = F({1, 1, 2, 2}, {nan, inf, -inf, 1e38f});
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    for (const char* padding : {"zeros", "border", "reflection"}) {
      for (const char* corners : {"0", "1"}) {
        const Result<Any> result =
            kernels::Run(StrCat("grid_sample{mode=", mode, " padding=", padding,
                                " align_corners=", corners, "}"),
                         {x, grid});
        EXPECT_TRUE(result.ok()) << mode << " " << padding;
      }
    }
  }
  EXPECT_EQ(RunText("grid_sample", {F({1, 1, 0, 2}, {}), F({1, 1, 1, 2}, {0, 0})}),
            "f32[1, 1, 1, 1] {0}");
  ExpectError("grid_sample", {x, F({1, 1, 1, 3}, {0, 0, 0})}, {"grid", "axis 3"});
  ExpectError("grid_sample", {x, F({1, 1, 2}, {0, 0})}, {"grid", "rank"});
}

TEST(RoiAlignTest, MeansOfSamples) {
  const TensorPtr x = Iota({1, 1, 4, 4});
  const TensorPtr rois = F({1, 4}, {0, 0, 4, 4}), image = I({1}, {0});
  EXPECT_EQ(RunText("roi_align{height=2 width=2}", {x, rois, image}),
            "f32[1, 1, 2, 2] {2.5 4.5 10.5 12.5}");
  EXPECT_EQ(RunText("roi_align{height=1 width=1 sampling_ratio=1 mode=max half_pixel=0}",
                    {x, F({1, 4}, {1, 1, 1, 1}), image}),
            "f32[1, 1, 1, 1] {2.5}");  // the share that a pixel has of the sample
  ExpectError("roi_align{height=1 width=1}", {x, rois, I({1}, {3})},
              {"region 0 is of image 3, but there are 1"});
  ExpectError("roi_align{height=1 width=1}", {x, rois, I({2}, {0, 0})}, {"one for each region"});
  ExpectError("roi_align{height=1 width=1}", {x, F({1, 3}, {0, 0, 0}), image}, {"rois"});
}

TEST(MaxUnpoolTest, KeepsPlacesInALargerImage) {
  const TensorPtr x = F({1, 1, 1, 2}, {7, 8}), places = I({1, 1, 1, 2}, {1, 6});
  EXPECT_EQ(RunText("max_unpool{kernel=2,2 strides=2,2}", {x, places}),
            "f32[1, 1, 2, 4] {0 7 0 0 0 0 8 0}");
  EXPECT_EQ(RunText("max_unpool{kernel=2,2 strides=2,2}", {x, places, I({4}, {1, 1, 2, 5})}),
            "f32[1, 1, 2, 5] {0 7 0 0 0 0 0 8 0 0}");
  ExpectError("max_unpool{kernel=2,2 strides=2,2}", {x, I({1, 1, 1, 2}, {1, 8})},
              {"index 8 is outside of an image [1, 1, 2, 4]"});
  ExpectError("max_unpool{kernel=2,2 strides=2,2}", {x, places, I({4}, {1, 1, 1, 1})},
              {"is outside of an image [1, 1, 1, 1]"});
  ExpectError("max_unpool{kernel=2,2 strides=2,2}", {x, I({1, 1, 2, 1}, {1, 2})},
              {"the shape of x"});
  ExpectError("max_unpool{kernel=2,2 strides=2,2}", {x, places, I({2}, {1, 1})}, {"rank"});
}

TEST(Col2ImTest, AddsWhatOverlaps) {
  const TensorPtr image = I({2}, {1, 3}), block = I({2}, {1, 2});
  EXPECT_EQ(RunText("col2im", {F({1, 2, 2}, {1, 2, 3, 4}), image, block}),
            "f32[1, 1, 1, 3] {1 5 4}");
  ExpectError("col2im", {F({1, 2, 3}, {1, 2, 3, 4, 5, 6}), image, block},
              {"x has 3 columns, but the image has 2 blocks"});
  ExpectError("col2im", {F({1, 3, 2}, {1, 2, 3, 4, 5, 6}), image, block},
              {"no multiple of 2 taps"});
  ExpectError("col2im", {F({1, 2, 2}, {1, 2, 3, 4}), image, I({2}, {0, 2})}, {"extent of 0"});
}

TEST(ConvTranspose3dTest, SpreadsTaps) {
  EXPECT_EQ(RunText("conv_transpose3d",
                    {F({1, 1, 1, 1, 2}, {1, 2}), F({1, 1, 1, 1, 2}, {1, 10}), F({1}, {100})}),
            "f32[1, 1, 1, 1, 3] {101 112 120}");
  ExpectError("conv_transpose3d", {F({1, 1, 1, 1, 1}, {1}), F({2, 1, 1, 1, 1}, {1, 1})},
              {"w", "axis 0"});
  ExpectError("conv_transpose3d{layout=nhwc}", {F({1, 1, 1, 1, 1}, {1}), F({1, 1, 1, 1, 1}, {1})},
              {"nchw"});
}

TEST(UniqueTest, SortedAndAsTheyCome) {
  EXPECT_EQ(RunText("unique", {F({5}, {2, 1, 1, 3, 2})}),
            "f32[3] {1 2 3} i64[3] {1 0 3} i64[5] {1 0 0 2 1} i64[3] {2 2 1}");
  EXPECT_EQ(RunText("unique{sorted=0}", {I({5}, {2, 1, 1, 3, 2})}),
            "i64[3] {2 1 3} i64[3] {0 1 3} i64[5] {0 1 1 2 0} i64[3] {2 2 1}");
  EXPECT_EQ(RunText("unique{has_axis=1}", {I({3, 2}, {5, 0, -1, 0, 5, 0})}),
            "i64[2, 2] {-1 0 5 0} i64[2] {1 0} i64[3] {1 0 1} i64[2] {1 2}");
  EXPECT_EQ(RunText("unique", {F({0}, {})}), "f32[0] {} i64[0] {} i64[0] {} i64[0] {}");
  EXPECT_EQ(RunText("unique", {I({2}, {INT64_MAX, INT64_MAX - 1})}),
            "i64[2] {9.22337e+18 9.22337e+18} i64[2] {1 0} i64[2] {1 0} i64[2] {1 1}");
  EXPECT_EQ(RunText("unique", {F({4}, {NAN, -0.0f, NAN, 0})}),
            "f32[2] {0 nan} i64[2] {1 0} i64[4] {1 0 1 0} i64[2] {2 2}");
  ExpectError("unique{has_axis=1 axis=3}", {F({1}, {1})}, {"axis"});
}

TEST(ReverseSequenceTest, TimeFirstAndBatchFirst) {
  EXPECT_EQ(RunText("reverse_sequence", {Iota({3, 2}), I({2}, {3, 2})}), "f32[3, 2] {4 3 2 1 0 5}");
  EXPECT_EQ(RunText("reverse_sequence{batch_axis=0 time_axis=1}", {Iota({2, 3}), I({2}, {2, 0})}),
            "f32[2, 3] {1 0 2 3 4 5}");
  ExpectError("reverse_sequence", {Iota({3, 2}), I({2}, {4, 0})},
              {"sequence 0 has a length of 4, expected 0 to 3"});
  ExpectError("reverse_sequence", {Iota({3, 2}), I({1}, {1})}, {"one for each sequence"});
  ExpectError("reverse_sequence{time_axis=1}", {Iota({3, 2}), I({2}, {1, 1})},
              {"expected 0 and 1 or 1 and 0"});
}

TEST(DetTest, OfEachMatrix) {
  EXPECT_EQ(RunText("det", {F({2, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0})}), "f32[2] {-2 -1}");
  EXPECT_EQ(RunText("det", {F({2, 2}, {1, 2, 2, 4})}), "f32[] {0}");
  EXPECT_EQ(RunText("det", {F({0, 0}, {})}), "f32[] {1}");
  ExpectError("det", {F({1, 2}, {1, 2})}, {"axis 1"});
}

TEST(MeanVarianceNormTest, OverAxes) {
  EXPECT_EQ(RunText("mean_variance_norm{axes=0}", {F({2, 2}, {1, 10, 3, 30})}),
            "f32[2, 2] {-1 -1 1 1}");
  ExpectError("mean_variance_norm{axes=2}", {F({2, 2}, {1, 2, 3, 4})}, {"axis"});
}

}  // namespace
}  // namespace tern::kernels::sample_test
