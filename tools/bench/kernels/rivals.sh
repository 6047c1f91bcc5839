#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench_kernels with its rivals: installs oneDNN, XNNPACK and OpenBLAS (Debian 12's, whose
# interfaces later versions have changed), builds the benchmark of the preset `host` with them and
# runs it. All sides take turns on one thread within one run; results that differ end it with
# exit code 1.
#   tools/bench/kernels/rivals.sh [--target NAME] [--filter TEXT] [--json FILE]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../../.."
. tools/setup/lib.sh
. tools/setup/debian.sh
[ "$(debian_version)" = 12 ] || give_up "the rivals are compared with as Debian 12 has them" \
  "Without them: build/host/tools/bench/kernels/bench_kernels"
mkdir -p "$tern_cache"
install_missing "$here/packages.txt"
tools/build.sh --target help host >/dev/null  # configures it where that was not done yet
cmake -D TERN_BENCH_RIVALS=ON build/host >build/host/configure.log 2>&1 ||
  { cat build/host/configure.log >&2; give_up "configuring build/host failed"; }
tools/build.sh --target bench_kernels host
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
  exec build/host/tools/bench/kernels/bench_kernels "$@"
