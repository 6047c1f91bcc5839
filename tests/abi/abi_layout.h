/* SPDX-License-Identifier: Apache-2.0 */
/* Every size and offset that core/abi/abi.h promises. TERN_ASSERT(condition) is defined by the
 * including file. */
TERN_ASSERT(sizeof(TernAny) == 16);
TERN_ASSERT(offsetof(TernAny, type_code) == 0);
TERN_ASSERT(offsetof(TernAny, small_len) == 4);
TERN_ASSERT(offsetof(TernAny, v) == 8);

TERN_ASSERT(sizeof(TernObject) == 16);
TERN_ASSERT(offsetof(TernObject, type_code) == 0);
TERN_ASSERT(offsetof(TernObject, ref_count) == 4);
TERN_ASSERT(offsetof(TernObject, deleter) == 8);

TERN_ASSERT(sizeof(TernBox) == 24 && offsetof(TernBox, v) == 16);

TERN_ASSERT(sizeof(TernFunction) == 32);
TERN_ASSERT(offsetof(TernFunction, call) == 16);
TERN_ASSERT(offsetof(TernFunction, flags) == 24);

TERN_ASSERT(sizeof(TernLegacyValue) == 8);

TERN_ASSERT(sizeof(TernTensor) == 88);
TERN_ASSERT(offsetof(TernTensor, dl) == 16);
TERN_ASSERT(offsetof(TernTensor, owner) == 64);
TERN_ASSERT(offsetof(TernTensor, manager) == 72);
TERN_ASSERT(offsetof(TernTensor, flags) == 80);

TERN_ASSERT(sizeof(TernShape) == 24 && offsetof(TernShape, size) == 16);
TERN_ASSERT(sizeof(TernString) == 24 && offsetof(TernString, size) == 16);
TERN_ASSERT(sizeof(TernAdt) == 24 && offsetof(TernAdt, tag) == 16 && offsetof(TernAdt, size) == 20);
TERN_ASSERT(sizeof(TernClosure) == 24 && offsetof(TernClosure, function_index) == 16);
TERN_ASSERT(offsetof(TernClosure, size) == 20);

TERN_ASSERT(sizeof(TernDLDevice) == 8 && sizeof(TernDLDataType) == 4 && sizeof(TernDLVersion) == 8);
#if UINTPTR_MAX > 0xFFFFFFFFu
TERN_ASSERT(sizeof(TernDLTensor) == 48 && offsetof(TernDLTensor, byte_offset) == 40);
TERN_ASSERT(offsetof(TernDLManagedTensorVersioned, dl_tensor) == 32);
#else
TERN_ASSERT(sizeof(TernDLTensor) == 40 && offsetof(TernDLTensor, byte_offset) == 32);
TERN_ASSERT(offsetof(TernDLManagedTensorVersioned, dl_tensor) == 24);
#endif

/* Sections are contiguous, none is zero, everything else of S0 is negative. */
TERN_ASSERT(TERN_TYPE_NONE == 0 && TERN_TYPE_S0_LAST == TERN_TYPE_PADDED);
TERN_ASSERT(TERN_TYPE_INT < 0 && TERN_TYPE_DL_TENSOR < 0);
TERN_ASSERT(TERN_TYPE_S1_FIRST > 0 && TERN_TYPE_MODULE == TERN_TYPE_S1_FIRST);
TERN_ASSERT(TERN_TYPE_TENSOR < TERN_TYPE_S2_FIRST && TERN_TYPE_BOX_INT == TERN_TYPE_S2_FIRST);
TERN_ASSERT(TERN_TYPE_BOX_DEVICE < TERN_TYPE_S3_FIRST && TERN_TYPE_STRING == TERN_TYPE_S3_FIRST);
TERN_ASSERT(TERN_TYPE_ERROR < TERN_TYPE_S4_FIRST);
