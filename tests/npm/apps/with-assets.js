// SPDX-License-Identifier: Apache-2.0
// The page of a consumer that copies the package's files itself.
import { createRuntime } from 'tern-runtime';
import { classify, publish } from './digit.js';

publish(classify(createRuntime, { assets: new URL('./tern/', location.href) }));
