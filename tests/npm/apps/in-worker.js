// SPDX-License-Identifier: Apache-2.0
// A worker of the consumer's own, which uses the package.
import { createRuntime } from './package/index.js';
import { classify } from './digit.js';

classify(createRuntime).then(
  (outcome) => postMessage(outcome),
  (error) => postMessage({ code: error.code, message: String(error.message) }),
);
