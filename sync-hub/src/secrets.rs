//! The one secret of a head office, shared by its processes and never in the database: from a file that its owner alone can read,
//! or from the environment. Everything else that must be secret is derived from it. Never printed.

use crate::config::Store;
use edge::access::seal::{SealError, Sealer};
use edge::db::Random;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FILE: &str = "hub-secret";

/// What is derived from the secret.
#[derive(Clone)]
pub struct Keys {
    /// Signs access tokens.
    pub token_key: [u8; 32],
    /// Derives the successors of refresh tokens.
    pub refresh_key: Arc<[u8; 32]>,
    /// Seals what stands in the database.
    pub sealer: Sealer,
    /// Stands for the secret in the database: whoever comes with another one is refused.
    pub check: [u8; 32],
}

/// Why the secret could not be had. The text is for the person who starts the process.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// The file system refused.
    #[error("{path}: {source}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file or setting is there but holds no secret. It is not replaced: what was sealed with it would be lost.
    #[error("{0} does not hold 64 hexadecimal digits; restore it from where it was copied to")]
    Damaged(String),
    /// The cipher refused the key.
    #[error(transparent)]
    Seal(#[from] SealError),
}

/// The keys of the configured secret; none when there is none yet. Changes nothing.
///
/// # Errors
/// A file that cannot be read or understood.
pub fn look(store: &Store) -> Result<Option<Keys>, SecretsError> {
    let (text, place) = match &store.secret {
        Some(given) => (given.reveal().to_owned(), "the setting secret".to_owned()),
        None => {
            let path = file(store);
            match fs::read_to_string(&path) {
                Ok(text) => (text, path.display().to_string()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(at(&path)(error)),
            }
        }
    };
    let root = blake3::Hash::from_hex(text.trim()).map_err(|_| SecretsError::Damaged(place))?;
    derive(root.as_bytes()).map(Some)
}

/// Where the secret's file lies.
pub fn folder(store: &Store) -> PathBuf {
    store.secrets_dir.clone().unwrap_or_else(|| store.data_dir.join("secrets"))
}

/// The secret's file.
pub fn file(store: &Store) -> PathBuf {
    folder(store).join(FILE)
}

/// The keys of the configured secret; it is made when there is none yet.
///
/// # Errors
/// A file that cannot be read, written or understood.
pub fn load_or_create(store: &Store, random: &dyn Random) -> Result<Keys, SecretsError> {
    if let Some(given) = &store.secret {
        let root = blake3::Hash::from_hex(given.reveal().trim());
        return derive(root.map_err(|_| SecretsError::Damaged("the setting secret".into()))?.as_bytes());
    }
    let folder = folder(store);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    made.map_err(at(&folder))?;
    let path = folder.join(FILE);
    if !path.exists() {
        create(&folder, &path, random)?;
    }
    fs::set_permissions(&path, Permissions::from_mode(0o600)).map_err(at(&path))?;
    let text = fs::read_to_string(&path).map_err(at(&path))?;
    let root = blake3::Hash::from_hex(text.trim());
    derive(root.map_err(|_| SecretsError::Damaged(path.display().to_string()))?.as_bytes())
}

/// Makes the file under another name and links it: it is there whole or not at all, and of two processes one makes it.
fn create(folder: &Path, path: &Path, random: &dyn Random) -> Result<(), SecretsError> {
    let mut root = [0; 32];
    random.fill(&mut root);
    let mut name = [0; 8];
    random.fill(&mut name);
    let making = folder.join(format!("{FILE}.{:016x}", u64::from_le_bytes(name)));
    let write = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&making)?;
        writeln!(file, "{}", blake3::Hash::from_bytes(root).to_hex())?;
        file.sync_all()
    };
    write().map_err(at(&making))?;
    let linked = match fs::hard_link(&making, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    };
    fs::remove_file(&making).map_err(at(&making))?;
    linked.map_err(at(path))?;
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(at(folder))
}

fn derive(root: &[u8; 32]) -> Result<Keys, SecretsError> {
    let key = |purpose| blake3::derive_key(purpose, root);
    Ok(Keys {
        token_key: key("tiffin hub 2026-11 access tokens"),
        refresh_key: Arc::new(key("tiffin hub 2026-11 successors of refresh tokens")),
        sealer: Sealer::new(&key("tiffin hub 2026-11 what is sealed in the database"))?,
        check: key("tiffin hub 2026-11 stands for the secret"),
    })
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> SecretsError {
    let path = path.to_owned();
    move |source| SecretsError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use edge::db::OsRandom;

    fn store(folder: &Path, more: &[(&'static str, &str)]) -> Store {
        let given = [("data-dir", folder.to_str().unwrap())];
        Config::with(given.into_iter().chain(more.iter().copied())).unwrap().store
    }

    #[test]
    fn made_once_and_read_back_by_the_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path(), &[]);
        assert!(look(&store).unwrap().is_none() && !folder.path().join("secrets").exists());
        let [first, second] = [(); 2].map(|()| load_or_create(&store, &OsRandom).unwrap());
        assert_eq!((first.check, first.token_key), (second.check, second.token_key));
        assert_eq!(look(&store).unwrap().unwrap().check, first.check);
        let file = folder.path().join("secrets").join(FILE);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path().join("secrets")).unwrap().count(), 1);
        fs::write(&file, "short").unwrap();
        assert!(matches!(look(&store), Err(SecretsError::Damaged(_))));
        assert!(matches!(load_or_create(&store, &OsRandom), Err(SecretsError::Damaged(_))));
    }

    #[test]
    fn the_environment_may_hold_it_and_nothing_is_written_then() {
        let folder = tempfile::tempdir().unwrap();
        let secret = "ab".repeat(32);
        let keys = load_or_create(&store(folder.path(), &[("secret", &secret)]), &OsRandom).unwrap();
        let other = "cd".repeat(32);
        let others = load_or_create(&store(folder.path(), &[("secret", &other)]), &OsRandom).unwrap();
        assert_ne!(keys.check, others.check);
        assert!(!folder.path().join("secrets").exists());
        let wrong = store(folder.path(), &[("secret", "0123456789abcdefgh")]);
        assert!(matches!(load_or_create(&wrong, &OsRandom), Err(SecretsError::Damaged(_))));
    }
}
