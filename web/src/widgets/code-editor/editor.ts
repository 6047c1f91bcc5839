// SPDX-License-Identifier: Apache-2.0
// One editor: CodeMirror with the services of the core. It lives in a shadow root, where its styles
// are constructed sheets, which a strict content security policy allows.
import {
  defaultKeymap, history, historyKeymap, indentLess, indentMore,
} from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { type Action, type Diagnostic as Squiggle, forEachDiagnostic, setDiagnostics }
  from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, type KeyBinding,
  lineNumbers, type Tooltip,
} from '@codemirror/view';
import type { Completion, Definition, DiagnosticFix, Hover } from 'tern-runtime';
import type { Tokens } from '../../model/tokens.js';
import type { Finding } from '../../model/diagnostics.js';
import type { SourceKind } from '../../model/source-kind.js';
import { grammarOf } from './grammars.js';
import { type LineMarks, lineMarks, setMarks } from './line-marks.js';
import { kLook } from './theme.js';
import { setTokens, tokenField } from './tokens.js';

/** What the editor asks and tells; positions are offsets in the text. */
export interface EditorServices {
  onText: (text: string) => void;
  onCaret: (position: number) => void;
  onFix: (fix: DiagnosticFix) => void;
  /** Without it there is no gutter for breakpoints. */
  onBreakpoint?: (line: number) => void;
  onWalk: (position: number, by: 1 | -1) => void;
  hover: (position: number) => Promise<Hover | null | undefined>;
  /** A line for the tooltip beside what the core says, such as a register and its value. */
  valueAt: (position: number) => string | undefined;
  definition: (position: number) => Promise<Definition | null | undefined>;
  complete: (position: number) => Promise<readonly Completion[]>;
}

export interface EditorOptions {
  label: string;
  kind: SourceKind;
  text: string;
  readOnly: boolean;
  services: EditorServices;
}

/**
 * A letter over a selection of several lines. Where the browser joined them itself, it would write
 * styles into them, which the content security policy forbids and the console tells.
 */
function replaceLines(event: InputEvent, view: EditorView): boolean {
  const { doc, selection } = view.state;
  const { from, to } = selection.main;
  const isPlain = event.inputType === 'insertText' && event.data && !view.composing;
  if (!isPlain || doc.lineAt(from).number === doc.lineAt(to).number) return false;
  view.dispatch(view.state.replaceSelection(event.data), {
    userEvent: 'input.type', scrollIntoView: true,
  });
  return true;
}

const kCompletionTypes: Readonly<Record<string, string>> = {
  function: 'function', operator: 'function', constructor: 'enum', type: 'type',
  variable: 'variable', parameter: 'variable', keyword: 'keyword', dimension: 'constant',
};

function squigglesOf(
  findings: readonly Finding[], length: number, onFix: EditorServices['onFix'],
): Squiggle[] {
  // Findings may be of a text that was longer a moment ago.
  return findings.filter(({ to }) => to <= length).map(({ from, to, diagnostic, labels }) => {
    const { severity, code, message, notes = [], help = [], fixes = [] } = diagnostic;
    const related = labels.map(({ text }) => text);
    const rows = [...related, ...notes, ...help.map((row) => `help: ${row}`)];
    const actions = fixes.map((fix): Action => ({ name: fix.title, apply: () => onFix(fix) }));
    return {
      from, to, severity: severity === 'error' || severity === 'warning' ? severity : 'info',
      message: [`${code}: ${message}`, ...rows].join('\n'), source: '', actions,
    };
  });
}

function tooltipOf({ begin, end, text, note }: Hover, value: string | undefined): Tooltip {
  return {
    pos: begin, end, above: true,
    create: () => {
      const dom = document.createElement('div');
      const add = (name: string, words: string): void => {
        const row = document.createElement('div');
        row.className = name;
        row.textContent = words;
        dom.append(row);
      };
      add('cm-hover-text', text);
      for (const words of [note, value]) if (words) add('cm-hover-note', words);
      return { dom };
    },
  };
}

/** Completion is fetched with the first letter or Ctrl+Space. */
async function completion({ complete }: EditorServices): Promise<Extension> {
  const { autocompletion, completionKeymap } = await import('@codemirror/autocomplete');
  return [
    autocompletion({
      override: [async (context) => {
        const word = context.matchBefore(/\w*/);
        if (!context.explicit && (!word || word.from === word.to)) return null;
        const options = (await complete(context.pos)).map(({ label, kind, detail }) =>
          ({ label, detail, type: kCompletionTypes[kind] ?? 'text' }));
        return { from: word?.from ?? context.pos, options, validFor: /^\w*$/ };
      }],
    }),
    keymap.of(completionKeymap),
  ];
}

async function searching(): Promise<Extension> {
  const { search, searchKeymap } = await import('@codemirror/search');
  return [search({ top: true }), keymap.of(searchKeymap)];
}

export class Editor {
  readonly view: EditorView;
  private readonly grammar = new Compartment();
  private readonly readOnly = new Compartment();
  private readonly later = new Compartment();
  private isWriting = false;
  private isFetched = false;

  constructor(parent: ShadowRoot, private readonly options: EditorOptions) {
    const { text, kind, readOnly } = options;
    this.view = new EditorView({
      parent, root: parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          this.extensions(), this.grammar.of(grammarOf(kind)),
          this.readOnly.of(EditorState.readOnly.of(readOnly)), this.later.of([]),
        ],
      }),
    });
  }

  dispose(): void {
    this.view.destroy();
  }

  setKind(kind: SourceKind): void {
    this.view.dispatch({ effects: this.grammar.reconfigure(grammarOf(kind)) });
  }

  setReadOnly(on: boolean): void {
    this.view.dispatch({ effects: this.readOnly.reconfigure(EditorState.readOnly.of(on)) });
  }

  /** Replaces what differs, so that the caret stays where it is. */
  setText(text: string): void {
    const { doc } = this.view.state;
    const old = doc.toString();
    if (old === text) return;
    let from = 0;
    const shorter = Math.min(old.length, text.length);
    while (from < shorter && old[from] === text[from]) from++;
    let tail = 0;
    while (tail < shorter - from && old[old.length - 1 - tail] === text[text.length - 1 - tail])
      tail++;
    // What the page writes is no news for it.
    this.isWriting = true;
    const insert = text.slice(from, text.length - tail);
    this.view.dispatch({ changes: { from, to: old.length - tail, insert } });
    this.isWriting = false;
  }

  setFindings(findings: readonly Finding[]): void {
    const { state } = this.view;
    const squiggles = squigglesOf(findings, state.doc.length, this.options.services.onFix);
    this.view.dispatch(setDiagnostics(state, squiggles));
  }

  setTokens(tokens: Tokens): void {
    this.view.dispatch({ effects: setTokens.of(tokens) });
  }

  setMarks(marks: LineMarks): void {
    this.view.dispatch({ effects: setMarks.of(marks) });
  }

  /** What is underlined, as the view has it. */
  squiggles(): { from: number; to: number }[] {
    const found: { from: number; to: number }[] = [];
    forEachDiagnostic(this.view.state, (_, from, to) => found.push({ from, to }));
    return found;
  }

  select(from: number, to: number): void {
    // Places come from results, which may be of an older text.
    const last = this.view.state.doc.length;
    const selection = { anchor: Math.min(from, last), head: Math.min(to, last) };
    this.view.dispatch({
      selection, effects: EditorView.scrollIntoView(selection.anchor, { y: 'center' }),
    });
    this.view.focus();
  }

  private extensions(): Extension {
    const { label, services } = this.options;
    return [
      lineNumbers(), lineMarks(services.onBreakpoint), history(), drawSelection(),
      highlightActiveLine(), bracketMatching(), indentOnInput(), indentUnit.of('  '),
      tokenField, kLook, keymap.of([...this.keys(), ...defaultKeymap, ...historyKeymap]),
      EditorView.contentAttributes.of({
        // The scroller around it counts as reachable by keyboard with this alone.
        'aria-label': label, 'data-testid': 'editor-text', tabindex: '0',
      }),
      EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
        if (docChanged && !this.isWriting) services.onText(state.doc.toString());
        // Search and completion come with the first use: the page opens without them.
        if (docChanged && !this.isFetched) void this.fetchRest();
        if (docChanged || selectionSet) services.onCaret(state.selection.main.head);
      }),
      EditorView.domEventHandlers({
        focus: () => void this.fetchRest(),
        beforeinput: replaceLines,
      }),
      hoverTooltip(async (view, position) => {
        const found = await services.hover(position);
        const value = services.valueAt(position);
        if (found && found.end <= view.state.doc.length) return tooltipOf(found, value);
        return null;
      }),
    ];
  }

  /** Tab is never bound: it moves the focus on. */
  private keys(): KeyBinding[] {
    const { services } = this.options;
    const caret = (): number => this.view.state.selection.main.head;
    // From where the selection begins: a finding that is selected is not the one before it.
    const walk = (by: 1 | -1) => (): boolean => {
      services.onWalk(this.view.state.selection.main.from, by);
      return true;
    };
    return [
      { key: 'F8', run: walk(1), shift: walk(-1) },
      { key: 'Mod-]', run: indentMore },
      { key: 'Mod-[', run: indentLess },
      { key: 'F12', run: () => {
        void this.goToDefinition(caret());
        return true;
      } },
    ];
  }

  private async goToDefinition(position: number): Promise<void> {
    const { services } = this.options;
    const found = await services.definition(position);
    // What comes with the language lies in a file that is not open.
    if (found && found.file === 'program.tn') this.select(found.begin, found.end);
  }

  private async fetchRest(): Promise<void> {
    if (this.isFetched) return;
    this.isFetched = true;
    try {
      const parts = await Promise.all([completion(this.options.services), searching()]);
      this.view.dispatch({ effects: this.later.reconfigure(parts) });
    } catch {
      this.isFetched = false; // tried again with the next letter
    }
  }
}
