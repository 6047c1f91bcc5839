// SPDX-License-Identifier: Apache-2.0
// Graphs into nodes by a depth-first walk with a stack of its own, and nodes into objects. A node
// is numbered when all its parts are (post-order), so references only point backwards.
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

// Short text is cheaper to repeat than to refer to.
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
    // The classic loop of an iterative walk: finish the uppermost object, or enter its next part.
    TERN_TRY(Enter(root));
    while (!frames_.empty()) {
      WalkFrame& frame = frames_.back();
      if (frame.next == frame.parts.size()) {
        TERN_TRY(Leave());
      } else {
        // Entering may move frames_, so `frame` is not used after it.
        const AnyView part = frame.parts[frame.next++];
        TERN_TRY(Enter(part));
      }
    }
    return std::move(graph_);
  }

 private:
  // The path is that of the walk at this moment, so a refusal names the very part.
  Status Refuse(std::string_view why) const {
    return Unsupported("cannot be serialized: ", PathTo(frames_), " ", why);
  }

  Status Enter(const AnyView& value) {
    if (IsWrittenInPlace(value)) return CheckText(value);
    // Pointers and handles mean something in this process only.
    if (!value.is_object())
      return Refuse(StrCat("is ", value.type_name(), ", which only means something here"));
    const auto [known, is_new] = states_.try_emplace(value.object());
    if (!is_new) {
      // Known but not done: it is on the stack above us.
      if (!known->second.done) return Refuse("is an object that contains itself (a cycle)");
      // A shared part has been walked already and contributes only its depth.
      deepest_ = std::max(deepest_, known->second.depth);
      return OkStatus();
    }
    // Closures have parts, but Leaf refuses them with a reason of its own.
    if (Parts::Has(value.type_code()) && value.type_code() != TERN_TYPE_CLOSURE) {
      if (frames_.size() >= kMaxGraphDepth)
        return Refuse(StrCat("lies deeper than ", kMaxGraphDepth, " levels"));
      frames_.emplace_back(value.object());
      // The depth of the outer object's parts so far waits until this object is done.
      outer_deepest_.push_back(std::exchange(deepest_, 0));
      return OkStatus();
    }
    TERN_TRY_ASSIGN(NodeContent content, Leaf(value));
    // A string tensor has its long texts as nodes below it.
    const uint32_t depth = content.values.empty() ? 1 : 2;
    Number(value.object(), std::move(content), depth);
    return OkStatus();
  }

  // A String holds any bytes. The binary form takes them, JSON cannot.
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
        // UTF-8 is made for the file, so it must be kept until the file is written.
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
    // A function is written by name, so the name must lead back to this very function.
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
    // The file has elements in row-major order; a copy of a strided tensor is kept in `keep`.
    TERN_TRY_ASSIGN(TensorPtr whole, tensor.Contiguous());
    NodeContent content;
    content.kind = NodeKind::kTensor;
    content.dtype = tensor.dtype();
    content.dims.assign(tensor.dims().begin(), tensor.dims().end());
    if (tensor.dtype().is_string()) {
      for (int64_t i = 0; i < whole->element_count(); ++i) {
        content.values.push_back(Any(whole->string_at(i)));
        // An element longer than kMaxTextInPlace becomes a node before the tensor does.
        Status status = Enter(content.values.back());
        if (!status.ok()) return std::move(status.AddNote(StrCat("element ", i, " of the tensor")));
      }
    } else {
      content.data = whole->bytes();
      content.keep.push_back(Any(std::move(whole)));
    }
    return content;
  }

  // All parts of the uppermost object have been numbered; now the object itself is.
  Status Leave() {
    const WalkFrame& frame = frames_.back();
    NodeContent content;
    switch (frame.object->type_code()) {
      case TERN_TYPE_LIST:
        content.kind =
            // The kind of container survives: an array read back must not share writes as a list
            // does.
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
    // Values are copied as Any, since a getter's value ends with the frame.
    for (size_t i = 0; i < frame.parts.size(); ++i) content.values.push_back(Any(frame.parts[i]));
    const uint32_t depth = deepest_ + 1;
    Object* object = frame.object;
    frames_.pop_back();
    // Checked here and not only in Enter: a part that was shared may be deep although the stack is
    // not.
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
    // Kept alive, so that no later object gets the same address and with it the number.
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

// Elements of other types are bytes; FromBytes checks that their number fits dtype and dims.
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
  // ElementCount gives nothing where dims are negative or overflow, which also differs.
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
  // Keys and values alternate.
  if (content->values.size() % 2 != 0) return Corrupt("a map with a key that has no value");
  TablePtr table = Table::Make();
  table->Reserve(content->values.size() / 2);
  for (size_t i = 0; i < content->values.size(); i += 2) {
    // A key that comes twice would make the graph that is read differ from the one that was
    // written.
    if (!table->Set(AnyView(content->values[i]), std::move(content->values[i + 1])))
      return Corrupt("a map with the key ", PrintValue(content->values[i]), " twice");
  }
  table->set_frozen(content->kind == NodeKind::kMap);
  return Any(std::move(table));
}

Result<Any> MakeAdt(const NodeContent& content) {
  if (content.tag < INT32_MIN || content.tag > INT32_MAX)
    return Corrupt("an adt with the tag ", content.tag);
  // The views point into content, which outlives Make.
  const std::vector<AnyView> fields(content.values.begin(), content.values.end());
  return Any(Adt::Make(static_cast<int32_t>(content.tag), fields));
}

// Fields are found by name, so their order may change between the program that wrote and the one
// that reads. Missing and unknown fields are errors.
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
  // Each field of the type was found, so a difference means names that the type does not have.
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

// By kind, in the order of the numbers of NodeKind.
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
  // UCS-4 text is tested first, because AnyToText knows only UTF-8.
  if (internal::AnyToUCS4(value.c_any()).has_value()) return !value.is_object();
  const std::optional<std::string_view> text = internal::AnyToText(value.c_any());
  return text.has_value() && (!value.is_object() || text->size() <= kMaxTextInPlace);
}

Result<NodeGraph> CollectGraph(const AnyView& root, bool for_json) {
  return Collector(for_json).Collect(root);
}

Any GraphMaker::Ref(uint64_t number) {
  const auto index = static_cast<size_t>(number);
  // The deepest value of the node that is being read, which Add makes its depth.
  deepest_ = std::max(deepest_, depths_[index]);
  return nodes_[index];
}

Status GraphMaker::Add(NodeContent content) {
  const uint32_t depth = deepest_ + 1;
  // The same bound as for writing: what walks over graphs may recurse (serialize_graph.h).
  if (depth > kMaxGraphDepth) return Corrupt("a graph deeper than ", kMaxGraphDepth, " levels");
  TERN_TRY_ASSIGN(Any made, Make(&content));
  nodes_.push_back(std::move(made));
  depths_.push_back(depth);
  return OkStatus();
}

Result<Any> GraphMaker::Make(NodeContent* content) {
  // Content comes from a file. Each case checks what its members mean; that they are present was
  // checked by the reader.
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
      // A graph may name any registered function, so reading never runs one.
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
