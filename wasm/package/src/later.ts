// SPDX-License-Identifier: Apache-2.0
// The part of the module that is not needed to run programs: it compiles, assembles and lists them.
// It is a file of its own, fetched on demand and instantiated on the memory and tables of the first
// part.
import { TernError } from './errors.js';
import { type Exports, type Instance, toModule, type WasmSource } from './module.js';

const kPairSection = 'tern.pair';
const kHashBytes = 16;

// As bundlers look for them.
const kFiles: Record<string, () => URL> = {
  'tern-compiler.wasm': () => new URL('./tern-compiler.wasm', import.meta.url),
  'tern-simd-compiler.wasm': () => new URL('./tern-simd-compiler.wasm', import.meta.url),
};

/** What both parts of one module carry: a number of their own, and the later part's name. */
function pairOf(module: WebAssembly.Module): { hash: string; file: string } | undefined {
  const [section] = WebAssembly.Module.customSections(module, kPairSection);
  if (!section) return undefined;
  const bytes = new Uint8Array(section);
  return {
    hash: bytes.subarray(0, kHashBytes).join(' '),
    file: new TextDecoder().decode(bytes.subarray(kHashBytes)),
  };
}

function notNow(url: URL): TernError {
  return new TernError(
    'E0608',
    `the compiler, '${url.pathname.split('/').pop()}', cannot be fetched while a call waits for ` +
      'it here: make the runtime with createRuntime({ compiler: true }), or await ' +
      'runtime.prepareCompiler() before',
  );
}

interface NodeProcess {
  getBuiltinModule?: (name: string) => typeof import('node:fs') | undefined;
}

function readFileNow(url: URL): Uint8Array {
  const node = (globalThis as { process?: NodeProcess }).process;
  const files = node?.getBuiltinModule?.('node:fs');
  if (!files) throw notNow(url);
  try {
    return files.readFileSync(url);
  } catch (error) {
    throw new TernError('E0601', `'${url.pathname}' could not be read: ${String(error)}`);
  }
}

// Pages may not ask for bytes here, but for text in which each character is one.
function downloadNow(url: URL): Uint8Array {
  if (typeof XMLHttpRequest === 'undefined') throw notNow(url);
  const request = new XMLHttpRequest();
  request.open('GET', url, false);
  request.overrideMimeType('text/plain; charset=x-user-defined');
  try {
    request.send();
  } catch (error) {
    throw new TernError('E0601', `'${url.pathname}' could not be fetched: ${String(error)}`);
  }
  if (request.status !== 200)
    throw new TernError('E0601', `'${url.pathname}' was not served: status ${request.status}`);
  return Uint8Array.from(request.responseText, (each) => each.charCodeAt(0) & 0xff);
}

function unusable(error: unknown): TernError {
  return new TernError('E0601', `the compiler's module cannot be used: ${String(error)}`);
}

function moduleNow(source: WasmSource): WebAssembly.Module {
  if (source instanceof WebAssembly.Module) return source;
  let bytes = source;
  if (typeof bytes === 'string' || bytes instanceof URL) {
    const base = typeof document === 'undefined' ? import.meta.url : document.baseURI;
    const url = new URL(bytes, base);
    bytes = url.protocol === 'file:' ? readFileNow(url) : downloadNow(url);
  }
  try {
    return new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
  } catch (error) {
    throw unusable(error);
  }
}

/** @internal The compiler of one instance. */
export class LaterPart {
  private exports: Exports | undefined;
  private fetching: Promise<void> | undefined;
  private readonly hash: string;
  private readonly source: WasmSource;

  /** Undefined where the module is whole. */
  static of(first: Instance, source?: WasmSource): LaterPart | undefined {
    const pair = pairOf(first.module);
    return pair && new LaterPart(first, pair, source);
  }

  private constructor(
    private readonly first: Instance,
    pair: { hash: string; file: string },
    source: WasmSource | undefined,
  ) {
    this.hash = pair.hash;
    this.source = source ?? kFiles[pair.file]?.() ?? pair.file;
  }

  /** Fetches it, once. After a failure it is tried again. */
  async fetch(signal?: AbortSignal): Promise<void> {
    this.fetching ??= this.load(signal ? { signal } : {});
    try {
      await this.fetching;
    } catch (error) {
      this.fetching = undefined;
      throw error;
    }
  }

  /** Its functions, read here and now where they have not been fetched. */
  now(): Exports {
    if (!this.exports) {
      const module = this.checked(moduleNow(this.source));
      this.exports = new WebAssembly.Instance(module, this.imports()).exports as Exports;
    }
    return this.exports;
  }

  private async load(options: { signal?: AbortSignal }): Promise<void> {
    const module = this.checked(
      await toModule(this.source, options).catch((error: unknown) => {
        throw error instanceof WebAssembly.CompileError ? unusable(error) : error;
      }),
    );
    if (this.exports) return; // a call could not wait
    const instance = await WebAssembly.instantiate(module, this.imports());
    this.exports ??= instance.exports as Exports;
  }

  private imports(): WebAssembly.Imports {
    return { primary: this.first.exports as unknown as WebAssembly.ModuleImports };
  }

  private checked(module: WebAssembly.Module): WebAssembly.Module {
    if (pairOf(module)?.hash === this.hash) return module;
    throw new TernError(
      'E0603',
      'the compiler does not belong to the WebAssembly module that runs: serve the two files of ' +
        'one build',
    );
  }
}
