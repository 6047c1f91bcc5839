// SPDX-License-Identifier: Apache-2.0
// Sample programs and the exercise that fuzzers and the mutation test give them.
#include "tests/support/vm_file.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "core/base/check.h"
#include "core/base/checksum.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/sequence.h"
#include "core/text/diagnostics.h"
#include "core/vm/file/format.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/assembler.h"
#include "core/vm/text/disassembler.h"
#include "core/vm/vm.h"

namespace tern::support {
namespace {

constexpr std::string_view kControl = R"(
.meta "producer" = "tests"
.const c[0] = int 36028797018963968
.const c[1] = string "the last word"
.func @main(n: int, x: f32[k, 2]) -> any
  .name %2 counter
  load_const int 0 dst: %2
again:
  .loc "loop" 3:1
  add   %2, 1 dst: %2
  lt    %2, %0 dst: %3
  if    %3 true: again false: done
done:
  if_equal %2, 3 true: three false: other
three:
  move  %2 dst: %4
  goto  join
other:
  neg   %2 dst: %5
join:
  phi   %4, %5 dst: %6
  kill  %3
  invoke @fib in: %6 dst: %6
  alloc_closure @add in: %6 dst: %7
  invoke_closure %7 in: 4 dst: %7
  tail_invoke @fib in: %7
.func @fib(n: int) -> int
  le    %0, 1 dst: %1
  if    %1 true: +1 false: +2
  ret   ret %0
  sub   %0, 1 dst: %1
  invoke @fib in: %1 dst: %1
  sub   %0, 2 dst: %2
  call  @fib in: %2 dst: %2
  add   %1, %2 dst: %1
  ret   ret %1
.func @add(a, b)
  alloc_closure @same in: dst: %2
  add   %0, %1 dst: %3
  tail_invoke_closure %2 in: %3
.func @same(a)
  if    %0 true: +1 false: +2
  ret   ret %0
  fatal c[1]
)";

constexpr std::string_view kMemory = R"(
.const c[0] = f32[2, 2] [1, 2, 3, 4]
.const c[1] = splat i64[5] 3
.const c[2] = shape [4]
.const c[3] = dtype f16
.const c[4] = tuple (c[0], c[2])
.const c[5] = float 0.1
.const c[6] = bool true
.const c[7] = none
.const c[8] = u8[3] [1, 2, 255]
.kernel "k" "loop" hex 0102
.func @main(n: int, x: f32[k, 2]) -> any
  alloc_storage size: 256 alignment: 64 dtype: f32 device: 0 dst: %2
  alloc_tensor storage: %2 offset: 64 dtype: f32 shape: 2, 2 dst: %3
  alloc_tensor_reg offset: 0 dtype: i32 shape: c[2] dst: %4
  shape_of %4 dst: %5
  load_const c[0] dst: %6
  reshape_tensor %6 shape: c[2] dst: %6
  device_copy %6 device: 0 dst: %6
  load_consti -5 dst: %7
  load_const c[4] dst: %8
  get_field %8, 1 dst: %8
  alloc_adt tag: 3 in: %6, %7, %8, c[1], c[3], c[5], c[6], c[7], c[8] dst: %8
  get_tag %8 dst: %9
  invoke_packed sample.into arity: 1 outputs: 1 in: c[0], %3
  call  sample.same{axis=1} in: %3, %vm, &sample.into, @other, "text" dst: %9
  call  vm.builtin.alloc_shape_heap in: 4 dst: %10
  call  vm.builtin.store_dim in: %10, 1, 7 dst: void
  call  vm.builtin.load_shape in: %10, 0, 1 dst: %11
  kill  %2, %3
  ret   ret %8
.func @other(a: int, b: float, c: bool) -> any
  mul   %0, 3 dst: %3
  div   %3, 2 dst: %3
  mod   %3, 5 dst: %3
  gt    %3, 1 dst: %4
  ge    %3, 1 dst: %5
  and   %4, %5 dst: %4
  or    %4, %5 dst: %4
  not   %4 dst: %4
  eq    %4, %5 dst: %4
  ne    %4, %2 dst: %4
  to_int %4 dst: %4
  to_float %4 dst: %4
  to_bool %4 dst: %4
  ret   ret %4
)";

constexpr std::string_view kSamples[] = {kControl, kMemory};

uint64_t Read64(const std::vector<uint8_t>& file, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value |= uint64_t{file[at + i]} << (8 * i);
  return value;
}
void Write32(uint32_t value, size_t at, std::vector<uint8_t>* file) {
  for (size_t i = 0; i < 4; ++i) (*file)[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

// An argument of the kind a parameter asks for.
Any ArgumentFor(const vm::TypeInfo& type, int depth = 0) {
  switch (type.kind) {
    case vm::TypeInfo::Kind::kTensor: {
      std::vector<int64_t> dims;
      int64_t count = 1;
      for (const vm::Dimension& dim : type.dims) {
        const bool known = dim.kind == vm::Dimension::Kind::kExtent;
        dims.push_back(known ? std::min<int64_t>(dim.value, count < 64 ? 64 : 4) : 2);
        count *= std::max<int64_t>(dims.back(), 1);
      }
      if (dims.size() > 4) return Any();
      Result<TensorPtr> tensor = Tensor::New(type.has_dtype ? type.dtype : kF32, dims);
      return tensor.ok() ? Any(*tensor) : Any();
    }
    case vm::TypeInfo::Kind::kInt: return Any(5);
    case vm::TypeInfo::Kind::kFloat: return Any(0.5);
    case vm::TypeInfo::Kind::kBool: return Any(true);
    case vm::TypeInfo::Kind::kString: return Any("text");
    case vm::TypeInfo::Kind::kDType: return Any(kF32);
    case vm::TypeInfo::Kind::kShape: return Any(Shape::Make({2, 2}));
    case vm::TypeInfo::Kind::kList: return Any(Sequence::Make());
    case vm::TypeInfo::Kind::kClosure: return Any(Closure::Make(0, {}));
    case vm::TypeInfo::Kind::kTuple: {
      std::vector<Any> fields;
      for (const vm::TypeInfo& element : type.elements) {
        if (fields.size() < 8 && depth < 4) fields.push_back(ArgumentFor(element, depth + 1));
      }
      const std::vector<AnyView> views(fields.begin(), fields.end());
      return Any(Adt::Tuple(views));
    }
    case vm::TypeInfo::Kind::kAny: break;
  }
  return Any(3);
}

void RunAll(vm::VirtualMachine* machine) {
  const auto functions = machine->executable().functions();
  for (uint32_t i = 0; i < std::min<size_t>(functions.size(), 4); ++i) {
    if (functions[i].arity() > 16) continue;
    std::vector<Any> args;
    for (const vm::ParameterInfo& parameter : functions[i].signature.parameters()) {
      args.push_back(ArgumentFor(parameter.type));
    }
    const std::vector<AnyView> views(args.begin(), args.end());
    const Result<Any> result = machine->Call(i, views);
    if (!result.ok()) (void)result.status().ToString();
  }
}

}  // namespace

std::span<const std::string_view> SamplePrograms() { return kSamples; }

std::vector<FunctionPtr> SampleFunctions() {
  const auto same = [](AnyArgs args) -> Result<Any> { return args.empty() ? Any() : Any(args[0]); };
  return {Function::FromPacked("sample.into", same),
          Function::FromPacked("sample.same{axis=1}", same)};
}

void Reseal(std::vector<uint8_t>* file) {
  if (file->size() < vm::kHeaderBytes) return;
  const uint64_t count = Read64(*file, 16) & 0xffffffff;
  const uint64_t table = vm::kHeaderBytes + count * vm::kSectionEntryBytes;
  if (count > vm::kMaxSections || table + 4 > file->size()) return;
  for (size_t i = 0; i < count; ++i) {
    const size_t entry = vm::kHeaderBytes + i * vm::kSectionEntryBytes;
    const uint64_t offset = Read64(*file, entry + 8);
    const uint64_t checked = Read64(*file, entry + 24);
    if (offset > file->size() || checked > file->size() - offset) continue;
    const ByteSpan bytes(file->data() + offset, static_cast<size_t>(checked));
    Write32(Crc32c(bytes), entry + 32, file);
  }
  Write32(Crc32c(ByteSpan(file->data(), static_cast<size_t>(table))), static_cast<size_t>(table),
          file);
}

namespace {

// What loads can be saved and printed, and comes back the same.
void CheckLossless(const vm::Executable& executable) {
  const std::vector<uint8_t> saved = vm::SaveExecutable(executable);
  for (const vm::TextForm form :
       {vm::TextForm::kColumns, vm::TextForm::kInstructions, vm::TextForm::kAssignments}) {
    const std::string text = vm::Disassemble(executable, form);
    const Result<vm::ExecutablePtr> again = vm::Assemble(text, "again.tasm");
    if (again.ok() && vm::SaveExecutable(**again) == saved) continue;
    std::fputs(text.c_str(), stderr);
    if (!again.ok()) std::fputs(text::RenderText(again.status()).c_str(), stderr);
    TERN_CHECK(false, "printing and parsing lose nothing");
  }
}

}  // namespace

int Exercise(ByteSpan bytes, Registry* registry) {
  const Result<vm::ExecutablePtr> executable =
      vm::ReadExecutable(bytes, nullptr, vm::ReadOptions{.checks = vm::ConstantChecks::kNever});
  if (!executable.ok()) return 0;
  // Tensor data that does not match its sum is kept with that sum, which text does not have.
  const bool small = (*executable)->instruction_count() < 4096 && bytes.size() < 16384;
  if (small && (*executable)->CheckConstants().ok()) CheckLossless(**executable);
  const std::vector<FunctionPtr> functions = SampleFunctions();
  vm::LinkOptions link;
  link.functions = functions;
  link.max_splat_bytes = 1 << 20;
  Registry empty;
  link.registry = registry == nullptr ? &empty : registry;
  const Result<vm::ProgramPtr> program = vm::Program::Link(*executable, link);
  if (!program.ok()) return 1;
  vm::VmOptions options;
  options.max_instructions = 5000;
  options.max_bytes = 4 << 20;
  options.max_depth = 64;
  options.max_registers = 1 << 16;
  Result<std::unique_ptr<vm::VirtualMachine>> machine =
      vm::VirtualMachine::Create(*program, options);
  if (!machine.ok()) return 1;
  RunAll(machine->get());
  return 2;
}

}  // namespace tern::support
