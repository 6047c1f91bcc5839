// SPDX-License-Identifier: Apache-2.0
#include "native/cli/memory_svg.h"

#include <algorithm>

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/report.h"
#include "native/cli/svg.h"

namespace tern::cli {
namespace {

constexpr double kLeft = 20, kWidth = 1000, kHeight = 420, kHead = 56, kFoot = 40;

double Number(const JsonValue& object, std::string_view name) {
  return ParseDouble(OptionalTextOf(object, name)).value_or(0);
}

std::string Bytes(double bytes) { return FormatBytes(static_cast<uint64_t>(bytes)); }

// One function's plan: where it begins in the picture and what it is made of.
class PlanPicture {
 public:
  PlanPicture(const JsonValue& function, double top, Svg* svg)
      : function_(function), at_(Member(function, "at")), top_(top), svg_(svg) {
    for (const JsonValue& tensor : Member(function, "tensors").items)
      steps_ = std::max(steps_, Number(tensor, "last") + 1);
  }

  void Draw() {
    const double planned = Number(at_, "planned");
    svg_->Text(kLeft, top_ + 22, StrCat("@", TextOf(function_, "name")), 16);
    svg_->Text(kLeft, top_ + 42,
               StrCat(Bytes(planned), " planned, ", Bytes(Number(at_, "live")), " alive at once, ",
                      Bytes(Number(at_, "before")), " if nothing shared a place"));
    const double floor = top_ + kHead + kHeight;
    svg_->Line(kLeft, floor, kLeft + kWidth, floor);
    svg_->Text(kLeft, floor + 18, "first binding");
    svg_->Text(kLeft + kWidth, floor + 18, "last binding", 12, "end");
    const std::vector<JsonValue>& tensors = Member(function_, "tensors").items;
    const std::vector<JsonValue>& places = Member(at_, "tensors").items;
    // The same tensors in the same order: what does not depend on extents, and what does.
    for (size_t i = 0; i < std::min(tensors.size(), places.size()); ++i)
      DrawTensor(tensors[i], places[i], std::max(planned, 1.0), floor);
  }

 private:
  void DrawTensor(const JsonValue& tensor, const JsonValue& place, double planned, double floor) {
    const double bytes = Number(place, "bytes"), base = Number(place, "base");
    const double first = Number(tensor, "first"), last = Number(tensor, "last");
    const double x = kLeft + kWidth * first / steps_;
    const double width = kWidth * (last + 1 - first) / steps_;
    // A small tensor is drawn all the same, as a line.
    const double height = std::max(kHeight * bytes / planned, 1.0);
    const double y = floor - kHeight * base / planned - height;
    const std::string& name = TextOf(tensor, "name");
    const std::string hint =
        StrCat(name, ": ", TextOf(tensor, "type"), ", ", Bytes(bytes), " at ", base, ", bindings ",
               first, " to ", last, ", ", OptionalTextOf(place, "origin"));
    svg_->Rect(x, y, width, height, Number(tensor, "storage") < 0 ? "own" : "box", hint);
    // What does not fit inside would lie over its neighbours.
    const bool has_room = height >= 14 && width >= 8.0 * static_cast<double>(name.size());
    if (has_room) svg_->Text(x + 4, y + 12, name, 11);
  }

  const JsonValue& function_;
  const JsonValue& at_;
  double top_;
  Svg* svg_;
  double steps_ = 1;
};

}  // namespace

Result<std::string> MemorySvg(const JsonValue& plan) {
  const std::vector<JsonValue>& functions = Member(plan, "functions").items;
  for (const JsonValue& function : functions) {
    // "at" is there where every extent is known.
    if (function.Find("at") != nullptr) continue;
    return UsageError("E0005", StrCat("--svg: tensors of @", TextOf(function, "name"),
                                      " have symbolic sizes, which a picture cannot show"))
        .AddNote("help: give every symbol an extent, such as --dim batch=1")
        .Clone();
  }
  Svg svg(
      "Memory plan",
      "Bindings of each function from left to right, addresses upwards; a box is a tensor, from "
      "where it is made to where it is last used.");
  constexpr double kEach = kHead + kHeight + kFoot;
  for (size_t i = 0; i < functions.size(); ++i)
    PlanPicture(functions[i], kEach * static_cast<double>(i), &svg).Draw();
  return svg.Take(kWidth + 2 * kLeft, kEach * static_cast<double>(functions.size()) + kLeft);
}

}  // namespace tern::cli
