// SPDX-License-Identifier: Apache-2.0
// <tern-playground src="life" pane="registers" step="12">: one pane of the page in any other page.
// src is a name of the gallery. Scripts drive it: run(), step(), state() and others, which send
// messages to the frame. docs/playground.md tells of the attributes, methods, events and messages.
const kAttributes = ['src', 'pane', 'vscale', 'n', 'step', 'name'];

/** Attribute → field of the page's address. */
const kFields = [['src', 'ex'], ['vscale', 'vs'], ['n', 'n'], ['step', 'step']];

const kOrigin = new URL(import.meta.url).origin;

/** What the frame answers a command with that it could not do. */
export class TernPlaygroundError extends Error {
  constructor({ code, message }, result) {
    super(message);
    this.name = 'TernPlaygroundError';
    this.code = code;
    /** Where the run stands; nothing where the command was not understood. */
    this.result = result;
  }
}

const goneError = (message) => new TernPlaygroundError({ code: 'gone', message });

const sheet = new CSSStyleSheet();
sheet.replaceSync(
  ':host { display: block } iframe { display: block; width: 100%; height: 420px; border: 0 }');

class TernPlayground extends HTMLElement {
  static observedAttributes = kAttributes;
  #frame;
  #onMessage = (event) => this.#hear(event);
  #isReady = false;
  #nextId = 1;
  /** Commands without an answer: those of a frame that is not ready have not been sent. */
  #waiting = new Map();

  connectedCallback() {
    if (!this.#frame) {
      const root = this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [sheet];
      this.#frame = document.createElement('iframe');
      // The page fetches its own workers and modules, which an opaque origin could not.
      this.#frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-popups');
      this.#frame.loading = 'lazy';
      root.append(this.#frame);
    }
    addEventListener('message', this.#onMessage);
    this.#show();
  }

  disconnectedCallback() {
    removeEventListener('message', this.#onMessage);
    this.#isReady = false;
    this.#giveUp('the element is in no page');
  }

  /** A program: { example } of the gallery, { text } or { bytes }, the last two with a { name }. */
  load(program) {
    return this.#ask('load', program);
  }

  run() {
    return this.#ask('run');
  }

  stop() {
    return this.#ask('stop');
  }

  reset() {
    return this.#ask('reset');
  }

  step(count = 1) {
    return this.#ask('step', { count });
  }

  stepBack(count = 1) {
    return this.#ask('back', { count });
  }

  seek(step) {
    return this.#ask('seek', { step });
  }

  setVscale(vscale) {
    return this.#ask('vscale', { vscale });
  }

  setSize(n) {
    return this.#ask('size', { n });
  }

  state() {
    return this.#ask('state');
  }

  #ask(cmd, fields = {}) {
    if (!this.isConnected) return Promise.reject(goneError('the element is in no page'));
    // What is out of sight is loaded all the same once it is driven.
    this.#frame.loading = 'eager';
    return new Promise((resolve, reject) => {
      const message = { ...fields, tern: 1, id: this.#nextId++, cmd };
      this.#waiting.set(message.id, { message, resolve, reject });
      if (this.#isReady) this.#send(message);
    });
  }

  #send(message) {
    this.#frame.contentWindow.postMessage(message, kOrigin);
  }

  #giveUp(why) {
    for (const { reject } of this.#waiting.values()) reject(goneError(why));
    this.#waiting.clear();
  }

  attributeChangedCallback() {
    if (this.#frame && this.isConnected) this.#show();
  }

  #show() {
    const pane = this.getAttribute('pane') ?? '';
    const isOfLoops = /^(?:lanes|counters|sweep|footprint|loop|loop-stages)$/.test(pane);
    const fields = new URLSearchParams({ v: '1', view: isOfLoops ? 'lanes' : 'machine' });
    for (const [attribute, field] of kFields) {
      const value = this.getAttribute(attribute);
      if (value) fields.set(field, value);
    }
    const url = new URL('./', import.meta.url);
    url.search = String(new URLSearchParams({ embed: '1', ...(pane && { pane }) }));
    url.hash = String(fields);
    this.#frame.title = this.getAttribute('name') ?? `Tern playground: ${pane || 'bytecode'}`;
    if (this.#frame.src !== url.href) this.#frame.src = url.href;
  }

  #hear({ source, origin, data }) {
    if (source !== this.#frame.contentWindow || origin !== kOrigin || data?.tern !== 1) return;
    const { id, event, height } = data;
    if (event === 'ready') this.#begin();
    else if (event === 'state') this.#tell('tern-state', data.state);
    else if (id !== undefined) this.#settle(data);
    else this.#resize(height);
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** The frame listens, for the first time or after it showed another page. */
  #begin() {
    if (this.#isReady) this.#giveUp('the frame was loaded anew');
    this.#isReady = true;
    for (const { message } of this.#waiting.values()) this.#send(message);
    this.#tell('tern-ready');
  }

  #settle({ id, ok, result, error }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (ok) waiting?.resolve(result);
    else waiting?.reject(new TernPlaygroundError(error, result));
  }

  /** The page inside says how high it is. */
  #resize(height) {
    if (Number.isFinite(height) && height > 0) this.#frame.style.height = `${Math.ceil(height)}px`;
  }
}

customElements.define('tern-playground', TernPlayground);
