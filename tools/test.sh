#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up what is missing, builds, and passes every test. The suites are listed in
# tools/check/suites.txt and run side by side; logs are left in build/test-logs. The last line is
# `N passed, N failed`.
#   tools/test.sh [--list] [--again] [--models DIR] [--jobs N] [SUITE…]
#                      suites by name or pattern: 'aarch64*'; the builds that they need run first;
#                      --again: also those that have passed on the very same sources
#   tools/test.sh --quick [--nearest] [FILE…]
#                      only the host's tests that the files (from the root; without any, those that
#                      git sees changed) can touch, the nearest first; --nearest: no others
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tool=tools/check/run_suites
setup=()
if [ "${1:-}" = --quick ]; then
  shift
  tool=tools/check/run_quick
  setup=(--no-npm)
fi
tools/setup/setup.sh "${setup[@]}"
. tools/setup/lib.sh
tern_use_private_node
exec /usr/bin/python3 "$tool" "$@"
