// SPDX-License-Identifier: Apache-2.0
// B61: loading from addresses, responses and blobs: progress, integrity, cache, abort; and the
// modules of the package from servers that answer in every wrong way. Run by `node --test` after
// tools/build_web.sh.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createTcpServer } from 'node:net';
import { relative } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { clearCache, createRuntime } from '../../wasm/package/dist/index.js';
import {
  checkProgress, digitOf, fails as refused, fakeCaches, kModel,
  kRoot, modelBytes, sends, serve, three,
} from './support.mjs';

const kDist = new URL('wasm/package/dist/', kRoot);
const kHtml = Buffer.from('<!DOCTYPE html><title>app</title>');
const kPackedWasm = readFileSync(new URL('tern-simd.wasm.gz', kDist));
const kWasm = gunzipSync(kPackedWasm);
const model = modelBytes();
const sri = (algorithm, bytes = model) =>
  `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;

// Whatever cannot be fetched says what helps.
const fails = (promise, code, words, help = /./) => refused(promise, code, words, help);

let server;
let runtime;
let executable;
before(async () => {
  server = await serve({
    '/model.onnx': sends(model),
    '/html': sends(kHtml, 'text/html'),
    '/html-as-model': sends(kHtml),
    '/empty': sends(Buffer.alloc(0)),
    '/stops': (_, response) => {
      response.writeHead(200, { 'content-length': 1e6 });
      response.write(model.subarray(0, 1000));
    },
    '/breaks': (_, response) => {
      response.writeHead(200, { 'content-length': 1e6 });
      response.write(model.subarray(0, 1000), () => response.destroy());
    },
    '/files/tern-simd.wasm.gz': sends(kPackedWasm, 'application/gzip'),
    '/files/tern.wasm': sends(readFileSync(new URL('tern.wasm', kDist)), 'application/wasm'),
    '/wrong-type.wasm': sends(kWasm, 'text/plain'),
    '/right-type.wasm': sends(kWasm, 'application/wasm'),
    '/with-parameter.wasm': sends(kWasm, 'application/wasm; charset=binary'),
    '/broken.wasm': sends(kWasm.subarray(0, 5000), 'application/wasm'),
    '/page.wasm': sends(kHtml, 'text/html'),
    '/page-as.wasm': sends(kHtml, 'application/wasm'),
  });
  runtime = await createRuntime();
  executable = runtime.compile(model).bytes;
});
after(async () => {
  runtime.dispose();
  await server.close();
});

async function digit(source, options) {
  const program = await runtime.load(source, options);
  try {
    return digitOf(program.run('main', { image: three() }));
  } finally {
    program.dispose();
  }
}

describe('what is loaded', () => {
  it('comes from an address, a path, a response or a blob', async () => {
    const address = `${server.url}/model.onnx`;
    const path = relative(process.cwd(), fileURLToPath(kModel));
    const blob = new Blob([model]);
    for (const source of [address, new URL(address), kModel, kModel.href, path, blob])
      assert.equal(await digit(source), 3, String(source));
    assert.equal(await digit(fetch(address)), 3);
    assert.equal(await digit(await fetch(address)), 3);
    const base64 = Buffer.from(executable).toString('base64');
    assert.equal(await digit(`data:application/octet-stream;base64,${base64}`), 3);
  });

  it('comes at once from bytes in any form', () => {
    const padded = new Uint8Array(model.length + 3);
    padded.set(model, 3);
    for (const bytes of [model, model.buffer, Buffer.from(model), padded.subarray(3),
      new DataView(padded.buffer, 3)]) {
      const program = runtime.load(bytes);
      assert.equal(digitOf(program.run('main', { image: three() })), 3);
      program.dispose();
    }
  });

  it('tells of its progress, over all phases', async () => {
    const fresh = await createRuntime();
    const [first, second] = [[], []];
    const address = `${server.url}/model.onnx`;
    (await fresh.load(address, { onProgress: (each) => first.push(each) })).dispose();
    checkProgress(assert, first);
    const fetched = first.filter(({ phase }) => phase === 'fetch');
    assert.equal(fetched.at(-1).loaded, model.length);
    assert.equal(fetched.at(-1).total, model.length);
    assert.ok(fetched.every(({ file }) => file === 'model.onnx'));
    const files = new Set(first.map(({ file }) => file));
    assert.ok([...files].some((file) => /compiler\.wasm\.gz$/.test(file)), [...files].join());
    assert.deepEqual([...new Set(first.map(({ phase }) => phase))],
      ['fetch', 'compile', 'load', 'ready']);
    const blob = new Blob([executable]);
    (await fresh.load(blob, { onProgress: (each) => second.push(each) })).dispose();
    checkProgress(assert, second);
    assert.ok(!second.some(({ phase }) => phase === 'compile'));
    fresh.dispose();
  });

  it('is not there, or is a page, or breaks off', async () => {
    const load = (path) => runtime.load(`${server.url}${path}`);
    await fails(load('/none.onnx'), 'E0611', /'none\.onnx' .* status 404, text\/plain \(http/);
    await fails(load('/html'), 'E0611', /'html' .* returned HTML \(status 200, text\/html\)/,
      /single pages/);
    await fails(load('/html-as-model'), 'E0611', /returned HTML/);
    await fails(load('/breaks'), 'E0611', /broke off/, /again/);
    await fails(load('/empty'), 'E0401', /./, /.?/);
    await fails(runtime.load('http://127.0.0.1:1/x.onnx'), 'E0611', /'x\.onnx' could not/);
    await fails(runtime.load('no-such-file.onnx'), 'E0611', /no-such-file\.onnx/, /folder/);
    await fails(runtime.load('http://'), 'E0611', /is not an address/, /Uint8Array/);
    await fails(runtime.load(7), 'E0205', /bytes, an address, a Response or a Blob/);
    await fails(runtime.load(null), 'E0205', /bytes, an address/);
    const used = new Response(model);
    await used.text();
    await fails(runtime.load(used), 'E0611', /already read/, /clone/);
    assert.equal(await digit(kModel), 3);
  });

  it('cannot be fetched by a runtime that is gone', async () => {
    const gone = await createRuntime();
    gone.dispose();
    await fails(gone.load(kModel), 'E0702', /disposed/, /.?/);
  });

  it('takes no options of downloads with bytes', () => {
    for (const option of [{ integrity: 'sha256-x' }, { cache: true }, { onProgress() {} }])
      assert.throws(() => runtime.load(model, option), { code: 'E0003', message: /are bytes/ });
  });
});

// K11: what servers, proxies and networks make of a download that does not get to its end. `answer`
// is all that goes through the connection, which is closed behind it.
describe('a download that is cut', () => {
  const head = (...lines) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');
  const half = (bytes) => bytes.subarray(0, bytes.length >> 1);
  const chunk = (bytes) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  const kBroken = [
    ['with the length of the whole', (bytes) =>
      [head(`content-length: ${bytes.length}`), half(bytes)]],
    ['before the first byte', (bytes) => [head(`content-length: ${bytes.length}`)]],
    ['in the middle of a chunk', (bytes) => [head('transfer-encoding: chunked'),
      chunk(bytes).subarray(0, bytes.length >> 1)]],
    ['before the last chunk', (bytes) => [head('transfer-encoding: chunked'), chunk(half(bytes))]],
    ['and says that it is longer than it is', (bytes) =>
      [head(`content-length: ${bytes.length + 1000}`), bytes]],
  ];
  // Nothing in such an answer tells that there is more: the file itself must. A connection that
  // does not say that it ends may be asked once more while it is closed, which fails in Node.
  const kHalf = [
    ['with the length of the half', (bytes) =>
      [head(`content-length: ${half(bytes).length}`, 'connection: close'), half(bytes)]],
    ['with that length and all of its bytes', (bytes) =>
      [head(`content-length: ${half(bytes).length}`, 'connection: close'), bytes]],
    ['without a length', (bytes) => [head('connection: close'), half(bytes)]],
  ];

  const listeners = [];
  afterEach(() => {
    for (const listener of listeners.splice(0)) listener.close();
    delete globalThis.caches;
  });

  /** Serves `answer` first, and from then on the whole file, until the test ends. */
  async function cutServer(bytes, answer) {
    let asked = 0;
    const whole = [head(`content-length: ${bytes.length}`, 'connection: close'), bytes];
    const listener = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        for (const part of asked++ === 0 ? answer(bytes) : whole) socket.write(part);
        socket.end();
      });
    });
    listeners.push(listener);
    await new Promise((done) => listener.listen(0, '127.0.0.1', done));
    const address = `http://127.0.0.1:${listener.address().port}/model.onnx`;
    return { address, asked: () => asked };
  }

  const kFiles = [['a model', () => model, 'E0401'], ['an executable', () => executable, 'E0105']];
  for (const [what, bytes, code] of kFiles) {
    for (const [how, answer] of kBroken) {
      it(`is told, ${what} ${how}; the next time it is whole`, async () => {
        const caches = (globalThis.caches = fakeCaches());
        const cut = await cutServer(Buffer.from(bytes()), answer);
        await fails(runtime.load(cut.address, { cache: 'a' }), 'E0611',
          /'model\.onnx' could not be fetched: the download broke off/, /try again/);
        assert.equal((await caches.open('tern-runtime')).entries.size, 0);
        assert.equal(await digit(cut.address, { cache: 'a' }), 3);
        assert.equal(await digit(cut.address, { cache: 'a' }), 3);
        assert.equal(cut.asked(), 2);
      });
    }
    for (const [how, answer] of kHalf) {
      it(`is told by the file, ${what} ${how}; nothing of it is kept`, async () => {
        const caches = (globalThis.caches = fakeCaches());
        const cut = await cutServer(Buffer.from(bytes()), answer);
        await fails(runtime.load(cut.address, { cache: 'a' }), code, /./,
          /'model\.onnx' may have been cut off.*load it again/);
        assert.equal((await caches.open('tern-runtime')).entries.size, 0);
        assert.equal(await digit(cut.address, { cache: 'a' }), 3);
        assert.equal(await digit(cut.address, { cache: 'a' }), 3);
        assert.equal(cut.asked(), 2);
      });
    }
  }

  it('of a module of the package is told, and the next time it is whole', async () => {
    for (const [, answer] of kBroken) {
      const cut = await cutServer(kWasm, answer);
      await fails(createRuntime({ wasm: cut.address }), 'E0601', /'model\.onnx'/, /./);
      (await createRuntime({ wasm: cut.address })).dispose();
    }
  });
});

describe('integrity', () => {
  it('lets through what matches', async () => {
    for (const algorithm of ['sha256', 'sha384', 'sha512'])
      assert.equal(await digit(kModel, { integrity: sri(algorithm) }), 3);
    assert.equal(await digit(kModel, { integrity: `sha256-AAAA ${sri('sha512')}` }), 3);
    const either = `sha256-AAAA ${sri('sha256')}`;
    assert.equal(await digit(new Response(model), { integrity: either }), 3);
  });

  it('keeps out what does not', async () => {
    const other = sri('sha256', Buffer.from('other'));
    await fails(runtime.load(kModel, { integrity: other }), 'E0612',
      /'model\.onnx' does not match: expected sha256-.*, got sha256-/, /another file/);
    // The strongest counts, as in HTML.
    const integrity = `${sri('sha256')} ${sri('sha512', Buffer.from('other'))}`;
    await fails(runtime.load(kModel, { integrity }), 'E0612', /expected sha512-/);
  });

  it('is checked before anything is fetched', async () => {
    const { length } = server.asked;
    for (const integrity of ['', 'md5-AAAA', 'sha256', 'nonsense'])
      await fails(runtime.load(`${server.url}/model.onnx`, { integrity }), 'E0612', /none that is/,
        /sha256-/);
    assert.equal(server.asked.length, length);
  });
});

describe('the cache', () => {
  const address = () => `${server.url}/model.onnx`;
  const requests = async (f) => {
    const { length } = server.asked;
    await f();
    return server.asked.length - length;
  };
  afterEach(() => delete globalThis.caches);

  it('keeps a version, and forgets it for the next', async () => {
    const caches = (globalThis.caches = fakeCaches());
    const heard = [];
    const load = (cache, more) => () => digit(address(), { cache, ...more });
    assert.equal(await requests(load('1')), 1);
    assert.equal(await requests(load('1', { onProgress: (each) => heard.push(each) })), 0);
    checkProgress(assert, heard);
    assert.ok(heard.some(({ fromCache, phase }) => fromCache && phase === 'fetch'));
    assert.equal(await requests(load('2')), 1);
    assert.equal(await requests(load('2')), 0);
    const { entries } = await caches.open('tern-runtime');
    assert.equal(entries.size, 2); // the model, and what it was compiled to
    assert.equal(await requests(load(true)), 1);
    assert.equal(await requests(load(undefined)), 1);
    await clearCache();
    assert.equal(await requests(load(true)), 1);
  });

  it('keeps what a model was compiled to, for the same options', async () => {
    globalThis.caches = fakeCaches();
    const fresh = async (options) => {
      const starting = await createRuntime({ compiler: new URL('no-such-compiler.gz', kDist) });
      try {
        const program = await starting.load(address(), { cache: 'c', ...options });
        assert.equal(digitOf(program.run('main', { image: three() })), 3);
        program.dispose();
      } finally {
        starting.dispose();
      }
    };
    await assert.rejects(fresh(), { code: 'E0601' });
    await digit(address(), { cache: 'c' });
    // No compiler is to be had, and none is wanted.
    assert.equal(await requests(fresh), 0);
    await assert.rejects(fresh({ relaxedMath: true }), { code: 'E0601' });
    await assert.rejects(fresh({ integrity: sri('sha256') }), { code: 'E0601' });
    await digit(address(), { cache: 'c', integrity: sri('sha256') });
    await fresh({ integrity: sri('sha256') });
    const heard = [];
    await fresh({ onProgress: (each) => heard.push(each) });
    checkProgress(assert, heard);
    assert.ok(heard.some(({ fromCache, file }) => fromCache && file === 'model.onnx'));
  });

  it('heals what is damaged, and keeps nothing that failed', async () => {
    const caches = (globalThis.caches = fakeCaches());
    const options = { cache: 'a', integrity: sri('sha256') };
    await digit(address(), options);
    const { entries } = await caches.open('tern-runtime');
    const damage = (bytes) => {
      for (const key of entries.keys()) entries.set(key, bytes);
    };
    damage('damaged');
    assert.equal(await requests(() => digit(address(), options)), 1);
    assert.equal(await requests(() => digit(address(), options)), 0);
    damage(executable.subarray(0, 1000));
    assert.equal(await requests(() => digit(address(), options)), 1);
    assert.equal(await requests(() => digit(address(), options)), 0);
    entries.clear();
    for (const path of ['/breaks', '/html', '/none'])
      await assert.rejects(runtime.load(server.url + path, { cache: 'a' }), { code: 'E0611' });
    const integrity = sri('sha256', Buffer.from('other'));
    await assert.rejects(runtime.load(address(), { cache: 'a', integrity }), { code: 'E0612' });
    assert.equal(entries.size, 0);
  });

  it('is done without where it is refused or full', async () => {
    globalThis.caches = { open: () => Promise.reject(new Error('private')) };
    assert.equal(await digit(address(), { cache: 'a' }), 3);
    const caches = (globalThis.caches = fakeCaches());
    const shelf = await caches.open('tern-runtime');
    const put = () => Promise.reject(new Error('full'));
    caches.open = async () => ({ ...shelf, put });
    assert.equal(await digit(address(), { cache: 'a' }), 3);
  });

  it('says once for each file that there was no room, and what makes some', async (context) => {
    const caches = (globalThis.caches = fakeCaches());
    const shelf = await caches.open('tern-runtime');
    const full = new DOMException('no room for 20 KB', 'QuotaExceededError');
    caches.open = async () => ({ ...shelf, put: () => Promise.reject(full) });
    const warn = context.mock.method(console, 'warn', () => undefined);
    assert.equal(await digit(address(), { cache: 'a' }), 3);
    const said = warn.mock.calls.map((call) => call.arguments.join());
    assert.equal(said.length, 2); // the model, and what it was compiled to
    for (const each of said) {
      assert.match(each, /'model\.onnx' \(\d+ bytes\) is not kept .*QuotaExceededError: no room/);
      assert.match(each, /clearCache\(\) makes room/);
    }
  });

  it('is what is left offline, which is said', async (context) => {
    globalThis.caches = fakeCaches();
    await digit(address(), { cache: 'a' });
    context.mock.method(globalThis, 'fetch', () => Promise.reject(new TypeError('fetch failed')));
    const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    const online = (onLine) =>
      Object.defineProperty(globalThis, 'navigator', { value: { onLine }, configurable: true });
    const offline = /this device is offline: connect it and try again.*cache: true/;
    try {
      online(false);
      assert.equal(await digit(address(), { cache: 'a' }), 3);
      await fails(runtime.load(address()), 'E0611', /'model\.onnx' could not be/, offline);
      await fails(createRuntime({ wasm: `${server.url}/tern.wasm` }), 'E0601', /fetched/, offline);
      online(true);
      await fails(runtime.load(address()), 'E0611', /fetch failed/, /CORS, CSP/);
    } finally {
      delete globalThis.navigator;
      if (before) Object.defineProperty(globalThis, 'navigator', before);
    }
  });
});

describe('an abort', () => {
  const aborted = (f, words = /abort/i) => {
    const control = new AbortController();
    const promise = f(control.signal);
    setTimeout(() => control.abort(), 20);
    return assert.rejects(promise, { name: 'AbortError', message: words });
  };

  it('ends a download, and the runtime goes on', async () => {
    await aborted((signal) => runtime.load(`${server.url}/stops`, { signal }));
    const waiting = () => new Promise(() => undefined);
    await aborted((signal) => runtime.load(waiting(), { signal }));
    await aborted((signal) => createRuntime({ wasm: `${server.url}/stops`, signal }));
    assert.equal(await digit(kModel), 3);
  });

  it('may come before the beginning, with a reason of its own', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const { length } = server.asked;
    await assert.rejects(runtime.load(`${server.url}/model.onnx`, { signal }), /enough/);
    await assert.rejects(createRuntime({ signal }), /enough/);
    await assert.rejects(runtime.prepareCompiler({ signal: signal }).then(() => {
      throw new Error('enough'); // it is there already, so nothing had to be waited for
    }), /enough/);
    assert.equal(server.asked.length, length);
  });

  it('ends loading between its phases', async () => {
    const control = new AbortController();
    const onProgress = ({ phase }) => {
      if (phase === 'load') control.abort();
    };
    await assert.rejects(runtime.load(kModel, { signal: control.signal, onProgress }),
      { name: 'AbortError' });
    assert.equal(await digit(kModel), 3);
  });
});

describe('the modules', () => {
  const start = async (options) => {
    const made = await createRuntime(options);
    const { target } = made.info;
    made.dispose();
    return target;
  };

  it('come with a type of another kind too, and from a response', async () => {
    for (const path of ['/wrong-type.wasm', '/with-parameter.wasm', '/right-type.wasm']) {
      const address = server.url + path;
      assert.equal(await start({ wasm: address }), 'simd128');
      assert.equal(await start({ wasm: await fetch(address) }), 'simd128');
    }
  });

  it('are found in another folder', async () => {
    const folder = `${server.url}/files`;
    for (const assets of [folder, `${folder}/`, new URL(folder), (file) => `${folder}/${file}`]) {
      const { length } = server.asked;
      await start({ assets });
      assert.match(server.asked[length], /^\/files\/tern(-simd\.wasm\.gz|\.wasm)$/);
    }
  });

  it('are told by what came in their place', async () => {
    const from = (path) => createRuntime({ wasm: server.url + path });
    await fails(from('/page.wasm'), 'E0601',
      /'page\.wasm' is not WebAssembly: .* returned HTML \(status 200, text\/html, http.*3c 21/,
      /assets/);
    await fails(from('/page-as.wasm'), 'E0601', /'page-as\.wasm' is damaged/);
    await fails(from('/broken.wasm'), 'E0601', /'broken\.wasm' is damaged/);
    await fails(from('/none.wasm'), 'E0601', /status 404.*http/, /tern-runtime\/dist/);
    await fails(createRuntime({ wasm: 'http://127.0.0.1:1/x.wasm' }), 'E0601', /'x\.wasm' could/);
    await fails(createRuntime({ assets: `${server.url}/nowhere` }), 'E0601',
      /tern.*\.wasm(\.gz)?' could/);
    await fails(createRuntime({ wasm: new Uint8Array([1, 2, 3]) }), 'E0601', /the given bytes/);
    const assets = (file) =>
      file === 'tern-debug.wasm' ? `${server.url}/nowhere/${file}` : new URL(file, kDist);
    await fails(createRuntime({ debugger: true, assets }), 'E0601',
      /tern-debug\.wasm/, /npm install tern-runtime-debug/);
  });

  it('tell of their progress together', async () => {
    const heard = [];
    const onProgress = (each) => heard.push(each);
    (await createRuntime({ compiler: true, loops: true, onProgress })).dispose();
    checkProgress(assert, heard);
    const wasm = [];
    await start({ wasm: `${server.url}/right-type.wasm`, onProgress: (each) => wasm.push(each) });
    checkProgress(assert, wasm);
    assert.equal(wasm.filter(({ phase }) => phase === 'fetch').at(-1)?.loaded, kWasm.length);
  });
});
