// SPDX-License-Identifier: Apache-2.0
// What a service worker does with the package: it answers for the network.
import { classify } from './digit.js';

/** Has no worker of its own to offer, and says so. */
async function refusal(createRuntime) {
  const failed = await createRuntime({ worker: true }).catch((error) => error);
  return { code: failed.code, help: failed.help?.join() };
}

async function answer(createRuntime) {
  const outcome = await classify(createRuntime);
  return { ...outcome, refused: await refusal(createRuntime) };
}

export function answerDigits(createRuntime) {
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => {
    if (!new URL(event.request.url).pathname.endsWith('/digit')) return;
    event.respondWith(answer(createRuntime).then(
      (outcome) => Response.json(outcome),
      (error) => Response.json({ code: error.code, message: String(error.message ?? error) }),
    ));
  });
}
