#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the ONNX backend test data on a target and prints passed / failed / unsupported for each kind
# of folder, with the reasons. Builds what it needs. docs/onnx.md explains the numbers.
#   tools/onnx_conformance.sh [--target host|aarch64|wasm] [--data DIR] [--list] [--expect FILE]
#                            [--kernels POLICY]
# --kernels: how fused operators run (docs/loop-ir.md), natively; by operators where it is left out.
# --list prints every case; --expect fails on a case that FILE says passes and that did not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec tools/node.sh tools/models/conformance.mjs "$@"
