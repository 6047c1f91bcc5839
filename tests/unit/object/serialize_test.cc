// SPDX-License-Identifier: Apache-2.0
// Graphs through bytes and through JSON, and bytes and JSON that are no graphs.
#include "core/object/graph/serialize_binary.h"

#include <cmath>
#include <cstring>
#include <string>

#include "core/object/containers/adt.h"
#include "core/object/containers/array.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/list.h"
#include "core/object/containers/map.h"
#include "core/object/error.h"
#include "core/object/function.h"
#include "core/object/graph/print.h"
#include "core/object/graph/serialize_graph.h"
#include "core/object/graph/serialize_json.h"
#include "core/object/graph/structural_equal.h"
#include "core/object/graph/structural_hash.h"
#include "core/object/registry.h"
#include "core/object/rfc97/dict.h"
#include "core/object/rfc97/module.h"
#include "core/object/shape.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/tensor.h"
#include "tests/unit/object/counting.h"
#include "tests/unit/object/sample_graphs.h"
#include "tests/unit/object/sketch_types.h"

namespace tern::serialize_test {
namespace {

using SerializeTest = CountedTest;

void ExpectRoundTrip(const AnyView& value) {
  const Result<std::vector<uint8_t>> bytes = SerializeBinary(value);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  const Result<Any> back = DeserializeBinary(*bytes);
  ASSERT_TRUE(back.ok()) << back.status().message();
  const EqualOptions sharing{.compare_sharing = true};
  const std::optional<Difference> difference = FirstDifference(value, *back, sharing);
  EXPECT_FALSE(difference.has_value()) << difference->path << ": " << difference->what;
  EXPECT_EQ(StructuralHash(value).value(), StructuralHash(*back).value());
  EXPECT_EQ(SerializeBinary(*back).value(), *bytes) << "one graph, one form";

  const Result<std::string> json = SerializeJson(value);
  ASSERT_TRUE(json.ok()) << json.status().message();
  const Result<Any> again = DeserializeJson(*json);
  ASSERT_TRUE(again.ok()) << again.status().message() << *json;
  EXPECT_TRUE(StructuralEqual(value, *again, sharing)) << *json;
  EXPECT_EQ(SerializeJson(*again).value(), *json);
}

TEST_F(SerializeTest, D34EverySampleComesBackEqual) {
  RegisterSketchTypes();
  for (const Any& sample : SampleGraphs()) {
    SCOPED_TRACE(PrintValue(sample));
    ExpectRoundTrip(sample);
  }
}

TEST_F(SerializeTest, D34KindsAreKept) {
  const Any list = Any(List<>({Any(List<>({1})), Any(Array<>({1})), Any(Map<>{{"a", 1}}),
                               Any(Dict<>({{"a", 1}})), Any(1.0), Any(-0.0)}));
  for (const Any& back : {DeserializeBinary(SerializeBinary(list).value()).value(),
                          DeserializeJson(SerializeJson(list).value()).value()}) {
    const Sequence& items = *back.TryCast<Sequence>();
    EXPECT_FALSE(items[0].TryCast<Sequence>()->is_frozen());
    EXPECT_TRUE(items[1].TryCast<Sequence>()->is_frozen());
    EXPECT_TRUE(items[2].TryCast<Table>()->is_frozen());
    EXPECT_FALSE(items[3].TryCast<Table>()->is_frozen());
    EXPECT_EQ(items[4].type_code(), TERN_TYPE_FLOAT);
    EXPECT_TRUE(std::signbit(*items[5].TryCast<double>()));
  }
}

TEST_F(SerializeTest, D34SharedNodesStayShared) {
  const TensorPtr tensor = Tensor::FromValues<float>({1, 2}, {2}).value();
  const Any list = Any(List<>({Any(tensor), Any(tensor), Any(std::string(100, 'x'))}));
  const std::vector<uint8_t> bytes = SerializeBinary(list).value();
  const Any back = DeserializeBinary(bytes).value();
  const Sequence& items = *back.TryCast<Sequence>();
  EXPECT_EQ(items[0].object(), items[1].object());
  EXPECT_EQ(items[0].object()->ref_count(), 2);
  const Any twice = Any(List<>({list, list}));
  EXPECT_LT(SerializeBinary(twice).value().size(), bytes.size() + 10) << "written once";
}

TEST_F(SerializeTest, D34FunctionsByTheirRegisteredName) {
  const FunctionPtr f = Function::FromTyped("serialize_test.f", [](int64_t x) { return x; });
  const Any list = Any(List<>({Any(f)}));
  EXPECT_EQ(
      SerializeBinary(list).status().message(),
      "cannot be serialized: [0] is the function 'serialize_test.f', which is not registered");
  ASSERT_TRUE(Registry::Global().Register(f).ok());
  const std::vector<uint8_t> bytes = SerializeBinary(list).value();
  EXPECT_EQ((*DeserializeBinary(bytes).value().TryCast<Sequence>())[0].object(), f.get());
  Registry::Global().Remove("serialize_test.f");
  const Status status = DeserializeBinary(bytes).status().Clone();
  EXPECT_NE(status.message().find("serialize_test.f"), std::string_view::npos) << status.message();
}

ObjectPtr<Error> MakeSampleError() {
  const ObjectPtr<Error> cause = Error::Make(NotFound("no file 'a.bin'").SetErrorCode("E0901"));
  const ObjectPtr<Error> error =
      Error::Make(Failed("the model cannot be loaded").AddNote("check the path"), cause);
  error->AddFrame({"load"});
  error->AddFrame({.function = "main", .pc = 12});
  return error;
}

TEST_F(SerializeTest, D34ErrorsKeepKindMessageNotesCauseAndFrames) {
  const ObjectPtr<Error> error = MakeSampleError();
  ExpectRoundTrip(Any(error));
  ExpectRoundTrip(Any(List<>({Any(error), Any(error)})));
  for (const Any& back : {DeserializeBinary(SerializeBinary(error).value()).value(),
                          DeserializeJson(SerializeJson(error).value()).value()}) {
    const Error& again = *back.TryCast<Error>();
    EXPECT_EQ(again.ToStatus().ToString(), error->ToStatus().ToString());
    EXPECT_EQ(again.cause()->status().error_code(), "E0901");
    EXPECT_EQ(again.frames()[1].pc, 12);
  }
  EXPECT_TRUE(StructuralEqual(error, MakeSampleError()));
  const ObjectPtr<Error> other = MakeSampleError();
  other->AddFrame({"outer"});
  const std::optional<Difference> difference = FirstDifference(error, other);
  EXPECT_EQ(difference->path, ".frames") << difference->what;
  EXPECT_EQ(*GetField(*error, "kind").value().As<std::string>(), "failed");
}

TEST_F(SerializeTest, D34BadErrorsAreRefused) {
  const auto read = [](std::string_view nodes, std::string_view values) {
    return DeserializeJson(StrCat(
        R"({"tern":"object graph","version":1,"nodes":[{"kind":"array","values":[]},)", nodes,
        R"({"kind":"object","name":"error","names":["kind","message","code","notes","cause",)",
        R"("frames"],"values":)", values, R"(}],"value":{"ref":1}})"));
  };
  const auto error = [&read](std::string_view values, std::string_view nodes = "") {
    return std::string(read(nodes, values).status().message());
  };
  EXPECT_TRUE(read("", R"(["failed","m","",{"ref":0},null,{"ref":0}])").ok());
  EXPECT_EQ(error(R"(["sad","m","",{"ref":0},null,{"ref":0}])"),
            "JSON object graph, node 1: an error of the unknown kind 'sad'");
  EXPECT_EQ(error(R"(["ok","m","",{"ref":0},null,{"ref":0}])"),
            "JSON object graph, node 1: an error of the unknown kind 'ok'");
  EXPECT_EQ(error(R"(["failed",7,"",{"ref":0},null,{"ref":0}])"),
            "JSON object graph, node 1: expected string, got int 7");
  EXPECT_EQ(error(R"(["failed","m","",{"ref":0},{"ref":0},{"ref":0}])"),
            "JSON object graph, node 1: expected error, got list");
  EXPECT_EQ(error(R"(["failed","m","",5,null,{"ref":0}])"),
            "JSON object graph, node 1: expected list, got int 5");
  EXPECT_EQ(
      error(R"(["failed","m","",{"ref":0},null,{"ref":1}])", R"({"kind":"array","values":[3]},)"),
      "JSON object graph, node 2: expected adt, got int 3");
  EXPECT_EQ(error(R"(["failed","m","",{"ref":0},null,{"ref":2}])",
                  R"({"kind":"adt","tag":0,"values":["f","x"]},)"
                  R"({"kind":"array","values":[{"ref":1}]},)"),
            "JSON object graph, node 3: a frame of an error is not (function, pc)");
  EXPECT_EQ(
      error(R"(["failed","m","",{"ref":1},null,{"ref":0}])", R"({"kind":"array","values":[3]},)"),
      "JSON object graph, node 2: expected string, got int 3");
}

std::string Refusal(const AnyView& value) {
  const Result<std::vector<uint8_t>> bytes = SerializeBinary(value);
  const Result<std::string> json = SerializeJson(value);
  if (bytes.ok() || json.ok()) return "accepted";
  EXPECT_EQ(bytes.status().message(), json.status().message());
  return std::string(bytes.status().message());
}

TEST_F(SerializeTest, D34CyclesAreRefusedWithTheirPath) {
  RegisterSketchTypes();
  List<> ring({1});
  ring.PushBack(Any(ring));
  EXPECT_EQ(Refusal(ring), "cannot be serialized: [1] is an object that contains itself (a cycle)");
  Map<> outer;
  outer.Set("a", Any(Adt::Make(2, {{AnyView(0), AnyView(ring)}})));
  EXPECT_EQ(Refusal(outer),
            "cannot be serialized: [\"a\"].fields[1][1] is an object that contains "
            "itself (a cycle)");
  ring.Clear();
  const ObjectPtr<Circle> circle = MakeObject<Circle>("c", 1.0, Any());
  circle->set_inside(Any(List<>({Any(circle)})));
  EXPECT_EQ(Refusal(circle),
            "cannot be serialized: .inside[0] is an object that contains itself (a cycle)");
  circle->set_inside(Any());
}

class Odd : public Object {
 public:
  static constexpr std::string_view kTypeKey = "serialize_test.Odd";
  using Parent = Object;
  Odd() : Object(0, nullptr) {}
};

TEST_F(SerializeTest, D34WhatHasNoMeaningElsewhereIsRefused) {
  int local = 0;
  EXPECT_EQ(Refusal(Any(List<>({Any(static_cast<void*>(&local))}))),
            "cannot be serialized: [0] is opaque, which only means something here");
  const AnyView one[] = {1};
  EXPECT_EQ(Refusal(Closure::Make(4, one)),
            "cannot be serialized: the value itself is a closure, whose function is a number in an "
            "executable");
  EXPECT_EQ(Refusal(Any(Map<>{{"m", Any(Module::Make("math"))}})),
            "cannot be serialized: [\"m\"] is the module 'math', whose functions are code of this "
            "process");
  EXPECT_EQ(Refusal(Any(List<>({Any(MakeObject<Odd>())}))),
            "cannot be serialized: [0] is of type 'serialize_test.Odd', which has no registered "
            "fields");
  const Any bad_text = Any(List<>({Any("\xff")}));
  EXPECT_TRUE(SerializeBinary(bad_text).ok());
  EXPECT_EQ(SerializeJson(bad_text).status().message(),
            "cannot be serialized: [0] is text that JSON cannot hold: invalid UTF-8: byte 0xff at "
            "offset 0 of 1");
  const char32_t surrogate = 0xD800;
  EXPECT_NE(Refusal(Any(UCS4String(std::u32string_view(&surrogate, 1)))).find("U+D800"),
            std::string::npos);
}

TEST_F(SerializeTest, D34DeepGraphsAreRefusedBothWays) {
  const auto deep = [](uint32_t levels) {
    Any value = Any(List<>());
    for (uint32_t i = 1; i < levels; ++i) value = Any(List<>({value}));
    return value;
  };
  ExpectRoundTrip(deep(kMaxGraphDepth));
  EXPECT_NE(Refusal(deep(kMaxGraphDepth + 1)).find("deeper than 1000 levels"), std::string::npos);
  // node n: a list of node n - 1
  std::vector<uint8_t> bytes = {'T', 'O', 'G', 1, 0xE9, 0x07, 5, 0};
  for (uint32_t i = 0; i < 1000; ++i) {
    bytes.insert(bytes.end(), {5, 1, 9});
    if (i >= 128) bytes.push_back(static_cast<uint8_t>(0x80 | (i & 127)));
    bytes.push_back(static_cast<uint8_t>(i >= 128 ? i >> 7 : i));
  }
  bytes.insert(bytes.end(), {0});
  EXPECT_NE(DeserializeBinary(bytes).status().message().find("node 1000: a graph deeper than 1000"),
            std::string_view::npos);
}

TEST_F(SerializeTest, D34TruncatedBytesAreErrors) {
  RegisterSketchTypes();
  for (const Any& sample : SampleGraphs()) {
    const std::vector<uint8_t> bytes = SerializeBinary(sample).value();
    for (size_t size = 0; size < bytes.size(); size += size < 300 ? 1 : 37) {
      const Result<Any> back = DeserializeBinary(ByteSpan(bytes).first(size));
      ASSERT_FALSE(back.ok()) << size << " bytes of " << PrintValue(sample);
      ASSERT_EQ(back.status().code(), StatusCode::kCorrupt) << back.status().message();
    }
    std::vector<uint8_t> longer = bytes;
    longer.push_back(0);
    EXPECT_NE(DeserializeBinary(longer).status().message().find("bytes behind the value"),
              std::string_view::npos);
  }
}

TEST_F(SerializeTest, D34MutatedBytesAreReadOrRefusedButNeverWrong) {
  RegisterSketchTypes();
  uint64_t state = 88172645463325252u;
  const auto random = [&state](size_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<size_t>(state % limit);
  };
  for (const Any& sample : SampleGraphs()) {
    const std::vector<uint8_t> bytes = SerializeBinary(sample).value();
    for (int i = 0; i < 100; ++i) {
      std::vector<uint8_t> mutated = bytes;
      mutated[random(mutated.size())] = static_cast<uint8_t>(random(256));
      const Result<Any> back = DeserializeBinary(mutated);
      if (!back.ok()) continue;
      const Result<std::vector<uint8_t>> written = SerializeBinary(*back);
      if (written.ok()) {
        EXPECT_TRUE(StructuralEqual(*back, DeserializeBinary(*written).value()));
      }
    }
  }
}

TEST_F(SerializeTest, D34HostileBytesAreErrorsThatSayWhere) {
  const auto error = [](std::initializer_list<int> rest) {
    std::vector<uint8_t> bytes = {'T', 'O', 'G', 1};
    for (const int byte : rest) bytes.push_back(static_cast<uint8_t>(byte));
    return std::string(DeserializeBinary(bytes).status().message());
  };
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(error({0xFF, 0xFF, 0xFF, 0x7F}), "nodes")) << "more nodes than bytes";
  EXPECT_TRUE(has(error({1, 99, 0}), "unknown kind 99 of node"));
  EXPECT_TRUE(has(error({0, 9, 0}), "a reference to node 0 where there are 0"));
  EXPECT_TRUE(has(error({1, 5, 1, 9, 0}), "a reference to node 0 where there are 0")) << "itself";
  EXPECT_TRUE(has(error({0, 77}), "unknown tag 77"));
  EXPECT_TRUE(has(error({1, 7, 1, 0, 0, 0}), "a map with a key that has no value"));
  EXPECT_TRUE(has(error({1, 7, 4, 3, 2, 0, 3, 2, 0, 0}), "a map with the key 1 twice"));
  EXPECT_TRUE(has(error({1, 11, 0, 9, 32, 1, 0, 0, 0, 0}), "unknown dtype"));
  EXPECT_TRUE(has(error({1, 11, 0, 2, 32, 1, 0, 1, 8, 0, 0}), "takes 16 bytes, got 0"));
  EXPECT_TRUE(has(error({1, 11, 0, 2, 32, 1, 0, 1, 1, 0, 0}), "node 0")) << "negative dimension";
  EXPECT_TRUE(has(error({1, 13, 1, 'q', 0, 0}), "'q'")) << "unknown type";
  EXPECT_TRUE(has(error({1, 10, 1, 'q', 0}), "q")) << "unknown function";
  EXPECT_TRUE(has(error({1, 2, 1, 0xFF, 0}), "invalid UTF-8"));
  EXPECT_TRUE(has(std::string(DeserializeBinary({}).status().message()), "object graph"));
  const uint8_t version2[] = {'T', 'O', 'G', 2, 0, 0};
  EXPECT_TRUE(has(std::string(DeserializeBinary(version2).status().message()), "version 1"));
}

TEST_F(SerializeTest, D34FieldsAreFoundByName) {
  RegisterSketchTypes();
  const auto read = [](std::string_view names, std::string_view values) {
    return DeserializeJson(StrCat(
        R"({"tern":"object graph","version":1,"nodes":[{"kind":"object","name":"sketch.Circle",)",
        R"("names":)", names, R"(,"values":)", values, R"(}],"value":{"ref":0}})"));
  };
  const Any circle = read(R"(["inside","label","radius"])", R"([null,"x",{"float":2.5}])").value();
  EXPECT_EQ(circle.TryCast<Circle>()->radius, 2.5);
  const auto error = [&read](std::string_view names, std::string_view values) {
    return std::string(read(names, values).status().message());
  };
  EXPECT_EQ(error(R"(["label","radius"])", R"(["x",1])"),
            "JSON object graph, node 0: an object of type 'sketch.Circle' without the field "
            "'inside'");
  EXPECT_EQ(error(R"(["label","radius","inside","more"])", R"(["x",1,1,1])"),
            "JSON object graph, node 0: an object of type 'sketch.Circle' with 4 fields; the type "
            "has 3");
  EXPECT_EQ(error(R"(["label","radius","inside"])", R"(["x","y",1])"),
            "JSON object graph, node 0: expected float, got string \"y\"");
}

TEST_F(SerializeTest, D34JsonLooksAsDescribed) {
  const Any list = Any(List<>({1, 2.5, "text", nullptr, true}));
  const Any adt = Any(Adt::Make(3, {{AnyView(list), AnyView(list)}}));
  EXPECT_EQ(SerializeJson(adt).value(),
            R"({"tern":"object graph","version":1,"nodes":[)"
            R"({"kind":"list","values":[1,{"float":2.5},"text",null,true]},)"
            R"({"kind":"adt","tag":3,"values":[{"ref":0},{"ref":0}]}],"value":{"ref":1}})");
}

TEST_F(SerializeTest, D34BadJsonIsAnErrorThatSaysWhere) {
  const auto error = [](std::string_view json) {
    const Result<Any> result = DeserializeJson(json);
    return result.ok() ? "accepted" : std::string(result.status().message());
  };
  const auto node = [&error](std::string_view members) {
    return error(StrCat(R"({"tern":"object graph","version":1,"nodes":[{)", members,
                        R"(}],"value":{"ref":0}})"));
  };
  const auto value = [&error](std::string_view text) {
    return error(StrCat(R"({"tern":"object graph","version":1,"nodes":[],"value":)", text, "}"));
  };
  EXPECT_EQ(error("{"), "JSON at offset 1: expected a name in quotes, got the end");
  EXPECT_EQ(error("{}"), "JSON object graph, the head: \"tern\" is missing");
  EXPECT_EQ(error(R"({"tern":"object graph","version":2,"nodes":[],"value":1})"),
            "JSON object graph, the head: only version 1 can be read");
  EXPECT_EQ(node(R"("kind":"lisp")"), "JSON object graph, node 0: unknown kind \"lisp\"");
  EXPECT_EQ(node(R"("kind":"list")"), "JSON object graph, node 0: \"values\" is missing");
  EXPECT_EQ(node(R"("kind":"list","values":3)"),
            "JSON object graph, node 0: \"values\" is a number, not an array");
  EXPECT_EQ(node(R"("kind":"list","values":[{"ref":0}])"),
            "JSON object graph, node 0: a reference to node 0 where there are 0");
  EXPECT_EQ(node(R"("kind":"bytes","data":"abc")"),
            "JSON object graph, node 0: \"data\" is not base64");
  EXPECT_EQ(node(R"("kind":"bytes","data":"ab=c")"),
            "JSON object graph, node 0: \"data\" is not base64");
  EXPECT_EQ(node(R"("kind":"adt","tag":99999999999,"values":[])"),
            "JSON object graph, node 0: an adt with the tag 99999999999");
  EXPECT_EQ(value("1.5"), "JSON object graph, the value: expected an int, got \"1.5\"");
  EXPECT_EQ(value("[]"), "JSON object graph, the value: an array where a value belongs");
  EXPECT_EQ(value(R"({"float":"x"})"), "JSON object graph, the value: expected a float, got \"x\"");
  EXPECT_EQ(value(R"({"what":1})"), "JSON object graph, the value: {\"what\": …} is not a value");
  EXPECT_EQ(value("99999999999999999999"),
            "JSON object graph, the value: expected an int, got \"99999999999999999999\"");
}

}  // namespace
}  // namespace tern::serialize_test
