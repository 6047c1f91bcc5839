// SPDX-License-Identifier: Apache-2.0
// The editor as a component: what it shows is given, what is typed is told. `plain` is a text field
// in its place, for those whose tools read that better.
import type { Tokens } from '../../model/tokens.js';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Finding } from '../../model/diagnostics.js';
import type { SourceKind } from '../../model/source-kind.js';
import { Editor, type EditorServices } from './editor.js';
import type { LineMarks } from './line-marks.js';

export interface CodeEditorProps {
  label: string;
  kind: SourceKind;
  text: string;
  readOnly?: boolean;
  findings: readonly Finding[];
  tokens: Tokens;
  marks: LineMarks;
  /** A new object makes the caret go there. */
  jump: { readonly from: number; readonly to: number } | undefined;
  services: EditorServices;
  testid: string;
}

/** Keys that write are the editor's; the page has others for the same letters. */
function keepLetters(event: KeyboardEvent): void {
  const { ctrlKey, metaKey, altKey, key } = event;
  if (!ctrlKey && !metaKey && !altKey && key.length === 1) event.stopPropagation();
}

export function CodeEditor(props: CodeEditorProps) {
  const { label, kind, text, readOnly = false, findings, tokens, marks, jump, testid } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  const services = useRef(props.services);
  services.current = props.services;
  useLayoutEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    // Whoever gives the services may give others at each drawing.
    const current: EditorServices = {
      onText: (value) => services.current.onText(value),
      onCaret: (at) => services.current.onCaret(at),
      onFix: (fix) => services.current.onFix(fix),
      onWalk: (at, by) => services.current.onWalk(at, by),
      hover: (at) => services.current.hover(at),
      valueAt: (at) => services.current.valueAt(at),
      definition: (at) => services.current.definition(at),
      complete: (at) => services.current.complete(at),
      ...(props.services.onBreakpoint
        ? { onBreakpoint: (line: number) => services.current.onBreakpoint?.(line) } : {}),
    };
    editor.current = new Editor(root, { label, kind, text, readOnly, services: current });
    return () => editor.current?.dispose();
  }, [label]);
  useLayoutEffect(() => editor.current?.setText(text), [text]);
  useEffect(() => editor.current?.setKind(kind), [kind]);
  useEffect(() => editor.current?.setReadOnly(readOnly), [readOnly]);
  useEffect(() => editor.current?.setTokens(tokens), [tokens]);
  useEffect(() => {
    editor.current?.setFindings(findings);
    // What is underlined, for scripts: an editor draws only the lines that are seen.
    const ranges = editor.current?.squiggles() ?? [];
    host.current!.dataset['squiggles'] = ranges.map(({ from, to }) => `${from}-${to}`).join(' ');
  }, [findings]);
  useEffect(() => editor.current?.setMarks(marks), [marks]);
  useEffect(() => {
    if (jump) editor.current?.select(jump.from, jump.to);
  }, [jump]);
  return (
    <div ref={host} class="code-editor" data-testid={testid} onKeyDown={keepLetters} />
  );
}

export type PlainEditorProps =
  Pick<CodeEditorProps, 'label' | 'text' | 'readOnly' | 'findings' | 'jump' | 'testid'> & {
    services: Pick<EditorServices, 'onText' | 'onCaret' | 'onWalk'>;
  };

/** A text field; findings are read in the list of problems, which leads here. */
export function PlainEditor(props: PlainEditorProps) {
  const { label, text, readOnly = false, findings, jump, services, testid } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!jump || !field.current) return;
    field.current.focus();
    field.current.setSelectionRange(jump.from, jump.to);
  }, [jump]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'F8') return;
    event.preventDefault();
    services.onWalk(field.current!.selectionStart, event.shiftKey ? -1 : 1);
  };
  return (
    <textarea
      ref={field} class="plain-editor mono" data-testid={`${testid}-plain`} aria-label={label}
      spellcheck={false} autocomplete="off" autocapitalize="off" wrap="off" readOnly={readOnly}
      aria-invalid={findings.length > 0} value={text} onKeyDown={onKeyDown}
      onInput={(event) => services.onText(event.currentTarget.value)}
      onSelect={(event) => services.onCaret(event.currentTarget.selectionStart)}
    />
  );
}
