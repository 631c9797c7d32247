//! Files and folders that only this user may read.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::Path;

/// Makes `folder` and what is missing above it, 0700. One that exists is only taken if it is this
/// user's own, and is closed to others.
///
/// # Errors
/// It cannot be made, or belongs to somebody else.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let metadata = fs::symlink_metadata(folder)?;
    let own = nix::unistd::getuid().as_raw();
    if !metadata.is_dir() || metadata.uid() != own {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("{} is not a folder of this user", folder.display()),
        ));
    }
    if metadata.mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Writes `bytes` to `path` in one step: a reader sees the old file or the new one, whole.
///
/// # Errors
/// It was not written; what was there is still there.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension(format!("new-{}", std::process::id()));
    let written = (|| {
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&temporary)?;
        file.write_all(bytes)?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}
