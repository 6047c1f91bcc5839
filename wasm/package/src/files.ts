// SPDX-License-Identifier: Apache-2.0
// Where the files are that come with the package, and how a file of Node is read. Each address is
// written out as `new URL('./NAME', import.meta.url)`, the form that bundlers recognise.
import { errorWithHelp, TernError } from './errors.js';

/**
 * Where the package's files are served: the address of their folder, or a function that gives each
 * one's address.
 */
export type Assets = string | URL | ((file: string) => string | URL);

export type AssetName =
  | 'tern.wasm'
  | 'tern-simd.wasm.gz'
  | 'tern-operators.wasm.gz'
  | 'tern-compiler.wasm.gz'
  | 'tern-loops.wasm.gz'
  | 'tern-debug.wasm'
  | 'worker.js'
  | 'threads-worker.js'
  | 'threads-kernels.js';

/** Bytes in place of addresses, for the entry that brings them along. They may be gzipped. */
export type InlineAssets = { readonly [Name in AssetName]?: () => Uint8Array<ArrayBuffer> };

/** Set by scripts/bundle.mjs, not where the sources run as they are: the entry has its modules. */
declare const TERN_INLINE: boolean | undefined;

const kBeside: { readonly [Name in AssetName]?: () => URL } =
  typeof TERN_INLINE !== 'undefined' && TERN_INLINE
    ? {}
    : {
        'tern.wasm': () => new URL('./tern.wasm', import.meta.url),
        'tern-simd.wasm.gz': () => new URL('./tern-simd.wasm.gz', import.meta.url),
        'tern-operators.wasm.gz': () => new URL('./tern-operators.wasm.gz', import.meta.url),
        'tern-compiler.wasm.gz': () => new URL('./tern-compiler.wasm.gz', import.meta.url),
        'tern-loops.wasm.gz': () => new URL('./tern-loops.wasm.gz', import.meta.url),
      };

// The address of this script. In a variable it is none that bundlers look at: not every
// installation has the files that are found by it.
// A classic script, which bundlers make for service workers of some browsers, does not know its
// own: there it is that of the page or the worker.
const kScript = import.meta.url as string | undefined;
const scriptAddress = (): string => kScript ?? hereOf()?.replace(/^blob:/, '') ?? 'file:///';

function hereOf(): string | undefined {
  return (globalThis as { location?: { href: string } }).location?.href;
}

/** What relative addresses are relative to: the page, the worker's script, Node's folder. */
export function baseAddress(): string {
  if (typeof document !== 'undefined') return document.baseURI;
  const node = nodeProcess();
  if (node) return `file://${encodeURI(node.cwd().replaceAll('\\', '/'))}/`;
  const here = hereOf();
  return here && !here.startsWith('blob:') ? here : scriptAddress();
}

export function toAddress(address: string | URL): URL {
  try {
    return new URL(address, baseAddress());
  } catch {
    const shown = String(address).slice(0, 60);
    throw errorWithHelp(
      'E0611',
      `'${shown}' is not an address`,
      'a string is taken for an address; give bytes as a Uint8Array, and text to ' +
        'runtime.assemble or runtime.compileSource',
    );
  }
}

function folderOf(assets: string | URL): URL {
  const url = toAddress(assets);
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** The address of a file of the package, by the option or beside the package's own script. */
export function assetAddress(file: AssetName, assets?: Assets): URL {
  if (typeof assets === 'function') return toAddress(assets(file));
  if (assets !== undefined) return new URL(file, folderOf(assets));
  return (kScript && kBeside[file]?.()) || new URL(file, scriptAddress());
}

export function fileName(url: URL): string {
  return url.pathname.split('/').pop() || url.href.slice(0, 60);
}

interface NodeProcess {
  versions?: { node?: string };
  cwd: () => string;
  getBuiltinModule?: (name: string) => unknown;
}

/** Node's process; undefined in browsers, where something may pretend to be one. */
export function nodeProcess(): NodeProcess | undefined {
  const found = (globalThis as { process?: NodeProcess }).process;
  return found?.versions?.node ? found : undefined;
}

/** A module of Node, which bundlers for browsers do not look for. */
export function importFromNode<T>(name: string): Promise<T> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`) as Promise<T>;
}

function unreadable(url: URL, code: string, error: unknown): TernError {
  const why = error instanceof Error ? error.message : String(error);
  return errorWithHelp(
    code,
    `'${url.pathname}' could not be read: ${why}`,
    code === 'E0601'
      ? kHelpForFiles
      : 'relative paths start in the folder that Node was started in',
  );
}

/** What helps where a file of the package is not found. */
export const kHelpForFiles =
  'copy the .wasm and .wasm.gz files of node_modules/tern-runtime/dist to where the page fetches ' +
  "them, and pass { assets: 'their folder' } or { wasm: url }; or import 'tern-runtime-inline', " +
  'which needs no files';

/** A file by its file: address. `code` is of the error. */
export async function readNodeFile(
  url: URL,
  code: string,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const files = await importFromNode<typeof import('node:fs/promises')>('fs/promises');
    return new Uint8Array(await files.readFile(url, signal ? { signal } : {}));
  } catch (error) {
    signal?.throwIfAborted();
    throw unreadable(url, code, error);
  }
}

/** The same without a wait; undefined outside of Node. */
export function readNodeFileNow(url: URL): Uint8Array | undefined {
  const found = nodeProcess()?.getBuiltinModule?.('node:fs');
  if (!found) return undefined;
  const files = found as typeof import('node:fs');
  try {
    return files.readFileSync(url);
  } catch (error) {
    throw unreadable(url, 'E0601', error);
  }
}
