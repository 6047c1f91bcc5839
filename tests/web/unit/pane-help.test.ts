// SPDX-License-Identifier: Apache-2.0
// Every pane is told about in three sentences, and leads to a section that is there.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kPaneHelp } from '../../../web/src/model/pane-help.js';
import { kPresets, panesOf } from '../../../web/src/model/presets.js';

const kIndex = readFileSync(new URL('../../../web/src/panes/index.ts', import.meta.url), 'utf8');
const kDocs = readFileSync(new URL('../../../docs/playground.md', import.meta.url), 'utf8');

test('every pane has help, and nothing else', () => {
  const ids = [...kIndex.matchAll(/\bid: '([\w-]+)'/g)].map(([, id]) => id!);
  expect(ids.length).toBeGreaterThan(25);
  expect(Object.keys(kPaneHelp).sort()).toEqual([...ids].sort());
  for (const preset of Object.values(kPresets))
    for (const id of panesOf(preset)) expect(kPaneHelp, id).toHaveProperty(id);
});

test('three different lines of one or two sentences each', () => {
  for (const [id, { lines }] of Object.entries(kPaneHelp)) {
    expect(new Set(lines).size, id).toBe(3);
    for (const line of lines) {
      expect(line, id).toMatch(/^[A-Z].*\.$/);
      expect(line.length, line).toBeLessThanOrEqual(130);
    }
  }
});

test('sections are headings of the documentation', () => {
  const anchors = [...kDocs.matchAll(/^##+ (.+)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replace(/[^\w\s-]/g, '').trim().replace(/\s+/g, '-'));
  for (const { section } of Object.values(kPaneHelp)) expect(anchors).toContain(section);
});
