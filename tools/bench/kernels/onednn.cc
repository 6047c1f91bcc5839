// SPDX-License-Identifier: Apache-2.0
// oneDNN: channels last, and in the layout that it chooses itself where it may. Images are brought
// into that layout outside of what is timed, since a model does so once.
#include <dlfcn.h>

#define DNNL_ENABLE_EXCEPTIONS 0
#include <dnnl.hpp>
#if DNNL_VERSION_MAJOR != 2
#error "written for oneDNN 2, as Debian 12 has it: operations are described differently since 3"
#endif

#include <unordered_map>

#include "tools/bench/kernels/rivals.h"

namespace tern::kernels {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

// One thread, whichever OpenMP the library was built with.
const dnnl::engine& Engine() {
  static const dnnl::engine engine = [] {
    using SetThreads = void(int);
    auto* set_threads = reinterpret_cast<SetThreads*>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    if (set_threads != nullptr) set_threads(1);
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

dnnl::stream& Stream() {
  static dnnl::stream stream(Engine());
  return stream;
}

memory::desc Described(const memory::dims& dims, Tag tag) {
  return memory::desc(dims, memory::data_type::f32, tag);
}

memory Wrap(const memory::dims& dims, Tag tag, const Floats& data) {
  return memory(Described(dims, tag), Engine(), data.get());
}

// `from` in the layout `to`: itself if it lies so.
memory InLayout(memory from, const memory::desc& to) {
  if (from.get_desc() == to) return from;
  memory result(to, Engine());
  dnnl::reorder(from, result).execute(Stream(), from, result);
  Stream().wait();
  return result;
}

void AddSide(const char* name, const dnnl::primitive& primitive, const Floats& bias, memory source,
             memory weights, memory output, const memory::dims& dims, Tag plain,
             std::vector<Side>* sides) {
  std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, output}};
  if (bias != nullptr) arguments.emplace(DNNL_ARG_BIAS, Wrap({dims[1]}, Tag::x, bias));
  sides->push_back({name,
                    [=] {
                      primitive.execute(Stream(), arguments);
                      Stream().wait();
                    },
                    [=] {
                      int64_t count = 1;
                      for (const memory::dim size : dims) count *= size;
                      const Floats result = MakeFloats(count);
                      memory to = Wrap(dims, plain, result), from = output;
                      dnnl::reorder(from, to).execute(Stream(), from, to);
                      Stream().wait();
                      return result;
                    }});
}

void AddProducts(const Product& p, std::vector<Side>* sides) {
  const memory::dims a = {p.m, p.k}, b = {p.k, p.n}, c = {p.m, p.n};
  const Tag lies = p.kind == ProductKind::kTransposed ? Tag::ba : Tag::ab;
  const Tag wanted = p.kind == ProductKind::kPacked ? Tag::any : lies;
  const dnnl::matmul::primitive_desc chosen(
      {Described(a, Tag::ab), Described(b, wanted), Described(c, Tag::ab)}, Engine());
  AddSide("oneDNN", dnnl::matmul(chosen), nullptr, Wrap(a, Tag::ab, p.a),
          InLayout(Wrap(b, lies, p.b), chosen.weights_desc()), memory(chosen.dst_desc(), Engine()),
          c, Tag::ab, sides);
}

void AddConvolution(const char* name, Tag images, const Convolution& c, std::vector<Side>* sides) {
  const memory::dims input = {1, c.in_c, c.height, c.width},
                     output = {1, c.out_c, c.out_height, c.out_width}, bias = {c.out_c},
                     strides = {c.stride, c.stride}, pad = {c.pad, c.pad};
  const bool depthwise = c.kind == ConvKind::kDepthwise;
  const memory::dims weights = depthwise ? memory::dims{c.in_c, 1, 1, c.kernel, c.kernel}
                                         : memory::dims{c.out_c, c.in_c, c.kernel, c.kernel};
  dnnl::post_ops relu;
  relu.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(relu);
  const dnnl::convolution_forward::primitive_desc chosen(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
       Described(input, images), Described(weights, Tag::any), Described(bias, Tag::x),
       Described(output, images), strides, pad, pad},
      attributes, Engine());
  AddSide(
      name, dnnl::convolution_forward(chosen), c.bias,
      InLayout(Wrap(input, Tag::nhwc, c.input), chosen.src_desc()),
      InLayout(Wrap(weights, depthwise ? Tag::hwigo : Tag::ohwi, c.weights), chosen.weights_desc()),
      memory(chosen.dst_desc(), Engine()), output, Tag::nhwc, sides);
}

void AddConvolutions(const Convolution& c, std::vector<Side>* sides) {
  AddConvolution("oneDNN", Tag::any, c, sides);
  AddConvolution("oneDNN, channels last", Tag::nhwc, c, sides);
}

}  // namespace

const Rival kOneDnn = {&AddProducts, &AddConvolutions};

}  // namespace tern::kernels
