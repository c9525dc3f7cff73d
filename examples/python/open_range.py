# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Open a range of a sealed object in a bucket by ranged requests: of the header, and of the chunks that have the range.

    python open_range.py IDENTITIES URL OFFSET LENGTH [OPTIONS]     writes these bytes of the text to standard output
    python open_range.py --seal RECIPIENT URL [OPTIONS]             seals standard input to an object, to try it on

URL is what fsspec opens, such as s3://bucket/key with s3fs, and OPTIONS are the file system's, as JSON. IDENTITIES is a file as
`hornet keygen --age` and `age-keygen` make it; age, rage and `hornet seal` make the same objects.
"""

import json
import shutil
import sys
from pathlib import Path

import fsspec
from hornet_poly1305.stream import open_age, seal_age


def opened(identities: list[str], url: str, offset: int, length: int, **options: object) -> bytes:
    """Return bytes of the text of an object, fewer if it ends before."""
    store, path = fsspec.url_to_fs(url, **options)
    # Without a cache, only what is needed is requested.
    with store.open(path, "rb", cache_type="none") as sealed, open_age(sealed, identities) as text:
        text.seek(offset)
        return text.read(length)


def seal(recipient: str, url: str, source: object, **options: object) -> None:
    """Seal a text to a new object."""
    with fsspec.open(url, "wb", **options) as sealed, seal_age(sealed, [recipient]) as text:
        shutil.copyfileobj(source, text, 1 << 20)


def main(arguments: list[str]) -> None:
    match arguments:
        case ["--seal", recipient, url, *options]:
            seal(recipient, url, sys.stdin.buffer, **json.loads(options[0] if options else "{}"))
        case [path, url, offset, length, *options]:
            lines = Path(path).read_text().splitlines()
            identities = [line for line in lines if line.strip() and not line.startswith("#")]
            options = json.loads(options[0] if options else "{}")
            sys.stdout.buffer.write(opened(identities, url, int(offset), int(length), **options))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
