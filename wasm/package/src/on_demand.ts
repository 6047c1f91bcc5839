// SPDX-License-Identifier: Apache-2.0
// The parts of the module that most programs run without: operators that few call, and what
// compiles, assembles and lists programs. Each is a file of its own, fetched on demand and
// instantiated on the memory and tables of the first part.
import { unlessAborted } from './abort.js';
import { errorWithHelp, TernError, withHelp } from './errors.js';
import type { Exports, Instance, OnDemandExports, Sharing } from './exports.js';
import {
  type AssetName,
  baseAddress,
  fileName,
  kHelpForFiles,
  readNodeFileNow,
} from './files.js';
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
  what: string,
  file: string,
): WebAssembly.Module {
  const build = partOf(first)?.build;
  const part = partOf(module);
  if (build !== undefined && part?.build === build && part.name === file) return module;
  throw new TernError(
    'E0603',
    `${what} does not belong to the WebAssembly module that runs: serve the files of one build`,
  );
}

/** Functions of parts that work on the first one's memory, and what they import. */
const importsFrom = (exports: Exports): WebAssembly.Imports => ({
  p: exports as unknown as WebAssembly.ModuleImports,
});

/** What a part is, for those who look for it and for those who miss it. */
interface PartKind {
  /** The file of the package; unpacked it is called as the part calls itself. */
  readonly file: AssetName;
  /** What errors call it. */
  readonly what: string;
  /** The option of createRuntime and the method that have it before it is called. */
  readonly option: 'operators' | 'compiler';
  readonly method: string;
}

const kOperators: PartKind = {
  file: 'tern-operators.wasm.gz',
  what: 'the part with further operators',
  option: 'operators',
  method: 'prepareOperators',
};
const kCompiler: PartKind = {
  file: 'tern-compiler.wasm.gz',
  what: 'the compiler',
  option: 'compiler',
  method: 'prepareCompiler',
};

function notNow({ what, option, method }: PartKind, file: string): TernError {
  const how = `createRuntime({ ${option}: true }), or await runtime.${method}()`;
  return errorWithHelp(
    'E0608',
    `${what}, '${file}', cannot be fetched while a call waits for it here: make the runtime ` +
      `with ${how} before`,
    `${how} before the call`,
  );
}

// Pages may not ask for bytes here, but for text in which each character is one.
function downloadNow(kind: PartKind, url: URL): Uint8Array {
  const file = fileName(url);
  if (typeof XMLHttpRequest === 'undefined') throw notNow(kind, file);
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

function moduleNow(
  kind: PartKind,
  source: WasmSource,
  sharing: Sharing | undefined,
): WebAssembly.Module {
  if (source instanceof WebAssembly.Module) return source;
  let bytes = source;
  if (typeof bytes === 'string' || bytes instanceof URL) {
    const url = new URL(bytes, baseAddress());
    const file = url.protocol === 'file:' ? readNodeFileNow(url) : downloadNow(kind, url);
    if (!file) throw notNow(kind, fileName(url));
    bytes = file;
  }
  if (bytes instanceof Response) throw notNow(kind, 'the given response');
  const packed = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  const plain = isGzip(packed) ? inflateNow(packed) : packed;
  try {
    return new WebAssembly.Module((sharing?.shaped(plain) ?? plain) as Uint8Array<ArrayBuffer>);
  } catch (error) {
    throw new TernError('E0601', `${kind.what} cannot be used: ${String(error)}`);
  }
}

/** Puts the further operators where programs find them, if they are among these functions. */
export function registerOperators(exports: Exports): void {
  const register = exports['tern_wasm_register_operators'] as (() => number) | undefined;
  if (register && register() !== 0)
    throw new TernError('E0901', 'the further operators cannot be registered');
}

/** @internal A part of one instance. */
export class OnDemandPart implements OnDemandExports {
  /** With the functions of the parts before it. */
  private exports: Exports | undefined;
  /** What it was made of, once it is here. */
  module: WebAssembly.Module | undefined;
  private fetching: Promise<void> | undefined;
  private readonly source: WasmSource;
  private readonly sharing: Sharing | undefined;
  // Whether calls that want it go on without it, and what one of them missed.
  private patient = false;
  private missed: unknown;

  /** Undefined where the module is whole. */
  static compilerOf(first: Instance, options: ModuleOptions): OnDemandPart | undefined {
    if (!partOf(first.module)) return undefined;
    return new OnDemandPart(first, options, kCompiler,
      new OnDemandPart(first, options, kOperators));
  }

  private constructor(
    private readonly first: Instance,
    options: ModuleOptions,
    private readonly kind: PartKind,
    readonly before?: OnDemandPart,
  ) {
    this.sharing = options.threading?.sharing;
    const given = options[kind.option];
    this.source = typeof given === 'boolean' || given === undefined
      ? assetSource(kind.file, options)
      : given;
  }

  /** Fetches it, once, whoever asks. After a failure it is tried again. */
  async fetch(signal?: AbortSignal, tell?: PartListener): Promise<void> {
    if (this.exports) return;
    signal?.throwIfAborted();
    this.fetching ??= this.load(tell).finally(() => (this.fetching = undefined));
    await unlessAborted(this.fetching, signal);
  }

  now(): Exports {
    if (this.exports) return this.exports;
    const before = this.before?.now();
    const module = this.checked(moduleNow(this.kind, this.source, this.sharing));
    return this.begin(module, new WebAssembly.Instance(module, this.imports(before)));
  }

  /** The same for a call under way, which nothing may be thrown into: whether the part came. */
  bring(): boolean {
    if (this.exports) return false;
    try {
      if (this.patient) throw notNow(this.kind, this.kind.file);
      this.now();
      return true;
    } catch (error) {
      this.missed = error;
      return false;
    }
  }

  async patiently<T>(f: () => T, signal?: AbortSignal): Promise<T> {
    this.patient = true;
    this.missed = undefined;
    try {
      return f();
    } catch (error) {
      if (this.missed === undefined) throw error;
    } finally {
      this.patient = false;
      this.missed = undefined;
    }
    await this.fetch(signal);
    return f();
  }

  explained(error: TernError): TernError {
    const { missed } = this;
    if (missed === undefined || this.patient) return error;
    this.missed = undefined;
    return withHelp(error, missed instanceof Error ? missed.message : String(missed));
  }

  // Not ended by a signal of one who asked: others may wait for it too.
  private async load(tell?: PartListener): Promise<void> {
    const [found] = await Promise.all([
      toModule(this.source, { tell, sharing: this.sharing }),
      this.before?.fetch(),
    ]);
    const module = this.checked(found);
    if (this.exports) return; // a call could not wait
    const instance = await WebAssembly.instantiate(module, this.imports(this.before?.now()));
    if (!this.exports) this.begin(module, instance);
  }

  private imports(before: Exports | undefined): WebAssembly.Imports {
    return importsFrom({ ...this.first.exports, ...before });
  }

  private begin(module: WebAssembly.Module, { exports }: WebAssembly.Instance): Exports {
    this.module = module;
    this.exports = { ...this.before?.now(), ...(exports as Exports) };
    registerOperators(exports as Exports);
    return this.exports;
  }

  private checked(module: WebAssembly.Module): WebAssembly.Module {
    const { what, file } = this.kind;
    return fitting(module, this.first.module, what, file.replace(/\.gz$/, ''));
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
  const tools = fitting(module, first.module, 'the debugger', 'tern-debug.wasm');
  await compiler?.fetch(signal, tell);
  const exports = { ...first.exports, ...compiler?.now() };
  const instance = await WebAssembly.instantiate(tools, importsFrom(exports));
  return { ...exports, ...(instance.exports as Exports) };
}
