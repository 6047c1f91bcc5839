// SPDX-License-Identifier: Apache-2.0
// The vector layer of the kernels: Highway with static dispatch, and the few operations it lacks.
// CMake compiles each kernel source once per vector target with that target's flags,
// TERN_TARGET_NAME (its namespace) and TERN_TARGET_LABEL. This is the only file of the kernels that
// asks which target it is compiled for.
//
// Kernel sources include kernel.h, this header (tile.h, simd_math.h) and C headers, nothing else:
// an inline std:: function compiled with AVX-512 could be the copy that the linker keeps for
// everybody. Vectors live in named variables only; SVE's have no size, so they are never members,
// array elements or captures.

#ifndef TERN_CORE_KERNELS_SIMD_H_
#define TERN_CORE_KERNELS_SIMD_H_

#ifndef HWY_COMPILE_ONLY_STATIC
#define HWY_COMPILE_ONLY_STATIC
#endif
// Highway's checks of its arguments, on by themselves in builds with sanitizers, end in a function
// of its library, of which nothing is linked.
#ifndef HWY_IS_DEBUG_BUILD
#define HWY_IS_DEBUG_BUILD 0
#endif
#include "core/kernels/cpu_features.h"
#include "core/kernels/kernel_table.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {

namespace hn = hwy::HWY_NAMESPACE;

// All lanes of the machine.
using FloatTag = hn::ScalableTag<float>;
// At most one panel of packed weights wide; on machines up to 512 bits the same as FloatTag.
using PanelTag = hn::CappedTag<float, TERN_PANEL_WIDTH>;
using FloatVector = hn::Vec<FloatTag>;
using PanelVector = hn::Vec<PanelTag>;

// Whether FloatTag may have more lanes than a file's panels have columns: SVE's vectors have up to
// 64. Products of enough rows then use long panels, as wide as a vector (long_panels.h); elsewhere
// this is false, and nothing of it is compiled.
inline constexpr bool kLongPanels = HWY_HAVE_SCALABLE;
#if HWY_HAVE_SCALABLE
using PanelWidth = int64_t;
#else
// One that is known at compile time, takes no memory and is no argument of a call.
struct PanelWidth {
  constexpr PanelWidth(int64_t = TERN_PANEL_WIDTH) {}
  constexpr operator int64_t() const { return TERN_PANEL_WIDTH; }
};
#endif

inline bool IsLong(PanelWidth width) { return kLongPanels && width > TERN_PANEL_WIDTH; }

// Columns of the panels whose columns a tile loads by the tag, and so floats from one step of k to
// the next: a file's panels by PanelTag, long ones by FloatTag where that is another.
template <class D>
HWY_INLINE PanelWidth WidthOf(D d) {
  if constexpr (hwy::IsSame<D, PanelTag>()) return TERN_PANEL_WIDTH;
  return static_cast<int64_t>(hn::Lanes(d));
}

// ---- multiply and add: a * b + c, rounded once where the machine does so, twice where only
// separate instructions exist (SSE4, WebAssembly without relaxed SIMD). With relaxed SIMD the
// engine chooses.
#if HWY_TARGET == HWY_WASM && defined(__wasm_relaxed_simd__)
// Argument-dependent lookup finds Highway's own overloads too. Overload resolution prefers these,
// because they are more specialized.
template <size_t N>
HWY_INLINE hn::Vec128<float, N> MulAdd(hn::Vec128<float, N> a, hn::Vec128<float, N> b,
                                       hn::Vec128<float, N> c) {
  return hn::Vec128<float, N>{__builtin_wasm_relaxed_madd_f32x4(a.raw, b.raw, c.raw)};
}
// c - a * b.
template <size_t N>
HWY_INLINE hn::Vec128<float, N> NegMulAdd(hn::Vec128<float, N> a, hn::Vec128<float, N> b,
                                          hn::Vec128<float, N> c) {
  return hn::Vec128<float, N>{__builtin_wasm_relaxed_nmadd_f32x4(a.raw, b.raw, c.raw)};
}
#else
using hn::MulAdd;
using hn::NegMulAdd;  // c - a * b
#endif

// ---- multiply by one lane: where a multiply-add can take one element of a 128-bit group as a
// factor (AArch64), kMultiplyByLane is true and rows of the left operand are loaded four elements
// at a time; elsewhere each is broadcast from memory. LoadGroup: p[0..3] repeated in every 128
// bits. MulAddLane<i>: a * group[i] + c. TERN_HIDE_INDEX stands where a loop over groups begins.
#if HWY_TARGET == HWY_NEON || HWY_TARGET == HWY_NEON_WITHOUT_AES || HWY_TARGET == HWY_NEON_BF16
inline constexpr bool kMultiplyByLane = true;
HWY_INLINE PanelVector LoadGroup(const float* p) { return hn::LoadU(PanelTag(), p); }
template <int lane>
HWY_INLINE PanelVector MulAddLane(PanelVector a, PanelVector group, PanelVector c) {
  return PanelVector(vfmaq_laneq_f32(c.raw, a.raw, group.raw, lane));
}
#elif HWY_TARGET_IS_SVE
inline constexpr bool kMultiplyByLane = true;
HWY_INLINE PanelVector LoadGroup(const float* p) { return svld1rq_f32(svptrue_b32(), p); }
template <int lane>
HWY_INLINE PanelVector MulAddLane(PanelVector a, PanelVector group, PanelVector c) {
  return svmla_lane_f32(c, a, group, lane);
}
// Groups are loaded by base and index, one addition for all rows; a compiler that sees how the
// index moves gives each row a pointer of its own to advance.
#define TERN_HIDE_INDEX(index) asm("" : "+r"(index))
#else
inline constexpr bool kMultiplyByLane = false;
HWY_INLINE PanelVector LoadGroup(const float* p) { return hn::LoadDup128(PanelTag(), p); }
template <int lane>
HWY_INLINE PanelVector MulAddLane(PanelVector a, PanelVector group, PanelVector c) {
  return MulAdd(a, hn::Broadcast<lane>(group), c);
}
#endif
#ifndef TERN_HIDE_INDEX
#define TERN_HIDE_INDEX(index)
#endif
// Floats behind a row that its last group may hold, and whether they can be read: a type that takes
// no memory where there are no groups.
inline constexpr int64_t kReadOn = kMultiplyByLane ? 3 : 0;
#if HWY_ARCH_ARM
using ReadsOn = bool;
#else
struct ReadsOn {
  constexpr ReadsOn(bool = false) {}
  constexpr operator bool() const { return false; }
};
#endif

// max(v, low) and min(v, high); NaN stays NaN. Highway's Max and Min lose it on Arm, where the
// machine has others that do not; of two zeros, these take the positive one for the larger.
// Elsewhere Highway's keep the second operand where it is NaN or equal.
#if HWY_TARGET_IS_SVE
template <class V>
HWY_INLINE V RaiseKeepingNaN(V v, V low) {
  return svmax_f32_x(svptrue_b32(), v, low);
}
template <class V>
HWY_INLINE V LowerKeepingNaN(V v, V high) {
  return svmin_f32_x(svptrue_b32(), v, high);
}
#elif HWY_ARCH_ARM
template <class V>
HWY_INLINE V RaiseKeepingNaN(V v, V low) {
  return V(vmaxq_f32(v.raw, low.raw));
}
template <class V>
HWY_INLINE V LowerKeepingNaN(V v, V high) {
  return V(vminq_f32(v.raw, high.raw));
}
#else
template <class V>
HWY_INLINE V RaiseKeepingNaN(V v, V low) {
  return hn::Max(low, v);
}
template <class V>
HWY_INLINE V LowerKeepingNaN(V v, V high) {
  return hn::Min(high, v);
}
#endif

// low <= v <= high; NaN stays NaN.
template <class V>
HWY_INLINE V ClampKeepingNaN(V v, V low, V high) {
  return LowerKeepingNaN(RaiseKeepingNaN(v, low), high);
}

// NaN where x is, else y.
template <class V>
HWY_INLINE V KeepNaN(V x, V y) {
#if HWY_ARCH_WASM
  // A selection takes engines three instructions more; all bits set are a NaN.
  return hn::Or(y, hn::VecFromMask(hn::DFromV<V>(), hn::Ne(x, x)));
#else
  return hn::IfThenElse(hn::Eq(x, x), y, x);
#endif
}

// The larger and the smaller one; NaN where either is.
template <class V>
HWY_INLINE V MaxKeepingNaN(V x, V y) {
  if constexpr (HWY_ARCH_ARM) return RaiseKeepingNaN(x, y);
  return KeepNaN(x, hn::Max(x, y));
}
template <class V>
HWY_INLINE V MinKeepingNaN(V x, V y) {
  if constexpr (HWY_ARCH_ARM) return LowerKeepingNaN(x, y);
  return KeepNaN(x, hn::Min(x, y));
}

// Whether TableLookupBytesOr0 reads the top bit and the low four of an index, and no others.
inline constexpr bool kPicksByLowBits = HWY_ARCH_X86;

// ---- register tile: the micro-kernel (tile.h) holds kTileRows x kTileVectors accumulators in
// registers, beside the vectors of one row of the panels and one factor; more would spill.
// kTileUnroll: steps of k per iteration. WebAssembly's engines allocate registers badly unless the
// loop is plain: rows are reached by advancing pointers (kTileAdvances), not unrolled (four steps
// reached 71 % of the limit in Node 20, one 92 %), and the loop over tiles stays outside of the
// function (not kTilesInOneCall; inside 67 %).
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
inline constexpr int kTileRows = 14, kTileVectors = 2, kTileUnroll = 1;
#elif HWY_TARGET == HWY_AVX2
inline constexpr int kTileRows = 6, kTileVectors = 2, kTileUnroll = 2;
#elif HWY_ARCH_ARM
inline constexpr int kTileRows = 6, kTileVectors = 4, kTileUnroll = 1;
#elif HWY_TARGET == HWY_WASM && defined(__wasm_relaxed_simd__)
inline constexpr int kTileRows = 6, kTileVectors = 2, kTileUnroll = 1;
#else
inline constexpr int kTileRows = 4, kTileVectors = 2, kTileUnroll = HWY_ARCH_WASM ? 1 : 2;
#endif
inline constexpr bool kTileAdvances = HWY_ARCH_WASM, kTilesInOneCall = !HWY_ARCH_WASM;
// Whether there are tiles of half a panel and less, for the last columns; WebAssembly goes without
// them for the sake of its download.
inline constexpr bool kNarrowTiles = !HWY_ARCH_WASM;
// Whether a panel and a half are computed at once, by ComputeWideTiles: a tile of one vector loads
// a factor for every multiplication, so that loads bound it.
inline constexpr bool kWideTiles = HWY_TARGET == HWY_AVX2;
// The largest kTileRows of all targets: how many rows tile.h spells out.
inline constexpr int kMaxTileRows = 14;

// Whether pools have loops for three, two and one vector of channels, for windows of 2x2 pixels and
// for many windows at once; WebAssembly goes without.
inline constexpr bool kPoolLoops = !HWY_ARCH_WASM;

// Whether dot products are taken of two columns at once; WebAssembly goes without.
inline constexpr bool kDotPairs = !HWY_ARCH_WASM;

// Whether convolutions that read whole rows of windows copy single windows beside whole lines;
// WebAssembly goes without.
inline constexpr bool kCopiesCut = !HWY_ARCH_WASM;

// Bytes from which on memcpy copies faster than vectors do; WebAssembly's is a loop over words.
inline constexpr size_t kLongCopy = HWY_ARCH_WASM ? SIZE_MAX : 512;

// Whether depthwise tiles take two vectors of channels at once.
inline constexpr bool kDepthwisePairs = !HWY_ARCH_WASM;

// ---- products of 8-bit elements: four u8 of x times four i8 of w for each lane, added to sum
// exactly. Instructions that saturate sums of two products (pmaddubsw) are no use here.
// kQuadSigned: x is to be given as i8 (x - 128), because the machine multiplies elements of one
// kind only; kInstructionSigned: the same for DotByInstruction (Arm's is of i8 by i8).
// kQuadRows: rows of a tile of two vectors beside what the products need.
using IntTag = hn::CappedTag<int32_t, TERN_PANEL_WIDTH>;
using IntVector = hn::Vec<IntTag>;
inline constexpr bool kInstructionSigned = HWY_ARCH_ARM;

#if HWY_TARGET_IS_SVE
inline constexpr bool kQuadSigned = true;
HWY_INLINE IntVector DotOfQuads(IntVector sum, IntVector x, IntVector w) {
  const hn::Repartition<int8_t, IntTag> d8;
  return svdot_s32(sum, hn::BitCast(d8, x), hn::BitCast(d8, w));
}
#else
inline constexpr bool kQuadSigned = false;
// Even and odd elements apart, as pairs of 16 bits: two products of 255 * 128 fit into 32 bits.
HWY_INLINE IntVector DotOfQuads(IntVector sum, IntVector x, IntVector w) {
  const IntTag d;
  const hn::Repartition<int16_t, IntTag> d16;
  const hn::Repartition<uint16_t, IntTag> du16;
  const auto x16 = hn::BitCast(du16, x);
  const auto w16 = hn::BitCast(d16, w);
  const auto x_even = hn::BitCast(d16, hn::And(x16, hn::Set(du16, 0xFF)));
  const auto x_odd = hn::BitCast(d16, hn::ShiftRight<8>(x16));
  const auto w_even = hn::ShiftRight<8>(hn::ShiftLeft<8>(w16));
  const auto w_odd = hn::ShiftRight<8>(w16);
  return hn::Add(sum, hn::Add(hn::WidenMulPairwiseAdd(d, x_even, w_even),
                              hn::WidenMulPairwiseAdd(d, x_odd, w_odd)));
}
#endif

// One instruction does it on processors with VNNI, which the targets `avx512` and `avx2` do not
// promise: the kernel asks the processor and the assembler needs no flag for it.
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
#if HWY_TARGET <= HWY_AVX3
#define TERN_VNNI "avx512vnni"
#define TERN_VNNI_ENCODING ""
inline constexpr int kQuadRows = 8;
#else
#define TERN_VNNI "avxvnni"
#define TERN_VNNI_ENCODING "%{vex%} "
inline constexpr int kQuadRows = 6;
#endif
HWY_INLINE bool HasQuadInstruction() { return __builtin_cpu_supports(TERN_VNNI) != 0; }
HWY_INLINE IntVector DotByInstruction(IntVector sum, IntVector x, IntVector w) {
  asm(TERN_VNNI_ENCODING "vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(x.raw), "v"(w.raw));
  return sum;
}
#undef TERN_VNNI_ENCODING
#undef TERN_VNNI
inline constexpr bool kMayHaveQuadInstruction = true;
#elif HWY_ARCH_ARM && !HWY_TARGET_IS_SVE
// Armv8.2's dot product, which SVE's target has above.
HWY_INLINE bool HasQuadInstruction() { return HasDotProduct(); }
HWY_INLINE IntVector DotByInstruction(IntVector sum, IntVector x, IntVector w) {
  asm(".arch_extension dotprod\n\tsdot %0.4s, %1.16b, %2.16b"
      : "+w"(sum.raw)
      : "w"(x.raw), "w"(w.raw));
  return sum;
}
inline constexpr bool kMayHaveQuadInstruction = true;
inline constexpr int kQuadRows = 8;
#elif HWY_ARCH_WASM
// Relaxed SIMD's sum of products leaves open what a second factor above 127 is, and has an engine
// do the same each time: where the processor has AVX-VNNI, Chromium's multiplies it as it is.
// Others saturate sums of two, or take it for negative. Without relaxed SIMD this is the sum by
// pairs again, because both builds need the same functions (wasm/split_module.py).
HWY_INLINE IntVector DotByInstruction(IntVector sum, IntVector x, IntVector w) {
#if defined(__wasm_relaxed_simd__)
  return IntVector{__builtin_wasm_relaxed_dot_i8x16_i7x16_add_s_i32x4(w.raw, x.raw, sum.raw)};
#else
  return DotOfQuads(sum, x, w);
#endif
}
HWY_INLINE bool HasQuadInstruction() {
  // Products of 255 by both extremes, from a sum that wraps around. In memory, because tools that
  // compute constants do not know the instruction.
  volatile int32_t largest = -1;
  const IntTag d;
  const IntVector sum =
      DotByInstruction(hn::Set(d, INT32_MIN), hn::Set(d, largest), hn::Set(d, 0x7F7F8080));
  return hn::GetLane(sum) == INT32_MAX - 2 * 255 + 1;
}
inline constexpr bool kMayHaveQuadInstruction = true;
inline constexpr int kQuadRows = 6;
#else
HWY_INLINE bool HasQuadInstruction() { return false; }
HWY_INLINE IntVector DotByInstruction(IntVector sum, IntVector x, IntVector w) {
  return DotOfQuads(sum, x, w);
}
inline constexpr bool kMayHaveQuadInstruction = false;
inline constexpr int kQuadRows = HWY_ARCH_ARM ? 8 : 4;
#endif

// ---- products of 8-bit elements by one lane: where an instruction multiplies by one quad of a
// 128-bit group (AArch64), which kQuadsByLane says of the sums by kByInstruction, rows are loaded
// four quads at a time. LoadQuads: those from p on as i8, repeated in every 128 bits.
#if HWY_TARGET_IS_SVE
template <bool kByInstruction>
inline constexpr bool kQuadsByLane = true;
HWY_INLINE IntVector LoadQuads(const uint8_t* p) {
  return svreinterpret_s32_u8(sveor_n_u8_x(svptrue_b8(), svld1rq_u8(svptrue_b8(), p), 0x80));
}
template <int lane>
HWY_INLINE IntVector DotByLane(IntVector sum, IntVector w, IntVector quads) {
  return svdot_lane_s32(sum, svreinterpret_s8_s32(w), svreinterpret_s8_s32(quads), lane);
}
#elif HWY_ARCH_ARM
template <bool kByInstruction>
inline constexpr bool kQuadsByLane = kByInstruction;
HWY_INLINE IntVector LoadQuads(const uint8_t* p) {
  return IntVector(vreinterpretq_s32_u8(veorq_u8(vld1q_u8(p), vdupq_n_u8(0x80))));
}
template <int lane>
HWY_INLINE IntVector DotByLane(IntVector sum, IntVector w, IntVector quads) {
  asm(".arch_extension dotprod\n\tsdot %0.4s, %1.16b, %2.4b[%3]"
      : "+w"(sum.raw)
      : "w"(w.raw), "w"(quads.raw), "i"(lane));
  return sum;
}
#else
template <bool kByInstruction>
inline constexpr bool kQuadsByLane = false;
HWY_INLINE IntVector LoadQuads(const uint8_t*) { return hn::Zero(IntTag()); }
template <int lane>
HWY_INLINE IntVector DotByLane(IntVector sum, IntVector, IntVector) {
  return sum;
}
#endif
// The largest kQuadRows of all targets: how many rows conv_quantized.cc spells out.
inline constexpr int kMaxQuadRows = 8;

// ---- integers of 4 bits: the lowest half of a byte of each word as a number. An instruction picks
// a number by the low four bits of each index, where there is such a one; elsewhere the other bits
// are masked: by `mask`, 0xF that the compiler does not know, because WebAssembly's engines make a
// constant anew in each round of a loop.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
inline constexpr bool kPicksHalves = true;
using HalfPicker = PanelVector;
HWY_INLINE HalfPicker MakeHalfPicker(int32_t) { return hn::Iota(PanelTag(), 0); }
HWY_INLINE PanelVector LowestHalf(IntVector words, HalfPicker picker) {
  return PanelVector{_mm512_permutexvar_ps(words.raw, picker.raw)};
}
#else
inline constexpr bool kPicksHalves = false;
using HalfPicker = IntVector;
HWY_INLINE HalfPicker MakeHalfPicker(int32_t mask) { return hn::Set(IntTag(), mask); }
HWY_INLINE PanelVector LowestHalf(IntVector words, HalfPicker picker) {
  return hn::ConvertTo(PanelTag(), hn::And(words, picker));
}
#endif

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();

#endif  // TERN_CORE_KERNELS_SIMD_H_
