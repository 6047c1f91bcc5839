// SPDX-License-Identifier: Apache-2.0
// The palettes by the arithmetic of WCAG 2: axe leaves open what lies over pictures and hatches, so
// every pair that the page may show is held here.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const kTokens =
  readFileSync(new URL('../../../web/src/style/tokens.css', import.meta.url), 'utf8');

/** Names and colours of the rule behind a heading. */
function palette(heading: RegExp): Map<string, string> {
  const rule = heading.exec(kTokens)![1]!;
  return new Map([...rule.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) =>
    [name!, colour!]));
}

const kPalettes = {
  light: palette(/^:root \{([^}]*)\}/m),
  dark: palette(/prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/),
};

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

test('black and white are as far apart as they can be, and a colour is not from itself', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#ffffff', '#000000')).toBeCloseTo(21);
  expect(contrast('#566472', '#566472')).toBe(1);
});

const kGrounds = ['ground', 'surface', 'raised'];
const kSoft = ['accent-soft', 'warm-soft', 'danger-soft'];
const kTexts = ['text', 'muted', 'accent', 'warm', 'danger', 'green', 'violet'];

type Pair = readonly [text: string, ground: string, least: number];

const kPairs: readonly Pair[] = [
  ...kTexts.flatMap((text) => kGrounds.map((ground): Pair => [text, ground, 4.5])),
  ...kSoft.flatMap((ground) => ['text', 'muted'].map((text): Pair => [text, ground, 4.5])),
  ['accent', 'accent-soft', 4.5], ['warm', 'warm-soft', 4.5], ['danger', 'danger-soft', 4.5],
  ['accent-text', 'accent', 4.5],
  // Edges of controls, and lines that are all there is to see of something.
  ...kGrounds.map((ground): Pair => ['line-strong', ground, 3]),
];

for (const [name, colours] of Object.entries(kPalettes)) {
  describe(`the ${name} palette`, () => {
    test('has every colour', () => expect(colours.size).toBe(16));
    for (const [text, ground, least] of kPairs) {
      test(`${text} on ${ground}`, () => expect(contrast(colours.get(text)!, colours.get(ground)!))
        .toBeGreaterThanOrEqual(least));
    }
  });
}
