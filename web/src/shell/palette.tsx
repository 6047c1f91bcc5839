// SPDX-License-Identifier: Apache-2.0
// The palette (Ctrl+K): commands, panes, examples, functions, and any step or instruction by its
// number. A combobox with a list; fetched when it is first opened.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { kGallery } from '../model/gallery.js';
import { findEntries, type PaletteEntry, placesIn } from '../model/palette.js';
import { commands, keyOf } from '../state/commands.js';
import { openFromGallery } from '../state/examples.js';
import { reveal } from '../state/layout.js';
import { setFunction } from '../state/loading.js';
import { seek } from '../state/runs.js';
import { pin } from '../state/selection.js';
import { now } from '../state/store.js';
import { closeDialog, dialogSubject } from '../state/dialogs.js';
import { closeOutside, useModal } from './modal.js';
import '../style/palette.css';

/** PaletteEntry is what is searched and shown; what an entry does is known here alone. */
interface Entry extends PaletteEntry {
  readonly run: () => void;
}

function commandEntries(): Entry[] {
  return commands.value
    // The palette does not list itself, nor what cannot be done now.
    .filter(({ id, when }) => id !== 'palette' && (when?.() ?? true))
    .map((command) => {
      const { id, title, group, run } = command;
      return { id, title, group, run, key: keyOf(command) };
    });
}

/** The one model has a command of its own, `digits`. */
function exampleEntries(): Entry[] {
  return kGallery.filter(({ kind }) => kind !== 'model').map((entry) => ({
    id: `example-${entry.id}`, group: 'Open',
    title: `${entry.kind === 'loops' ? 'Loop' : 'Program'} ${entry.title}`,
    run: () => void openFromGallery(entry),
  }));
}

function functionEntries(): Entry[] {
  const { program, functionName } = now;
  return (program?.info.functions ?? [])
    .filter(({ name }) => name !== functionName)
    .map(({ name }) => ({
      id: `function-${name}`, title: `Function @${name}`, group: 'Go to',
      run: () => void setFunction(name),
    }));
}

// Numbers lead to steps and instructions, even where no word of a command is typed. Those that the
// run or the program does not have are not offered.
function placeEntries(query: string): Entry[] {
  const { trace, program } = now;
  const count = program?.info.instructions.length ?? 0;
  return placesIn(query).flatMap(({ kind, at }): Entry[] => {
    if (kind === 'step') {
      if (!trace || at > trace.end) return [];
      return [{
        id: `step-${at}`, title: `Step ${at}`, group: 'Go to', run: () => void seek(at),
      }];
    }
    return at < count ? [{
      id: `pc-${at}`, title: `Instruction ${at}`, group: 'Go to',
      run: () => {
        reveal('bytecode');
        pin({ kind: 'pc', pc: at });
      },
    }] : [];
  });
}

const close = (): void => closeDialog('Palette');

function choose(entry: Entry | undefined): void {
  if (!entry) return;
  close();
  // The dialog gives the focus back first.
  setTimeout(entry.run);
}

/** Where a key leads to in the list; nothing for keys of the text field. */
function moved(key: string, at: number, count: number): number | undefined {
  const moves: Record<string, number> = {
    ArrowDown: (at + 1) % count, ArrowUp: (at + count - 1) % count,
    PageDown: Math.min(at + 10, count - 1), PageUp: Math.max(at - 10, 0),
  };
  return count > 0 ? moves[key] : undefined;
}

// The focus stays in the field: aria-activedescendant says which option is meant, so that typing
// can go on at any time.
function Option({ entry, index, active, count }: {
  entry: Entry; index: number; active: boolean; count: number;
}) {
  const line = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (active) line.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <li
      ref={line} role="option" id={`palette-${index}`} aria-selected={active}
      aria-setsize={count} aria-posinset={index + 1} data-entry={entry.id}
      onMouseDown={(event) => event.preventDefault()} onClick={() => choose(entry)}
    >
      <span class="detail">{entry.group}</span>
      <span>{entry.title}</span>
      {entry.key ? <kbd>{entry.key}</kbd> : null}
    </li>
  );
}

// Options are drawn as they come into sight: a letter changes most of what is found, and drawing
// all of it anew would be felt. More than the list is high, or it could not be scrolled to the next
// ones: see palette.css.
const kDrawnAtOnce = 30;

/** How many options there are in the page, and what is told when their list scrolls. */
function useDrawn(active: number, query: string, found: number) {
  const [scrolled, setScrolled] = useState({ query, count: 0 });
  const before = scrolled.query === query ? scrolled.count : 0;
  const count = Math.max(before, active + 1) + kDrawnAtOnce;
  const list = useRef<HTMLUListElement>(null);
  // What is found for another text begins at its top, not as far down as the list was scrolled.
  useLayoutEffect(() => list.current?.scrollTo({ top: 0 }), [query]);
  const onScroll = (): void => {
    const { scrollHeight, scrollTop, clientHeight } = list.current!;
    const isNearEnd = scrollHeight - scrollTop - clientHeight < clientHeight / 2;
    if (isNearEnd && count < found) setScrolled({ query, count });
  };
  return { count, list, onScroll };
}

function Body() {
  // The command that opens it may begin the text: "step " for Go to.
  const [query, setQuery] = useState(dialogSubject);
  const [at, setAt] = useState(0);
  const all = [...commandEntries(), ...functionEntries(), ...exampleEntries()];
  // Places first: who types a number wants it and not a command with that digit.
  const found = [...placeEntries(query), ...findEntries(all, query)];
  // The list may have become shorter under the cursor; -1 where it is empty.
  const active = Math.min(at, found.length - 1);
  const drawn = useDrawn(active, query, found.length);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(event.key, active, found.length);
    if (next !== undefined) setAt(next);
    else if (event.key === 'Enter') choose(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        type="text" role="combobox" class="palette-field" data-testid="palette-field" autofocus
        aria-label="Find a command, a pane, an example, a function or a step" aria-expanded="true"
        aria-controls="palette-list" aria-autocomplete="list" autocomplete="off" spellcheck={false}
        aria-activedescendant={found.length > 0 ? `palette-${active}` : undefined}
        placeholder="Command, pane, example, function, step 12, pc 7…" value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul
        ref={drawn.list} id="palette-list" role="listbox" aria-label="Found" tabIndex={-1}
        onScroll={drawn.onScroll}
      >
        {found.slice(0, drawn.count).map((entry, i) => (
          <Option
            key={entry.id} entry={entry} index={i} active={i === active} count={found.length}
          />
        ))}
      </ul>
      <p class="hint" role="status">
        {found.length === 0 ? 'Nothing is called that.' : ''}
      </p>
    </>
  );
}

export function Palette() {
  const dialog = useModal();
  return (
    <dialog
      ref={dialog} class="palette" aria-label="Palette" data-testid="palette" onClose={close}
      onClick={closeOutside}
    >
      <Body />
    </dialog>
  );
}
