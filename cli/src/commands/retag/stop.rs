// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Why `hornet retag` has written nothing.

use crate::error::Error;
use hornet_manifest::parts;

/// Why nothing was written.
pub(super) enum Stop {
    /// Something cannot be read or written, or was not given correctly.
    Failed(Error),
    /// What was read must not be trusted.
    Refused(Error),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Tells what must not be trusted from what cannot be read.
pub(super) fn refused(error: parts::Error) -> Stop {
    let is_refusal = error.is_refusal();
    let error = Error::from(error);
    if is_refusal {
        Stop::Refused(error)
    } else {
        Stop::Failed(error)
    }
}
