// SPDX-License-Identifier: Apache-2.0
// A page in the system's headless Chromium, over folders served on this machine: for the
// demonstration and the benchmarks. Uses the playwright-core that web/ installs for its tests.
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { kRoot } from '../models/targets.mjs';

const kTypes = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
  '.html': 'text/html',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** What hosts of static files pack on its way, where the browser takes it. */
const kPacks = /\.(?:js|mjs|html|css|svg|json|wasm)$/;

function send(response, file, headers, packs) {
  if (!packs || !kPacks.test(file)) {
    response.writeHead(200, headers);
    return createReadStream(file).pipe(response);
  }
  response.writeHead(200, { ...headers, 'content-encoding': 'gzip' });
  return response.end(gzipSync(readFileSync(file), { level: 9 }));
}

/** Every request path that begins with a key of `folders` is answered from that folder. */
function serve(folders, packs) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    const prefix = Object.keys(folders).find((key) => path.startsWith(key));
    const file = prefix && join(folders[prefix], path.slice(prefix.length));
    const headers = {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    };
    if (path === '/') {
      response
        .writeHead(200, { ...headers, 'content-type': 'text/html' })
        .end('<!doctype html><title>Tern</title>');
    } else if (file && statSync(file, { throwIfNoEntry: false })?.isFile()) {
      const type = kTypes[extname(file)] ?? 'application/octet-stream';
      const taken = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
      send(response, file, { ...headers, 'content-type': type }, packs && taken);
    } else {
      response.writeHead(404, headers).end();
    }
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/**
 * {page, evaluate(expression), close()}: the page of a new browser, at the root of what is served;
 * `viewport` is as Playwright has it; `packs`: files of texts are sent packed, as hosts do.
 */
export async function openChromium(folders, { viewport, packs = false } = {}) {
  const { chromium } = createRequire(join(kRoot, 'web/package.json'))('playwright-core');
  const server = await serve(folders, packs);
  const browser = await chromium.launch({
    executablePath: process.env.TERN_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const page = await browser.newPage(viewport ? { viewport } : {});
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  return {
    page,
    evaluate: (expression) => page.evaluate(expression),
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}
