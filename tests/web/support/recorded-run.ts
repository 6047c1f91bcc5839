// SPDX-License-Identifier: Apache-2.0
// A small program, and the record of a run of it as `tern run --trace` writes it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from '@playwright/test';

const kTern = process.env['TERN_CLI'] ?? resolve(__dirname, '../../../build/host/tern');

/** Four steps, for x = [1, 2, 3] and k = 21. */
export const kRecordedProgram = `.func @main(x: f32[n], k: int)
  call  add              in: %0, %0       dst: %2
  mul   %1, 2                             dst: %3
  alloc_adt tag: 0 in: %2, %3             dst: %4
  ret   ret %4
`;

export function recordRun(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'tern-trace-'));
  try {
    const [program, trace] = [join(folder, 'double.tasm'), join(folder, 'run.terntrace')];
    writeFileSync(program, kRecordedProgram);
    const inputs = ['-i', 'x=f32[3]:1,2,3', '-i', 'k=21'];
    const { status, stderr } = spawnSync(kTern, ['run', program, ...inputs, '--trace', trace],
      { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return new Uint8Array(readFileSync(trace));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
