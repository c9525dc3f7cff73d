# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write an SBOM beside each file that is released: CycloneDX 1.6, FILE.cdx.json.

    build/release/venv/bin/python tools/release/sbom.py SOURCE FOLDER TIME

SOURCE is the unpacked source archive, and TIME seconds since 1970. A component is what a file contains, or, for crates, what
a build of their lock file adds: packages of Rust with version, licence, and checksum. The library in C, the provider, and the
packages for Go and JavaScript contain nothing but the project's own code.
"""

import datetime
import hashlib
import re
import sys
import uuid
from pathlib import Path

import tomllib
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL
from rust_packages import Packages

OWN_LICENSE = "Apache-2.0 OR MIT"
# Files, and the package of Rust whose dependencies they contain.
CONTENTS = {
    r"(hornet-poly1305[a-z-]*)-\d[^-]*\.crate": None,
    r"hornet_poly1305-.*\.(whl|tar\.gz)": "hornet-poly1305-python",
    r"hornet(-dbgsym)?_.*\.deb": "hornet-poly1305-cli",
}


def checksums_of(source):
    """Return the checksums of packages of Rust, by name and version."""
    lock = tomllib.loads((source / "Cargo.lock").read_text())
    return {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}


def component_of(package, checksum):
    """Return a package of Rust as a component."""
    name, version = package["name"], package["version"]
    # cargo's older form of OR.
    license_text = re.sub(r" */ *", " OR ", package["license"] or "")
    if not license_text:
        sys.exit(f"{sys.argv[0]}: {name} {version} names no licence")
    return Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        bom_ref=f"{name}@{version}",
        purl=PackageURL("cargo", None, name, version),
        licenses=[LicenseFactory().make_from_string(license_text)],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=checksum)] if checksum else [],
    )


def write(file, root_package, time, rust, checksums):
    """Write the SBOM of a file that contains what a package of Rust depends on, or nothing."""
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    version = re.search(r"\d+\.\d+\.\d+", file.name)[0]
    bom = Bom(serial_number=uuid.UUID(digest[:32]))
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(time, datetime.UTC)
    bom.metadata.component = Component(
        name=file.name,
        version=version,
        type=ComponentType.FILE,
        bom_ref=file.name,
        licenses=[LicenseFactory().make_from_string(OWN_LICENSE)],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
    )
    if root_package:
        components = {}
        for key in rust.closure(root_package):
            package = rust.by_id[key]
            components[key] = component_of(package, checksums.get((package["name"], package["version"])))
        for key, component in components.items():
            bom.components.add(component)
            bom.register_dependency(component, [components[other] for other in rust.dependencies[key]])
        bom.register_dependency(bom.metadata.component, [components[rust.identity(root_package)]])
    path = file.with_name(f"{file.name}.cdx.json")
    path.write_text(make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1) + "\n")


def main(source, folder, time):
    rust, checksums = Packages(source), checksums_of(source)
    for file in sorted(folder.iterdir()):
        root = None
        for pattern, package in CONTENTS.items():
            if found := re.fullmatch(pattern, file.name):
                root = package or found[1]
        write(file, root, time, rust, checksums)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(f"usage: {sys.argv[0]} SOURCE FOLDER TIME")
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
