#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Node packages of folders of this checkout, exactly as their lock files say, once per
# change of the lock file. No browser is downloaded: tests use the system's Chromium.
#   tools/setup/npm.sh FOLDER…        folders relative to the root of the checkout
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./lib.sh
cd ../..
tern_use_private_node
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 ONNXRUNTIME_NODE_INSTALL_CUDA=skip

for folder in "$@"; do
  [ -f "$folder/package-lock.json" ] || continue
  want=$(cat "$folder/package.json" "$folder/package-lock.json" | sha256sum)
  stamp=$folder/node_modules/.tern-installed
  [ "$(cat "$stamp" 2>/dev/null)" != "$want" ] || continue
  mkdir -p build
  exec 8>build/npm.lock
  flock 8
  [ "$(cat "$stamp" 2>/dev/null)" != "$want" ] || continue
  say "installing the Node packages of $folder"
  (cd "$folder" && npm ci --loglevel=error --no-fund --no-audit) ||
    give_up "npm ci failed in $folder" "Try it by hand: cd $folder && npm ci"
  printf '%s\n' "$want" >"$stamp"
done
