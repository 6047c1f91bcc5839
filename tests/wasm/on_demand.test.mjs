// SPDX-License-Identifier: Apache-2.0
// B33: executables that stay outside of the module, whose constants are copied in when a function
// needs them. Run by `node --test` after tools/build_web.sh.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { createRuntime, TernError } from '../../wasm/package/dist/index.js';

const kMiB = 1 << 20;
const kElements = 4 * kMiB; // two constants of 16 MiB each

// An executable of 32 MiB: @first gives one constant, @second the other.
async function makeExecutable() {
  const maker = await createRuntime();
  const builder = maker.builder();
  try {
    for (const name of ['first', 'second']) {
      const data = new Float32Array(kElements).map((_, i) => i + name.length);
      builder.function(name, 0, () => builder.emitRet({ dtype: 'f32', shape: [kElements], data }));
    }
    builder.function('seven', 0, () => builder.emitRet(7));
    return builder.finish();
  } finally {
    builder.dispose();
    maker.dispose();
  }
}

describe('constants on demand', () => {
  let bytes;
  let runtime;
  let atStart;
  before(async () => {
    bytes = await makeExecutable();
  });
  beforeEach(async () => {
    runtime = await createRuntime();
    atStart = runtime.memory();
  });
  afterEach(() => {
    const now = runtime.memory();
    assert.equal(now.liveObjects, atStart.liveObjects, 'objects were leaked');
    assert.equal(now.outsideBytes, 0, 'an executable was leaked');
    runtime.dispose();
  });
  after(() => (bytes = undefined));

  function withMachine(source, f) {
    const program = runtime.load(source, { constants: 'on-demand' });
    const machine = program.machine();
    try {
      f(machine, program);
    } finally {
      machine.dispose();
      program.dispose();
    }
  }
  const grown = () => runtime.memory().wasmBytes - atStart.wasmBytes;

  it('B33: keeps the heap small until a function needs a constant', () => {
    assert.ok(bytes.length > 32 * kMiB);
    withMachine(bytes, (machine, program) => {
      assert.equal(runtime.memory().outsideBytes, bytes.length);
      assert.equal(machine.call('seven'), 7);
      assert.equal(program.info.constants.length, 2);
      assert.match(program.text('stats'), /Constant shapes \(# 2\)/);
      assert.ok(grown() < kMiB, `${grown()} bytes for a program that was only loaded`);

      const { data } = machine.call('first');
      assert.equal(data.length, kElements);
      assert.equal(data[0], 5);
      assert.equal(data[kElements - 1], Math.fround(kElements - 1 + 5));
      const one = grown();
      assert.ok(one < 24 * kMiB, `${one} bytes for one constant`);
      machine.call('first');
      assert.equal(grown(), one);

      assert.equal(machine.call('second').data[1], 7);
      assert.ok(grown() > one);
      assert.equal(program.bytes, bytes);
    });
  });

  it('takes all of it in by default', () => {
    const program = runtime.load(bytes);
    assert.ok(grown() > 16 * kMiB);
    assert.equal(runtime.memory().outsideBytes, 0);
    program.dispose();
  });

  it('says which constant is damaged, and goes on', () => {
    const damaged = bytes.slice();
    const at = damaged.length - 8 * kMiB; // in the second constant
    damaged[at] ^= 1;
    withMachine(damaged, (machine) => {
      assert.equal(machine.call('first').data[1], 6);
      assert.throws(
        () => machine.call('second'),
        (error) =>
          error instanceof TernError &&
          error.code === 'E0105' &&
          /constant 1 \(f32\[4194304\]\) does not match its checksum/.test(error.message),
      );
      damaged[at] ^= 1;
      assert.equal(machine.call('second').data[1], 7);
    });
  });

  it('refuses what is no executable, and bytes that are gone', () => {
    const load = (source) => () => runtime.load(source, { constants: 'on-demand' });
    assert.throws(load(bytes.subarray(0, 1000)), { code: 'E0105' });
    assert.throws(load(bytes.subarray(0, 8)), { code: 'E0105' });
    const given = bytes.slice();
    withMachine(given, (machine) => {
      structuredClone(given.buffer, { transfer: [given.buffer] });
      assert.throws(() => machine.call('first'), {
        code: 'E0101',
        message: /constant 0 \(f32\[4194304\]\) cannot be read/,
      });
      assert.equal(machine.call('seven'), 7);
    });
  });
});
