// SPDX-License-Identifier: Apache-2.0
// Opens the programs that come with the page.
import { kProgramExamples } from '../model/program-examples.js';
import { kSourceKinds } from '../model/source-kind.js';
import { guarded } from './store.js';

export function openProgramExample(id: string): Promise<void> {
  return guarded(async () => {
    const example = kProgramExamples.find((each) => each.id === id);
    if (!example) return;
    const [{ exampleText }, { openProgramText }] =
      await Promise.all([import('../model/program-texts.js'), import('./editing.js')]);
    const name = `${id}${kSourceKinds[example.kind].ending}`;
    const bytes = new TextEncoder().encode(exampleText(name) ?? '');
    const kind = example.kind === 'assembly' ? 'assembly' : 'language';
    await openProgramText({ kind, name, bytes }, id);
  });
}
