#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs node with what a WebAssembly module with relaxed SIMD needs: a flag up to Node 20, none
# after. Is also the emulator that ctest uses in the wasm preset.
private=${XDG_CACHE_HOME:-$HOME/.cache}/tern/node/bin
[ ! -x "$private/node" ] || PATH=$private:$PATH
version=$(node --version) || { echo "node is missing: run tools/setup/setup.sh" >&2; exit 2; }
version=${version#v}
if [ "${version%%.*}" -le 20 ]; then exec node --experimental-wasm-relaxed-simd "$@"; fi
exec node "$@"
