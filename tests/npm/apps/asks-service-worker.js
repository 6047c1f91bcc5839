// SPDX-License-Identifier: Apache-2.0
// The page of a service worker, whose script and kind stand in the page's address.
import { publish } from './digit.js';

async function main() {
  const { searchParams } = new URL(location.href);
  const { serviceWorker } = navigator;
  const claimed = new Promise((done) => {
    serviceWorker.addEventListener('controllerchange', done, { once: true });
  });
  await serviceWorker.register(searchParams.get('script'), { type: searchParams.get('type') });
  await claimed;
  return (await fetch('digit')).json();
}

publish(main());
