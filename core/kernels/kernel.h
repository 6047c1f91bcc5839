/* SPDX-License-Identifier: Apache-2.0 */
/* The call contract of every compute kernel: plain C argument structs, nothing else.
 *
 * Kernel sources include this header, simd.h and C headers; they are compiled once per vector
 * target (see tools/cmake/tern.cmake) and once more as plain loops in reference/, which defines the
 * right answer. Strides and extents are in elements, never in bytes, unless a field says so.
 * Buffers need the natural alignment of their element type only; packed weights are 64-byte
 * aligned. Input and output must not overlap unless a field says they may. Kernels never fail but
 * for scratch memory (TERN_KERNEL_NO_MEMORY); their callers (core/kernels/bind) have checked
 * shapes and what a call costs. All kernels are thread-safe for distinct outputs.
 */
#ifndef TERN_CORE_KERNELS_KERNEL_H_
#define TERN_CORE_KERNELS_KERNEL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TERN_KERNEL_OK = 0, TERN_KERNEL_NO_MEMORY = 1 };

/* Columns (output channels) of one panel of packed weights, on every target: panels are
 * [ceil(n / 16)][k][16] floats, the last one padded with zeros. The file holds them in this form,
 * so that a mapped file is used in place by a 4-, 8- or 16-lane machine alike. */
enum { TERN_PANEL_WIDTH = 16 };

/* A worker pool, lent by the platform. `run` calls task(data, index, worker) for every index in
 * [0, num_tasks), returns when all are done; worker < num_workers tells which scratch to use.
 * `ready` is asked before a job that is shorter than waking a worker takes: the number of workers,
 * from 1 on, that it is worth. NULL: always num_workers. */
typedef struct TernParallel {
  void* context;
  int32_t num_workers; /* >= 1 */
  void (*run)(void* context, int64_t num_tasks,
              void (*task)(void* data, int64_t index, int32_t worker), void* data);
  int32_t (*ready)(void* context);
} TernParallel;

/* What a kernel may use besides its arguments. `scratch` returns >= bytes of 64-byte aligned memory
 * that lives until the kernel returns, or NULL; at most one block per call. parallel may be NULL
 * (serial). stopped, which may be NULL, says from any thread whether the run is over: the kernel
 * then returns soon, and its output is not looked at. */
typedef struct TernKernelContext {
  const TernParallel* parallel;
  void* scratch_context;
  void* (*scratch)(void* scratch_context, size_t bytes);
  int32_t (*stopped)(void* scratch_context);
} TernKernelContext;

/* Applied to a f32 accumulator in registers: y = activation(acc + bias[column] + residual). */
typedef enum TernActivation {
  TERN_ACT_NONE = 0,
  TERN_ACT_RELU,
  TERN_ACT_CLAMP,      /* min = alpha, max = beta */
  TERN_ACT_LEAKY_RELU, /* slope = alpha */
  TERN_ACT_SIGMOID,
  TERN_ACT_SILU, /* x * sigmoid(x) */
  TERN_ACT_TANH,
  TERN_ACT_GELU, /* exact: 0.5 x (1 + erf(x / sqrt 2)) */
  TERN_ACT_GELU_TANH,
  TERN_ACT_HARD_SIGMOID, /* clamp(alpha x + beta, 0, 1) */
  TERN_ACT_HARD_SWISH,   /* x clamp(x / 6 + 0.5, 0, 1) */
  TERN_ACT_ELU           /* x < 0 ? alpha (exp(x) - 1) : x */
} TernActivation;

typedef struct TernEpilogue {
  const float* bias; /* [columns] or NULL */
  const float*
      residual; /* same rows and columns as the output, or NULL; may be the output itself */
  int64_t residual_stride; /* elements between rows (pixels) of residual */
  int32_t activation;      /* TernActivation */
  int32_t residual_after;  /* 1: y = activation(acc + bias) + residual */
  float alpha, beta;
} TernEpilogue;

/* c[m, n] = epilogue(a[m, k] * b), b packed in panels. */
typedef struct TernGemmArgs {
  int64_t m, n, k;
  const float* a;
  int64_t a_stride; /* between rows; columns are contiguous */
  const float* b;   /* [ceil(n/16)][k][16] */
  float* c;
  int64_t c_stride;
  TernEpilogue epilogue;
} TernGemmArgs;

/* dst[ceil(n/16)][k][16] = b[k, n] with element (i, j) at src[i * k_stride + j * n_stride]. */
typedef struct TernPackArgs {
  int64_t n, k;
  const float* src;
  int64_t k_stride, n_stride;
  float* dst;
} TernPackArgs;

/* Batched product of two unpacked operands: for each batch b, c = a * b with any strides on the
 * operands (a transposed operand is a swap of its strides). Batch offsets are given per batch so
 * that broadcast batches repeat an offset. Packs what pays into scratch; m = 1 and n = 1 run as dot
 * products. */
typedef struct TernMatMulArgs {
  int64_t batches, m, n, k;
  const float* a;
  int64_t a_row_stride, a_col_stride;
  const float* b;
  int64_t b_row_stride, b_col_stride;
  float* c;
  int64_t c_row_stride;
  const int64_t* a_offsets; /* [batches], elements */
  const int64_t* b_offsets;
  const int64_t* c_offsets;
  TernEpilogue epilogue; /* residual has the strides of c */
} TernMatMulArgs;

/* c[m, n] = a[m, k] * b, where b's element (i, j) is (q - zero) * scale of the block of its column
 * that it lies in, and q an integer of 4 bits (ONNX Runtime's MatMulNBits). Blocks are runs of
 * `block` rows, a power of two from 16 on; the last one is padded to as many. Zero points are
 * integers of 4 bits or floats; 8 where both pointers are NULL. Of two integers in a byte the low
 * half comes first. Sums with an element of a that is not finite are not finite, and NaN even where
 * they would be infinite. Unpacked weights, or rows in another order, are scratch. */
typedef struct TernMatMulBitsArgs {
  int64_t m, n, k, block;
  const float* a;           /* [m][k] */
  const uint8_t* b;         /* [n][ceil(k / block)][block / 2] */
  const float* scales;      /* [n][ceil(k / block)] */
  const uint8_t* zeros;     /* [n][ceil(ceil(k / block) / 2)], or NULL */
  const float* float_zeros; /* [n][ceil(k / block)], or NULL */
  float* c;                 /* [m][n] */
} TernMatMulBitsArgs;

/* 2-D convolution over channels-last images. groups divides both channel counts; depthwise
 * (groups == in_c == out_c) uses conv2d_depthwise. Weights: per group [ceil(oc/16)][kh*kw*ic][16]
 * panels with oc = out_c / groups, ic = in_c / groups, row order (kh, kw, ic). Out-of-image taps
 * read zero. No im2col of the whole input: taps are reached through row pointers. Pixel strides let
 * in- and output be slices of a wider channels-last tensor. */
typedef struct TernConv2dArgs {
  int64_t batch, in_h, in_w, in_c, out_h, out_w, out_c;
  int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left, groups;
  const float* input;
  int64_t in_pixel_stride; /* >= in_c; rows are in_w * stride, images in_h * in_w * stride apart */
  const float* weights;
  float* output;
  int64_t out_pixel_stride;
  TernEpilogue epilogue;
} TernConv2dArgs;

/* By Winograd's algorithm F(4x4, 3x3): same struct, of 3x3 windows without stride, dilation and
 * groups. Squares of 6x6 pixels become 36 points by the polynomials' values at 0, +-5/8, +-3/2 and
 * infinity (winograd.h), in both directions; weights are [36][ceil(oc/16)][ic][16], transformed
 * alike (core/ops/winograd_weights.h). A pixel that is not finite reaches the whole squares of the
 * output that it takes part in. */

/* Depthwise 2-D convolution (channel multiplier 1): same struct, weights [kh*kw][in_c]. */

/* Transposed 2-D convolution, channels-last; weights unpacked [in_c][kh][kw][out_c/groups]. */
typedef struct TernConvTranspose2dArgs {
  int64_t batch, in_h, in_w, in_c, out_h, out_w, out_c;
  int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left, groups;
  const float* input;
  const float* weights;
  float* output;
  TernEpilogue epilogue;
} TernConvTranspose2dArgs;

typedef enum TernPoolKind { TERN_POOL_MAX = 0, TERN_POOL_AVERAGE = 1 } TernPoolKind;

/* Channels-last pooling. count_include_pad applies to averages: 1 divides by the full window
 * clipped to the padded image (pad_bottom/right say how far that reaches), 0 by the taps inside the
 * image. */
typedef struct TernPool2dArgs {
  int32_t kind;
  int32_t count_include_pad;
  int64_t batch, in_h, in_w, channels, out_h, out_w;
  int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
  int64_t pad_top, pad_left, pad_bottom, pad_right;
  const float* input;
  float* output;
  /* max_pool2d_bytes reads and writes these instead: u8, or i8. */
  const uint8_t* byte_input;
  uint8_t* byte_output;
  int32_t is_signed;
} TernPool2dArgs;

enum { TERN_MAX_RANK = 8 };

/* Elementwise functions of one f32 argument: the rows of unary.def. */
typedef enum TernUnaryOp {
#define TERN_UNARY(name, ...) TERN_UNARY_##name,
#include "core/kernels/unary.def"
  TERN_UNARY_COUNT
} TernUnaryOp;

/* y[i] = op(x[i]); x and y may be the same. alpha and beta parameterise the op as in ONNX
 * (clamp: min, max; leaky_relu: slope; elu, celu: alpha; selu: alpha, gamma; hard_sigmoid: alpha,
 * beta). */
typedef struct TernUnaryArgs {
  int32_t op;
  float alpha, beta;
  int64_t size;
  const float* x;
  float* y;
} TernUnaryArgs;

#define TERN_BINARY_LIST(X) X(add) X(sub) X(mul) X(div) X(pow) X(min) X(max) X(mod) X(fmod) X(prelu)

typedef enum TernBinaryOp {
#define TERN_BINARY_ENUM(name) TERN_BINARY_##name,
  TERN_BINARY_LIST(TERN_BINARY_ENUM)
#undef TERN_BINARY_ENUM
      TERN_BINARY_COUNT
} TernBinaryOp;

/* c = op(a, b) with broadcasting, f32. The caller has merged dimensions: rank is as small as it
 * gets, shape is that of c (contiguous), a stride of 0 repeats. The innermost strides are 0 or 1. y
 * = activation(c). */
typedef struct TernBinaryArgs {
  int32_t op;
  int32_t activation; /* TernActivation */
  float alpha, beta;
  int32_t rank;
  int64_t shape[TERN_MAX_RANK];
  int64_t a_strides[TERN_MAX_RANK];
  int64_t b_strides[TERN_MAX_RANK];
  const float* a;
  const float* b;
  float* c;
} TernBinaryArgs;

/* Softmax (or its logarithm) over axis of a [outer, axis, inner] array; y may be x. */
typedef struct TernSoftmaxArgs {
  int32_t log;
  int64_t outer, axis, inner;
  const float* x;
  float* y;
} TernSoftmaxArgs;

#define TERN_REDUCE_LIST(X) \
  X(sum) X(mean) X(max) X(min) X(prod) X(sum_square) X(l1) X(l2) X(log_sum) X(log_sum_exp)

typedef enum TernReduceOp {
#define TERN_REDUCE_ENUM(name) TERN_REDUCE_##name,
  TERN_REDUCE_LIST(TERN_REDUCE_ENUM)
#undef TERN_REDUCE_ENUM
      TERN_REDUCE_COUNT
} TernReduceOp;

/* y[outer, inner] = reduce of x[outer, axis, inner] over axis. Order: lanes first, then a tree over
 * lanes; the result may differ in the last bits between vector lengths, never between runs. */
typedef struct TernReduceArgs {
  int32_t op;
  int64_t outer, axis, inner;
  const float* x;
  float* y;
} TernReduceArgs;

/* Layer normalization over the last axis: y = (x - mean) / sqrt(var + epsilon) * scale + bias.
 * rms = 1 leaves the mean alone. scale and bias are [axis] or NULL; mean_out / inv_std_out [outer]
 * or NULL. */
typedef struct TernNormalizeArgs {
  int32_t rms;
  float epsilon;
  int64_t outer, axis;
  const float* x;
  const float* scale;
  const float* bias;
  float* y;
  float* mean_out;
  float* inv_std_out;
} TernNormalizeArgs;

/* Local response normalization over channels of a channels-last array (Krizhevsky et al. 2012; ONNX
 * LRN). */
typedef struct TernLrnArgs {
  int64_t pixels, channels, size;
  float alpha, beta, bias;
  const float* x;
  float* y;
} TernLrnArgs;

/* Strided copy of elements of 1, 2, 4, 8 or 16 bytes: dst[i] = src[i] over shape; serves transpose,
 * slice, concat, expand, tile and pad interiors. Strides in elements, src strides may be 0 or
 * negative. The caller has merged dimensions. */
typedef struct TernCopyArgs {
  int32_t element_size;
  int32_t rank;
  int64_t shape[TERN_MAX_RANK];
  int64_t src_strides[TERN_MAX_RANK];
  int64_t dst_strides[TERN_MAX_RANK];
  const void* src;
  void* dst;
} TernCopyArgs;

typedef enum TernResizeMode { TERN_RESIZE_NEAREST = 0, TERN_RESIZE_LINEAR = 1 } TernResizeMode;

/* Channels-last 2-D resize. For nearest, y_index/x_index [out] give the source row/column (computed
 * by the caller from ONNX's coordinate modes); for linear, index0/index1 and the weight of index1.
 */
typedef struct TernResize2dArgs {
  int32_t mode;
  int64_t batch, in_h, in_w, channels, out_h, out_w;
  const int64_t* y0; /* [out_h] */
  const int64_t* y1;
  const float* y_weight;
  const int64_t* x0; /* [out_w] */
  const int64_t* x1;
  const float* x_weight;
  const float* input;
  float* output;
} TernResize2dArgs;

/* y[outer, j, :] = x[outer, index[j], :] with rows of `row_bytes`; index already wrapped and
 * checked. */
typedef struct TernGatherRowsArgs {
  int64_t outer, axis, indices, row_bytes;
  const int64_t* index;
  const void* x;
  void* y;
} TernGatherRowsArgs;

/* y[i] = table[x[i]], of 256 bytes. */
typedef struct TernLookupArgs {
  int64_t size;
  const uint8_t* table;
  const uint8_t* x;
  uint8_t* y;
} TernLookupArgs;

/* y[i] = clamp(round(x[i] / scale) + zero, low, high), halves to even; NaN gives 0. low and high
 * are the range of u8 or of i8, of which y takes the bits. */
typedef struct TernQuantizeArgs {
  int64_t size;
  const float* x;
  uint8_t* y;
  float scale;
  int32_t zero, low, high;
} TernQuantizeArgs;

/* y[i] = (x[i] - zero) * scale; is_signed: x holds i8. */
typedef struct TernDequantizeArgs {
  int64_t size;
  const uint8_t* x;
  float* y;
  float scale;
  int32_t zero, is_signed;
} TernDequantizeArgs;

/* What an element of an operand stands for: (x - zero) * scale of u8 or of i8, or f32 itself. */
typedef enum TernQuantizedType {
  TERN_QUANTIZED_U8,
  TERN_QUANTIZED_I8,
  TERN_QUANTIZED_F32,
  TERN_QUANTIZED_COUNT
} TernQuantizedType;

/* y = clamp(round(op(a, b) / scale) + zero, low, high) with broadcasting, as of TernBinaryArgs and
 * TernQuantizeArgs, computed in f32, operation by operation. op is TERN_BINARY_add or
 * TERN_BINARY_mul. */
typedef struct TernQuantizedBinaryArgs {
  int32_t op;
  int32_t rank;
  int64_t shape[TERN_MAX_RANK];
  int64_t a_strides[TERN_MAX_RANK]; /* in elements */
  int64_t b_strides[TERN_MAX_RANK];
  const void* a;
  const void* b;
  uint8_t* y;
  int32_t a_type, b_type; /* TernQuantizedType */
  float a_scale, b_scale, scale;
  int32_t a_zero, b_zero, zero, low, high;
} TernQuantizedBinaryArgs;

/* Input channels that one step of a quantized product takes. */
enum { TERN_QUAD = 4 };

/* 2-D convolution of channels-last 8-bit images: with sum = bias + the sum of (x - x_zero) * w in
 * 32 bits that wrap around, y = clamp(round(sum * scale[channel]) + zero, low, high), halves to
 * even. Taps outside of the image read x_zero. Weights: per group [ceil(oc / 16)][kh * kw * quads]
 * [16][4] with quads = ceil(ic / 4), channels past ic zero; depthwise [kh * kw][in_c], of at most
 * 512 taps, whose sums are exact in f32. sums[channel] is the sum of its weights. scale is finite.
 * The table of pointers is scratch. */
typedef struct TernQuantizedConvArgs {
  int64_t batch, in_h, in_w, in_c, out_h, out_w, out_c;
  int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left, groups;
  const uint8_t* input;
  const int8_t* weights;
  const int32_t* bias; /* [out_c], as the next two */
  const int32_t* sums;
  const float* scale;
  uint8_t* output;
  int32_t x_zero, zero, low, high;
} TernQuantizedConvArgs;

#ifdef __cplusplus
}
#endif

#endif /* TERN_CORE_KERNELS_KERNEL_H_ */
