// SPDX-License-Identifier: Apache-2.0
// The layers and products that the kernel benchmark measures.

#ifndef TERN_TOOLS_BENCH_KERNELS_CASES_H_
#define TERN_TOOLS_BENCH_KERNELS_CASES_H_

#include "tools/bench/kernels/problem.h"

namespace tern::kernels {

inline constexpr int64_t kProductShapes[][3] = {
    {64, 64, 64},   {128, 128, 128}, {256, 256, 256},  {512, 512, 512},  {1024, 1024, 1024},
    {8, 768, 3072}, {128, 384, 384}, {128, 1536, 384}, {128, 384, 1536}, {100, 100, 100},
    {1, 512, 128},  {1, 1000, 1280}, {1, 4096, 4096}};

inline constexpr int64_t kTransposedProductShapes[][3] = {{128, 128, 64}, {1, 4096, 4096}};

// Layers of MobileNetV2, ResNet-18, a small digit classifier, a detector of text and one with SiLU.
inline constexpr ConvCase kConvCases[] = {
    {"mobilenet first 3x3 s2 224 3->32", 224, 224, 3, 32, 3, 2, 1},
    {"mobilenet 1x1 112 32->16", 112, 112, 32, 16, 1, 1, 0},
    {"mobilenet 1x1 112 16->96", 112, 112, 16, 96, 1, 1, 0},
    {"mobilenet 1x1 56 96->24", 56, 56, 96, 24, 1, 1, 0},
    {"mobilenet 1x1 28 32->192", 28, 28, 32, 192, 1, 1, 0},
    {"mobilenet 1x1 14 384->64", 14, 14, 384, 64, 1, 1, 0},
    {"mobilenet 1x1 7 960->320", 7, 7, 960, 320, 1, 1, 0},
    {"mobilenet 1x1 7 320->1280", 7, 7, 320, 1280, 1, 1, 0},
    {"resnet first 7x7 s2 224 3->64", 224, 224, 3, 64, 7, 2, 3},
    {"resnet 3x3 56 64->64", 56, 56, 64, 64, 3, 1, 1},
    {"resnet 3x3 s2 56 64->128", 56, 56, 64, 128, 3, 2, 1},
    {"resnet 3x3 28 128->128", 28, 28, 128, 128, 3, 1, 1},
    {"resnet 3x3 14 256->256", 14, 14, 256, 256, 3, 1, 1},
    {"resnet 3x3 7 512->512", 7, 7, 512, 512, 3, 1, 1},
    {"mnist 5x5 28 1->8", 28, 28, 1, 8, 5, 1, 2},
    {"mnist 5x5 14 8->16", 14, 14, 8, 16, 5, 1, 2},
    {"3x3 450x60 32->32", 450, 60, 32, 32, 3, 1, 1},
    {"3x3 80 96->24", 80, 80, 96, 24, 3, 1, 1},
    {"1x1 52 64->64", 52, 52, 64, 64, 1, 1, 0},
    {"1x1 52 64->64 silu", 52, 52, 64, 64, 1, 1, 0, TERN_ACT_SILU},
    {"1x1 52 64->64 sigmoid", 52, 52, 64, 64, 1, 1, 0, TERN_ACT_SIGMOID},
    {"1x1 52 64->64 gelu", 52, 52, 64, 64, 1, 1, 0, TERN_ACT_GELU},
    {"1x1 52 64->64 hard swish", 52, 52, 64, 64, 1, 1, 0, TERN_ACT_HARD_SWISH},
    {"1x1 26 24->24 silu", 26, 26, 24, 24, 1, 1, 0, TERN_ACT_SILU},
};

// What the compiler gives to Winograd's algorithm, and some that it does not.
inline constexpr ConvCase kWinogradCases[] = {
    {"winograd 56 64->64", 56, 56, 64, 64, 3, 1, 1},
    {"winograd 28 128->128", 28, 28, 128, 128, 3, 1, 1},
    {"winograd 14 256->256", 14, 14, 256, 256, 3, 1, 1},
    {"winograd 7 512->512", 7, 7, 512, 512, 3, 1, 1},
    {"winograd 450x60 32->32", 450, 60, 32, 32, 3, 1, 1},
    {"winograd 80 96->24", 80, 80, 96, 24, 3, 1, 1},
    {"winograd 112 16->16", 112, 112, 16, 16, 3, 1, 1},
    {"winograd 112 8->8", 112, 112, 8, 8, 3, 1, 1},
    {"winograd 52 64->64 silu", 52, 52, 64, 64, 3, 1, 1, TERN_ACT_SILU},
};

inline constexpr ConvCase kDepthwiseCases[] = {
    {"depthwise 3x3 112 32", 112, 112, 32, 32, 3, 1, 1},
    {"depthwise 3x3 s2 112 96", 112, 112, 96, 96, 3, 2, 1},
    {"depthwise 3x3 56 144", 56, 56, 144, 144, 3, 1, 1},
    {"depthwise 3x3 28 192", 28, 28, 192, 192, 3, 1, 1},
    {"depthwise 3x3 14 384", 14, 14, 384, 384, 3, 1, 1},
    {"depthwise 3x3 7 960", 7, 7, 960, 960, 3, 1, 1},
    {"depthwise 5x5 28 120", 28, 28, 120, 120, 5, 1, 2},
    {"depthwise 5x5 s2 28 120", 28, 28, 120, 120, 5, 2, 2},
    {"depthwise 3x3 52 64 silu", 52, 52, 64, 64, 3, 1, 1, TERN_ACT_SILU},
};

// Decoders and generators.
inline constexpr ConvCase kTransposedCases[] = {
    {"transposed 2x2 s2 160 24->1", 160, 160, 24, 1, 2, 2, 0},
    {"transposed 2x2 s2 80 24->24", 80, 80, 24, 24, 2, 2, 0},
    {"transposed 4x4 s2 32 64->32", 32, 32, 64, 32, 4, 2, 1},
};

}  // namespace tern::kernels

#endif  // TERN_TOOLS_BENCH_KERNELS_CASES_H_
