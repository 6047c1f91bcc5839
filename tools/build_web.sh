#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the TypeScript packages over the WebAssembly modules, then the page over tern-runtime and
# the documentation beside it: web/dist and web/dist/docs. Does nothing where nothing has changed
# since the last time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/setup/lib.sh
tern_use_private_node
tools/build.sh --target tern_programs wasm
# Lists the page's loop programs as AArch64 code.
tools/build.sh --target tern_cli host
tools/setup/npm.sh wasm/package web
mkdir -p build
exec 7>build/web.lock
flock 7

# Sources, lock files, the modules and the command line, as one number.
fingerprint() {
  {
    find wasm/package wasm/package-debug wasm/package-inline web -type d \
      \( -name node_modules -o -name dist -o -name test-results -o -name playwright-report \) \
      -prune -o -type f ! -name LICENSE ! -name tern-debug.wasm -print0
    printf '%s\0' build/wasm/wasm/*.wasm build/host/tern
  } | sort -z | xargs -0 sha256sum | sha256sum
}

want=$(fingerprint)
if [ ! -f web/dist/index.html ] || [ "$(cat build/web.stamp 2>/dev/null)" != "$want" ]; then
  (cd wasm/package && npm run --silent build)
  (cd web && npm run --silent build)
  fingerprint >build/web.stamp
fi
tools/build_docs.sh
if [ ! -f web/dist/docs/index.html ] || ! cmp -s build/docs.stamp build/web-docs.stamp; then
  rm -rf web/dist/docs
  cp -r build/docs-site web/dist/docs
  cp build/docs.stamp build/web-docs.stamp
fi
