/* SPDX-License-Identifier: Apache-2.0 */
/* A Cortex-M55 without a system: from reset to main, and files of the machine that emulates it, by
 * Arm's semihosting (Semihosting for AArch32 and AArch64, 2024Q3). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum Operation { kOpen = 1, kClose = 2, kWrite = 5, kRead = 6, kExitExtended = 0x20 };
enum Mode { kReadBytes = 1, kWriteBytes = 5 };

struct File {
  int32_t handle;
};
static struct File files[2];
static struct File errors = {-1};
FILE* const stderr = &errors;

static int32_t Ask(enum Operation operation, const void* block) {
  register int32_t number __asm__("r0") = operation;
  register const void* argument __asm__("r1") = block;
  __asm__ volatile("bkpt 0xab" : "+r"(number) : "r"(argument) : "memory");
  return number;
}

static uint32_t Length(const char* text) {
  uint32_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

void exit(int code) {
  const uint32_t block[2] = {0x20026, (uint32_t)code}; /* the application has ended */
  Ask(kExitExtended, block);
  for (;;) {
  }
}

static FILE* Open(struct File* file, const char* path, uint32_t mode) {
  const uint32_t block[3] = {(uint32_t)path, mode, Length(path)};
  file->handle = Ask(kOpen, block);
  return file->handle < 0 ? NULL : file;
}

FILE* fopen(const char* path, const char* mode) {
  const int writes = mode[0] == 'w';
  return Open(&files[writes], path, writes ? kWriteBytes : kReadBytes);
}

/* Both operations answer with the number of bytes that are left undone. */
size_t fread(void* into, size_t size, size_t count, FILE* file) {
  const uint32_t block[3] = {(uint32_t)file->handle, (uint32_t)into, (uint32_t)(size * count)};
  return count - (size_t)Ask(kRead, block) / size;
}
size_t fwrite(const void* from, size_t size, size_t count, FILE* file) {
  const uint32_t block[3] = {(uint32_t)file->handle, (uint32_t)from, (uint32_t)(size * count)};
  return count - (size_t)Ask(kWrite, block) / size;
}
int fclose(FILE* file) {
  const uint32_t block[1] = {(uint32_t)file->handle};
  return Ask(kClose, block);
}

int fprintf(FILE* file, const char* format, const char* what) {
  (void)format;
  if (file->handle < 0) Open(file, ":tt", kWriteBytes);
  return (int)fwrite(what, 1, Length(what), file);
}

extern char heap_begin[], heap_end[];
static char* heap = heap_begin;

int posix_memalign(void** block, size_t alignment, size_t bytes) {
  char* begin = (char*)(((uintptr_t)heap + alignment - 1) & ~(uintptr_t)(alignment - 1));
  if (begin > heap_end || bytes > (size_t)(heap_end - begin)) return 1;
  heap = begin + bytes;
  *block = begin;
  return 0;
}
void free(void* block) { (void)block; }

void* memset(void* into, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) ((volatile char*)into)[i] = (char)value;
  return into;
}
void* memcpy(void* into, const void* from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) ((volatile char*)into)[i] = ((const char*)from)[i];
  return into;
}

/* What compilers expect of their runtime library (Run-time ABI for the Arm Architecture). */
void __aeabi_memclr4(void* into, size_t bytes) { memset(into, 0, bytes); }

/* The high word times 2^32 is exact, as is the low one: the sum rounds once. */
__attribute__((pcs("aapcs"))) double __aeabi_l2d(int64_t value) {
  return (double)(int32_t)(value >> 32) * 4294967296.0 + (double)(uint32_t)value;
}

__attribute__((pcs("aapcs"))) double __aeabi_ul2d(uint64_t value) {
  return (double)(uint32_t)(value >> 32) * 4294967296.0 + (double)(uint32_t)value;
}

/* What a double has no bits for is gathered into one that a float has none for, so that only the
 * second conversion rounds. */
__attribute__((pcs("aapcs"))) float __aeabi_ul2f(uint64_t value) {
  const uint64_t lost = value & 0x7ff;
  if (value >> 53 != 0) value = (value - lost) | (lost != 0 ? 0x800 : 0);
  return (float)((double)(uint32_t)(value >> 32) * 4294967296.0 + (double)(uint32_t)value);
}
__attribute__((pcs("aapcs"))) float __aeabi_l2f(int64_t value) {
  return value < 0 ? -__aeabi_ul2f(0 - (uint64_t)value) : __aeabi_ul2f((uint64_t)value);
}

__attribute__((pcs("aapcs"))) int64_t __aeabi_d2lz(double value) {
  const double size = value < 0 ? -value : value;
  const uint32_t high = (uint32_t)(size / 4294967296.0);
  const uint32_t low = (uint32_t)(size - (double)high * 4294967296.0);
  const uint64_t whole = (uint64_t)high << 32 | low;
  return (int64_t)(value < 0 ? 0 - whole : whole);
}

uint64_t DivideBits(uint64_t dividend, uint64_t divisor, uint64_t* rest) {
  uint64_t quotient = 0, left = 0;
  for (int bit = 63; bit >= 0; --bit) {
    left = left << 1 | ((dividend >> bit) & 1);
    quotient <<= 1;
    if (left >= divisor) {
      left -= divisor;
      quotient |= 1;
    }
  }
  *rest = left;
  return quotient;
}
int64_t DivideSigned(int64_t dividend, int64_t divisor, int64_t* rest) {
  uint64_t left;
  const uint64_t size = dividend < 0 ? 0 - (uint64_t)dividend : (uint64_t)dividend;
  const uint64_t by = divisor < 0 ? 0 - (uint64_t)divisor : (uint64_t)divisor;
  const uint64_t quotient = DivideBits(size, by, &left);
  *rest = (int64_t)(dividend < 0 ? 0 - left : left);
  return (int64_t)((dividend < 0) != (divisor < 0) ? 0 - quotient : quotient);
}

/* The quotient in r0 and r1, the rest in r2 and r3. */
#define DIVIDE(name, by)                                                                     \
  __attribute__((naked)) void name(void) {                                                   \
    __asm__("push {r4, lr}\n\tsub sp, #16\n\tadd r4, sp, #8\n\tstr r4, [sp]\n\tbl " #by \
            "\n\tldrd r2, r3, [sp, #8]\n\tadd sp, #16\n\tpop {r4, pc}");                   \
  }
DIVIDE(__aeabi_uldivmod, DivideBits)
DIVIDE(__aeabi_ldivmod, DivideSigned)

int main(int argc, char** argv);
void Reset(void);

void Reset(void) {
  *(volatile uint32_t*)0xe000ed88 |= 0xfu << 20; /* CPACR: floats and vectors */
  __asm__ volatile("dsb\n\tisb" : : : "memory");
  char* arguments[] = {"run_calls", "in", "out"};
  exit(main(3, arguments));
}

static void Fault(void) { exit(3); }

extern char stack_end[];
/* Initial stack, reset, then NMI and the faults. */
__attribute__((section(".vectors"), used)) static const void* const vectors[] = {
    stack_end, (void*)Reset, (void*)Fault, (void*)Fault,
    (void*)Fault, (void*)Fault, (void*)Fault, (void*)Fault};
