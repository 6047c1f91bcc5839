// SPDX-License-Identifier: Apache-2.0
// Programs in the language through the package: compiled and run, checked, laid out, and what an
// editor asks, in positions of JavaScript strings. Run by `node --test` after tools/build_web.sh.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { createRuntime, TernError } from '../../wasm/package/dist/index.js';

const kFactorial = `fn factorial(n: int) -> int {
  if n <= 1 { 1 } else { n * factorial(n - 1) }
}

fn main(n: int) -> int { factorial(n) }
`;
// Characters of two, three and four bytes before what is asked about.
const kUnicode = '// ä€😀 ends\nfn main() -> string { let text = "😀"; text }\n';

let runtime;
let atStart;
before(async () => {
  runtime = await createRuntime({ language: true });
});
beforeEach(() => {
  atStart = runtime.memory();
});
afterEach(() => {
  assert.equal(runtime.memory().liveObjects, atStart.liveObjects, 'objects were leaked');
});
after(() => runtime.dispose());

const part = (text, { begin, end }) => text.slice(begin, end);

function refuses(f, words) {
  assert.throws(f, (error) => {
    assert.ok(error instanceof TernError, String(error));
    assert.match(error.message, words);
    return true;
  });
}

describe('programs in the language', () => {
  it('are compiled within a limit of memory', () => {
    const compile = () => runtime.compileSource(kFactorial, { maxBytes: 4096 });
    refuses(compile, /the compiler may have 4 KiB/);
    assert.deepEqual(
      runtime.compileSource(kFactorial, { maxBytes: 1 << 28 }).bytes,
      runtime.compileSource(kFactorial).bytes,
    );
  });

  it('are compiled and run', () => {
    const { bytes, stages } = runtime.compileSource(kFactorial, { printAfter: ['lower'] });
    assert.deepEqual(
      stages.map(({ name }) => name),
      ['lower'],
    );
    const program = runtime.load(bytes);
    try {
      assert.deepEqual(program.run('main', [10]), { output0: 3628800 });
    } finally {
      program.dispose();
    }
  });

  it('give values of shared parts, which the copy shares', () => {
    const text = `
type Tree { Leaf, Node(Tree, Tree) }
fn grow(n: int, tree: Tree) -> Tree {
  if n == 0 { tree } else { grow(n - 1, Node(tree, tree)) }
}
fn main(n: int) -> Tree { grow(n, Leaf) }
`;
    const program = runtime.load(runtime.compileSource(text).bytes);
    try {
      // Read part by part, it would be two to the power of 60 trees.
      const { output0: tree } = program.run('main', [60]);
      assert.ok(tree[0] === tree[1] && tree[0][0] === tree[1][1]);
      assert.deepEqual(program.runResident('main', [1]).output0, [[], []]);
    } finally {
      program.dispose();
    }
  });

  it('have the same bytes every time', () => {
    const [first, second] = [1, 2].map(() => runtime.compileSource(kFactorial).bytes);
    assert.deepEqual(first, second);
  });

  it('with mistakes are refused with all of them', () => {
    const wrong = 'fn main() -> int { "text" }\nfn other() { nothing }\n';
    assert.throws(
      () => runtime.compileSource(wrong, { sourceName: 'my.tn' }),
      (error) => {
        assert.ok(error instanceof TernError);
        assert.equal(error.diagnostics.length, 2);
        assert.deepEqual(
          error.diagnostics.map(({ span }) => [span.file, span.line]),
          [
            ['my.tn', 1],
            ['my.tn', 2],
          ],
        );
        return true;
      },
    );
    const found = runtime.checkSource(wrong);
    assert.equal(found.length, 2);
    assert.equal(found[0].severity, 'error');
    assert.match(found[0].message, /int/);
    assert.deepEqual(runtime.checkSource(kFactorial), []);
  });

  it('are laid out, and stay so', () => {
    const once = runtime.formatSource('fn   main( n:int ){n+2}');
    assert.match(once, /^fn main\(n: int\) /);
    assert.equal(runtime.formatSource(once), once);
    assert.equal(runtime.formatSource(kUnicode).includes('// ä€😀 ends'), true);
    refuses(() => runtime.formatSource('fn main( {'), /./);
  });

  it('are mended by the fixes that leave nothing to write', () => {
    const wrong = '// ä\nfn main() -> int {\n  let x = 1\n  let y = 2\n  x + y\n}\n';
    const fixes = runtime.checkSource(wrong).flatMap((each) => each.fixes);
    assert.deepEqual(fixes.map(({ title }) => title), ["add ';'", "add ';'"]);
    const { text, applied } = runtime.fixSource(wrong, 'my.tn');
    assert.equal(text, wrong.replace('= 1', '= 1;').replace('= 2', '= 2;'));
    assert.equal(applied.length, 2);
    assert.match(applied[0], /^my\.tn:3:\d+: add ';'$/);
    assert.deepEqual(runtime.checkSource(text), []);
  });

  it('stay as they are where nothing can be mended', () => {
    for (const text of [kFactorial, '', 'fn main( {', 'fn main() -> int { nothing }\n'])
      assert.deepEqual(runtime.fixSource(text), { text, applied: [] });
  });

  it('tell the line and column of each instruction', () => {
    const { bytes } = runtime.compileSource(kFactorial, { sourceName: 'my.tn' });
    const program = runtime.load(bytes);
    try {
      const placed = program.info.instructions.filter(({ line }) => line !== undefined);
      assert.ok(placed.length > 0);
      for (const { source, line, column } of placed) {
        assert.equal(source, 'my.tn');
        assert.ok(column >= 1 && column <= kFactorial.split('\n')[line - 1].length);
      }
      assert.ok(placed.some(({ line }) => line === 2));
    } finally {
      program.dispose();
    }
  });

  it('in assembly are checked too, with warnings', () => {
    assert.deepEqual(runtime.checkAssembly('.func @main() -> int\n  ret   ret 1\n'), []);
    const [error] = runtime.checkAssembly('.func @main()\n  goto  nowhere\n  ret   ret 1\n');
    assert.deepEqual([error.code, error.severity, error.span.line], ['E0111', 'error', 2]);
    const [warning] = runtime.checkAssembly(
      '.func @main(x: int) -> int\n  ret   ret 1\n', 'my.tasm');
    assert.equal(warning.severity, 'warning');
    assert.equal(warning.span.file, 'my.tasm');
  });

  it('take texts of any kind without harm', () => {
    for (const text of ['', '\0', '\ud800', '}'.repeat(1000), '('.repeat(100000), 'fn', '"', '😀']) {
      assert.ok(Array.isArray(runtime.checkSource(text)));
      for (const question of ['tokens', 'complete', 'symbols'])
        assert.ok(Array.isArray(runtime.querySource(text, question, 1)), question);
      runtime.querySource(text, 'hover', 0);
      runtime.querySource(text, 'definition', text.length);
    }
  });
});

describe('an editor', () => {
  it('gets tokens that cover what they name', () => {
    const tokens = runtime.querySource(kUnicode, 'tokens');
    const texts = tokens.map((token) => [token.kind, part(kUnicode, token)]);
    assert.deepEqual(texts.slice(0, 3), [
      ['comment', '// ä€😀 ends'],
      ['keyword', 'fn'],
      ['function', 'main'],
    ]);
    assert.ok(texts.some(([kind, text]) => kind === 'string' && text === '"😀"'));
    assert.deepEqual(texts.at(-1), ['punctuation', '}']);
  });

  it('is told what stands at a position, and where it was declared', () => {
    const at = kUnicode.lastIndexOf('text') + 1;
    const hover = runtime.querySource(kUnicode, 'hover', at);
    assert.equal(hover.text, 'text: string');
    assert.equal(part(kUnicode, hover), 'text');
    const definition = runtime.querySource(kUnicode, 'definition', at);
    assert.equal(definition.begin, kUnicode.indexOf('text ='));
    assert.equal(part(kUnicode, definition), 'text');
    assert.equal(runtime.querySource(kUnicode, 'hover', 3), null);
    // Outside of the text is its nearest end.
    assert.equal(runtime.querySource(kUnicode, 'hover', -5), null);
    assert.equal(runtime.querySource(kUnicode, 'hover', NaN), null);
    assert.equal(runtime.querySource(kUnicode, 'definition', 1e9), null);
  });

  it('keeps positions in what comes with the language', () => {
    const text = '// €\nfn main() -> List[int] { map([1], |x| x + 1) }\n';
    const definition = runtime.querySource(text, 'definition', text.indexOf('map(') + 1);
    assert.notEqual(definition.file, 'program.tn');
    assert.equal(definition.end - definition.begin, 3);
  });

  it('completes names, and lists what the file declares', () => {
    const text = kFactorial.replace('{ factorial(n) }', '{ fact }');
    const list = runtime.querySource(text, 'complete', text.lastIndexOf('fact') + 4);
    assert.deepEqual(
      list.map(({ label, kind }) => [label, kind]),
      [['factorial', 'function']],
    );
    assert.deepEqual(
      runtime.querySource(kFactorial, 'symbols').map(({ name }) => name),
      ['factorial', 'main'],
    );
  });

  it('is refused a question that there is none of', () => {
    refuses(() => runtime.querySource(kFactorial, 'meaning'), /expected tokens, hover/);
  });
});

describe('a module without the language', () => {
  it('says how to get it', async () => {
    const small = await createRuntime();
    try {
      for (const f of [
        () => small.compileSource(kFactorial),
        () => small.checkSource(kFactorial),
        () => small.fixSource(kFactorial),
        () => small.formatSource(kFactorial),
        () => small.querySource(kFactorial, 'tokens'),
      ])
        assert.throws(f, { code: 'E0603', message: /createRuntime\(\{ language: true \}\)/ });
    } finally {
      small.dispose();
    }
    assert.throws(() => small.compileSource(kFactorial), { code: 'E0702' });
  });
});
