// SPDX-License-Identifier: Apache-2.0
// Serves the built page below a path prefix for all tests, and tells them where by TERN_PAGE; the
// package is beside it.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const kRoot = resolve(__dirname, '../../..');

function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((done, fail) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) done(text.split('\n')[0]!);
    });
    stream.on('end', () => fail(new Error(`the server ended: ${text}`)));
  });
}

export default async function serve(): Promise<() => void> {
  const dist = join(kRoot, 'web/dist');
  if (!existsSync(join(dist, 'index.html'))) {
    throw new Error('web/dist is missing: build the page first (tools/build_web.sh)');
  }
  const site = mkdtempSync(join(tmpdir(), 'tern-site-'));
  symlinkSync(dist, join(site, 'play'));
  symlinkSync(join(kRoot, 'wasm/package/dist'), join(site, 'package'));
  const server = spawn(process.execPath, [join(kRoot, 'tools/serve.mjs'), site, '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await firstLine(server.stdout);
  process.env['TERN_PAGE'] = `${line.split(/\s/)[0]}play/`;
  return () => {
    server.kill();
    rmSync(site, { recursive: true });
  };
}
