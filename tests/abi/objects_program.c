/* SPDX-License-Identifier: Apache-2.0 */
/* A program in C99 that uses the object model through core/api/c_api.h alone: strings, lists, maps,
 * tuples, tensors with DLPack, functions called by name and registered, errors read. Prints what
 * fails and `N passed, N failed`; the exit code is the verdict. */
#include <stdio.h>
#include <string.h>

#include "core/api/c_api.h"

static int g_passed = 0;
static int g_failed = 0;

static void Expect(int ok, const char* what, int line) {
  if (ok) {
    ++g_passed;
  } else {
    ++g_failed;
    printf("objects_program.c:%d: %s\n", line, what);
  }
}
#define EXPECT(condition) Expect((condition) != 0, #condition, __LINE__)

/* Whether the call went well; says why not. */
static int Ok(tern_status* status) {
  if (status == NULL) return 1;
  printf("  %s\n", tern_status_text(status));
  tern_status_free(status);
  return 0;
}

/* Whether the call failed, with these words in its message. */
static int Fails(tern_status* status, const char* words) {
  int found;
  if (status == NULL) return 0;
  found = strstr(tern_status_message(status), words) != NULL;
  if (!found) printf("  %s\n", tern_status_message(status));
  tern_status_free(status);
  return found;
}

static TernAny Int(int64_t value) {
  TernAny any = {0, 0, {0}};
  any.type_code = TERN_TYPE_INT;
  any.v.i = value;
  return any;
}

static TernAny None(void) {
  const TernAny none = {0, 0, {0}};
  return none;
}

static TernAny Raw(const char* text) {
  TernAny any = {0, 0, {0}};
  any.type_code = TERN_TYPE_RAW_STRING;
  any.v.p = (void*)text;
  return any;
}

static int IsText(const TernAny* value, const char* expected) {
  const char* text;
  size_t size;
  if (!Ok(tern_string_view(value, &text, &size))) return 0;
  return size == strlen(expected) && strcmp(text, expected) == 0;
}

static void Strings(void) {
  const char* text;
  const void* data;
  size_t size = 0;
  TernAny shorter, longer, number = Int(3);
  EXPECT(Ok(tern_string_new("seven77", 7, &shorter)));
  EXPECT(shorter.type_code == TERN_TYPE_SMALL_STRING);
  EXPECT(IsText(&shorter, "seven77"));
  EXPECT(Ok(tern_string_new("a text that lies on the heap", 28, &longer)));
  EXPECT(longer.type_code == TERN_TYPE_STRING);
  EXPECT(IsText(&longer, "a text that lies on the heap"));
  EXPECT(strcmp(tern_any_type_name(&longer), "string") == 0);
  tern_any_release(&longer);
  EXPECT(longer.type_code == TERN_TYPE_NONE);
  EXPECT(Ok(tern_bytes_new("a\0\xFF", 3, &longer)));
  EXPECT(Ok(tern_bytes_view(&longer, &data, &size)) && size == 3 &&
         memcmp(data, "a\0\xFF", 3) == 0);
  EXPECT(Fails(tern_string_view(&longer, &text, NULL), "expected string, got bytes"));
  EXPECT(Fails(tern_bytes_view(&shorter, &data, &size), "expected bytes, got string"));
  tern_any_release(&longer);
  EXPECT(Fails(tern_string_new("ab\xFF", 3, &longer), "not UTF-8 from byte 2"));
  EXPECT(Fails(tern_string_view(&number, &text, NULL), "expected string, got int 3"));
}

static void Lists(void) {
  TernAny items[3], list, copy, item;
  size_t size = 0;
  items[0] = Int(1);
  items[1] = Raw("two");
  items[2] = None();
  EXPECT(Ok(tern_list_new(items, 3, &list)));
  EXPECT(Ok(tern_list_push(&list, &items[1])));
  EXPECT(Ok(tern_list_insert(&list, 0, &list))); /* a list may hold itself */
  EXPECT(Ok(tern_list_erase(&list, 0)));
  EXPECT(Ok(tern_list_copy(&list, &copy)));
  EXPECT(Ok(tern_list_set(&list, 0, &items[1])));
  EXPECT(Ok(tern_list_size(&list, &size)) && size == 4);
  EXPECT(Ok(tern_list_get(&list, 0, &item)) && IsText(&item, "two"));
  EXPECT(Ok(tern_list_get(&copy, 0, &item)) && item.type_code == TERN_TYPE_INT && item.v.i == 1);
  EXPECT(Fails(tern_list_get(&list, 4, &item), "index 4 of a list of 4 items"));
  EXPECT(Fails(tern_list_set(&list, -1, &item), "index -1"));
  EXPECT(Fails(tern_list_push(&items[0], &item), "expected list, got int 1"));
  EXPECT(Ok(tern_list_clear(&list)) && Ok(tern_list_size(&list, &size)) && size == 0);
  tern_any_release(&list);
  tern_any_release(&copy);
}

static void Maps(void) {
  TernAny map, key = Raw("a key of some length"), other = Raw("x"), one = Int(1), two = Int(2);
  TernAny value, keys;
  size_t size = 0;
  int32_t flag = -1;
  EXPECT(Ok(tern_map_new(&map)));
  EXPECT(Ok(tern_map_set(&map, &key, &one)) && Ok(tern_map_set(&map, &two, &key)));
  EXPECT(Ok(tern_map_set(&map, &key, &two)));
  EXPECT(Ok(tern_map_size(&map, &size)) && size == 2);
  EXPECT(Ok(tern_map_get(&map, &key, &value)) && value.v.i == 2);
  EXPECT(Ok(tern_map_contains(&map, &other, &flag)) && flag == 0);
  EXPECT(Fails(tern_map_get(&map, &other, &value), "no key \"x\" in a map of 2 entries"));
  EXPECT(Ok(tern_map_keys(&map, &keys)));
  EXPECT(Ok(tern_list_get(&keys, 0, &value)) && IsText(&value, "a key of some length"));
  tern_any_release(&value);
  tern_any_release(&keys);
  EXPECT(Ok(tern_map_values(&map, &keys)) && Ok(tern_list_get(&keys, 0, &value)));
  EXPECT(value.v.i == 2);
  tern_any_release(&keys);
  EXPECT(Ok(tern_map_erase(&map, &two, &flag)) && flag == 1);
  EXPECT(Ok(tern_map_erase(&map, &two, &flag)) && flag == 0);
  EXPECT(Fails(tern_map_set(&one, &one, &one), "expected map, got int 1"));
  tern_any_release(&map);
}

static void TuplesAndShapes(void) {
  TernAny fields[2], tuple, shape, field;
  const int64_t extents[2] = {2, 3};
  const int64_t* seen;
  size_t rank = 0;
  int32_t tag = -1;
  fields[0] = Int(7);
  fields[1] = Raw("seven");
  EXPECT(Ok(tern_adt_new(0, fields, 2, &tuple)) && Ok(tern_adt_tag(&tuple, &tag)) && tag == 0);
  EXPECT(tern_tuple_size(&tuple) == 2);
  EXPECT(Ok(tern_tuple_get(&tuple, 1, &field)) && IsText(&field, "seven"));
  EXPECT(Fails(tern_tuple_get(&tuple, 2, &field), "item 2"));
  tern_any_release(&tuple);
  EXPECT(Ok(tern_shape_new(extents, 2, &shape)));
  EXPECT(Ok(tern_shape_view(&shape, &seen, &rank)) && rank == 2 && seen[1] == 3);
  EXPECT(Fails(tern_adt_tag(&shape, &tag), "expected adt, got shape"));
  tern_any_release(&shape);
}

static int g_deleted = 0;
static void CountDelete(TernDLManagedTensorVersioned* self) {
  (void)self;
  ++g_deleted;
}

static void Tensors(tern_runtime* runtime) {
  float data[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3};
  TernDLManagedTensorVersioned import, *shared;
  TernAny tensor, made;
  void* seen;
  memset(&import, 0, sizeof import);
  import.version.major = 1;
  import.deleter = &CountDelete;
  import.dl_tensor.data = data;
  import.dl_tensor.device.device_type = TERN_DEVICE_CPU;
  import.dl_tensor.ndim = 2;
  import.dl_tensor.dtype.code = TERN_DTYPE_FLOAT;
  import.dl_tensor.dtype.bits = 32;
  import.dl_tensor.dtype.lanes = 1;
  import.dl_tensor.shape = shape;
  EXPECT(Ok(tern_tensor_from_dlpack(&import, &tensor)));
  EXPECT(Ok(tern_tensor_view(&tensor, &seen, NULL, NULL, NULL, NULL)) && seen == data);
  EXPECT(Ok(tern_tensor_to_dlpack(&tensor, &shared)) && shared->dl_tensor.data == data);
  tern_any_release(&tensor);
  EXPECT(g_deleted == 0); /* the export still uses the memory */
  shared->deleter(shared);
  EXPECT(g_deleted == 1);
  import.version.major = 9;
  EXPECT(Fails(tern_tensor_from_dlpack(&import, &tensor), "DLPack version 9"));
  EXPECT(Fails(tern_tensor_from_dlpack(NULL, &tensor), "null"));
  EXPECT(Ok(tern_tensor_new(runtime, "f32", 2, shape, &made)));
  EXPECT(made.type_code == TERN_TYPE_TENSOR);
  tern_any_release(&made);
  EXPECT(Fails(tern_tensor_to_dlpack(&made, &shared), "expected tensor, got none"));
}

/* Divides; the count behind `data` says how often it was called. */
static int32_t Divide(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
  ++*(int*)tern_function_data(self);
  if (num_args != 2 || args[0].type_code != TERN_TYPE_INT || args[1].type_code != TERN_TYPE_INT)
    return tern_fail(result, 2, "test.divide takes (int, int)");
  if (args[1].v.i == 0) return tern_fail(result, 1, "test.divide: division by zero");
  *result = Int(args[0].v.i / args[1].v.i);
  return 0;
}
static void Released(void* data) { *(int*)data += 100; }

/* Caller and callee both in C. */
static void D29FunctionsByName(void) {
  int calls = 0;
  TernAny function, found, args[2], result = None();
  tern_buffer* json;
  args[0] = Int(42);
  args[1] = Int(6);
  EXPECT(Ok(tern_function_new("test.divide", "(int, int) -> int", &Divide, &calls, &Released,
                              &function)));
  EXPECT(Ok(tern_function_register(&function, 0)));
  EXPECT(Fails(tern_function_register(&function, 0), "'test.divide' is registered already"));
  EXPECT(Ok(tern_function_register(&function, 1)));
  tern_any_release(&function);

  EXPECT(Ok(tern_function_find("test.divide", &found)));
  EXPECT(Ok(tern_function_call(NULL, &found, args, 2, &result)) && result.v.i == 7);
  EXPECT(calls == 1);
  EXPECT(Ok(tern_function_info(&found, &json)));
  EXPECT(strstr(tern_buffer_data(json), "\"(int, int) -> int\"") != NULL);
  tern_buffer_free(json);
  EXPECT(Ok(tern_function_names(&json)));
  EXPECT(strstr(tern_buffer_data(json), "\"test.divide\"") != NULL);
  tern_buffer_free(json);
  EXPECT(Fails(tern_function_call(NULL, &found, args, 1, &result), "takes (int, int)"));
  EXPECT(Fails(tern_function_call(NULL, &args[0], args, 1, &result), "expected function"));
  EXPECT(Fails(tern_function_find("test.no_such", &function), "test.no_such"));
  EXPECT(Fails(tern_function_new("x", NULL, NULL, NULL, NULL, &function), "without a body"));

  EXPECT(Ok(tern_function_remove("test.divide")));
  EXPECT(Fails(tern_function_remove("test.divide"), "no function 'test.divide'"));
  EXPECT(calls == 2);
  tern_any_release(&found);
  EXPECT(calls == 102); /* released once, after the last holder */
}

/* Gives its argument back. */
static int32_t Echo(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
  (void)self;
  if (num_args != 1) return tern_fail(result, 1, "test.echo takes one argument");
  *result = args[0];
  tern_any_retain(result);
  return 0;
}

static void D16EveryKindCrossesACall(void) {
  TernAny echo, values[10], result;
  int i;
  memset(values, 0, sizeof values);
  values[1] = Int(INT64_MIN);
  values[2].type_code = TERN_TYPE_FLOAT;
  values[2].v.f = 0.1;
  values[3].type_code = TERN_TYPE_BOOL;
  values[3].v.i = 1;
  values[4].type_code = TERN_TYPE_OPAQUE;
  values[4].v.p = &echo;
  values[5].type_code = TERN_TYPE_SMALL_UCS4;
  values[5].small_len = 2;
  values[5].v.char32[0] = 0x1F600;
  values[5].v.char32[1] = 'a';
  values[6].type_code = TERN_TYPE_DTYPE;
  values[6].v.dtype.bits = 32;
  values[6].v.dtype.lanes = 4;
  values[7].type_code = TERN_TYPE_DEVICE;
  values[7].v.device.device_type = TERN_DEVICE_CPU;
  values[7].v.device.device_id = 3;
  EXPECT(Ok(tern_string_new("short", 5, &values[8])));
  EXPECT(Ok(tern_string_new("a text that lies on the heap", 28, &values[9])));
  EXPECT(Ok(tern_function_new("test.echo", NULL, &Echo, NULL, NULL, &echo)));
  for (i = 0; i < 10; ++i) {
    EXPECT(Ok(tern_function_call(NULL, &echo, &values[i], 1, &result)));
    EXPECT(memcmp(&result, &values[i], sizeof result) == 0);
    tern_any_release(&result);
  }
  tern_any_release(&values[9]);
  tern_any_release(&echo);
}

static void Errors(void) {
  int calls = 0;
  TernAny function, args[2], error = None();
  const char* text;
  size_t size;
  int32_t kind = 0;
  tern_buffer* frames;
  tern_status* status;
  args[0] = Int(1);
  args[1] = Int(0);
  EXPECT(Ok(tern_function_new("test.divide", NULL, &Divide, &calls, NULL, &function)));
  EXPECT(tern_function_try(&function, args, 2, &error) != 0);
  EXPECT(error.type_code == TERN_TYPE_ERROR);
  EXPECT(Ok(tern_error_kind(&error, &kind)) && kind == 1);
  EXPECT(Ok(tern_error_message(&error, &text, &size)) && size == 29);
  EXPECT(strncmp(text, "test.divide: division by zero", size) == 0);
  EXPECT(Ok(tern_error_add_frame(&error, "main", 12)));
  EXPECT(Ok(tern_error_frames(&error, &frames)));
  EXPECT(strcmp(tern_buffer_data(frames), "[{\"function\":\"main\",\"pc\":12}]") == 0);
  tern_buffer_free(frames);
  EXPECT(Fails(tern_error_kind(&args[0], &kind), "expected error, got int 1"));
  tern_any_release(&error);

  status = tern_function_call(NULL, &function, args, 2, &error);
  EXPECT(tern_status_kind(status) == 1);
  EXPECT(strcmp(tern_status_message(status), "test.divide: division by zero") == 0);
  tern_status_free(status);
  EXPECT(tern_function_try(&args[0], args, 2, &error) != 0); /* not a function */
  tern_any_release(&error);
  tern_any_release(&function);
}

/* Gives its error a cause, as a callee that knows more does. */
static int32_t Load(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
  TernAny cause, error;
  (void)self;
  (void)args;
  (void)num_args;
  if (!Ok(tern_error_new(4, "no file 'a.bin'", &cause))) return tern_fail(result, 12, "?");
  if (!Ok(tern_error_wrap(11, "the model cannot be loaded", &cause, &error)))
    return tern_fail(result, 12, "?");
  tern_any_release(&cause); /* the error shares it */
  return tern_fail_with(result, &error);
}

static void ErrorsWithCauses(void) {
  TernAny function, error, cause, none, number = Int(3);
  tern_buffer* text;
  tern_status* status;
  int32_t kind = 0;
  EXPECT(Ok(tern_function_new("test.load", NULL, &Load, NULL, NULL, &function)));
  EXPECT(tern_function_try(&function, NULL, 0, &error) == 11);
  EXPECT(Ok(tern_error_add_frame(&error, "main", 12)));
  EXPECT(Ok(tern_error_text(&error, &text)));
  EXPECT(strcmp(tern_buffer_data(text),
                "failed: the model cannot be loaded\n"
                "  note: in main at pc 12\n"
                "  note: caused by: not found: no file 'a.bin'") == 0);
  tern_buffer_free(text);
  EXPECT(Ok(tern_error_cause(&error, &cause)) && cause.type_code == TERN_TYPE_ERROR);
  EXPECT(Ok(tern_error_kind(&cause, &kind)) && kind == 4);
  EXPECT(Ok(tern_error_cause(&cause, &none)) && none.type_code == TERN_TYPE_NONE);
  EXPECT(Ok(tern_graph_to_json(&error, &text)));
  EXPECT(strstr(tern_buffer_data(text), "no file 'a.bin'") != NULL);
  EXPECT(Ok(tern_graph_from_json(tern_buffer_data(text), tern_buffer_size(text), &none)));
  EXPECT(Ok(tern_any_equal(&error, &none, &kind, NULL)) && kind == 1);
  tern_any_release(&none);
  tern_buffer_free(text);
  tern_any_release(&error);
  tern_any_release(&cause); /* it outlives what it caused */
  status = tern_function_call(NULL, &function, NULL, 0, &error);
  EXPECT(strstr(tern_status_text(status), "caused by: not found: no file 'a.bin'") != NULL);
  tern_status_free(status);
  tern_any_release(&function);

  EXPECT(Fails(tern_error_wrap(1, "x", &number, &error), "expected error, got int 3"));
  EXPECT(Fails(tern_error_cause(&number, &cause), "expected error, got int 3"));
  EXPECT(Fails(tern_error_text(&number, &text), "expected error, got int 3"));
  EXPECT(tern_fail_with(&error, &number) != 0); /* no error to fail with is one too */
  EXPECT(error.type_code == TERN_TYPE_ERROR && number.type_code == TERN_TYPE_NONE);
  tern_any_release(&error);
}

/* Compiled to the older convention: the sum of ints and floats, plus what `resource` holds. */
static int32_t LegacySum(const TernLegacyValue* values, const int32_t* type_codes, int32_t num_args,
                         TernLegacyValue* result, int32_t* result_code, void* resource) {
  double sum = *(const double*)resource;
  int32_t i;
  for (i = 0; i < num_args; ++i) {
    if (type_codes[i] == TERN_LEGACY_INT)
      sum += (double)values[i].i;
    else if (type_codes[i] == TERN_LEGACY_FLOAT)
      sum += values[i].f;
    else
      return -1;
  }
  result->f = sum;
  *result_code = TERN_LEGACY_FLOAT;
  return 0;
}
/* Gives an object that it got back, with a reference of its own. */
static int32_t LegacyEcho(const TernLegacyValue* values, const int32_t* type_codes,
                          int32_t num_args, TernLegacyValue* result, int32_t* result_code,
                          void* resource) {
  TernAny any = None();
  *(int32_t*)resource = type_codes[0];
  if (num_args != 1 || type_codes[0] != TERN_LEGACY_OBJECT) return 7;
  any.type_code = ((TernObject*)values[0].p)->type_code;
  any.v.object = (TernObject*)values[0].p;
  tern_any_retain(&any);
  *result = values[0];
  *result_code = type_codes[0];
  return 0;
}
static void ReleaseDouble(void* resource) { *(double*)resource = -1; }

/* A function of the older convention, called as one of today. */
static void D30LegacyFunctionsCalledAsNew(void) {
  double base = 10;
  int32_t seen = -1;
  TernAny sum, echo, args[2], result = None();
  EXPECT(Ok(tern_function_new_legacy("test.sum", "(...) -> float", &LegacySum, &base,
                                     &ReleaseDouble, &sum)));
  args[0] = Int(4);
  args[1] = None();
  args[1].type_code = TERN_TYPE_FLOAT;
  args[1].v.f = 0.5;
  EXPECT(Ok(tern_function_call(NULL, &sum, args, 2, &result)));
  EXPECT(result.type_code == TERN_TYPE_FLOAT && result.v.f == 14.5);
  args[0] = Raw("text");
  EXPECT(Fails(tern_function_call(NULL, &sum, args, 1, &result), "test.sum: failed with code -1"));
  EXPECT(base == 10);
  tern_any_release(&sum);
  EXPECT(base == -1); /* released with the function */

  EXPECT(Ok(tern_function_new_legacy("test.echo", NULL, &LegacyEcho, &seen, NULL, &echo)));
  EXPECT(Ok(tern_string_new("short", 5, &args[0])));
  EXPECT(Ok(tern_function_call(NULL, &echo, args, 1, &result)));
  EXPECT(seen == TERN_LEGACY_OBJECT); /* boxed, as that convention has no text in place */
  EXPECT(IsText(&result, "short"));
  tern_any_release(&result);
  tern_any_release(&echo);
  EXPECT(Fails(tern_function_new_legacy("x", NULL, NULL, NULL, NULL, &echo), "without a body"));
}

/* Takes what is behind a legacy result that holds an object. */
static TernAny TakeLegacyObject(TernLegacyValue value) {
  TernAny any = None();
  any.type_code = ((TernObject*)value.p)->type_code;
  any.v.object = (TernObject*)value.p;
  return any;
}

/* A function of today, called by a caller of the older convention. */
static void D30NewFunctionsCalledAsLegacy(void) {
  int calls = 0;
  TernAny divide, number = Int(3), error;
  TernLegacyValue values[2], result;
  int32_t codes[2] = {TERN_LEGACY_INT, TERN_LEGACY_UINT};
  int32_t result_code = -1, kind = 0;
  EXPECT(Ok(tern_function_new("test.divide", NULL, &Divide, &calls, NULL, &divide)));
  values[0].i = 42;
  values[1].i = 6;
  EXPECT(tern_call_legacy(&divide, values, codes, 2, &result, &result_code) == 0);
  EXPECT(result_code == TERN_LEGACY_INT && result.i == 7);

  values[1].i = 0;
  EXPECT(tern_call_legacy(&divide, values, codes, 2, &result, &result_code) == 1);
  EXPECT(result_code == TERN_LEGACY_OBJECT);
  error = TakeLegacyObject(result);
  EXPECT(Ok(tern_error_kind(&error, &kind)) && kind == 1);
  tern_any_release(&error);

  codes[1] = 99;
  EXPECT(tern_call_legacy(&divide, values, codes, 2, &result, &result_code) != 0);
  error = TakeLegacyObject(result);
  EXPECT(Fails(tern_error_kind(&number, &kind), "expected error"));
  EXPECT(Ok(tern_error_kind(&error, &kind)) && kind == 2);
  tern_any_release(&error);
  EXPECT(calls == 2); /* not called with what cannot be converted */

  EXPECT(tern_call_legacy(&number, values, codes, 2, &result, &result_code) != 0);
  error = TakeLegacyObject(result);
  tern_any_release(&error);
  EXPECT(tern_call_legacy(&divide, NULL, codes, 2, &result, &result_code) != 0);
  error = TakeLegacyObject(result);
  tern_any_release(&error);
  EXPECT(tern_call_legacy(&divide, values, codes, -1, &result, &result_code) != 0);
  error = TakeLegacyObject(result);
  tern_any_release(&error);
  tern_any_release(&divide);
}

/* What docs/objects.md shows. */
/* [doc:c-begin] */
/* length(list) -> int */
static int32_t Length(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
  size_t size = 0;
  (void)self;
  if (num_args != 1 || args[0].type_code != TERN_TYPE_LIST)
    return tern_fail(result, 2, "length takes a list");
  tern_status_free(tern_list_size(&args[0], &size));
  *result = Int((int64_t)size);
  return 0;
}

static void UseLength(void) {
  TernAny items[2], list, length, result;
  items[0] = Int(1); /* a struct of 16 bytes: type code and value */
  items[1] = Raw("two");
  EXPECT(Ok(tern_list_new(items, 2, &list)));
  EXPECT(Ok(tern_function_new("length", "(list) -> int", &Length, NULL, NULL, &length)));
  EXPECT(Ok(tern_function_register(&length, 0))); /* for everybody, under its name */
  tern_any_release(&length);

  EXPECT(Ok(tern_function_find("length", &length)));
  EXPECT(Ok(tern_function_call(NULL, &length, &list, 1, &result)) && result.v.i == 2);
  EXPECT(Fails(tern_function_call(NULL, &length, items, 1, &result), "length takes a list"));
  tern_any_release(&length);
  tern_any_release(&list);
  EXPECT(Ok(tern_function_remove("length")));
}
/* [doc:c-end] */

static void Graphs(void) {
  TernAny items[2], list, copy, map, key = Raw("k");
  tern_buffer* buffer;
  int32_t equal = -1;
  uint64_t hash = 0, other = 1;
  items[0] = Int(1);
  items[1] = Raw("a text of some length");
  EXPECT(Ok(tern_list_new(items, 2, &list)) && Ok(tern_map_new(&map)));
  EXPECT(Ok(tern_map_set(&map, &key, &list)) && Ok(tern_map_set(&map, &items[0], &list)));
  EXPECT(Ok(tern_graph_to_json(&map, &buffer)));
  EXPECT(Ok(tern_graph_from_json(tern_buffer_data(buffer), tern_buffer_size(buffer), &copy)));
  tern_buffer_free(buffer);
  EXPECT(Ok(tern_any_equal(&map, &copy, &equal, NULL)) && equal == 1);
  EXPECT(Ok(tern_any_hash(&map, &hash)) && Ok(tern_any_hash(&copy, &other)) && hash == other);
  tern_any_release(&copy);
  EXPECT(Ok(tern_graph_to_bytes(&map, &buffer)));
  EXPECT(Ok(tern_graph_from_bytes(tern_buffer_data(buffer), tern_buffer_size(buffer), &copy)));
  EXPECT(Fails(tern_graph_from_bytes(tern_buffer_data(buffer), 3, &list), ""));
  tern_buffer_free(buffer);
  EXPECT(Ok(tern_map_set(&copy, &key, &items[0])));
  EXPECT(Ok(tern_any_equal(&map, &copy, &equal, &buffer)) && equal == 0);
  EXPECT(strstr(tern_buffer_data(buffer), "\"k\"") != NULL);
  tern_buffer_free(buffer);
  tern_any_release(&copy);
  EXPECT(Fails(tern_graph_from_json("[1, ", 4, &copy), ""));
  EXPECT(Ok(tern_list_push(&list, &list)) && Fails(tern_graph_to_json(&list, &buffer), "cycle"));
  EXPECT(Ok(tern_list_clear(&list)));
  EXPECT(Ok(tern_object_fields(&list, &buffer)));
  EXPECT(strcmp(tern_buffer_data(buffer), "[]") == 0);
  tern_buffer_free(buffer);
  EXPECT(Fails(tern_object_fields(&items[0], &buffer), "expected an object, got int 1"));
  EXPECT(Fails(tern_object_field(&list, "radius", &copy), ""));
  tern_any_release(&list);
  tern_any_release(&map);
}

/* An operator by name, on tensors. */
static void Operators(tern_runtime* runtime) {
  TernAny function, args[2], sum = None();
  const int64_t shape[1] = {3};
  float *a, *b, *c;
  int i;
  EXPECT(Ok(tern_function_find("add", &function)));
  EXPECT(Ok(tern_tensor_new(runtime, "f32", 1, shape, &args[0])));
  EXPECT(Ok(tern_tensor_new(runtime, "f32", 1, shape, &args[1])));
  EXPECT(Ok(tern_tensor_view(&args[0], (void**)&a, NULL, NULL, NULL, NULL)));
  EXPECT(Ok(tern_tensor_view(&args[1], (void**)&b, NULL, NULL, NULL, NULL)));
  for (i = 0; i < 3; ++i) {
    a[i] = (float)i;
    b[i] = 10.0f;
  }
  EXPECT(Ok(tern_function_call(runtime, &function, args, 2, &sum)));
  EXPECT(Ok(tern_tensor_view(&sum, (void**)&c, NULL, NULL, NULL, NULL)));
  EXPECT(c[0] == 10.0f && c[2] == 12.0f);
  EXPECT(Fails(tern_function_call(NULL, &function, args, 2, &sum), "context"));
  tern_any_release(&sum);
  tern_any_release(&args[0]);
  tern_any_release(&args[1]);
  tern_any_release(&function);
}

int main(void) {
  tern_runtime* runtime = NULL;
  int64_t before;
  EXPECT(tern_version() >> 16 == TERN_VERSION_MAJOR);
  EXPECT(tern_abi_version() >> 16 == TERN_ABI_MAJOR);
  EXPECT((int32_t)(tern_abi_version() & 0xFFFF) >= TERN_ABI_MINOR);
  if (!Ok(tern_runtime_create(NULL, &runtime))) return 1;
  Operators(runtime); /* the table keeps what it makes on first use */
  before = tern_live_objects();
  Strings();
  Lists();
  Maps();
  TuplesAndShapes();
  Tensors(runtime);
  D29FunctionsByName();
  D16EveryKindCrossesACall();
  D30LegacyFunctionsCalledAsNew();
  D30NewFunctionsCalledAsLegacy();
  Errors();
  ErrorsWithCauses();
  UseLength();
  Graphs();
  Operators(runtime);
  EXPECT(tern_live_objects() == before);
  tern_runtime_free(runtime);
  printf("%d passed, %d failed\n", g_passed, g_failed);
  return g_failed == 0 ? 0 : 1;
}
