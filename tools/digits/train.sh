#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the training of the digit classifier: tools/digits/train.sh [FOLDER] [OPTIONS]
# FOLDER (default tests/models/digits) is written anew; options are those of main.cc, such as
# --steps 500 for a quick trial or --check FILE.npy to classify images of your own. Needs a C++20
# compiler, no libraries. The vector width is fixed so that the same compiler makes the same bytes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
folder=tests/models/digits
case "${1-}" in
  '' | -*) ;;
  *) folder=$1 && shift ;;
esac

case $(uname -m) in
  x86_64) machine=-march=x86-64-v3 ;;
  *) machine= ;;
esac
mkdir -p build/digits
# shellcheck disable=SC2086  # an empty machine must vanish
${CXX:-c++} -std=c++20 -O3 $machine -Wall -Wextra -Wconversion -Werror -Wno-psabi -I. -pthread \
  -o build/digits/digits tools/digits/*.cc
build/digits/digits "$folder" "$@"

cat > "$folder/source.json" <<END
{
 "name": "digits",
 "repo": "tern",
 "commit": "made by this repository",
 "path": "tools/digits/train.sh",
 "blob": "$(git hash-object "$folder/model.onnx")",
 "bytes": $(wc -c < "$folder/model.onnx"),
 "licence": "Apache-2.0",
 "role": "visible",
 "kind": "CNN digits, trained on drawn strokes only"
}
END
echo "wrote $folder: model.onnx of $(wc -c < "$folder/model.onnx") bytes"
