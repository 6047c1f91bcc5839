// SPDX-License-Identifier: Apache-2.0
// Each bundler with as little set up as it can do with. What it warns of is an error, but for what
// the caller names.
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { nodeResolve } from '@rollup/plugin-node-resolve';
import { build as esbuild } from 'esbuild';
import { rollup } from 'rollup';
import * as vite from 'vite';
import webpack from 'webpack';

import { dist, filesBelow, makePage } from './packages.mjs';

function refuseWarnings(warnings) {
  if (warnings.length > 0) throw new Error(`the bundler warns:\n${warnings.join('\n')}`);
}

function viteLogger(warnings) {
  const logger = vite.createLogger('silent');
  // How long parts of a build take is about the machine.
  const note = (text) => {
    if (!text.includes('PLUGIN_TIMINGS')) warnings.push(text);
  };
  return { ...logger, warn: note, warnOnce: note, error: note };
}

export async function buildWithVite({ folder, site }, name, entry) {
  const root = makePage(folder, `vite-${name}`, 'main.js');
  copyApp(folder, root, entry);
  const warnings = [];
  const outDir = join(site, name);
  await vite.build({
    root, base: './', configFile: false, logLevel: 'silent', customLogger: viteLogger(warnings),
    // The script that holds everything is as large as it says.
    build: { outDir, emptyOutDir: true, target: 'es2022', chunkSizeWarningLimit: 2000 },
  });
  refuseWarnings(warnings);
}

// What pages fetch beside the packages' files.
const kServed = /\.(onnx|u8)$|^real\.json$/;

/** Vite's own server, which bundles dependencies when a page first asks for them. */
export async function serveWithVite({ folder }, name, entry) {
  const root = makePage(folder, `vite-${name}`, 'main.js');
  copyApp(folder, root, entry);
  mkdirSync(join(root, 'public'), { recursive: true });
  for (const file of readdirSync(folder).filter((each) => kServed.test(each)))
    cpSync(join(folder, file), join(root, 'public', file));
  const warnings = [];
  const server = await vite.createServer({
    root, configFile: false, customLogger: viteLogger(warnings),
    cacheDir: join(root, '.vite'), server: { port: 0, host: 'localhost', hmr: false, watch: null },
  });
  await server.listen();
  const { port } = server.httpServer.address();
  const close = async () => {
    await server.close();
    refuseWarnings(warnings);
  };
  return { address: `http://localhost:${port}/`, close };
}

function copyApp(folder, to, entry) {
  cpSync(join(folder, entry), join(to, 'main.js'));
  for (const name of ['digit.js', 'threads-digit.js'])
    cpSync(join(folder, name), join(to, name));
}

export async function buildWithWebpack({ folder, site }, name, entry, mode = 'production') {
  const output = makePage(site, name, 'main.js');
  const compiler = webpack({
    mode, context: folder, entry: `./${entry}`, devtool: false,
    output: { path: output, filename: 'main.js' }, performance: { hints: false },
  });
  const stats = await new Promise((done, fail) => {
    compiler.run((error, result) => (error ? fail(error) : done(result)));
  });
  await new Promise((done) => compiler.close(done));
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  refuseWarnings([...errors, ...warnings].map(({ message, loc }) => `${loc}: ${message}`));
}

export async function buildWithRollup({ folder, site }, name, entry) {
  const output = makePage(site, name, 'main.js');
  const warnings = [];
  const made = await rollup({
    input: join(folder, entry), plugins: [nodeResolve({ browser: true })],
    onwarn: ({ message }) => warnings.push(message),
  });
  await made.write({ file: join(output, 'main.js'), format: 'es' });
  await made.close();
  refuseWarnings(warnings);
  return output;
}

export async function buildWithEsbuild({ folder, site }, name, entry) {
  const output = makePage(site, name, 'main.js');
  const { warnings } = await esbuild({
    absWorkingDir: folder, entryPoints: [entry], outfile: join(output, 'main.js'),
    bundle: true, format: 'esm', minify: true, logLevel: 'silent',
  });
  refuseWarnings(warnings.map(({ text }) => text));
  return output;
}

/** What the page of a bundler that copies nothing is given by hand, as the README says. */
export function copyAssets(folder, output) {
  mkdirSync(join(output, 'tern'));
  for (const name of filesBelow(dist(folder)).keys())
    if (!name.endsWith('.d.ts')) cpSync(join(dist(folder), name), join(output, 'tern', name));
}
