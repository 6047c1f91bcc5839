// SPDX-License-Identifier: Apache-2.0
// The page around the panes: banner, panes, footer.
import { formatBytes } from '../model/format.js';
import { kPresets, usablePresets } from '../model/presets.js';
import { Fetched } from '../panes/fetched.js';
import { kPanes } from '../panes/index.js';
import { kIsEmbed, preset, showPreset } from '../state/layout.js';
import { now } from '../state/store.js';
import { dialog, type DialogName, openDialog } from '../state/dialogs.js';
import { DropHint } from './drop.js';
import { Embedded } from './embed.js';
import { panelId } from './tabs.js';
import { Welcome } from './welcome.js';
import { mainPane, Workspace } from './workspace.js';

/** A target without an entry is shown by the name that the engine has for it. */
const kTargets: Record<string, string> = {
  relaxed: 'WebAssembly, relaxed SIMD',
  simd128: 'WebAssembly, SIMD128',
};

// Which of the modules was fetched depends on the browser, and speed depends on it: so it is told.
function Engine() {
  const { runtime, wasmBytes, run } = now;
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

/** Buttons and no tabs: a preset arranges panes, it does not hold them. */
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

/** The keys of a letter are in the key sheet, since the reader may change them; Ctrl+K stays. */
const kTools: readonly [name: DialogName, text: string, testid: string, title?: string][] = [
  ['Gallery', 'Gallery', 'open-gallery'], ['Palette', 'Find…', 'open-palette', 'Ctrl+K'],
  ['Share', 'Share', 'open-share'], ['KeySheet', 'Keys', 'keys'],
];

function BannerTools() {
  return (
    <span class="banner-tools">
      {kTools.map(([name, text, testid, title]) => (
        <button
          key={name} type="button" class="small" data-testid={testid} title={title}
          aria-keyshortcuts={title && 'Control+K'} onClick={() => openDialog(name)}
        >
          {text}
        </button>
      ))}
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
      <Presets />
      <span class="tagline wide-only">neural networks on a register machine</span>
      <span class="engine">
        <Engine />
      </span>
      <BannerTools />
    </header>
  );
}

// The first stop of Tab, past the banner. Which pane it leads to changes with the preset and the
// panes that are shown.
function SkipLink() {
  const id = mainPane.value;
  const title = kPanes.find((entry) => entry.id === id)?.title ?? id;
  return <a class="skip" href={`#${panelId(id)}`}>Skip to {title.toLowerCase()}</a>;
}

/** Their code is fetched when the first is opened. */
function Dialogs() {
  const name = dialog.value;
  if (!name) return null;
  return (
    <Fetched
      key={name} what="the dialog" fetch={async () => (await import('./of-dialogs.js'))[name]}
    />
  );
}

export function App() {
  // Fixed when the page is loaded, so that the two never change into each other.
  if (kIsEmbed) return <Embedded />;
  return (
    <>
      <SkipLink />
      <Banner />
      <Welcome />
      <Workspace />
      <footer>
        Everything runs in your browser: files that you open are not sent anywhere.{' '}
        The <a href="docs/index.html" data-testid="documentation">documentation</a> says how to use
        Tern elsewhere.
      </footer>
      <Dialogs />
      <DropHint />
    </>
  );
}
