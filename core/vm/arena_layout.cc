// SPDX-License-Identifier: Apache-2.0
#include "core/vm/arena_layout.h"

#include <optional>
#include <utility>

#include "core/vm/dimension.h"

namespace tern::vm {

void ArenaLayout::Prepare(const ArenaPlan& plan, uint32_t index, const Signature& signature,
                          AnyArgs args) {
  if (plan.sized.empty()) {
    places_ = plan.places;
    bytes_ = plan.fixed_bytes;
    return;
  }
  std::vector<int64_t> extents = signature.SymbolExtents(args);
  if (plan_ != index || extents_ != extents) {
    plan_ = index;
    extents_ = std::move(extents);
    LayOutSized(plan, signature);
  }
  places_ = sized_;
  bytes_ = sized_bytes_;
}

void ArenaLayout::LayOutSized(const ArenaPlan& plan, const Signature& signature) {
  // Sums of this many stay numbers.
  constexpr int64_t kMostBytes = int64_t{1} << 48;
  sized_ = plan.places;
  sized_bytes_ = 0;
  std::vector<PlaceRequest> requests;
  for (const ArenaPlan::Sized& sized : plan.sized) {
    const std::optional<int64_t> bytes =
        EvaluateDimension(sized.size, signature.symbols(), extents_);
    // The compiler writes no such size.
    if (!bytes || *bytes < 0 || *bytes > kMostBytes) return;
    requests.push_back({static_cast<uint64_t>(*bytes), sized.first, sized.last});
  }
  sized_bytes_ = plan.fixed_bytes + LayOutPlaces(&requests);
  for (size_t i = 0; i < requests.size(); ++i)
    sized_[plan.sized[i].place] = {plan.fixed_bytes + requests[i].offset, requests[i].bytes};
}

}  // namespace tern::vm
