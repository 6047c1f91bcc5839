// SPDX-License-Identifier: Apache-2.0
// A button that opens the file dialog. The native input stays in the accessibility tree, so that
// keyboards and assistive tools use it as any other.
import { useId } from 'preact/hooks';

export interface FilePickerProps {
  label: string;
  /** Spoken instead of the label where that is too short. */
  name?: string;
  accept: string;
  testid: string;
  /** The dialog is about to open. */
  onOpen?: () => void;
  onFile: (file: File) => void;
}

export function FilePicker({ label, name, accept, testid, onOpen, onFile }: FilePickerProps) {
  const id = useId();
  return (
    <span class="file-picker">
      <input
        id={id} type="file" accept={accept} data-testid={testid} class="visually-hidden"
        aria-label={name} onClick={() => onOpen?.()}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) onFile(file);
          event.currentTarget.value = '';
        }}
      />
      <label for={id} class="button">{label}</label>
    </span>
  );
}
