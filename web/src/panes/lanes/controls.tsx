// SPDX-License-Identifier: Apache-2.0
// How long vectors are, and how many elements there are.
import { isLegal, kLegalVScales, kMaxSize, kMaxVScale, nextLegal } from '../../model/lanes.js';
import { lanesNow, setSize, setVscale } from '../../state/lanes.js';

/** Arrows go to what processors have; with Shift, one by one. */
function onKey(event: KeyboardEvent): void {
  const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
  // Keys with Ctrl, Meta or Alt are the browser's.
  if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  // Otherwise the slider would go one step itself, which no processor may have.
  event.preventDefault();
  const { vscale } = lanesNow;
  void setVscale(event.shiftKey ? vscale + by : nextLegal(vscale, by > 0 ? 1 : -1));
}

/** Vectors of each: 128, 256, 512 and 2048 bits. The last one is as far as SVE goes. */
const kPresets: readonly [vscale: number, name: string][] = [
  [1, 'Neoverse V2'], [2, 'Neoverse V1'], [4, 'A64FX'], [16, 'the longest'],
];

// A range takes any whole number, so that lengths can be tried that no processor has. Ticks and
// presets mark those that exist.
function VScale() {
  const { vscale } = lanesNow;
  // The page's vectors are SVE's: vscale counts pieces of 128 bits.
  const bits = vscale * 128;
  return (
    <div class="vscale">
      <label for="vscale">
        <b>vscale</b>
      </label>
      <input
        id="vscale" type="range" min="1" max={kMaxVScale} step="1" value={vscale}
        data-testid="vscale" aria-valuetext={`${vscale}: vectors of ${bits} bits`}
        list="vscale-legal" onKeyDown={onKey}
        onInput={(event) => void setVscale(Number(event.currentTarget.value))}
      />
      <datalist id="vscale-legal">
        {kLegalVScales.map((legal) => <option key={legal} value={legal} />)}
      </datalist>
      <output class="vscale-value" for="vscale" data-testid="vscale-value">
        <b>{vscale}</b> <span class="detail">× 128 = {bits} bits</span>
      </output>
      {isLegal(vscale) ? null : (
        <span class="what-if" data-testid="what-if" title="SVE has powers of two">what if</span>
      )}
    </div>
  );
}

/** n may be 0: a loop without iterations has to leave its buffers alone, too. */
export function Controls() {
  const { n, vscale } = lanesNow;
  return (
    <div class="lane-controls">
      <VScale />
      <div class="presets" role="group" aria-label="Processors">
        {kPresets.map(([legal, name]) => (
          <button
            key={legal} type="button" class="small" aria-pressed={vscale === legal}
            data-testid={`vscale-${legal}`} onClick={() => void setVscale(legal)}
          >
            {name}
          </button>
        ))}
      </div>
      <label class="size">
        <b>n</b>
        <input
          type="number" min="0" max={kMaxSize} value={n} data-testid="loop-n"
          aria-label="n, the number of elements"
          onInput={(event) => void setSize(Number(event.currentTarget.value))}
        />
      </label>
    </div>
  );
}
