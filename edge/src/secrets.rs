//! The secrets of this box, in files of their own under the data folder: made at the first start, readable by the server's
//! user alone. Never in the database, so neither in its backups; never printed.

use crate::db::{Random, Signer};
use crate::state::Secrets;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FOLDER: &str = "secrets";
const NAMES: [&str; 4] = ["pepper", "sealing-key", "token-key", SIGNING];

/// The key that bills are signed with. Of a life of the box: where another begins, so does the key.
pub const SIGNING: &str = "signing-key";

/// The secrets of a running server.
#[derive(Clone)]
pub struct Keys {
    /// What handlers use.
    pub secrets: Secrets,
    /// Signs access tokens.
    pub token_key: [u8; 32],
}

/// Why the secrets could not be had.
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
    /// A file is there but holds no key. It is not replaced: with another pepper no PIN would be known any more.
    #[error("{0} does not hold 64 hexadecimal digits; restore it from where it was copied to")]
    Damaged(PathBuf),
    /// There are none, of a branch that has had some.
    #[error(
        "{} is gone, and the branch is there: without its secrets no PIN is known, and nobody stays signed in.\n\
         Is the disk they were on mounted? Where they were kept apart:\n  edge restore --secrets FILE\n\
         Lost for good, they are made anew; then every PIN must be set anew, everybody signs in again, and head office takes this box \
         with --replace:\n  edge restore --new-secrets",
        .0.display()
    )]
    Lost(PathBuf),
}

/// Reads the secrets under `data_dir`, or makes them when there are none yet: only where a branch begins, or somebody asked for it.
///
/// # Errors
/// As [`load`], and a file that cannot be written.
pub fn load_or_create(data_dir: &Path, random: &dyn Random) -> Result<Keys, SecretsError> {
    if !are_there(data_dir) {
        create(data_dir, &data_dir.join(FOLDER), random, None)?;
    }
    load(data_dir)
}

/// Whether there are secrets under `data_dir`, whole or not.
pub fn are_there(data_dir: &Path) -> bool {
    data_dir.join(FOLDER).exists()
}

/// Reads the secrets under `data_dir`.
///
/// # Errors
/// [`SecretsError::Lost`] where there are none; a file that cannot be read or understood. A folder with one of its files missing is
/// refused, not completed.
pub fn load(data_dir: &Path) -> Result<Keys, SecretsError> {
    let folder = data_dir.join(FOLDER);
    if !folder.exists() {
        return Err(SecretsError::Lost(folder));
    }
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).map_err(at(&folder))?;
    let [pepper, sealing_key, token_key] =
        ["pepper", "sealing-key", "token-key"].map(|name| read(&folder.join(name)));
    let secrets = Secrets { pepper: Arc::new(pepper?), sealing_key: Arc::new(sealing_key?) };
    Ok(Keys { secrets, token_key: token_key? })
}

/// The key that this box signs its bills with. A box of before has none: it is made, and a disk that takes no file keeps nobody from opening.
///
/// # Errors
/// As [`load`]: one that is there and cannot be read is not replaced.
pub fn signer(data_dir: &Path, random: &dyn Random) -> Result<Option<Arc<Signer>>, SecretsError> {
    let path = data_dir.join(FOLDER).join(SIGNING);
    if !path.exists()
        && let Err(error) = renew_signer(data_dir, random)
    {
        tracing::warn!(%error, "bills are not signed: their key cannot be made");
        return Ok(None);
    }
    Ok(Signer::of(&read(&path)?).map(Arc::new))
}

/// Begins a new key to sign bills with, where there are secrets; the one before is gone for good.
///
/// # Errors
/// A file that cannot be written.
pub fn renew_signer(data_dir: &Path, random: &dyn Random) -> Result<(), SecretsError> {
    let folder = data_dir.join(FOLDER);
    if !folder.exists() {
        return Ok(());
    }
    let (path, making) = (folder.join(SIGNING), folder.join("signing-key.new"));
    match fs::remove_file(&making) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&making)(error)),
        _ => {}
    }
    let mut key = [0; 32];
    random.fill(&mut key);
    write(&making, &key)?;
    fs::rename(&making, &path).map_err(at(&path))?;
    File::open(&folder).and_then(|folder| folder.sync_all()).map_err(at(&folder))
}

/// Makes the secrets of a box that takes another's place: with the pepper of its PINs, so that they go on working, and keys of its
/// own. Does nothing when there are secrets with that pepper already.
///
/// # Errors
/// A file that cannot be written; other secrets that are there already.
pub fn create_with_pepper(data_dir: &Path, random: &dyn Random, pepper: &str) -> Result<(), SecretsError> {
    let folder = data_dir.join(FOLDER);
    let wrong = || SecretsError::Damaged(folder.join("pepper"));
    let pepper = *blake3::Hash::from_hex(pepper).map_err(|_| wrong())?.as_bytes();
    if !folder.exists() {
        return create(data_dir, &folder, random, Some(pepper));
    }
    if read(&folder.join("pepper"))? == pepper { Ok(()) } else { Err(wrong()) }
}

/// The pepper of the PINs, as text: for head office, which keeps it sealed.
///
/// # Errors
/// When there is none, or it cannot be read.
pub fn pepper(data_dir: &Path) -> Result<String, SecretsError> {
    let pepper = read(&data_dir.join(FOLDER).join("pepper"))?;
    Ok(blake3::Hash::from_bytes(pepper).to_hex().to_string())
}

/// The folder of TLS keys and certificates below a data directory.
pub const TLS_FOLDER: &str = "tls";

/// The local certificate authority, with its key, in that folder.
pub const AUTHORITY: &str = "authority.pem";

/// The local certificate authority with its key, for head office, which keeps it sealed; none where there is none, or it is not text.
pub fn tls_authority(data_dir: &Path) -> Option<String> {
    fs::read_to_string(data_dir.join(TLS_FOLDER).join(AUTHORITY)).ok()
}

/// Keeps the certificate authority of the box whose place this one takes: tablets go on believing it. One that is there is never
/// written over.
///
/// # Errors
/// A file that cannot be written.
pub fn keep_tls_authority(data_dir: &Path, pem: &str) -> Result<(), SecretsError> {
    let folder = data_dir.join(TLS_FOLDER);
    let path = folder.join(AUTHORITY);
    if path.exists() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(at(&folder))?;
    let making = path.with_extension("new");
    let write = || -> io::Result<()> {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&making)?;
        file.write_all(pem.as_bytes())?;
        file.sync_all()?;
        fs::rename(&making, &path)?;
        File::open(&folder)?.sync_all()
    };
    write().map_err(at(&path))
}

/// Makes the folder under another name and renames it: it is there whole or not at all.
fn create(
    data_dir: &Path,
    folder: &Path,
    random: &dyn Random,
    pepper: Option<[u8; 32]>,
) -> Result<(), SecretsError> {
    let making = data_dir.join("secrets.new");
    if making.exists() {
        fs::remove_dir_all(&making).map_err(at(&making))?;
    }
    DirBuilder::new().recursive(true).mode(0o700).create(&making).map_err(at(&making))?;
    for name in NAMES {
        let mut key = [0; 32];
        match pepper {
            Some(pepper) if name == "pepper" => key = pepper,
            _ => random.fill(&mut key),
        }
        let path = making.join(name);
        write(&path, &key)?;
    }
    fs::rename(&making, folder).map_err(at(folder))?;
    let sync = |path: &Path| File::open(path).and_then(|file| file.sync_all()).map_err(at(path));
    sync(folder)?;
    sync(data_dir)
}

/// Makes the file of a key.
fn write(path: &Path, key: &[u8; 32]) -> Result<(), SecretsError> {
    let write = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        writeln!(file, "{}", blake3::Hash::from_bytes(*key).to_hex())?;
        file.sync_all()
    };
    write().map_err(at(path))
}

fn read(path: &Path) -> Result<[u8; 32], SecretsError> {
    let text = fs::read_to_string(path).map_err(at(path))?;
    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(at(path))?;
    let hash = blake3::Hash::from_hex(text.trim()).map_err(|_| SecretsError::Damaged(path.to_owned()))?;
    Ok(*hash.as_bytes())
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> SecretsError {
    let path = path.to_owned();
    move |source| SecretsError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::OsRandom;

    #[test]
    fn made_once_and_read_back_by_the_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let first = load_or_create(folder.path(), &OsRandom).unwrap();
        let second = load_or_create(folder.path(), &OsRandom).unwrap();
        assert_eq!(first.token_key, second.token_key);
        assert_eq!(first.secrets.pepper, second.secrets.pepper);
        assert_ne!(first.secrets.pepper, first.secrets.sealing_key);
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(folder.path().join(FOLDER)), 0o700);
        for name in NAMES {
            assert_eq!(mode(folder.path().join(FOLDER).join(name)), 0o600);
        }
    }

    #[test]
    fn a_box_of_before_gets_a_key_for_its_bills_and_a_new_life_another() {
        let folder = tempfile::tempdir().unwrap();
        load_or_create(folder.path(), &OsRandom).unwrap();
        let path = folder.path().join(FOLDER).join(SIGNING);
        let public = || signer(folder.path(), &OsRandom).unwrap().unwrap().public().to_vec();
        let first = public();
        assert_eq!(public(), first);
        fs::remove_file(&path).unwrap();
        let made = public();
        assert_ne!(made, first);
        renew_signer(folder.path(), &OsRandom).unwrap();
        assert_ne!(public(), made);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&path, "short").unwrap();
        assert!(matches!(signer(folder.path(), &OsRandom), Err(SecretsError::Damaged(_))));
        let none = tempfile::tempdir().unwrap();
        renew_signer(none.path(), &OsRandom).unwrap();
        assert!(!are_there(none.path()), "secrets are not begun by this");
    }

    #[test]
    fn a_lost_or_damaged_key_is_not_silently_replaced() {
        let folder = tempfile::tempdir().unwrap();
        load_or_create(folder.path(), &OsRandom).unwrap();
        let pepper = folder.path().join(FOLDER).join("pepper");
        fs::write(&pepper, "short").unwrap();
        assert!(matches!(load_or_create(folder.path(), &OsRandom), Err(SecretsError::Damaged(_))));
        fs::remove_file(&pepper).unwrap();
        assert!(matches!(load_or_create(folder.path(), &OsRandom), Err(SecretsError::File { .. })));
    }
}
