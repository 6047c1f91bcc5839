// SPDX-License-Identifier: Apache-2.0
// The worker that reads programs: what is wrong with one, its layout, what an editor asks, and what
// the compiler makes of it, stage by stage. All of it is the core's.
import {
  createLoopCompiler, createRuntime, type Diagnostic, type LoopCompiler, type Runtime, TernError,
  type TokenKind,
} from 'tern-runtime';
import type {
  LanguageAnswers, LanguageReply, LanguageRequest, SourceText, Stage, StageInput,
} from './language-protocol.js';
import type { Tokens } from '../model/tokens.js';
import { onDemand } from './on-demand.js';
import type { Failure } from './protocol.js';

const kModule = new URL('../../../wasm/package/dist/tern-debug.wasm.gz', import.meta.url);

const runtime = onDemand(() => createRuntime({ language: kModule }));
const loopCompiler = onDemand(() => createLoopCompiler());

/** What stands against a text is an answer here; a module that cannot be had is none. */
function diagnosticsOf(act: () => void): Diagnostic[] {
  try {
    act();
    return [];
  } catch (error) {
    if (error instanceof TernError && error.code !== 'E0901') return [...error.diagnostics];
    throw error;
  }
}

async function check({ kind, name, text }: SourceText): Promise<Diagnostic[]> {
  if (kind === 'loops') {
    const loops = await loopCompiler();
    return diagnosticsOf(() => loops.stages(text, { sourceName: name }));
  }
  const tern = await runtime();
  return kind === 'assembly' ? tern.checkAssembly(text, name) : tern.checkSource(text, name);
}

async function tokens({ text }: SourceText): Promise<Tokens> {
  const found = (await runtime()).querySource(text, 'tokens');
  const kinds = new Map<TokenKind, number>();
  const places = new Uint32Array(3 * found.length);
  found.forEach(({ kind, begin, end }, i) => {
    const index = kinds.get(kind) ?? kinds.size;
    kinds.set(kind, index);
    places.set([begin, end, index], 3 * i);
  });
  return { kinds: [...kinds.keys()], places };
}

async function compile({ kind, name, text }: SourceText): Promise<Uint8Array<ArrayBuffer>> {
  const tern = await runtime();
  if (kind === 'assembly') return tern.assemble(text, name);
  return tern.compileSource(text, { sourceName: name }).bytes;
}

/** The compiler's passes, and the bytecode as the last one. */
async function stages({ kind, name, bytes }: StageInput): Promise<Stage[]> {
  const tern = await runtime();
  const options = { sourceName: name, printAfter: ['all'] };
  const text = (): string => new TextDecoder().decode(bytes);
  const listing = (executable: Uint8Array): Stage =>
    ({ name: 'bytecode', text: tern.text(executable, 'columns'), origins: [] });
  if (kind === 'executable') return [listing(bytes)];
  if (kind === 'assembly') return [listing(tern.assemble(text(), name))];
  const made = kind === 'language'
    ? tern.compileSource(text(), options) : tern.compile(bytes, options);
  return [...made.stages, listing(made.bytes)];
}

async function handle(request: LanguageRequest): Promise<LanguageAnswers[keyof LanguageAnswers]> {
  switch (request.kind) {
    case 'prepare': return void (await runtime());
    case 'check': return check(request.source);
    case 'tokens': return tokens(request.source);
    case 'format': return (await runtime()).formatSource(request.source.text, request.source.name);
    case 'fix': return (await runtime()).fixSource(request.source.text, request.source.name);
    case 'hover':
    case 'definition':
    case 'complete':
      return (await runtime()).querySource(request.source.text, request.kind, request.position);
    case 'compile': return compile(request.source);
    case 'stages': return stages(request.program);
    case 'list': return (await runtime()).text(request.executable, 'columns');
    case 'explain': return (await runtime()).explain(request.code);
  }
}

function describe(error: unknown): Failure {
  if (error instanceof TernError) {
    const { code, message, text, diagnostics } = error;
    return { code, message, text, diagnostics, fatal: code === 'E0901' };
  }
  const message = `the language's worker failed and was restarted: ${String(error)}`;
  return {
    code: 'E0605', message, text: `error[E0605]: ${message}\n`, diagnostics: [], fatal: true,
  };
}

async function answer(request: LanguageRequest): Promise<void> {
  const { id } = request;
  let reply: LanguageReply;
  try {
    reply = { id, ok: true, answer: await handle(request) };
  } catch (error) {
    reply = { id, ok: false, failure: describe(error) };
  }
  self.postMessage(reply);
}

/** The end of the request before. */
let tail: Promise<void> = Promise.resolve();

self.onmessage = (event: MessageEvent<LanguageRequest>) => {
  tail = tail.then(() => answer(event.data));
};
