// SPDX-License-Identifier: Apache-2.0
// Owners of LLVM's objects, and the steps from text to code through them. Just-in-time code is an
// ordinary object given to ORC's linker, so that code that runs here and code that is written to
// files are made in the same way.
#include "native/jit/llvm_compiler.h"

#include <stdint.h>

#include <type_traits>
#include <utility>

#include "core/base/strings.h"
#include "core/loop/emit/llvm_text.h"
#include "native/jit/llvm_library.h"
#include "native/jit/llvm_machine.h"

namespace tern::native {
namespace {

// Owns a reference to one of LLVM's objects, with the function that disposes of it.
template <typename Ref, typename Dispose>
class Owned {
 public:
  Owned(Ref ref, Dispose dispose) : ref_(ref), dispose_(dispose) {}
  Owned(Owned&& other) noexcept
      : ref_(std::exchange(other.ref_, nullptr)), dispose_(other.dispose_) {}
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (ref_ != nullptr) dispose_(ref_);
  }
  Ref get() const { return ref_; }
  Ref release() { return std::exchange(ref_, nullptr); }

 private:
  Ref ref_;
  Dispose dispose_;
};

using Buffer = Owned<LLVMMemoryBufferRef, decltype(&::LLVMDisposeMemoryBuffer)>;

// A module with its context, which it must not outlive. What LLVM says on the way is kept where it
// is an error; LLVM would print the rest, such as a loop that it did not unroll, to standard error.
class ParsedModule {
 public:
  explicit ParsedModule(const LlvmLibrary& llvm) : llvm_(llvm), context_(llvm.LLVMContextCreate()) {
    llvm.LLVMContextSetDiagnosticHandler(context_, &Hear, this);
  }
  ParsedModule(const ParsedModule&) = delete;
  ParsedModule& operator=(const ParsedModule&) = delete;
  ~ParsedModule() {
    if (module_ != nullptr) llvm_.LLVMDisposeModule(module_);
    llvm_.LLVMContextDispose(context_);
  }

  LLVMModuleRef get() const { return module_; }
  LLVMContextRef context() const { return context_; }
  // The errors of optimising and generating code, which LLVM reports apart from its results.
  Status TakeErrors() {
    return errors_.empty() ? OkStatus()
                           : Failed("LLVM cannot generate code: ", errors_).SetErrorCode("E0803");
  }

  Status Parse(std::string_view ir) {
    // The parser takes the buffer over and needs it zero-terminated, which the copy is.
    LLVMMemoryBufferRef buffer =
        llvm_.LLVMCreateMemoryBufferWithMemoryRangeCopy(ir.data(), ir.size(), "loops.ll");
    char* message = nullptr;
    if (llvm_.LLVMParseIRInContext(context_, buffer, &module_, &message) != 0)
      return Failed("LLVM cannot parse the IR: ", llvm_.TakeMessage(message))
          .SetErrorCode("E0803");
    if (llvm_.LLVMVerifyModule(module_, LLVMReturnStatusAction, &message) != 0)
      return Failed("LLVM's verifier refuses the IR: ", llvm_.TakeMessage(message))
          .SetErrorCode("E0803");
    llvm_.LLVMDisposeMessage(message);
    return OkStatus();
  }

 private:
  static void Hear(LLVMDiagnosticInfoRef info, void* module) {
    auto* self = static_cast<ParsedModule*>(module);
    if (self->llvm_.LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
    const std::string text = self->llvm_.TakeMessage(self->llvm_.LLVMGetDiagInfoDescription(info));
    self->errors_ += StrCat(self->errors_.empty() ? "" : "; ", text);
  }

  const LlvmLibrary& llvm_;
  LLVMContextRef context_;
  LLVMModuleRef module_ = nullptr;
  std::string errors_;
};

// What -O3 does beyond this is vectorizing, unrolling and copying loops. A schedule has done so
// where it pays: the vector loops come out the same, and -O3 takes four times as long.
constexpr const char* kScheduledPasses =
    "cgscc(inline),globaldce,function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
    "simplifycfg,loop-mssa(loop-rotate,licm),instcombine<no-verify-fixpoint>,simplifycfg)";

bool IsScheduled(const LlvmLibrary& llvm, LLVMModuleRef module) {
  const std::string_view mark = loop::kScheduledMark;
  return llvm.LLVMGetNamedMetadata(module, mark.data(), mark.size()) != nullptr;
}

Status Optimize(const LlvmLibrary& llvm, LLVMModuleRef module, const LentMachine& machine,
                const CodeTarget& target, Effort effort) {
  Owned options(llvm.LLVMCreatePassBuilderOptions(), llvm.LLVMDisposePassBuilderOptions);
  // "default<O3>" overrules an option that says the same as adds_vectors.
  if (!target.adds_vectors || (effort == Effort::kQuick && IsScheduled(llvm, module))) {
    LLVMErrorRef unknown =
        llvm.LLVMRunPasses(module, kScheduledPasses, machine.get(), options.get());
    if (unknown == nullptr) return OkStatus();
    if (!target.adds_vectors) return llvm.TakeError(unknown, "optimise");
    // Names of passes may change with LLVM's versions. Then nothing has run yet, and -O3 follows.
    llvm.TakeError(unknown, "optimise").IgnoreError();
  }
  return llvm.TakeError(
      llvm.LLVMRunPasses(module, "default<O3>", machine.get(), options.get()), "optimise");
}

// Ahead of optimising, because passes ask for sizes and for what the target can do.
void SetLayout(const LlvmLibrary& llvm, const LentMachine& machine, const CodeTarget& target,
               LLVMModuleRef module) {
  Owned layout(llvm.LLVMCreateTargetDataLayout(machine.get()), llvm.LLVMDisposeTargetData);
  char* text = llvm.LLVMCopyStringRepOfTargetData(layout.get());
  llvm.LLVMSetDataLayout(module, text);
  llvm.LLVMDisposeMessage(text);
  llvm.LLVMSetTarget(module, target.triple.c_str());
}

// Keeps LLVM from taking loops for calls of a library: loops that fill memory must stay loops,
// because closed objects can call nothing.
void CallNothing(const LlvmLibrary& llvm, const ParsedModule& module) {
  constexpr std::string_view kName = "no-builtins";
  const LLVMAttributeRef attribute =
      llvm.LLVMCreateStringAttribute(module.context(), kName.data(), kName.size(), "", 0);
  for (LLVMValueRef function = llvm.LLVMGetFirstFunction(module.get()); function != nullptr;
       function = llvm.LLVMGetNextFunction(function)) {
    if (llvm.LLVMIsDeclaration(function) == 0)
      llvm.LLVMAddAttributeAtIndex(
          function, static_cast<LLVMAttributeIndex>(LLVMAttributeFunctionIndex), attribute);
  }
}

// The text that objects have in their section .comment (KernelStamp).
void SetComment(const LlvmLibrary& llvm, const ParsedModule& module, std::string_view comment) {
  LLVMContextRef context = module.context();
  LLVMMetadataRef text = llvm.LLVMMDStringInContext2(context, comment.data(), comment.size());
  LLVMMetadataRef node = llvm.LLVMMDNodeInContext2(context, &text, 1);
  llvm.LLVMAddNamedMetadataOperand(module.get(), "llvm.ident",
                                   llvm.LLVMMetadataAsValue(context, node));
}

// Checked here, because LLVM ends the process when it meets a scalable vector on a target that has
// none.
Status CheckScalable(std::string_view ir, const CodeTarget& target) {
  if (target.scalable || ir.find("<vscale x ") == std::string_view::npos) return OkStatus();
  return Unsupported("the loops use vectors of unknown length, which ", target.name,
                     " does not have")
      .AddNote("help: vectorize with a fixed width for this target")
      .SetErrorCode("E0802");
}

Result<std::string> Generate(const LlvmLibrary& llvm, LLVMModuleRef module,
                             const LentMachine& machine, CodeForm form) {
  if (form == CodeForm::kOptimizedIr)
    return llvm.TakeMessage(llvm.LLVMPrintModuleToString(module)) + "\n";
  const LLVMCodeGenFileType type = form == CodeForm::kObject ? LLVMObjectFile : LLVMAssemblyFile;
  LLVMMemoryBufferRef buffer = nullptr;
  char* message = nullptr;
  if (llvm.LLVMTargetMachineEmitToMemoryBuffer(machine.get(), module, type, &message, &buffer) != 0)
    return Failed("LLVM cannot generate code: ", llvm.TakeMessage(message)).SetErrorCode("E0803");
  const Buffer owned(buffer, llvm.LLVMDisposeMemoryBuffer);
  return std::string(llvm.LLVMGetBufferStart(buffer), llvm.LLVMGetBufferSize(buffer));
}

}  // namespace

Result<std::string> LlvmDescription() {
  TERN_TRY_ASSIGN(const LlvmLibrary* llvm, OpenLlvm());
  return llvm->path;
}

namespace {

#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
CodeTarget DescribeHost(const LlvmLibrary& llvm) {
  CodeTarget host;
  host.name = "host";
  host.triple = llvm.TakeMessage(llvm.LLVMGetDefaultTargetTriple());
  host.cpu = llvm.TakeMessage(llvm.LLVMGetHostCPUName());
  host.features = llvm.TakeMessage(llvm.LLVMGetHostCPUFeatures());
  const auto has = [&](std::string_view feature) {
    return host.features.find(feature) != std::string::npos;
  };
#if defined(__x86_64__)
  // The loop target and LLVM's features must agree on the length of vectors.
  host.architecture = "X86";
  host.loops = has("+avx512f") ? "x86_64+avx512" : has("+avx2") ? "x86_64+avx2" : "x86_64";
  if (has("+avx512f")) host.features += ",-prefer-256-bit";
#elif defined(__aarch64__)
  host.architecture = "AArch64";
  host.scalable = has("+sve");
  host.loops = has("+sve2") ? "aarch64+sve2" : host.scalable ? "aarch64+sve" : "aarch64";
#else
  host.architecture = "RISCV";
  host.scalable = has("+v,");
  host.loops = "riscv64+v";
#endif
  return host;
}
#endif

}  // namespace

Result<CodeTarget> HostCodeTarget() {
  TERN_TRY_ASSIGN(const LlvmLibrary* llvm, OpenLlvm());
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
  // Once per process: asking the system takes longer than compiling a small loop.
  static const CodeTarget host = DescribeHost(*llvm);
  return host;
#else
  return Unsupported("no native code is made for this kind of processor").SetErrorCode("E0802");
#endif
}

Status VerifyLlvmIr(std::string_view ir) {
  TERN_TRY_ASSIGN(const LlvmLibrary* llvm, OpenLlvm());
  return ParsedModule(*llvm).Parse(ir);
}

namespace {

Result<std::string> Compile(const LlvmLibrary& llvm, ParsedModule* module, const CodeTarget& target,
                            const CodeRequest& request) {
  TERN_TRY_ASSIGN(const LentMachine machine, LentMachine::Borrow(llvm, target));
  SetLayout(llvm, machine, target, module->get());
  TERN_TRY(Optimize(llvm, module->get(), machine, target, request.effort));
  Result<std::string> code = Generate(llvm, module->get(), machine, request.form);
  TERN_TRY(module->TakeErrors());
  return code;
}

}  // namespace

Result<std::string> CompileLlvmIr(std::string_view ir, const CodeTarget& target,
                                  const CodeRequest& request) {
  TERN_TRY_ASSIGN(const LlvmLibrary* llvm, OpenLlvm());
  TERN_TRY(CheckScalable(ir, target));
  ParsedModule module(*llvm);
  TERN_TRY(module.Parse(ir));
  return Compile(*llvm, &module, target, request);
}

Result<std::string> CompileClosedObject(std::string_view ir, const CodeTarget& target,
                                        std::string_view comment, Effort effort) {
  TERN_TRY_ASSIGN(const LlvmLibrary* llvm, OpenLlvm());
  TERN_TRY(CheckScalable(ir, target));
  ParsedModule module(*llvm);
  TERN_TRY(module.Parse(ir));
  CallNothing(*llvm, module);
  SetComment(*llvm, module, comment);
  return Compile(*llvm, &module, target, {CodeForm::kObject, effort});
}

// The linker that owns the code; NativeCode hides its type, so that the header needs none of
// LLVM's.
struct NativeCode::Jit {
  const LlvmLibrary& llvm;
  LLVMOrcLLJITRef jit = nullptr;

  explicit Jit(const LlvmLibrary& library) : llvm(library) {}
  ~Jit() {
    // Freeing memory is all that can fail here, and there is nobody to tell.
    if (jit != nullptr) llvm.TakeError(llvm.LLVMOrcDisposeLLJIT(jit), "free code").IgnoreError();
  }

  Status Start();
  Status Add(std::string_view object);
};

Status NativeCode::Jit::Start() {
  TERN_TRY_ASSIGN(const CodeTarget host, HostCodeTarget());
  TERN_TRY_ASSIGN(LLVMTargetMachineRef machine, MakeMachine(llvm, host));
  // The builder takes the machine over, so it cannot be lent by the pool.
  LLVMOrcLLJITBuilderRef builder = llvm.LLVMOrcCreateLLJITBuilder();
  llvm.LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
      builder, llvm.LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
  TERN_TRY(llvm.TakeError(llvm.LLVMOrcCreateLLJIT(&jit, builder), "start its linker"));
  // Open objects may call memset, memcpy and fmod of this process.
  LLVMOrcDefinitionGeneratorRef process = nullptr;
  TERN_TRY(llvm.TakeError(llvm.LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
                              &process, llvm.LLVMOrcLLJITGetGlobalPrefix(jit), nullptr, nullptr),
                          "look into this process"));
  llvm.LLVMOrcJITDylibAddGenerator(llvm.LLVMOrcLLJITGetMainJITDylib(jit), process);
  return OkStatus();
}

Status NativeCode::Jit::Add(std::string_view object) {
  // The layer takes the buffer over.
  LLVMMemoryBufferRef buffer =
      llvm.LLVMCreateMemoryBufferWithMemoryRangeCopy(object.data(), object.size(), "loops.o");
  return llvm.TakeError(
      llvm.LLVMOrcLLJITAddObjectFile(jit, llvm.LLVMOrcLLJITGetMainJITDylib(jit), buffer),
      "link the object");
}

NativeCode::NativeCode(std::unique_ptr<Jit> jit) : jit_(std::move(jit)) {}
NativeCode::~NativeCode() = default;

namespace {

// e_machine of the ELF header. It is checked here, because LLVM's linker takes other processors'
// objects without complaint.
#if defined(__x86_64__)
constexpr uint8_t kHostMachine = 62;
#elif defined(__aarch64__)
constexpr uint8_t kHostMachine = 183;
#else
constexpr uint8_t kHostMachine = 243;  // RISC-V
#endif

Status CheckObject(std::string_view object) {
  constexpr size_t kHeaderSize = 64;
  constexpr size_t kMachineOffset = 18;
  if (object.size() < kHeaderSize || !object.starts_with("\x7f"
                                                         "ELF"))
    return Corrupt("native code is no ELF object: ", object.size(), " bytes without its mark")
        .SetErrorCode("E0805");
  const auto machine = static_cast<uint8_t>(object[kMachineOffset]);
  if (machine != kHostMachine || object[kMachineOffset + 1] != 0)
    return Unsupported("the native code is for another processor: ELF machine ", int{machine},
                       ", expected ", int{kHostMachine})
        .SetErrorCode("E0805");
  return OkStatus();
}

}  // namespace

Result<std::unique_ptr<NativeCode>> NativeCode::FromObject(std::string_view object) {
  TERN_TRY(CheckObject(object));
  TERN_TRY_ASSIGN(const LlvmLibrary* llvm, OpenLlvm());
  auto jit = std::make_unique<Jit>(*llvm);
  TERN_TRY(jit->Start());
  TERN_TRY(jit->Add(object));
  return std::unique_ptr<NativeCode>(new NativeCode(std::move(jit)));
}

Result<std::unique_ptr<NativeCode>> NativeCode::FromIr(std::string_view ir) {
  TERN_TRY_ASSIGN(const CodeTarget host, HostCodeTarget());
  TERN_TRY_ASSIGN(const std::string object,
                  CompileLlvmIr(ir, host, {CodeForm::kObject, Effort::kQuick}));
  return FromObject(object);
}

Result<void*> NativeCode::Find(const std::string& name) const {
  LLVMOrcExecutorAddress address = 0;
  TERN_TRY(jit_->llvm.TakeError(jit_->llvm.LLVMOrcLLJITLookup(jit_->jit, &address, name.c_str()),
                                StrCat("find ", name)));
  return reinterpret_cast<void*>(static_cast<uintptr_t>(address));
}

}  // namespace tern::native
