// SPDX-License-Identifier: Apache-2.0
// ExecBuilder in TypeScript: the founding document's programs, its checks, and builder code that is
// run and gives the same bytes back (C25). On the module that `tools/build.sh wasm` has built.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createRuntime,
  type ExecBuilder,
  makeTensor,
  type Runtime,
  type Tensor,
  TernError,
} from '../../../wasm/package/src/index.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const golden = `${root}/tests/golden/vm`;
let runtime: Runtime;

beforeAll(async () => {
  const module = (name: string): Uint8Array =>
    new Uint8Array(readFileSync(`${root}/build/wasm/wasm/${name}.wasm`));
  runtime = await createRuntime({
    wasm: module('tern-simd'),
    operators: module('tern-operators'),
    compiler: module('tern-compiler'),
  });
});
afterAll(() => runtime.dispose());

function vector(...values: number[]): Tensor {
  return makeTensor('f32', [values.length], Float32Array.from(values));
}

function errorOf(f: () => unknown): TernError {
  try {
    f();
  } catch (error) {
    if (error instanceof TernError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

// Runs what AsBuilderCode printed: a module with one exported function.
function rebuild(code: string): Uint8Array {
  expect(code.startsWith('export function build(runtime) {')).toBe(true);
  const make = new Function(`${code.replace('export ', '')}return build;`) as () => (
    runtime: Runtime,
  ) => Uint8Array;
  return make()(runtime);
}

describe('ExecBuilder', () => {
  it('C27 runs the add and mul program of the document', () => {
    const ib = runtime.builder();
    ib.function('func0', 2, () => {
      ib.emitCall('add', [ib.r(0), ib.r(1)], ib.r(2));
      ib.emitRet(ib.r(2));
    });
    ib.function('func1', 2, () => {
      ib.emitCall('mul', [ib.r(0), ib.r(1)], ib.r(2));
      ib.emitRet(ib.r(2));
    });
    const program = runtime.load(ib.finish());
    const args = [vector(1, 2, 3), vector(10, 20, 30)];
    const sum = Object.values(program.run('func0', args))[0] as Tensor;
    const product = Object.values(program.run('func1', args))[0] as Tensor;
    expect([...sum.data]).toEqual([11, 22, 33]);
    expect([...product.data]).toEqual([10, 40, 90]);
    program.dispose();
  });

  it('C24 prints the columns of the document', () => {
    const ib = runtime.builder();
    ib.function('func0', 2, () => {
      ib.emitCall('vm.op.add', [ib.r(0), ib.r(1)], ib.r(2));
      ib.emitCall('vm.builtin.move', [ib.r(2)], ib.r(3));
      ib.emitCall('vm.builtin.print', [ib.r(3)]);
      ib.emitRet(ib.r(3));
    });
    const bytes = ib.finish();
    expect(runtime.text(bytes, 'listing')).toBe(
      '@func0:\n' +
        '  call  vm.op.add        in: %0, %1       dst: %2\n' +
        '  call  vm.builtin.move  in: %2           dst: %3\n' +
        '  call  vm.builtin.print in: %3           dst: void\n' +
        '  ret   ret %3\n',
    );
    expect(runtime.text(bytes, 'stats')).toBe(
      'Relax VM executable statistics:\n' +
        '  Constant shapes (# 0): []\n' +
        '  Globals (#1): [func0]\n' +
        '  Packed functions (#3): [vm.op.add, vm.builtin.move, vm.builtin.print]\n',
    );
    expect(errorOf(() => runtime.text(bytes.slice(1), 'stats')).code).toBe('E0103');
  });

  it('A23 A01 prints other forms and checks single assignment', () => {
    const program = runtime.load(
      runtime.assemble('.func @f(a, b)\nadd %0, %1 dst: %2\nadd %2, 1 dst: %2\nret ret %2\n'),
    );
    expect(errorOf(() => program.text('ssa')).message).toContain('%2');
    expect(program.text('assignments')).toContain('  %2 = Add(%0, %1)\n');
    expect(program.text('instructions')).toContain('  Add $2, $0, $1\n');
    expect(errorOf(() => program.text('nonsense' as 'stats')).message).toContain('expected json');
    program.dispose();
  });

  it('C06 C07 runs the shape heap program of the document', () => {
    const x = makeTensor('f32', [32, 16], new Float32Array(32 * 16));
    const ib = runtime.builder();
    ib.function('main', 0, () => {
      ib.emitCall('vm.builtin.alloc_shape_heap', [ib.imm(2)], ib.r(0));
      ib.emitCall('vm.builtin.shape_of', [x], ib.r(1));
      ib.emitCall('vm.builtin.store_shape', [ib.r(1), ib.r(0), ib.imm(0), ib.imm(1)]);
      ib.emitCall('vm.builtin.load_shape', [ib.r(0), ib.imm(0), ib.imm(1)], ib.r(2));
      ib.emitCall('vm.builtin.load_dim', [ib.r(0), ib.imm(0)], ib.r(3));
      ib.emitCall('vm.builtin.load_dim', [ib.r(0), ib.imm(1)], ib.r(4));
      ib.emit('alloc_adt', [ib.r(5), 0, ib.r(3), ib.r(4)]);
      ib.emitRet(ib.r(5));
    });
    const program = runtime.load(ib.finish());
    expect(Object.values(program.run('main', []))).toEqual([32, 16]);
    program.dispose();
  });

  it('C11 keeps equal constants once, whatever their kind', () => {
    const ib = runtime.builder();
    ib.function('main', 0, () => {
      const args = [vector(1, 2), 0.5, true, null, 'text', ib.dtype('f32'), ib.shape([2, 3])];
      ib.emitCall('p', [...args, [vector(1, 2), [0.5]]], ib.r(0));
      ib.emitCall('p', [...args, [vector(1, 2), [0.5]]], ib.r(0));
      ib.emitCall('p', [7, -7, 2n ** 60n, 2n ** 60n], ib.r(0));
      ib.emitRet(ib.r(0));
    });
    const text = errorOf(() => runtime.load(ib.finish())).text;
    expect(text).toContain("'p'"); // no such primitive: what was built is sound
    const again = runtime.builder();
    const tuple = again.constant([vector(1, 2), [0.5, 'x']]);
    expect(again.constant([vector(1, 2), [0.5, 'x']])).toEqual(tuple);
    expect(again.constantText('int 1')).not.toEqual(again.constantText('int 1'));
    again.dispose();
  });

  it('A02 C16 renames registers in order of use', () => {
    const bytes = (x: number | bigint, y: number | bigint): Uint8Array => {
      const ib = runtime.builder();
      ib.function('main', 2, () => {
        ib.emitCall('add', [ib.r(0), ib.r(1)], ib.r(x));
        ib.emitCall('mul', [ib.r(x), ib.r(0)], ib.r(y));
        ib.emitRet(ib.r(y));
      });
      return ib.finish();
    };
    expect(bytes(2n ** 40n, 50)).toEqual(bytes(2, 3));
    const program = runtime.load(bytes(100, 10_000));
    expect(program.functionInfo('main').registers).toBe(4);
    program.dispose();
  });

  it('C13 C15 throws where the function ends', () => {
    const ib = runtime.builder();
    const error = errorOf(() =>
      ib.function('main', 2, () => {
        ib.emitCall('add', [ib.r(0), ib.r(3)], ib.r(4));
        ib.emitRet(ib.r(4));
      }),
    );
    expect(error.code).toBe('E0111');
    expect(error.message).toContain('function @main, instruction 0 (call): register %3 is read');
    expect(errorOf(() => ib.finish()).code).toBe('E0111');
  });

  it('C14 returns warnings of unused inputs', () => {
    const ib = runtime.builder();
    const warnings = ib.function('f', 3, () => {
      ib.emitCall('add', [ib.r(0), ib.r(2)], ib.r(3));
      ib.emitRet(ib.r(3));
    });
    expect(warnings.map((w) => w.message)).toEqual(['input %1 (register 1) unused in f']);
    ib.dispose();
  });

  it('C10 tells bad use', () => {
    const use = (f: (ib: ExecBuilder) => void): string => {
      const ib = runtime.builder();
      try {
        return errorOf(() => {
          f(ib);
          ib.finish();
        }).message;
      } finally {
        ib.dispose();
      }
    };
    const ret = (ib: ExecBuilder) => (): void => ib.emitRet(ib.r(0));
    expect(use((ib) => ib.emit('nonsense', []))).toContain("no instruction 'nonsense'");
    expect(use((ib) => ib.emitRet(ib.r(0)))).toContain('outside of a function');
    expect(use((ib) => ib.bind('x'))).toContain('outside of a function');
    expect(use((ib) => ib.constantText('f32[2] [1]'))).toContain('the shape needs 2 elements');
    expect(use((ib) => ib.constant({} as Tensor))).toContain('cannot be a constant');
    expect(use((ib) => ib.function('f', '(x: f33[2])', ret(ib)))).toContain('f33');
    expect(
      use((ib) => {
        ib.function('f', 1, ret(ib));
        ib.function('f', 1, ret(ib));
      }),
    ).toContain('a second function @f');
    expect(use((ib) => ib.function('f', 1, () => ib.emitGoto('nowhere')))).toContain(
      "label 'nowhere' is jumped to but nowhere bound",
    );
    expect(use((ib) => ib.emit('ret', [{ kind: 99, value: 0n }]))).toContain('kind 99');
    expect(use((ib) => ib.function('f', 1, () => ib.emitRet({ kind: 3, value: 12n })))).toContain(
      'an operand numbered',
    );
    const disposed = runtime.builder();
    disposed.dispose();
    expect(errorOf(() => disposed.finish()).code).toBe('E0702');
  });

  it('reports what the body throws, not what is missing then', () => {
    const ib = runtime.builder();
    expect(() =>
      ib.function('f', 1, () => {
        throw new Error('of the body');
      }),
    ).toThrow('of the body');
    ib.dispose();
  });
});

describe('builder code in JavaScript', () => {
  const names = readdirSync(golden).filter((n) => n.endsWith('.tasm') && !n.startsWith('bad-'));

  it.each(names)('C25 rebuilds %s', (name) => {
    const text = readFileSync(`${golden}/${name}`, 'utf8').split(';; expect')[0] ?? '';
    const bytes = runtime.assemble(text, name);
    expect(rebuild(runtime.text(bytes, 'javascript'))).toEqual(bytes);
  });

  // The document's edit, as an editor of the text makes it: two calls put in, to far registers.
  it('C26 lets the dump be edited', () => {
    const ib = runtime.builder();
    ib.function('func0', 2, () => {
      ib.emitCall('vm.op.add', [ib.r(0), ib.r(1)], ib.r(2));
      ib.emitCall('vm.builtin.move', [ib.r(2)], ib.r(3));
      ib.emitCall('vm.builtin.print', [ib.r(3)]);
      ib.emitRet(ib.r(3));
    });
    const dump = runtime.text(ib.finish(), 'javascript');
    const move = '    ib.emitCall("vm.builtin.move", [ib.r(2)], ib.r(3));\n';
    expect(dump).toContain(move);
    const edited = dump.replace(
      move,
      '    ib.emitCall("time", [], ib.r(100));\n' +
        move +
        '    ib.emitCall("time", [], ib.r(101));\n',
    );
    expect(runtime.text(rebuild(edited), 'listing')).toBe(
      '@func0:\n' +
        '  call  vm.op.add        in: %0, %1       dst: %2\n' +
        '  call  time             in:              dst: %3\n' +
        '  call  vm.builtin.move  in: %2           dst: %4\n' +
        '  call  time             in:              dst: %5\n' +
        '  call  vm.builtin.print in: %4           dst: void\n' +
        '  ret   ret %4\n',
    );
    const broken = dump.replace('ib.emitRet(ib.r(3));', '');
    expect(errorOf(() => rebuild(broken)).code).toBe('E0111');
  });
});
