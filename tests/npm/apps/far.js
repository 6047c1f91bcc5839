// SPDX-License-Identifier: Apache-2.0
// A page that takes the package from another origin, as from a delivery network.
import { classify, publish } from './digit.js';

const { createRuntime } = await import(new URL(location.href).searchParams.get('from'));
publish(classify(createRuntime));
