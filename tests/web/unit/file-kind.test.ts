// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kUnmarked, notAProgram, sniff } from '../../../web/src/model/file-kind.js';

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const digits = readFileSync(new URL('../../models/digits/model.onnx', import.meta.url));

describe('programs', () => {
  it('knows an executable by its mark, whatever its name', () => {
    const mark = bytes(0x89, 0x54, 0x45, 0x52, 0x4e, 13, 10, 26, 1, 0);
    expect(sniff(mark, 'x.onnx')).toEqual({ program: 'executable' });
  });
  it('knows the project’s own model', () => {
    expect(sniff(digits, 'a.bin')).toEqual({ program: 'onnx' });
    expect(sniff(digits, 'misnamed.tern')).toEqual({ program: 'onnx' });
  });
  it.each([
    '.func @main(x: int) -> int\n  ret %0\n',
    '; a comment\n; another\n.const c[0] = int 5\n',
    '\n  .meta "a" = "b"\n',
  ])('knows assembly by its first directive', (source) => {
    expect(sniff(text(source), 'program.txt')).toEqual({ program: 'assembly' });
  });
  it('takes the word of .tasm for other text', () => {
    expect(sniff(text('add 1 2'), 'x.tasm')).toEqual({ program: 'assembly' });
  });
});

describe('files that are no programs', () => {
  it.each<[string, Uint8Array, string]>([
    ['index.html', text('<!DOCTYPE html><p>hi'), 'an HTML page'],
    ['404.onnx', text('\n <html lang="en">'), 'an HTML page'],
    ['a.svg', text('<svg xmlns="x"/>'), 'an XML document'],
    ['a.json', text('{"a": 1}'), 'a JSON document'],
    ['notes.txt', text('hello, wörld'), 'plain text'],
    ['x.png', bytes(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10), 'a PNG image'],
    ['model.zip', bytes(0x50, 0x4b, 3, 4, 0), 'a ZIP archive'],
    ['m.tern', bytes(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0), 'a WebAssembly module'],
    ['x.npy', bytes(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0), 'a NumPy array'],
    ['empty.onnx', bytes(), 'empty'],
    ['flipped.tern', bytes(0x88, 0x54, 0x45, 0x52, 0x4e, 13, 10, 26), kUnmarked],
  ])('%s is told for what it is', (name, content, what) => {
    expect(sniff(content, name)).toEqual({ what });
  });

  it('says what the file is and what to do, with markup left as text', () => {
    const { code, message, text: shown } = notAProgram('<img onerror=x>.html', 'an HTML page');
    expect(code).toBe('E0604');
    expect(message).toBe("'<img onerror=x>.html' is an HTML page, not a program");
    expect(shown).toMatch(/^error\[E0604\]: .*\n {3}= help: open a \.tern/);
  });
  it('has its own advice for an archive and a damaged executable', () => {
    expect(notAProgram('m.zip', 'a ZIP archive').text).toContain('unpack it');
    expect(notAProgram('m.tern', kUnmarked).text).toMatch(
      /^error\[E0103\]: 'm\.tern' is not a Tern/,
    );
    expect(notAProgram('e', 'empty').message).toBe("'e' is empty, not a program");
  });
});
