// SPDX-License-Identifier: Apache-2.0
// Serves one folder over HTTP on this machine only: what a browser needs to load the built page.
//   node tools/serve.mjs FOLDER [PORT]        port 0 picks a free one
// The first line of the output names the address.
import {createReadStream} from 'node:fs';
import {stat} from 'node:fs/promises';
import {createServer} from 'node:http';
import {extname, join, normalize, resolve, sep} from 'node:path';

const kTypes = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript',
  '.css': 'text/css', '.json': 'application/json', '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml', '.png': 'image/png', '.ico': 'image/x-icon',
};

// The file for a request path, or nothing if it is outside the folder or not there.
async function findFile(root, url) {
  let path;
  try {
    path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return undefined;
  }
  const full = resolve(root, '.' + normalize(path));
  if (full !== root && !full.startsWith(root + sep)) return undefined;
  const info = await stat(full).catch(() => undefined);
  if (info?.isDirectory()) return findFile(root, join(path, 'index.html'));
  return info?.isFile() ? {path: full, size: info.size} : undefined;
}

async function answer(root, request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return response.writeHead(405, {Allow: 'GET, HEAD'}).end('method not allowed\n');
  }
  const file = await findFile(root, request.url);
  if (!file) return response.writeHead(404, {'Content-Type': 'text/plain'}).end('not found\n');
  response.writeHead(200, {
    'Content-Type': kTypes[extname(file.path)] ?? 'application/octet-stream',
    'Content-Length': file.size,
    'Cache-Control': 'no-cache',
    // Lets the page use shared memory where a build wants it.
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  });
  if (request.method === 'HEAD') return response.end();
  return createReadStream(file.path).on('error', () => response.destroy()).pipe(response);
}

async function main([folder, port = '5173']) {
  const root = folder && resolve(folder);
  if (!root || !(await stat(root).catch(() => undefined))?.isDirectory()) {
    const name = folder ?? 'the folder';
    console.error(`serve: ${name} is not a folder; build the page first: tools/run.sh`);
    process.exit(2);
  }
  const server = createServer((request, response) => {
    answer(root, request, response).catch(() => response.destroy());
  });
  server.on('error', (error) => {
    const hint = error.code === 'EADDRINUSE' ? '; another program uses this port: try --port' : '';
    console.error(`serve: port ${port}: ${error.message}${hint}`);
    process.exit(2);
  });
  server.listen(Number(port), '127.0.0.1', () => {
    console.log(`http://localhost:${server.address().port}/   (Ctrl-C stops it)`);
  });
}

await main(process.argv.slice(2));
