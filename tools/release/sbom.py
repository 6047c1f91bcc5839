#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a release consists of as SPDX 2.3 JSON (https://spdx.github.io/spdx-spec/v2.3): each
package that is handed out with its checksum, what of others is inside, and under which licences.

Usage: sbom.py --version X.Y.Z --created SECONDS --out FILE ARTEFACT…
Others are those of tools/release/components.txt; versions of Node packages come from lock files,
those of Debian packages from dpkg.
"""
import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
from typing import NamedTuple

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TABLE = os.path.join(ROOT, "tools", "release", "components.txt")


class Component(NamedTuple):
    """Of somebody else, and the kinds of artefacts that it is in."""
    name: str
    licence: str
    source: str    # where its version is found: debian:PACKAGE, npm:PACKAGE, highway, emscripten
    url: str
    artefacts: tuple


# Of an artefact's name; the first that fits says what kind it is.
KINDS = (("native", re.compile(r"\.deb$|-linux-\w+\.tar\.gz$")),
         ("page", re.compile(r"^tern-page-.*\.tar\.gz$")), ("python", re.compile(r"\.whl$")),
         ("npm", re.compile(r"\.tgz$")))


def read_components(path=TABLE):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            cells = [cell.strip() for cell in line.split("|")]
            known = {kind for kind, _ in KINDS}
            if len(cells) != 5 or not set(cells[4].split()) <= known:
                sys.exit(f"{path}:{number}: expected name | licence | version from | address | "
                         f"kinds of {' '.join(sorted(known))}")
            yield Component(*cells[:4], tuple(cells[4].split()))


def output_of(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else ""


def lock_versions():
    versions = {}
    with open(os.path.join(ROOT, "web", "package-lock.json"), encoding="utf-8") as file:
        for path, package in json.load(file)["packages"].items():
            versions[path.split("node_modules/")[-1]] = package.get("version", "")
    return versions


def toolchain_version():
    """Of Emscripten, then how often its private prefix has changed: 3.1.69-1."""
    with open(os.path.join(ROOT, "tools", "setup", "lib.sh"), encoding="utf-8") as file:
        return re.search(r"^tern_toolchain_version=(\S+)", file.read(), re.M)[1]


def highway_version():
    """Of the headers that the build uses (tools/setup/lib.sh)."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    header = os.path.join(cache, "tern", "toolchain-" + toolchain_version(),
                          "include/hwy/base.h")
    if not os.path.exists(header):
        return ""
    with open(header, encoding="utf-8") as file:
        numbers = dict(re.findall(r"^#define HWY_(MAJOR|MINOR|PATCH) (\d+)", file.read(), re.M))
    return ".".join(numbers.get(part, "0") for part in ("MAJOR", "MINOR", "PATCH"))


def version_of(component, locks):
    kind, _, name = component.source.partition(":")
    if kind == "npm":
        version = locks.get(name, "")
    elif kind == "debian":
        version = output_of("dpkg-query", "-W", "-f", "${Version}", name)
    elif kind == "highway":
        version = highway_version()
    else:
        version = toolchain_version().split("-")[0]
    # What is not found out is said to be unknown, as the standard wants it.
    return version or "NOASSERTION"


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", text)


def kind_of(artefact):
    for kind, pattern in KINDS:
        if pattern.search(artefact):
            return kind
    sys.exit(f"sbom: '{artefact}' is no kind of package that is known; KINDS lists them")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def own_package(path, version):
    name = os.path.basename(path)
    return {"SPDXID": identifier("artefact-" + name), "name": name, "versionInfo": version,
            "packageFileName": name, "supplier": "Organization: The Tern authors",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
            "copyrightText": "The Tern authors",
            "checksums": [{"algorithm": "SHA256", "checksumValue": digest(path)}]}


def foreign_package(component, version):
    return {"SPDXID": identifier("component-" + component.name), "name": component.name,
            "versionInfo": version, "downloadLocation": component.url, "filesAnalyzed": False,
            "licenseConcluded": component.licence, "licenseDeclared": component.licence,
            "copyrightText": "NOASSERTION"}


def relate(one, relation, other):
    return {"spdxElementId": one, "relationshipType": relation, "relatedSpdxElement": other}


def document(version, created, artefacts):
    components, locks = list(read_components()), lock_versions()
    own = [own_package(path, version) for path in sorted(artefacts)]
    kinds = {package["SPDXID"]: kind_of(package["name"]) for package in own}
    used = [one for one in components if set(one.artefacts) & set(kinds.values())]
    foreign = [foreign_package(one, version_of(one, locks)) for one in used]
    relations = [relate("SPDXRef-DOCUMENT", "DESCRIBES", package["SPDXID"]) for package in own]
    for package in own:
        relations += [relate(package["SPDXID"], "CONTAINS", identifier("component-" + one.name))
                      for one in used if kinds[package["SPDXID"]] in one.artefacts]
    content = "".join(package["checksums"][0]["checksumValue"] for package in own)
    time = datetime.datetime.fromtimestamp(created, datetime.timezone.utc)
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"tern-{version}",
            # Another one for each release, told by what is in it.
            "documentNamespace": f"https://tern.example/spdx/tern-{version}-"
                                 + hashlib.sha256(content.encode()).hexdigest()[:16],
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Tool: tern-tools-release", "Organization: The Tern "
                                          "authors"]},
            "packages": own + foreign, "relationships": relations}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", required=True)
    parser.add_argument("--created", required=True, type=int)
    parser.add_argument("--out", required=True)
    parser.add_argument("artefacts", nargs="+")
    options = parser.parse_args()
    made = document(options.version, options.created, options.artefacts)
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(made, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main()
