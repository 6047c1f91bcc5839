// SPDX-License-Identifier: Apache-2.0
// What tests of the package share: the digit model with a drawing of a 3, a server whose answers a
// test makes up, and a cache as browsers have it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

import { TernError } from '../../wasm/package/dist/index.js';

export const kRoot = new URL('../../', import.meta.url);
export const kModel = new URL('tests/models/digits/model.onnx', kRoot);
export const kThree = new URL('tests/models/digits/inputs/drawn3.s0.image.u8', kRoot);

export const modelBytes = () => new Uint8Array(readFileSync(kModel));

export function three() {
  return { dtype: 'f32', shape: [1, 1, 28, 28], data: Float32Array.from(readFileSync(kThree)) };
}

/** The promise is refused with this code, these words in the message, and this help. */
export const fails = (promise, code, words = /./, help = /.?/) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof TernError, String(error.stack));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, words);
    assert.match(error.help.join('\n'), help, error.text);
    return true;
  });

/** Which digit the model sees. */
export function digitOf({ probabilities }) {
  const data = [...probabilities.data];
  return data.indexOf(Math.max(...data));
}

/** A server of `answers`, functions by path; `asked` lists the paths of all requests. */
export async function serve(answers) {
  const asked = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    asked.push(path);
    const answer = answers[path];
    if (answer) answer(request, response);
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('gone');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close };
}

/** An answer of these bytes. */
export const sends = (bytes, type = 'application/octet-stream', status = 200) => (_, response) =>
  response
    .writeHead(status, { 'content-type': type, 'content-length': bytes.length })
    .end(bytes);

/** The Cache API in memory. */
export function fakeCaches() {
  const shelves = new Map();
  const open = (name) => {
    const entries = shelves.get(name) ?? new Map();
    shelves.set(name, entries);
    return {
      entries,
      keys: async () => [...entries.keys()].map((url) => ({ url })),
      match: async (key) => {
        const bytes = entries.get(String(key));
        return bytes && new Response(bytes);
      },
      put: async (key, response) => void entries.set(String(key), await response.arrayBuffer()),
      delete: async (key) => entries.delete(String(key)),
    };
  };
  const remove = async (name) => shelves.delete(name);
  return { open: async (name) => open(name), delete: remove };
}

/** What a listener heard, which must never fall and end with 'ready' at 1. */
export function checkProgress(assert, heard) {
  assert.ok(heard.length > 0, 'nothing was told');
  heard.reduce((before, { fraction }) => {
    assert.ok(fraction >= before && fraction <= 1, `${fraction} after ${before}`);
    return fraction;
  }, 0);
  assert.deepEqual(
    heard.filter(({ fraction }) => fraction === 1).map(({ phase }) => phase),
    ['ready'],
  );
  assert.equal(heard.at(-1).phase, 'ready');
}
