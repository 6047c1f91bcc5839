// SPDX-License-Identifier: Apache-2.0
// The examples of the documentation, run in Node: every block of JavaScript that has the comment
// `<!-- runs -->` before it. They find model.onnx, and `image`, a drawn 3, where they make none.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { runWith } from './engines.mjs';
import { kRoot } from './packages.mjs';

const kPages = [
  'README.md', 'docs/guide-javascript.md', 'docs/javascript.md', 'wasm/package/README.md',
];
const kBlock = /<!-- runs -->\n```js\n(.*?)\n```/gs;
const kBefore = `import { readFileSync as readDrawing } from 'node:fs';
const image = {
  dtype: 'f32', shape: [1, 1, 28, 28], data: Float32Array.from(readDrawing('three.u8')),
};
`;

function blocksOf(page) {
  const text = readFileSync(join(kRoot, page), 'utf8');
  const blocks = [...text.matchAll(kBlock)].map(([, code]) => code);
  if (blocks.length === 0) throw new Error(`${page} has no example that runs`);
  return blocks;
}

/** Name and function of each. */
export function examples(context) {
  return kPages.flatMap((page) =>
    blocksOf(page).map((code, i) => [
      `${page}, example ${i + 1}`,
      () => {
        const script = `example-${page.replaceAll(/\W/g, '-')}-${i}.mjs`;
        const before = code.includes('const image =') ? '' : kBefore;
        writeFileSync(join(context.folder, script), before + code);
        runWith('Node', context, script);
      },
    ]),
  );
}
