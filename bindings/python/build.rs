// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Sets `PyO3`'s conditions, such as `Py_GIL_DISABLED`, for this crate too.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
