# SPDX-License-Identifier: Apache-2.0 OR MIT
"""tests/support/__init__.py shows how to write a test."""

from support.runner import *  # noqa: F403
