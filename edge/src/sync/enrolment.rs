//! What a box knows of its head office: one file beside its other secrets, readable by its owner alone, written whole or not at
//! all. A server that runs takes up a new one by itself. Never in the database, so neither in its backups.

use crate::config::{Secret, Value};
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use tiffin_common::Uuid;
use tiffin_common::sync::{At, OutletCard};

/// The file, below the data directory.
const FILE: &str = "secrets/hub.key";

/// What was agreed with head office.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Enrolment {
    /// Where it is.
    pub hub_url: String,
    /// This box.
    pub device_id: Uuid,
    /// The outlet it stands for.
    pub outlet: OutletCard,
    /// The box's key.
    #[serde(with = "key")]
    pub key: Secret,
    /// Head office's epoch then.
    pub hub_epoch: Uuid,
    /// Where the log of the box it replaces ended; none when it replaces none.
    pub replaces: Option<At>,
    /// Whether this box was filled from head office's copy, because its data directory was empty.
    #[serde(default)]
    pub replaced_by_snapshot: bool,
    /// All rows are to be sent again, because head office lacks what the log no longer keeps; by an id, since it is done once.
    #[serde(default)]
    pub reseed: Option<Uuid>,
    /// How many boxes the outlet has had, this one among them.
    #[serde(default)]
    pub lives: i64,
    /// The certificate authority of head office, where it has its own.
    pub authority: Option<PathBuf>,
    /// Whether plain HTTP over a network was allowed.
    pub insecure: bool,
}

mod key {
    use super::{Secret, Value};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(secret: &Secret, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(secret.reveal())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Secret, D::Error> {
        let text = String::deserialize(from)?;
        Secret::read(&text).map_err(|why| serde::de::Error::custom(format!("the key must have {why}")))
    }
}

impl Enrolment {
    /// The one in `data_dir`; none when the box belongs to no head office.
    ///
    /// # Errors
    /// When the file is there and cannot be read or understood.
    pub fn load(data_dir: &Path) -> io::Result<Option<Enrolment>> {
        match fs::read(data_dir.join(FILE)) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lets go of the one in `data_dir`, if there is one.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn remove(data_dir: &Path) -> io::Result<()> {
        match fs::remove_file(data_dir.join(FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Keeps it in `data_dir`, which other secrets may already lie in.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn save(&self, data_dir: &Path) -> io::Result<()> {
        let path = data_dir.join(FILE);
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            write_whole(folder, &path, &serde_json::to_vec_pretty(self)?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
impl Enrolment {
    /// One of a box of the outlet with this id.
    pub(crate) fn sample(outlet: Uuid) -> Enrolment {
        Enrolment {
            hub_url: "https://hub.test".into(),
            device_id: Uuid::from_u128(2),
            outlet: OutletCard {
                id: outlet,
                code: "BLR1".into(),
                name: "Indiranagar".into(),
                timezone: "Asia/Kolkata".into(),
                currency: "INR".into(),
            },
            key: Secret::read("tfk_0123456789abcdef").unwrap(),
            hub_epoch: Uuid::from_u128(3),
            replaces: None,
            replaced_by_snapshot: false,
            reseed: None,
            lives: 1,
            authority: None,
            insecure: false,
        }
    }
}

/// Replaces the file at `path` in `folder`, durably: it is the old one or the new one, whenever the power goes.
pub(crate) fn write_whole(folder: &Path, path: &Path, text: &[u8]) -> io::Result<()> {
    let making = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&making)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&making, path)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn it_comes_back_and_is_the_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Enrolment::load(folder.path()).unwrap().is_none());
        let enrolment = Enrolment::sample(Uuid::from_u128(1));
        enrolment.save(folder.path()).unwrap();
        let read = Enrolment::load(folder.path()).unwrap().unwrap();
        assert_eq!((read.outlet, read.key.reveal()), (enrolment.outlet.clone(), "tfk_0123456789abcdef"));
        let mode = fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(!format!("{enrolment:?}").contains("0123456789"));
    }
}
