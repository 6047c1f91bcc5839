#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds what is packed of presets (host, aarch64) and packs it, with the page that `tern play`
# serves: build/<preset>/packages holds a .tar.gz of all and a .deb of each component. Two packings
# of one commit give the same bytes: times are those of SOURCE_DATE_EPOCH, by default the commit's.
#   tools/package.sh [PRESET…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 1)
fi
export SOURCE_DATE_EPOCH
tools/build_web.sh
for preset in "${@:-host}"; do
  tools/build.sh --target tern_packaged "$preset"
  rm -rf "build/$preset/packages"
  (cd "build/$preset" && cpack --config CPackConfig.cmake >packages.log 2>&1) || {
    cat "build/$preset/packages.log" >&2
    exit 1
  }
  rm -rf "build/$preset/packages/_CPack_Packages"
  (cd "build/$preset/packages" && sha256sum ./*)
done
