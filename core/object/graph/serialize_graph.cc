// SPDX-License-Identifier: Apache-2.0
// Graphs into nodes, on an explicit stack, and nodes into objects.
#include "core/object/graph/serialize_graph.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/sequence.h"
#include "core/object/containers/table.h"
#include "core/object/device.h"
#include "core/object/function.h"
#include "core/object/graph/print.h"
#include "core/object/graph/reflection_parts.h"
#include "core/object/graph/structural_leaves.h"
#include "core/object/registry.h"
#include "core/object/rfc97/module.h"
#include "core/object/shape.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/strings/unicode.h"
#include "core/object/tensor.h"

namespace tern {
namespace {

constexpr size_t kMaxTextInPlace = 64;

template <typename T>
const T& Held(const AnyView& value) {
  return *static_cast<const T*>(value.object());
}

// --- writing

class Collector {
 public:
  explicit Collector(bool for_json) : for_json_(for_json) {}

  Result<NodeGraph> Collect(const AnyView& root) {
    TERN_TRY(Enter(root));
    while (!frames_.empty()) {
      WalkFrame& frame = frames_.back();
      if (frame.next == frame.parts.size()) {
        TERN_TRY(Leave());
      } else {
        const AnyView part = frame.parts[frame.next++];
        TERN_TRY(Enter(part));
      }
    }
    return std::move(graph_);
  }

 private:
  Status Refuse(std::string_view why) const {
    return Unsupported("cannot be serialized: ", PathTo(frames_), " ", why);
  }

  Status Enter(const AnyView& value) {
    if (IsWrittenInPlace(value)) return CheckText(value);
    if (!value.is_object())
      return Refuse(StrCat("is ", value.type_name(), ", which only means something here"));
    const auto [known, is_new] = states_.try_emplace(value.object());
    if (!is_new) {
      if (!known->second.done) return Refuse("is an object that contains itself (a cycle)");
      deepest_ = std::max(deepest_, known->second.depth);
      return OkStatus();
    }
    if (Parts::Has(value.type_code()) && value.type_code() != TERN_TYPE_CLOSURE) {
      if (frames_.size() >= kMaxGraphDepth)
        return Refuse(StrCat("lies deeper than ", kMaxGraphDepth, " levels"));
      frames_.emplace_back(value.object());
      outer_deepest_.push_back(std::exchange(deepest_, 0));
      return OkStatus();
    }
    TERN_TRY_ASSIGN(NodeContent content, Leaf(value));
    const uint32_t depth = content.values.empty() ? 1 : 2;
    Number(value.object(), std::move(content), depth);
    return OkStatus();
  }

  Status CheckText(const AnyView& value) const {
    const std::optional<std::string_view> text = internal::AnyToText(value.c_any());
    if (text.has_value() && for_json_) {
      Status status = CheckUtf8(*text);
      if (!status.ok()) return Refuse(StrCat("is text that JSON cannot hold: ", status.message()));
    } else if (internal::AnyToUCS4(value.c_any()).has_value()) {
      const Result<String> utf8 = value.TryCast<UCS4String>()->ToUtf8();
      if (!utf8.ok()) return Refuse(StrCat("is ", utf8.status().message()));
    }
    return OkStatus();
  }

  // An object without parts.
  Result<NodeContent> Leaf(const AnyView& value) {
    NodeContent content;
    switch (value.type_code()) {
      case TERN_TYPE_STRING:
        TERN_TRY(CheckText(value));
        content.kind = NodeKind::kText;
        content.data = AsBytes(Held<LongString>(value).view());
        return content;
      case TERN_TYPE_UCS4_STRING: {
        TERN_TRY(CheckText(value));
        content.kind = NodeKind::kUCS4;
        BytesPtr utf8 = Bytes::Make(value.TryCast<UCS4String>()->ToUtf8().value().view());
        content.data = utf8->span();
        content.keep.push_back(Any(std::move(utf8)));
        return content;
      }
      case TERN_TYPE_BYTES:
        content.kind = NodeKind::kBytes;
        content.data = Held<Bytes>(value).span();
        return content;
      case TERN_TYPE_SHAPE: {
        content.kind = NodeKind::kShape;
        const Dims dims = Held<Shape>(value).dims();
        content.dims.assign(dims.begin(), dims.end());
        return content;
      }
      case TERN_TYPE_STORAGE:
        if (Held<Storage>(value).device() != nullptr)
          return Refuse("is memory of a device: copy it to the processor");
        content.kind = NodeKind::kStorage;
        content.data = {Held<Storage>(value).data(), Held<Storage>(value).bytes()};
        return content;
      case TERN_TYPE_FUNCTION: return FunctionLeaf(Held<Function>(value));
      case TERN_TYPE_TENSOR: return TensorLeaf(Held<Tensor>(value));
      case TERN_TYPE_CLOSURE:
        return Refuse("is a closure, whose function is a number in an executable");
      case TERN_TYPE_MODULE:
        return Refuse(StrCat("is the module '", Held<Module>(value).name(),
                             "', whose functions are code of this process"));
      default: break;
    }
    return Refuse(StrCat("is of type '", value.type_name(), "', which has no registered fields"));
  }

  Result<NodeContent> FunctionLeaf(const Function& function) const {
    const Result<FunctionPtr> found = Registry::Global().Find(function.name());
    if (!found.ok() || found->get() != &function)
      return Refuse(StrCat("is the function '", function.name(), "', which is not registered"));
    NodeContent content;
    content.kind = NodeKind::kFunction;
    content.name = function.name();
    return content;
  }

  Result<NodeContent> TensorLeaf(const Tensor& tensor) {
    if (!tensor.on_host())
      return Refuse(StrCat("is on ", PlaceText(tensor), ": copy it to the processor"));
    TERN_TRY_ASSIGN(TensorPtr whole, tensor.Contiguous());
    NodeContent content;
    content.kind = NodeKind::kTensor;
    content.dtype = tensor.dtype();
    content.dims.assign(tensor.dims().begin(), tensor.dims().end());
    if (tensor.dtype().is_string()) {
      for (int64_t i = 0; i < whole->element_count(); ++i) {
        content.values.push_back(Any(whole->string_at(i)));
        Status status = Enter(content.values.back());
        if (!status.ok()) return std::move(status.AddNote(StrCat("element ", i, " of the tensor")));
      }
    } else {
      content.data = whole->bytes();
      content.keep.push_back(Any(std::move(whole)));
    }
    return content;
  }

  // All parts of the uppermost object have been numbered: now itself.
  Status Leave() {
    const WalkFrame& frame = frames_.back();
    NodeContent content;
    switch (frame.object->type_code()) {
      case TERN_TYPE_LIST:
        content.kind =
            static_cast<Sequence*>(frame.object)->is_frozen() ? NodeKind::kArray : NodeKind::kList;
        break;
      case TERN_TYPE_MAP:
        content.kind =
            static_cast<Table*>(frame.object)->is_frozen() ? NodeKind::kMap : NodeKind::kDict;
        break;
      case TERN_TYPE_ADT:
        content.kind = NodeKind::kAdt;
        content.tag = static_cast<Adt*>(frame.object)->tag();
        break;
      default:
        content.kind = NodeKind::kObject;
        content.name = frame.object->type_key();
        for (const FieldInfo& field : frame.parts.fields()) content.names.emplace_back(field.name);
        break;
    }
    for (size_t i = 0; i < frame.parts.size(); ++i) content.values.push_back(Any(frame.parts[i]));
    const uint32_t depth = deepest_ + 1;
    Object* object = frame.object;
    frames_.pop_back();
    if (depth > kMaxGraphDepth) return Refuse(StrCat("is deeper than ", kMaxGraphDepth, " levels"));
    deepest_ = outer_deepest_.back();
    outer_deepest_.pop_back();
    Number(object, std::move(content), depth);
    return OkStatus();
  }

  void Number(Object* object, NodeContent content, uint32_t depth) {
    states_[object] = {depth, true};
    deepest_ = std::max(deepest_, depth);
    graph_.numbers[object] = static_cast<uint32_t>(graph_.nodes.size());
    graph_.nodes.push_back(std::move(content));
    graph_.objects.push_back(Any(object));
  }

  struct State {
    uint32_t depth = 0;
    bool done = false;
  };
  bool for_json_;
  NodeGraph graph_;
  std::vector<WalkFrame> frames_;
  std::map<const Object*, State> states_;
  uint32_t deepest_ = 0;                 // of the parts so far of the uppermost object
  std::vector<uint32_t> outer_deepest_;  // of those below it
};

// --- reading

Result<Any> MakeTensor(NodeContent* content) {
  if (!content->dtype.is_string()) {
    TERN_TRY_ASSIGN(TensorPtr tensor,
                    Tensor::FromBytes(content->dtype, content->dims, content->data));
    return Any(std::move(tensor));
  }
  std::vector<std::string_view> texts;
  for (const Any& value : content->values) {
    TERN_TRY_ASSIGN(const std::string_view text, value.As<std::string_view>());
    texts.push_back(text);
  }
  if (ElementCount(content->dims) != static_cast<int64_t>(texts.size()))
    return Corrupt("a string tensor ", FormatDims(content->dims), " with ", texts.size(),
                   " elements");
  TERN_TRY_ASSIGN(TensorPtr tensor, Tensor::FromStrings(texts, content->dims));
  return Any(std::move(tensor));
}

Any MakeSequence(NodeContent* content) {
  SequencePtr sequence = Sequence::Make();
  sequence->Reserve(content->values.size());
  for (Any& value : content->values) sequence->PushBack(std::move(value));
  sequence->set_frozen(content->kind == NodeKind::kArray);
  return Any(std::move(sequence));
}

Result<Any> MakeTable(NodeContent* content) {
  if (content->values.size() % 2 != 0) return Corrupt("a map with a key that has no value");
  TablePtr table = Table::Make();
  table->Reserve(content->values.size() / 2);
  for (size_t i = 0; i < content->values.size(); i += 2) {
    if (!table->Set(AnyView(content->values[i]), std::move(content->values[i + 1])))
      return Corrupt("a map with the key ", PrintValue(content->values[i]), " twice");
  }
  table->set_frozen(content->kind == NodeKind::kMap);
  return Any(std::move(table));
}

Result<Any> MakeAdt(const NodeContent& content) {
  if (content.tag < INT32_MIN || content.tag > INT32_MAX)
    return Corrupt("an adt with the tag ", content.tag);
  const std::vector<AnyView> fields(content.values.begin(), content.values.end());
  return Any(Adt::Make(static_cast<int32_t>(content.tag), fields));
}

// Fields are found by name, so their order may change.
Result<Any> MakeFields(const NodeContent& content) {
  TERN_TRY_ASSIGN(const TypeEntry* entry, FindType(content.name));
  const std::vector<FieldInfo> fields = FieldsOf(entry->code);
  if (content.names.size() != content.values.size())
    return Corrupt("an object of type '", content.name, "' with ", content.names.size(),
                   " names and ", content.values.size(), " values");
  std::vector<Any> values;
  for (const FieldInfo& field : fields) {
    const auto found = std::find(content.names.begin(), content.names.end(), field.name);
    if (found == content.names.end())
      return Corrupt("an object of type '", content.name, "' without the field '", field.name, "'");
    values.push_back(content.values[static_cast<size_t>(found - content.names.begin())]);
  }
  if (content.names.size() != fields.size())
    return Corrupt("an object of type '", content.name, "' with ", content.names.size(),
                   " fields; the type has ", fields.size());
  TERN_TRY_ASSIGN(ObjectPtr<Object> object, MakeFromFields(entry->code, values));
  return Any(std::move(object));
}

Result<Any> MakeStorage(ByteSpan data) {
  TERN_TRY_ASSIGN(StoragePtr storage, Storage::New(DefaultAllocator().get(), data.size()));
  std::copy(data.begin(), data.end(), storage->data());
  return Any(std::move(storage));
}

}  // namespace

const NodeKindInfo& InfoOf(NodeKind kind) {
  static constexpr NodeKindInfo kInfos[] = {
      {"text", kHasText},
      {"ucs4", kHasText},
      {"bytes", kHasData},
      {"shape", kHasDims},
      {"list", kHasValues},
      {"array", kHasValues},
      {"map", kHasValues},
      {"dict", kHasValues},
      {"adt", kHasTag | kHasValues},
      {"function", kHasName},
      {"tensor", kHasData | kHasDType | kHasDims | kHasValues},
      {"storage", kHasData},
      {"object", kHasName | kHasValues | kHasNames},
  };
  static_assert(std::size(kInfos) == kNodeKinds);
  return kInfos[static_cast<uint8_t>(kind) - 1];
}

bool IsWrittenInPlace(const AnyView& value) {
  switch (value.type_code()) {
    case TERN_TYPE_NONE:
    case TERN_TYPE_INT:
    case TERN_TYPE_FLOAT:
    case TERN_TYPE_BOOL:
    case TERN_TYPE_DTYPE:
    case TERN_TYPE_DEVICE: return true;
    default: break;
  }
  if (internal::AnyToUCS4(value.c_any()).has_value()) return !value.is_object();
  const std::optional<std::string_view> text = internal::AnyToText(value.c_any());
  return text.has_value() && (!value.is_object() || text->size() <= kMaxTextInPlace);
}

Result<NodeGraph> CollectGraph(const AnyView& root, bool for_json) {
  return Collector(for_json).Collect(root);
}

Any GraphMaker::Ref(uint64_t number) {
  const auto index = static_cast<size_t>(number);
  deepest_ = std::max(deepest_, depths_[index]);
  return nodes_[index];
}

Status GraphMaker::Add(NodeContent content) {
  const uint32_t depth = deepest_ + 1;
  if (depth > kMaxGraphDepth) return Corrupt("a graph deeper than ", kMaxGraphDepth, " levels");
  TERN_TRY_ASSIGN(Any made, Make(&content));
  nodes_.push_back(std::move(made));
  depths_.push_back(depth);
  return OkStatus();
}

Result<Any> GraphMaker::Make(NodeContent* content) {
  switch (content->kind) {
    case NodeKind::kText: return Any(AsText(content->data));
    case NodeKind::kUCS4: {
      TERN_TRY_ASSIGN(UCS4String text, UCS4String::FromUtf8(AsText(content->data)));
      return Any(std::move(text));
    }
    case NodeKind::kBytes: return Any(Bytes::Make(content->data));
    case NodeKind::kShape: return Any(Shape::Make(content->dims));
    case NodeKind::kList:
    case NodeKind::kArray: return MakeSequence(content);
    case NodeKind::kMap:
    case NodeKind::kDict: return MakeTable(content);
    case NodeKind::kAdt: return MakeAdt(*content);
    case NodeKind::kFunction: {
      TERN_TRY_ASSIGN(FunctionPtr function, Registry::Global().Find(content->name));
      return Any(std::move(function));
    }
    case NodeKind::kTensor: return MakeTensor(content);
    case NodeKind::kStorage: return MakeStorage(content->data);
    case NodeKind::kObject: return MakeFields(*content);
  }
  return Corrupt("an unknown kind of node");
}

}  // namespace tern
