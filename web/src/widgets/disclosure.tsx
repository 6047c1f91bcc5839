// SPDX-License-Identifier: Apache-2.0
// A <details> whose content is made only while it is open.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export interface DisclosureProps {
  summary: ComponentChildren;
  testid?: string;
  children: () => ComponentChildren;
}

export function Disclosure({ summary, testid, children }: DisclosureProps) {
  const [open, setOpen] = useState(false);
  return (
    <details
      open={open}
      data-testid={testid}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{summary}</summary>
      {open ? children() : null}
    </details>
  );
}
