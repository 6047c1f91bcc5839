// SPDX-License-Identifier: Apache-2.0
// Just enough of Protobuf to read one ONNX TensorProto (dims = 1, data_type = 2, float_data = 4,
// raw_data = 9).
const kDtypes = {
  1: ['f32', Float32Array],
  7: ['i64', BigInt64Array],
  6: ['i32', Int32Array],
  9: ['bool', Uint8Array],
  11: ['f64', Float64Array],
};

function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0n,
      shift = 0n;
    for (;;) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
      shift += 7n;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const wire = key & 7;
    if (wire === 0) yield [key >> 3, varint()];
    else if (wire === 5) yield [key >> 3, bytes.subarray(at, (at += 4))];
    else if (wire === 1) yield [key >> 3, bytes.subarray(at, (at += 8))];
    else {
      const length = Number(varint());
      yield [key >> 3, bytes.subarray(at, (at += length))];
    }
  }
}

export function parseTensorProto(bytes) {
  const shape = [],
    floats = [];
  let type = 1,
    raw,
    name = '';
  for (const [field, value] of fields(bytes)) {
    if (field === 1 && typeof value === 'bigint') shape.push(Number(value));
    else if (field === 1) for (const byte of value) shape.push(byte);
    else if (field === 2) type = Number(value);
    else if (field === 4) floats.push(value);
    else if (field === 8) name = value.toString();
    else if (field === 9) raw = value;
  }
  const [dtype, array] = kDtypes[type] ?? [];
  if (!array)
    throw new Error(`tensor '${name}' has element type ${type}, which this tool does not read`);
  const data = Uint8Array.from(raw ?? Buffer.concat(floats)).buffer;
  return { name, dtype, shape, data: new array(data) };
}
