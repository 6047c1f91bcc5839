// SPDX-License-Identifier: Apache-2.0
// The texts of the page's programs, by file name, without the line about their licence.
import { kGenerated } from './generated-programs.js';

const kFiles: Record<string, string> =
  import.meta.glob('../../examples/*.{tn,tasm}', { query: '?raw', import: 'default', eager: true });

export function exampleText(fileName: string): string | undefined {
  const text = kFiles[`../../examples/${fileName}`];
  return text?.replace(/^(?:\/\/|;) SPDX-[^\n]*\n/, '') ?? kGenerated[fileName]?.();
}
