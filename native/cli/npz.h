// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz bundles, which are ZIP files of .npy files. Only the method "stored" is read and
// written, which is what numpy.savez uses. `--input @x.npz`, `--output` and `--expect` use it.
#ifndef TERN_NATIVE_CLI_NPZ_H_
#define TERN_NATIVE_CLI_NPZ_H_

#include <string>
#include <vector>

#include "core/base/result.h"
#include "native/cli/input_spec.h"

namespace tern::cli {

// Appends every array of the bundle under its name.
Status ReadNpz(const std::string& path, MemoryBudget* budget, std::vector<NamedArray>* out);

// The bundle's bytes; an error where they are more than a ZIP file without extensions can hold.
Result<std::vector<uint8_t>> FormatNpz(const std::vector<NamedArray>& arrays);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_NPZ_H_
