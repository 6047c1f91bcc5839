#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzzer for a while, with the address and undefined-behaviour sanitizers, from the
# seeds in tests/fuzz/seeds/<fuzzer>. New inputs go to build/fuzz/corpus, crashes to
# build/fuzz/crashes.
#   tools/fuzz.sh [--preset P] [--seconds N] [--seed N] [--runs N] [--longest N] [--mutations N]
#                 [FUZZER…]
# default: preset fuzz, 20 seconds each, a new seed each time (0), and no mutations. With a seed of
# its own a run does the same as the last, up to where its time ends. --runs: so many executions of
# each fuzzer, however long they take, in stretches of 100 000 that begin with the seeds alone,
# because a corpus that grows makes each execution slower. --longest bounds the bytes of an input.
# --mutations also has vm_mutate change the files of tests/compat and what the digits model compiles
# to so many times.
# The preset asan has the fuzzers too, which saves tools/test.sh a build.
# Ends with `N passed, N failed`; a fuzzer fails when it found a crash, a leak or a hang.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=20 seed=0 preset=fuzz mutations=0 runs=0 longest=0
while [[ ${1:-} == --* ]]; do
  case $1 in
    --seconds) seconds=${2:-} ;;
    --seed) seed=${2:-} ;;
    --runs) runs=${2:-} ;;
    --longest) longest=${2:-} ;;
    --preset) preset=${2:-} ;;
    --mutations) mutations=${2:-} ;;
    *) echo "fuzz.sh: unknown option $1" >&2 && exit 2 ;;
  esac
  shift 2
done
for number in "$seconds" "$seed" "$mutations" "$runs" "$longest"; do
  case $number in '' | *[!0-9]*) echo "fuzz.sh: a number is wanted" >&2 && exit 2 ;; esac
done
tools/build.sh "$preset"
fuzzers=build/$preset/fuzzers
passed=0 failed=0
names=("$@")
[ ${#names[@]} -gt 0 ] || for path in "$fuzzers"/*; do
  [ ! -x "$path" ] || names+=("${path##*/}")
done
# One stretch of a fuzzer: its corpus, its seed, and the options that end it.
stretch() {
  local name=$1 corpus=$2 executed
  shift 2
  mkdir -p "$corpus"
  "$fuzzers/$name" -timeout=10 -rss_limit_mb=2048 -max_len="$longest" -print_final_stats=1 \
    -artifact_prefix="build/fuzz/crashes/$name-" "$@" "$corpus" "tests/fuzz/seeds/$name" \
    >"$log" 2>&1 || return 1
  executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  done_runs=$((done_runs + ${executed:?"$name told of no runs"}))
}
# So many executions in all, each stretch with the next seed and a corpus of its own.
count_runs() {
  local name=$1 corpus=build/fuzz/stretch/$1 stretch_seed=$seed left
  while [ "$done_runs" -lt "$runs" ]; do
    left=$((runs - done_runs))
    rm -rf "$corpus"
    [ "$seed" = 0 ] || stretch_seed=$((stretch_seed + 1))
    stretch "$name" "$corpus" -runs=$((left < 100000 ? left : 100000)) -seed="$stretch_seed" \
      -entropic=0 || return 1
  done
}
run() {
  if [ "$runs" != 0 ]; then
    count_runs "$1"
  else
    stretch "$1" "build/fuzz/corpus/$1" -max_total_time="$seconds" -seed="$seed"
  fi
}
for name in "${names[@]}"; do
  log=build/fuzz/$name.log done_runs=0 begin=$SECONDS
  [ -x "$fuzzers/$name" ] || { echo "fuzz.sh: there is no fuzzer $name" >&2 && exit 2; }
  mkdir -p build/fuzz/crashes "tests/fuzz/seeds/$name"
  if run "$name"; then
    echo "ok   $name: $done_runs runs in $((SECONDS - begin)) s"
    passed=$((passed + 1))
  else
    echo "FAIL $name: see $log and build/fuzz/crashes; its end:"
    tail -n 30 "$log" | sed 's/^/     | /'
    failed=$((failed + 1))
  fi
done
if [ "$mutations" != 0 ]; then
  if "build/$preset/tests/fuzz/vm_mutate" --count "$mutations" tests/compat/*.tern \
    tests/models/digits/model.onnx; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
