# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A real application: every Poly1305-AES tag in restic's repositories is verified with this library.

They have both versions of its format, with two keys, two snapshots and a lock.
"""

import os
import re
import shutil
import subprocess
import time
import zlib

from support import ROOT, output, row, rows, run
from support.products import made_library, once

HERE = ROOT / "tests/integration/restic"
RESTIC = "/usr/bin/restic"


def build(folder):
    # The go command does not notice changes to a library or a header outside its module.
    header = zlib.crc32(b"".join(path.read_bytes() for path in sorted((ROOT / "include").glob("*.h"))))
    library = made_library() / "libhornet.a"
    env = {"CGO_ENABLED": 1, "CGO_CFLAGS": f"-O2 -I{ROOT}/include -DHEADER={header}", "CGO_LDFLAGS": library}
    run("go", "build", "-buildvcs=false", "-o", folder / "verify", ".", cwd=HERE, env=env)


@rows(
    "version",
    row("restic-1", 1, suites="release", cpu_seconds=20),
    row("restic-2", 2, suites="slow", cpu_seconds=20),
)
def test_restic(version, outside):
    verify = once("restic", build) / "verify"
    repository, sources = outside / "repository", outside / "sources"
    settings = {"TMPDIR": outside, "RESTIC_CACHE_DIR": outside / "cache", "RESTIC_REPOSITORY": repository}
    settings["RESTIC_PASSWORD"] = "the first password"
    # Keeps the caller's environment away from restic.
    restic = ["env", "-i", *(f"{name}={value}" for name, value in settings.items()), RESTIC, "--quiet"]

    run(*restic, "init", "--repository-version", version)
    for name in ("include", "src", "tests", "docs"):
        shutil.copytree(ROOT / name, sources / name)
    run(*restic, "backup", sources)
    (outside / "password").write_text("the second password")
    run(*restic, "key", "add", "--new-password-file", outside / "password")
    shutil.rmtree(sources / "docs")
    shutil.copy(RESTIC, sources / "a large file")
    run(*restic, "backup", sources)
    leave_lock([*restic, "backup", "--stdin"], repository / "locks")

    verified = output(verify, repository, "the first password", "the second password")
    # restic counts the same number of blobs.
    blobs = output(*restic, "list", "--no-lock", "blobs").splitlines()
    assert f"{len(blobs)} pack blob" in verified.splitlines()


def leave_lock(command, locks):
    """Kill the owner of a lock, which then remains, while it waits for input to back up."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, process_group=0) as owner:
        for _ in range(300):
            if any(re.fullmatch("[0-9a-f]{64}", name) for name in os.listdir(locks)):
                break
            time.sleep(0.1)
        owner.kill()
    assert list(locks.iterdir())
