// SPDX-License-Identifier: Apache-2.0
// What belongs to what is highlighted: one index over source, nodes, stages and instructions, made
// when something is highlighted for the first time.
import { computed, signal } from '@preact/signals';
import type { Stage } from '../engine/language-protocol.js';
import { buildLinks, kNoIndex, kNoLinks, listingStage } from '../model/links.js';
import { highlighted } from './selection.js';
import { session } from './store.js';

/** Of the program, as far as they were asked for. */
export const linkedStages = signal<readonly Stage[]>([]);

/** The stage that is the instructions themselves. */
const kListing = 'bytecode';

const program = computed(() => session.value.program);

export const linkIndex = computed(() => {
  const instructions = program.value?.info.instructions;
  if (!instructions) return kNoIndex;
  const stages = linkedStages.value.map((stage) => (stage.name === kListing
    ? listingStage(stage.name, stage.text, instructions) : stage));
  return buildLinks(instructions, stages);
});

export const links = computed(() =>
  (highlighted.value ? linkIndex.value.of(highlighted.value) : kNoLinks));
