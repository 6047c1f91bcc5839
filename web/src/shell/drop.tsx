// SPDX-License-Identifier: Apache-2.0
// Files dropped anywhere on the page. The picker in the Program pane does the same by keyboard.
import { signal } from '@preact/signals';
import { loadFile } from '../state/programs.js';

const hovering = signal(false);

const hasFiles = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes('Files') ?? false;

export function listenForDrops(): void {
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    hovering.value = true;
  });
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) hovering.value = false;
  });
  document.addEventListener('drop', (event) => {
    hovering.value = false;
    const file = event.dataTransfer?.files[0];
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (file) void loadFile(file);
  });
}

export function DropHint() {
  if (!hovering.value) return null;
  return (
    <div class="drop-hint" aria-hidden="true">
      <p>Drop a .tern, .onnx, .tn, .tasm or .tloop file</p>
    </div>
  );
}
