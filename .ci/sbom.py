"""A list of what the files of a release contain, in the format SPDX 2.3, on standard output.

    sbom.py VERSION FOLDER [--part "NAME VERSION LICENCE PURL"]... [--pins Package.resolved]...

FOLDER holds the files of the release. A part is a component inside the programs; the parts of Swift packages are read
from the pins. See docs/licences.md for the terms, and https://spdx.github.io/spdx-spec/v2.3/ for the format.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib

NAME = "eightball"
#: Swift's packages all have this licence.
APACHE = "Apache-2.0"


def component(name: str, version: str, licence: str, purl: str) -> dict:
    """A package of SPDX, without files of its own."""
    return {
        "SPDXID": f"SPDXRef-Package-{name}",
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"{purl}@{version}",
            }
        ],
    }


def pinned(path: pathlib.Path) -> list[dict]:
    """The Swift packages of a Package.resolved."""
    components = []
    for pin in json.loads(path.read_text())["pins"]:
        location = pin["location"].removeprefix("https://").removesuffix(".git")
        state = pin["state"]
        version = state.get("version") or state["revision"]
        components.append(component(pin["identity"], version, APACHE, f"pkg:swift/{location}"))
    return components


def file(path: pathlib.Path) -> dict:
    """A file of the release, with its checksums."""
    data = path.read_bytes()
    return {
        "SPDXID": f"SPDXRef-File-{path.name.replace('_', '-')}",
        "fileName": f"./{path.name}",
        "checksums": [
            {"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()},
        ],
        "licenseConcluded": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }


def relation(one: str, kind: str, other: str) -> dict:
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("version")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--part", action="append", default=[])
    parser.add_argument("--pins", action="append", default=[], type=pathlib.Path)
    options = parser.parse_args()

    ours = component(NAME, options.version, "MIT", f"pkg:generic/{NAME}")
    parts = {}
    for part in [component(*part.split()) for part in options.part]:
        parts[part["SPDXID"]] = part
    for pins in options.pins:
        parts |= {part["SPDXID"]: part for part in pinned(pins)}
    paths = sorted(path for path in options.folder.iterdir() if not path.name.endswith(".spdx.json"))
    files = [file(path) for path in paths]
    # The same files give the same list, but for the time, which may be given.
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
    time = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    digest = hashlib.sha256(json.dumps(files).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{NAME}-{options.version}",
        "documentNamespace": f"urn:{NAME}:{options.version}:{digest}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: sbom.py", "Organization: The 8-Ball Project"],
        },
        "packages": [ours, *parts.values()],
        "files": files,
        "relationships": [
            relation("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"]),
            *(relation(each["SPDXID"], "GENERATED_FROM", ours["SPDXID"]) for each in files),
            *(relation(ours["SPDXID"], "DEPENDS_ON", each) for each in parts),
        ],
    }
    print(json.dumps(document, indent=2, ensure_ascii=False))


main()
