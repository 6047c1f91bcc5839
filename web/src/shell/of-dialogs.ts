// SPDX-License-Identifier: Apache-2.0
// The dialogs are one chunk: each is small, and whoever opens one is likely to open another.
export { Gallery } from './gallery.js';
export { Help } from './help.js';
export { KeySheet } from './key-sheet.js';
export { Palette } from './palette.js';
export { Share } from './share.js';
