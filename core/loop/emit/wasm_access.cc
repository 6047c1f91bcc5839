// SPDX-License-Identifier: Apache-2.0
// Loads, stores, gathers and scatters. A part under a mask is accessed whole where all of its lanes
// are active, else lane by lane, so that no byte of an inactive lane is touched.
#include "core/loop/emit/wasm_function.h"

namespace tern::loop {
namespace {

// In bytes. An offset is added without wrapping, unlike an index: with a small one every address
// that a program can have stays valid, because nothing is at addresses below this.
constexpr int64_t kMaxOffset = 1024;

uint32_t Log2(int64_t bytes) {
  return static_cast<uint32_t>(__builtin_ctzll(static_cast<uint64_t>(bytes)));
}

// The index as a ramp of neighbouring elements, or null. Neighbours are one load or store.
const Ramp* ContiguousRamp(const Expr& index) {
  const auto* ramp = index->As<Ramp>();
  return ramp != nullptr && IsInt(ramp->stride, 1) ? ramp : nullptr;
}

// The constant that is added in an index, if it is small and positive; the rest in *variable.
int64_t SplitConstant(const Expr& index, int64_t element_bytes, Expr* variable) {
  *variable = index;
  const auto* binary = index->As<Binary>();
  if (binary == nullptr || binary->op != BinaryOp::kAdd) return 0;
  const IntImm* constant = AsInt(binary->b);
  if (constant == nullptr || constant->value < 0 || constant->value >= kMaxOffset / element_bytes)
    return 0;
  *variable = binary->a;
  return constant->value;
}

}  // namespace

// A local with base + index * size, made once per statement for each pair of buffer and index.
// Addresses are computed modulo 2^32, as memory has at most that.
WasmFunction::Address WasmFunction::AddressOf(const Buffer& buffer, const Expr& index) {
  const std::pair key(&buffer, index.get());
  if (const auto known = addresses_.find(key); known != addresses_.end()) return known->second;
  const int64_t size = buffer.dtype.size();
  Expr variable;
  const int64_t constant = SplitConstant(index, size, &variable);
  const Expr low = LowHalf(variable);
  kept_.push_back(low);
  code_.Get(buffers_[&buffer]);
  Scalar(low->type.element() == kI32 || low->type.element() == kU32 ? low : MakeCast(kI32, low));
  if (size > 1) {
    code_.I32(static_cast<int32_t>(Log2(size)));
    code_.Op(WasmOp::kI32Shl);
  }
  code_.Op(WasmOp::kI32Add);
  kept_.push_back(index);
  return addresses_[key] = {Save(WasmType::kI32), static_cast<uint32_t>(constant * size)};
}

// --- loads

void WasmFunction::ScalarLoad(const Load& load) {
  if (load.indices.size() != 1)
    return NotLowered(
        StrCat("an access of '", load.buffer->name, "' by ", load.indices.size(), " indices"));
  const DataType memory = load.type.InMemory();
  const WasmType type = WasmScalarType(memory);
  const Address address = AddressOf(*load.buffer, load.index());
  const auto read = [&] {
    code_.Get(address.local);
    code_.Memory(LoadOp(memory), {address.offset, Log2(memory.element_bytes())});
    if (load.type.is_bool()) ConvertScalar(memory, load.type);
  };
  if (!load.predicate) return read();
  // A lane that is off must not be read, because its address may lie outside of the memory.
  Scalar(load.predicate);
  code_.If(type);
  read();
  code_.Else();
  PushZero(memory);
  code_.End();
}

// Also of bools: their bytes, which the caller compares.
void WasmFunction::LoadPart(const Load& load, int part) {
  if (load.indices.size() != 1)
    return NotLowered(
        StrCat("an access of '", load.buffer->name, "' by ", load.indices.size(), " indices"));
  const auto* ramp = ContiguousRamp(load.index());
  if (ramp == nullptr) return GatherPart(load, part);
  const Address address = AddressOf(*load.buffer, ramp->base);
  if (load.predicate) return MaskedLoad(load, address, part);
  PlainLoad(load.type.InMemory(), address, part);
}

// Loads exactly the vector's bytes, which may be fewer than a register's: the rest may not exist.
void WasmFunction::PlainLoad(DataType memory, Address address, int part) {
  const int bytes = LanesIn(memory, memory.bits()) * memory.bits() / 8;
  const WasmAddress at = {address.offset + static_cast<uint32_t>(part) * 16,
                          Log2(memory.element_bytes())};
  code_.Get(address.local);
  switch (bytes) {
    case 16: return code_.Memory(WasmOp::kV128Load, at);
    case 8: return code_.Memory(WasmOp::kV128Load64Zero, at);
    case 4: return code_.Memory(WasmOp::kV128Load32Zero, at);
    default: code_.V128({}); code_.MemoryLane(LaneOps(bytes * 8).load_lane, at, 0);
  }
}

// One bit for each lane of the part, in a local; only bits of lanes that exist are set.
uint32_t WasmFunction::MaskBits(const Expr& predicate, int bits, int part) {
  Mask(predicate, bits, part);
  code_.Op(LaneOps(bits).bitmask);
  // The upper lanes of a short vector hold anything.
  const int lanes = LanesIn(predicate->type, bits);
  if (lanes < LanesPerPart(bits)) {
    code_.I32((1 << lanes) - 1);
    code_.Op(WasmOp::kI32And);
  }
  return Save(WasmType::kI32);
}

// Opens an if for one lane; the caller closes it.
void WasmFunction::IfLane(uint32_t bits, int lane) {
  code_.Get(bits);
  code_.I32(1 << lane);
  code_.Op(WasmOp::kI32And);
  code_.If();
}

// The common case, all lanes on, is one load behind a test.
void WasmFunction::MaskedLoad(const Load& load, Address address, int part) {
  const DataType memory = load.type.InMemory();
  const int lanes = LanesIn(memory, memory.bits());
  const uint32_t bits = MaskBits(load.predicate, memory.bits(), part);
  const uint32_t result = Temporary(WasmType::kV128);
  code_.Get(bits);
  code_.I32((1 << lanes) - 1);
  code_.Op(WasmOp::kI32Eq);
  code_.If();
  PlainLoad(memory, address, part);
  code_.Set(result);
  code_.Else();
  code_.V128({});
  code_.Set(result);
  for (int lane = 0; lane < lanes; ++lane) {
    IfLane(bits, lane);
    const auto offset = static_cast<uint32_t>(part * 16 + lane * memory.bits() / 8);
    code_.Get(address.local);
    code_.Get(result);
    code_.MemoryLane(LaneOps(memory.bits()).load_lane,
                     {address.offset + offset, Log2(memory.element_bytes())},
                     static_cast<uint8_t>(lane));
    code_.Set(result);
    code_.End();
  }
  code_.End();
  code_.Get(result);
}

// The addresses of `count` lanes from `first` on, in locals.
std::vector<uint32_t> WasmFunction::IndexLanes(const Buffer& buffer, const Expr& index, int first,
                                               int count) {
  const Expr low = LowHalf(index);
  kept_.push_back(low);
  CountUses(low, &uses_);
  std::vector<uint32_t> addresses;
  for (int lane = first; lane < first + count; ++lane) {
    code_.Get(buffers_[&buffer]);
    Lane(low, lane);
    if (const int64_t size = buffer.dtype.size(); size > 1) {
      code_.I32(static_cast<int32_t>(Log2(size)));
      code_.Op(WasmOp::kI32Shl);
    }
    code_.Op(WasmOp::kI32Add);
    addresses.push_back(Save(WasmType::kI32));
  }
  return addresses;
}

// One load per lane, because there is no gather instruction.
void WasmFunction::GatherPart(const Load& load, int part) {
  const DataType memory = load.type.InMemory();
  const int lanes = LanesIn(memory, memory.bits());
  const std::vector<uint32_t> addresses =
      IndexLanes(*load.buffer, load.index(), part * LanesPerPart(memory.bits()), lanes);
  const uint32_t bits = load.predicate ? MaskBits(load.predicate, memory.bits(), part) : 0;
  const uint32_t result = Temporary(WasmType::kV128);
  code_.V128({});
  code_.Set(result);
  for (int lane = 0; lane < lanes; ++lane) {
    if (load.predicate) IfLane(bits, lane);
    code_.Get(addresses[static_cast<size_t>(lane)]);
    code_.Get(result);
    code_.MemoryLane(LaneOps(memory.bits()).load_lane, {0, Log2(memory.element_bytes())},
                     static_cast<uint8_t>(lane));
    code_.Set(result);
    if (load.predicate) code_.End();
  }
  code_.Get(result);
}

// --- stores

void WasmFunction::WriteStore(const Store& store) {
  BeginStatement({store.index(), store.value, store.predicate});
  if (store.indices.size() != 1)
    return NotLowered(
        StrCat("an access of '", store.buffer->name, "' by ", store.indices.size(), " indices"));
  const DataType memory = store.value->type.InMemory();
  if (memory.is_scalar()) return ScalarStore(store);
  const auto* ramp = ContiguousRamp(store.index());
  if (ramp == nullptr) return Scatter(store);
  const Address address = AddressOf(*store.buffer, ramp->base);
  // All of the value is computed before any of it is written: it may read the same buffer.
  std::vector<uint32_t> values;
  for (int part = 0; part < PartsOf(memory); ++part) values.push_back(StoredPart(store, part));
  for (int part = 0; part < PartsOf(memory); ++part)
    StorePart(store, address, part, values[static_cast<size_t>(part)]);
}

// The value is computed ahead of the test, so that what it saves is there in both cases.
void WasmFunction::ScalarStore(const Store& store) {
  const DataType memory = store.value->type.InMemory();
  const Address address = AddressOf(*store.buffer, store.index());
  if (store.predicate) {
    Scalar(store.value);
    const uint32_t value = Save(WasmScalarType(memory));
    Scalar(store.predicate);
    code_.If();
    code_.Get(address.local);
    code_.Get(value);
  } else {
    code_.Get(address.local);
    Scalar(store.value);
  }
  code_.Memory(StoreOp(memory), {address.offset, Log2(memory.element_bytes())});
  if (store.predicate) code_.End();
}

// One part of the value as it is in memory, in a local.
uint32_t WasmFunction::StoredPart(const Store& store, int part) {
  if (store.value->type.is_bool()) {
    Mask(store.value, 8, part);
    // A mask's lane is all ones; memory holds 1.
    code_.V128(LaneBytes(8, [](int) { return 1; }));
    code_.Op(WasmOp::kV128And);
  } else {
    Part(store.value, part);
  }
  return Save(WasmType::kV128);
}

// As MaskedLoad: one store if all lanes are on, else one per lane.
void WasmFunction::StorePart(const Store& store, Address address, int part, uint32_t value) {
  const DataType memory = store.value->type.InMemory();
  if (!store.predicate) return PlainStore(memory, address, part, value);
  const int lanes = LanesIn(memory, memory.bits());
  const uint32_t bits = MaskBits(store.predicate, memory.bits(), part);
  code_.Get(bits);
  code_.I32((1 << lanes) - 1);
  code_.Op(WasmOp::kI32Eq);
  code_.If();
  PlainStore(memory, address, part, value);
  code_.Else();
  for (int lane = 0; lane < lanes; ++lane) {
    IfLane(bits, lane);
    const auto offset = static_cast<uint32_t>(part * 16 + lane * memory.bits() / 8);
    code_.Get(address.local);
    code_.Get(value);
    code_.MemoryLane(LaneOps(memory.bits()).store_lane,
                     {address.offset + offset, Log2(memory.element_bytes())},
                     static_cast<uint8_t>(lane));
    code_.End();
  }
  code_.End();
}

void WasmFunction::PlainStore(DataType memory, Address address, int part, uint32_t value) {
  const int bytes = LanesIn(memory, memory.bits()) * memory.bits() / 8;
  const WasmAddress at = {address.offset + static_cast<uint32_t>(part) * 16,
                          Log2(memory.element_bytes())};
  code_.Get(address.local);
  code_.Get(value);
  if (bytes == 16) return code_.Memory(WasmOp::kV128Store, at);
  code_.MemoryLane(LaneOps(bytes * 8).store_lane, at, 0);
}

// Lanes in order, so that the last wins where two meet.
void WasmFunction::Scatter(const Store& store) {
  const DataType memory = store.value->type.InMemory();
  const int lanes = LanesIn(memory, memory.bits());
  std::vector<uint32_t> values, masks;
  std::vector<std::vector<uint32_t>> addresses;
  for (int part = 0; part < PartsOf(memory); ++part) {
    values.push_back(StoredPart(store, part));
    if (store.predicate) masks.push_back(MaskBits(store.predicate, memory.bits(), part));
    addresses.push_back(
        IndexLanes(*store.buffer, store.index(), part * LanesPerPart(memory.bits()), lanes));
  }
  // All values and addresses were computed above, so no store changes what a later one needs.
  for (size_t part = 0; part < values.size(); ++part) {
    for (int lane = 0; lane < lanes; ++lane) {
      if (store.predicate) IfLane(masks[part], lane);
      code_.Get(addresses[part][static_cast<size_t>(lane)]);
      code_.Get(values[part]);
      code_.MemoryLane(LaneOps(memory.bits()).store_lane, {0, Log2(memory.element_bytes())},
                       static_cast<uint8_t>(lane));
      if (store.predicate) code_.End();
    }
  }
}

}  // namespace tern::loop
