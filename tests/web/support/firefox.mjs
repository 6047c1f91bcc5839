#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Firefox as Debian has it, for Playwright's channel `moz-firefox`, which speaks WebDriver BiDi.
// Playwright asks for colours, motion and contrast in every context with a command that the
// long-term release does not know; here the refusal becomes the answer that nothing was changed.
// All else passes as it is. Stands in the browser's place: the same arguments, and the address of
// the relay on stderr. FIREFOX names another program.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../../web/package.json', import.meta.url));
const { ws: WebSocket, wsServer: WebSocketServer } = require('playwright-core/lib/utilsBundle');

const kUnknown = 'emulation.setMediaFeaturesOverride';
const firefox = spawn(process.env['FIREFOX'] ?? '/usr/bin/firefox-esr', process.argv.slice(2), {
  stdio: ['inherit', 'inherit', 'pipe'],
});
firefox.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => firefox.kill());

/** Passes messages between Playwright and the browser at `address`. */
function relay(client, address) {
  const browser = new WebSocket(address);
  const early = [];
  const asked = new Set();
  client.on('message', (data) => {
    const message = data.toString();
    if (message.includes(kUnknown)) asked.add(JSON.parse(message).id);
    if (browser.readyState === WebSocket.OPEN) browser.send(message);
    else early.push(message);
  });
  browser.on('open', () => early.forEach((message) => browser.send(message)));
  browser.on('message', (data) => {
    const message = data.toString();
    const { id, error } = asked.size > 0 ? JSON.parse(message) : {};
    const isRefusal = asked.delete(id) && error === 'unknown command';
    client.send(isRefusal ? JSON.stringify({ type: 'success', id, result: {} }) : message);
  });
  client.on('close', () => browser.close());
  browser.on('close', () => client.close());
  browser.on('error', () => client.close());
}

let log = '';
firefox.stderr.on('data', (chunk) => {
  log += chunk.toString();
  const lines = log.split('\n');
  log = lines.pop();
  for (const line of lines) {
    const found = /WebDriver BiDi listening on (ws:\/\/\S+)$/.exec(line);
    if (!found) {
      console.error(line);
      continue;
    }
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, () =>
      console.error(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}`));
    server.on('connection', (client) => relay(client, `${found[1]}/session`));
  }
});
