// SPDX-License-Identifier: Apache-2.0
// Blocks double in size up to 12 KiB, so a short list wastes little and a long one asks rarely.
#include "core/object/containers/pod_pool.h"

#include "core/object/memory_account.h"

namespace tern::internal {
namespace {
constexpr uint32_t kFirstBlock = 4;
constexpr uint32_t kLargestBlock = 512;
}  // namespace

PodSlot* PodPool::TakeFresh() {
  // A container asks for its first slot only when a value needs one, so most containers have no
  // block.
  if (blocks_ == nullptr || blocks_->used == blocks_->count) {
    uint32_t count = kFirstBlock;
    if (blocks_ != nullptr)
      count = blocks_->count < kLargestBlock ? blocks_->count * 2 : kLargestBlock;
    auto* block = static_cast<Block*>(TakeMemory(sizeof(Block) + count * sizeof(PodSlot)));
    *block = {.next = blocks_, .count = count, .used = 0};
    blocks_ = block;
  }
  return blocks_->slots() + blocks_->used++;
}

void PodPool::Clear() {
  while (blocks_ != nullptr) GiveMemory(std::exchange(blocks_, blocks_->next));
  free_ = nullptr;
}

size_t PodPool::bytes() const {
  // Linear in blocks, of which there are few: their sizes double.
  size_t bytes = 0;
  for (const Block* block = blocks_; block != nullptr; block = block->next)
    bytes += sizeof(Block) + block->count * sizeof(PodSlot);
  return bytes;
}

}  // namespace tern::internal
