// SPDX-License-Identifier: Apache-2.0
// Bytes of models and programs from wherever they are: downloaded with progress, compared with an
// integrity string, kept in the browser's cache, given up at once when a signal says so.
import { unlessAborted } from './abort.js';
import { errorWithHelp, type TernError } from './errors.js';
import { fileName, readNodeFile, toAddress } from './files.js';
import { fetchedFraction, type PartListener } from './progress.js';

/** Where a program comes from, other than from bytes that are at hand. */
export type RemoteSource = string | URL | Response | PromiseLike<Response> | Blob;

export interface FetchOptions {
  signal?: AbortSignal;
  /** As in HTML: "sha256-…", "sha384-…" or "sha512-…", or several with spaces between. */
  integrity?: string;
  /**
   * Keeps what was downloaded from an address in the browser's Cache API. A text is the version of
   * the file: another one downloads it again and forgets the one before. `true` is a version too,
   * which never changes. What an ONNX model was compiled to is kept beside it, so that the next
   * time neither is fetched nor the compiler. Not by default, and
   * without effect where there is no Cache API, as in Node and on pages without https.
   */
  cache?: boolean | string;
  /** What `fetch` is given beside the signal. */
  request?: Omit<RequestInit, 'signal' | 'integrity'>;
}

const kCacheName = 'tern-runtime';
const kVersionKey = 'tern-version';
const kMadeKey = 'tern-made';

/** Where one download comes from and what is told of it. */
interface Download {
  response: Response;
  name: string;
  address: string;
  fromCache: boolean;
}

function served(response: Response): string {
  return `status ${response.status}, ${response.headers.get('content-type') ?? 'no type'}`;
}

function notFetched(name: string, why: string, ...help: string[]): TernError {
  return errorWithHelp('E0611', `'${name}' could not be fetched: ${why}`, ...help);
}

/** All bytes of a response, telling of each piece. */
export async function readBody(
  response: Response,
  details: { file: string; fromCache?: boolean },
  signal?: AbortSignal,
  tell?: PartListener,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!response.body) return new Uint8Array(await unlessAborted(response.arrayBuffer(), signal));
  const encoded = response.headers.get('content-encoding');
  const total = encoded ? 0 : Number(response.headers.get('content-length') ?? 0);
  const chunks: Uint8Array[] = [];
  let loaded = 0;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await unlessAborted(reader.read(), signal);
      if (done) break;
      chunks.push(value);
      loaded += value.length;
      const size = total > 0 ? { total } : {};
      const fraction = fetchedFraction(loaded, total);
      tell?.({ phase: 'fetch', loaded, ...size, fraction, ...details });
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  }
  if (total > 0 && loaded < total) throw new RangeError(`${loaded} of ${total} bytes arrived`);
  return joined(chunks, loaded);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

// --- integrity

const kDigests: { readonly [name: string]: string } = {
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
};

/** The strongest of the digests, as in HTML; those of the same strength are alternatives. */
function strongest(integrity: string): { algorithm: string; hashes: string[] } {
  const found = [...integrity.matchAll(/(?:^|\s)(sha256|sha384|sha512)-([A-Za-z0-9+/]+=*)/g)];
  const best = found
    .map(([, name]) => name!)
    .sort()
    .pop();
  if (!best) {
    throw errorWithHelp(
      'E0612',
      `the integrity '${integrity}' is none that is known`,
      'expected "sha256-", "sha384-" or "sha512-" and the digest in base64',
    );
  }
  const hashes = found.filter(([, name]) => name === best).map(([, , hash]) => hash!);
  return { algorithm: best, hashes };
}

async function digest(algorithm: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) {
    throw errorWithHelp(
      'E0612',
      'integrity cannot be checked here: pages have digests with https or on localhost only',
      'serve the page with https, or leave the integrity out',
    );
  }
  const hash = new Uint8Array(await subtle.digest(kDigests[algorithm]!, bytes));
  return btoa(String.fromCharCode(...hash));
}

async function checkIntegrity(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  { integrity, signal }: FetchOptions,
): Promise<void> {
  if (integrity === undefined) return;
  const { algorithm, hashes } = strongest(integrity);
  const got = await unlessAborted(digest(algorithm, bytes), signal);
  if (hashes.includes(got)) return;
  const wanted = hashes.map((hash) => `${algorithm}-${hash}`).join(' or ');
  throw errorWithHelp(
    'E0612',
    `the integrity of '${name}' does not match: expected ${wanted}, got ${algorithm}-${got}`,
    'the file has changed, or the string belongs to another file',
  );
}

// --- the cache

/** The place of one file of one version, or of what was made of it. */
interface Shelf {
  cache: Cache;
  key: URL;
}

/** The address alone, with neither its fragment nor what keys add to it. */
function bareAddress(url: string | URL): string {
  const bare = new URL(url);
  bare.hash = '';
  bare.searchParams.delete(kVersionKey);
  bare.searchParams.delete(kMadeKey);
  return bare.href;
}

async function shelfFor(url: URL, { cache }: FetchOptions, made = ''): Promise<Shelf | undefined> {
  if (cache === undefined || cache === false || typeof caches === 'undefined') return undefined;
  if (!url.protocol.startsWith('http')) return undefined;
  const key = new URL(bareAddress(url));
  key.searchParams.set(kVersionKey, cache === true ? '' : cache);
  if (made !== '') key.searchParams.set(kMadeKey, made);
  // Some browsers have the object and refuse its use, as in private windows.
  const opened = await caches.open(kCacheName).catch(() => undefined);
  return opened && { cache: opened, key };
}

async function store({ cache, key }: Shelf, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  try {
    const version = key.searchParams.get(kVersionKey);
    for (const { url } of await cache.keys()) {
      const other = new URL(url).searchParams.get(kVersionKey);
      const same = bareAddress(url) === bareAddress(key);
      if (same && other !== null && other !== version) await cache.delete(url);
    }
    const headers = { 'content-length': String(bytes.length) };
    await cache.put(key, new Response(bytes, { headers }));
  } catch (error) {
    // A full disk is no reason to fail: the bytes are at hand, and fetched anew the next time.
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    console.warn(
      `tern: '${fileName(key)}' (${bytes.length} bytes) is not kept in the cache: ${why}; ` +
        'clearCache() makes room, navigator.storage.estimate() says how much there is',
    );
  }
}

/** What was made of a file, kept beside it for the same version. */
export class MadeOfFile {
  private constructor(private readonly shelf: Shelf) {}

  /** Undefined where nothing is kept. `made` says what it is, and by what. */
  static async find(
    source: unknown,
    options: FetchOptions,
    made: string,
  ): Promise<MadeOfFile | undefined> {
    if (typeof source !== 'string' && !(source instanceof URL)) return undefined;
    // What came of a file with another integrity is something else.
    const key = JSON.stringify([made, options.integrity ?? '']);
    const shelf = await unlessAborted(shelfFor(toAddress(source), options, key), options.signal);
    return shelf && new MadeOfFile(shelf);
  }

  async take(tell?: PartListener): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const kept = await this.shelf.cache.match(this.shelf.key).catch(() => undefined);
    if (!kept) return undefined;
    const bytes = new Uint8Array(await kept.arrayBuffer());
    const size = { loaded: bytes.length, total: bytes.length };
    const file = fileName(this.shelf.key);
    tell?.({ phase: 'fetch', ...size, fraction: 1, file, fromCache: true });
    return bytes;
  }

  async forget(): Promise<void> {
    await this.shelf.cache.delete(this.shelf.key).catch(() => false);
  }

  keep(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    return store(this.shelf, bytes);
  }
}

/** Forgets what `cache` has kept of a source, so that the next time it is fetched anew. */
export async function forget(source: RemoteSource, options: FetchOptions): Promise<void> {
  if (typeof source !== 'string' && !(source instanceof URL)) return;
  const shelf = await shelfFor(toAddress(source), options);
  await shelf?.cache.delete(shelf.key).catch(() => false);
}

/** Forgets all that `cache` has kept for this origin. */
export async function clearCache(): Promise<void> {
  if (typeof caches !== 'undefined') await caches.delete(kCacheName);
}

// --- downloads

/** What to do where no answer came at all. */
export function helpForNoAnswer(otherwise: string): string {
  // Node does not know.
  const { navigator } = globalThis as { navigator?: Partial<Navigator> };
  if (navigator?.onLine !== false) return otherwise;
  return (
    'this device is offline: connect it and try again; without a network there is what `load` ' +
    'kept with { cache: true }, or a service worker'
  );
}

/** What to do where the bytes are no whole program. */
export function helpForDamaged(source: RemoteSource, bytes: Uint8Array): string {
  const isAddress = typeof source === 'string' || source instanceof URL;
  const name = isAddress ? `'${fileName(toAddress(source))}'` : 'what was given';
  return (
    `${name} may have been cut off or changed on its way: ${bytes.length} bytes arrived; compare ` +
    'that with the file, and load it again'
  );
}

async function ask(url: URL, options: FetchOptions): Promise<Response> {
  const { signal, request } = options;
  try {
    return await fetch(url, { ...request, ...(signal ? { signal } : {}) });
  } catch (error) {
    signal?.throwIfAborted();
    throw notFetched(
      fileName(url),
      `${error instanceof Error ? error.message : String(error)} (${url.href.slice(0, 200)})`,
      helpForNoAnswer(
        'the address is wrong, the server is not reached, or its policy (CORS, CSP) forbids it',
      ),
    );
  }
}

/** Ends a response that is not wanted, which otherwise keeps its connection. */
export function dismiss(response: Response): void {
  if (!response.bodyUsed) void response.body?.cancel().catch(() => undefined);
}

function checkServed({ response, name, address }: Download): void {
  if (!response.ok) {
    dismiss(response);
    throw notFetched(name, `${served(response)} (${address})`, 'check the address');
  }
  if (response.bodyUsed)
    throw notFetched(name, 'the body of the response was already read', 'pass response.clone()');
}

// Single-page servers answer with their page for what they do not have.
function checkNoPage({ response, name, address }: Download, bytes: Uint8Array): void {
  const type = response.headers.get('content-type') ?? '';
  const head = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart().toLowerCase();
  if (!type.startsWith('text/html') && !head.startsWith('<!doctype') && !head.startsWith('<html'))
    return;
  throw notFetched(
    name,
    `the server returned HTML (${served(response)}) for ${address}`,
    'servers of single pages return the page for files that they lack: check the address, and ' +
      'that the file is deployed',
  );
}

async function take(
  download: Download,
  options: FetchOptions,
  tell?: PartListener,
): Promise<Uint8Array<ArrayBuffer>> {
  checkServed(download);
  const { name, fromCache, response } = download;
  const details = { file: name, ...(fromCache ? { fromCache } : {}) };
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await readBody(response, details, options.signal, tell);
  } catch (error) {
    options.signal?.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw notFetched(name, `the download broke off: ${why}`, 'try again');
  }
  checkNoPage(download, bytes);
  await checkIntegrity(name, bytes, options);
  const size = { loaded: bytes.length, total: bytes.length };
  tell?.({ phase: 'fetch', ...size, fraction: 1, ...details });
  return bytes;
}

async function fromAddress(
  url: URL,
  options: FetchOptions,
  tell?: PartListener,
): Promise<Uint8Array<ArrayBuffer>> {
  const name = fileName(url);
  if (url.protocol === 'file:') {
    const bytes = await readNodeFile(url, 'E0611', options.signal);
    return take(
      { response: new Response(bytes), name, address: url.href, fromCache: false },
      options,
      tell,
    );
  }
  const shelf = await unlessAborted(shelfFor(url, options), options.signal);
  const address = url.href.slice(0, 200);
  const kept = shelf && (await shelf.cache.match(shelf.key));
  if (shelf && kept) {
    try {
      return await take({ response: kept, name, address, fromCache: true }, options, tell);
    } catch (error) {
      options.signal?.throwIfAborted();
      // What was kept is damaged or not what is wanted any more: the server may have better.
      await shelf.cache.delete(shelf.key);
      void error;
    }
  }
  const response = await ask(url, options);
  const bytes = await take({ response, name, address, fromCache: false }, options, tell);
  if (shelf) await unlessAborted(store(shelf, bytes), options.signal);
  return bytes;
}

/** The bytes, complete and checked; what is wrong is said by an error with a code. */
export async function fetchBytes(
  source: RemoteSource,
  options: FetchOptions = {},
  tell?: PartListener,
): Promise<Uint8Array<ArrayBuffer>> {
  options.signal?.throwIfAborted();
  if (options.integrity !== undefined) strongest(options.integrity);
  if (typeof source === 'string' || source instanceof URL)
    return fromAddress(toAddress(source), options, tell);
  const response =
    source instanceof Blob
      ? new Response(source)
      : await unlessAborted(Promise.resolve(source), options.signal);
  if (!(response instanceof Response)) {
    throw errorWithHelp(
      'E0205',
      'a program is loaded from bytes, an address, a Response or a Blob',
      'pass a Uint8Array, an ArrayBuffer, a URL, a string with an address, or await fetch(…)',
    );
  }
  const name = response.url ? fileName(new URL(response.url)) : 'the response';
  const download = { response, name, address: response.url || 'a Response', fromCache: false };
  return take(download, options, tell);
}
