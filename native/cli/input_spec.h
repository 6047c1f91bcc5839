// SPDX-License-Identifier: Apache-2.0
// The grammar of `--input`: where a value comes from and what type it claims (docs/cli.md lists the
// forms).
//
//   x=f32[2,3]:1,2,3,4,5,6     x=f32[2,3]:[[1,2,3],[4,5,6]]     2x3xf32=1,2,3,4,5,6
//   x=@x.npy    x=@-    x=f16[2,3]@raw.bin    @bundle.npz
//   x=f32[n,128]:random(seed=1,normal)   i64[n]:random(0,1000)   :zeros  :ones  :arange  :const(3)
//   n=18  flag=true                          (the parameter says of which dtype)
//   xs=[1,2]  p=(1,"x")  m={"a": 1}  t=Node(1,Leaf)  (as the language writes them: input_value.h)
#ifndef TERN_NATIVE_CLI_INPUT_SPEC_H_
#define TERN_NATIVE_CLI_INPUT_SPEC_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "native/cli/array.h"

namespace tern::cli {

struct NamedArray {
  std::string name;               // empty: by position
  std::string origin;             // the text on the command line, for messages
  std::vector<std::string> dims;  // that its type names and --dim binds
  Array array;
  // In place of the array: a program that gives the value (input_value.h); empty: none.
  std::string program = {};
};

// What the program declares about a parameter. Extents are text, because they may be symbolic, such
// as "n" or "2*n".
struct ParamInfo {
  std::string name;
  std::string dtype;  // of what is no tensor, its type
  std::vector<std::string> shape;
  bool tensor = true;
  // The type in the language, where that tells more, such as List[int]; empty: not known. What
  // types it mentions are declared as, a line each.
  std::string declared = {}, declarations = {};
};

using DimBindings = std::map<std::string, int64_t, std::less<>>;

// Appends what one --input gives (a bundle gives several). `params` supplies dtypes for bare
// numbers.
Status ParseInput(std::string_view text, const DimBindings& dims,
                  const std::vector<ParamInfo>& params, std::vector<NamedArray>* out,
                  MemoryBudget* budget = nullptr);

Status DimGivenTwice(std::string_view name, int64_t first, int64_t second);

// "n=18". E0007 where the dimension has a value already.
Status ParseDim(std::string_view text, DimBindings* dims);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_INPUT_SPEC_H_
