// SPDX-License-Identifier: Apache-2.0
// For who is here for the first time: what this is, in one line, and four ways in. It goes when it
// is closed or something has been done, and does not come back.
import { signal } from '@preact/signals';
import { drawSample } from '../state/drawings.js';
import { preset, reveal, showPreset } from '../state/layout.js';
import { step } from '../state/runs.js';
import { store, stored } from '../state/storage.js';
import { now } from '../state/store.js';

const kStorageKey = 'tern-welcomed';

/** Where the browser keeps nothing it is closed for this visit alone. */
const isClosed = signal(stored(kStorageKey) !== null);

function close(): void {
  isClosed.value = true;
  store(kStorageKey, '1');
}

const kWays: readonly [id: string, text: string, go: () => void][] = [
  ['draw', 'See a digit recognised', () => {
    reveal('draw');
    drawSample(3);
  }],
  ['step', 'Step through the machine', () => {
    reveal('bytecode');
    void step();
  }],
  ['lanes', 'Turn the length of vectors', () => showPreset('vector')],
  ['tour', 'Take the tour', () => showPreset('learn')],
];

/** These two act on the program at once; the others lead to what has its own. */
const kNeedProgram = new Set(['draw', 'step']);

export function Welcome() {
  const { steps, program } = now;
  // What is shown before the engine is there (first-look.ts) is nobody's run yet.
  const hasRun = steps > 0 && program?.executable.length !== 0;
  if (isClosed.value || preset.value !== 'debug' || hasRun) return null;
  return (
    <section class="welcome" aria-label="What this is" data-testid="welcome">
      <p>
        A neural network, compiled to the bytecode of a small machine that runs in this page: follow
        every instruction and every value.
      </p>
      <div class="ways">
        {kWays.map(([id, text, go]) => (
          <button
            key={id} type="button" class="small" data-testid={`way-${id}`}
            disabled={kNeedProgram.has(id) && !now.program}
            onClick={() => {
              close();
              go();
            }}
          >
            {text}
          </button>
        ))}
        <button type="button" class="small" data-testid="close-welcome" onClick={close}>
          Close
        </button>
      </div>
    </section>
  );
}
