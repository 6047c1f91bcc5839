// SPDX-License-Identifier: Apache-2.0
// Backends are rare to set and read by every machine that is made: a table is never written once it
// can be seen, a change puts a new one in its place.
#include "core/vm/program_kernels.h"

#include <unordered_map>
#include <utility>

#include "core/vm/linker.h"

namespace tern::vm {

KernelTablePtr KernelSlot::Get() const {
  const SpinLockGuard guard(&lock_);
  return table_;
}

void KernelSlot::Set(const Program& program, std::vector<FunctionBackend> backends) {
  KernelTablePtr old;  // ends, with what it alone held, after both locks
  // Writers exclude each other; readers only wait for the exchange of a pointer below.
  const SpinLockGuard writing(&writing_);
  auto next = std::make_shared<KernelTable>();
  // A change starts from the table of now, so earlier changes by others are kept.
  const KernelTablePtr now = Get();
  if (now != nullptr) {
    *next = *now;
  } else {
    next->backends.resize(program.executable().functions().size());
    next->code.assign(program.code().begin(), program.code().end());
    next->plain_code.assign(program.plain_code().begin(), program.plain_code().end());
  }
  for (FunctionBackend& set : backends) {
    MarkReplaced(program, set.function, set.backend.replacement.function != nullptr, &next->code,
                 &next->plain_code);
    next->backends[set.function] = std::move(set.backend);
  }
  // From here on `old` is the new table, until the swap makes it the old one.
  old = std::move(next);
  const SpinLockGuard guard(&lock_);
  std::swap(table_, old);
}

// Works on copies of the program's code. In plain code only calls of bytecode functions can be
// marked.
void MarkReplaced(const Program& program, uint32_t function, bool replaced,
                  std::vector<DecodedOp>* code, std::vector<DecodedOp>* plain_code) {
  const std::span<const DecodedOp> plain = program.plain_code();
  for (size_t i = 0; i < plain.size(); ++i) {
    const bool is_tail = plain[i].handler == Handler::kTailInvoke;
    if ((!is_tail && plain[i].handler != Handler::kInvoke) ||
        static_cast<uint32_t>(plain[i].a) != function)
      continue;
    // A replaced call has plain operands: the native handlers read them as registers, not offsets.
    (*code)[i] = replaced ? plain[i] : program.code()[i];
    (*plain_code)[i] = plain[i];
    if (!replaced) continue;
    (*code)[i].handler = (*plain_code)[i].handler =
        is_tail ? Handler::kTailInvokeNative : Handler::kInvokeNative;
  }
}

bool HasOperators(const Program& program, uint32_t function) {
  const FunctionInfo& info = program.executable().functions()[function];
  for (uint32_t i = 0; i < info.instruction_count; ++i) {
    const Handler handler = program.plain_code()[info.first_instruction + i].handler;
    if (handler == Handler::kFatal) return false;
    // Constants may be loaded, and registers killed, before the fatal: that is how its message gets
    // there.
    if (handler != Handler::kLoadConst && handler != Handler::kKill) return true;
  }
  return true;
}

namespace {

// What is told when nothing was set depends on the function: its operators run, or it cannot.
void FindBackend(const Program& program, const KernelTable* table, KernelRow* row) {
  const FunctionInfo* info = program.executable().FindFunction(row->name);
  row->backend = "none";
  row->why = "the executable has no function of that name";
  if (info == nullptr) return;
  const auto function = static_cast<uint32_t>(info - program.executable().functions().data());
  row->signature = &info->signature;
  row->has_operators = HasOperators(program, function);
  row->backend = row->has_operators ? "operators" : "none";
  row->why = "nothing was prepared for it";
  if (table == nullptr) return;
  const KernelBackend& set = table->backends[function];
  const char *backend = set.backend.c_str(), *why = set.why.c_str();
  // Backends that compile in the background say how far they are.
  if (set.describe != nullptr) set.describe(set.replacement.context, &backend, &why);
  if (*backend == '\0') return;
  row->backend = backend;
  row->why = why;
}

}  // namespace

std::vector<KernelRow> ListKernels(const Program& program) {
  const KernelTablePtr table = program.kernels();
  std::vector<KernelRow> rows;
  std::unordered_map<std::string_view, size_t> index;
  for (const KernelInfo& kernel : program.executable().kernels()) {
    // Several formats of one kernel are one row, at the place of the first.
    const auto [at, is_new] = index.try_emplace(kernel.name, rows.size());
    if (is_new) rows.emplace_back().name = kernel.name;
    rows[at->second].formats.push_back(kernel.format);
  }
  for (KernelRow& row : rows) FindBackend(program, table.get(), &row);
  return rows;
}

void WriteKernelsJson(const Program& program, JsonWriter* json) {
  json->BeginArray();
  for (const KernelRow& row : ListKernels(program)) {
    json->BeginObject().Field("name", row.name).Key("formats").BeginArray();
    for (const std::string_view format : row.formats) json->String(format);
    json->EndArray().Key("signature");
    if (row.signature != nullptr)
      json->String(row.signature->ToText());
    else
      json->Null();
    json->Field("operators", row.has_operators).Field("backend", row.backend).Field("why", row.why);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace tern::vm
