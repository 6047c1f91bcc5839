// SPDX-License-Identifier: Apache-2.0
// The look of the editor, in the page's colours (style/tokens.css): custom properties reach into
// its shadow root.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const kHighlight = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--green)' },
  { tag: tags.number, color: 'var(--warm)' },
  // Words that matter most are told by weight too, and not by colour alone.
  { tag: tags.keyword, color: 'var(--violet)', fontWeight: '600' },
  { tag: tags.operator, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.function(tags.variableName), tags.constant(tags.variableName)],
    color: 'var(--accent)' },
]);

const kTheme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)', fontSize: '0.93rem', lineHeight: '1.55', overflow: 'auto',
  },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-cursor': { borderInlineStartColor: 'var(--text)' },
  '.cm-line': { padding: '0 12px 0 6px' },
  '.cm-gutters': {
    color: 'var(--muted)', backgroundColor: 'var(--raised)',
    borderInlineEnd: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--raised)' },
  // The library's own rule for a focused selection weighs more than any class.
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    background: 'var(--accent-soft) !important',
  },
  '.cm-tooltip': {
    color: 'var(--text)', backgroundColor: 'var(--surface)', maxWidth: '34rem',
    border: '1px solid var(--line-strong)', borderRadius: '6px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--accent-text)', backgroundColor: 'var(--accent)',
  },
  '.cm-hover-text': { padding: '6px 10px', fontFamily: 'var(--mono)' },
  '.cm-hover-note': { padding: '0 10px 6px', color: 'var(--muted)' },
  '.cm-diagnostic': { padding: '6px 10px' },
  '.cm-diagnostic-error': { borderInlineStart: '3px solid var(--danger)' },
  '.cm-diagnostic-warning': { borderInlineStart: '3px solid var(--warm)' },
  // A target of 24 pixels is the least that a finger or a shaky hand meets.
  '.cm-diagnosticAction': {
    font: 'inherit', color: 'var(--accent-text)', backgroundColor: 'var(--accent)',
    borderRadius: '4px', padding: '3px 9px', minHeight: '24px',
  },
  '.cm-lintRange': { backgroundImage: 'none', paddingBottom: '1px' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--danger)' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--warm)' },
  '.cm-lintRange-info': { textDecoration: 'underline dotted var(--line-strong)' },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--danger)' },
  '.cm-lintRange-active': { backgroundColor: 'var(--danger-soft)' },
  '.cm-now': { backgroundColor: 'var(--accent-soft)', boxShadow: 'inset 3px 0 var(--accent)' },
  '.cm-linked': { backgroundColor: 'var(--warm-soft)', boxShadow: 'inset 3px 0 var(--warm)' },
  '.cm-break-gutter .cm-gutterElement': { width: '20px', cursor: 'pointer', textAlign: 'center' },
  '.cm-break-dot': { color: 'var(--danger)', fontWeight: '700' },
  '.cm-hit-gutter .cm-gutterElement': {
    minWidth: '2.2em', padding: '0 4px', textAlign: 'right', fontSize: '0.85em',
  },
  '.cm-heat-1': { background: 'color-mix(in srgb, var(--warm-soft) 30%, transparent)' },
  '.cm-heat-2': { background: 'color-mix(in srgb, var(--warm-soft) 65%, transparent)' },
  '.cm-heat-3': { background: 'var(--warm-soft)' },
  '.cm-heat-4': { background: 'color-mix(in srgb, var(--warm) 24%, var(--warm-soft))' },
  '.cm-heat-5': { background: 'color-mix(in srgb, var(--warm) 42%, var(--warm-soft))',
    color: 'var(--text)' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--raised)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warm-soft)', outline: '1px solid var(--warm)' },
  // What the compiler says of words (tokens.ts) goes before the grammar's guess.
  '.tok-keyword': { color: 'var(--violet)', fontWeight: '600' },
  '.tok-function': { color: 'var(--accent)' },
  '.tok-constructor': { color: 'var(--accent)', fontWeight: '600' },
  '.tok-type, .tok-dimension': { color: 'var(--warm)' },
  '.tok-operator': { color: 'var(--muted)' },
  // Where the system chooses the colours, backgrounds are gone: outlines tell the lines.
  '@media (forced-colors: active)': {
    '.cm-now': { outline: '2px solid Highlight' },
    '.cm-linked': { outline: '1px dashed Highlight' },
  },
});

export const kLook: Extension = [kTheme, syntaxHighlighting(kHighlight)];
