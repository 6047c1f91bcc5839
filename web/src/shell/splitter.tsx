// SPDX-License-Identifier: Apache-2.0
// The border between two regions (WAI-ARIA window splitter): dragged, or moved by arrows, PgUp,
// PgDn, Home and End; a double click or Enter brings it back to where it was at first.
import { kPresets, type Split } from '../model/presets.js';
import { clampSplit, kSplits, mostOf, splitAfterKey, startOf } from '../model/splits.js';
import { preset, setSize, sizes } from '../state/layout.js';

const isAcross = (split: Split): boolean => split === 'bottom';

const extentFor = (split: Split): number =>
  isAcross(split) ? window.innerHeight : window.innerWidth;

/** As it is shown: a kept size may be too large for a window that has become smaller. */
export function lengthOf(split: Split): number {
  const length = sizes.value[split] ?? startOf(split, kPresets[preset.value]);
  return clampSplit(split, length, extentFor(split));
}

function drag(split: Split, event: PointerEvent & { currentTarget: HTMLElement }): void {
  if (event.button !== 0) return;
  event.preventDefault();
  const handle = event.currentTarget;
  handle.focus();
  // Moves come here even where the pointer is over a frame or has left the window.
  handle.setPointerCapture(event.pointerId);
  const place = ({ clientX, clientY }: PointerEvent): number =>
    // Sizes are those of the left, right and bottom regions, so that two of them grow against the
    // axis.
    isAcross(split) ? -clientY : split === 'left' ? clientX : -clientX;
  const start = lengthOf(split) - place(event);
  const move = (to: PointerEvent): void =>
    setSize(split, clampSplit(split, start + place(to), extentFor(split)));
  handle.addEventListener('pointermove', move);
  handle.addEventListener('lostpointercapture', () =>
    handle.removeEventListener('pointermove', move), { once: true });
}

export function Splitter({ split }: { split: Split }) {
  const length = lengthOf(split);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const next = splitAfterKey(split, event.key, length, extentFor(split));
    if (next === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    setSize(split, next);
  };
  return (
    <div
      class={`splitter splitter-${split}`} role="separator" tabIndex={0}
      data-testid={`splitter-${split}`} aria-label={kSplits[split].label}
      aria-orientation={isAcross(split) ? 'horizontal' : 'vertical'} aria-valuenow={length}
      aria-valuemin={kSplits[split].least} aria-valuemax={mostOf(split, extentFor(split))}
      aria-valuetext={`${length} pixels`} onKeyDown={onKeyDown}
      onPointerDown={(event) => drag(split, event)} onDblClick={() => setSize(split, undefined)}
    />
  );
}
