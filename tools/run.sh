#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up what is missing, builds everything, runs a real model on every target and prints the
# results side by side, then serves the page.
#   tools/run.sh [--no-serve] [--port N]
# Exit 0 only if every target agrees (and, when serving, until the server is stopped).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/setup/lib.sh

serve=1 port=5173
while [ $# -gt 0 ]; do
  case $1 in
    --no-serve) serve=0 ;;
    --port) port=${2:-} && shift ;;
    -h | --help) sed -n '3,6s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) echo "run.sh: unknown option $1 (try --help)" >&2 && exit 2 ;;
  esac
  shift
done
case $port in '' | *[!0-9]*) echo "run.sh: --port wants a number, not '$port'" >&2 && exit 2 ;; esac

step() { printf '\n== %s\n' "$*"; }

step "Setting up"
tools/setup/setup.sh
tern_use_private_node
for preset in host aarch64 wasm; do
  step "Building: $preset"
  tools/build.sh --target tern_programs "$preset"
done
step "Building: page"
tools/build_web.sh
step "Running a model on every target"
tools/demo.sh
[ $serve = 1 ] || exit 0
step "Serving"
exec tools/node.sh tools/serve.mjs web/dist "$port"
