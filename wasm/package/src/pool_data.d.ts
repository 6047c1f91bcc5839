// SPDX-License-Identifier: Apache-2.0
// The worker pool's module, which scripts/bundle.mjs writes into the entries that use it.
declare module 'tern-pool-data' {
  export function poolModule(): Uint8Array;
}
