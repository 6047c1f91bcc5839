// SPDX-License-Identifier: Apache-2.0
// The page of in-worker.js.
import { publish } from './digit.js';

publish(
  new Promise((done, fail) => {
    const worker = new Worker(new URL('./in-worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => done(data);
    worker.onerror = (event) => fail(new Error(event.message));
  }),
);
