#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the path of a Python for AArch64 that runs here, under qemu: Debian's own, downloaded from
# the mirror that this machine's apt uses, once, and unpacked into the cache without touching the
# system. The C library is that of the cross compiler.
#   tools/setup/python_aarch64.sh
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
home=$tern_cache/python-aarch64-$suite
if [ -x "$home/python" ]; then
  echo "$home/python"
  exit
fi

mkdir -p "$tern_cache"
exec 8>"$tern_cache/python-aarch64.lock"
flock 8
[ ! -x "$home/python" ] || { echo "$home/python"; exit; }  # another has made it meanwhile
build=$home.partial.$$
trap 'rm -rf "$build"' EXIT
work=$build/.apt
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
: >"$work/status"
options=(-q -o APT::Architecture=arm64 -o APT::Architectures=arm64
  -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=-
  -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status"
  -o Dir::Cache="$work/cache" -o APT::Sandbox::User= -o Acquire::Languages=none)
for uri in $(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' \
    'Label: Debian' | sort -u) ''; do
  [ -n "$uri" ] || give_up "no mirror in this machine's apt configuration serves arm64 of $suite"
  echo "deb [arch=arm64 signed-by=$keyring] $uri $suite main" >"$work/sources.list"
  apt-get "${options[@]}" update >"$work/log" 2>&1 && ! grep -q '^[EW]:' "$work/log" && break
done
minimal=$(apt-cache "${options[@]}" depends python3-minimal |
  grep -om 1 "python3\.[0-9]*-minimal")
python=${minimal%-minimal}
say "downloading $python for AArch64"
(cd "$work/debs" && apt-get "${options[@]}" download "$minimal" "lib$minimal" "lib$python-stdlib" \
  libffi8 libexpat1 zlib1g >"$work/log" 2>&1) || {
  cat "$work/log" >&2
  give_up "could not download $python for AArch64"
}
for deb in "$work"/debs/*.deb; do dpkg -x "$deb" "$build/root"; done
rm -rf "$work"
cat >"$build/python" <<WRAPPER
#!/bin/sh
root="$home/root"
exec qemu-aarch64 -L /usr/aarch64-linux-gnu \\
  -E LD_LIBRARY_PATH="\$root/usr/lib/aarch64-linux-gnu:\$root/lib/aarch64-linux-gnu" \\
  -E PYTHONHOME="\$root/usr" "\$root/usr/bin/$python" "\$@"
WRAPPER
chmod +x "$build/python"
rm -rf "$home"
mv "$build" "$home"
echo "$home/python"
