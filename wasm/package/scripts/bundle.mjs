// SPDX-License-Identifier: Apache-2.0
// Bundles the package: one script per entry, with the modules of build/wasm beside it where
// `new URL(…, import.meta.url)` finds them, and the packages tern-runtime-debug and
// tern-runtime-inline beside this one. tsc has written the declarations before.
import { createHash } from 'node:crypto';
import {
  copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { gzipAsync } from '@gfx/zopfli';
import { build } from 'esbuild';

const kHere = join(dirname(fileURLToPath(import.meta.url)), '..');
const kRoot = join(kHere, '../..');
const kModules = join(kRoot, 'build/wasm/wasm');
const kDist = join(kHere, 'dist');
const kDebug = join(kHere, '../package-debug');
const kInline = join(kHere, '../package-inline');

// What nearly every start fetches is as it was built, so that it is compiled while it arrives and a
// server packs it as well as it can. What is fetched on demand, or by engines without relaxed SIMD
// alone, is packed: it is a third of the size.
const kPlain = ['tern'];
const kPacked = ['tern-simd', 'tern-operators', 'tern-compiler', 'tern-loops'];
// What the page (web/) brings packed as well: of many a host, no module is packed on its way.
const kPackedForPage = ['tern', 'tern-debug'];

function wasm(name) {
  const path = join(kModules, `${name}.wasm`);
  if (existsSync(path)) return path;
  console.error(`${path} is missing: build it with  tools/build.sh --target tern_programs wasm`);
  process.exit(1);
}

// By Zopfli: what every gzip unpacks, and a twentieth smaller than what zlib packs. That takes half
// a minute for all, so what was packed before is kept beside the modules.
async function packModule(name) {
  const bytes = readFileSync(wasm(name));
  const kept = join(kModules, `${name}.${createHash('sha256').update(bytes).digest('hex')}.gz`);
  if (!existsSync(kept)) {
    const packed = await gzipAsync(bytes, { numiterations: 15 });
    for (const old of readdirSync(kModules))
      if (old.startsWith(`${name}.`) && old.endsWith('.gz')) rmSync(join(kModules, old));
    writeFileSync(kept, packed);
  }
  return readFileSync(kept);
}
const packed = new Map();
for (const name of [...kPacked, ...kPackedForPage]) packed.set(name, await packModule(name));
const pack = (name) => packed.get(name);

// Only texts of this package's own build: nothing of it is read where it is installed.
function inlineData(workerScript) {
  const values = {
    runtime: pack('tern-simd').toString('base64'),
    operators: pack('tern-operators').toString('base64'),
    compiler: pack('tern-compiler').toString('base64'),
    workerScript,
  };
  const lines = Object.entries(values).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
  );
  return {
    name: 'inline-data',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^tern-inline-data$/ }, ({ path }) => ({ path, namespace: 'inline' }));
      onLoad({ filter: /.*/, namespace: 'inline' }, () => ({ contents: lines.join('\n') }));
    },
  };
}

// The worker pool is less than two kilobytes, so it is within the scripts that use it.
const kPoolData = {
  name: 'pool-data',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^tern-pool-data$/ }, ({ path }) => ({ path, namespace: 'pool' }));
    onLoad({ filter: /.*/, namespace: 'pool' }, () => {
      const text = JSON.stringify(readFileSync(wasm('tern-pool')).toString('base64'));
      const decode = `Uint8Array.from(atob(${text}), (each) => each.charCodeAt(0))`;
      return { contents: `export const poolModule = () => ${decode};` };
    });
  },
};

// The worker with threads is the plain one, as it lies beside it, and what threads add.
const kBesideWorker = {
  name: 'beside-worker',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/worker\.js$/ }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * One entry as one script. The map stays out of packages, and no comment names it, because tools
 * that read maps complain of those that are missing.
 */
async function bundle(entry, outfile, inline, plugins = [], atRunTime = 2) {
  const { outputFiles } = await build({
    write: false,
    entryPoints: [join(kHere, 'src', entry)],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    // Neutral: NODE_ENV must stay for the bundler of whoever installs this.
    platform: 'neutral',
    // This package says that it has no side effects, but dispose.ts has one.
    ignoreAnnotations: true,
    legalComments: 'none',
    sourcemap: 'external',
    banner: { js: '// tern-runtime, Apache-2.0' },
    define: { TERN_INLINE: String(inline) },
    plugins,
    logLevel: 'warning',
  });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith('.js') ? asModule(withHints(text, path, atRunTime)) : text);
  }
}

// Tools that tell modules by their text look for exports at the beginning of a line.
function asModule(text) {
  const at = text.lastIndexOf('export{');
  return at < 0 ? `${text}export {};\n` : `${text.slice(0, at)}\n${text.slice(at)}`;
}

// What is imported at run time only. esbuild drops the hints where it shortens white space.
function withHints(text, path, expected) {
  let found = 0;
  const hinted = text.replace(/\bimport\((?=[`\w])/g, () => {
    ++found;
    return 'import(/* webpackIgnore: true */ /* @vite-ignore */ ';
  });
  if (found !== expected)
    throw new Error(`${path} has ${found} imports at run time, expected ${expected}`);
  return hinted;
}

// Of what no entry names: bundles have their code.
function dropDeclarations(entries) {
  const named = new Set();
  const visit = (path) => {
    if (named.has(path) || !existsSync(path)) return;
    named.add(path);
    for (const [, from] of readFileSync(path, 'utf8').matchAll(/['"](\.{1,2}\/[^'"]+)\.js['"]/g))
      visit(join(dirname(path), `${from}.d.ts`));
  };
  for (const entry of entries) visit(join(kDist, `${entry}.d.ts`));
  for (const name of readdirSync(kDist, { recursive: true })) {
    const path = join(kDist, name);
    if (name.endsWith('.d.ts') && !named.has(path)) rmSync(path);
  }
}

// What the declarations of the package's inside say is for those who work on it: editors show what
// belongs to the entries, and to what these give on.
function shortenInside(entries) {
  const given = new Set(entries);
  for (const entry of entries) {
    const text = readFileSync(join(kDist, `${entry}.d.ts`), 'utf8');
    for (const [, from] of text.matchAll(/^export [^;]* from '\.\/([^']+)\.js'/gm)) given.add(from);
  }
  for (const name of readdirSync(kDist, { recursive: true })) {
    if (!name.endsWith('.d.ts') || given.has(name.slice(0, -'.d.ts'.length))) continue;
    const path = join(kDist, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^ *\/\*\*[^]*?\*\/\n/gm, ''));
  }
}

// A quarter of what white space takes, nothing of what is said of the package's inside, and of
// private members no more than that there are some, which is all that tsc writes of `#names`.
function withoutInside(text) {
  const lines = [];
  let comment = [];
  let saysPrivate = false; // once in a class
  for (const line of text.split('\n')) {
    if (comment.length > 0 || /^ *\/\*\*/.test(line)) {
      comment.push(line);
      if (!line.endsWith('*/')) continue;
      if (!comment.some((each) => each.includes('@internal'))) lines.push(...comment);
      comment = [];
    } else if (/^ {4}private (?!constructor\b)/.test(line)) {
      if (!saysPrivate) lines.push('    #private;');
      saysPrivate = true;
    } else {
      saysPrivate &&= /^\s/.test(line);
      lines.push(line);
    }
  }
  const tabs = (spaces) => '\t'.repeat(spaces.length / 4);
  return lines.map((line) => line.replace(/^(?: {4})+/, tabs)).join('\n');
}

function packDeclarations() {
  for (const name of readdirSync(kDist, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(kDist, name);
    writeFileSync(path, withoutInside(readFileSync(path, 'utf8')));
  }
}

function copyDeclarations(to) {
  const names = readdirSync(kDist, { recursive: true }).filter((each) => each.endsWith('.d.ts'));
  for (const name of names) {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    copyFileSync(join(kDist, name), join(to, name));
  }
}

for (const folder of [kHere, kDebug, kInline])
  copyFileSync(join(kRoot, 'LICENSE'), join(folder, 'LICENSE'));
for (const name of kPlain) copyFileSync(wasm(name), join(kDist, `${name}.wasm`));
for (const name of kPacked) writeFileSync(join(kDist, `${name}.wasm.gz`), pack(name));
// For this tree only: what is published has the debugger in tern-runtime-debug.
for (const name of kPackedForPage) writeFileSync(join(kDist, `${name}.wasm.gz`), pack(name));
copyFileSync(wasm('tern-debug'), join(kDist, 'tern-debug.wasm'));
copyFileSync(wasm('tern-debug'), join(kDebug, 'tern-debug.wasm'));

await bundle('index.ts', join(kDist, 'index.js'), false);
await bundle('worker.ts', join(kDist, 'worker.js'), false);
await bundle('threads.ts', join(kDist, 'threads.js'), false, [kPoolData]);
await bundle('threads_worker.ts', join(kDist, 'threads-worker.js'), false,
  [kPoolData, kBesideWorker], 1);
await bundle('threads_kernels.ts', join(kDist, 'threads-kernels.js'), false, [], 1);
const inlineWorker = join(kInline, 'dist/worker.js');
await bundle('worker.ts', inlineWorker, true);
const plugin = inlineData(readFileSync(inlineWorker, 'utf8'));
rmSync(inlineWorker);
await bundle('inline.ts', join(kInline, 'dist/inline.js'), true, [plugin]);
const kEntries = ['index', 'worker', 'threads', 'threads_worker', 'inline'];
dropDeclarations(kEntries);
shortenInside(kEntries);
packDeclarations();
copyDeclarations(join(kInline, 'dist'));
