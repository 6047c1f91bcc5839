// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz bundles (a ZIP of .npy files), read with the ZIP method "stored" that numpy.savez
// writes.
#ifndef TERN_NATIVE_CLI_NPZ_H_
#define TERN_NATIVE_CLI_NPZ_H_

#include <string>
#include <vector>

#include "core/base/status.h"
#include "native/cli/input_spec.h"

namespace tern::cli {

// Appends every array of the bundle under its name.
Status ReadNpz(const std::string& path, std::vector<NamedArray>* out);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_NPZ_H_
