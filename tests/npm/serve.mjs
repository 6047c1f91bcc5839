// SPDX-License-Identifier: Apache-2.0
// The servers of the consumers: one for the pages, with a policy by folder, and one of another
// origin. What is not there is answered with a page of HTML, as servers of single pages do.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const kTypes = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript',
  '.wasm': 'application/wasm', '.css': 'text/css', '.json': 'application/json',
};
const kFallback = '<!doctype html><title>not found</title>';

async function answer(root, headersFor, asked, request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  asked.push(pathname);
  const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
  const headers = headersFor(pathname);
  try {
    const bytes = await readFile(join(root, normalize(path)));
    const type = kTypes[extname(path)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length, ...headers });
    response.end(bytes);
  } catch {
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(kFallback);
  }
}

/** Serves a folder; `headersFor` gives the headers of a path beside the usual ones. */
export async function serve(root, headersFor = () => ({})) {
  const asked = [];
  const server = createServer((request, response) => {
    answer(root, headersFor, asked, request, response).catch(() => response.destroy());
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://localhost:${server.address().port}`, asked, close };
}
