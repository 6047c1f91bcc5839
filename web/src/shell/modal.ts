// SPDX-License-Identifier: Apache-2.0
// Dialogs above the page: open as long as they are there.
import { type RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal();
  }, []);
  return dialog;
}

/** For dialogs that a click beside them closes. */
export function closeOutside(event: MouseEvent): void {
  const { target, currentTarget } = event;
  if (target === currentTarget) (currentTarget as HTMLDialogElement).close();
}
