#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures where needed and builds presets of CMakePresets.json; build/<preset> holds the result.
#   tools/build.sh [--target NAME] PRESET…
# $TERN_BATCH_BYTES overrides how much source text is compiled together where a preset is configured
# for the first time (tools/cmake/tern.cmake): more is faster for whole builds, less for changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=all
if [ "${1:-}" = --target ]; then
  target=$2
  shift 2
fi
for preset in "$@"; do
  mkdir -p "build/$preset"
  # Two builds of one folder at once would disturb each other.
  exec 7>"build/$preset/.lock"
  flock 7
  if [ ! -f "build/$preset/build.ninja" ]; then
    cmake --preset "$preset" ${TERN_BATCH_BYTES:+"-DTERN_BATCH_BYTES=$TERN_BATCH_BYTES"} \
      >"build/$preset/configure.log" 2>&1 || {
      cat "build/$preset/configure.log" >&2
      echo "build: configuring $preset failed" >&2
      exit 1
    }
  fi
  if [ -t 1 ]; then cmake --build "build/$preset" --target "$target"
  else cmake --build "build/$preset" --target "$target" -- --quiet; fi
done
