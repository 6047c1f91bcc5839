/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a file of calls (call_file.h) on loop functions that are linked in; the file that the
 * macro FUNCTIONS_FILE names lists them as LOOP(name).
 *   run_calls INPUT OUTPUT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int32_t (*LoopFunction)(void* const* buffers, const int64_t* slots);

#define LOOP(name) int32_t name(void* const* buffers, const int64_t* slots);
#include FUNCTIONS_FILE
#undef LOOP

static const LoopFunction kFunctions[] = {
#define LOOP(name) name,
#include FUNCTIONS_FILE
#undef LOOP
};

enum { kMaxArguments = 32 };

static void Die(const char* what) {
  fprintf(stderr, "run_calls: %s\n", what);
  exit(2);
}

static void Read(FILE* file, void* into, size_t bytes) {
  if (fread(into, 1, bytes, file) != bytes) Die("the input is cut short");
}

static void RunCall(FILE* input, FILE* output) {
  uint32_t head[3]; /* function, slots, buffers */
  Read(input, head, sizeof(head));
  if (head[0] >= sizeof(kFunctions) / sizeof(kFunctions[0]) || head[1] > kMaxArguments ||
      head[2] > kMaxArguments)
    Die("bad call");
  int64_t slots[kMaxArguments];
  Read(input, slots, sizeof(int64_t) * head[1]);
  uint64_t sizes[kMaxArguments];
  char* blocks[kMaxArguments];
  void* buffers[kMaxArguments];
  for (uint32_t i = 0; i < head[2]; ++i) {
    uint64_t start;
    Read(input, &start, sizeof(start));
    Read(input, &sizes[i], sizeof(sizes[i]));
    sizes[i] = (sizes[i] + 7) / 8 * 8;
    if (posix_memalign((void**)&blocks[i], 256, sizes[i] + 8) != 0) Die("out of memory");
    Read(input, blocks[i], sizes[i]);
    buffers[i] = blocks[i] + start;
  }
  if (kFunctions[head[0]](buffers, slots) != 0) Die("a loop function failed");
  for (uint32_t i = 0; i < head[2]; ++i) {
    fwrite(blocks[i], 1, sizes[i], output);
    free(blocks[i]);
  }
}

int main(int argc, char** argv) {
  if (argc != 3) Die("usage: run_calls INPUT OUTPUT");
  FILE* input = fopen(argv[1], "rb");
  FILE* output = fopen(argv[2], "wb");
  if (input == NULL || output == NULL) Die("cannot open the files");
  uint32_t calls;
  Read(input, &calls, sizeof(calls));
  while (calls-- > 0) RunCall(input, output);
  fclose(input);
  return fclose(output) == 0 ? 0 : 2;
}
