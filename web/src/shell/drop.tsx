// SPDX-License-Identifier: Apache-2.0
// What a file can be dropped as, said while one is above the page.
import { signal } from '@preact/signals';

export const hovering = signal(false);

export function DropHint() {
  if (!hovering.value) return null;
  return (
    <div class="drop-hint" aria-hidden="true">
      <p>Drop a program (.tern, .onnx, .tn, .tasm, .tloop), a .terntrace, or inputs</p>
    </div>
  );
}
