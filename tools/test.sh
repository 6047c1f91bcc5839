#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up what is missing, builds, and passes every test. The suites are listed in
# tools/check/suites.txt; logs are left in build/test-logs. The last line is `N passed, N failed`.
#   tools/test.sh [--list] [--models DIR] [SUITE…]   suites by name or pattern: 'aarch64*'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/setup/setup.sh
. tools/setup/lib.sh
tern_use_private_node
exec /usr/bin/python3 tools/check/run_suites "$@"
