// SPDX-License-Identifier: Apache-2.0
// Which memory of an answer goes over to the page instead of being copied: that of tensors and
// pictures that were made for it. What a run has returned stays with the record, which tells it
// again.
import { isTensor } from 'tern-runtime';
import type { Answer } from './protocol.js';

function ofPart(part: unknown, found: Set<ArrayBuffer>): void {
  if (ArrayBuffer.isView(part)) {
    if (part.buffer instanceof ArrayBuffer) found.add(part.buffer);
  } else if (isTensor(part)) {
    ofPart(part.data, found);
  } else if (Array.isArray(part)) {
    for (const each of part) ofPart(each, found);
  } else if (part instanceof Map) {
    for (const entry of part) ofPart(entry, found);
  }
}

export function handedOver(answer: Answer): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  if (answer.kind === 'value') ofPart(answer.value, found);
  if (answer.kind === 'called') ofPart(Object.values(answer.outputs), found);
  if (answer.kind === 'tensor') {
    const { facts } = answer;
    if (facts?.ask === 'window') ofPart(facts.tensor, found);
    if (facts?.ask === 'picture') ofPart(Object.values(facts.picture), found);
  }
  return [...found];
}
