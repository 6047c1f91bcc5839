// SPDX-License-Identifier: Apache-2.0
// The Lanes view's model: cells, the walk, the chart, footprints, the address.
import { describe, expect, it } from 'vitest';
import type { LaneRun } from '../../../web/src/engine/loops-protocol.js';
import { readAddress, writeAddress } from '../../../web/src/model/address.js';
import { footprintOf, kShownLines } from '../../../web/src/model/footprint.js';
import {
  cellsOf, clampSize, clampVScale, counterRows, describeCell, iterationAfter, kLegalVScales,
  type LaneIteration, linesOfPart, maskOf, methodOf, moveCursor, nextLegal, rangeOf,
} from '../../../web/src/model/lanes.js';
import { looksLikeLoops } from '../../../web/src/model/file-kind.js';
import { packText, unpackText } from '../../../web/src/model/packed-text.js';
import { exampleOf, kLoopExamples } from '../../../web/src/model/loop-examples.js';
import {
  kChart, metricOf, roundUp, shortNumber, sweepOf, xOf,
} from '../../../web/src/model/sweep.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function row(part: Partial<LaneIteration> & { mask?: string | null }): LaneIteration {
  const { mask = null, ...rest } = part;
  const access = { index: 16, step: 1, mask, bytes: 8, masked_bytes: 8, lines: [1] };
  return {
    k: 4, folded: 1, part: 'vector', vector: true, lanes: 4, active: 2,
    accesses: [{ buffer: 0, op: 'load', ...access }, { buffer: 1, op: 'store', ...access }],
    ...rest,
  };
}

const kFloats = {
  dtype: 'float32', element_bytes: 4, elements: 18, bytes_touched: 72, lines: 2,
};
const kBuffers = [
  { name: 'A', access: 'in', ...kFloats },
  { name: 'C', access: 'out', ...kFloats },
];

function run(part: Partial<LaneRun> = {}): LaneRun {
  return {
    strategy: 'predicated', n: 18, vscale: 1, function: 'f', sizes: { n: 18 },
    vector_iterations: 5, scalar_iterations: 0, last_active: 2, utilisation: 0.9,
    instructions: { load: 10, store: 5, arith: 5, predicate: 5, control: 10 },
    bytes_loaded: 144, bytes_stored: 72, active_lanes: 18, issued_lanes: 20, method: 'control',
    checked: true, buffers: kBuffers, iterations: [], left_out: 0, ...part,
  };
}

describe('cells', () => {
  it('are on, or off where the mask says so, past the end or not', () => {
    const cells = cellsOf(row({ mask: '1100' }), kBuffers);
    expect(cells.map(({ element, state }) => `${element} ${state}`)).toEqual([
      '16 active', '17 active', '18 outside', '19 outside',
    ]);
    expect(cellsOf(row({ mask: '0101' }), kBuffers)[0]!.state).toBe('off');
    expect(rangeOf(cells)).toBe('16–17');
    expect(rangeOf([])).toBe('none');
    expect(maskOf(row({ mask: '1100' }), kBuffers)).toBe('1100');
    expect(maskOf(row({}), kBuffers)).toBeUndefined();
  });

  it('of a scalar and of a gather', () => {
    const access = { buffer: 1, op: 'store', mask: null, masked_bytes: 0, lines: [0] } as const;
    const scalar = row({
      part: 'epilogue', vector: false, lanes: 1, active: 1,
      accesses: [{ ...access, lines: [0], index: 3, step: 0, bytes: 4 }],
    });
    expect(cellsOf(scalar, kBuffers)).toEqual([{ lane: 0, element: 3, state: 'scalar' }]);
    const gather = row({ accesses: [{ ...access, lines: [0], indices: [9, 2, 4, 1], bytes: 16 }] });
    expect(cellsOf(gather, kBuffers).map(({ element }) => element)).toEqual([9, 2, 4, 1]);
    expect(cellsOf(row({ accesses: [] }), kBuffers)).toEqual([]);
  });

  it('are told in one sentence', () => {
    const last = row({ mask: '1100' });
    const [on, , off] = cellsOf(last, kBuffers);
    expect(describeCell(run(), last, on!, 'predicated')).toBe(
      'Iteration 4 (main), lane 0 of 4: element 16 is on; loads A[16] at byte 64, ' +
        'stores C[16] at byte 64.',
    );
    expect(describeCell(run(), last, off!, 'predicated')).toContain(
      'element 18 is off: it lies past the end',
    );
  });
});

describe('the walk', () => {
  const shown = run({
    iterations: [row({ k: 0 }), row({ k: 1, folded: 7, accesses: [] }), row({ k: 8 })],
  });
  const at = { strategy: 'predicated', k: 0, lane: 1 } as const;
  it('stays inside, and passes rows that stand for several', () => {
    expect(moveCursor(shown, at, 'ArrowDown')).toEqual({ ...at, k: 8 });
    expect(moveCursor(shown, at, 'ArrowUp')).toEqual(at);
    expect(moveCursor(shown, at, 'End')).toEqual({ ...at, lane: 3 });
    expect(moveCursor(shown, { ...at, lane: 3 }, 'ArrowRight')).toEqual({ ...at, lane: 3 });
    expect(moveCursor(shown, at, 'PageDown')).toEqual({ ...at, k: 8 });
    expect(moveCursor(shown, at, 'Enter')).toBeUndefined();
    expect(moveCursor(run(), at, 'End')).toBeUndefined();
  });
});

describe('playing', () => {
  it('passes over what is folded, and ends', () => {
    const folded = run({ iterations: [row({ k: 0 }), row({ k: 1, folded: 7 }), row({ k: 8 })] });
    expect(iterationAfter(folded, undefined)?.k).toBe(0);
    expect(iterationAfter(folded, 0)?.k).toBe(8);
    expect(iterationAfter(folded, 3)?.k).toBe(8);
    expect(iterationAfter(folded, 8)).toBeUndefined();
    expect(iterationAfter(run(), undefined)).toBeUndefined();
    expect(iterationAfter(undefined, undefined)).toBeUndefined();
  });
});

describe('vscale and sizes', () => {
  it('go from one that processors have to the next', () => {
    expect(kLegalVScales).toEqual([1, 2, 4, 8, 16]);
    expect([1, 3, 8, 16].map((vscale) => nextLegal(vscale, 1))).toEqual([2, 4, 16, 16]);
    expect([1, 3, 8, 16].map((vscale) => nextLegal(vscale, -1))).toEqual([1, 2, 4, 8]);
  });
  it('are kept to what there is', () => {
    expect([0, -3, 17, Number.NaN, 2.4].map(clampVScale)).toEqual([1, 1, 16, 1, 2]);
    expect([-1, 2.9, Number.NaN, 1e12].map(clampSize)).toEqual([0, 2, 0, 1e9]);
  });
});

describe('figures', () => {
  it('stand side by side', () => {
    const unknown = [{ ...kBuffers[0]!, lines: null }];
    const rows = counterRows([run(), run({ issued_lanes: 0, buffers: unknown })]);
    const of = (name: string) => rows.find((each) => each.name === name)!.values;
    expect(of('instructions')).toEqual(['35', '35']);
    expect(of('lanes wasted')[0]).toBe('2');
    expect(of('lanes used')).toEqual(['90.0\u202f%', '–']);
    expect(of('cache lines')).toEqual(['4', 'not known']);
  });
  it('say how they were found', () => {
    expect(methodOf(run())).toContain('✓');
    expect(methodOf(run({ checked: false }))).toContain('✗');
    expect(methodOf(run({ checked: null }))).toBe('counted without running');
    expect(methodOf(run({ method: 'run', checked: null }))).toContain('data decide');
  });
});

describe('the chart', () => {
  it('has a line for each strategy, inside of its frame', () => {
    const runs = [1, 2, 16].map((vscale) => run({ vscale, vector_iterations: 80 / vscale }));
    const { lines, ticks } = sweepOf(runs, 'iterations');
    expect(lines.map(({ points }) => points.length)).toEqual([0, 0, 3]);
    const { x, y } = lines[2]!.points[2]!;
    expect(x).toBe(xOf(16));
    expect(y).toBeLessThanOrEqual(kChart.height - kChart.bottom);
    expect(ticks.map(({ text }) => text)).toEqual(['0', '50', '100']);
    expect(sweepOf([], 'instructions').ticks).toHaveLength(3);
    expect(metricOf(run(), 'utilisation')).toBe(90);
  });
  it('has round numbers', () => {
    expect([0, 1, 3, 18, 501].map(roundUp)).toEqual([1, 1, 5, 20, 1000]);
    expect([7.25, 999, 1500, 20_000, 3e6, 5e9].map(shortNumber)).toEqual(
      ['7.3', '999', '1.5k', '20k', '3M', '5G']);
  });
});

describe('footprints', () => {
  it('show the lines of a small buffer', () => {
    const [load] = footprintOf(row({ mask: '1100' }), kBuffers);
    expect(load).toMatchObject({ name: 'A', op: 'load', before: 0, after: 0, bytes: 8, masked: 8 });
    expect(load!.cells).toEqual([{ line: 0, touched: false }, { line: 1, touched: true }]);
  });
  it('show a part of a large one, and say what lies beside it', () => {
    const access = row({}).accesses[0]!;
    const wide = row({ accesses: [{ ...access, lines: [500] }] });
    const [stream] = footprintOf(wide, [{ ...kBuffers[0]!, elements: 16000 }]);
    expect(stream!.cells).toHaveLength(kShownLines);
    expect(stream!.before + stream!.after + kShownLines).toBe(1000);
    expect(stream!.cells.filter(({ touched }) => touched).map(({ line }) => line)).toEqual([500]);
  });
});

describe('stages', () => {
  const text = [
    'primfn f() {', '  for (i, 0, 4) vector {', '    C[i] = 1', '  }', '  for (i, 4, 2) epilogue {',
    '    C[i] = 1', '  }', '}',
  ].join('\n');
  it('mark the loop of a row', () => {
    expect([...linesOfPart(text, 'vector')]).toEqual([1, 2, 3]);
    expect([...linesOfPart(text, 'epilogue')]).toEqual([4, 5, 6]);
    expect(linesOfPart(text, 'plain').size).toBe(0);
    expect(linesOfPart(text, undefined).size).toBe(0);
    expect(linesOfPart('', 'vector').size).toBe(0);
  });
});

describe('the address', () => {
  it('comes back as it was written', () => {
    const address = { preset: 'vector', loops: { example: 'dot', vscale: 8, n: 77 } } as const;
    expect(writeAddress(address)).toBe('#v=1&view=lanes&ex=dot&vs=8&n=77');
    expect(readAddress(writeAddress(address))).toEqual(address);
    expect(writeAddress({ preset: 'debug', loops: {} })).toBe('');
  });
  it('has a text of one\'s own', async () => {
    const text = 'te f<n>(a: int8[n]) -> (b: int8[n]) { compute b[i] = a[i] * 3 } // π\n'.repeat(9);
    const packed = (await packText(text))!;
    expect(packed).toMatch(/^[\w-]+$/);
    expect(packed.length).toBeLessThan(200);
    const hash = writeAddress({ preset: 'vector', loops: { packed } });
    expect(await unpackText(readAddress(hash).loops.packed!)).toBe(text);
    expect(await packText('')).toBeDefined();
    expect(await packText('x'.repeat(70000))).toBeUndefined();
  });
  it('takes no text that is none', async () => {
    for (const packed of ['', '_', 'abcd', '!!', 'a'.repeat(999)]) {
      expect(await unpackText(packed), packed).toBeUndefined();
    }
    // A bomb: little that becomes much.
    const zeros = new Blob([new Uint8Array(1 << 22)]).stream();
    const bomb = await new Response(
      zeros.pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer();
    const letters = btoa(String.fromCharCode(...new Uint8Array(bomb)));
    expect(await unpackText(letters)).toBeUndefined();
  });
  it('is read as far as it makes sense', () => {
    const nothing = { loops: {} };
    for (const hash of ['', '#', '#panel-bytecode', '#v=2&view=lanes', '#v=1&view=other', '#%']) {
      expect(readAddress(hash), hash).toEqual(nothing);
    }
    expect(readAddress('#v=1&view=lanes&ex=<b>&vs=99&n=-1')).toEqual(
      { preset: 'vector', loops: { vscale: 16 } });
  });
});

describe('loop programs', () => {
  it('are told by their name or their first words', () => {
    expect(looksLikeLoops(bytes('// x\nte f<n>(a: int8[n])'), 'a.txt')).toBe(true);
    expect(looksLikeLoops(bytes('primfn f(a: in int8[4])'), 'a')).toBe(true);
    expect(looksLikeLoops(bytes('anything'), 'a.tloop')).toBe(true);
    expect(looksLikeLoops(bytes('telephone (x)'), 'a.txt')).toBe(false);
    expect(looksLikeLoops(bytes('fn main() { 1 }'), 'a.tn')).toBe(false);
    expect(looksLikeLoops(new Uint8Array([0, 1, 2]), 'a.tloop')).toBe(false);
  });
  it('of the page have names of their own and no licence line', () => {
    const ids = kLoopExamples.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { text } of kLoopExamples) {
      expect(looksLikeLoops(bytes(text), '')).toBe(true);
      expect(text).not.toContain('SPDX');
    }
    expect(exampleOf('dot')!.n).toBe(100);
    expect(exampleOf('none')).toBeUndefined();
  });
});
