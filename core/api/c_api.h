/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of Tern: what native programs link and the WebAssembly modules export. Smaller
 * headers stand beside it: compilation_api.h, signature_api.h, instrument_api.h and, the loop
 * compiler, loop_api.h; of native programs native/backends/kernels_api.h and
 * native/library/native_api.h, files and threads. The library's users have all as <tern/tern.h>.
 *
 * Rules that hold for every function here:
 *  - A function that can fail returns tern_status*: NULL is success, anything else carries a code,
 * a message and the full diagnostics, belongs to the caller and ends with tern_status_free.
 * Out-parameters are written on success only.
 *  - Handles (tern_runtime, tern_program, tern_vm, tern_buffer) are opaque, made and freed in
 * pairs; free functions take NULL. A program may be freed while machines still use it, a runtime
 * may not.
 *  - Values cross as TernAny (abi.h). An owned TernAny ends with tern_any_release.
 *  - Structs of options start with struct_size = sizeof(the struct); a caller built against an
 * older header passes a smaller one and gets defaults for the rest. A newer caller's larger one is
 * taken as long as what this library does not know is 0. Anything else is E0703, and then nothing
 * of the struct is used, its release neither.
 *  - No exception and no C++ type crosses; functions are only ever added within a major version.
 *  - Threads: a runtime and a program may be shared by threads; a machine, a buffer and a value
 * that is being written belong to one thread at a time. tern_vm_cancel may be called from anywhere.
 */
#ifndef TERN_CORE_API_C_API_H_
#define TERN_CORE_API_C_API_H_

#include <stddef.h>
#include <stdint.h>

#include "core/abi/abi.h"
#include "core/base/device.h"
#include "core/base/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TERN_VERSION_MAJOR 0
#define TERN_VERSION_MINOR 1
#define TERN_VERSION_PATCH 0

/* The WebAssembly module exports what wasm/exports.txt lists. */
#define TERN_API __attribute__((visibility("default")))

typedef struct tern_status tern_status;
typedef struct tern_runtime tern_runtime;
typedef struct tern_program tern_program;
typedef struct tern_vm tern_vm;
typedef struct tern_buffer tern_buffer;
typedef struct tern_debugger tern_debugger;
typedef struct tern_profile tern_profile;

/* MAJOR << 16 | MINOR << 8 | PATCH of the library that is running. */
TERN_API uint32_t tern_version(void);
/* MAJOR << 16 | MINOR of the layouts (abi.h) of the library that is running. A caller fits if its
 * TERN_ABI_MAJOR is the same and its TERN_ABI_MINOR not higher. */
TERN_API uint32_t tern_abi_version(void);
/* What this header says of itself, in those two forms. */
#define TERN_HEADER_VERSION \
  ((uint32_t)TERN_VERSION_MAJOR << 16 | TERN_VERSION_MINOR << 8 | TERN_VERSION_PATCH)
#define TERN_HEADER_ABI ((uint32_t)TERN_ABI_MAJOR << 16 | TERN_ABI_MINOR)
/* Whether the library that is running serves a program compiled against a header of that version:
 * E0704 says what to do where it does not. TERN_ABI_CHECK() asks for this header. */
TERN_API tern_status* tern_abi_check(uint32_t header_version, uint32_t header_abi);
#define TERN_ABI_CHECK() tern_abi_check(TERN_HEADER_VERSION, TERN_HEADER_ABI)

/* -- Status */

/* The kind of failure: the numbers of StatusCode in core/base/status.h. 0 for NULL. */
TERN_API int32_t tern_status_kind(const tern_status* status);
/* "E0203", "S0301" ...: stable, explained by tern_explain. The text lives as long as the status. */
TERN_API const char* tern_status_code(const tern_status* status);
/* One line: what, where, expected and actual. */
TERN_API const char* tern_status_message(const tern_status* status);
/* The message with notes and help, laid out for people. */
TERN_API const char* tern_status_text(const tern_status* status);
/* {"code", "message", "diagnostics": [...]}; the schema is in docs/errors.md. */
TERN_API const char* tern_status_json(const tern_status* status);
TERN_API void tern_status_free(tern_status* status);

/* -- Buffers: bytes or zero-terminated text made by the library */

TERN_API const void* tern_buffer_data(const tern_buffer* buffer);
TERN_API size_t tern_buffer_size(const tern_buffer* buffer);
TERN_API void tern_buffer_free(tern_buffer* buffer);

/* -- Runtime: the platform, the kernels and the registry that everything below uses */

/* Groups of instructions, for tern_runtime_options: what a processor must have for a target. */
enum {
  TERN_CPU_SSE4 = 1,   /* up to SSE4.2 */
  TERN_CPU_AVX2 = 2,   /* with FMA, F16C, BMI */
  TERN_CPU_AVX512 = 4, /* F, CD, BW, DQ, VL, and all of TERN_CPU_AVX2 */
  TERN_CPU_NEON = 8,
  TERN_CPU_SVE = 16,
};

typedef struct tern_runtime_options {
  size_t struct_size;
  const char* target; /* kernel target by name ("avx2"), NULL for the best this machine has */
  const TernPlatform* platform; /* memory, workers, clock; NULL for malloc and one thread; must
                                   outlive the runtime and all values made by it */
  uint32_t cpu_features; /* TERN_CPU_... bits that kernels may use; 0: all that this machine has */
  uint32_t sve_bytes;    /* length of an SVE vector, for TERN_CPU_SVE; 0: this machine's */
} tern_runtime_options;

TERN_API tern_status* tern_runtime_create(const tern_runtime_options* options,
                                          tern_runtime** runtime);
TERN_API void tern_runtime_free(tern_runtime* runtime);
/* {"version", "target", "targets": [...], "operators": [...]} */
TERN_API tern_status* tern_runtime_info(tern_runtime* runtime, tern_buffer** json);

/* Adds a device (core/base/device.h) to those that machines made hereafter have; *number is what
 * alloc_storage and device_copy call it, 1 for the first. On success the plug-in's release is
 * called once, when nothing uses the device any more. */
TERN_API tern_status* tern_runtime_register_device(tern_runtime* runtime, const TernDevice* device,
                                                   int32_t* number);
/* A copy of a tensor in the memory of a device, 0 for the processor's; of one that is there the
 * tensor itself. */
TERN_API tern_status* tern_tensor_to_device(tern_runtime* runtime, const TernAny* tensor,
                                            int32_t device, TernAny* copy);
/* The number of the device that a tensor's memory is on. */
TERN_API tern_status* tern_tensor_device(tern_runtime* runtime, const TernAny* tensor,
                                         int32_t* device);

/* -- Compiling */

/* Reads tensor data that a model keeps outside of its file: *size bytes (UINT64_MAX: all the rest,
 * and *size is set) from offset on. Returns 0 and *data, alive until the compilation returns; one
 * of the numbers below, or any other, when there is none. */
#define TERN_EXTERNAL_OUTSIDE 2   /* a link leads out of the folder that may be read */
#define TERN_EXTERNAL_TOO_SHORT 3 /* the file ends before that */
typedef int32_t (*tern_external_data)(void* context, const char* location, uint64_t offset,
                                      uint64_t* size, const void** data);

typedef struct tern_compile_options {
  size_t struct_size;
  const char* source_name;     /* for messages; NULL is "model" */
  const char* disabled_passes; /* comma list of pass names, NULL for none */
  tern_external_data external_data;
  void* external_data_context;
  const char* print_after; /* comma list of pass names or "all": their text goes to `stages` */
  int32_t relaxed_math;    /* not 0: loop kernels may round a * b + c once (docs/loop-ir.md) */
  /* Comma list of symbols and extents, "batch=1,n=16", may be empty: the stage "memory_json" also
   * says where everything lies at these (core/ir/passes/plan_memory.h). NULL: it does not. */
  const char* sizes;
  /* Of what the compiler makes: trees, graphs and constants, 0 = the platform's memory_limit. More
   * is E0302. Bytes that the caller has, such as a model's constants, do not count. */
  uint64_t max_bytes;
  int32_t exact_convolutions; /* not 0: each sum over all taps of its window (docs/kernels.md) */
} tern_compile_options;

/* ONNX bytes to executable bytes. `stages` (may be NULL) receives JSON as asked for: [{"name",
 * "text", "origins": [[line, what it came from]]}]. */
TERN_API tern_status* tern_compile_onnx(tern_runtime* runtime, const void* bytes, size_t size,
                                        const tern_compile_options* options,
                                        tern_buffer** executable, tern_buffer** stages);
/* The graph of an ONNX file as its nodes have it, with the types that importing it finds; also of a
 * file that cannot be imported (core/onnx/graph_json.h has the members). */
TERN_API tern_status* tern_model_graph(tern_runtime* runtime, const void* bytes, size_t size,
                                       tern_buffer** json);
/* The text of a program (docs/language.md) to executable bytes; stages as above. Errors carry
 * everything that is wrong with it. */
TERN_API tern_status* tern_compile_source(tern_runtime* runtime, const char* text, size_t size,
                                          const tern_compile_options* options,
                                          tern_buffer** executable, tern_buffer** stages);
/* What is wrong with a program, warnings included, as diagnostics in JSON (format "json": an array
 * as in docs/errors.md) or laid out for people ("text"); empty where nothing is. */
TERN_API tern_status* tern_check_source(tern_runtime* runtime, const char* text, size_t size,
                                        const char* source_name, const char* format,
                                        tern_buffer** out);
/* The same of assembly text. */
TERN_API tern_status* tern_check_assembly(tern_runtime* runtime, const char* text, size_t size,
                                          const char* source_name, const char* format,
                                          tern_buffer** out);
/* The program with the fixes applied that its diagnostics carry and that leave nothing to write.
 * `report` (may be NULL) receives a line for each, "program.tn:3:5: add ';'"; both are as they were
 * where there is none. */
TERN_API tern_status* tern_fix_source(tern_runtime* runtime, const char* text, size_t size,
                                      const char* source_name, tern_buffer** fixed,
                                      tern_buffer** report);
/* The program in its one layout. */
TERN_API tern_status* tern_format_source(tern_runtime* runtime, const char* text, size_t size,
                                         const char* source_name, tern_buffer** out);
/* What an editor asks: question "tokens", "hover", "definition", "complete" or "symbols"
 * (core/lang/editor/editor.h has the JSON), the offset in bytes. */
TERN_API tern_status* tern_query_source(tern_runtime* runtime, const char* text, size_t size,
                                        const char* question, size_t offset, tern_buffer** json);
/* Assembly text (.tasm) to executable bytes. */
TERN_API tern_status* tern_assemble(tern_runtime* runtime, const char* text, size_t size,
                                    const char* source_name, tern_buffer** executable);

/* -- Programs: a verified executable, immutable */

/* The program uses constants in place: the bytes must be 64-byte aligned for that (they are copied
 * if not) and stay alive until `release` is called, once, when nothing uses them any more. release
 * may be NULL. On failure release is called too. */
TERN_API tern_status* tern_program_load(tern_runtime* runtime, const void* bytes, size_t size,
                                        void (*release)(void* context), void* context,
                                        tern_program** program);

/* The bytes of an executable that are not in memory as a whole. */
typedef struct tern_file_source {
  size_t struct_size;
  void* context;
  uint64_t bytes; /* of the whole executable */
  /* Copies `length` bytes from `offset` on to destination: 0; anything else where they cannot be
   * had. Called while the program is loaded and when a function is entered, on that thread. */
  int32_t (*read)(void* context, uint64_t offset, uint64_t length, void* destination);
  void (*release)(void* context); /* called once, when nothing is read any more; may be NULL */
} tern_file_source;
/* Loads a program whose constants stay where they are until they are used. All but the data of
 * tensors is read now; each constant is read, and compared with its checksum, when a function that
 * can reach it is entered for the first time (tern_vm_call, tern_vm_begin). Where that fails
 * (E0101, E0105) the error names the constant, and the next call tries again. Listings with values
 * ("columns", "instructions", "assignments", "cpp", "javascript", tern_program_disassemble) read
 * all of them. On failure release is called too. */
TERN_API tern_status* tern_program_load_on_demand(tern_runtime* runtime,
                                                  const tern_file_source* source,
                                                  tern_program** program);
TERN_API void tern_program_free(tern_program* program);
/* format "json": {"functions": [{"name", "params": [{"name", "dtype", "shape"}], "results": [the
 * same], "first", "count", "registers"}], "constants": [...], "primitives": [...], "missing":
 * [those that this build does not have], "instructions": [{"pc", "text", "opcode", "operands",
 * "source", "line", "column": both from 1, columns in code points, where the source is a text}],
 * "sections": [{"name", "count", "offset", "bytes"}, both 0 where there is no file],
 * "metadata": {...}, "kernels": [as tern_program_kernels has them, where there are some]}. Operands
 * are in the order of the text: {"name", "role": of core/vm/isa.def, "kind": "register",
 * "immediate", "constant", "function", "primitive", "void" or "vm", "value": a number or an index,
 * "target": of a jump, as "pc", "span": [where it begins in the text, where it ends, in bytes]}.
 * Format "text": the same for people. Formats "listing" and "stats": those of docs/isa.md;
 * "columns", "instructions" and "assignments": assembly text in its three forms; "cpp" and
 * "javascript": source that rebuilds the executable through the builder; "ssa": an error if some
 * register is written twice. */
TERN_API tern_status* tern_program_inspect(tern_program* program, const char* format,
                                           tern_buffer** out);
/* What format "json" gives, made and read in a fraction of the time: in place of "instructions" it
 * has "code": {"texts": each ends with a line break, "numbers": [of each instruction opcode + 256 *
 * (2 * operands + placed); where placed is 1 its source, a place in "sources", line and column, 0
 * where the source is no text; of each operand which row of the instruction's it belongs to + 8 *
 * its kind, a place in the list above, + 64 * how far behind the operand before or the text's begin
 * it is, then its length in the text and its value], "sources": [...]}. */
TERN_API tern_status* tern_program_info(tern_program* program, tern_buffer** json);
/* tern_program_inspect of an executable's bytes, which may import primitives that this runtime does
 * not have. */
TERN_API tern_status* tern_inspect_executable(tern_runtime* runtime, const void* bytes, size_t size,
                                              const char* format, tern_buffer** out);
/* Assembly text; assembling it gives the same bytes back. */
TERN_API tern_status* tern_program_disassemble(tern_program* program, tern_buffer** text);

/* -- Kernels: loop programs and native code that travel with an executable
 *
 * A kernel belongs to the function of its name. What runs its code gives the program a backend:
 * from then on machines that are made call it wherever bytecode would enter the function.
 */

/* [{"name", "formats": ["loop", ...], "signature", "operators", "backend", "why"}]: each kernel
 * with its function's signature (null where there is no such function), whether the function can do
 * without its kernel, what machines made now would call, and why. */
TERN_API tern_status* tern_program_kernels(tern_program* program, tern_buffer** json);
/* What the executable holds of a kernel in one of its formats; lives as long as the program. */
TERN_API tern_status* tern_program_kernel_bytes(tern_program* program, const char* name,
                                                const char* format, const void** data,
                                                size_t* size);

/* Code over plain buffers, and what it takes (core/vm/kernel_function.h has an example). */
typedef struct tern_kernel_spec {
  size_t struct_size;
  const char* name;
  /* Parameters as the function's; the result lists the results, then workspaces. */
  const char* signature;
  /* Comma list of the sizes in the code's order, then of the parameters that are passed by value;
   * NULL for none. */
  const char* slots;
  uint32_t results; /* the first so many of what the signature's result lists; 0 is 1 */
  uint32_t zeroed;  /* 1: results and workspaces are set to zero before each call */
  /* One of the two, the other NULL. A pointer per parameter, result and workspace, a slot per size
   * and value. Returns 0, or a number for the error. Called from any thread. */
  int32_t (*call)(void* const* buffers, const int64_t* slots);
  int32_t (*self_call)(void* self, void* const* buffers, const int64_t* slots);
  void* self;
  void (*release)(void* self); /* called once, when nothing calls the code any more; may be NULL */
} tern_kernel_spec;

/* The code as a function: it checks its arguments, makes them contiguous, allocates what the code
 * writes. The code must stay inside its buffers. On failure release is called too. */
TERN_API tern_status* tern_kernel_function_create(const tern_kernel_spec* spec, TernAny* function);

typedef struct tern_kernel_backend {
  size_t struct_size;
  const char* backend; /* "operators", "interpreter", "compiled": tern_program_kernels; copied */
  const char* why;
  /* Asked before each call, with the number of elements of its arguments: 0 leaves this call to the
   * bytecode. NULL: every call is taken. From any thread. */
  int32_t (*ready)(void* context, int64_t elements);
  /* For a backend that changes: its words now, which live as long as the function. NULL:
   * those above. */
  void (*describe)(void* context, const char** backend, const char** why);
  void* context; /* lives as long as the function does */
} tern_kernel_backend;

/* Machines made from now on call `kernel` instead of the bytecode of `function`; NULL: the
 * bytecode. The backend may be NULL too. */
TERN_API tern_status* tern_program_set_kernel(tern_program* program, const char* function,
                                              const TernAny* kernel,
                                              const tern_kernel_backend* backend);

/* A kernel as an executable carries it (docs/format.md). */
typedef struct tern_kernel {
  const char* name;   /* of the function that it can stand in for */
  const char* format; /* "loop", "elf-aarch64-sve" */
  const void* bytes;  /* the loop program's text, or the object */
  size_t size;
} tern_kernel;
/* The executable's bytes with these kernels in place of its own. */
TERN_API tern_status* tern_program_save_with_kernels(tern_program* program,
                                                     const tern_kernel* kernels, uint32_t count,
                                                     tern_buffer** executable);

/* -- Builders: executables made instruction by instruction */

/* What core/vm/builder.h is in C++. Mistakes are kept and reported when the function ends, and all
 * at once by tern_builder_finish; where a function below returns a status, the mistake is also
 * told there. Registers may have any number: they are renamed densely in order of use. Belongs to
 * one thread at a time. */
typedef struct tern_builder tern_builder;

typedef enum tern_operand_kind {
  TERN_OPERAND_REGISTER = 0,
  TERN_OPERAND_IMMEDIATE = 1, /* past 55 bits it becomes a constant */
  TERN_OPERAND_CONSTANT = 2,
  TERN_OPERAND_FUNCTION = 3, /* of tern_builder_callee or tern_builder_label */
  TERN_OPERAND_VOID = 4,     /* no register: the destination, or an operand that is left out */
  TERN_OPERAND_VM = 5        /* the machine's state */
} tern_operand_kind;

typedef struct tern_operand {
  int32_t kind;     /* tern_operand_kind */
  int32_t reserved; /* 0 */
  int64_t value;
} tern_operand;

/* Any: the function of that name, which may be defined later; else the primitive. */
typedef enum tern_callee_kind {
  TERN_CALLEE_ANY = 0,
  TERN_CALLEE_FUNCTION = 1,
  TERN_CALLEE_PRIMITIVE = 2
} tern_callee_kind;

TERN_API tern_status* tern_builder_create(tern_runtime* runtime, tern_builder** builder);
TERN_API void tern_builder_free(tern_builder* builder);
/* Opens a function: of a signature's text, "(x: f32[n]) -> f32[n]", or, where that is NULL, of
 * num_inputs nameless inputs. */
TERN_API tern_status* tern_builder_begin_function(tern_builder* builder, const char* name,
                                                  const char* signature, uint32_t num_inputs);
/* Closes it, checks and renames. `warnings` (may be NULL) receives JSON, diagnostics as in
 * tern_status_json. */
TERN_API tern_status* tern_builder_end_function(tern_builder* builder, tern_buffer** warnings);
/* The operand of a constant; equal ones share one. The value is borrowed. */
TERN_API tern_status* tern_builder_constant(tern_builder* builder, const TernAny* value,
                                            tern_operand* operand);
/* Of text, as .const lines have it: "f32[2] [1, 2]". share = 0: always a new entry of the pool. */
TERN_API tern_status* tern_builder_constant_text(tern_builder* builder, const char* text,
                                                 int32_t share, tern_operand* operand);
TERN_API void tern_builder_callee(tern_builder* builder, const char* name, int32_t kind,
                                  tern_operand* operand);
/* Puts a primitive into the table before its first use. */
TERN_API void tern_builder_declare_primitive(tern_builder* builder, const char* name);
/* A place of the open function to jump to; bind says that it is the next instruction. */
TERN_API void tern_builder_label(tern_builder* builder, const char* name, tern_operand* operand);
TERN_API void tern_builder_bind(tern_builder* builder, const char* name);
/* Any instruction by its mnemonic, operands in the order of docs/isa.md. */
TERN_API tern_status* tern_builder_emit(tern_builder* builder, const char* mnemonic,
                                        const tern_operand* operands, int32_t count);
/* What the following instructions were made from, until set again; nothing at all ends it. */
TERN_API void tern_builder_set_source(tern_builder* builder, const char* text, size_t size,
                                      uint32_t line, uint32_t column);
TERN_API void tern_builder_name_register(tern_builder* builder, int64_t reg, const char* name);
TERN_API void tern_builder_set_metadata(tern_builder* builder, const char* key, size_t key_size,
                                        const char* value, size_t value_size);
TERN_API void tern_builder_add_kernel(tern_builder* builder, const char* name, const char* format,
                                      const void* bytes, size_t size);
/* keep = 1: registers that are dense already keep their numbers. */
TERN_API void tern_builder_keep_dense_registers(tern_builder* builder, int32_t keep);
/* The executable's bytes; the builder is empty afterwards. */
TERN_API tern_status* tern_builder_finish(tern_builder* builder, tern_buffer** executable);

/* -- Machines: registers and frames, one run at a time */

typedef struct tern_vm_options {
  size_t struct_size;
  uint64_t max_instructions; /* per run, 0 = no limit */
  uint64_t max_bytes;        /* of tensors, objects and texts, 0 = the platform's memory_limit */
  uint32_t max_depth;        /* frames, 0 = 10 000 */
  uint32_t reserved;         /* 0 */
  uint64_t max_time_ms;      /* per run, while it runs; 0 = no limit; needs a platform's clock */
} tern_vm_options;

typedef enum tern_stop {
  TERN_STOP_RETURNED = 0,
  TERN_STOP_PAUSED = 1, /* the asked-for number of instructions ran */
  TERN_STOP_BREAKPOINT = 2,
  TERN_STOP_CANCELLED = 3
} tern_stop;

TERN_API tern_status* tern_vm_create(tern_program* program, const tern_vm_options* options,
                                     tern_vm** vm);
TERN_API void tern_vm_free(tern_vm* vm);
/* Runs a function to its end, also a saved one (tern_vm_save_function), which takes no arguments.
 * args are borrowed; *result is owned by the caller. */
TERN_API tern_status* tern_vm_call(tern_vm* vm, const char* function, const TernAny* args,
                                   int32_t num_args, TernAny* result);
/* The same in pieces: begin, then resume for at most max_instructions (0 = until something stops
 * it), then take the result once it has returned. A failed run leaves its frames for tern_vm_state.
 */
TERN_API tern_status* tern_vm_begin(tern_vm* vm, const char* function, const TernAny* args,
                                    int32_t num_args);
TERN_API tern_status* tern_vm_resume(tern_vm* vm, uint64_t max_instructions, tern_stop* stop);
TERN_API tern_status* tern_vm_take_result(tern_vm* vm, TernAny* result);
/* {"state", "steps", "frames": [{"function", "pc", "registers": [{"index", "name", "value":
 * {...}}]}], "memory": {"live", "peak"}} */
TERN_API tern_status* tern_vm_state(tern_vm* vm, tern_buffer** json);
/* An owned copy of register `reg` of frame `frame` (0 = innermost). */
TERN_API tern_status* tern_vm_register(tern_vm* vm, uint32_t frame, uint32_t reg, TernAny* value);
TERN_API void tern_vm_cancel(tern_vm* vm);
/* A run stops before the instruction `pc` of the whole code, with TERN_STOP_BREAKPOINT; resuming
 * goes on from there. Breakpoints last until they are taken away (on = 0). */
TERN_API void tern_vm_set_breakpoint(tern_vm* vm, uint32_t pc, int32_t on);

/* Wherever bytecode or tern_vm_call would enter the function, `native` is called instead, with the
 * same arguments; NULL puts the bytecode back. Of this machine only, and not while it runs. The
 * caller warrants that both compute the same. */
TERN_API tern_status* tern_vm_replace_function(tern_vm* vm, const char* function,
                                               const TernAny* native);

/* on = 1: calls of operators that do not depend on each other run at the same time, on the
 * platform's workers. Results, errors and the order of all other functions stay as they are. Calls
 * that are large enough are spread over the workers anyway; this is for many small ones. */
TERN_API tern_status* tern_vm_set_parallel_calls(tern_vm* vm, int32_t on);
/* Calls that ran beside another one since then. */
TERN_API uint64_t tern_vm_overlapped_calls(const tern_vm* vm);

/* Runs whose inputs are set once: a function with inputs is run by tern_vm_invoke_stateful, and
 * refused by tern_vm_call and tern_vm_begin until its inputs are cleared. */
TERN_API tern_status* tern_vm_set_input(tern_vm* vm, const char* function, const TernAny* args,
                                        int32_t num_args);
TERN_API void tern_vm_clear_input(tern_vm* vm, const char* function);
TERN_API tern_status* tern_vm_invoke_stateful(tern_vm* vm, const char* function);
/* What it returned last, owned by the caller. `path` of `depth` indices goes into tuples. */
TERN_API tern_status* tern_vm_get_output(tern_vm* vm, const char* function, const int64_t* path,
                                         int32_t depth, TernAny* output);
/* Fields of the tuple there, -1 where it is none. */
TERN_API tern_status* tern_vm_output_arity(tern_vm* vm, const char* function, const int64_t* path,
                                           int32_t depth, int64_t* arity);
/* Keeps a function with its arguments under a name of its own. */
TERN_API tern_status* tern_vm_save_function(tern_vm* vm, const char* function,
                                            const char* saved_name, const TernAny* args,
                                            int32_t num_args);
TERN_API tern_status* tern_vm_function_arity(tern_vm* vm, const char* function, int64_t* arity);
/* Empty for a parameter without a name. */
TERN_API tern_status* tern_vm_parameter_name(tern_vm* vm, const char* function, int64_t index,
                                             tern_buffer** name);
/* Calls it number * repeat times after a first call that is not counted: {"repeats": [nanoseconds
 * per call], "mean", "median", "best"}. Needs a platform's clock. */
TERN_API tern_status* tern_vm_time_evaluator(tern_vm* vm, const char* function, const TernAny* args,
                                             int32_t num_args, int64_t number, int64_t repeat,
                                             tern_buffer** json);

/* -- Debuggers: a run that can be stopped anywhere and gone through in both directions
 * (docs/debugging.md). Handles of their own, each with its own machine; threads as for machines.
 */

typedef struct tern_debug_options {
  size_t struct_size;
  /* Budgets: stops that can be raised and gone on from; 0: none (depth: 10 000). */
  uint64_t max_steps;
  uint64_t max_bytes; /* of tensors, objects and texts */
  uint64_t max_time_ms;
  uint32_t max_depth;
  uint32_t reserved;
  /* Of the record of the run, 0: 256 MiB and 1 000 000 steps. Above, the oldest are dropped. */
  uint64_t trace_bytes;
  uint64_t trace_steps;
} tern_debug_options;

/* Commands; `argument` is a count, an instruction of the whole code, or a step. */
typedef enum tern_debug_command {
  TERN_DEBUG_STEP = 0,
  TERN_DEBUG_NEXT = 1,
  TERN_DEBUG_FINISH = 2,
  TERN_DEBUG_CONTINUE = 3,
  TERN_DEBUG_RUN_TO = 4,
  TERN_DEBUG_SEEK = 5,
  TERN_DEBUG_STEP_BACK = 6,
  TERN_DEBUG_NEXT_BACK = 7,
  TERN_DEBUG_FINISH_BACK = 8,
  TERN_DEBUG_CONTINUE_BACK = 9,
  TERN_DEBUG_RESUME = 10 /* what a slice interrupted */
} tern_debug_command;

typedef enum tern_breakpoint_action {
  TERN_BREAKPOINT_REMOVE = 0,
  TERN_BREAKPOINT_ENABLE = 1,
  TERN_BREAKPOINT_DISABLE = 2,
  TERN_BREAKPOINT_IGNORE = 3 /* the next `times` times */
} tern_breakpoint_action;

TERN_API tern_status* tern_debugger_create(tern_program* program, const tern_debug_options* options,
                                           tern_debugger** debugger);
TERN_API void tern_debugger_free(tern_debugger* debugger);
/* Begins a run, ending the one before; nothing is executed yet. args are borrowed. */
TERN_API tern_status* tern_debugger_begin(tern_debugger* debugger, const char* function,
                                          const TernAny* args, int32_t num_args);
/* Runs a command for at most `slice` instructions (0: no limit). *stop: {"reason", "text",
 * "breakpoint", "step", "first", "end", "past", "depth"}; reasons are begun, returned, step,
 * breakpoint, target, slice, start, cancelled, step-limit, time-limit, memory-limit, depth-limit,
 * trap(CODE). What goes wrong in the run is a stop, not an error here. */
TERN_API tern_status* tern_debugger_run(tern_debugger* debugger, int32_t command, uint64_t argument,
                                        uint64_t slice, tern_buffer** stop);
/* From any thread: the command that runs stops soon. */
TERN_API void tern_debugger_cancel(tern_debugger* debugger);
TERN_API tern_status* tern_debugger_set_budgets(tern_debugger* debugger,
                                                const tern_debug_options* options);
/* A breakpoint by its text: "@main:3 if %0 > 2", "nan", "alloc 64 KiB", "if EXPRESSION". */
TERN_API tern_status* tern_debugger_break(tern_debugger* debugger, const char* text, uint32_t* id);
TERN_API tern_status* tern_debugger_breakpoint(tern_debugger* debugger, uint32_t id, int32_t action,
                                               uint64_t times);
/* JSON of what is looked at: what = "stop", "state", "breakpoints", "heap", "trace" (members are in
 * core/vm/debug/debugger_json.h), or of the whole record, as in core/vm/debug/debugger_views.h. */
TERN_API tern_status* tern_debugger_state(tern_debugger* debugger, const char* what,
                                          tern_buffer** json);
/* An owned value of a register in the state that is looked at; frame 0 is the innermost. */
TERN_API tern_status* tern_debugger_register(tern_debugger* debugger, uint32_t frame, uint32_t reg,
                                             TernAny* value);
/* Gives a register another value; the run goes on from the state that is looked at. */
TERN_API tern_status* tern_debugger_set_register(tern_debugger* debugger, uint32_t frame,
                                                 uint32_t reg, const TernAny* value);
/* Forgets what came after the state that is looked at; the run goes on from there. */
TERN_API tern_status* tern_debugger_rewind(tern_debugger* debugger);
TERN_API tern_status* tern_debugger_evaluate(tern_debugger* debugger, const char* expression,
                                             uint32_t frame, TernAny* value);
/* What the run returned, owned; else what it failed with, or where it was stopped S0301 (steps),
 * S0303 (time), E0302 (memory), E0303 (depth), S0302 (anything else). May be asked for again. */
TERN_API tern_status* tern_debugger_result(tern_debugger* debugger, TernAny* result);
/* The record of the run: format "binary" or "json" (core/vm/debug/trace_file.h). */
TERN_API tern_status* tern_debugger_trace(tern_debugger* debugger, const char* format,
                                          tern_buffer** trace);
/* A record that tern_debugger_trace wrote in its binary form, as text: what = "summary", "list"
 * (the steps from `from` up to `to`) or "state" (frames and registers of step `from`). */
TERN_API tern_status* tern_trace_text(const void* bytes, size_t size, const char* what,
                                      uint64_t from, uint64_t to, tern_buffer** text);
/* The same as JSON: {"first", "end", "events", "keyFrames", "values", "functions": [names], "code":
 * [{"name", "first", "count"}: its instructions], "function": the one that was called, where the
 * record says so}, [{"step", "place", "changes": [{"kind": "write", "register", "value"}, or "into"
 * and "function", or "out"}]}], and {"step", "end", "frames": [{"place", "registers": [{"index",
 * "name", "value"}]}]}, the innermost frame first. */
TERN_API tern_status* tern_trace_json(const void* bytes, size_t size, const char* what,
                                      uint64_t from, uint64_t to, tern_buffer** json);
/* What the run of such a record began with: an owned tuple. E0305 where the record does not say.
 * The steps are not looked at; tern_trace_json checks them. */
TERN_API tern_status* tern_trace_arguments(const void* bytes, size_t size, TernAny* arguments);
/* Where two such records differ, as JSON (core/vm/debug/trace_diff.h): the first `most`
 * differences, as if each value that differs had been equal. */
TERN_API tern_status* tern_trace_compare(const void* a, size_t a_size, const void* b, size_t b_size,
                                         uint64_t most, tern_buffer** json);
/* One line of the terminal debugger; *done is set to 1 by `quit`. */
TERN_API tern_status* tern_debugger_execute(tern_debugger* debugger, const char* line,
                                            tern_buffer** text, int32_t* done);

/* -- Profiles */

/* Runs a function `repeat` times on the machine under a profiler. */
TERN_API tern_status* tern_vm_profile(tern_vm* vm, const char* function, const TernAny* args,
                                      int32_t num_args, int32_t repeat, tern_profile** profile);
/* format: "table", "json", "chrome" (trace events), "speedscope". */
TERN_API tern_status* tern_profile_export(tern_profile* profile, const char* format,
                                          tern_buffer** out);
TERN_API void tern_profile_free(tern_profile* profile);

/* -- Values */

TERN_API void tern_any_retain(const TernAny* value);
TERN_API void tern_any_release(TernAny* value);
/* Short text of any value, and its JSON: {"kind", "dtype", "shape", ...}. */
TERN_API tern_status* tern_any_text(const TernAny* value, tern_buffer** text);
TERN_API tern_status* tern_any_json(const TernAny* value, tern_buffer** json);

/* How much of a value is printed. */
typedef struct tern_print_options {
  size_t struct_size;
  uint64_t max_elements; /* of each tensor, list, tuple and map; 0: all */
  uint32_t max_depth;    /* of containers in containers; 0: 4 000, which is the most */
  uint32_t reserved;     /* 0 */
} tern_print_options;
/* tern_any_text ("text") or tern_any_json ("json") with other limits than theirs, 8 elements and 4
 * levels. *omitted (may be NULL) receives how many elements are left out. */
TERN_API tern_status* tern_any_print(const TernAny* value, const char* format,
                                     const tern_print_options* options, uint64_t* omitted,
                                     tern_buffer** out);
/* tern_any_print of what a function of the program returned, with the names of constructors where
 * the program was compiled from text that has them. field: of the tuple that it returned, -1 for
 * the whole. */
TERN_API tern_status* tern_program_print(tern_program* program, const char* function, int32_t field,
                                         const TernAny* value, const char* format,
                                         const tern_print_options* options, uint64_t* omitted,
                                         tern_buffer** out);

/* A new contiguous tensor of `dtype` ("f32", "i64", ...; the names of docs/abi.md), memory set to
 * zero. */
TERN_API tern_status* tern_tensor_new(tern_runtime* runtime, const char* dtype, int32_t rank,
                                      const int64_t* shape, TernAny* tensor);
/* Data pointer, bytes, rank and shape of a contiguous tensor; each out-parameter may be NULL. shape
 * points into the tensor. dtype is a static text. */
TERN_API tern_status* tern_tensor_view(const TernAny* tensor, void** data, size_t* bytes,
                                       int32_t* rank, const int64_t** shape, const char** dtype);
/* Number of items of a tuple or list (0 for anything else), and one of them as an owned value. */
TERN_API int32_t tern_tuple_size(const TernAny* value);
TERN_API tern_status* tern_tuple_get(const TernAny* value, int32_t index, TernAny* item);

/* -- Objects: strings, bytes, shapes, lists, maps, tuples
 *
 * `value` arguments may be any TernAny; one of another kind is an error that names both. What a
 * function makes is owned by the caller. Pointers into a value are good until it is released or
 * written; those into short text, which lies in the TernAny itself, as long as that TernAny stays
 * where it is. Reading is safe from several threads at once, writing is not. */

/* Objects that live now, of every kind: to find leaks by. */
TERN_API int64_t tern_live_objects(void);
/* What an inspector asks of a tensor; core/vm/debug/tensor_summary.h has the members of the JSON.
 * How it lies in memory. */
TERN_API tern_status* tern_tensor_layout(const TernAny* tensor, tern_buffer** json);
/* Over type, shape and elements, all of which it reads; equal for equal tensors. */
TERN_API tern_status* tern_tensor_hash(const TernAny* tensor, uint64_t* hash);
/* Statistics with a histogram, of its own range where low is not below high. */
TERN_API tern_status* tern_tensor_statistics(const TernAny* tensor, int32_t bins, double low,
                                             double high, tern_buffer** json);
/* A picture of at most most[0] x most[1] cells of the axes axes[0] (rows) and axes[1] (columns),
 * -1 for none, the others at `index`. *picture: rows and columns as int32, then four planes of
 * float: mean, lowest and highest finite element of each cell, and how many are not finite. */
TERN_API tern_status* tern_tensor_picture(const TernAny* tensor, const int32_t* axes,
                                          const int64_t* index, const int32_t* most,
                                          tern_buffer** picture);
/* A contiguous copy of counts[i] elements of each axis from starts[i] on. */
TERN_API tern_status* tern_tensor_window(const TernAny* tensor, const int64_t* starts,
                                         const int64_t* counts, TernAny* copy);
/* How far a is from b, of one type and shape: elements differ where |a - b| > atol + rtol * |b|. */
TERN_API tern_status* tern_tensor_compare(const TernAny* a, const TernAny* b, double atol,
                                          double rtol, tern_buffer** json);
/* The name of a value's type ("int", "tensor", "my.Type"). Static. */
TERN_API const char* tern_any_type_name(const TernAny* value);

/* UTF-8 text of size bytes; anything else is an error that says where. */
TERN_API tern_status* tern_string_new(const char* text, size_t size, TernAny* string);
/* Zero-terminated; size may be NULL. */
TERN_API tern_status* tern_string_view(const TernAny* string, const char** text, size_t* size);
TERN_API tern_status* tern_bytes_new(const void* data, size_t size, TernAny* bytes);
TERN_API tern_status* tern_bytes_view(const TernAny* bytes, const void** data, size_t* size);
TERN_API tern_status* tern_shape_new(const int64_t* extents, size_t rank, TernAny* shape);
TERN_API tern_status* tern_shape_view(const TernAny* shape, const int64_t** extents, size_t* rank);

/* A list of copies of `count` values (items may be NULL if count is 0). Everybody who holds a list
 * sees the writes of the others. */
TERN_API tern_status* tern_list_new(const TernAny* items, size_t count, TernAny* list);
TERN_API tern_status* tern_list_size(const TernAny* list, size_t* size);
TERN_API tern_status* tern_list_get(const TernAny* list, int64_t index, TernAny* item);
TERN_API tern_status* tern_list_set(const TernAny* list, int64_t index, const TernAny* item);
TERN_API tern_status* tern_list_push(const TernAny* list, const TernAny* item);
/* index may be the size of the list. */
TERN_API tern_status* tern_list_insert(const TernAny* list, int64_t index, const TernAny* item);
TERN_API tern_status* tern_list_erase(const TernAny* list, int64_t index);
TERN_API tern_status* tern_list_clear(const TernAny* list);
/* Another list of the same items. Also of an array, which itself cannot be written. */
TERN_API tern_status* tern_list_copy(const TernAny* list, TernAny* copy);

/* An empty map. Entries keep the order in which their keys came. */
TERN_API tern_status* tern_map_new(TernAny* map);
TERN_API tern_status* tern_map_size(const TernAny* map, size_t* size);
TERN_API tern_status* tern_map_contains(const TernAny* map, const TernAny* key, int32_t* found);
/* A key that is not there is an error ("not found"). */
TERN_API tern_status* tern_map_get(const TernAny* map, const TernAny* key, TernAny* value);
TERN_API tern_status* tern_map_set(const TernAny* map, const TernAny* key, const TernAny* value);
/* erased may be NULL. */
TERN_API tern_status* tern_map_erase(const TernAny* map, const TernAny* key, int32_t* erased);
/* New lists, in the same order. */
TERN_API tern_status* tern_map_keys(const TernAny* map, TernAny* list);
TERN_API tern_status* tern_map_values(const TernAny* map, TernAny* list);

/* A tuple, or with a tag other than 0 an ADT; read by tern_tuple_size and tern_tuple_get. */
TERN_API tern_status* tern_adt_new(int32_t tag, const TernAny* fields, size_t count, TernAny* adt);
TERN_API tern_status* tern_adt_tag(const TernAny* adt, int32_t* tag);

/* -- Whole graphs of values, and fields of registered types */

/* Whether two values are equal all the way down; difference (may be NULL) receives "path: what" of
 * the first place where they are not, or NULL. */
TERN_API tern_status* tern_any_equal(const TernAny* a, const TernAny* b, int32_t* equal,
                                     tern_buffer** difference);
/* Equal values have equal hashes, on every target. Graphs with cycles have none. */
TERN_API tern_status* tern_any_hash(const TernAny* value, uint64_t* hash);
/* A graph as JSON or as bytes, which read back to an equal graph; shared nodes stay shared. Cycles
 * and values that mean nothing elsewhere (functions, pointers) are errors that give the path. */
TERN_API tern_status* tern_graph_to_json(const TernAny* value, tern_buffer** json);
TERN_API tern_status* tern_graph_from_json(const char* json, size_t size, TernAny* value);
TERN_API tern_status* tern_graph_to_bytes(const TernAny* value, tern_buffer** bytes);
TERN_API tern_status* tern_graph_from_bytes(const void* bytes, size_t size, TernAny* value);
/* [{"name", "type", "doc"}]: the fields of an object's type; [] where it has none. */
TERN_API tern_status* tern_object_fields(const TernAny* object, tern_buffer** json);
TERN_API tern_status* tern_object_field(const TernAny* object, const char* name, TernAny* field);

/* -- Tensors and DLPack, without copying */

/* On success the tensor owns the import: its deleter is called once, when nothing uses the memory
 * any more. */
TERN_API tern_status* tern_tensor_from_dlpack(TernDLManagedTensorVersioned* managed,
                                              TernAny* tensor);
/* Shares the tensor's memory until the caller calls (*managed)->deleter(*managed). */
TERN_API tern_status* tern_tensor_to_dlpack(const TernAny* tensor,
                                            TernDLManagedTensorVersioned** managed);

/* -- Functions */

/* A C function under a name of its own; `call` finds `data` by tern_function_data(self). release
 * (may be NULL) is called with data when the function ends. signature is a text for people,
 * "(int, int) -> int", or NULL. */
TERN_API tern_status* tern_function_new(const char* name, const char* signature,
                                        TernPackedCall call, void* data,
                                        void (*release)(void* data), TernAny* function);
/* The `data` of a function made by tern_function_new; self is what a TernPackedCall gets. */
TERN_API void* tern_function_data(const void* self);
/* Puts a function into the process-wide table, under its name; a name that is taken is an error,
 * unless replace is not 0. Safe from several threads, as all of the table is. */
TERN_API tern_status* tern_function_register(const TernAny* function, int32_t replace);
/* By name, with attributes where it is an operator: "conv2d{strides=2,2}". */
TERN_API tern_status* tern_function_find(const char* name, TernAny* function);
/* An unknown name is an error. */
TERN_API tern_status* tern_function_remove(const char* name);
/* ["name", ...], sorted. */
TERN_API tern_status* tern_function_names(tern_buffer** json);
/* {"name", "signature", "needsContext"} */
TERN_API tern_status* tern_function_info(const TernAny* function, tern_buffer** json);
/* args are borrowed; *result is owned by the caller. The status of a failed call has the callee's
 * kind and message, and a note for each frame that it passed. Operators need a runtime, whose
 * memory and workers they use; for other functions it may be NULL. */
TERN_API tern_status* tern_function_call(tern_runtime* runtime, const TernAny* function,
                                         const TernAny* args, int32_t num_args, TernAny* result);
/* The same by the convention of packed calls: 0, or another number and *result is the Error, for
 * tern_error_... to look at. Not for operators. */
TERN_API int32_t tern_function_try(const TernAny* function, const TernAny* args, int32_t num_args,
                                   TernAny* result);

/* -- The older convention of four arrays (TernLegacyCall in core/abi/abi.h), both ways
 *
 * A bool travels as an int, short text as a string object, a tensor argument as its DLTensor; the
 * result is owned. A call that fails has the Error object as its result. */

/* A function compiled to that convention, as one that everybody can call. resource comes back in
 * every call; release (may be NULL) is called with it when the function ends. */
TERN_API tern_status* tern_function_new_legacy(const char* name, const char* signature,
                                               TernLegacyCall call, void* resource,
                                               void (*release)(void* resource), TernAny* function);
/* Any function, for a caller that knows nothing else. 0, or another number and the Error as the
 * result. Not for operators. */
TERN_API int32_t tern_call_legacy(const TernAny* function, const TernLegacyValue* values,
                                  const int32_t* type_codes, int32_t num_args,
                                  TernLegacyValue* result, int32_t* result_code);

/* -- Error objects: what packed calls fail with */

/* For the body of a TernPackedCall: `return tern_fail(result, kind, "what went wrong");`. kind as
 * in tern_status_kind (0 counts as 12, internal). */
TERN_API int32_t tern_fail(TernAny* result, int32_t kind, const char* message);
/* The same with an error made before, which it takes over: *error is none afterwards. */
TERN_API int32_t tern_fail_with(TernAny* result, TernAny* error);
TERN_API tern_status* tern_error_new(int32_t kind, const char* message, TernAny* error);
/* A new error that another one, which it shares, has caused. */
TERN_API tern_status* tern_error_wrap(int32_t kind, const char* message, const TernAny* cause,
                                      TernAny* error);
/* The error that caused this one, owned by the caller; none where there is none. */
TERN_API tern_status* tern_error_cause(const TernAny* error, TernAny* cause);
/* Everything for people: kind and message, then a line each for notes, frames and causes. */
TERN_API tern_status* tern_error_text(const TernAny* error, tern_buffer** text);
TERN_API tern_status* tern_error_kind(const TernAny* error, int32_t* kind);
/* Lives as long as the error; not zero-terminated. */
TERN_API tern_status* tern_error_message(const TernAny* error, const char** text, size_t* size);
/* Frames that the error passed, innermost first: [{"function", "pc"}], pc -1 outside of bytecode.
 */
TERN_API tern_status* tern_error_frames(const TernAny* error, tern_buffer** json);
/* Adds a frame on its way out; only for the sole holder. */
TERN_API tern_status* tern_error_add_frame(const TernAny* error, const char* function, int64_t pc);

/* -- Error codes */

/* The long text of an error code, NULL when there is no such code. Static. */
TERN_API const char* tern_explain(const char* code);

#ifdef __cplusplus
}
#endif

#endif /* TERN_CORE_API_C_API_H_ */
