// SPDX-License-Identifier: Apache-2.0
// Nodes as JSON. Ints are bare numbers and floats are wrapped, because JSON has one kind of number
// and 2.0 must not come back as an int.
#include "core/object/graph/serialize_json.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/json_reader.h"
#include "core/base/strings.h"
#include "core/object/graph/serialize_graph.h"
#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"

namespace tern {
namespace {

using Kind = JsonValue::Kind;

// RFC 4648, section 4: the standard alphabet with padding.
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string EncodeBase64(ByteSpan bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t have = std::min<size_t>(bytes.size() - i, 3);
    uint32_t word = 0;
    // Three bytes are four digits of six bits; missing bytes count as zero and their digits become
    // '='.
    for (size_t b = 0; b < 3; ++b) word = word << 8 | (b < have ? bytes[i + b] : 0u);
    for (size_t c = 0; c < 4; ++c) out += c <= have ? kBase64[word >> (18 - 6 * c) & 63] : '=';
  }
  return out;
}

// nullopt where the text is not base64 as EncodeBase64 writes it: one text for one sequence of
// bytes, so bits behind the last byte must be zero.
std::optional<std::vector<uint8_t>> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::vector<uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    // Only the last group may be padded.
    const size_t padding = last && text[i + 3] == '=' ? (text[i + 2] == '=' ? 2 : 1) : 0;
    uint32_t word = 0;
    for (size_t c = 0; c < 4; ++c) {
      // Padding reads as zero digits; find refuses everything else that is no digit, '=' included.
      const size_t digit = c >= 4 - padding ? 0 : kBase64.find(text[i + c]);
      if (digit == std::string_view::npos) return std::nullopt;
      word = word << 6 | static_cast<uint32_t>(digit);
    }
    if ((word & ((1u << (8 * padding)) - 1)) != 0) return std::nullopt;
    for (size_t b = 0; b < 3 - padding; ++b)
      bytes.push_back(static_cast<uint8_t>(word >> (16 - 8 * b)));
  }
  return bytes;
}

class JsonGraphWriter {
 public:
  JsonGraphWriter(const NodeGraph& graph, int indent) : graph_(graph), json_(indent) {}

  std::string Write(const AnyView& root) {
    json_.BeginObject().Field("tern", "object graph").Field("version", 1);
    json_.Key("nodes").BeginArray();
    for (const NodeContent& node : graph_.nodes) Node(node);
    json_.EndArray().Key("value");
    Value(root);
    json_.EndObject();
    return json_.Take();
  }

 private:
  void Node(const NodeContent& node) {
    // Members have names in JSON, so their order is only for readers.
    const NodeKindInfo& info = InfoOf(node.kind);
    json_.BeginObject().Field("kind", info.name);
    if (info.members & kHasText) json_.Field("text", AsText(node.data));
    if (info.members & kHasName) json_.Field("name", std::string_view(node.name));
    if (info.members & kHasTag) json_.Field("tag", node.tag);
    if (info.members & kHasDType) json_.Field("dtype", std::string_view(node.dtype.ToString()));
    if (info.members & kHasDims) json_.Key("dims").Ints(node.dims);
    if (info.members & kHasData) json_.Field("data", std::string_view(EncodeBase64(node.data)));
    if (info.members & kHasNames) {
      json_.Key("names").BeginArray();
      for (const std::string& name : node.names) json_.String(name);
      json_.EndArray();
    }
    if (info.members & kHasValues) {
      json_.Key("values").BeginArray();
      for (const Any& value : node.values) Value(value);
      json_.EndArray();
    }
    json_.EndObject();
  }

  void Value(const AnyView& value) {
    const TernAny& any = value.c_any();
    // A number and not a path: references point to earlier nodes (serialize_graph.h).
    if (!IsWrittenInPlace(value)) {
      json_.BeginObject().Field("ref", graph_.numbers.at(value.object())).EndObject();
      return;
    }
    switch (value.type_code()) {
      case TERN_TYPE_NONE: json_.Null(); return;
      case TERN_TYPE_BOOL: json_.Bool(any.v.i != 0); return;
      case TERN_TYPE_INT: json_.Int(any.v.i); return;
      // JsonWriter writes NaN and infinities as the strings that ParseDouble reads.
      case TERN_TYPE_FLOAT: json_.BeginObject().Field("float", any.v.f).EndObject(); return;
      case TERN_TYPE_DTYPE:
        json_.BeginObject()
            .Field("dtype", std::string_view(DType(any.v.dtype).ToString()))
            .EndObject();
        return;
      case TERN_TYPE_DEVICE: {
        const int64_t device[] = {any.v.device.device_type, any.v.device.device_id};
        json_.BeginObject().Key("device").Ints(device).EndObject();
        return;
      }
      default: break;
    }
    if (const auto text = internal::AnyToText(any)) {
      json_.String(*text);
    } else {
      // CollectGraph has checked it.
      const String utf8 = value.TryCast<UCS4String>()->ToUtf8().value();
      json_.BeginObject().Field("ucs4", utf8.view()).EndObject();
    }
  }

  const NodeGraph& graph_;
  JsonWriter json_;
};

// Reads a JSON tree. Sticky: the first mistake is kept, with the place where it is (`where_`), and
// reading goes on with empty values.
class JsonGraphReader {
 public:
  Result<Any> Read(const JsonValue& json) {
    // The mark and the version come first, so that a foreign document gets a message about that.
    const JsonValue* mark = Member(json, "tern", Kind::kString);
    if (mark != nullptr && mark->text != "object graph") Fail("\"tern\" is not \"object graph\"");
    if (Int(Member(json, "version", Kind::kNumber)) != 1) Fail("only version 1 can be read");
    const JsonValue* nodes = Member(json, "nodes", Kind::kArray);
    // Nodes in their order: a reference finds only those before it.
    for (size_t i = 0; status_.ok() && nodes != nullptr && i < nodes->items.size(); ++i) {
      where_ = StrCat("node ", i);
      Node(nodes->items[i]);
    }
    where_ = "the value";
    const JsonValue* root = json.Find("value");
    if (root == nullptr) Fail("\"value\" is missing");
    Any value = status_.ok() ? Value(*root) : Any();
    if (!status_.ok()) return std::move(status_);
    return value;
  }

 private:
  void Fail(std::string_view what) {
    if (status_.ok()) status_ = Corrupt("JSON object graph, ", where_, ": ", what);
  }
  // The member if it has the kind; else null, and the mistake is noted.
  const JsonValue* Member(const JsonValue& json, std::string_view name, Kind kind) {
    const JsonValue* member = json.Find(name);
    if (member == nullptr) {
      Fail(StrCat(JsonQuote(name), " is missing"));
    } else if (!member->is(kind)) {
      Fail(StrCat(JsonQuote(name), " is ", JsonKindName(member->kind), ", not ",
                  JsonKindName(kind)));
      member = nullptr;
    }
    return member;
  }
  int64_t Int(const JsonValue* json) {
    if (json == nullptr) return 0;
    const std::optional<int64_t> value =
        // Numbers are kept as text by the reader (json_reader.h), so an int64 loses nothing.
        json->is(Kind::kNumber) ? ParseInt64(json->text) : std::nullopt;
    if (!value.has_value()) Fail(StrCat("expected an int, got ", JsonQuote(json->text)));
    return value.value_or(0);
  }
  std::string Text(const JsonValue& json, std::string_view name) {
    const JsonValue* member = Member(json, name, Kind::kString);
    return member == nullptr ? std::string() : member->text;
  }
  std::vector<int64_t> Ints(const JsonValue* json) {
    std::vector<int64_t> values;
    for (size_t i = 0; json != nullptr && i < json->items.size(); ++i)
      values.push_back(Int(&json->items[i]));
    return values;
  }
  DType ReadDType(const std::string& name) {
    Result<DType> dtype = DType::Parse(name);
    if (!dtype.ok()) Fail(dtype.status().message());
    return dtype.ok() ? *dtype : DType();
  }

  void Node(const JsonValue& json) {
    const std::string kind = Text(json, "kind");
    NodeContent node;
    uint8_t number = 1;
    // A dozen kinds, compared by name; the table is shared with the writer.
    while (number <= kNodeKinds && InfoOf(static_cast<NodeKind>(number)).name != kind) ++number;
    if (number > kNodeKinds) Fail(StrCat("unknown kind ", JsonQuote(kind)));
    if (!status_.ok()) return;
    node.kind = static_cast<NodeKind>(number);
    maker_.BeginNode();
    // These outlive Add, which copies what it needs: node.data only points to them.
    std::string text;
    std::vector<uint8_t> data;
    Members(json, InfoOf(node.kind).members, &node, &text, &data);
    if (!status_.ok()) return;
    Status status = maker_.Add(std::move(node));
    if (!status.ok()) Fail(status.message());
  }

  // text and data: where the node's bytes lie.
  void Members(const JsonValue& json, uint8_t members, NodeContent* node, std::string* text,
               std::vector<uint8_t>* data) {
    if (members & kHasText) {
      *text = Text(json, "text");
      node->data = AsBytes(*text);
    }
    if (members & kHasName) node->name = Text(json, "name");
    if (members & kHasTag) node->tag = Int(Member(json, "tag", Kind::kNumber));
    if (members & kHasDType) node->dtype = ReadDType(Text(json, "dtype"));
    if (members & kHasDims) node->dims = Ints(Member(json, "dims", Kind::kArray));
    if (members & kHasData) {
      std::optional<std::vector<uint8_t>> bytes = DecodeBase64(Text(json, "data"));
      if (!bytes.has_value()) Fail("\"data\" is not base64");
      *data = std::move(bytes).value_or(std::vector<uint8_t>());
      node->data = *data;
    }
    if (members & kHasNames) {
      const JsonValue* names = Member(json, "names", Kind::kArray);
      for (size_t i = 0; names != nullptr && i < names->items.size(); ++i) {
        if (!names->items[i].is(Kind::kString)) Fail("a name that is not a string");
        node->names.push_back(names->items[i].text);
      }
    }
    if (members & kHasValues) {
      const JsonValue* values = Member(json, "values", Kind::kArray);
      for (size_t i = 0; status_.ok() && values != nullptr && i < values->items.size(); ++i)
        node->values.push_back(Value(values->items[i]));
    }
  }

  Any Value(const JsonValue& json) {
    switch (json.kind) {
      case Kind::kNull: return Any();
      case Kind::kBool: return Any(json.boolean);
      case Kind::kNumber: return Any(Int(&json));
      case Kind::kString: return Any(std::string_view(json.text));
      case Kind::kArray: Fail("an array where a value belongs"); return Any();
      case Kind::kObject: break;
    }
    // Values that JSON has no form for are objects with one member, whose name says the kind.
    if (json.names.size() != 1) {
      Fail("a value in braces has one name");
      return Any();
    }
    return Special(json.names[0], json.items[0]);
  }

  Any Special(std::string_view name, const JsonValue& json) {
    const bool is_text = json.is(Kind::kString);
    // A reference that is no int reads as 0 and has noted the mistake already.
    if (name == "ref") return Ref(Int(&json));
    if (name == "float" && (is_text || json.is(Kind::kNumber))) {
      const std::optional<double> value = ParseDouble(json.text);
      if (!value.has_value()) Fail(StrCat("expected a float, got ", JsonQuote(json.text)));
      return Any(value.value_or(0));
    }
    if (name == "ucs4" && is_text) {
      // Invalid text was refused when the JSON was parsed.
      Result<UCS4String> text = UCS4String::FromUtf8(json.text);
      return text.ok() ? Any(std::move(text).value()) : Any();
    }
    if (name == "dtype" && is_text) return Any(ReadDType(json.text));
    if (name == "device" && json.is(Kind::kArray) && json.items.size() == 2) {
      TernAny any = internal::MakeAny(TERN_TYPE_DEVICE);
      any.v.device.device_type = static_cast<int32_t>(Int(&json.items[0]));
      any.v.device.device_id = static_cast<int32_t>(Int(&json.items[1]));
      return Any(AnyView(any));
    }
    Fail(StrCat("{", JsonQuote(name), ": …} is not a value"));
    return Any();
  }

  Any Ref(int64_t number) {
    if (status_.ok() && number >= 0 && static_cast<uint64_t>(number) < maker_.size())
      return maker_.Ref(static_cast<uint64_t>(number));
    Fail(StrCat("a reference to node ", number, " where there are ", maker_.size()));
    return Any();
  }

  GraphMaker maker_;
  Status status_;
  std::string where_ = "the head";
};

}  // namespace

Result<std::string> SerializeJson(const AnyView& value, int indent) {
  TERN_TRY_ASSIGN(const NodeGraph graph, CollectGraph(value, /*for_json=*/true));
  return JsonGraphWriter(graph, indent).Write(value);
}

Result<Any> DeserializeJson(std::string_view json) {
  TERN_TRY_ASSIGN(const JsonValue parsed, ParseJson(json));
  return JsonGraphReader().Read(parsed);
}

}  // namespace tern
