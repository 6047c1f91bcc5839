// SPDX-License-Identifier: Apache-2.0
// The page of a consumer that takes everything in one script.
import { createRuntime } from 'tern-runtime-inline';
import { classify, publish } from './digit.js';

publish(classify(createRuntime));
