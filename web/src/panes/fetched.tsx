// SPDX-License-Identifier: Apache-2.0
// A component whose code is fetched when it is first shown; a fetch that failed is tried again by a
// button. It counts as work under way, so that tests wait for it.
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { guarded } from '../state/store.js';

interface FetchedProps {
  /** Said while it is fetched: "the view". */
  what: string;
  fetch: () => Promise<FunctionComponent>;
  /** The element around the message; the component itself stands alone. */
  frame?: 'div' | 'main';
}

export function Fetched({ what, fetch, frame: Frame = 'div' }: FetchedProps) {
  const [made, setMade] = useState<{ Part: FunctionComponent } | undefined>();
  const [failed, setFailed] = useState(false);
  const start = (): void => {
    setFailed(false);
    void guarded(async () => setMade({ Part: await fetch() }), () => setFailed(true));
  };
  useEffect(start, []);
  if (made) return <made.Part />;
  return (
    <Frame>
      <p class="hint" role="status">
        {failed ? `The code of ${what} could not be fetched. ` : `Fetching ${what}…`}
        {failed ? <button type="button" onClick={start}>Try again</button> : null}
      </p>
    </Frame>
  );
}
