# SPDX-License-Identifier: Apache-2.0
# What the set-up scripts share: where things live, how to speak, how to become root.
# Sourced, never run.

# Raise the last part when the content of the private prefix changes.
tern_toolchain_version=3.1.69-1
tern_emscripten_minimum=3.1.69
tern_node_minimum=20
tern_cache=${XDG_CACHE_HOME:-$HOME/.cache}/tern
tern_prefix=$tern_cache/toolchain-$tern_toolchain_version

say() { printf 'setup: %s\n' "$*" >&2; }

# Ends the set-up: the first argument says what is wrong, each further one is a line saying what to
# do.
give_up() {
  printf 'setup: %s\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
  exit 2
}

# at_least VERSION MINIMUM: true if VERSION is not older.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# The project's version, as CMakeLists.txt of the present folder says it.
tern_version() { sed -n 's/^project(tern VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt; }

have() {  # have PROOF: a command on PATH, or an existing path.
  case $1 in
    /*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

# as_root COMMAND…: directly, or through sudo where that needs no password or a terminal can ask
# for it.
can_be_root() {
  [ "$(id -u)" = 0 ] && return 0
  command -v sudo >/dev/null 2>&1 || return 1
  sudo -n true 2>/dev/null || [ -t 0 ]
}
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

debian_version() {  # 12, 13, …; nothing on another distribution
  (. /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] && echo "${VERSION_ID:-99}") || true
}

# Puts the Node that setup.sh took from npm, if it did, before the system's.
tern_use_private_node() {
  [ ! -x "$tern_cache/node/bin/node" ] || PATH=$tern_cache/node/bin:$PATH
  export PATH
}

prefix_is_ready() {
  [ "$(cat "$tern_prefix/version" 2>/dev/null)" = "$tern_toolchain_version" ] &&
    [ -x "$(cat "$tern_prefix/emscripten_root")/em++" ] &&
    [ -e "$tern_prefix/include/hwy/highway.h" ]
}
