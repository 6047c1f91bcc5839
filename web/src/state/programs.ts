// SPDX-License-Identifier: Apache-2.0
// Loading programs: files of the visitor, and the digit classifier that comes with the page.
import { looksLikeLoops, sniff } from '../model/file-kind.js';
import { InputError } from '../model/inputs.js';
import { reveal } from './layout.js';
import { defaults, loadNow, type OpenedFile } from './loading.js';
import { kNoRun } from './session.js';
import { engine, guarded, session, start, update } from './store.js';
import { showView } from './view.js';

/** Compiled when the page was built (scripts/make-digits.mjs). */
const kDigits = new URL('../../made/digits.tern', import.meta.url);

/** `?src=open/model.onnx`: a file beside the page, shown in place of the digits (`tern play`). */
export const askedSource = new URLSearchParams(globalThis.location?.search ?? '').get('src');

/** Loop programs have a view of their own. */
async function openInLanes(name: string, bytes: Uint8Array): Promise<void> {
  const { openLoops } = await import('./lanes.js');
  showView('lanes');
  await openLoops(name, new TextDecoder().decode(bytes));
}

/** Texts stand in the editor, whatever is wrong with them. */
async function openText(file: OpenedFile): Promise<void> {
  const { openProgramText } = await import('./editing.js');
  await openProgramText(file);
}

/** One that was refused, to be mended. */
async function showText(file: OpenedFile): Promise<void> {
  const { showProgramText } = await import('./editing.js');
  reveal('source');
  await showProgramText(file);
}

async function open(name: string, bytes: Uint8Array): Promise<void> {
  if (looksLikeLoops(bytes, name)) return openInLanes(name, bytes);
  showView('machine');
  const kind = sniff(bytes, name).program;
  if (kind === 'language') return openText({ kind, name, bytes });
  try {
    await loadNow(name, bytes);
  } catch (error) {
    if (kind === 'assembly') await showText({ kind, name, bytes });
    throw error;
  }
}

export function load(name: string, bytes: Uint8Array): Promise<void> {
  return guarded(() => open(name, bytes));
}

export function loadFile(file: File): Promise<void> {
  return guarded(async () => open(file.name, new Uint8Array(await file.arrayBuffer())));
}

async function fetchDigits(): Promise<Uint8Array> {
  const response = await fetch(kDigits);
  if (!response.ok) throw new Error(`the digit classifier: the server said ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

export function loadDigits(fetched = fetchDigits()): Promise<void> {
  return guarded(async () => loadNow('digits.tern', await fetched));
}

/** Only of the page's own server: a link must not make a visitor's browser ask others. */
async function fetchSource(path: string): Promise<Uint8Array> {
  const url = new URL(path, document.baseURI);
  if (url.origin !== location.origin) {
    throw new InputError('E0604', `?src=${path} leads to another server`,
      'name a file beside the page, or download it and open it here');
  }
  const response = await fetch(url, { cache: 'no-store' });
  if (!response.ok) {
    throw new InputError('E0101', `?src=${path}: the server said ${response.status}`,
      'tern play FILE serves the page with a file');
  }
  return new Uint8Array(await response.arrayBuffer());
}

/** The name of the file, without folders. */
function nameOf(path: string): string {
  const last = path.split('/').pop()!;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** The engine and the first program, fetched at the same time. */
export async function begin(): Promise<void> {
  const fetched = askedSource ? fetchSource(askedSource) : fetchDigits();
  // Where the engine does not start, nobody asks for it.
  fetched.catch(() => undefined);
  await start();
  if (!session.value.runtime) return;
  if (!askedSource) return loadDigits(fetched);
  await guarded(async () => open(nameOf(askedSource), await fetched));
}

export function setFunction(name: string): Promise<void> {
  return guarded(async () => {
    const { program } = session.value;
    if (!program) return;
    await engine.request({ kind: 'reset' });
    update({ ...kNoRun, run: 'idle', problems: [], ...defaults(program, name) });
  });
}
