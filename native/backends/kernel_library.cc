// SPDX-License-Identifier: Apache-2.0
#include "native/backends/kernel_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "core/base/strings.h"
#include "core/vm/signature.h"
#include "native/platform/mapped_file.h"

namespace tern::native {
namespace {

constexpr const char kSymbol[] = "tern_kernels_of_library";

Status Refuse(const std::string& path, std::string_view why) {
  return std::move(InvalidArgument("kernel library '", path, "': ", why).SetErrorCode("E0808"));
}

// --- the file

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr uint16_t kMachine = EM_RISCV;
#else
constexpr uint16_t kMachine = EM_NONE;  // the system's loader looks alone
#endif

std::string MachineName(uint16_t machine) {
  switch (machine) {
    case EM_386: return "i386";
    case EM_X86_64: return "x86-64";
    case EM_ARM: return "arm";
    case EM_AARCH64: return "aarch64";
    case EM_RISCV: return "riscv";
    default: return StrCat("processor ", machine, " of ELF");
  }
}

// The loader maps what a file that was cut short lacks, and whoever touches that is ended.
Status CheckSegments(const std::string& path, std::span<const uint8_t> bytes) {
  ElfW(Ehdr) header;
  if (bytes.size() < sizeof header) return Refuse(path, "it is cut short within its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  const uint64_t size = bytes.size(), table = header.e_phoff;
  if (header.e_phentsize != sizeof(ElfW(Phdr)) || table > size ||
      header.e_phnum > (size - table) / sizeof(ElfW(Phdr)))
    return Refuse(path, "it is cut short, or its table of segments is damaged");
  for (size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, bytes.data() + table + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
      return Refuse(path, StrCat("it is cut short: expected ", segment.p_filesz, " bytes at ",
                                 segment.p_offset, " for a segment, the file has ", size));
  }
  return OkStatus();
}

// Ahead of the system's loader, whose messages do not say what was expected and what there is.
Status CheckFile(const std::string& path, std::span<const uint8_t> bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    return Refuse(path, "expected a shared library (ELF), got a file of another kind");
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  constexpr bool kIs64 = sizeof(void*) == 8;
  if ((header.e_ident[EI_CLASS] == ELFCLASS64) != kIs64)
    return Refuse(path, StrCat("expected code of ", kIs64 ? 64 : 32, " bits, got ", kIs64 ? 32 : 64,
                               " bits"));
  constexpr bool kIsLittle = std::endian::native == std::endian::little;
  if ((header.e_ident[EI_DATA] == ELFDATA2LSB) != kIsLittle)
    return Refuse(path, "the bytes of its numbers are in the other order");
  if (kMachine != EM_NONE && header.e_machine != kMachine)
    return Refuse(path, StrCat("expected code for ", MachineName(kMachine), ", got ",
                               MachineName(header.e_machine)));
  if (header.e_type == ET_DYN) return CheckSegments(path, bytes);
  return Refuse(path,
                "expected a shared library, got an object or a program; link it with -shared");
}

// With a slash, since the loader looks for other names in folders of its own.
Result<std::string> WholePath(const std::string& path) {
  char whole[PATH_MAX];
  if (realpath(path.c_str(), whole) == nullptr)
    return std::move(IoError("cannot open kernel library '", path, "': ", std::strerror(errno))
                         .SetErrorCode("E0101"));
  return std::string(whole);
}

// What the loader gives; never closed.
Result<void*> Open(const std::string& path) {
  TERN_TRY_ASSIGN(const std::string whole, WholePath(path));
  {
    TERN_TRY_ASSIGN(const MappedFile file, MappedFile::Open(whole));
    TERN_TRY(CheckFile(path, file.bytes()));
  }
  // RTLD_NOW: what it lacks is said here and not by an abort in the middle of a run.
  void* const handle = dlopen(whole.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return Refuse(path, dlerror());
  return handle;
}

// --- the table

Status CheckTable(const tern_kernel_library& library, const std::string& path) {
  if (library.abi_major != TERN_ABI_MAJOR || library.abi_minor > TERN_ABI_MINOR)
    return Refuse(path, StrCat("expected values of layout ", TERN_ABI_MAJOR, ".", TERN_ABI_MINOR,
                               " or an older one of ", TERN_ABI_MAJOR, ".x, got ",
                               library.abi_major, ".", library.abi_minor));
  if (library.struct_size < sizeof(tern_kernel_library))
    return Refuse(path, StrCat("expected a table of at least ", sizeof(tern_kernel_library),
                               " bytes, got ", library.struct_size));
  if (library.count == 0 || library.kernels == nullptr) return Refuse(path, "it has no kernels");
  return OkStatus();
}

// Numbers that a signature accepts need not be of the kind that it names: ints are floats where
// those are wanted, and boxed numbers are numbers. A kernel in C reads the field of the kind.
AnyView AsDeclared(vm::TypeInfo::Kind kind, const AnyView& value) {
  if (kind == vm::TypeInfo::Kind::kInt) return AnyView(*value.TryCast<int64_t>());
  if (kind == vm::TypeInfo::Kind::kFloat) return AnyView(*value.TryCast<double>());
  if (kind == vm::TypeInfo::Kind::kBool) return AnyView(*value.TryCast<bool>());
  return value;
}

// What a function of the runtime is made of: `data` of Function::FromC.
struct LibraryKernel {
  const tern_library_kernel* source;
  vm::Signature signature;
  FunctionPtr plain;

  // Checks by the signature ahead of the kernel, which then need not, and behind it.
  Result<Any> Invoke(AnyArgs args) const {
    TERN_TRY(signature.CheckArguments(plain->name(), args));
    std::vector<AnyView> plain_args(args.begin(), args.end());
    for (size_t i = 0; i < args.size(); ++i)
      plain_args[i] = AsDeclared(signature.parameters()[i].type.kind, args[i]);
    TERN_TRY_ASSIGN(Any result, plain->Invoke(plain_args));
    TERN_TRY(signature.CheckResult(plain->name(), result, args));
    return result;
  }

  static int32_t Call(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
    const auto* kernel = static_cast<LibraryKernel*>(static_cast<Function*>(self)->data());
    Result<Any> made = kernel->Invoke(
        AnyArgs(reinterpret_cast<const AnyView*>(args), static_cast<size_t>(num_args)));
    if (!made.ok()) return internal::ReturnError(std::move(made).status(), result);
    return internal::ReturnAny(*std::move(made), result);
  }
  static void Delete(void* kernel) { delete static_cast<LibraryKernel*>(kernel); }
};

Result<FunctionPtr> MakeKernel(const tern_library_kernel& kernel, const std::string& path,
                               size_t index) {
  if (kernel.name == nullptr || *kernel.name == '\0')
    return Refuse(path, StrCat("kernel ", index, " has no name"));
  if (kernel.call == nullptr) return Refuse(path, StrCat("'", kernel.name, "' has no function"));
  if (kernel.signature == nullptr)
    return Refuse(path, StrCat("'", kernel.name, "' has no signature"));
  Result<vm::Signature> parsed = vm::Signature::Parse(kernel.signature);
  if (!parsed.ok())
    return Refuse(path, StrCat("the signature of '", kernel.name, "', \"", kernel.signature,
                               "\": ", parsed.status().message()));
  const std::string signature = parsed->ToText();
  auto* made = new LibraryKernel{&kernel, *std::move(parsed),
                                 Function::FromC(kernel.name, kernel.call, nullptr, nullptr)};
  return Function::FromC(kernel.name, &LibraryKernel::Call, made, &LibraryKernel::Delete, false,
                         signature);
}

}  // namespace

Result<std::vector<FunctionPtr>> KernelsOf(const tern_kernel_library& library,
                                           const std::string& path) {
  TERN_TRY(CheckTable(library, path));
  std::vector<FunctionPtr> kernels;
  for (size_t i = 0; i < library.count; ++i) {
    TERN_TRY_ASSIGN(FunctionPtr kernel, MakeKernel(library.kernels[i], path, i));
    for (const FunctionPtr& other : kernels) {
      if (other->name() == kernel->name())
        return Refuse(path, StrCat("'", kernel->name(), "' is in its table twice"));
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

bool AreOneKernel(const Function& a, const Function& b) {
  return static_cast<const LibraryKernel*>(a.data())->source ==
         static_cast<const LibraryKernel*>(b.data())->source;
}

Result<KernelLibrary> OpenKernelLibrary(const std::string& path) {
  TERN_TRY_ASSIGN(void* const handle, Open(path));
  KernelLibrary library;
  library.code = CodeLibrary::Of(handle, path);
  const auto* table = static_cast<const tern_kernel_library*>(dlsym(handle, kSymbol));
  if (table != nullptr) {
    TERN_TRY_ASSIGN(library.functions, KernelsOf(*table, path));
  } else if (library.code == nullptr) {
    return Refuse(path, StrCat("it exports no ", kSymbol))
        .AddNote("help: TERN_KERNEL_LIBRARY(table) of <tern/tern.h> defines it")
        .Clone();
  }
  return library;
}

}  // namespace tern::native
