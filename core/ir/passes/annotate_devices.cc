// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/annotate_devices.h"

#include <map>
#include <unordered_map>

#include "core/ir/rewriter.h"

namespace tern::ir {

namespace {

// Each value has a home, the device that made it, and is copied to another one when it is first
// needed there. Copies are kept, so that a value is copied once per device and block.
class Annotator : public Rewriter {
 public:
  Annotator(text::Diagnostics* diagnostics, const DeviceRule& rule)
      : Rewriter(diagnostics), rule_(rule) {}

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>& plain) override {
    const int device = rule_.device_of(rule_.context, call);
    std::vector<Expr> args;
    for (const Expr& arg : call.args()) args.push_back(On(arg, device));
    // Nothing to do on the host with host values.
    if (device == 0 && args == plain) return nullptr;
    builder().SetName(current().var->name());
    Expr emitted = builder().Emit(call.op(), std::move(args), call.attrs());
    Place(current().var, device, emitted);
    return emitted;
  }

  // A field is on the device of its tuple.
  Expr RewriteItem(const GetItem& item, const Expr& tuple) override {
    const int device = HomeOf(item.tuple());
    if (device == 0) return nullptr;
    Expr field = builder().Field(tuple, item.index());
    Place(current().var, device, field);
    return field;
  }

  // What leaves the function or is passed on is on the host.
  Expr RewriteEscape(const Expr& old) override { return On(old, 0); }

  // Copies that one branch made do not exist in the other, so that places are put back.
  void EnterBlock() override { outside_.push_back(places_); }
  void LeaveBlock() override {
    places_ = std::move(outside_.back());
    outside_.pop_back();
  }

 private:
  struct Places {
    int home = 0;               // where it was made
    std::map<int, Expr> there;  // by device
  };

  void Place(const VarPtr& old, int device, const Expr& now) {
    places_[old.get()] = {device, {{device, now}}};
  }

  int HomeOf(const Expr& old) const {
    const auto found = places_.find(old.get());
    return found == places_.end() ? 0 : found->second.home;
  }

  // The old atom on that device, copied if it is not there yet. Tuples of operators are copied
  // field by field, because device_copy takes tensors.
  Expr On(const Expr& old, int device) {
    const auto found = places_.find(old.get());
    if (found == places_.end() && device == 0) return Map(old);
    if (IsNone(old)) return old;
    Places& places = found == places_.end() ? places_[old.get()] : found->second;
    if (places.there.empty()) places.there[places.home] = Map(old);
    const auto there = places.there.find(device);
    if (there != places.there.end()) return there->second;
    const Expr copy = CopyTo(places.there.at(places.home), device);
    places.there[device] = copy;
    return copy;
  }

  Expr CopyTo(const Expr& value, int device) {
    const types::Type type = TypeOf(value);
    if (!type.is_tuple()) return builder().BindAs(MakeDeviceCopy(value, device), type);
    std::vector<Expr> fields;
    for (size_t i = 0; i < type.elements().size(); ++i)
      fields.push_back(CopyTo(builder().Field(value, static_cast<int>(i)), device));
    return builder().Bind(MakeTuple(std::move(fields)));
  }

  const DeviceRule& rule_;
  std::unordered_map<const Node*, Places> places_;  // by atom of the old function
  std::vector<std::unordered_map<const Node*, Places>> outside_;
};

}  // namespace

Module AnnotateDevices(const Module& module, const PassContext& context) {
  if (context.devices.device_of == nullptr) return module;
  return RewriteModule<Annotator>(module, context.diagnostics, context.devices);
}

}  // namespace tern::ir
