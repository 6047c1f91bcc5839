// SPDX-License-Identifier: Apache-2.0
// A page without a bundler whose kernels run on two threads, where it may share memory.
import { createRuntime } from './package/threads.js';
import { publish } from './digit.js';
import { classifyByThreads } from './threads-digit.js';

// Of one file this server has nothing but a page of HTML.
const lost = (file) =>
  new URL(file === 'threads-kernels.js' ? '/nothing.js' : `./package/${file}`, import.meta.url);
const options = location.pathname.startsWith('/lost-threads/') ? { assets: lost } : {};

publish(classifyByThreads(createRuntime, options));
