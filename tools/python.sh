#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Python package `tern` as a wheel for each of the presets (host, aarch64):
# build/<preset>/packages-python/tern-….whl. One wheel serves every Python from 3.9 on, because
# ctypes calls the library. Two packings of one commit give the same bytes.
#   tools/python.sh [PRESET…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/setup/lib.sh
umask 022
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH
version=$(tern_version)

pack() {  # preset, processor, strip
  local stage=build/$1/python out=build/$1/packages-python library
  tools/build.sh --target tern_shared "$1"
  rm -rf "$stage" "$out"
  mkdir -p "$stage" "$out"
  cp -r python/{pyproject.toml,setup.py,README.md,tern} LICENSE "$stage"
  cp docs/third-party-notices.txt "$stage"
  rm -rf "$stage/tern/__pycache__"
  echo "$version" >"$stage/VERSION"
  /usr/bin/python3 python/generate_abi.py native/library/abi.txt "$stage/tern/_abi.py"
  library=$stage/tern/libtern.so.0
  "$3" --strip-unneeded -o "$library" "build/$1/lib/libtern.so.0"
  # The oldest glibc that has all that the library asks for names the platform (PEP 600).
  local glibc
  glibc=$(llvm-readelf-19 --dyn-symbols "$library" | grep -o 'GLIBC_2\.[0-9]*' | cut -d. -f2 |
    sort -n | tail -n 1)
  printf '[bdist_wheel]\nplat_name = manylinux_2_%s_%s\n' "$glibc" "$2" \
    >"$stage/setup.cfg"
  find "$stage" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
  (cd "$stage" && /usr/bin/python3 -c 'import sys; from setuptools import build_meta
build_meta.build_wheel(sys.argv[1])' "../packages-python") >"build/$1/python.log" 2>&1 || {
    cat "build/$1/python.log" >&2
    exit 1
  }
  (cd "$out" && sha256sum ./*)
}

for preset in "${@:-host}"; do
  case $preset in
    host) pack host "$(uname -m)" strip ;;
    aarch64) pack aarch64 aarch64 llvm-strip-19 ;;
    *)
      echo "python: no wheel is made of the preset '$preset': expected host or aarch64" >&2
      exit 2
      ;;
  esac
done
