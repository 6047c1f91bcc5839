// SPDX-License-Identifier: Apache-2.0
// The page inside of another one (`?embed`): one pane, the controls of a run, and a link to the
// whole page with what is shown. The page around it is told how high this one is, and may drive it.
import { guarded } from '../state/store.js';
import { currentAddress } from '../state/view.js';
import { Workspace } from './workspace.js';

function tellHeight(): void {
  const app = document.getElementById('app')!;
  const tell = (): void =>
    window.parent.postMessage({ tern: 1, height: app.getBoundingClientRect().height }, '*');
  new ResizeObserver(tell).observe(app);
}

export function beginEmbed(): void {
  document.body.classList.add('embed');
  // Opened by itself there is nobody to be told.
  if (window.parent === window) return;
  tellHeight();
  void guarded(async () => {
    const { listenForMessages } = await import('./commands.js');
    await listenForMessages();
  });
}

export function Embedded() {
  return (
    <>
      <header class="visually-hidden"><h1>Tern playground</h1></header>
      <Workspace />
      <footer>
        <a
          href={`${location.pathname}${currentAddress.value}`} target="_blank" rel="noopener"
          data-testid="open-playground"
        >
          Open in the playground
        </a>
      </footer>
    </>
  );
}
