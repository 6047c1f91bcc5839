// SPDX-License-Identifier: Apache-2.0
// Starts the page: paints it, then the engine, then the digit classifier.
import { render } from 'preact';
import { App } from './shell/app.js';
import { exposeAutomation } from './shell/automation.js';
import { listenForDrops } from './shell/drop.js';
import { listenForShortcuts } from './shell/shortcuts.js';
import { loadDigits } from './state/programs.js';
import { session, start } from './state/store.js';
import './style/tokens.css';
import './style/base.css';
import './style/panes.css';
import './style/layout.css';

async function begin(): Promise<void> {
  await start();
  if (session.value.runtime) await loadDigits();
}

exposeAutomation(begin());
listenForShortcuts();
listenForDrops();
render(<App />, document.getElementById('app')!);
