# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The tests of the lab are written like those in tests/."""

from support.runner import *  # noqa: F403
