// SPDX-License-Identifier: Apache-2.0
// A row of counts as a small picture: a column for each, as high as the largest of them allows.

const kColumn = 3;
const kHeight = 16;

export interface SparklineProps {
  counts: readonly number[];
  label: string;
  /** Of the whole width, where something stands now. */
  at?: number | undefined;
}

export function Sparkline({ counts, label, at }: SparklineProps) {
  const most = Math.max(1, ...counts);
  const path = counts.map((count, i) => {
    // One of many is still to be seen.
    const height = count === 0 ? 0 : Math.max(2, Math.round((kHeight * count) / most));
    return count === 0 ? '' : `M${i * kColumn} ${kHeight}v${-height}h${kColumn}v${height}z`;
  }).join('');
  const width = counts.length * kColumn;
  return (
    <svg
      class="sparkline" viewBox={`0 0 ${width} ${kHeight}`} width={width} height={kHeight}
      role="img" aria-label={label}
    >
      <path class="ground" d={`M0 ${kHeight - 0.5}H${width}`} />
      <path d={path} />
      {at === undefined ? null : <path class="here" d={`M${at * width} 0V${kHeight}`} />}
    </svg>
  );
}
