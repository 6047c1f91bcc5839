// SPDX-License-Identifier: Apache-2.0
// Starts the page: paints it, then the engine, then the digit classifier.
import { render } from 'preact';
import { firstDigits, firstModule } from './first-fetch.js';
import { beginAtAddress } from './shell/address.js';
import { App } from './shell/app.js';
import { exposeAutomation } from './shell/automation.js';
import { beginEmbed } from './shell/embed.js';
import { listenForShortcuts } from './shell/shortcuts.js';
import { keepForOffline, prepareBeforeFirstStep } from './shell/start.js';
import { begin } from './state/programs.js';
import { kIsEmbed } from './state/layout.js';
import { arrival } from './state/store.js';
import './style/tokens.css';
import './style/base.css';
import './style/panes.css';
import './style/layout.css';
import './style/timeline.css';

arrival.module = firstModule;
arrival.digits = firstDigits;
const ready = begin().then(beginAtAddress);
exposeAutomation(ready);
prepareBeforeFirstStep(ready);
keepForOffline(ready);
listenForShortcuts();
if (kIsEmbed) beginEmbed();
render(<App />, document.getElementById('app')!);
