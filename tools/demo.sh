#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the digit classifier from one executable file on every target of this machine and prints a
# table: target, result, agreement, time. Exit 0 only if all agree. Expects the builds that
# tools/run.sh makes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec tools/node.sh tools/demo/main.mjs "$@"
