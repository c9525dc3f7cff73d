# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run python -m coconut.prove: some of the proofs of `coconut prove`, which need no packages beside Python."""

import sys

from coconut.prove.command import Wanted, failures, prove, quick

if failed := failures(quick(), prove(quick()), Wanted()):
    sys.exit("\n  ".join(["not everything is proved:", *failed]))
