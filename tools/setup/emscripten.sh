#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fills the private prefix: an Emscripten new enough for standard relaxed SIMD, Highway >= 1.2, and
# a folder of links to the header-only packages that cross builds may see. Where the system or
# EMSDK has a new enough one, the prefix only points at it. Otherwise Debian 13's packages are
# unpacked into the prefix, without touching the system; see docs/dependencies.md for how that
# works.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

emcc_version() { "$1" --version 2>/dev/null | sed -n '1s/.* \([0-9][0-9.]*\)[^0-9.]*.*/\1/p'; }

# Prints the folder of an Emscripten that is new enough, or nothing.
find_emscripten() {
  local emcc
  for emcc in "${EMSDK:+$EMSDK/upstream/emscripten/emcc}" "$(command -v emcc || true)" \
      /usr/share/emscripten/emcc; do
    [ -n "$emcc" ] && [ -x "$emcc" ] || continue
    if at_least "$(emcc_version "$emcc")" "$tern_emscripten_minimum"; then
      dirname "$(readlink -f "$emcc")"
      return
    fi
  done
}

highway_is_new() {  # highway_is_new INCLUDE_FOLDER
  local major minor
  major=$(sed -n 's/^#define HWY_MAJOR //p' "$1/hwy/base.h" 2>/dev/null || true)
  minor=$(sed -n 's/^#define HWY_MINOR //p' "$1/hwy/base.h" 2>/dev/null || true)
  [ -n "$major" ] && at_least "$major.${minor:-0}" 1.2
}

# Downloads packages of the suite trixie from the mirror that this machine's apt uses, and unpacks
# them.
unpack_trixie() {  # unpack_trixie FOLDER PACKAGE…
  local folder=$1 work uri
  shift
  work=$folder/.apt
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
  : >"$work/status"
  local options=(-q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=-
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache"
    -o Dir::State::status="$work/status"
    -o APT::Sandbox::User= -o Acquire::Languages=none)
  for uri in $(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' \
      'Label: Debian' | sort -u); do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri trixie main" \
      >"$work/sources.list"
    apt-get "${options[@]}" update >"$work/log" 2>&1 && ! grep -q '^[EW]:' "$work/log" && break
    uri=
  done
  [ -n "${uri:-}" ] || give_up "no mirror in this machine's apt configuration serves Debian 13" \
    "Install Emscripten >= $tern_emscripten_minimum (https://emscripten.org) and set EMSDK to it."
  say "downloading $*"
  (cd "$work/debs" && apt-get "${options[@]}" download "$@" >"$work/log" 2>&1) || {
    cat "$work/log" >&2
    give_up "could not download: $*"
  }
  local deb
  for deb in "$work"/debs/*.deb; do dpkg -x "$deb" "$folder/root"; done
  rm -rf "$work"
}

# The binaryen tools of Debian 13 need its C library: start them through its own loader.
write_binaryen_wrappers() {  # write_binaryen_wrappers BUILD_FOLDER
  local tool
  mkdir -p "$1/binaryen/bin"
  for tool in "$1"/root/usr/bin/wasm* ; do
    cat >"$1/binaryen/bin/${tool##*/}" <<WRAPPER
#!/bin/sh
root="$tern_prefix/root"
exec "\$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "\$root/usr/lib/x86_64-linux-gnu" \
  "\$root/usr/bin/${tool##*/}" "\$@"
WRAPPER
    chmod +x "$1/binaryen/bin/${tool##*/}"
  done
}

# Emscripten reads the file .emscripten beside it.
write_em_config() {  # write_em_config BUILD_FOLDER NODE
  rm -f "$1/root/usr/share/emscripten/.emscripten"
  cat >"$1/root/usr/share/emscripten/.emscripten" <<CONFIG
LLVM_ROOT = '/usr/lib/llvm-19/bin'
BINARYEN_ROOT = '$tern_prefix/binaryen'
NODE_JS = '$2'
CACHE = '$tern_prefix/em_cache'
FROZEN_CACHE = False
CONFIG
}

write_commands() {  # write_commands BUILD_FOLDER EMSCRIPTEN_FOLDER
  local tool
  mkdir -p "$1/bin"
  for tool in emcc em++ emar emranlib emcmake embuilder; do
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$2/$tool" >"$1/bin/$tool"
    chmod +x "$1/bin/$tool"
  done
  echo "$2" >"$1/emscripten_root"
}

# Cross compilers must never see /usr/include itself: it holds the host's C library.
link_headers() {
  local name highway=/usr/include
  highway_is_new "$highway" || highway=$tern_prefix/root/usr/include
  mkdir -p "$tern_prefix/include"
  ln -sfn "$highway/hwy" "$tern_prefix/include/hwy"
  for name in dlpack CLI; do
    ln -sfn "/usr/include/$name" "$tern_prefix/include/$name"
  done
}

# Prepares everything beside the prefix and moves it there at the end: it is whole or absent.
fill_prefix() {
  local build=$tern_prefix.partial.$$ emscripten wanted=()
  rm -rf "$tern_cache"/toolchain-*.partial.*
  trap 'rm -rf "$tern_prefix.partial.$$"' EXIT
  mkdir -p "$build"
  emscripten=$(find_emscripten)
  [ -n "$emscripten" ] || wanted=(emscripten binaryen libc6 libstdc++6 libgcc-s1 node-acorn)
  highway_is_new /usr/include || wanted+=(libhwy-dev)
  [ ${#wanted[@]} -eq 0 ] || unpack_trixie "$build" "${wanted[@]}"
  if [ -z "$emscripten" ]; then
    emscripten=$tern_prefix/root/usr/share/emscripten
    write_binaryen_wrappers "$build"
    write_em_config "$build" "$(command -v node)"
    # Debian's prebuilt libraries, without the position-independent half.
    mv "$build/root/usr/share/emscripten/cache" "$build/em_cache"
    rm -rf "$build"/em_cache/sysroot/lib/wasm32-emscripten/{pic,lto-pic}
    mkdir -p "$build/root/usr/share/emscripten/node_modules"
    ln -sfn ../../nodejs/acorn "$build/root/usr/share/emscripten/node_modules/acorn"
  fi
  write_commands "$build" "$emscripten"
  rm -rf "$tern_prefix"
  mv "$build" "$tern_prefix"
}

# Builds and runs a program; the first one makes Emscripten build what libraries it came without.
try_emscripten() {
  local folder=$tern_prefix/probe
  mkdir -p "$folder"
  cat >"$folder/probe.cc" <<'PROBE'
#include <cstdio>
#include <string>
#include <vector>
int main(int count, char** words) {
  std::vector<std::string> all(words, words + count);
  std::printf("%zu\n", all.size());
}
PROBE
  "$tern_prefix/bin/em++" -O2 "$folder/probe.cc" -o "$folder/probe.js" >"$folder/log" 2>&1 &&
    [ "$(node "$folder/probe.js" 2>>"$folder/log")" = 1 ] || {
    cat "$folder/log" >&2
    give_up "$tern_prefix/bin/em++ cannot build a program that runs (log above)"
  }
}

if ! prefix_is_ready; then
  fill_prefix
  say "trying Emscripten"
  try_emscripten
fi
link_headers
echo "$tern_toolchain_version" >"$tern_prefix/version"
