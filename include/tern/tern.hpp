// SPDX-License-Identifier: Apache-2.0
// Tern for C++17: owners and results over <tern/tern.h>. Header only, no exceptions.
//
//   auto program = tern::Runtime::Create().value().LoadFile("model.onnx");
//   if (!program) { std::cerr << program.error().text(); return 1; }
//   tern::Machine machine = program->Start().value();
//   tern::Expected<tern::Value> result = machine.Call("main", {input});
//
// What can fail returns Expected<T>: a value, or the Error that says why there is none. value() of
// an error ends the process with the error's text; compiled with TERN_EXCEPTIONS=1 it throws
// tern::Exception instead. Handles are cheap to copy and keep alive what they need: a Value its
// runtime, a Machine its program. As in C, a Runtime and a Program may be shared by threads, a
// Machine and a Value that is written belong to one thread at a time.
#ifndef TERN_TERN_HPP_
#define TERN_TERN_HPP_

#include <tern/tern.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#if defined(TERN_EXCEPTIONS) && TERN_EXCEPTIONS
#include <stdexcept>
#endif

// Not the namespace of the library's own classes, and another one where errors are thrown: sources
// of both kinds may be linked together.
#if defined(TERN_EXCEPTIONS) && TERN_EXCEPTIONS
#define TERN_INTERNAL_NAMESPACE v0_throwing
#else
#define TERN_INTERNAL_NAMESPACE v0
#endif

namespace tern {
inline namespace TERN_INTERNAL_NAMESPACE {

// --- Results

// Why something could not be done. Moves; its texts live as long as it does.
class Error {
 public:
  explicit Error(tern_status* status) : status_(status) {}  // takes it over
  Error(std::string code, std::string message)
      : code_(std::move(code)), message_(std::move(message)), text_(Rendered()) {}

  // "E0203": stable, explained by tern_explain; empty where there is none.
  const char* code() const { return status_ ? tern_status_code(status_.get()) : code_.c_str(); }
  const char* message() const {
    return status_ ? tern_status_message(status_.get()) : message_.c_str();
  }
  // The message with notes and help, laid out for people.
  const char* text() const { return status_ ? tern_status_text(status_.get()) : text_.c_str(); }
  // Diagnostics as JSON; "{}" where the error is this header's own.
  const char* json() const { return status_ ? tern_status_json(status_.get()) : "{}"; }
  // As tern_status_kind; 0 where the error is this header's own.
  int32_t kind() const { return tern_status_kind(status_.get()); }

 private:
  struct Free {
    void operator()(tern_status* status) const { tern_status_free(status); }
  };
  std::string Rendered() const { return "error[" + code_ + "]: " + message_ + "\n"; }

  std::unique_ptr<tern_status, Free> status_;
  std::string code_, message_, text_;
};

#if defined(TERN_EXCEPTIONS) && TERN_EXCEPTIONS
class Exception : public std::runtime_error {
 public:
  explicit Exception(const Error& error) : std::runtime_error(error.text()), code_(error.code()) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};
#endif

namespace internal {

[[noreturn]] inline void Raise(const Error& error) {
#if defined(TERN_EXCEPTIONS) && TERN_EXCEPTIONS
  throw Exception(error);
#else
  std::fputs(error.text(), stderr);
  std::abort();
#endif
}

}  // namespace internal

// A value or an Error.
template <typename T>
class [[nodiscard]] Expected {
 public:
  using Type = T;
  Expected(T value) : state_(std::move(value)) {}      // NOLINT: meant to convert
  Expected(Error error) : state_(std::move(error)) {}  // NOLINT: meant to convert

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return *Get(); }
  const T& value() const& { return *const_cast<Expected*>(this)->Get(); }
  // By value, so that `for (float x : tensor.Data<float>().value())` does not read what is gone.
  T value() && { return std::move(*Get()); }
  T value_or(T other) && { return has_value() ? std::move(*Get()) : std::move(other); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  // Only where there is no value.
  const Error& error() const& { return *std::get_if<Error>(&state_); }
  Error error() && { return std::move(*std::get_if<Error>(&state_)); }

  // What `next`, a function from T to an Expected, makes of the value; else the same error.
  template <typename Next>
  auto and_then(Next next) && -> decltype(next(std::declval<T>())) {
    if (!has_value()) return std::move(*this).error();
    return next(std::move(*this).value());
  }

 private:
  T* Get() {
    if (T* value = std::get_if<T>(&state_)) return value;
    internal::Raise(*std::get_if<Error>(&state_));
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Expected<void> {
 public:
  using Type = void;
  Expected() = default;
  Expected(Error error) : error_(std::make_unique<Error>(std::move(error))) {}  // NOLINT

  bool has_value() const { return error_ == nullptr; }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (error_ != nullptr) internal::Raise(*error_);
  }
  const Error& error() const& { return *error_; }
  Error error() && { return std::move(*error_); }

 private:
  std::unique_ptr<Error> error_;
};

namespace internal {

inline Expected<void> ToExpected(tern_status* status) {
  if (status != nullptr) return Error(status);
  return {};
}

// What a handle and all that it made need: freed in this order, once nobody holds it any more.
struct Engine {
  ~Engine() {
    tern_runtime_free(runtime);
    tern_platform_free(platform);
  }
  tern_platform* platform = nullptr;
  tern_runtime* runtime = nullptr;
};
using EnginePtr = std::shared_ptr<Engine>;

template <typename T>
struct DTypeName;
#define TERN_INTERNAL_DTYPE(type, name)        \
  template <>                                  \
  struct DTypeName<type> {                     \
    static constexpr const char* kName = name; \
  }
TERN_INTERNAL_DTYPE(float, "f32");
TERN_INTERNAL_DTYPE(double, "f64");
TERN_INTERNAL_DTYPE(int8_t, "i8");
TERN_INTERNAL_DTYPE(int16_t, "i16");
TERN_INTERNAL_DTYPE(int32_t, "i32");
TERN_INTERNAL_DTYPE(int64_t, "i64");
TERN_INTERNAL_DTYPE(uint8_t, "u8");
TERN_INTERNAL_DTYPE(uint16_t, "u16");
TERN_INTERNAL_DTYPE(uint32_t, "u32");
TERN_INTERNAL_DTYPE(uint64_t, "u64");
TERN_INTERNAL_DTYPE(bool, "bool");
#undef TERN_INTERNAL_DTYPE

template <typename T>
constexpr TernDLDataType DLTypeOf() {
  const std::string_view name = DTypeName<T>::kName;
  const int code = name[0] == 'f'   ? TERN_DTYPE_FLOAT
                   : name[0] == 'i' ? TERN_DTYPE_INT
                   : name[0] == 'u' ? TERN_DTYPE_UINT
                                    : TERN_DTYPE_BOOL;
  return {static_cast<uint8_t>(code), static_cast<uint8_t>(8 * sizeof(T)), 1};
}

}  // namespace internal

// --- Bytes made by the library

class Buffer {
 public:
  explicit Buffer(tern_buffer* buffer = nullptr) : buffer_(buffer) {}  // takes it over
  const void* data() const { return buffer_ ? tern_buffer_data(buffer_.get()) : nullptr; }
  size_t size() const { return buffer_ ? tern_buffer_size(buffer_.get()) : 0; }
  std::string_view text() const { return {static_cast<const char*>(data()), size()}; }
  Expected<void> WriteFile(const std::string& path) const {
    return internal::ToExpected(tern_buffer_write_file(buffer_.get(), path.c_str()));
  }
  tern_buffer* release() { return buffer_.release(); }

 private:
  struct Free {
    void operator()(tern_buffer* buffer) const { tern_buffer_free(buffer); }
  };
  std::unique_ptr<tern_buffer, Free> buffer_;
};

// --- Values

// Elements that somebody else owns.
template <typename T>
struct Span {
  T* data = nullptr;
  size_t size = 0;
  T* begin() const { return data; }
  T* end() const { return data + size; }
  T& operator[](size_t index) const { return data[index]; }
};

// What a tensor is; points into it.
struct TensorView {
  void* data = nullptr;
  size_t bytes = 0;
  Span<const int64_t> shape;
  std::string_view dtype;
};

struct DlpackFree {
  void operator()(TernDLManagedTensorVersioned* managed) const {
    if (managed->deleter != nullptr) managed->deleter(managed);
  }
};
// A tensor for other frameworks. To hand it on as their DLManagedTensorVersioned, the same struct
// (a consumer calls its deleter): reinterpret_cast<DLManagedTensorVersioned*>(dlpack.release()).
using Dlpack = std::unique_ptr<TernDLManagedTensorVersioned, DlpackFree>;

// Any value: nothing, a number, text, a tensor, a tuple, a list. Copies share it.
class Value {
 public:
  Value() = default;
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  Value(T number) {  // NOLINT: meant to convert
    Set(std::is_same_v<T, bool> ? TERN_TYPE_BOOL : TERN_TYPE_INT).i = static_cast<int64_t>(number);
  }
  Value(double number) { Set(TERN_TYPE_FLOAT).f = number; }  // NOLINT: meant to convert
  Value(const void*) = delete;  // text is FromText, or it would be a bool
  // Takes over an owned value; `keeper` lives as long as it, and as all that is made of it.
  Value(TernAny owned, std::shared_ptr<void> keeper) : keeper_(std::move(keeper)), any_(owned) {}
  Value(const Value& other) : keeper_(other.keeper_), any_(other.any_) { tern_any_retain(&any_); }
  Value(Value&& other) noexcept
      : keeper_(std::move(other.keeper_)), any_(std::exchange(other.any_, TernAny())) {}
  Value& operator=(Value other) noexcept {
    std::swap(any_, other.any_);
    std::swap(keeper_, other.keeper_);
    return *this;
  }
  ~Value() { tern_any_release(&any_); }

  static Expected<Value> FromText(std::string_view text) {
    return Make(nullptr,
                [&](TernAny* any) { return tern_string_new(text.data(), text.size(), any); });
  }
  // A tensor over memory of the caller's, without a copy; `keeper` is released when nothing uses
  // the memory any more. Of a const T the tensor is read-only.
  template <typename T>
  static Expected<Value> Wrap(T* data, std::vector<int64_t> shape,
                              std::shared_ptr<void> keeper = nullptr) {
    using Element = std::remove_const_t<T>;
    struct Lent {
      TernDLManagedTensorVersioned managed = {};
      std::vector<int64_t> shape;
      std::shared_ptr<void> keeper;
    };
    auto lent = std::make_unique<Lent>();
    lent->shape = std::move(shape);
    lent->keeper = std::move(keeper);
    lent->managed.version = {1, 0};
    lent->managed.manager_ctx = lent.get();
    lent->managed.deleter = [](TernDLManagedTensorVersioned* self) {
      delete static_cast<Lent*>(self->manager_ctx);
    };
    lent->managed.flags = std::is_const_v<T> ? TERN_DLPACK_READ_ONLY : 0;
    TernDLTensor& tensor = lent->managed.dl_tensor;
    tensor.data = const_cast<Element*>(data);
    tensor.device = {TERN_DEVICE_CPU, 0};
    tensor.ndim = static_cast<int32_t>(lent->shape.size());
    tensor.dtype = internal::DLTypeOf<Element>();
    tensor.shape = lent->shape.data();
    return FromDlpack(Dlpack(&lent.release()->managed));
  }
  // Another framework's tensor, without a copy. Of a DLManagedTensorVersioned*: Dlpack(
  // reinterpret_cast<TernDLManagedTensorVersioned*>(theirs)).
  static Expected<Value> FromDlpack(Dlpack managed) {
    TernAny any = {};
    if (managed == nullptr) return Error("E0202", "there is no tensor to import: NULL");
    if (tern_status* failed = tern_tensor_from_dlpack(managed.get(), &any)) return Error(failed);
    static_cast<void>(managed.release());
    return Value(any, nullptr);
  }

  bool is_none() const { return any_.type_code == TERN_TYPE_NONE; }
  bool is_tensor() const { return any_.type_code == TERN_TYPE_TENSOR; }
  // "int", "tensor", "my.Type".
  const char* type_name() const { return tern_any_type_name(&any_); }
  const TernAny& raw() const { return any_; }

  Expected<int64_t> AsInt() const {
    if (any_.type_code != TERN_TYPE_INT && any_.type_code != TERN_TYPE_BOOL) return Wrong("int");
    return any_.v.i;
  }
  Expected<double> AsFloat() const {
    if (any_.type_code == TERN_TYPE_INT) return static_cast<double>(any_.v.i);
    if (any_.type_code != TERN_TYPE_FLOAT) return Wrong("float");
    return any_.v.f;
  }
  Expected<std::string> AsText() const {
    const char* text = nullptr;
    size_t size = 0;
    if (tern_status* failed = tern_string_view(&any_, &text, &size)) return Error(failed);
    return std::string(text, size);
  }
  // The fields of a tuple, the items of a list; 0 of anything else.
  int32_t size() const { return tern_tuple_size(&any_); }
  Expected<Value> Get(int32_t index) const {
    return Make(keeper_, [&](TernAny* any) { return tern_tuple_get(&any_, index, any); });
  }

  Expected<TensorView> View() const {
    TensorView view;
    int32_t rank = 0;
    const char* dtype = nullptr;
    if (tern_status* failed =
            tern_tensor_view(&any_, &view.data, &view.bytes, &rank, &view.shape.data, &dtype))
      return Error(failed);
    view.shape.size = static_cast<size_t>(rank);
    view.dtype = dtype;
    return view;
  }
  // The elements of a contiguous tensor of that type, good as long as a Value holds the tensor.
  template <typename T>
  Expected<Span<T>> Data() const {
    using Element = std::remove_const_t<T>;
    Expected<TensorView> view = View();
    if (!view) return std::move(view).error();
    if (view->dtype != internal::DTypeName<Element>::kName)
      return Error("E0204", "the elements of a tensor were asked for as " +
                                std::string(internal::DTypeName<Element>::kName) +
                                ", but they are " + std::string(view->dtype));
    return Span<T>{static_cast<T*>(view->data), view->bytes / sizeof(T)};
  }
  // Shares the memory, and keeps the runtime alive as long as the tensor is in use elsewhere.
  Expected<Dlpack> ToDlpack() const {
    struct Kept {
      Dlpack inner;
      std::shared_ptr<void> keeper;
      TernDLManagedTensorVersioned outer = {};
    };
    TernDLManagedTensorVersioned* managed = nullptr;
    if (tern_status* failed = tern_tensor_to_dlpack(&any_, &managed)) return Error(failed);
    auto kept = std::make_unique<Kept>();
    kept->outer = *managed;
    kept->outer.manager_ctx = kept.get();
    kept->outer.deleter = [](TernDLManagedTensorVersioned* self) {
      auto* all = static_cast<Kept*>(self->manager_ctx);
      const std::shared_ptr<void> last = std::move(all->keeper);  // outlives the memory
      delete all;
    };
    kept->inner.reset(managed);
    kept->keeper = keeper_;
    return Dlpack(&kept.release()->outer);
  }
  // Short, for people.
  std::string text() const {
    tern_buffer* buffer = nullptr;
    if (tern_status* failed = tern_any_text(&any_, &buffer)) return Error(failed).text();
    return std::string(Buffer(buffer).text());
  }

  template <typename Fill>
  static Expected<Value> Make(std::shared_ptr<void> keeper, Fill fill) {
    TernAny any = {};
    if (tern_status* failed = fill(&any)) return Error(failed);
    return Value(any, std::move(keeper));
  }

 private:
  decltype(TernAny::v)& Set(TernTypeCode code) {
    any_.type_code = code;
    return any_.v;
  }
  Error Wrong(const char* expected) const {
    return Error("E0202",
                 std::string("expected a value of type ") + expected + ", got " + type_name());
  }

  std::shared_ptr<void> keeper_;
  TernAny any_ = {};
};

// --- Signatures

struct Dimension {
  int64_t extent = -1;  // -1 where a run decides
  std::string symbol;   // "batch", "2 * n", "?"; empty for a known extent
  bool is_known() const { return symbol.empty(); }
};

struct ValueType {
  std::string name;   // empty where it has none
  std::string type;   // "f32[batch, 1, 28, 28]", "int"
  std::string dtype;  // "f32"; empty where it is no tensor, or one of any data type
  bool has_rank = false;
  std::vector<Dimension> dims;
};

struct Signature {
  std::vector<ValueType> parameters, results;
};

namespace internal {

inline ValueType ToValueType(const tern_value_type& raw) {
  ValueType type;
  type.name = raw.name;
  type.type = raw.type;
  if (raw.dtype != nullptr) type.dtype = raw.dtype;
  type.has_rank = raw.rank >= 0;
  for (int32_t i = 0; i < raw.rank; ++i)
    type.dims.push_back({raw.extents[i], raw.symbols[i] == nullptr ? "" : raw.symbols[i]});
  return type;
}

template <typename F>
Expected<std::vector<ValueType>> DescribeAll(const tern_signature* signature, int32_t count,
                                             F describe) {
  std::vector<ValueType> types;
  for (int32_t i = 0; i < count; ++i) {
    tern_value_type raw = {};
    raw.struct_size = sizeof raw;
    if (tern_status* failed = describe(signature, i, &raw)) return Error(failed);
    types.push_back(ToValueType(raw));
  }
  return types;
}

}  // namespace internal

// --- Machines

// What a run may take; 0 is no limit (depth: 10 000 frames). Past it the call fails with S0301
// (instructions), S0303 (time), E0302 (memory) or E0303 (depth).
struct Limits {
  uint64_t max_instructions = 0;
  uint64_t max_bytes = 0;
  uint32_t max_depth = 0;
  uint64_t max_time_ms = 0;
};

// Stops the run of a machine from any thread, which then fails with S0302. Copies freely; does
// nothing once the machine is gone.
class Canceller {
 public:
  explicit Canceller(std::weak_ptr<tern_vm> machine) : machine_(std::move(machine)) {}
  // Whether there was a machine.
  bool Cancel() const {
    const std::shared_ptr<tern_vm> machine = machine_.lock();
    if (machine != nullptr) tern_vm_cancel(machine.get());
    return machine != nullptr;
  }

 private:
  std::weak_ptr<tern_vm> machine_;
};

class Machine {
 public:
  Machine(tern_vm* machine, std::shared_ptr<void> keeper)  // takes it over
      : keeper_(std::move(keeper)),
        machine_(machine, [keep = keeper_](tern_vm* it) { tern_vm_free(it); }) {}

  Expected<Value> Call(const std::string& function, const std::vector<Value>& arguments) {
    std::vector<TernAny> raw;
    raw.reserve(arguments.size());
    for (const Value& argument : arguments) raw.push_back(argument.raw());
    return Value::Make(keeper_, [&](TernAny* result) {
      return tern_vm_call(machine_.get(), function.c_str(), raw.data(),
                          static_cast<int32_t>(raw.size()), result);
    });
  }
  Canceller canceller() const { return Canceller(machine_); }
  tern_vm* raw() const { return machine_.get(); }

 private:
  std::shared_ptr<void> keeper_;
  std::shared_ptr<tern_vm> machine_;
};

// --- Programs

// How the loop kernels of a program run (tern_program_prepare_kernels).
struct KernelOptions {
  const char* policy = "auto";
  bool allow_native_code = false;  // code in the file can do what this process can
};

class Program {
 public:
  Program(tern_program* program, std::shared_ptr<void> keeper)  // takes it over
      : program_(program, [keep = std::move(keeper)](tern_program* it) { tern_program_free(it); }) {
  }

  Expected<Signature> signature(const std::string& function = "main") const {
    tern_signature* raw = nullptr;
    if (tern_status* failed = tern_program_signature(program_.get(), function.c_str(), &raw))
      return Error(failed);
    const std::unique_ptr<tern_signature, void (*)(tern_signature*)> kept(raw,
                                                                          &tern_signature_free);
    auto parameters =
        internal::DescribeAll(raw, tern_signature_parameters(raw), &tern_signature_parameter);
    if (!parameters) return std::move(parameters).error();
    auto results = internal::DescribeAll(raw, tern_signature_results(raw), &tern_signature_result);
    if (!results) return std::move(results).error();
    return Signature{*std::move(parameters), *std::move(results)};
  }
  // Machines that are started afterwards run the kernels in the best way there is.
  Expected<void> PrepareKernels(const KernelOptions& options = {}) {
    tern_kernel_options raw = {};
    raw.struct_size = sizeof raw;
    raw.policy = options.policy;
    raw.allow_native_code = options.allow_native_code ? 1 : 0;
    return internal::ToExpected(tern_program_prepare_kernels(program_.get(), &raw));
  }
  Expected<Machine> Start(const Limits& limits = {}) const {
    tern_vm_options raw = {};
    raw.struct_size = sizeof raw;
    raw.max_instructions = limits.max_instructions;
    raw.max_bytes = limits.max_bytes;
    raw.max_depth = limits.max_depth;
    raw.max_time_ms = limits.max_time_ms;
    tern_vm* machine = nullptr;
    if (tern_status* failed = tern_vm_create(program_.get(), &raw, &machine)) return Error(failed);
    return Machine(machine, program_);
  }
  tern_program* raw() const { return program_.get(); }

 private:
  std::shared_ptr<tern_program> program_;
};

// --- Runtimes

struct RuntimeOptions {
  int threads = 1;               // 0: one for each processor
  const char* target = nullptr;  // a kernel target by name, such as "avx2"; the best there is
};

class Runtime {
 public:
  // E0704 where the library does not fit this header.
  static Expected<Runtime> Create(const RuntimeOptions& options = {}) {
    if (tern_status* failed = TERN_ABI_CHECK()) return Error(failed);
    auto engine = std::make_shared<internal::Engine>();
    tern_platform_options platform = {};
    platform.struct_size = sizeof platform;
    platform.threads = options.threads;
    if (tern_status* failed = tern_platform_create(&platform, &engine->platform))
      return Error(failed);
    tern_runtime_options raw = {};
    raw.struct_size = sizeof raw;
    raw.target = options.target;
    raw.platform = tern_platform_get(engine->platform);
    if (tern_status* failed = tern_runtime_create(&raw, &engine->runtime)) return Error(failed);
    return Runtime(std::move(engine));
  }

  // Programs that are loaded afterwards find a shared library's kernels by name. Its code can do
  // what this process can, so that it must be allowed.
  Expected<void> LoadKernels(const std::string& path, bool allow_native_code) const {
    return internal::ToExpected(
        tern_runtime_load_kernels(raw(), path.c_str(), allow_native_code ? 1 : 0));
  }
  // An executable, an ONNX model, assembly or a program's text, by tern_program_load_file.
  Expected<Program> LoadFile(const std::string& path) const {
    tern_program* program = nullptr;
    if (tern_status* failed = tern_program_load_file(raw(), path.c_str(), nullptr, &program))
      return Error(failed);
    return Program(program, engine_);
  }
  // An executable's bytes, which the program takes over.
  Expected<Program> Load(Buffer bytes) const {
    const void* data = bytes.data();
    const size_t size = bytes.size();
    tern_program* program = nullptr;
    const auto release = [](void* context) {
      tern_buffer_free(static_cast<tern_buffer*>(context));
    };
    if (tern_status* failed =
            tern_program_load(raw(), data, size, release, bytes.release(), &program))
      return Error(failed);
    return Program(program, engine_);
  }
  // ONNX bytes to an executable's.
  Expected<Buffer> CompileOnnx(const void* bytes, size_t size) const {
    tern_buffer* executable = nullptr;
    if (tern_status* failed = tern_compile_onnx(raw(), bytes, size, nullptr, &executable, nullptr))
      return Error(failed);
    return Buffer(executable);
  }
  // The text of a program (docs/language.md) to an executable's bytes.
  Expected<Buffer> CompileSource(std::string_view text) const {
    tern_buffer* executable = nullptr;
    if (tern_status* failed =
            tern_compile_source(raw(), text.data(), text.size(), nullptr, &executable, nullptr))
      return Error(failed);
    return Buffer(executable);
  }

  // A new tensor of zeros; Data writes to it.
  template <typename T>
  Expected<Value> NewTensor(const std::vector<int64_t>& shape) const {
    return Value::Make(engine_, [&](TernAny* any) {
      return tern_tensor_new(raw(), internal::DTypeName<T>::kName,
                             static_cast<int32_t>(shape.size()), shape.data(), any);
    });
  }
  // A new tensor of these elements, of which there must be as many as the shape says.
  template <typename T>
  Expected<Value> Tensor(const std::vector<int64_t>& shape, const std::vector<T>& elements) const {
    Expected<Value> tensor = NewTensor<T>(shape);
    if (!tensor) return tensor;
    Expected<Span<T>> data = tensor->template Data<T>();
    if (!data) return std::move(data).error();
    if (data->size != elements.size())
      return Error("E0203", "a tensor of " + std::to_string(data->size) + " elements was given " +
                                std::to_string(elements.size()));
    if (!elements.empty()) std::memcpy(data->data, elements.data(), elements.size() * sizeof(T));
    return tensor;
  }
  int threads() const { return tern_platform_threads(engine_->platform); }
  tern_runtime* raw() const { return engine_->runtime; }

 private:
  explicit Runtime(internal::EnginePtr engine) : engine_(std::move(engine)) {}

  internal::EnginePtr engine_;
};

}  // namespace TERN_INTERNAL_NAMESPACE
}  // namespace tern

#undef TERN_INTERNAL_NAMESPACE

#endif  // TERN_TERN_HPP_
