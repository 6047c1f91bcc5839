// SPDX-License-Identifier: Apache-2.0
// Runs a model on ONNX Runtime, whose libraries come with the npm package, so often that starts and
// runs can be timed, or counted under an emulator.
//   onnxruntime LIBRARY MODEL TIMES OUTPUT [INPUT TYPE DIMS FILE]…
// TYPE is f32 or i64, DIMS as in 1x3x224x224, FILE the elements as they lie in memory. The C API is
// a table of functions whose places never change; those that are called are listed here.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kApiVersion = 1, kWarning = 2, kFloat = 1, kInt64 = 7, kMaxInputs = 4, kMaxRank = 8 };
enum {  // places in OrtApi
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetIntraOpNumThreads = 24,
  kCreateTensorWithData = 49,
  kCreateCpuMemoryInfo = 69,
  kReleaseValue = 96,
};

typedef void* (*Function)();
typedef struct {
  const Function* (*GetApi)(uint32_t version);
} Base;

static const Function* api;

static void Check(void* status) {
  if (status == NULL) return;
  fprintf(stderr, "onnxruntime: %s\n", (const char*)api[kGetErrorMessage](status));
  exit(1);
}

static void* ReadFile(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    fprintf(stderr, "onnxruntime: cannot read '%s'\n", path);
    exit(1);
  }
  *size = (size_t)ftell(file);
  rewind(file);
  void* data = malloc(*size);
  if (fread(data, 1, *size, file) != *size) exit(1);
  fclose(file);
  return data;
}

/* The tensor of four arguments: INPUT TYPE DIMS FILE. */
static void* MakeInput(void* memory, char** arguments) {
  int64_t dims[kMaxRank];
  size_t rank = 0, size;
  for (char* part = strtok(arguments[2], "x"); part != NULL && rank < kMaxRank;
       part = strtok(NULL, "x"))
    dims[rank++] = atoll(part);
  void* data = ReadFile(arguments[3], &size);
  const int type = strcmp(arguments[1], "i64") == 0 ? kInt64 : kFloat;
  void* value = NULL;
  Check(api[kCreateTensorWithData](memory, data, size, dims, rank, type, &value));
  return value;
}

int main(int count, char** arguments) {
  if (count < 5 || (count - 5) % 4 != 0 || (count - 5) / 4 > kMaxInputs) {
    fprintf(stderr, "usage: onnxruntime LIBRARY MODEL TIMES OUTPUT [INPUT TYPE DIMS FILE]...\n");
    return 2;
  }
  void* library = dlopen(arguments[1], RTLD_NOW);
  if (library == NULL) return fprintf(stderr, "onnxruntime: %s\n", dlerror()), 1;
  const Base* (*get_base)(void) = (const Base* (*)(void))dlsym(library, "OrtGetApiBase");
  api = get_base()->GetApi(kApiVersion);
  void *env = NULL, *options = NULL, *session = NULL, *memory = NULL;
  Check(api[kCreateEnv](kWarning, "bench", &env));
  Check(api[kCreateSessionOptions](&options));
  Check(api[kSetIntraOpNumThreads](options, 1));
  Check(api[kCreateSession](env, arguments[2], options, &session));
  Check(api[kCreateCpuMemoryInfo](1, 0, &memory));
  const char* names[kMaxInputs];
  void* values[kMaxInputs];
  const size_t inputs = (size_t)(count - 5) / 4;
  for (size_t i = 0; i < inputs; i++) {
    names[i] = arguments[5 + 4 * i];
    values[i] = MakeInput(memory, arguments + 5 + 4 * i);
  }
  const char* output_name = arguments[4];
  for (int i = atoi(arguments[3]); i > 0; i--) {
    void* output = NULL;
    Check(api[kRun](session, NULL, names, values, inputs, &output_name, (size_t)1, &output));
    api[kReleaseValue](output);
  }
  return 0;
}
