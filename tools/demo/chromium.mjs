// SPDX-License-Identifier: Apache-2.0
// A page in the system's headless Chromium, over folders served on this machine: for the
// demonstration and the benchmarks. Uses the playwright-core that web/ installs for its tests.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';
import { kRoot } from '../models/targets.mjs';

const kTypes = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
  '.html': 'text/html',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Every request path that begins with a key of `folders` is answered from that folder. */
function serve(folders) {
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
      response.writeHead(200, {
        ...headers,
        'content-type': kTypes[extname(file)] ?? 'application/octet-stream',
      });
      createReadStream(file).pipe(response);
    } else {
      response.writeHead(404, headers).end();
    }
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/**
 * {page, evaluate(expression), close()}: the page of a new browser, at the root of what is served;
 * `viewport` is as Playwright has it.
 */
export async function openChromium(folders, { viewport } = {}) {
  const { chromium } = createRequire(join(kRoot, 'web/package.json'))('playwright-core');
  const server = await serve(folders);
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
