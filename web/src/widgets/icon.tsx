// SPDX-License-Identifier: Apache-2.0
// Small drawings beside words; never the only sign.

const kPaths = {
  run: 'M4 2.5v11l9-5.5z',
  step: 'M2.5 3v10l6.5-5zM11 3h2.5v10H11z',
  back: 'M13.5 3v10L7 8zM5 3H2.5v10H5z',
  first: 'M2.5 3H5v10H2.5zM14 3v10L9.5 8zM9.5 3v10L5 8z',
  stop: 'M3.5 3.5h9v9h-9z',
  reset: 'M8 2.5a5.5 5.5 0 1 0 5.5 5.5h-2A3.5 3.5 0 1 1 8 4.5v2.7L12 3.6 8 0z',
  open: 'M1.5 3h4.6l1.4 1.7h7V13h-13zm1.6 3.3v5.1h9.8V6.3z',
} as const;

export function Icon({ name }: { name: keyof typeof kPaths }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width="14"
      height="14"
      aria-hidden="true"
      focusable="false"
    >
      <path d={kPaths[name]} fill="currentColor" />
    </svg>
  );
}
