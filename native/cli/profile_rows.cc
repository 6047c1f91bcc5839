// SPDX-License-Identifier: Apache-2.0
#include "native/cli/profile_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/base/columns.h"
#include "core/base/strings.h"
#include "native/cli/api_json.h"

namespace tern::cli {
namespace {

double NumberOf(const JsonValue& object, std::string_view name) {
  // Numbers of JSON are kept as texts; a member that is not there counts 0.
  return ParseDouble(OptionalTextOf(object, name)).value_or(0);
}

// "call conv2d{…} in: %0" calls "conv2d"; other instructions are called by their mnemonic.
std::string CalleeOf(const JsonValue& instruction) {
  const std::string& text = TextOf(instruction, "text");
  const std::string& opcode = TextOf(instruction, "opcode");
  if (opcode != "call") return opcode;
  const std::string_view callee = StrTrim(std::string_view(text).substr(opcode.size()));
  return std::string(callee.substr(0, callee.find_first_of(" {")));
}

// "prog.tn:12", or what a model says: the name of a node.
std::string SourceOf(const JsonValue& instruction) {
  const std::string source = OptionalTextOf(instruction, "source");
  const std::string line = OptionalTextOf(instruction, "line");
  return line.empty() ? source : StrCat(source, ":", line);
}

void AddText(std::string_view name, std::string text, JsonValue* object) {
  JsonValue value;
  value.kind = JsonValue::Kind::kString;
  value.text = std::move(text);
  object->names.emplace_back(name);
  object->items.push_back(std::move(value));
}

// "name" of an operator is "conv2d{strides=2,2}": by op the attributes are left out.
std::string_view PlainName(std::string_view name) { return name.substr(0, name.find('{')); }

struct Key {
  std::string name, shapes;
  bool operator<(const Key& other) const {
    return std::tie(name, shapes) < std::tie(other.name, other.shapes);
  }
};

Key KeyOf(const JsonValue& item, std::string_view by) {
  if (by == "op") return {std::string(PlainName(TextOf(item, "name"))), {}};
  // The first argument types that were seen; shapes_vary says that there were others.
  if (by == "shape") return {TextOf(item, "name"), OptionalTextOf(item, "shapes")};
  if (by == "pc")
    return {
        StrCat("@", TextOf(item, "function"), ":", TextOf(item, "pc"), " ", TextOf(item, "name")),
        {}};
  const std::string source = TextOf(item, "source");
  return {source.empty() ? "(no source)" : source, {}};
}

Status NotComparable(const std::string& file, std::string_view why) {
  return Corrupt("'", file, "' is no profile that can be compared: ", why)
      .SetErrorCode("E0502")
      .AddNote("help: tern profile FILE --format json writes one")
      .Clone();
}

std::vector<std::string_view> MembersOf(std::string_view by) {
  // Asked for before they are read: a profile may come from an older version, or be no profile.
  if (by == "pc") return {"name", "function", "pc", "count", "totalNs"};
  if (by == "source") return {"source", "count", "totalNs"};
  return {"name", "count", "totalNs"};
}

// The largest first; of equal ones by name, so that the order is always the same.
template <typename Size>
void SortBy(std::vector<ProfileRow>* rows, Size size) {
  std::sort(rows->begin(), rows->end(), [&](const ProfileRow& a, const ProfileRow& b) {
    if (size(a) != size(b)) return size(a) > size(b);
    return std::tie(a.name, a.shapes) < std::tie(b.name, b.shapes);
  });
}

double SumOf(const std::vector<ProfileRow>& rows) {
  double sum = 0;
  for (const ProfileRow& row : rows) sum += row.ns;
  return sum;
}

// "x 1.25", "new", "gone"
std::string ChangeOf(const ProfileRow& row) {
  // In the profile before, or in this one, there was no such row.
  if (row.base_count == 0) return "new";
  if (row.count == 0) return "gone";
  return row.base_ns > 0 ? StrCat("x ", FormatFixed(row.ns / row.base_ns, 2)) : "";
}

// A row stays readable; what was cut can be found in the JSON.
constexpr size_t kWidest = 60;
std::string Cut(const std::string& text) {
  return text.size() <= kWidest ? text : StrCat(text.substr(0, kWidest - 3), "...");
}

std::string ShapesText(const ProfileRow& row) {
  return row.shapes_vary ? StrCat(Cut(row.shapes), " and others") : Cut(row.shapes);
}

// What is left out below the first `shown`.
ProfileRow RestOf(const std::vector<ProfileRow>& rows, size_t shown) {
  ProfileRow rest;
  for (size_t i = shown; i < rows.size(); ++i) {
    rest.count += rows[i].count;
    rest.ns += rows[i].ns;
    rest.operations += rows[i].operations;
    rest.bytes += rows[i].bytes;
    rest.allocated += rows[i].allocated;
    rest.base_count += rows[i].base_count;
    rest.base_ns += rows[i].base_ns;
  }
  return rest;
}

size_t ShownOf(const std::vector<ProfileRow>& rows, const ProfileView& view) {
  return view.top == 0 ? rows.size() : std::min(view.top, rows.size());
}

std::string Line(const ProfileRow& row, size_t width, double sum, const ProfileView& view) {
  const double mean = row.count == 0 ? 0 : row.ns / static_cast<double>(row.count);
  std::string line = StrCat(
      AlignLeft(Cut(row.name), width), AlignRight(StrCat(row.count), 11),
      AlignRight(FormatFixed(row.ns / 1e6, 3), 11), AlignRight(FormatFixed(mean / 1e3, 3), 11),
      AlignRight(FormatFixed(sum > 0 ? 100 * row.ns / sum : 0, 1), 7),
      WorkColumns({row.operations, row.bytes, row.allocated, row.ns}));
  if (view.has_base)
    StrAppend(&line, AlignRight(FormatFixed(row.base_ns / 1e6, 3), 11),
              AlignRight(ChangeOf(row), 9));
  const std::string shapes = ShapesText(row);
  if (!shapes.empty()) StrAppend(&line, "  ", shapes);
  return StrCat(StrTrim(line), "\n");  // the last cells may be empty
}

}  // namespace

JsonValue JoinProfile(const JsonValue& profile, const JsonValue& listing) {
  const std::vector<JsonValue>& instructions = Member(listing, "instructions").items;
  std::vector<std::string> functions(instructions.size());
  // A profile knows instructions by number; the listing of the program knows what they are.
  for (const JsonValue& function : Member(listing, "functions").items) {
    const auto first = static_cast<size_t>(NumberOf(function, "first"));
    const auto end = first + static_cast<size_t>(NumberOf(function, "count"));
    for (size_t pc = first; pc < std::min(end, functions.size()); ++pc)
      functions[pc] = TextOf(function, "name");
  }
  JsonValue joined = profile;
  for (size_t i = 0; i < joined.items.size(); ++i) {
    if (joined.names[i] != "instructions") continue;
    for (JsonValue& each : joined.items[i].items) {
      const auto pc = static_cast<size_t>(NumberOf(each, "pc"));
      if (pc >= instructions.size()) continue;
      AddText("function", functions[pc], &each);
      AddText("name", CalleeOf(instructions[pc]), &each);
      AddText("source", SourceOf(instructions[pc]), &each);
    }
  }
  return joined;
}

Result<std::vector<ProfileRow>> RowsOf(const JsonValue& profile, std::string_view by,
                                       const std::string& file) {
  const std::string_view list = by == "pc" || by == "source" ? "instructions" : "operators";
  const JsonValue* const items = profile.Find(list);
  if (items == nullptr || !items->is(JsonValue::Kind::kArray))
    return NotComparable(file, StrCat("it has no list '", list, "'"));
  // Ordered by name, so that sums and ties come out alike each time.
  std::map<Key, ProfileRow> found;
  for (const JsonValue& item : items->items) {
    for (const std::string_view member : MembersOf(by))
      if (item.Find(member) == nullptr)
        return NotComparable(file, StrCat("one of its ", list, " lacks '", member, "'"));
    ProfileRow& row = found[KeyOf(item, by)];
    row.count += static_cast<uint64_t>(NumberOf(item, "count"));
    row.ns += NumberOf(item, "totalNs");
    // A profile of an older version lacks them.
    row.operations += NumberOf(item, "operations");
    row.bytes += NumberOf(item, "bytes");
    row.allocated += NumberOf(item, "allocated");
    const JsonValue* const vary = item.Find("shapesVary");
    row.shapes_vary = by == "shape" && vary != nullptr && vary->boolean;
  }
  std::vector<ProfileRow> rows;
  for (auto& [key, row] : found) {
    row.name = key.name;
    row.shapes = key.shapes;
    rows.push_back(std::move(row));
  }
  SortBy(&rows, [](const ProfileRow& row) { return row.ns; });
  return rows;
}

void AddBase(const std::vector<ProfileRow>& base, std::vector<ProfileRow>* rows) {
  for (const ProfileRow& old : base) {
    const auto same = std::find_if(rows->begin(), rows->end(), [&](const ProfileRow& row) {
      return row.name == old.name && row.shapes == old.shapes;
    });
    const auto row = same != rows->end() ? same : rows->insert(rows->end(), ProfileRow());
    row->name = old.name;
    row->shapes = old.shapes;
    row->base_count = old.count;
    row->base_ns = old.ns;
  }
  // By what changed most, whichever way.
  SortBy(rows, [](const ProfileRow& row) { return std::abs(row.ns - row.base_ns); });
}

std::string ProfileTable(const std::vector<ProfileRow>& rows, const ProfileView& view) {
  const size_t shown = ShownOf(rows, view);
  const double sum = SumOf(rows);
  size_t width = 11;
  for (size_t i = 0; i < shown; ++i) width = std::max(width, Cut(rows[i].name).size());
  std::string text = StrCat(AlignLeft(std::string(view.by), width),
                            "      count   total ms    mean us      %", kWorkHeadings,
                            view.has_base ? "  before ms   change" : "",
                            view.by == "shape" ? "  arguments" : "", "\n");
  for (size_t i = 0; i < shown; ++i) text += Line(rows[i], width, sum, view);
  if (shown < rows.size()) {
    ProfileRow rest = RestOf(rows, shown);
    rest.name = StrCat(rows.size() - shown, " others");
    text += Line(rest, width, sum, view);
  }
  // The difference is the machine's own work and the profiler's.
  StrAppend(&text, "in all ", FormatFixed(view.total_ns / 1e6, 3), " ms, of which ",
            FormatFixed(sum / 1e6, 3), " ms in instructions");
  if (view.has_base) StrAppend(&text, "; before ", FormatFixed(view.base_total_ns / 1e6, 3), " ms");
  return text + "\n";
}

void WriteProfile(const std::vector<ProfileRow>& rows, const ProfileView& view, JsonWriter* json) {
  const size_t shown = ShownOf(rows, view);
  const double sum = SumOf(rows);
  const auto write = [&](const ProfileRow& row) {
    json->Field("count", row.count).Field("total_ns", row.ns);
    json->Field("share", sum > 0 ? row.ns / sum : 0.0);
    json->Field("operations", row.operations).Field("bytes", row.bytes);
    json->Field("allocated", row.allocated);
    if (view.has_base) json->Field("base_count", row.base_count).Field("base_ns", row.base_ns);
  };
  json->Field("by", view.by).Field("total_ns", view.total_ns);
  if (view.has_base) json->Field("base_total_ns", view.base_total_ns);
  json->Key("rows").BeginArray();
  for (size_t i = 0; i < shown; ++i) {
    json->BeginObject().Field("name", rows[i].name);
    write(rows[i]);
    if (view.by == "shape")
      json->Field("shapes", rows[i].shapes).Field("shapes_vary", rows[i].shapes_vary);
    json->EndObject();
  }
  json->EndArray().Key("left_out").BeginObject().Field("rows", uint64_t{rows.size() - shown});
  write(RestOf(rows, shown));
  json->EndObject();
}

}  // namespace tern::cli
