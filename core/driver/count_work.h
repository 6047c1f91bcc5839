// SPDX-License-Identifier: Apache-2.0
// How much arithmetic a model asks for, before any pass has changed how it is done: what a measured
// time is compared with.
#ifndef TERN_CORE_DRIVER_COUNT_WORK_H_
#define TERN_CORE_DRIVER_COUNT_WORK_H_

#include "core/ir/module.h"
#include "core/types/dim.h"

namespace tern::driver {

// Multiply-adds of one run of every function of an imported module (channels first, weights not
// packed), in matrix products and convolutions; a polynomial where shapes are symbolic. "?" where
// an operand's shape is not known.
types::Dim CountMultiplyAdds(const ir::Module& module);

}  // namespace tern::driver

#endif  // TERN_CORE_DRIVER_COUNT_WORK_H_
