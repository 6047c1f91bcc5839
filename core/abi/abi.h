/* SPDX-License-Identifier: Apache-2.0 */
/* The one true layout of everything that crosses a boundary of the runtime. C99, frozen per major
 * version.
 *
 * Every pointer lies in an 8-byte slot, so sizes and offsets are the same on 32- and 64-bit targets
 * (tests/abi asserts them). The C++ classes of core/object are views of these structs. The regions
 * between `[abi:…-begin]` and `[abi:…-end]` are quoted by the documentation.
 */
#ifndef TERN_CORE_ABI_ABI_H_
#define TERN_CORE_ABI_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TERN_ABI_MAJOR 1
#define TERN_ABI_MINOR 0

/* [abi:types-begin]
 * One code space for values and objects, in contiguous sections, so that a bound check classifies:
 *   S0  code <= 0     values held in the TernAny itself; none is 0, all others are negative, so
 *                     that zeroed memory is a valid "none" and `code > 0` means "a counted object"
 *   S1  1 ... 15      objects the smallest runtime knows
 *   S2  16 ... 31     boxed values; they are unboxed wherever they go into a TernAny
 *   S3  32 ... 127    objects of the library
 *   S4  128 ...       types registered at run time under a key, with a parent
 * A TernAny that holds an object stores the object's own code. Numbers are for ever; new values
 * continue S0 downwards, new objects their section upwards. core/object/types.def lists the keys.
 */
typedef int32_t TernTypeCode;
enum {
  TERN_TYPE_NONE = 0,           /* payload zero */
  TERN_TYPE_INT = -1,           /* i */
  TERN_TYPE_FLOAT = -2,         /* f */
  TERN_TYPE_BOOL = -3,          /* i: 0 or 1 */
  TERN_TYPE_OPAQUE = -4,        /* p: a pointer nobody owns */
  TERN_TYPE_OBJECT_HANDLE = -5, /* p: TernObject* without a reference, for foreign callers */
  TERN_TYPE_SMALL_STRING = -6,  /* bytes[0..small_len), small_len <= 7, zero-terminated */
  TERN_TYPE_SMALL_UCS4 = -7,    /* char32[0..small_len), small_len <= 2 */
  TERN_TYPE_RAW_STRING = -8,    /* p: const char*, borrowed; small_len bytes, 0: up to a zero */
  TERN_TYPE_DTYPE = -9,         /* dtype */
  TERN_TYPE_DEVICE = -10,       /* device */
  TERN_TYPE_RVALUE_REF = -11,   /* p: TernAny* whose object the callee may take */
  TERN_TYPE_DL_TENSOR = -12,    /* p: TernDLTensor*, borrowed; only in views */
  TERN_TYPE_PADDED = -13,       /* p: TernAny* with text too long for 16 bytes; only in views */
  TERN_TYPE_S0_LAST = -13,

  TERN_TYPE_S1_FIRST = 1,
  TERN_TYPE_MODULE = 1,
  TERN_TYPE_FUNCTION = 2,
  TERN_TYPE_TENSOR = 3,

  TERN_TYPE_S2_FIRST = 16,
  TERN_TYPE_BOX_INT = 16,
  TERN_TYPE_BOX_FLOAT = 17,
  TERN_TYPE_BOX_BOOL = 18,
  TERN_TYPE_BOX_OPAQUE = 19,
  TERN_TYPE_BOX_DTYPE = 20,
  TERN_TYPE_BOX_DEVICE = 21,

  TERN_TYPE_S3_FIRST = 32,
  TERN_TYPE_STRING = 32,
  TERN_TYPE_UCS4_STRING = 33,
  TERN_TYPE_BYTES = 34,
  TERN_TYPE_SHAPE = 35,
  TERN_TYPE_LIST = 36,
  TERN_TYPE_MAP = 37,
  TERN_TYPE_ADT = 38,
  TERN_TYPE_CLOSURE = 39,
  TERN_TYPE_STORAGE = 40,
  TERN_TYPE_ERROR = 41,

  TERN_TYPE_S4_FIRST = 128
};
/* [abi:types-end] */

/* [abi:dlpack-begin]
 * The structs of DLPack 1.x under names of our own, so that this header stands alone; tests/abi
 * compares them with <dlpack/dlpack.h>. Pointers to them may be cast either way. */
typedef struct TernDLDevice {
  int32_t device_type; /* 1 = CPU */
  int32_t device_id;
} TernDLDevice;

typedef struct TernDLDataType {
  uint8_t code; /* TERN_DTYPE_… */
  uint8_t bits;
  uint16_t lanes;
} TernDLDataType;

enum {
  TERN_DTYPE_INT = 0,
  TERN_DTYPE_UINT = 1,
  TERN_DTYPE_FLOAT = 2,
  TERN_DTYPE_OPAQUE = 3,
  TERN_DTYPE_BFLOAT = 4,
  TERN_DTYPE_COMPLEX = 5,
  TERN_DTYPE_BOOL = 6,
  TERN_DTYPE_FLOAT8_E4M3 = 10, /* DLPack's e4m3fn: no infinities, one NaN per sign */
  TERN_DTYPE_FLOAT8_E5M2 = 12,
  TERN_DTYPE_STRING = 200 /* ours: elements are TernAny strings; never exported through DLPack */
};

enum { TERN_DEVICE_CPU = 1 };

typedef struct TernDLTensor {
  void* data; /* of the storage; elements begin at data + byte_offset */
  TernDLDevice device;
  int32_t ndim;
  TernDLDataType dtype;
  int64_t* shape;
  int64_t* strides; /* in elements; NULL = contiguous, rows last */
  uint64_t byte_offset;
} TernDLTensor;

typedef struct TernDLVersion {
  uint32_t major;
  uint32_t minor;
} TernDLVersion;

enum { TERN_DLPACK_READ_ONLY = 1, TERN_DLPACK_IS_COPIED = 2 };

typedef struct TernDLManagedTensorVersioned {
  TernDLVersion version;
  void* manager_ctx;
  void (*deleter)(struct TernDLManagedTensorVersioned* self);
  uint64_t flags;
  TernDLTensor dl_tensor;
} TernDLManagedTensorVersioned;
/* [abi:dlpack-end] */

/* [abi:object-begin]
 * First 16 bytes of every object. The count is changed atomically where threads exist. The deleter
 * frees the object when the count reaches zero. */
typedef struct TernObject {
  TernTypeCode type_code; /* > 0 */
  int32_t ref_count;
  union {
    void (*call)(struct TernObject* self);
    uint64_t slot;
  } deleter;
} TernObject;
/* [abi:object-end] */

/* [abi:any-begin]
 * Any value: 16 bytes. Padding and unused payload bytes are zero, so that equal values of S0
 * compare equal as bytes. Where code > 0 the payload is `object`; an owning Any holds one
 * reference, a view none. Copy it as two 64-bit words.
 *
 * A padded value is a TernAny with N more 8-byte words right behind it, so that v.bytes goes on for
 * 8 + 8 N bytes (zero-terminated text of up to 7 + 8 N bytes, or 2 + 2 N code points). Empty, it
 * says so: type_code none, small_len = 8 + 8 N. A none with small_len 0 has the 8 bytes it has.
 * Readers of "none" look at type_code alone. A padded value that holds longer text than 16 bytes
 * can take is passed on as TERN_TYPE_PADDED, and boxed where it is kept in 16 bytes.
 *
 * The first 8 bytes tell a TernAny from a TernObject: code <= 0 is a TernAny; of positive codes,
 * small_len 0 is a TernAny that holds an object, anything else a TernObject and its count. */
typedef struct TernAny {
  TernTypeCode type_code;
  int32_t small_len; /* bytes or code points of small text; capacity of an empty padded value */
  union {
    int64_t i;
    double f;
    void* p;
    TernObject* object;
    char bytes[8];
    uint32_t char32[2];
    TernDLDataType dtype;
    TernDLDevice device;
  } v;
} TernAny;
/* [abi:any-end] */

/* [abi:box-begin]
 * A value as an object; the payload is that of the unboxed TernAny. */
typedef struct TernBox {
  TernObject header;
  union {
    int64_t i;
    double f;
    void* p;
    TernDLDataType dtype;
    TernDLDevice device;
  } v;
} TernBox;
/* [abi:box-end] */

/* [abi:call-begin]
 * The packed call. `self` is the TernFunction. Arguments are borrowed. On entry *result is none,
 * and its small_len may tell that longer text fits in place (see TernAny); on return 0 it holds an
 * owned value, otherwise an owned Error object. Never a C++ exception. A function whose flags have
 * TERN_FUNCTION_NEEDS_CONTEXT gets the caller's RunContext as args[0], an opaque pointer. One with
 * TERN_FUNCTION_MAKES_RESULTS returns what it computes; any other that is called with outputs
 * behind its arguments (invoke_packed) writes them itself. */
typedef int32_t (*TernPackedCall)(void* self, const TernAny* args, int32_t num_args,
                                  TernAny* result);

enum { TERN_FUNCTION_NEEDS_CONTEXT = 1, TERN_FUNCTION_MAKES_RESULTS = 2 };

typedef struct TernFunction {
  TernObject header;
  union {
    TernPackedCall pointer;
    uint64_t slot;
  } call;
  uint32_t flags;
  uint32_t reserved;
} TernFunction;
/* [abi:call-end] */

/* [abi:legacy-begin]
 * The older convention: arguments as two arrays, the result as two pointers. Converted both ways by
 * core/object/rfc97/legacy.h. Arguments are borrowed, the result is owned. */
typedef union TernLegacyValue {
  int64_t i;
  double f;
  void* p;
  const char* text;
  TernDLDataType dtype;
  TernDLDevice device;
} TernLegacyValue;

enum {
  TERN_LEGACY_INT = 0,
  TERN_LEGACY_UINT = 1,
  TERN_LEGACY_FLOAT = 2,
  TERN_LEGACY_HANDLE = 3,
  TERN_LEGACY_NULL = 4,
  TERN_LEGACY_DTYPE = 5,
  TERN_LEGACY_DEVICE = 6,
  TERN_LEGACY_DL_TENSOR = 7,
  TERN_LEGACY_OBJECT = 8,
  TERN_LEGACY_MODULE = 9,
  TERN_LEGACY_FUNCTION = 10,
  TERN_LEGACY_STRING = 11, /* const char*, zero-terminated */
  TERN_LEGACY_BYTES = 12,
  TERN_LEGACY_TENSOR = 13,
  TERN_LEGACY_RVALUE_REF = 14 /* TernObject**; set to null by a callee that takes the object */
};

typedef int32_t (*TernLegacyCall)(const TernLegacyValue* values, const int32_t* type_codes,
                                  int32_t num_args, TernLegacyValue* result, int32_t* result_code,
                                  void* resource);
/* [abi:legacy-end] */

/* [abi:tensor-begin]
 * A tensor object: a DLPack tensor and what keeps its memory alive. shape and strides point behind
 * the struct. TERN_TENSOR_READ_ONLY marks constants and read-only imports: writers must refuse. */
enum { TERN_TENSOR_READ_ONLY = 1 };

typedef struct TernTensor {
  TernObject header;
  union {
    TernDLTensor tensor;
    uint64_t slots[6];
  } dl;
  union {
    TernObject* object; /* a Storage or any other keeper of the memory; NULL where manager is set */
    uint64_t slot;
  } owner;
  union {
    TernDLManagedTensorVersioned* pointer; /* an import: its deleter runs exactly once */
    uint64_t slot;
  } manager;
  uint64_t flags;
} TernTensor;
/* [abi:tensor-end] */

/* [abi:shape-begin] Followed by size int64 values. */
typedef struct TernShape {
  TernObject header;
  uint64_t size;
} TernShape;
/* [abi:shape-end] */

/* [abi:string-begin] Followed by size bytes (of UCS4: 4-byte units) and a zero. Also BYTES. */
typedef struct TernString {
  TernObject header;
  uint64_t size;
} TernString;
/* [abi:string-end] */

/* [abi:adt-begin] Followed by size TernAny fields. Tag 0 is the tuple. */
typedef struct TernAdt {
  TernObject header;
  int32_t tag;
  uint32_t size;
} TernAdt;
/* [abi:adt-end] */

/* [abi:closure-begin] Followed by size TernAny free variables. */
typedef struct TernClosure {
  TernObject header;
  uint32_t function_index;
  uint32_t size;
} TernClosure;
/* [abi:closure-end] */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TERN_CORE_ABI_ABI_H_ */
