# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The kernels that a build of the library lists: hornet_kernel_at of hornet_kernels.h."""

import ctypes
from collections.abc import Iterator
from itertools import count


class Kernel(ctypes.Structure):
    """A hornet_kernel."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("required", ctypes.c_char * 64),
        ("lanes", ctypes.c_size_t),
        ("min_bytes", ctypes.c_size_t),
        ("min_batch_bytes", ctypes.c_size_t),
        ("supported", ctypes.c_bool),
    )


def listed(loaded: ctypes.CDLL, primitive: int) -> Iterator[Kernel]:
    """Yield the kernels of a primitive, best first."""
    loaded.hornet_kernel_at.restype = ctypes.c_bool
    for index in count():
        kernel = Kernel()
        if not loaded.hornet_kernel_at(ctypes.byref(kernel), ctypes.c_int(primitive), ctypes.c_size_t(index)):
            return
        yield kernel
