// SPDX-License-Identifier: Apache-2.0
// The part of the module that is not needed to run programs: it compiles, assembles and lists them.
// It is a file of its own, fetched on demand and instantiated on the memory and tables of the first
// part.
import { unlessAborted } from './abort.js';
import { errorWithHelp, TernError } from './errors.js';
import type { Exports, Instance, OnDemandExports, Sharing } from './exports.js';
import { baseAddress, fileName, kHelpForFiles, readNodeFileNow } from './files.js';
import { inflateNow, isGzip } from './inflate.js';
import {
  assetSource,
  isWasm,
  type ModuleOptions,
  toModule,
  type WasmSource,
} from './module.js';
import type { PartListener } from './progress.js';

const kPairSection = 'tern.pair';
const kHashBytes = 16;

/** What all parts of one build carry: a number of their own, and behind it each part's name. */
function partOf(module: WebAssembly.Module): { build: string; name: string } | undefined {
  const [section] = WebAssembly.Module.customSections(module, kPairSection);
  if (!section) return undefined;
  const bytes = new Uint8Array(section);
  return {
    build: bytes.subarray(0, kHashBytes).join(' '),
    name: new TextDecoder().decode(bytes.subarray(kHashBytes)),
  };
}

/** The module, which must be the part of that name and of the same build as the first. */
function fitting(
  module: WebAssembly.Module,
  first: WebAssembly.Module,
  what: 'compiler' | 'debugger',
  file: string,
): WebAssembly.Module {
  const build = partOf(first)?.build;
  const part = partOf(module);
  if (build !== undefined && part?.build === build && part.name === file) return module;
  throw new TernError(
    'E0603',
    `the ${what} does not belong to the WebAssembly module that runs: serve the files of one build`,
  );
}

/** Functions of parts that work on the first one's memory, and what they import. */
const importsFrom = (exports: Exports): WebAssembly.Imports => ({
  p: exports as unknown as WebAssembly.ModuleImports,
});

function notNow(file: string): TernError {
  return errorWithHelp(
    'E0608',
    `the compiler, '${file}', cannot be fetched while a call waits for it here: make the runtime ` +
      'with createRuntime({ compiler: true }), or await runtime.prepareCompiler() before',
    'createRuntime({ compiler: true }), or await runtime.prepareCompiler() before the call',
  );
}

// Pages may not ask for bytes here, but for text in which each character is one.
function downloadNow(url: URL): Uint8Array {
  const file = fileName(url);
  if (typeof XMLHttpRequest === 'undefined') throw notNow(file);
  const request = new XMLHttpRequest();
  request.open('GET', url, false);
  request.overrideMimeType('text/plain; charset=x-user-defined');
  const failed = (why: string): TernError =>
    errorWithHelp('E0601', `'${file}' ${why} (${url.href.slice(0, 200)})`, kHelpForFiles);
  try {
    request.send();
  } catch (error) {
    throw failed(`could not be fetched: ${String(error)}`);
  }
  if (request.status !== 200) throw failed(`was not served: status ${request.status}`);
  const bytes = Uint8Array.from(request.responseText, (each) => each.charCodeAt(0) & 0xff);
  const type = request.getResponseHeader('content-type') ?? 'no type';
  if (!isWasm(bytes) && !isGzip(bytes))
    throw failed(`is not WebAssembly: the server returned ${type}`);
  return bytes;
}

function unusable(error: unknown): TernError {
  return new TernError('E0601', `the compiler's module cannot be used: ${String(error)}`);
}

function moduleNow(source: WasmSource, sharing: Sharing | undefined): WebAssembly.Module {
  if (source instanceof WebAssembly.Module) return source;
  let bytes = source;
  if (typeof bytes === 'string' || bytes instanceof URL) {
    const url = new URL(bytes, baseAddress());
    const file = url.protocol === 'file:' ? readNodeFileNow(url) : downloadNow(url);
    if (!file) throw notNow(fileName(url));
    bytes = file;
  }
  if (bytes instanceof Response) throw notNow('the given response');
  const packed = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  const plain = isGzip(packed) ? inflateNow(packed) : packed;
  try {
    return new WebAssembly.Module((sharing?.shaped(plain) ?? plain) as Uint8Array<ArrayBuffer>);
  } catch (error) {
    throw unusable(error);
  }
}

/** @internal The compiler of one instance. */
export class OnDemandPart implements OnDemandExports {
  private exports: Exports | undefined;
  private fetching: Promise<void> | undefined;
  private readonly source: WasmSource;
  private readonly sharing: Sharing | undefined;

  /** Undefined where the module is whole. */
  static of(first: Instance, options: ModuleOptions): OnDemandPart | undefined {
    return partOf(first.module) && new OnDemandPart(first, options);
  }

  private constructor(
    private readonly first: Instance,
    options: ModuleOptions,
  ) {
    this.sharing = options.threading?.sharing;
    const { compiler } = options;
    const given = typeof compiler === 'boolean' ? undefined : compiler;
    this.source = given ?? assetSource('tern-compiler.wasm.gz', options);
  }

  /** Whether calls find it without fetching it. */
  get here(): boolean {
    return this.exports !== undefined;
  }

  /** Fetches it, once, whoever asks. After a failure it is tried again. */
  async fetch(signal?: AbortSignal, tell?: PartListener): Promise<void> {
    if (this.exports) return;
    signal?.throwIfAborted();
    this.fetching ??= this.load(tell).finally(() => (this.fetching = undefined));
    await unlessAborted(this.fetching, signal);
  }

  /** Its functions, read here and now where they have not been fetched. */
  now(): Exports {
    if (!this.exports) {
      const module = this.checked(moduleNow(this.source, this.sharing));
      const instance = new WebAssembly.Instance(module, importsFrom(this.first.exports));
      this.exports = instance.exports as Exports;
    }
    return this.exports;
  }

  // Not ended by a signal of one who asked: others may wait for it too.
  private async load(tell?: PartListener): Promise<void> {
    const module = this.checked(await toModule(this.source, { tell, sharing: this.sharing }));
    if (this.exports) return; // a call could not wait
    const instance = await WebAssembly.instantiate(module, importsFrom(this.first.exports));
    this.exports ??= instance.exports as Exports;
  }

  private checked(module: WebAssembly.Module): WebAssembly.Module {
    return fitting(module, this.first.module, 'compiler', 'tern-compiler.wasm');
  }
}

/**
 * The functions of the first part and the compiler with those of the debugger and the language,
 * which work with both.
 */
export async function withTools(
  first: Instance,
  compiler: OnDemandPart | undefined,
  module: WebAssembly.Module,
  signal?: AbortSignal,
  tell?: PartListener,
): Promise<Exports> {
  const tools = fitting(module, first.module, 'debugger', 'tern-debug.wasm');
  await compiler?.fetch(signal, tell);
  const exports = { ...first.exports, ...compiler?.now() };
  const instance = await WebAssembly.instantiate(tools, importsFrom(exports));
  return { ...exports, ...(instance.exports as Exports) };
}
