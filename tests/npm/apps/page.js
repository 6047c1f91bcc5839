// SPDX-License-Identifier: Apache-2.0
// The page of a consumer whose bundler finds the package's files by itself.
import { createRuntime } from 'tern-runtime';
import { classify, publish } from './digit.js';

publish(classify(createRuntime));
