// SPDX-License-Identifier: Apache-2.0
// The object model through the package: values, functions and errors in both directions, and
// nothing left behind. Run by `node --test` after tools/build_web.sh.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import {
  createRuntime,
  makeTensor,
  TernError,
  TernFunction,
  Tuple,
} from '../../wasm/package/dist/index.js';

let runtime;
let atStart;
before(async () => {
  runtime = await createRuntime();
  // What the table of functions makes on first use stays.
  runtime.function('add').dispose();
});
beforeEach(() => {
  atStart = runtime.memory();
});
// The leak check: every test leaves as many objects and functions as it found.
afterEach(() => {
  const now = runtime.memory();
  assert.equal(now.liveObjects, atStart.liveObjects, 'objects were leaked');
  assert.equal(now.hostFunctions, atStart.hostFunctions, 'functions were leaked');
});
after(() => runtime.dispose());

const f32 = (...values) => makeTensor('f32', [values.length], new Float32Array(values));

function refuses(f, code, words) {
  assert.throws(f, (error) => {
    assert.ok(error instanceof TernError, String(error));
    if (code) assert.equal(error.code, code);
    assert.match(error.message, words);
    return true;
  });
}

describe('values go there and back', () => {
  const same = (value) => assert.deepEqual(runtime.echo(value), value);

  it('numbers, booleans, null', () => {
    for (const value of [0, -1, 2 ** 53 - 1, 0.1, -1e300, Infinity, true, false, null]) same(value);
    assert.ok(Number.isNaN(runtime.echo(NaN)));
    assert.equal(runtime.echo(2n ** 62n), 2n ** 62n);
    assert.equal(runtime.echo(7n), 7);
  });
  it('D16 text of every length, in place, in a slot, on the heap', () => {
    for (let length = 0; length < 40; ++length) same('x'.repeat(length));
    for (const text of ['añ你😀', 'a\0b', '\0'.repeat(12), '😀'.repeat(100)]) same(text);
  });
  it('bytes', () => {
    same(new Uint8Array([0, 255, 1]));
    same(new Uint8Array());
  });
  it('lists, also nested, and what lies in them', () => {
    same([]);
    same([1, 'two', [3.5, [null, true]], 'a text of some length', new Uint8Array([1])]);
    assert.equal(runtime.echo(Array.from({ length: 1000 }, (_, i) => i)).length, 1000);
  });
  it('maps in their order', () => {
    const map = new Map([
      ['b', 1],
      ['a', [1, 2]],
      [3, new Map([[true, 'x']])],
      ['z'.repeat(30), null],
    ]);
    assert.deepEqual([...runtime.echo(map)], [...map]);
    same(new Map());
  });
  it('tuples, as arrays', () => {
    assert.deepEqual(runtime.echo(new Tuple(1, new Tuple('x'))), [1, ['x']]);
    assert.equal(runtime.print(new Tuple(1, 'x')), '(1, "x")');
    assert.equal(runtime.print([1, 'x']), 'list[1, "x"]');
  });
  it('tensors', () => {
    same(f32(1, 2.5));
    same([f32(), makeTensor('i64', [1, 2], new BigInt64Array([1n, -1n]))]);
  });
  it('functions of JavaScript, as handles', () => {
    const twice = runtime.echo((x) => x * 2);
    assert.ok(twice instanceof TernFunction);
    assert.equal(twice.call(21), 42);
    const other = twice.clone();
    twice.dispose();
    twice.dispose(); // again does nothing
    assert.equal(other.call('3'), 6);
    other[Symbol.dispose]();
  });
});

describe('values that do not go', () => {
  it('other kinds are named', () => {
    refuses(() => runtime.echo({ a: 1 }), 'E0205', /a value is a tensor/);
    refuses(() => runtime.echo(Symbol('x')), 'E0205', /a function/);
    refuses(() => runtime.echo([1, [undefined]]), 'E0205', /a value is/);
    refuses(() => runtime.echo(2n ** 63n), 'E0205', /does not fit an int/);
  });
  it('values in themselves', () => {
    const list = [1];
    list.push(list);
    refuses(() => runtime.echo(list), 'E0205', /perhaps in itself/);
    const map = new Map();
    map.set('self', map);
    refuses(() => runtime.echo(map), 'E0205', /perhaps in itself/);
  });
  it('a tensor with too few elements', () => {
    refuses(() => runtime.echo([f32(1), { ...f32(1), shape: [2] }]), 'E0205', /has 2 elements/);
  });
});

describe('whole values', () => {
  const value = [1, 'two', new Map([['k', [0.5, f32(1, 2)]]]), new Uint8Array([3])];

  it('as JSON and as bytes, and back', () => {
    assert.deepEqual(runtime.fromJson(runtime.toJson(value)), value);
    assert.deepEqual(runtime.fromBytes(runtime.toBytes(value)), value);
  });
  it('differ at a path', () => {
    assert.equal(runtime.difference(value, value), undefined);
    assert.match(runtime.difference([1, [2, 3]], [1, [2, 4]]), /\[1\].*\[1\].*3.*4/);
  });
  it('that mean nothing elsewhere, or are broken', () => {
    refuses(() => runtime.toJson([() => 0]), null, /function/);
    refuses(() => runtime.fromJson('{"tern":'), null, /./);
    const bytes = runtime.toBytes(value);
    refuses(() => runtime.fromBytes(bytes.subarray(0, bytes.length - 3)), null, /./);
    refuses(() => runtime.fromBytes(new Uint8Array()), null, /./);
  });
});

describe('functions', () => {
  it('D29 an operator by name, on tensors', () => {
    const add = runtime.function('add');
    assert.equal(add.name, 'add');
    assert.deepEqual(add.call(f32(1, 2), f32(10, 20)), f32(11, 22));
    add.dispose();
  });
  it('registered, found, called, replaced, removed', () => {
    runtime.register('js.join', (list, separator) => list.join(separator));
    assert.ok(runtime.functionNames().includes('js.join'));
    const join = runtime.function('js.join');
    assert.equal(join.call(['a', 'b', 'a longer text'], ', '), 'a, b, a longer text');
    refuses(() => runtime.register('js.join', () => 0), null, /'js.join' is registered already/);
    runtime.register('js.join', () => new Map([['n', 0]]), { replace: true });
    const replaced = runtime.function('js.join');
    assert.deepEqual(replaced.call(), new Map([['n', 0]]));
    assert.equal(join.call([], ''), ''); // who holds the old one keeps it
    runtime.unregister('js.join');
    refuses(() => runtime.unregister('js.join'), null, /no function 'js.join'/);
    refuses(() => runtime.function('js.join'), null, /js\.join/);
    join.dispose();
    replaced.dispose();
  });
  it('take functions and call them', () => {
    runtime.register('js.apply', (f, x) => f.call(x, f32(1)));
    const apply = runtime.function('js.apply');
    assert.deepEqual(apply.call((x, t) => [x, t], 'hello'), ['hello', f32(1)]);
    apply.dispose();
    runtime.unregister('js.apply');
  });
  it('give nothing as null', () => {
    const nothing = runtime.echo(() => undefined);
    assert.equal(nothing.call(1, 2, 3), null);
    nothing.dispose();
  });
  it('are called by programs', () => {
    runtime.register('js.scale', (tensor, factor) => f32(...tensor.data.map((x) => x * factor)));
    const program = runtime.load(
      runtime.assemble(`.func @main(x: f32[n], k: int) -> f32[n]
  call  js.scale         in: %0, %1       dst: %2
  ret   ret %2
`),
    );
    const result = program.run('main', { x: f32(1, 2), k: 3 });
    assert.deepEqual(Object.values(result), [f32(3, 6)]);
    program.dispose();
    runtime.unregister('js.scale');
  });
});

describe('errors', () => {
  it('of JavaScript cross both ways and leave the runtime usable', () => {
    const failing = runtime.echo((x) => {
      if (x === 'return') return { not: 'a value' };
      throw new RangeError(`no such thing as ${x}`);
    });
    refuses(() => failing.call('this'), null, /no such thing as this/);
    refuses(() => failing.call('return'), null, /a value is a tensor/);
    const outer = runtime.echo((f) => f.call('deep inside'));
    refuses(() => outer.call(failing), null, /no such thing as deep inside/);
    outer.dispose();
    failing.dispose();
    assert.equal(runtime.echo('still here'), 'still here');
  });
  it('keep their causes', () => {
    const failing = runtime.echo((how) => {
      const inner = new RangeError('the inner one');
      if (how === 'round') inner.cause = inner;
      throw new Error('the outer one', { cause: inner });
    });
    assert.throws(
      () => failing.call('once'),
      (error) => {
        assert.equal(error.message, 'the outer one');
        assert.deepEqual(error.diagnostic.notes, ['caused by: failed: the inner one']);
        assert.match(error.text, /caused by: failed: the inner one/);
        return true;
      },
    );
    // A cause of itself ends somewhere.
    assert.throws(
      () => failing.call('round'),
      (error) => error.diagnostic.notes.length < 100,
    );
    failing.dispose();
  });
  it('in a program name the function', () => {
    runtime.register('js.fail', () => {
      throw new Error('on purpose');
    });
    const bytes = runtime.assemble(`.func @main()
  call  js.fail          in:              dst: %0
  ret   ret %0
`);
    const program = runtime.load(bytes);
    refuses(() => program.run('main', []), null, /on purpose/);
    program.dispose();
    runtime.unregister('js.fail');
  });
  it('of operators say what was expected', () => {
    const add = runtime.function('add');
    refuses(() => add.call(f32(1)), null, /add/);
    refuses(() => add.call('text', f32(1)), null, /is string, expected a tensor/);
    add.dispose();
    refuses(() => add.call(f32(1), f32(1)), 'E0702', /disposed of/);
    refuses(() => add.name, 'E0702', /disposed of/);
    refuses(() => runtime.echo(add), 'E0702', /disposed of/);
  });
});
