// SPDX-License-Identifier: Apache-2.0
// What every pane is made of: a region with a heading, tools beside it, and a body.
import type { ComponentChildren } from 'preact';
import { openDialog } from '../state/dialogs.js';
import { kIsEmbed, pointedPane } from '../state/layout.js';

export interface PaneProps {
  id: string;
  title: string;
  /** Said behind the title. */
  note?: ComponentChildren;
  tools?: ComponentChildren;
  children?: ComponentChildren;
}

export function Pane({ id, title, note, tools, children }: PaneProps) {
  return (
    <section
      class={`pane pane-${id}`} aria-labelledby={`${id}-title`} tabIndex={-1} data-pane={id}
      data-testid={`pane-${id}`} data-pointed={pointedPane.value === id ? '' : undefined}
    >
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        {note ? <span class="note">{note}</span> : null}
        {tools ? <div class="tools">{tools}</div> : null}
        {kIsEmbed ? null : (
          <button
            type="button" class="small help" aria-label={`About ${title}`}
            onClick={() => openDialog('Help', id)}
          >
            ?
          </button>
        )}
      </header>
      <div class="body">{children}</div>
    </section>
  );
}
