#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gets this machine ready to build and test Tern: Debian packages, Node, the private prefix with
# Emscripten, and the Node packages of this checkout. Does only what is missing; with nothing to do
# it takes a few hundredths of a second. Exit 2: something is missing that it cannot install; it
# says what.
#   tools/setup/setup.sh [--no-npm]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./lib.sh
. ./debian.sh

with_npm=1
[ "${1:-}" != --no-npm ] || with_npm=0

node_is_new() {
  local version
  version=$(node --version 2>/dev/null) && at_least "${version#v}" $tern_node_minimum
}

# Debian 12's Node is too old for relaxed SIMD; npm carries newer ones as packages.
install_node() {
  local wanted=()
  have npm || wanted+=(npm)
  have node || wanted+=(nodejs)
  [ ${#wanted[@]} -eq 0 ] || install_packages "${wanted[@]}"
  ! node_is_new || return 0
  say "Node $(node --version) is older than $tern_node_minimum: taking a newer one from npm"
  local folder=$tern_cache/node machine=x64
  [ "$(uname -m)" != aarch64 ] || machine=arm64
  npm install --loglevel=error --no-fund --no-audit --prefix "$folder" "node-linux-$machine@22" \
    >"$folder.log" 2>&1 ||
    { cat "$folder.log" >&2; give_up "could not install Node $tern_node_minimum or newer" \
      "Install one from https://nodejs.org and put it on PATH."; }
  mkdir -p "$folder/bin"
  ln -sfn "../node_modules/node-linux-$machine/bin/node" "$folder/bin/node"
  tern_use_private_node
  hash -r
  node_is_new || give_up "the Node in $folder does not run"
}

tern_use_private_node
mkdir -p "$tern_cache"
stamp=$tern_cache/ready-$(cat ./*.sh packages.txt | sha256sum | cut -c1-16)
ready() {
  [ -e "$stamp" ] && [ -z "$(missing_packages packages.txt)" ] && node_is_new && prefix_is_ready
}

if ! ready; then
  exec 9>"$tern_cache/lock"
  flock -n 9 || { say "another set-up is running; waiting for it"; flock 9; }
  if ! ready; then
    install_missing packages.txt
    { node_is_new && have npm; } || install_node
    ./emscripten.sh
    : >"$stamp"
    say "the toolchain is ready"
  fi
  exec 9>&-
fi
[ $with_npm = 0 ] || ./npm.sh wasm/package web tests/npm tools/docs
