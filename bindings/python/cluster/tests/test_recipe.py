# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The commands of docs/incremental.md for a bucket, as they stand there, with the options of the tests' cluster and store."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from conftest import PATIENCE_SECONDS, ROOT, hornet

MIB = 1 << 20


def test_recipe_of_a_bucket(tmp_path, cluster, s3):
    page = (ROOT / "docs/incremental.md").read_text()
    tag, retag, check = re.search(r"^### A bucket of weights\n+```sh\n(.*?)^```$", page, re.M | re.S)[1].splitlines()
    model, config = os.urandom(3 * MIB), b"{}"
    s3.bucket("bucket", {b"weights/model.safetensors": model, b"weights/config.json": config})
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    store = [f"--option={name}={json.dumps(value)}" for name, value in s3.options.items()]
    options = shlex.join(map(str, [*cluster.options(), *store]))

    def do(line, status=0):
        done = subprocess.run(
            ["sh", "-c", f"exec {line} {options}"],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    hornet("keygen", "key", cwd=tmp_path)
    do(tag)
    s3.put("bucket", b"weights/config.json", config := b'{"layers": 2}')
    s3.put("bucket", b"weights/tokenizer.json", tokenizer := b"[]")
    assert f"{len(model)} bytes were not read" in do(retag)
    copy = tmp_path / "weights"
    copy.mkdir()
    for name, content in ("model.safetensors", model), ("config.json", config), ("tokenizer.json", tokenizer):
        (copy / name).write_bytes(content)
    assert hornet("check", "-k", "key", "--strict", "manifest", cwd=tmp_path).count("OK") == 3
    assert "weights/model.safetensors: OK" in do(check)
    s3.put("bucket", b"weights/model.safetensors", b"\0" + model[1:])
    do(check, 1)
