// SPDX-License-Identifier: Apache-2.0
// The gallery: all programs and models of the page as cards, found by words and walked by arrows.
// Fetched when it is first opened (`?gallery`, the banner, the palette).
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  findInGallery, type GalleryEntry, type GalleryGroup, kGallery, kGalleryGroups, kGroupLetters,
} from '../model/gallery.js';
import { kSourceKinds } from '../model/source-kind.js';
import { openFromGallery } from '../state/examples.js';
import { prepareForTexts } from '../state/prepare.js';
import { closeDialog } from '../state/dialogs.js';
import { closeOutside, useModal } from './modal.js';
import '../style/gallery.css';

const close = (): void => closeDialog('Gallery');

function choose(entry: GalleryEntry | undefined): void {
  if (!entry) return;
  close();
  // The dialog gives the focus back first.
  setTimeout(() => void openFromGallery(entry));
}

const badgeOf = ({ kind }: GalleryEntry): string =>
  (kind === 'model' ? 'model' : kSourceKinds[kind].ending);

// One card is the tab stop of all, and arrows walk the rest: Tab would otherwise take as many
// presses as there are programs.
function Card({ entry, isStop }: { entry: GalleryEntry; isStop: boolean }) {
  const { id, title, about, look, tags, group } = entry;
  return (
    <button
      type="button" class="card" data-card={id} data-testid={`card-${id}`}
      tabIndex={isStop ? 0 : -1} aria-labelledby={`card-${id}-title`}
      aria-describedby={`card-${id}-about`} onClick={() => choose(entry)}
    >
      <span class="card-head">
        <span class={`card-badge badge-${group}`} aria-hidden="true">{kGroupLetters[group]}</span>
        <b id={`card-${id}-title`}>{title}</b> <span class="card-kind mono">{badgeOf(entry)}</span>
      </span>
      <span id={`card-${id}-about`} class="card-about">
        {about} <span class="look">{look}</span>
      </span>
      <span class="card-tags">{tags.map((tag) => <span key={tag}>{tag}</span>)}</span>
    </button>
  );
}

/** In the order of the document, which is the order of the eye, too. */
const cards = (within: HTMLElement): HTMLElement[] =>
  [...within.querySelectorAll<HTMLElement>('[data-card]')];

/** The card in the row above or below that lies nearest. */
function inNextRow(all: readonly HTMLElement[], from: HTMLElement, down: boolean) {
  const here = from.getBoundingClientRect();
  const rows = all
    .map((card) => ({ card, box: card.getBoundingClientRect() }))
    // Places of layout are fractions, so that a row is told by a pixel of tolerance.
    .filter(({ box }) => (down ? box.top > here.top + 1 : box.top < here.top - 1));
  const tops = rows.map(({ box }) => box.top);
  const top = down ? Math.min(...tops) : Math.max(...tops);
  return rows
    .filter(({ box }) => Math.abs(box.top - top) <= 1)
    .sort((a, b) => Math.abs(a.box.left - here.left) - Math.abs(b.box.left - here.left))[0]?.card;
}

// How many cards a row has depends on the window, so that up and down are found by where cards lie.
function cardAt(key: string, all: readonly HTMLElement[], now: HTMLElement) {
  const at = all.indexOf(now);
  switch (key) {
    case 'ArrowRight': return all[at + 1];
    case 'ArrowLeft': return all[at - 1];
    case 'ArrowDown': return inNextRow(all, now, true);
    case 'ArrowUp': return inNextRow(all, now, false);
    case 'Home': return all[0];
    case 'End': return all.at(-1);
    default: return undefined;
  }
}

const kMoves = /^Arrow|^Home$|^End$/;

function Cards({ found, active, onActive }: {
  found: readonly GalleryEntry[]; active: string; onActive: (id: string) => void;
}) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const now = (event.target as HTMLElement).closest<HTMLElement>('[data-card]');
    if (!now || !kMoves.test(event.key)) return;
    event.preventDefault();
    const next = cardAt(event.key, cards(event.currentTarget as HTMLElement), now);
    if (next) next.focus();
    // Above the first row is the field, from which ArrowDown came.
    else if (event.key === 'ArrowUp') document.getElementById('gallery-field')?.focus();
  };
  // A group in which nothing was found has no heading either.
  const groups = (Object.keys(kGalleryGroups) as GalleryGroup[])
    .map((group) => ({ group, entries: found.filter((entry) => entry.group === group) }))
    .filter(({ entries }) => entries.length > 0);
  return (
    <div
      class="cards" onKeyDown={onKeyDown}
      onFocusCapture={(event) =>
        onActive((event.target as HTMLElement).dataset['card'] ?? active)}
    >
      {groups.map(({ group, entries }) => (
        <section key={group} aria-labelledby={`gallery-${group}`}>
          <h3 id={`gallery-${group}`}>{kGalleryGroups[group]}</h3>
          <div class="card-grid">
            {entries.map((entry) => (
              <Card key={entry.id} entry={entry} isStop={entry.id === active} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function Body() {
  const [query, setQuery] = useState('');
  const [wanted, setWanted] = useState('');
  const body = useRef<HTMLDivElement>(null);
  const found = findInGallery(query);
  // A search may leave out the card that had the tab stop; the first one has it then.
  const active = found.some(({ id }) => id === wanted) ? wanted : (found[0]?.id ?? '');
  const onKeyDown = (event: KeyboardEvent): void => {
    // Without a query Enter would open whichever program comes first, which nobody asked for.
    if (event.key === 'Enter' && query.trim()) choose(found[0]);
    else if (event.key === 'ArrowDown' && body.current) cards(body.current)[0]?.focus();
    else return;
    event.preventDefault();
  };
  const count = found.length === kGallery.length ? `${found.length} to choose from`
    : `${found.length} of ${kGallery.length}`;
  return (
    <div class="gallery-body" ref={body}>
      <div class="gallery-head">
        <h2 id="gallery-title">Gallery</h2>
        <input
          id="gallery-field" type="search" data-testid="gallery-field" autofocus value={query}
          aria-label="Find in the gallery" placeholder="image, sampling, recursion, masks…"
          autocomplete="off" spellcheck={false} onKeyDown={onKeyDown}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <span class="detail" role="status" data-testid="gallery-count">{count}</span>
        <form method="dialog">
          <button class="small" data-testid="close-gallery">Close</button>
        </form>
      </div>
      {found.length > 0 ? <Cards found={found} active={active} onActive={setWanted} />
        : <p class="hint">Nothing here has all of these words.</p>}
    </div>
  );
}

export function Gallery() {
  const dialog = useModal();
  useEffect(prepareForTexts, []);
  return (
    <dialog
      ref={dialog} class="gallery" aria-labelledby="gallery-title" data-testid="gallery"
      onClose={close}
      onClick={closeOutside}
    >
      <Body />
    </dialog>
  );
}
