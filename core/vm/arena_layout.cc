// SPDX-License-Identifier: Apache-2.0
#include "core/vm/arena_layout.h"

#include <optional>
#include <utility>

#include "core/vm/dimension.h"

namespace tern::vm {

void ArenaLayout::Prepare(const FunctionPlaces& places, const Signature& signature, AnyArgs args) {
  std::vector<int64_t> extents = signature.SymbolExtents(args);
  if (of_ == &places && extents_ == extents) return;
  of_ = &places;
  extents_ = std::move(extents);
  LayOut(signature);
}

void ArenaLayout::LayOut(const Signature& signature) {
  places_.clear();
  bytes_ = 0;
  std::vector<PlaceRequest> requests;
  for (const FunctionPlaces::Call& call : of_->calls) {
    places_.push_back(call.place);
    if (call.size.empty()) continue;
    const std::optional<int64_t> bytes =
        EvaluateDimension(call.size, signature.symbols(), extents_);
    // The compiler writes no such size.
    if (!bytes || *bytes < 0 || static_cast<uint64_t>(*bytes) > kMostPlacedBytes) return;
    requests.push_back({static_cast<uint64_t>(*bytes), call.first, call.last});
  }
  bytes_ = of_->arena_bytes + LayOutPlaces(&requests);
  const PlaceRequest* request = requests.data();
  for (size_t i = 0; i < places_.size(); ++i) {
    if (of_->calls[i].size.empty()) continue;
    places_[i] = {of_->arena_bytes + request->offset, request->bytes};
    ++request;
  }
}

std::span<const Place> ArenaLayout::PlacesOf(size_t first) const {
  size_t end = first + 1;
  while (end < places_.size() && of_->calls[end].instruction == of_->calls[first].instruction)
    ++end;
  return std::span(places_).subspan(first, end - first);
}

}  // namespace tern::vm
