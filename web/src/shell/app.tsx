// SPDX-License-Identifier: Apache-2.0
// The page around the panes: banner, panes, footer.
import { formatBytes } from '../model/format.js';
import { kPresets, usablePresets } from '../model/presets.js';
import { Fetched } from '../panes/fetched.js';
import { kPanes } from '../panes/index.js';
import { kIsEmbed, preset, showPreset } from '../state/layout.js';
import { session } from '../state/store.js';
import { galleryOpen, openPalette, paletteQuery, sheetOpen } from './dialogs.js';
import { DropHint } from './drop.js';
import { Embedded } from './embed.js';
import { Welcome } from './welcome.js';
import { mainPane, Workspace } from './workspace.js';

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

function BannerTools() {
  return (
    <span class="banner-tools">
      <button
        type="button" class="small" data-testid="open-gallery"
        onClick={() => {
          galleryOpen.value = true;
        }}
      >
        Gallery
      </button>
      <button
        type="button" class="small" data-testid="open-palette" aria-keyshortcuts="Control+K"
        title="Ctrl+K" onClick={() => openPalette()}
      >
        Find…
      </button>
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
      <span class="tagline wide-only">neural networks on a register machine, in this page</span>
      <span class="engine">
        <Engine />
      </span>
      <BannerTools />
    </header>
  );
}

function SkipLink() {
  const id = mainPane.value;
  const title = kPanes.find((entry) => entry.id === id)?.title ?? id;
  return <a class="skip" href={`#${id}-title`}>Skip to {title.toLowerCase()}</a>;
}

/** Dialogs, whose code is fetched when they are first opened. */
function Dialogs() {
  return (
    <>
      {sheetOpen.value ? <Fetched what="the list of keys" fetch={fetchKeySheet} /> : null}
      {paletteQuery.value !== undefined ? (
        <Fetched what="the palette" fetch={fetchPalette} />
      ) : null}
      {galleryOpen.value ? <Fetched what="the gallery" fetch={fetchGallery} /> : null}
    </>
  );
}

const fetchKeySheet = async () => (await import('./of-dialogs.js')).KeySheet;
const fetchPalette = async () => (await import('./of-dialogs.js')).Palette;
const fetchGallery = async () => (await import('./of-dialogs.js')).Gallery;

export function App() {
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
