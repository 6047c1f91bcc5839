// SPDX-License-Identifier: Apache-2.0
// The functions that bindings.def names: one declaration per line of the table.

#ifndef TERN_CORE_KERNELS_BIND_BINDINGS_H_
#define TERN_CORE_KERNELS_BIND_BINDINGS_H_

#include "core/kernels/bind/call.h"
#include "core/ops/image_attrs.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"
#include "core/ops/special_attrs.h"

namespace tern::kernels::bind {

#define TERN_BIND(name, AttrsType, Function) \
  Result<Any> Function(const ops::AttrsType& attrs, Call& call);
#include "core/kernels/bind/bindings.def"

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_BINDINGS_H_
