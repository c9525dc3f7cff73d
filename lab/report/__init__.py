# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reads the results of all measurers, and makes figures and pages from them."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))  # for tools.measure
