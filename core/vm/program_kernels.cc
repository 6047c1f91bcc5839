// SPDX-License-Identifier: Apache-2.0
// Roads are rare to set and read by every machine that is made: a table is never written once it
// can be seen, a change puts a new one in its place.
#include "core/vm/program_kernels.h"

#include <algorithm>
#include <utility>

#include "core/vm/linker.h"

namespace tern::vm {

KernelTablePtr KernelSlot::Get() const {
  const SpinLockGuard guard(&lock_);
  return table_;
}

void KernelSlot::Set(const Program& program, uint32_t function, KernelRoad road) {
  KernelTablePtr old;  // ends, with what it alone held, after both locks
  const SpinLockGuard writing(&writing_);
  auto next = std::make_shared<KernelTable>();
  const KernelTablePtr now = Get();
  if (now != nullptr) {
    *next = *now;
  } else {
    next->roads.resize(program.executable().functions().size());
    next->code.assign(program.code().begin(), program.code().end());
    next->plain_code.assign(program.plain_code().begin(), program.plain_code().end());
  }
  MarkReplaced(program, function, road.replacement.function != nullptr, &next->code,
               &next->plain_code);
  next->roads[function] = std::move(road);
  old = std::move(next);
  const SpinLockGuard guard(&lock_);
  std::swap(table_, old);
}

void MarkReplaced(const Program& program, uint32_t function, bool replaced,
                  std::vector<DecodedOp>* code, std::vector<DecodedOp>* plain_code) {
  const std::span<const DecodedOp> plain = program.plain_code();
  for (size_t i = 0; i < plain.size(); ++i) {
    const bool is_tail = plain[i].handler == Handler::kTailInvoke;
    if ((!is_tail && plain[i].handler != Handler::kInvoke) ||
        static_cast<uint32_t>(plain[i].a) != function)
      continue;
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
    if (handler != Handler::kLoadConst && handler != Handler::kKill) return true;
  }
  return true;
}

namespace {

void WriteRoad(const Program& program, uint32_t function, const KernelTable* table,
               JsonWriter* json) {
  json->Field("signature", program.executable().functions()[function].signature.ToText());
  const bool has_operators = HasOperators(program, function);
  json->Field("operators", has_operators);
  const KernelRoad* set = table != nullptr ? &table->roads[function] : nullptr;
  if (set != nullptr && set->describe != nullptr) {
    const char *road = "", *why = "";
    set->describe(set->replacement.context, &road, &why);
    json->Field("road", road).Field("why", why);
  } else if (set != nullptr && !set->road.empty()) {
    json->Field("road", set->road).Field("why", set->why);
  } else {
    json->Field("road", has_operators ? "operators" : "none")
        .Field("why", "nothing was prepared for it");
  }
}

}  // namespace

void WriteKernelsJson(const Program& program, JsonWriter* json) {
  const KernelTablePtr table = program.kernels();
  const std::span<const KernelInfo> kernels = program.executable().kernels();
  std::vector<std::string_view> names;
  for (const KernelInfo& kernel : kernels) {
    if (std::find(names.begin(), names.end(), kernel.name) == names.end())
      names.push_back(kernel.name);
  }
  json->BeginArray();
  for (const std::string_view name : names) {
    json->BeginObject().Field("name", name).Key("formats").BeginArray();
    for (const KernelInfo& kernel : kernels) {
      if (kernel.name == name) json->String(kernel.format);
    }
    json->EndArray();
    const FunctionInfo* info = program.executable().FindFunction(name);
    if (info != nullptr) {
      const auto function = static_cast<uint32_t>(info - program.executable().functions().data());
      WriteRoad(program, function, table.get(), json);
    } else {
      json->Key("signature").Null().Field("operators", false).Field("road", "none");
      json->Field("why", "the executable has no function of that name");
    }
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace tern::vm
