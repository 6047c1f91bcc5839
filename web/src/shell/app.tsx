// SPDX-License-Identifier: Apache-2.0
// The page around the panes: banner, panes, footer.
import { formatBytes } from '../model/format.js';
import { kPresets, usablePresets } from '../model/presets.js';
import { kPanes } from '../panes/index.js';
import { preset, showPreset } from '../state/layout.js';
import { session } from '../state/store.js';
import { DropHint } from './drop.js';
import { KeySheet } from './key-sheet.js';
import { sheetOpen } from './shortcuts.js';
import { Workspace } from './workspace.js';

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

function Presets() {
  return (
    <nav class="presets-bar" aria-label="Arrangements of panes">
      {usablePresets(kPanes).map((name) => (
        <button
          key={name} type="button" class="small" aria-pressed={preset.value === name}
          title={kPresets[name].about} data-testid={`preset-${name}`}
          onClick={() => showPreset(name)}
        >
          {kPresets[name].title}
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
      <Presets />
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

/** The pane that the preset is for. */
function SkipLink() {
  const { main } = kPresets[preset.value];
  const title = kPanes.find(({ id }) => id === main)?.title ?? main;
  return <a class="skip" href={`#${main}-title`}>Skip to {title.toLowerCase()}</a>;
}

export function App() {
  return (
    <>
      <SkipLink />
      <Banner />
      <Workspace />
      <footer>Everything runs in your browser: files that you open are not sent anywhere.</footer>
      <KeySheet />
      <DropHint />
    </>
  );
}
