// SPDX-License-Identifier: Apache-2.0
// Calls of loop functions as a file, for programs in other processes. Little-endian:
//   u32 calls; each: u32 function number, u32 slots, u32 buffers, i64 per slot,
//   per buffer u64 start, u64 bytes, the bytes padded to a multiple of 8
// What comes back are all buffers' bytes, padded alike, in order.
#ifndef TERN_TESTS_LOOPS_CALL_FILE_H_
#define TERN_TESTS_LOOPS_CALL_FILE_H_

#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "tests/loops/backends.h"

namespace tern::loop {

std::vector<uint8_t> WriteCalls(const Program& program, const std::vector<LoopCall>& calls);
Status ReadBuffers(std::string_view bytes, std::vector<LoopCall>* calls);

}  // namespace tern::loop

#endif  // TERN_TESTS_LOOPS_CALL_FILE_H_
