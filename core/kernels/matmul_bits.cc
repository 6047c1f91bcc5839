// SPDX-License-Identifier: Apache-2.0
// A product with weights of 4 bits, which stay packed in memory. A row or a few, such as the one of
// a decoder's step, meet the weights of a column as they are read, eight in a word of 32 bits. For
// more rows a few panels at a time are unpacked, which the tiles of every product then read.

#include <string.h>

#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

constexpr int64_t kHalves = 8;      // of bytes, in a word: weights that lie side by side
constexpr float kMiddle = 8;        // the zero point where none is given
constexpr int64_t kSpreadRows = 5;  // up to which unpacking would take longer than it saves
// Whether a vector of words can lie in several blocks, of which the last column's end is cut.
// Where no vector has more than four words, only blocks of 16 would be shorter: they are unpacked.
constexpr bool kBlocksInVector = hn::MaxLanes(PanelTag()) > 4;
constexpr int64_t kUnpacked = 1 << 16;  // floats that are unpacked at once, or two panels

HWY_INLINE int64_t BitsLanes() { return static_cast<int64_t>(hn::Lanes(PanelTag())); }

// What HalfOf<half> gives is so many times the half: but for the last one, whose top bit would be
// taken for a sign, it costs a shift less where it need not be picked.
constexpr float FactorOfHalf(int64_t half) {
  if (kPicksHalves || half == kHalves - 1) return 1;
  return static_cast<float>(1 << (4 * half));
}

template <int half>
HWY_INLINE PanelVector HalfOf(IntVector words, HalfPicker picker) {
  if constexpr (kPicksHalves || half == kHalves - 1) {
    return LowestHalf(hn::ShiftRight<4 * half>(words), picker);
  } else {
    return LowestHalf(words, hn::ShiftLeft<4 * half>(picker));
  }
}

struct BitsPlan {
  const TernMatMulBitsArgs* args;
  int64_t blocks;       // of a column
  int64_t words;        // of a column that are multiplied, in whole vectors or whole blocks
  int64_t block_shift;  // a block has 1 << block_shift words
  int64_t row_floats;   // of a spread row; 0 where rows are not spread
  int64_t worker_floats;
  int32_t lowest_half;  // bits of a word (MakeHalfPicker)
  float* rows;          // spread, [m][row_floats]
  float* workers;       // [workers][worker_floats]

  const uint8_t* BytesOf(int64_t column) const {
    return args->b + column * blocks * (args->block / 2);
  }
  float ZeroOf(int64_t column, int64_t block) const {
    if (args->float_zeros != nullptr) return args->float_zeros[column * blocks + block];
    if (args->zeros == nullptr) return kMiddle;
    const uint8_t pair = args->zeros[column * ((blocks + 1) / 2) + block / 2];
    return static_cast<float>(block % 2 == 0 ? pair & 0xF : pair >> 4);
  }
};

// ---- few rows

// One row as vectors of words meet it. For each of them: what is left of a zero point, which is
// minus the sum of all that a word meets, then what the first half of each word meets, less its
// factor, and so on.
void SpreadRow(const BitsPlan& plan, const float* row, float* to) {
  const int64_t lanes = BitsLanes(), step = lanes * kHalves;
  for (int64_t first = 0; first < plan.words * kHalves; first += step, to += step + lanes) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      float sum = 0;
      for (int64_t half = 0; half < kHalves; ++half) {
        const int64_t i = first + lane * kHalves + half;
        const float x = i < plan.args->k ? row[i] : 0;
        to[(half + 1) * lanes + lane] = x / FactorOfHalf(half);
        sum -= x;
      }
      to[lane] = sum;
    }
  }
}

// One column as a row meets it.
struct BitsColumn {
  const uint8_t* bytes;
  const float* scales;  // [blocks]
  const float* zeros;   // [blocks], or null
};

// The numbers of the blocks in which a vector of words lies, a lane for each word. `places` says
// which block, where there are more than one.
template <class Places>
HWY_INLINE PanelVector OfBlocks(const float* numbers, int64_t blocks, Places places) {
  const PanelTag d;
  if (!kBlocksInVector || blocks <= 1) return hn::Set(d, *numbers);
  return hn::TableLookupLanes(hn::LoadN(d, numbers, static_cast<size_t>(blocks)), places);
}

// What a vector of words adds up to in each lane, before it is scaled.
HWY_INLINE PanelVector MultiplyWords(IntVector words, PanelVector zero, const float* row,
                                     HalfPicker picker) {
  const PanelTag d;
  const int64_t lanes = BitsLanes();
  PanelVector even = hn::Mul(zero, hn::LoadU(d, row));
  PanelVector odd = hn::Mul(HalfOf<1>(words, picker), hn::LoadU(d, row + 2 * lanes));
  even = MulAdd(HalfOf<0>(words, picker), hn::LoadU(d, row + lanes), even);
  odd = MulAdd(HalfOf<3>(words, picker), hn::LoadU(d, row + 4 * lanes), odd);
  even = MulAdd(HalfOf<2>(words, picker), hn::LoadU(d, row + 3 * lanes), even);
  odd = MulAdd(HalfOf<5>(words, picker), hn::LoadU(d, row + 6 * lanes), odd);
  even = MulAdd(HalfOf<4>(words, picker), hn::LoadU(d, row + 5 * lanes), even);
  odd = MulAdd(HalfOf<7>(words, picker), hn::LoadU(d, row + 8 * lanes), odd);
  even = MulAdd(HalfOf<6>(words, picker), hn::LoadU(d, row + 7 * lanes), even);
  return hn::Add(even, odd);
}

float DotOfBits(const BitsPlan& plan, const BitsColumn& column, const float* row) {
  const PanelTag d;
  const IntTag dw;
  const hn::Repartition<uint8_t, IntTag> d8;
  const int64_t lanes = BitsLanes();
  const int64_t shift = plan.block_shift, in_vector = lanes >> shift;
  const auto places =
      hn::IndicesFromVec(d, hn::ShiftRightSame(hn::Iota(IntTag(), 0), static_cast<int>(shift)));
  const HalfPicker picker = MakeHalfPicker(plan.lowest_half);
  PanelVector total = hn::Zero(d), zero = hn::Set(d, kMiddle);
  int64_t word = 0;
  for (; word + lanes <= plan.words; word += lanes, row += (kHalves + 1) * lanes) {
    const int64_t block = word >> shift;
    const auto words = hn::BitCast(dw, hn::LoadU(d8, column.bytes + 4 * word));
    if (column.zeros != nullptr) zero = OfBlocks(column.zeros + block, in_vector, places);
    total = MulAdd(OfBlocks(column.scales + block, in_vector, places),
                   MultiplyWords(words, zero, row, picker), total);
  }
  if (kBlocksInVector && word < plan.words) {
    const int64_t block = word >> shift, left = plan.blocks - block;
    const auto words = hn::LoadN(dw, reinterpret_cast<const int32_t*>(column.bytes + 4 * word),
                                 static_cast<size_t>(plan.words - word));
    if (column.zeros != nullptr) zero = OfBlocks(column.zeros + block, left, places);
    total = MulAdd(OfBlocks(column.scales + block, left, places),
                   MultiplyWords(words, zero, row, picker), total);
  }
  return hn::ReduceSum(d, total);
}

// Zero points of one column as floats, or null where they are all kMiddle.
const float* ZerosOf(const BitsPlan& plan, int64_t column, float* scratch) {
  const TernMatMulBitsArgs& args = *plan.args;
  if (args.float_zeros != nullptr) return args.float_zeros + column * plan.blocks;
  if (args.zeros == nullptr) return nullptr;
  const int64_t bytes = (plan.blocks + 1) / 2;
  const uint8_t* const pairs = args.zeros + column * bytes;
  for (int64_t i = 0; i < bytes; ++i) {
    scratch[2 * i] = static_cast<float>(pairs[i] & 0xF);
    scratch[2 * i + 1] = static_cast<float>(pairs[i] >> 4);
  }
  return scratch;
}

void MultiplySpread(const BitsPlan& plan, int64_t first, int64_t last, int32_t worker) {
  const TernMatMulBitsArgs& args = *plan.args;
  float* const scratch = plan.workers + worker * plan.worker_floats;
  for (int64_t i = first; i < last; ++i) {
    const BitsColumn column{plan.BytesOf(i), args.scales + i * plan.blocks,
                            ZerosOf(plan, i, scratch)};
    for (int64_t row = 0; row < args.m; ++row)
      args.c[row * args.n + i] = DotOfBits(plan, column, plan.rows + row * plan.row_floats);
  }
}

// ---- many rows

// One word of each of TERN_PANEL_WIDTH columns as kHalves rows of a panel.
HWY_INLINE void UnpackWords(const int32_t* words, const float* scales, const float* zeros,
                            HalfPicker picker, float* to) {
  const PanelTag d;
  for (int64_t lane = 0; lane < TERN_PANEL_WIDTH; lane += BitsLanes()) {
    const PanelVector scale = hn::Load(d, scales + lane), zero = hn::Load(d, zeros + lane);
    IntVector halves = hn::Load(IntTag(), words + lane);
    for (int64_t half = 0; half < kHalves; ++half) {
      const PanelVector y = hn::Mul(hn::Sub(LowestHalf(halves, picker), zero), scale);
      hn::StoreU(y, d, to + half * TERN_PANEL_WIDTH + lane);
      halves = hn::ShiftRight<4>(halves);
    }
  }
}

// Columns from `column` on as a panel [k][TERN_PANEL_WIDTH], zeros where there are none. It is
// written by whole words, up to kHalves - 1 rows too many.
void UnpackPanel(const BitsPlan& plan, int64_t column, float* to) {
  const TernMatMulBitsArgs& args = *plan.args;
  const int64_t left = args.n - column, in_block = int64_t{1} << plan.block_shift;
  const int64_t columns = left < TERN_PANEL_WIDTH ? left : TERN_PANEL_WIDTH;
  HWY_ALIGN float scales[TERN_PANEL_WIDTH] = {}, zeros[TERN_PANEL_WIDTH] = {};
  HWY_ALIGN int32_t words[TERN_PANEL_WIDTH] = {};
  for (int64_t word = 0; word * kHalves < args.k; ++word, to += kHalves * TERN_PANEL_WIDTH) {
    for (int64_t i = 0; word % in_block == 0 && i < columns; ++i) {
      const int64_t block = word >> plan.block_shift;
      scales[i] = args.scales[(column + i) * plan.blocks + block];
      zeros[i] = plan.ZeroOf(column + i, block);
    }
    for (int64_t i = 0; i < columns; ++i)
      memcpy(words + i, plan.BytesOf(column + i) + 4 * word, sizeof(int32_t));
    UnpackWords(words, scales, zeros, MakeHalfPicker(plan.lowest_half), to);
  }
}

// Panels that are unpacked at once.
int64_t PanelsAtOnce(const BitsPlan& plan) {
  const int64_t fit = kUnpacked / (plan.args->k * TERN_PANEL_WIDTH);
  const int64_t tile = PanelsPerTile(TERN_PANEL_WIDTH);
  return fit < tile ? tile : fit / tile * tile;
}

void MultiplyUnpacked(const BitsPlan& plan, int64_t first, int64_t last, int32_t worker) {
  const TernMatMulBitsArgs& args = *plan.args;
  float* const panels = plan.workers + worker * plan.worker_floats;
  const int64_t most = PanelsAtOnce(plan);
  for (int64_t panel = first; panel < last; panel += most) {
    const int64_t count = last - panel < most ? last - panel : most;
    for (int64_t i = 0; i < count; ++i)
      UnpackPanel(plan, (panel + i) * TERN_PANEL_WIDTH, panels + i * args.k * TERN_PANEL_WIDTH);
    const int64_t column = panel * TERN_PANEL_WIDTH, left = args.n - column;
    const int64_t columns = count * TERN_PANEL_WIDTH;
    Product product{};
    product.taps = 1;
    product.run = args.k;
    product.n = left < columns ? left : columns;
    product.panels = panels;
    product.c = args.c + column;
    product.c_stride = args.n;
    MultiplyMatrix(product, {args.a, args.k, nullptr, 0}, 0, args.m, 0, count, 0);
  }
}

// ---- both

bool IsSpread(const TernMatMulBitsArgs& args) {
  return args.m <= kSpreadRows && (kBlocksInVector || args.block >= kHalves * BitsLanes());
}

BitsPlan MakeBitsPlan(const TernMatMulBitsArgs& args) {
  BitsPlan plan{};
  plan.args = &args;
  plan.lowest_half = 0xF;
  plan.blocks = (args.k + args.block - 1) / args.block;
  while ((kHalves << plan.block_shift) < args.block) ++plan.block_shift;
  const int64_t lanes = BitsLanes(), in_block = int64_t{1} << plan.block_shift;
  const int64_t step = in_block < lanes ? in_block : lanes;
  plan.words = (args.k + kHalves * step - 1) / (kHalves * step) * step;
  if (IsSpread(args)) {
    plan.row_floats = (plan.words + lanes - 1) / lanes * lanes * (kHalves + 1);
    plan.worker_floats = plan.blocks + 1;
  } else {
    plan.worker_floats = (PanelsAtOnce(plan) * args.k + kHalves) * TERN_PANEL_WIDTH;
  }
  return plan;
}

}  // namespace

int32_t matmul_bits(const TernMatMulBitsArgs* args, const TernKernelContext* context) {
  if (args->m == 0 || args->n == 0) return TERN_KERNEL_OK;
  BitsPlan plan = MakeBitsPlan(*args);
  const int64_t spread = args->m * plan.row_floats;
  const int64_t floats = spread + MostWorkers(context) * plan.worker_floats;
  plan.rows = static_cast<float*>(
      context->scratch(context->scratch_context, static_cast<size_t>(floats) * sizeof(float)));
  if (plan.rows == nullptr) return TERN_KERNEL_NO_MEMORY;
  plan.workers = plan.rows + spread;
  if (spread > 0) {
    for (int64_t row = 0; row < args->m; ++row) {
      SpreadRow(plan, args->a + row * args->k, plan.rows + row * plan.row_floats);
    }
    ParallelFor(context, args->n, 1 + kWorkerGrain / (2 * args->m * args->k + 1), 1,
                [&](int64_t first, int64_t last, int32_t worker) {
                  MultiplySpread(plan, first, last, worker);
                });
    return TERN_KERNEL_OK;
  }
  const int64_t cost = TERN_PANEL_WIDTH * args->k * (args->m + kSpreadRows);
  ParallelFor(context, PanelCount(args->n), 1 + kWorkerGrain / (cost + 1),
              PanelsPerTile(TERN_PANEL_WIDTH), [&](int64_t first, int64_t last, int32_t worker) {
                MultiplyUnpacked(plan, first, last, worker);
              });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
