// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What runs here: version, CPU features, kernels.

use hornet::kernel::{self, Primitive};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

const PRIMITIVES: [(&str, Primitive); 3] = [
    ("Poly1305", Primitive::Poly1305),
    ("ChaCha20", Primitive::ChaCha20),
    ("AES-128", Primitive::Aes128),
];

fn primitive_named(name: &str) -> PyResult<Primitive> {
    PRIMITIVES
        .iter()
        .find_map(|(known, primitive)| (*known == name).then_some(*primitive))
        .ok_or_else(|| {
            let known = PRIMITIVES.map(|(known, _)| known).join(", ");
            PyValueError::new_err(format!("no primitive \"{name}\": there are {known}"))
        })
}

/// Return what runs here: the library's version, the CPU features that it looks for and whether this CPU has them, and
/// for each primitive the kernel in use for long messages and all kernels, best first.
#[pyfunction]
pub(crate) fn info(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let features = PyDict::new(py);
    for feature in kernel::cpu_features() {
        features.set_item(feature.name, feature.usable)?;
    }
    let primitives = PyDict::new(py);
    for (name, primitive) in PRIMITIVES {
        let kernels = PyList::empty(py);
        for one in kernel::all(primitive) {
            let described = PyDict::new(py);
            described.set_item("name", one.name)?;
            described.set_item("requires", one.required.names().collect::<Vec<_>>())?;
            described.set_item("lanes", one.lanes)?;
            described.set_item("min_bytes", one.min_bytes)?;
            described.set_item("supported", one.supported)?;
            kernels.append(described)?;
        }
        let described = PyDict::new(py);
        described.set_item("in_use", kernel::in_use(primitive))?;
        described.set_item("kernels", kernels)?;
        primitives.set_item(name, described)?;
    }
    let info = PyDict::new(py);
    info.set_item("version", hornet::version())?;
    info.set_item("cpu_features", features)?;
    info.set_item("primitives", primitives)?;
    Ok(info)
}

/// Use a kernel for all later calls of a primitive, "Poly1305", "ChaCha20" or "AES-128", in all threads: for tests. None
/// restores the automatic choice. Raises ValueError if there is no such kernel, or this CPU cannot run it.
#[pyfunction]
#[pyo3(signature = (primitive, kernel))]
pub(crate) fn force_kernel(primitive: &str, kernel: Option<&str>) -> PyResult<()> {
    let of = primitive_named(primitive)?;
    kernel::force(of, kernel).map_err(|_| {
        let known = kernel::names(of).collect::<Vec<_>>().join(", ");
        PyValueError::new_err(format!(
            "no kernel \"{}\" of {primitive} that this CPU runs: there are {known}",
            kernel.unwrap_or_default()
        ))
    })
}
