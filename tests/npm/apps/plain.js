// SPDX-License-Identifier: Apache-2.0
// A page without a bundler.
import { createRuntime } from './package/index.js';
import { classify, publish } from './digit.js';

publish(classify(createRuntime));
