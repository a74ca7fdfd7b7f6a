//! What stands between a program and its disk: `shim.c`, built by the machine's C compiler and loaded before the program's own
//! library. It makes syncs slower, or keeps a journal of what is written to a database. Never part of a program that is shipped.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The built library, gone when dropped.
pub struct Shim {
    folder: tempfile::TempDir,
}

impl Shim {
    /// Builds it. Needs `cc`, as building SQLite does.
    pub fn build() -> Shim {
        let folder = tempfile::tempdir().unwrap();
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/harness/shim.c");
        let library = folder.path().join("shim.so");
        let built = Command::new("cc")
            .args(["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-pthread", "-o"])
            .arg(&library)
            .args([source, "-ldl"])
            .output()
            .expect("cc is there");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        Shim { folder }
    }

    /// What a command's environment must have so that each of its syncs takes this much longer.
    pub fn slower(&self, by: Duration) -> Vec<(&'static str, String)> {
        vec![self.preload(), ("SHIM_SYNC_MICROS", by.as_micros().to_string())]
    }

    /// The same so that everything it writes to `database` stands in `journal`.
    pub fn recording(&self, database: &Path, journal: &Path) -> Vec<(&'static str, String)> {
        let database = database.canonicalize().unwrap().display().to_string();
        let journal = journal.display().to_string();
        vec![self.preload(), ("SHIM_DATABASE", database), ("SHIM_JOURNAL", journal)]
    }

    fn preload(&self) -> (&'static str, String) {
        ("LD_PRELOAD", self.folder.path().join("shim.so").display().to_string())
    }
}
