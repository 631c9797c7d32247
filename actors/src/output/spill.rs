//! The file that gets all of an output when somebody asks for it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// A file, 0600 in a folder of 0700, that output is appended to.
#[derive(Debug)]
pub struct Spill {
    path: PathBuf,
    file: File,
    failed: Option<io::Error>,
}

impl Spill {
    /// Makes a new file in `folder`, which is made as well.
    ///
    /// # Errors
    /// The folder or the file could not be made.
    pub fn create(folder: &Path) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let path = folder.join(format!("{}.out", uuid::Uuid::new_v4().simple()));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        Ok(Self { path, file, failed: None })
    }

    /// Appends `bytes`. The first failure (a full disk) is remembered and ends the writing.
    pub fn write(&mut self, bytes: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.file.write_all(bytes).err();
        }
    }

    /// Where the file is, and what went wrong with it if something did.
    #[must_use]
    pub fn finish(self) -> (PathBuf, Option<io::Error>) {
        (self.path, self.failed)
    }
}
