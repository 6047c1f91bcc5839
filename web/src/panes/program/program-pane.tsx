// SPDX-License-Identifier: Apache-2.0
// What is loaded: file, functions, constants, primitives, sections; and the ways to load another.
import { formatBytes, formatCount, formatMilliseconds } from '../../model/format.js';
import { signatureOf } from '../../model/instructions.js';
import { constantRows, type ListingRow, primitiveRows, sectionRows } from '../../model/listing.js';
import { loadFile } from '../../state/files.js';
import { setFunction } from '../../state/loading.js';
import { prepareForTexts } from '../../state/prepare.js';
import { begin, loadDigits } from '../../state/programs.js';
import { savedState } from '../../state/page-state.js';
import { guarded, now } from '../../state/store.js';
import { Disclosure } from '../../widgets/disclosure.js';
import { FilePicker } from '../../widgets/file-picker.js';
import { saveFile } from '../../widgets/save-file.js';
import { Pane } from '../pane.js';

// "model.onnx" is saved as "model.tern".
const baseOf = (name: string): string => name.replace(/\.\w+$/, '');

function saveState(): Promise<void> {
  return guarded(async () => {
    const name = baseOf(now.program?.name ?? 'tern');
    // All that the address has no room for (docs/playground.md).
    saveFile(`${name}.ternplay`, await savedState());
  });
}

// How it was made ready: an executable is run as it is.
const kKinds = {
  executable: 'executable',
  onnx: 'ONNX, compiled here',
  assembly: 'assembly, assembled here',
  language: 'program, compiled here',
};

function Functions() {
  const { program, functionName } = now;
  return (
    <fieldset class="functions" data-testid="functions">
      <legend>Functions</legend>
      {program?.info.functions.map((f) => (
        <label key={f.name} class="function">
          <input
            type="radio"
            name="function"
            checked={f.name === functionName}
            onChange={() => setFunction(f.name)}
          />
          <span>
            <code>@{f.name}</code> <span class="detail signature">{signatureOf(f)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Made when it is opened: a model may have thousands of constants. */
function Listing({ title, rows, testid }: { title: string; rows: ListingRow[]; testid: string }) {
  const summary = (
    <>
      {title} <span class="count">{rows.length}</span>
    </>
  );
  return (
    <Disclosure summary={summary} testid={testid}>
      {() => (
        <div class="scroll" tabIndex={0} role="group" aria-label={title}>
          <table class="listing">
            <tbody>
              {rows.map(({ name, detail, size }, i) => (
                <tr key={i}>
                  <th scope="row">{name}</th>
                  <td>{detail}</td>
                  <td class="number">{size}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Disclosure>
  );
}

function Tools() {
  return (
    <>
      <FilePicker
        label="Open…"
        name="Open a program or an input"
        accept=".tern,.onnx,.tn,.tasm,.tloop,.terntrace,.ternplay,.npy,.npz,image/*,audio/*"
        testid="open-file"
        onOpen={prepareForTexts}
        onFile={loadFile}
      />
      <button type="button" onClick={() => loadDigits()} data-testid="load-digits">
        Digits
      </button>
    </>
  );
}

function Loaded() {
  const { program } = now;
  if (!program) return null;
  const { info, executable, name } = program;
  // Also of what was compiled here: then no compiler is needed to run it.
  const saveAs = `${baseOf(name)}.tern`;
  return (
    <>
      <p class="facts" data-testid="program-facts">
        {kKinds[program.fileKind]} · {formatBytes(program.fileBytes)} ·{' '}
        {formatCount(info.instructions.length, 'instruction')} · ready in{' '}
        {formatMilliseconds(program.milliseconds)}
      </p>
      <Functions />
      <Listing title="Constants" testid="constants" rows={constantRows(info)} />
      <Listing title="Primitives" testid="primitives" rows={primitiveRows(info)} />
      <Listing title="Sections" testid="sections" rows={sectionRows(info)} />
      <p class="save">
        <button
          type="button"
          class="small"
          disabled={executable.length === 0}
          onClick={() => saveFile(saveAs, executable)}
          data-testid="save"
        >
          Save {saveAs}
        </button>
        <span class="detail">{formatBytes(executable.length)}</span>
        <button
          type="button"
          class="small"
          disabled={executable.length === 0}
          onClick={() => saveState()}
          title="Program, inputs, breakpoints, step and panes as one file"
          data-testid="save-state"
        >
          Save the state
        </button>
      </p>
    </>
  );
}

export function ProgramPane() {
  const { program, run, runtime } = now;
  // Until the engine is there nothing can be loaded, and that is no mistake.
  const starting = run === 'loading';
  return (
    <Pane id="program" title="Program" note={program?.name} tools={<Tools />}>
      <div class="scroll padded" tabIndex={0} role="group" aria-label="What the program holds">
        {program ? (
          <Loaded />
        ) : !starting && !runtime ? (
          <p class="hint">
            The engine did not start.{' '}
            <button type="button" data-testid="retry" onClick={() => void begin()}>
              Try again
            </button>
          </p>
        ) : (
          <p class="hint">
            {starting
              ? 'Starting the engine…'
              : 'Drop a .tern, .onnx, .tn, .tasm or .tloop file anywhere on the page, or paste it.'}
          </p>
        )}
      </div>
    </Pane>
  );
}
