// SPDX-License-Identifier: Apache-2.0
// Memory that nobody may touch, told to AddressSanitizer; without it these do nothing. An allocator
// poisons what waits in it, so that a use after free is found although the memory never went back
// to the platform.
#ifndef TERN_CORE_BASE_POISON_H_
#define TERN_CORE_BASE_POISON_H_

#if defined(__SANITIZE_ADDRESS__)
#define TERN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TERN_ASAN 1
#endif
#endif

#ifdef TERN_ASAN
#include <sanitizer/asan_interface.h>
#define TERN_POISON(pointer, bytes) __asan_poison_memory_region(pointer, bytes)
#define TERN_UNPOISON(pointer, bytes) __asan_unpoison_memory_region(pointer, bytes)
// Before a function that may touch it all the same.
#define TERN_READS_POISONED __attribute__((no_sanitize("address")))
#else
#define TERN_POISON(pointer, bytes) (void(pointer), void(bytes))
#define TERN_UNPOISON(pointer, bytes) (void(pointer), void(bytes))
#define TERN_READS_POISONED
#endif

#endif  // TERN_CORE_BASE_POISON_H_
