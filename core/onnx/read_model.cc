// SPDX-License-Identifier: Apache-2.0
// Field numbers of onnx.proto, one function per message. A message that comes twice is merged, as
// Protobuf says: later scalars win, lists append; of a `oneof` the last member stays. Fields that
// are not listed, or have another wire type than they should, are skipped (wire.h).
#include "core/onnx/read_model.h"

#include "core/onnx/wire.h"

namespace tern::onnx {
namespace {

void Read(WireReader in, StringPair* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1: in.Get(&out->key); break;
      case 2: in.Get(&out->value); break;
    }
  }
}

void Read(WireReader in, OpsetImport* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1: in.Get(&out->domain); break;
      case 2: in.Get(&out->version); break;
    }
  }
}

void Read(WireReader in, Dimension* out);
void Read(WireReader in, Shape* out);
void Read(WireReader in, Tensor* out);
void Read(WireReader in, SparseTensor* out);
void Read(WireReader in, Type* out);
void Read(WireReader in, Graph* out);
void Read(WireReader in, Attribute* out);
void Read(WireReader in, Node* out);
void Read(WireReader in, ValueInfo* out);
void Read(WireReader in, Function* out);

// A repeated message.
template <typename T>
void ReadOneMore(WireReader& in, std::vector<T>* out) {
  if (!in.is_message()) return;
  // A message of two bytes becomes a struct of 200, the vector has room for as many again, and what
  // the importer makes of it is as much.
  in.Take(4 * sizeof(T));
  Read(in.Message(), &out->emplace_back());
}

// An optional message.
template <typename T>
void ReadInto(const WireReader& in, std::unique_ptr<T>* out) {
  if (!in.is_message()) return;
  // The second message of a field adds to the first.
  if (*out == nullptr) *out = std::make_unique<T>();
  Read(in.Message(), out->get());
}

// A closed enumeration: numbers that the standard does not have leave *out alone.
template <typename E>
void ReadEnum(const WireReader& in, E last, E* out) {
  // Stays below 0 where the field has another wire type.
  int32_t number = -1;
  in.Get(&number);
  // Enumerations that are passed here have no gaps.
  if (number >= 0 && number <= static_cast<int32_t>(last)) *out = static_cast<E>(number);
}

void Read(WireReader in, Dimension* out) {
  while (in.Next()) {
    if (in.field() == 1 && in.is_varint()) {
      in.Get(&out->value);
      out->kind = Dimension::Kind::kValue;
      // A oneof: the member that came last is the only one.
      out->symbol = {};
    } else if (in.field() == 2 && in.is_message()) {
      in.Get(&out->symbol);
      out->kind = Dimension::Kind::kSymbol;
      out->value = 0;
    }
  }
}

void Read(WireReader in, Shape* out) {
  while (in.Next()) {
    if (in.field() == 1) ReadOneMore(in, &out->dims);
  }
}

// Sets the member of the `oneof`, clearing what another member left.
void SetKind(Type::Kind kind, Type* out) {
  if (out->kind == kind) return;
  *out = Type();
  out->kind = kind;
}

void ReadTensorType(WireReader in, Type* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1: in.Get(&out->elem_type); break;
      case 2: ReadInto(in, &out->shape); break;
    }
  }
}

// Sequence and optional have their contents in field 1. A map has the type of its keys there.
void ReadContentsType(WireReader in, uint32_t field, Type* out) {
  while (in.Next()) {
    if (in.field() == field) {
      ReadInto(in, &out->contents);
    } else if (in.field() == 1) {
      in.Get(&out->elem_type);
    }
  }
}

void Read(WireReader in, Type* out) {
  while (in.Next()) {
    // All members are messages; a number in their place is an unknown field.
    if (!in.is_message()) continue;
    switch (in.field()) {
      case 1:
        SetKind(Type::Kind::kTensor, out);
        ReadTensorType(in.Message(), out);
        break;
      case 4:
        SetKind(Type::Kind::kSequence, out);
        ReadContentsType(in.Message(), 1, out);
        break;
      case 5:
        SetKind(Type::Kind::kMap, out);
        ReadContentsType(in.Message(), 2, out);
        break;
      case 8:
        SetKind(Type::Kind::kSparseTensor, out);
        ReadTensorType(in.Message(), out);
        break;
      case 9:
        SetKind(Type::Kind::kOptional, out);
        ReadContentsType(in.Message(), 1, out);
        break;
    }
  }
}

void Read(WireReader in, ValueInfo* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1: in.Get(&out->name); break;
      case 2:
        if (in.is_message()) Read(in.Message(), &out->type);
        break;
      case 3: in.Get(&out->doc_string); break;
    }
  }
}

// An empty raw_data is data too, of a tensor without elements, so that its presence is noted.
void Read(WireReader in, Tensor* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1: in.Append(&out->dims); break;
      case 2: in.Get(&out->data_type); break;
      case 4: in.Append(&out->float_data); break;
      case 5: in.Append(&out->int32_data); break;
      case 6: in.Append(&out->string_data); break;
      case 7: in.Append(&out->int64_data); break;
      case 8: in.Get(&out->name); break;
      case 9:
        in.Get(&out->raw_data);
        out->has_raw_data |= in.is_message();
        break;
      case 10: in.Append(&out->double_data); break;
      case 11: in.Append(&out->uint64_data); break;
      case 13: ReadOneMore(in, &out->external_data); break;
      case 14: ReadEnum(in, true, &out->is_external); break;
    }
  }
}

void Read(WireReader in, SparseTensor* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        if (in.is_message()) Read(in.Message(), &out->values);
        break;
      case 2:
        if (in.is_message()) Read(in.Message(), &out->indices);
        break;
      case 3: in.Append(&out->dims); break;
    }
  }
}

void Read(WireReader in, Attribute* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1: in.Get(&out->name); break;
      case 2: in.Get(&out->f); break;
      case 3: in.Get(&out->i); break;
      case 4: in.Get(&out->s); break;
      case 5: ReadInto(in, &out->tensor); break;
      case 6: ReadInto(in, &out->graph); break;
      case 7: in.Append(&out->floats); break;
      case 8: in.Append(&out->ints); break;
      case 9: in.Append(&out->strings); break;
      case 10: ReadOneMore(in, &out->tensors); break;
      case 11: ReadOneMore(in, &out->graphs); break;
      case 14: ReadInto(in, &out->type_proto); break;
      case 15: ReadOneMore(in, &out->type_protos); break;
      case 20: ReadEnum(in, AttributeType::kTypeProtos, &out->type); break;
      case 21: in.Get(&out->reference); break;
      case 22: ReadInto(in, &out->sparse_tensor); break;
      case 23: ReadOneMore(in, &out->sparse_tensors); break;
    }
  }
}

void Read(WireReader in, Node* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1: in.Append(&out->inputs); break;
      case 2: in.Append(&out->outputs); break;
      case 3:
        in.Get(&out->name);
        in.Take(4 * out->name.size());  // copied as often as those of its results
        break;
      case 4: in.Get(&out->op_type); break;
      case 5: ReadOneMore(in, &out->attributes); break;
      case 7: in.Get(&out->domain); break;
      case 8: in.Get(&out->overload); break;
    }
  }
}

// Fields without a case, such as those for quantization, change nothing that is computed.
void Read(WireReader in, Graph* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1: ReadOneMore(in, &out->nodes); break;
      case 2: in.Get(&out->name); break;
      case 5: ReadOneMore(in, &out->initializers); break;
      case 10: in.Get(&out->doc_string); break;
      case 11: ReadOneMore(in, &out->inputs); break;
      case 12: ReadOneMore(in, &out->outputs); break;
      case 13: ReadOneMore(in, &out->value_infos); break;
      case 15: ReadOneMore(in, &out->sparse_initializers); break;
    }
  }
}

void Read(WireReader in, Function* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1: in.Get(&out->name); break;
      case 4: in.Append(&out->inputs); break;
      case 5: in.Append(&out->outputs); break;
      case 6: in.Append(&out->attributes); break;
      case 7: ReadOneMore(in, &out->nodes); break;
      case 9: ReadOneMore(in, &out->opset_imports); break;
      case 10: in.Get(&out->domain); break;
      case 11: ReadOneMore(in, &out->default_attributes); break;
      case 13: in.Get(&out->overload); break;
    }
  }
}

void Read(WireReader in, Model* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1: in.Get(&out->ir_version); break;
      case 2: in.Get(&out->producer_name); break;
      case 3: in.Get(&out->producer_version); break;
      case 4: in.Get(&out->domain); break;
      case 5: in.Get(&out->model_version); break;
      case 6: in.Get(&out->doc_string); break;
      case 7:
        if (in.is_message()) Read(in.Message(), &out->graph);
        out->has_graph |= in.is_message();
        break;
      case 8: ReadOneMore(in, &out->opset_imports); break;
      case 14: ReadOneMore(in, &out->metadata); break;
      case 25: ReadOneMore(in, &out->functions); break;
    }
  }
}

// What people pass in place of a model, by how such files begin.
struct Signature {
  std::string_view prefix;
  std::string_view description;
};

// Not every format: what is often passed by mistake, with what to do about it.
constexpr Signature kSignatures[] = {
    {"\x89PNG", "a PNG image"},
    {"\xFF\xD8\xFF", "a JPEG image"},
    {"GIF8", "a GIF image"},
    {"%PDF", "a PDF document"},
    {"PK\x03\x04", "a ZIP archive (a PyTorch checkpoint is one: export it to ONNX first)"},
    {"\x1F\x8B", "gzip-compressed data: decompress it first"},
    {"\x28\xB5\x2F\xFD", "zstd-compressed data: decompress it first"},
    {"\x7F"
     "ELF",
     "an ELF program or library"},
    {"\x93NUMPY", "a NumPy array"},
    {std::string_view("\0asm", 4), "a WebAssembly module"},
    {"\x89TERN", "a Tern executable: it needs no compiling, run it"},
    {"GGUF", "a GGUF file"},
    {"\x89HDF", "an HDF5 file (a Keras model is one: convert it to ONNX first)"},
    {"version https://git-lfs", "a Git LFS pointer: fetch the real file with 'git lfs pull'"},
    {"<!DOCTYPE", "an HTML page: was the download link that of a web page?"},
    {"<!doctype", "an HTML page: was the download link that of a web page?"},
    {"<html", "an HTML page: was the download link that of a web page?"},
    {"<?xml", "an XML document"},
    {"{", "JSON text"},
};

bool IsTextByte(uint8_t byte) {
  return byte == '\n' || byte == '\r' || byte == '\t' || byte >= 0x20;
}

constexpr std::string_view kPlainText = "plain text";

// Plain text, judged by the first bytes: an .onnx file has control characters right at the start.
bool LooksLikeText(ByteSpan bytes) {
  // Enough to tell, and a large file is not read for it.
  const ByteSpan head = bytes.first(bytes.size() < 64 ? bytes.size() : 64);
  for (const uint8_t byte : head) {
    if (!IsTextByte(byte)) return false;
  }
  return !head.empty();
}

Status WireStatus(const WireError& error, size_t size, std::string_view what) {
  if (error.message == nullptr) return OkStatus();
  return Corrupt("damaged ", what, ": ", error.message, " (at byte ", error.offset, " of ", size,
                 ")");
}

// Says what the file is where that can be told, because "not a model" alone does not help.
Status NotAModel(ByteSpan bytes, std::string_view reason) {
  const std::string_view foreign = DescribeForeignBytes(bytes);
  if (bytes.empty()) return Corrupt("the ONNX model is empty (0 bytes)");
  if (foreign == kPlainText)
    return Corrupt("not an ONNX model: this is plain text")
        .AddNote("names of programs end in .tn, of assembly text in .tasm, of loops in .tloop");
  if (!foreign.empty()) return Corrupt("not an ONNX model: this is ", foreign);
  return Corrupt("not an ONNX model: ", reason);
}

}  // namespace

std::string_view DescribeForeignBytes(ByteSpan bytes) {
  const std::string_view text = AsText(bytes);
  for (const Signature& signature : kSignatures) {
    if (text.starts_with(signature.prefix)) return signature.description;
  }
  return LooksLikeText(bytes) ? kPlainText : "";
}

// Almost any bytes can be read as Protobuf for a while, so that a damaged model is told from
// another kind of file by whether a graph and a version were found in it.
Status ReadModel(ByteSpan bytes, Model* model) {
  WireError error;
  Read(WireReader(bytes, &error), model);
  // A lack of memory says nothing about the file.
  if (!error.no_room.ok()) return std::move(error.no_room);
  const bool plausible =
      model->has_graph && (model->ir_version > 0 || !model->opset_imports.empty());
  if (error.message != nullptr) {
    // A torn model is still called one, so that its owner fetches it again instead of looking for
    // another converter.
    if (!plausible && !DescribeForeignBytes(bytes).empty()) return NotAModel(bytes, "");
    return WireStatus(error, bytes.size(), "ONNX model")
        .AddNote("the file may be truncated: fetch or export it again");
  }
  if (!plausible) return NotAModel(bytes, "it is Protobuf data, but without a graph and a version");
  return OkStatus();
}

Status ReadTensor(ByteSpan bytes, Tensor* tensor) {
  WireError error;
  Read(WireReader(bytes, &error), tensor);
  if (!error.no_room.ok()) return std::move(error.no_room);
  return WireStatus(error, bytes.size(), "ONNX tensor");
}

}  // namespace tern::onnx
