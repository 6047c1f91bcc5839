// SPDX-License-Identifier: Apache-2.0
// The same of a consumer whose bundler finds the package's files by itself.
import { createRuntime } from 'tern-runtime/threads';
import { publish } from './digit.js';
import { classifyByThreads } from './threads-digit.js';

publish(classifyByThreads(createRuntime));
