// SPDX-License-Identifier: Apache-2.0
// <tern-playground src="life" pane="registers" step="12">: one pane of the page in any other page.
// src is a name of the gallery. docs/playground.md tells of the attributes.
const kAttributes = ['src', 'pane', 'vscale', 'n', 'step', 'name'];

/** Attribute → field of the page's address. */
const kFields = [['src', 'ex'], ['vscale', 'vs'], ['n', 'n'], ['step', 'step']];

const sheet = new CSSStyleSheet();
sheet.replaceSync(
  ':host { display: block } iframe { display: block; width: 100%; height: 420px; border: 0 }');

class TernPlayground extends HTMLElement {
  static observedAttributes = kAttributes;
  #frame;
  #onMessage = (event) => this.#resize(event);

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

  /** The page inside says how high it is. */
  #resize({ source, data }) {
    if (source !== this.#frame.contentWindow || data?.tern !== 1) return;
    const { height } = data;
    if (Number.isFinite(height) && height > 0) this.#frame.style.height = `${Math.ceil(height)}px`;
  }
}

customElements.define('tern-playground', TernPlayground);
