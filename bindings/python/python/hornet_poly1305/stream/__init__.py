# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Long texts in chunks of 64 KiB, each of which is released only after its own tag was verified: age's and Crypt4GH's.

open_age and seal_age open and seal files of age v1 (c2sp.org/age), as the commands age and hornet do; Reader and Writer are their
payload alone, under a StreamKey. SegmentReader and SegmentWriter are the payload of Crypt4GH files, whose headers the package
crypt4gh reads and writes.

Readers are binary files over another one, which stays open: local, in memory, or in a bucket by fsspec. What read returns was
verified. If the other file can seek, so can they, and read(n) reads the chunks that have these bytes, in one request up to 4 MiB,
and nothing else. Open files of fsspec with cache_type="none", or they read ahead.

A writer ends the text when it is closed, and by an exception in its with statement it does not, nor when it is deleted: then a
Reader refuses the text as cut off.
"""

from hornet_poly1305._exceptions import ChunkError, CutOffError, GoesOnError
from hornet_poly1305._native import SegmentKeys, StreamKey
from hornet_poly1305._native import new_age_identity as new_identity
from hornet_poly1305.stream._age import Reader, Writer, open_age, seal_age
from hornet_poly1305.stream._segments import SegmentReader, SegmentWriter

__all__ = [
    "ChunkError",
    "CutOffError",
    "GoesOnError",
    "Reader",
    "SegmentKeys",
    "SegmentReader",
    "SegmentWriter",
    "StreamKey",
    "Writer",
    "new_identity",
    "open_age",
    "seal_age",
]
