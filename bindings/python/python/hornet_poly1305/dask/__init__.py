# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tags of objects and trees made on a Dask cluster: hornet-poly1305[dask].

tag evaluates parts of objects on workers, joins them on the driver, and returns the manifest that `hornet tag` writes. k
and the pads stay on the driver; workers get r. docs/scale-out.md of the repository describes what the cluster sees.
"""

from hornet_poly1305.dask._driver import ClusterError, Summary
from hornet_poly1305.dask._manifest import Entry, Manifest, Report, check, retag, tag

__all__ = ["ClusterError", "Entry", "Manifest", "Report", "Summary", "check", "retag", "tag"]
