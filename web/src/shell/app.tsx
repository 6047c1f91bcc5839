// SPDX-License-Identifier: Apache-2.0
// The page around the panes: banner, three columns or another view, footer.
import type { FunctionComponent } from 'preact';
import { formatBytes } from '../model/format.js';
import { Fetched } from '../panes/fetched.js';
import { kPanes, type PaneEntry, type Region } from '../panes/index.js';
import { session } from '../state/store.js';
import { showView, view, type ViewName } from '../state/view.js';
import { DropHint } from './drop.js';
import { KeySheet } from './key-sheet.js';
import { sheetOpen } from './shortcuts.js';

const kColumns: readonly Region[] = ['left', 'centre', 'right'];
const kTargets: Record<string, string> = {
  relaxed: 'WebAssembly, relaxed SIMD',
  simd128: 'WebAssembly, SIMD128',
};

function Engine() {
  const { runtime, wasmBytes, run } = session.value;
  if (!runtime) {
    const isStarting = run === 'loading';
    return (
      <span class="detail" data-testid="engine">
        {isStarting ? 'starting the engine…' : 'the engine did not start'}
      </span>
    );
  }
  const target = kTargets[runtime.target] ?? runtime.target;
  return (
    <span class="detail" data-testid="engine">
      {target} <span class="wide-only">· {formatBytes(wasmBytes)} · </span>
      <span class="wide-only">version {runtime.version}</span>
    </span>
  );
}

const kViews: readonly [name: ViewName, title: string, about: string][] = [
  ['machine', 'Machine', 'bytecode and registers of a model'],
  ['lanes', 'Lanes', 'vector loops at any vector length'],
];

function Views() {
  return (
    <nav class="views" aria-label="Views">
      {kViews.map(([name, title, about]) => (
        <button
          key={name} type="button" class="small" aria-pressed={view.value === name} title={about}
          data-testid={`view-${name}`} onClick={() => showView(name)}
        >
          {title}
        </button>
      ))}
    </nav>
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
      <Views />
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

function PaneOf({ title, pane: Made, fetch }: PaneEntry) {
  if (Made) return <Made />;
  return fetch ? <Fetched what={`the pane ${title}`} fetch={fetch} /> : null;
}

function MachineView() {
  return (
    <main>
      {kColumns.map((column) => (
        <div key={column} class={`column column-${column}`}>
          {kPanes
            .filter(({ region }) => region === column)
            .map((entry) => (
              <PaneOf key={entry.id} {...entry} />
            ))}
        </div>
      ))}
    </main>
  );
}

async function fetchLanes(): Promise<FunctionComponent> {
  return (await import('../panes/lanes/index.js')).LanesView;
}

export function App() {
  const isMachine = view.value === 'machine';
  return (
    <>
      <a class="skip" href={isMachine ? '#bytecode-title' : '#lanes-title'}>
        {isMachine ? 'Skip to the bytecode' : 'Skip to the lanes'}
      </a>
      <Banner />
      {isMachine ? <MachineView /> : <Fetched what="the view" fetch={fetchLanes} frame="main" />}
      <footer>Everything runs in your browser: files that you open are not sent anywhere.</footer>
      <KeySheet />
      <DropHint />
    </>
  );
}
