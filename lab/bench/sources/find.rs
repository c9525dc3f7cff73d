// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Where the files of the crates in Cargo.toml are. Two build scripts include this file.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder of a crate that `manifest` names, which Cargo downloads if it is not there.
pub(crate) fn folder(manifest: &Path, crate_name: &str) -> Result<PathBuf, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--locked", "--format-version", "1"]);
    let output = command.arg("--manifest-path").arg(manifest).output();
    let text = match output {
        Ok(output) if output.status.success() => output.stdout,
        _ => return Err(format!("{crate_name} cannot be downloaded")),
    };
    let text = String::from_utf8_lossy(&text);
    let manifests = text.split("\"manifest_path\":\"").skip(1);
    let mut folders = manifests.filter_map(|rest| Path::new(rest.split('"').next()?).parent());
    let named = |folder: &&Path| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let version = name.strip_prefix(crate_name).unwrap_or_default();
        version.starts_with('-') && version[1..].starts_with(|c: char| c.is_ascii_digit())
    };
    let folder = folders.find(named).map(Path::to_path_buf);
    folder.ok_or_else(|| format!("there is no {crate_name}"))
}
