// SPDX-License-Identifier: Apache-2.0
// A part of the page as a picture of its own: its drawings and words where they stand, in the
// colours that they have on the screen. The same state gives the same bytes.
import { saveFile } from './save-file.js';

const kSvg = 'http://www.w3.org/2000/svg';
/** What style sheets give an element of a drawing. */
const kStyles = [
  'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin',
  'opacity', 'display', 'font-family', 'font-size', 'font-weight', 'text-anchor',
];
/** Around what is drawn, in CSS pixels. */
const kMargin = 8;
/** Dots of a PNG for each of the screen. */
const kDensity = 2;

type Attributes = Record<string, string | number>;

const rounded = (length: number): number => Math.round(length * 10) / 10;

function make(name: string, attributes: Attributes, ...children: Node[]): SVGElement {
  const element = document.createElementNS(kSvg, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** A copy that looks the same without the style sheets. */
function standalone(element: Element): Element {
  const copy = element.cloneNode(false) as Element;
  for (const { name } of [...copy.attributes])
    if (/^(?:class|role|tabindex|on.*|aria-.*|data-.*)$/.test(name)) copy.removeAttribute(name);
  const style = getComputedStyle(element);
  for (const name of kStyles)
    copy.setAttribute(name, style.getPropertyValue(name).replace(/"(#[\w-]+)"/, '$1'));
  for (const child of element.childNodes)
    copy.append(child instanceof Element ? standalone(child) : child.cloneNode());
  return copy;
}

interface Placed {
  node: Element;
  right: number;
  bottom: number;
}

function placedDrawing(drawing: Element, origin: DOMRect): Placed | undefined {
  const { left, top, width, height } = drawing.getBoundingClientRect();
  if (width <= 1 || height <= 1) return undefined;
  const node = standalone(drawing);
  const [x, y] = [rounded(left - origin.left), rounded(top - origin.top)];
  for (const [name, value] of Object.entries({ x, y, width, height }))
    node.setAttribute(name, String(rounded(value)));
  return { node, right: x + width, bottom: y + height };
}

/** The words of a text, joined where they stand in one line. */
function placedLines(text: Text, origin: DOMRect): Placed[] {
  const range = document.createRange();
  const lines: { words: string[]; box: DOMRect; right: number }[] = [];
  for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const box = range.getBoundingClientRect();
    if (box.width <= 1) continue; // not to be seen
    const line = lines.at(-1);
    if (line && Math.abs(line.box.top - box.top) < 1) line.words.push(word);
    else lines.push({ words: [word], box, right: box.right });
    lines.at(-1)!.right = box.right;
  }
  const { color, fontFamily, fontSize, fontWeight } = getComputedStyle(text.parentElement!);
  return lines.map(({ words, box, right }) => ({
    node: make('text', {
      x: rounded(box.left - origin.left), y: rounded(box.top - origin.top + box.height * 0.78),
      fill: color, 'font-family': fontFamily, 'font-size': fontSize, 'font-weight': fontWeight,
    }, document.createTextNode(words.join(' '))),
    right: right - origin.left, bottom: box.bottom - origin.top,
  }));
}

function partsOf(root: Element): Placed[] {
  const origin = root.getBoundingClientRect();
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const parts: Placed[] = [];
  for (const drawing of root.matches('svg') ? [root] : root.querySelectorAll('svg')) {
    const placed = placedDrawing(drawing, origin);
    if (placed) parts.push(placed);
  }
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    const isDrawn = text.parentElement?.closest('svg, .visually-hidden');
    if (!isDrawn) parts.push(...placedLines(text, origin));
  }
  return parts;
}

/** Patterns that the parts name by their address in this page. */
function patternsOf(parts: readonly Placed[]): Element[] {
  const names = new Set(parts.flatMap(({ node }) =>
    [...node.outerHTML.matchAll(/url\(#([\w-]+)\)/g)].map(([, name]) => name!)));
  return [...names].sort().flatMap((name) => {
    const pattern = document.getElementById(name);
    return pattern ? [standalone(pattern)] : [];
  });
}

function backgroundOf(element: Element | null): string {
  if (!element) return '#fff';
  const { backgroundColor } = getComputedStyle(element);
  return /^rgba\(.* 0\)$|^transparent$/.test(backgroundColor)
    ? backgroundOf(element.parentElement) : backgroundColor;
}

interface Picture {
  text: string;
  width: number;
  height: number;
}

/** `about`: what it shows, and at which state. */
export function pictureOf(root: Element, title: string, about: string): Picture {
  const parts = partsOf(root);
  const extent = (ends: number[]): number => Math.ceil(Math.max(1, ...ends)) + 2 * kMargin;
  const width = extent(parts.map(({ right }) => right));
  const height = extent(parts.map(({ bottom }) => bottom));
  const viewBox = `${-kMargin} ${-kMargin} ${width} ${height}`;
  const picture = make('svg', { width, height, viewBox },
    make('title', {}, document.createTextNode(title)),
    make('desc', {}, document.createTextNode(about)),
    make('defs', {}, ...patternsOf(parts)),
    make('rect', { x: -kMargin, y: -kMargin, width, height, fill: backgroundOf(root) }),
    ...parts.map(({ node }) => node));
  return { text: new XMLSerializer().serializeToString(picture), width, height };
}

async function pngOf({ text, width, height }: Picture): Promise<Uint8Array<ArrayBuffer>> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width * kDensity;
  canvas.height = height * kDensity;
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done));
  return new Uint8Array(blob ? await blob.arrayBuffer() : new ArrayBuffer(0));
}

export interface SavePictureProps {
  /** Of the file, without its ending. */
  name: string;
  title: string;
  about: string;
  /** What of the section around the buttons is drawn. */
  selector: string;
}

export function SavePicture({ name, title, about, selector }: SavePictureProps) {
  const save = async (button: Element, ending: 'svg' | 'png'): Promise<void> => {
    const root = button.closest('section')?.querySelector(selector);
    if (!root) return;
    const picture = pictureOf(root, title, about);
    const bytes = ending === 'png' ? await pngOf(picture) : new TextEncoder().encode(picture.text);
    saveFile(`${name}.${ending}`, bytes);
  };
  return (
    <span class="buttons" role="group" aria-label={`Save ${title} as a picture`}>
      {(['svg', 'png'] as const).map((ending) => (
        <button
          key={ending} type="button" class="small" data-testid={`${ending}-${name}`}
          onClick={({ currentTarget }) => void save(currentTarget, ending)}
        >
          {ending.toUpperCase()}
        </button>
      ))}
    </span>
  );
}
