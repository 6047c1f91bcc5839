#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What hooks cost that are not there: processor instructions per instruction of the machine, counted
# by valgrind (not timed, so a busy machine does not matter), of a machine that never had hooks, of
# one whose hooks were taken away, and of one with hooks. The cost of starting is taken off by
# running two lengths. Ends with `N passed, N failed`: the first two must not differ by more than 1
# in 1000.
#   tools/bench/vm/hooks_cost.sh [--preset P]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
preset=host
if [ "${1:-}" = --preset ]; then preset=$2; fi
command -v valgrind >/dev/null || { echo "hooks_cost.sh: valgrind is missing" >&2; exit 2; }
tools/build.sh --target hooks_cost "$preset"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Without debug information, whose newest forms valgrind cannot read.
strip -o "$folder/hooks_cost" "build/$preset/tools/bench/vm/hooks_cost"

# counted HOW ITERATIONS: "processor-instructions machine-instructions"
counted() {
  local steps
  steps=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$folder/log" \
    "$folder/hooks_cost" "$1" "$2")
  echo "$(sed -n 's/.*Collected *: *//p' "$folder/log") $steps"
}

per_instruction() {
  local a b
  read -r -a a <<<"$(counted "$1" 50000)"
  read -r -a b <<<"$(counted "$1" 550000)"
  awk -v i="$((b[0] - a[0]))" -v n="$((b[1] - a[1]))" 'BEGIN { printf "%.4f", i / n }'
}

plain=$(per_instruction plain)
detached=$(per_instruction detached)
attached=$(per_instruction attached)
echo "processor instructions per instruction of the machine:"
echo "  never had hooks   $plain"
echo "  hooks taken away  $detached"
echo "  with hooks        $attached"
if awk -v a="$plain" -v b="$detached" 'BEGIN { exit !(b - a <= a / 1000 && a - b <= a / 1000) }'
then echo "1 passed, 0 failed"
else echo "0 passed, 1 failed"; exit 1; fi
