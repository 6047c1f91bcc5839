// SPDX-License-Identifier: Apache-2.0
// A service worker that answers requests for `digit` with what the models say.
import { createRuntime } from './package/index.js';
import { answerDigits } from './answers.js';

answerDigits(createRuntime);
