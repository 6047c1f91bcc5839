// SPDX-License-Identifier: Apache-2.0
// Handles of the core that are given back when they have been looked at.
import type { InspectedTensor } from 'tern-runtime';

/** What f tells of a tensor, which is given back then. */
export function using<T>(tensor: InspectedTensor, f: (tensor: InspectedTensor) => T): T {
  try {
    return f(tensor);
  } finally {
    tensor.dispose();
  }
}
