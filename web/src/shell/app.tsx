// SPDX-License-Identifier: Apache-2.0
// The page around the panes: banner, three columns, footer.
import { formatBytes } from '../model/format.js';
import { type Column, kPanes } from '../panes/index.js';
import { session } from '../state/store.js';
import { DropHint } from './drop.js';
import { KeySheet } from './key-sheet.js';
import { sheetOpen } from './shortcuts.js';

const kColumns: readonly Column[] = ['left', 'centre', 'right'];
const kTargets: Record<string, string> = {
  relaxed: 'WebAssembly, relaxed SIMD',
  simd128: 'WebAssembly, SIMD128',
};

function Engine() {
  const { runtime, wasmBytes } = session.value;
  if (!runtime) return <span class="detail">starting the engine…</span>;
  const target = kTargets[runtime.target] ?? runtime.target;
  return (
    <span class="detail" data-testid="engine">
      {target} <span class="wide-only">· {formatBytes(wasmBytes)} · </span>
      <span class="wide-only">version {runtime.version}</span>
    </span>
  );
}

function Banner() {
  return (
    <header class="banner">
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" focusable="false">
        <path
          d="M2 19c8-1 10-9 15-12 1 4 0 7-2 10 5-1 9-5 15-6-4 7-11 11-19 12-3 1-6 0-9-4z"
          fill="currentColor"
        />
      </svg>
      <h1>Tern playground</h1>
      <span class="tagline wide-only">neural networks on a register machine, in this page</span>
      <span class="engine">
        <Engine />
      </span>
      <button
        type="button"
        class="small"
        data-testid="keys"
        onClick={() => {
          sheetOpen.value = true;
        }}
      >
        Keys
      </button>
    </header>
  );
}

export function App() {
  return (
    <>
      <a class="skip" href="#bytecode-title">
        Skip to the bytecode
      </a>
      <Banner />
      <main>
        {kColumns.map((column) => (
          <div key={column} class={`column column-${column}`}>
            {kPanes
              .filter((entry) => entry.column === column)
              .map(({ pane: PaneOf }, i) => (
                <PaneOf key={i} />
              ))}
          </div>
        ))}
      </main>
      <footer>Everything runs in your browser: files that you open are not sent anywhere.</footer>
      <KeySheet />
      <DropHint />
    </>
  );
}
