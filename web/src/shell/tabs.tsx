// SPDX-License-Identifier: Apache-2.0
// Tabs (WAI-ARIA): one tab stop, arrows pick the one beside it, Home and End the first and last.
import { useRef } from 'preact/hooks';

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly badge: string | undefined;
}

interface TabsProps {
  tabs: readonly Tab[];
  active: string;
  label: string;
  class: string;
  onPick: (id: string) => void;
}

/** Where a key leads to in so many tabs; nothing for keys that are none of theirs. */
export function tabAfterKey(key: string, at: number, count: number): number | undefined {
  const moves: Record<string, number> = {
    ArrowRight: (at + 1) % count, ArrowLeft: (at + count - 1) % count, Home: 0, End: count - 1,
  };
  return moves[key];
}

export const panelId = (id: string): string => `panel-${id}`;
export const tabId = (id: string): string => `tab-${id}`;

export function Tabs({ tabs, active, label, class: className, onPick }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ id }) => id === active);
    const next = tabAfterKey(event.key, at, tabs.length);
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    onPick(tabs[next]!.id);
    // The focus follows the choice, so that the next arrow goes on from there.
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div ref={list} class={className} role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ id, title, badge }) => (
        <button
          key={id} type="button" role="tab" id={tabId(id)} data-testid={tabId(id)}
          aria-selected={id === active} tabIndex={id === active ? 0 : -1}
          aria-controls={id === active ? panelId(id) : undefined} onClick={() => onPick(id)}
        >
          {title}
          {badge ? <span class="badge">{badge}</span> : null}
        </button>
      ))}
    </div>
  );
}
