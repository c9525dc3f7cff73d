# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a package of Rust is built of, as cargo says."""

import json
import subprocess

# Those for which something is released that has been built.
PLATFORMS = [
    f"{machine}-unknown-linux-{environment}" for machine in ("x86_64", "aarch64") for environment in ("gnu", "musl")
]


class Packages:
    """Cargo's packages by identity, and the dependencies of each that are part of a build for one of PLATFORMS."""

    def __init__(self, source):
        command = "cargo metadata --format-version 1 --locked".split()
        command += [f"--filter-platform={platform}" for platform in PLATFORMS]
        metadata = json.loads(subprocess.run(command, cwd=source, check=True, capture_output=True).stdout)
        self.by_id = {package["id"]: package for package in metadata["packages"]}
        self.dependencies = {
            node["id"]: [
                dependency["pkg"]
                for dependency in node["deps"]
                if any(kind["kind"] is None for kind in dependency["dep_kinds"])
            ]
            for node in metadata["resolve"]["nodes"]
        }

    def identity(self, name):
        (found,) = (key for key, package in self.by_id.items() if package["name"] == name)
        return found

    def closure(self, name):
        """Return the identities, in order, of the package with this name and of all that it depends on."""
        found, to_do = set(), [self.identity(name)]
        while to_do:
            key = to_do.pop()
            if key not in found:
                found.add(key)
                to_do += self.dependencies[key]
        return sorted(found)
