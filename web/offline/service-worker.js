// SPDX-License-Identifier: Apache-2.0
// Keeps the page for visits without a network. The build puts in the list of its files, whose names
// change with their contents, and a number of the whole; vite.config.ts says how.
const kCache = 'tern-__VERSION__';
const kFiles = __FILES__;

/** What engines without relaxed SIMD need is kept when one of them fetches it. */
const isForAll = (file) => !file.includes('tern-simd');

self.addEventListener('install', (event) => {
  const keep = async () => {
    const cache = await caches.open(kCache);
    await cache.addAll(['./', ...kFiles.filter(isForAll)]);
    await self.skipWaiting();
  };
  event.waitUntil(keep());
});

self.addEventListener('activate', (event) => {
  const tidy = async () => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith('tern-') && name !== kCache);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});

/** The page itself is asked of the network first: a new version is seen at once. */
async function page(request) {
  const cache = await caches.open(kCache);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put('./', response.clone());
    return response;
  } catch {
    return (await cache.match('./')) ?? Response.error();
  }
}

/** A file of the build is for ever what its name says. */
async function file(request, name) {
  const cache = await caches.open(kCache);
  const kept = await cache.match(request, { ignoreVary: true });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok && kFiles.includes(name)) await cache.put(request, response.clone());
  return response;
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const base = new URL('./', self.location.href).pathname;
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate' && [base, `${base}index.html`].includes(pathname)) {
    event.respondWith(page(request));
  } else if (kFiles.includes(pathname.slice(base.length))) {
    event.respondWith(file(request, pathname.slice(base.length)));
  }
});
