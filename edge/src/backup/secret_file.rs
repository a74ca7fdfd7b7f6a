//! The box's secrets in one file of their own, to be kept apart from the backups, or sealed with a password: a stolen backup alone then
//! gives no PIN away. Never prints one, never writes over others.

use super::error::BackupError;
use super::packing::{self, at};
use crate::access::hashing;
use crate::access::seal::{SealError, Sealer};
use crate::db::Random;
use crate::root::{as_root, give};
use crate::secrets::SIGNING;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What the file says it is.
const FORMAT: &str = "tiffin-secrets/1";

/// What one says that is sealed, and what it is sealed for.
const SEALED: &str = "tiffin-sealed-secrets/1";

/// The folders below the data directory that hold secrets: keys and peppers, and the local certificate authority.
const FOLDERS: [&str; 2] = ["secrets", "tls"];

/// Why secrets could not be written or put back.
#[derive(Debug, thiserror::Error)]
pub enum SecretFileError {
    /// The file system refuses.
    #[error(transparent)]
    File(#[from] BackupError),
    /// There is nothing to write.
    #[error("{} holds no secrets", .0.display())]
    None(PathBuf),
    /// It is another kind of file.
    #[error("{} is no file of secrets made by `edge backup --secrets`", .0.display())]
    NotOurs(PathBuf),
    /// It is sealed, and no password came with it.
    #[error("{} is sealed with a password: name the file of it with --secrets-password-file", .0.display())]
    Sealed(PathBuf),
    /// The password is another, or the file is damaged.
    #[error("{} does not open: the password is another, or the file is damaged", .0.display())]
    WrongPassword(PathBuf),
    /// It could not be sealed.
    #[error("the secrets could not be sealed")]
    Unsealed,
    /// Others are there already.
    #[error(
        "{} is there already and holds other secrets. They are not written over: move it away first if you are sure",
        .0.display()
    )]
    Others(PathBuf),
}

#[derive(Serialize, Deserialize)]
struct Bundle {
    format: String,
    /// Path below the data directory, and text.
    files: BTreeMap<String, String>,
}

/// A [`Bundle`] that opens with a password alone: AES-256-GCM under a key that argon2id makes of it.
#[derive(Serialize, Deserialize)]
struct Locked {
    format: String,
    /// Of argon2id, in base64.
    salt: String,
    /// Nonce, text and tag, in base64.
    sealed: String,
}

/// A password to seal with, and where salt and nonce come from.
#[derive(Clone, Copy)]
pub struct Lock<'l> {
    /// What a person knows.
    pub password: &'l str,
    /// Draws salt and nonce.
    pub random: &'l dyn Random,
}

fn sealer(password: &str, salt: &[u8]) -> Result<Sealer, SealError> {
    Sealer::new(&hashing::key(password, salt).map_err(|_| SealError)?)
}

impl Lock<'_> {
    fn seal(&self, clear: &[u8]) -> Result<Locked, SealError> {
        let (mut salt, mut nonce) = ([0; 16], [0; 12]);
        self.random.fill(&mut salt);
        self.random.fill(&mut nonce);
        let sealed = sealer(self.password, &salt)?.seal(nonce, SEALED.as_bytes(), clear)?;
        Ok(Locked { format: SEALED.to_owned(), salt: STANDARD.encode(salt), sealed: STANDARD.encode(sealed) })
    }
}

impl Locked {
    fn open(&self, password: &str) -> Option<Vec<u8>> {
        let [salt, sealed] = [&self.salt, &self.sealed].map(|text| STANDARD.decode(text).ok());
        sealer(password, &salt?).ok()?.open(SEALED.as_bytes(), &sealed?).ok()
    }
}

/// Writes the secrets of the data directory `data` to the new file `to`, its owner's alone, sealed with `lock` where there is one;
/// answers how many.
///
/// # Errors
/// See [`SecretFileError`].
pub fn write(data: &Path, to: &Path, lock: Option<Lock<'_>>) -> Result<usize, SecretFileError> {
    let mut files = BTreeMap::new();
    for folder in FOLDERS {
        let Ok(entries) = fs::read_dir(data.join(folder)) else { continue };
        for entry in entries.filter_map(Result::ok).filter(|entry| entry.path().is_file()) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let text = fs::read_to_string(entry.path()).map_err(at(&entry.path()))?;
            files.insert(format!("{folder}/{name}"), text);
        }
    }
    if files.is_empty() {
        return Err(SecretFileError::None(data.to_owned()));
    }
    let count = files.len();
    let bundle = Bundle { format: FORMAT.to_owned(), files };
    let mut text = serde_json::to_vec_pretty(&bundle).map_err(|error| at(to)(error.into()))?;
    if let Some(lock) = lock {
        let locked = lock.seal(&text).map_err(|_| SecretFileError::Unsealed)?;
        text = serde_json::to_vec_pretty(&locked).map_err(|error| at(to)(error.into()))?;
    }
    let making = to.with_extension("making");
    let written = || -> Result<(), BackupError> {
        let mut file = packing::create(&making)?;
        file.write_all(&text).and_then(|()| file.sync_all()).map_err(at(&making))?;
        packing::settle(&making, to)
    };
    as_root(written)?;
    give(to);
    Ok(count)
}

/// Puts the secrets of the file `from`, opened with `password` where it is sealed, into the data directory `data`; answers how many.
///
/// # Errors
/// See [`SecretFileError`]. Secrets that are there already are never written over.
pub fn put_back(data: &Path, from: &Path, password: Option<&str>) -> Result<usize, SecretFileError> {
    let mut text = as_root(|| fs::read(from)).map_err(at(from))?;
    if let Some(locked) =
        serde_json::from_slice::<Locked>(&text).ok().filter(|locked| locked.format == SEALED)
    {
        let password = password.ok_or_else(|| SecretFileError::Sealed(from.to_owned()))?;
        text = locked.open(password).ok_or_else(|| SecretFileError::WrongPassword(from.to_owned()))?;
    }
    let not_ours = || SecretFileError::NotOurs(from.to_owned());
    let bundle: Bundle = serde_json::from_slice(&text).map_err(|_| not_ours())?;
    let is_known = |path: &str| {
        let (folder, name) = path.split_once('/').unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        FOLDERS.contains(&folder) && !name.is_empty() && !name.starts_with('.') && name.chars().all(plain)
    };
    if bundle.format != FORMAT || !bundle.files.keys().all(|path| is_known(path)) {
        return Err(not_ours());
    }
    for folder in FOLDERS {
        let of_folder: BTreeMap<&str, &str> = bundle
            .files
            .iter()
            .filter_map(|(path, text)| Some((path.strip_prefix(folder)?.strip_prefix('/')?, text.as_str())))
            // A key that began since is the present life's.
            .filter(|(name, _)| *name != SIGNING || !data.join(folder).join(name).exists())
            .collect();
        if !of_folder.is_empty() {
            put_folder(&data.join(folder), &of_folder)?;
        }
    }
    Ok(bundle.files.len())
}

/// Puts the files where they are not; none over another. A folder that has none of them is made under another name and renamed: it is
/// there whole or not at all.
fn put_folder(folder: &Path, files: &BTreeMap<&str, &str>) -> Result<(), SecretFileError> {
    let is_there = |name: &str| folder.join(name).exists();
    let is_same =
        |name: &str, text: &str| fs::read_to_string(folder.join(name)).is_ok_and(|held| held == text);
    if files.iter().any(|(name, text)| is_there(name) && !is_same(name, text)) {
        return Err(SecretFileError::Others(folder.to_owned()));
    }
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        for (name, text) in files.iter().filter(|(name, _)| !is_there(name)) {
            let making = folder.join(format!("{name}.new"));
            put_file(&making, text)?;
            packing::settle(&making, &folder.join(name))?;
        }
        return Ok(());
    }
    let making = folder.with_extension("new");
    if making.exists() {
        fs::remove_dir_all(&making).map_err(at(&making))?;
    }
    packing::make_folder(&making)?;
    for (name, text) in files {
        put_file(&making.join(name), text)?;
    }
    Ok(packing::settle(&making, folder)?)
}

fn put_file(path: &Path, text: &str) -> Result<(), SecretFileError> {
    let mut file = packing::create(path)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(at(path))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::OsRandom;
    use crate::secrets;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn secrets_go_and_come_back_and_never_over_others() {
        let [old, new, other] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let keys = secrets::load_or_create(old.path(), &OsRandom).unwrap();
        let file = new.path().join("apart.json");
        assert_eq!(write(old.path(), &file, None).unwrap(), 4);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let comes_back = || {
            assert_eq!(put_back(new.path(), &file, None).unwrap(), 4);
            let found = secrets::load_or_create(new.path(), &OsRandom).unwrap();
            assert_eq!(
                (found.token_key, found.secrets.pepper),
                (keys.token_key, keys.secrets.pepper.clone())
            );
        };
        comes_back();
        comes_back();
        // What is lost of them alone comes back, too: all files of a folder that is left, or one.
        let folder = new.path().join("secrets");
        let all: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        for lost in [&all[..], &all[..1]] {
            lost.iter().for_each(|path| fs::remove_file(path).unwrap());
            comes_back();
        }
        // A life that began since keeps its own key for bills.
        secrets::renew_signer(new.path(), &OsRandom).unwrap();
        let public = || secrets::signer(new.path(), &OsRandom).unwrap().unwrap().public().to_vec();
        let began = public();
        comes_back();
        assert_eq!(public(), began);
        let theirs = secrets::load_or_create(other.path(), &OsRandom).unwrap();
        assert!(matches!(put_back(other.path(), &file, None), Err(SecretFileError::Others(_))));
        assert_eq!(secrets::load_or_create(other.path(), &OsRandom).unwrap().token_key, theirs.token_key);
    }

    #[test]
    fn a_file_that_would_write_elsewhere_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("apart.json");
        for path in
            ["secrets/../../etc/passwd", "/etc/passwd", "elsewhere/key", "secrets/", "secrets/.hidden"]
        {
            let bundle = serde_json::json!({ "format": FORMAT, "files": { path: "x" } });
            fs::write(&file, bundle.to_string()).unwrap();
            assert!(
                matches!(put_back(folder.path(), &file, None), Err(SecretFileError::NotOurs(_))),
                "{path}"
            );
        }
        assert!(matches!(write(folder.path(), &file, None), Err(SecretFileError::None(_))));
    }

    #[test]
    fn what_is_sealed_gives_nothing_away_and_opens_with_its_password_alone() {
        let [old, new] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let keys = secrets::load_or_create(old.path(), &OsRandom).unwrap();
        let pepper = fs::read_to_string(old.path().join("secrets/pepper")).unwrap();
        let file = new.path().join("apart.json");
        let lock = Lock { password: "mango lassi at noon", random: &OsRandom };
        assert_eq!(write(old.path(), &file, Some(lock)).unwrap(), 4);
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains(pepper.trim()) && !text.contains("pepper"), "{text}");
        assert!(matches!(put_back(new.path(), &file, None), Err(SecretFileError::Sealed(_))));
        let wrong = put_back(new.path(), &file, Some("mango lassi at one"));
        assert!(matches!(wrong, Err(SecretFileError::WrongPassword(_))));
        assert!(!new.path().join("secrets").exists());
        assert_eq!(put_back(new.path(), &file, Some(lock.password)).unwrap(), 4);
        assert_eq!(secrets::load_or_create(new.path(), &OsRandom).unwrap().token_key, keys.token_key);
    }
}
