#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every case of model folders on one target and compares with the expected outputs;
# docs/models.md describes the folders. Builds what it needs. Ends with `N passed, N failed`.
#   tools/models.sh [--target host|aarch64|wasm] [--vl BITS] [--dir DIR] [NAME…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec tools/node.sh tools/models/main.mjs "$@"
