// SPDX-License-Identifier: Apache-2.0
// The same in one script, which a bundler makes a classic one: not every browser has modules here.
import { createRuntime } from 'tern-runtime-inline';
import { answerDigits } from './answers.js';

answerDigits(createRuntime);
