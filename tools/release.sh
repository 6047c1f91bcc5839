#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a release of this commit: every package for every target, the page, what is in them (SPDX),
# what has changed, and checksums of all. Two runs on one commit give the same bytes.
#   tools/release.sh [--allow-changes] [--targets "host aarch64"] [FOLDER]
#                      FOLDER: build/release, which is emptied first
# --allow-changes: also of a tree that differs from its commit, to try it out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/setup/lib.sh
tern_use_private_node
umask 022
allow_changes=
targets=(host aarch64)
while [ $# -gt 0 ]; do
  case "$1" in
    --allow-changes) allow_changes=yes ;;
    --targets)
      read -ra targets <<<"${2:?--targets wants presets, such as host}"
      shift
      ;;
    -*)
      echo "release: unknown option '$1'; the head of tools/release.sh lists them" >&2
      exit 2
      ;;
    *) break ;;
  esac
  shift
done
out=${1:-build/release}

versions=$(tools/check/check_versions) || {
  printf '%s\n' "$versions" >&2
  echo "release: the versions above must be one; nothing was built" >&2
  exit 1
}
if [ -z "$allow_changes" ] && [ -n "$(git status --porcelain)" ]; then
  git status --short >&2
  echo "release: commit these changes first, or try with --allow-changes" >&2
  exit 1
fi
# Emptied and filled: what is there must be an earlier release or nothing.
if [ -d "$out" ] && [ -n "$(ls -A "$out")" ] && [ ! -f "$out/SHA256SUMS" ]; then
  echo "release: '$out' holds files that are no release; name another folder" >&2
  exit 1
fi
version=$(tern_version)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

tools/package.sh "${targets[@]}"
tools/python.sh "${targets[@]}"
rm -rf "$out"
mkdir -p "$out"
for target in "${targets[@]}"; do
  cp build/"$target"/packages/*.{tar.gz,deb} build/"$target"/packages-python/*.whl "$out"
done
for package in package package-debug package-inline; do
  npm pack --silent --pack-destination "$out" "./wasm/$package" >/dev/null
done
# Names, times and owners of the archive depend on the commit alone.
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --mode=go=rX,u+rw --transform="s,^web/dist,tern-page-$version," -cf - web/dist |
  gzip -9n >"$out/tern-page-$version.tar.gz"
awk -v heading="## $version" '/^## /{on = index($0, heading) == 1} on' CHANGELOG.md \
  >"$out/CHANGES-$version.md"
/usr/bin/python3 tools/release/sbom.py --version "$version" --created "$SOURCE_DATE_EPOCH" \
  --out "$out/tern-$version.spdx.json" "$out"/*.{tar.gz,deb,whl,tgz}
find "$out" -type f -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
(cd "$out" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
