/* SPDX-License-Identifier: Apache-2.0 */
/* A device as a plug-in: memory of its own, and copies between it and the host.
 *
 * Tensors of a device are made by alloc_storage and device_copy, which name it by number: 0 is the
 * processor, plug-ins follow in the order of their registration. Host code never reads or writes
 * through a device's addresses; primitives that know a device do with them what they like.
 */
#ifndef TERN_CORE_BASE_DEVICE_H_
#define TERN_CORE_BASE_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TERN_DEVICE_EXTENSION = 12 }; /* DLPack's type of what it does not know */

typedef struct TernDevice {
  size_t struct_size; /* sizeof(TernDevice) as the caller was built */
  const char* name;   /* for messages: "npu"; copied */
  void* context;      /* first argument of every call below */
  /* Memory of the device, or NULL where there is none left: an address or a handle, which need
   * not mean anything to the host. The library only adds byte offsets to it. bytes > 0, alignment
   * is a power of two up to 4096. Calls come from any thread, not two at once for one machine. */
  void* (*allocate)(void* context, size_t bytes, size_t alignment);
  /* Gives back what allocate returned, with the same bytes and alignment. */
  void (*free)(void* context, void* memory, size_t bytes, size_t alignment);
  /* Copy bytes > 0; 0 for success, anything else is named in the error. Done when they return. */
  int32_t (*copy_from_host)(void* context, void* to, const void* from, size_t bytes);
  int32_t (*copy_to_host)(void* context, void* to, const void* from, size_t bytes);
  /* Between two places of the device; NULL: through the host. */
  int32_t (*copy)(void* context, void* to, const void* from, size_t bytes);
  /* Called once, when neither a runtime nor any memory needs the device any more; may be NULL. */
  void (*release)(void* context);
} TernDevice;

#ifdef __cplusplus
}
#endif

#endif /* TERN_CORE_BASE_DEVICE_H_ */
