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

with_npm=1
[ "${1:-}" != --no-npm ] || with_npm=0

missing_packages() {
  local package proof version
  version=$(debian_version)
  while read -r package proof _; do
    case $package in
      '' | '#'*) continue ;;
      */*) [ "${version%%.*}" -ge "${package#*/}" ] 2>/dev/null || continue ;;
    esac
    package=${package%/*}
    have "$proof" || echo "$package"
  done <packages.txt
}

# Turns apt's chatter into one line that changes, or into a few lines where that is not a terminal.
show_progress() {
  local terminal=0
  [ ! -t 2 ] || terminal=1
  awk -v terminal=$terminal '
    function show(step, done, name) {
      if (terminal) printf "\r\033[Ksetup: %s [%d/%s] %s", step, done, total, name
      else if (done % 50 == 0) printf "setup: %s [%d/%s]\n", step, done, total
      fflush()
    }
    /newly installed/ { for (i = 1; i < NF; i++) if ($(i + 1) == "newly") total = $i }
    /^Get:/           { show("downloading", ++got, $5) }
    /^Unpacking /     { show("unpacking", ++unpacked, $2) }
    /^Setting up /    { show("setting up", ++done, $3) }
    END               { if (done) printf "%ssetup: installed %d packages\n",
                          terminal ? "\r\033[K" : "", done }' >&2
}

install_packages() {  # install_packages PACKAGE…
  local version log=$tern_cache/apt.log
  version=$(debian_version)
  [ -n "$version" ] || give_up "this is not Debian, so nothing is installed automatically" \
    "Install what Debian calls: $*" \
    "(tools/setup/packages.txt says what each is for), then run this again."
  [ "${version%%.*}" -ge 12 ] || give_up "Debian $version is too old; 12 or newer is needed"
  can_be_root || give_up "packages are missing and this user is neither root nor allowed sudo" \
    "Ask an administrator to run:" "  apt-get update && apt-get install --no-install-recommends $*"
  say "installing from Debian: $*"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update >"$log" 2>&1 ||
    { tail -n 5 "$log" >&2; give_up "apt-get update failed (log: $log)"; }
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 install \
    --no-install-recommends "$@" 2>&1 | tee "$log" | show_progress ||
    { tail -n 15 "$log" >&2; give_up "apt-get install failed (log: $log)"; }
}

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
ready() { [ -e "$stamp" ] && [ -z "$(missing_packages)" ] && node_is_new && prefix_is_ready; }

if ! ready; then
  exec 9>"$tern_cache/lock"
  flock -n 9 || { say "another set-up is running; waiting for it"; flock 9; }
  if ! ready; then
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -eq 0 ] || give_up "still missing after installing: ${missing[*]}"
    { node_is_new && have npm; } || install_node
    ./emscripten.sh
    : >"$stamp"
    say "the toolchain is ready"
  fi
  exec 9>&-
fi
[ $with_npm = 0 ] || ./npm.sh wasm/package web tests/npm tools/docs
