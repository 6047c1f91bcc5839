#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation as a site that any web server can serve from any folder:
# build/docs-site. Does nothing where nothing has changed since the last time; fails where a link
# leads nowhere. TERN_PLAYGROUND is the playground's address from the site's first page, by
# default the folder above; empty: the pages have no link to it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/setup/lib.sh
tern_use_private_node
tools/build.sh --target tern_cli host
tools/build.sh --target tern_public_headers host
tools/setup/npm.sh tools/docs
exec 7>build/docs.lock
flock 7
export TERN_PLAYGROUND=${TERN_PLAYGROUND-../index.html} PYTHONDONTWRITEBYTECODE=1
TERN_VERSION=$(tern_version)
export TERN_VERSION

# Texts, sources of the references, and whatever else of the tree a page may show, as one number.
fingerprint() {
  {
    find docs core examples include native python tests/models/digits tools/check tools/docs \
      wasm/package web/public -type d \( -name node_modules -o -name __pycache__ -o -name dist \) \
      -prune -o -type f -print0
    printf '%s\0' README.md CONTRIBUTING.md CHANGELOG.md LICENSE build/host/tern
  } | sort -z | xargs -0 sha256sum
  echo "$TERN_VERSION $TERN_PLAYGROUND"
}

want=$(fingerprint | sha256sum)
if [ -f build/docs-site/index.html ] && [ "$(cat build/docs.stamp 2>/dev/null)" = "$want" ]; then
  exit 0
fi
javascript=$PWD/build/docs-javascript
rm -rf "$javascript"
(cd tools/docs && npx typedoc --logLevel Warn --options typedoc.json --out "$javascript")
/usr/bin/python3 tools/docs/collect.py --cli build/host/tern --headers build/host/include/tern \
  --javascript "$javascript" --out build/docs-source
/usr/bin/python3 -m mkdocs build --quiet --clean --config-file tools/docs/mkdocs.yml
rm -f build/docs-site/sitemap.xml*  # wants to know the address that the site will have
/usr/bin/python3 tools/docs/check_links.py build/docs-site
printf '%s\n' "$want" >build/docs.stamp
