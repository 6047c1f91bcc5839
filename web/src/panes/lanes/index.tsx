// SPDX-License-Identifier: Apache-2.0
// The panes of vector loops, fetched when one of them is first shown.
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { drawFirst, lanesNow } from '../../state/lanes.js';
import '../../style/lanes.css';
import { CountersPane as Counters, LanesPane as Lanes } from './lanes-pane.js';
import { LoopPane as Loop } from './loop-pane.js';
import { FootprintPane as Footprint } from './footprint-pane.js';
import { StagesPane as Stages } from './stages-pane.js';
import { SweepPane as Sweep } from './sweep-pane.js';

let isAsked = false;

/** Whichever pane comes first asks for the first picture. */
function withPicture(Pane: FunctionComponent): FunctionComponent {
  return function WithPicture() {
    useEffect(() => {
      if (!isAsked && !lanesNow.picture) void drawFirst();
      isAsked = true;
    }, []);
    return <Pane />;
  };
}

export const CountersPane = withPicture(Counters);
export const LanesPane = withPicture(Lanes);
export const LoopPane = withPicture(Loop);
export const FootprintPane = withPicture(Footprint);
export const StagesPane = withPicture(Stages);
export const SweepPane = withPicture(Sweep);
