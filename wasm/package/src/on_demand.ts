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

/** What all parts of one build carry: a number of their own. Behind it is each part's name. */
function buildOf(module: WebAssembly.Module): string | undefined {
  const [section] = WebAssembly.Module.customSections(module, kPairSection);
  return section && new Uint8Array(section).subarray(0, kHashBytes).join(' ');
}

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
    const build = buildOf(first.module);
    return build === undefined ? undefined : new OnDemandPart(first, build, options);
  }

  private constructor(
    private readonly first: Instance,
    private readonly build: string,
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
      this.exports = new WebAssembly.Instance(module, this.imports()).exports as Exports;
    }
    return this.exports;
  }

  // Not ended by a signal of one who asked: others may wait for it too.
  private async load(tell?: PartListener): Promise<void> {
    const module = this.checked(await toModule(this.source, { tell, sharing: this.sharing }));
    if (this.exports) return; // a call could not wait
    const instance = await WebAssembly.instantiate(module, this.imports());
    this.exports ??= instance.exports as Exports;
  }

  private imports(): WebAssembly.Imports {
    return { primary: this.first.exports as unknown as WebAssembly.ModuleImports };
  }

  private checked(module: WebAssembly.Module): WebAssembly.Module {
    if (buildOf(module) === this.build) return module;
    throw new TernError(
      'E0603',
      'the compiler does not belong to the WebAssembly module that runs: serve the two files of ' +
        'one build',
    );
  }
}
