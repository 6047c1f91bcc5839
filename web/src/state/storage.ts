// SPDX-License-Identifier: Apache-2.0
// What the page keeps in the visitor's browser. Where that is closed or full, it lasts as long as
// the page.
export function stored(key: string): string | null {
  try {
    return globalThis.localStorage?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

export function store(key: string, text: string): void {
  try {
    globalThis.localStorage?.setItem(key, text);
  } catch {
    // As above.
  }
}
