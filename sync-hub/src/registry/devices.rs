//! Boxes and their keys. A key reads `tfk_<key id, 32 hex>_<43 base64url>`; only a hash of its secret is kept. Never tells why
//! an unknown key is refused.

use super::{Change, RegistryError};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use edge::db::{Env, Row, Source, list as rows, opt};
use edge::{insert, update};
use rusqlite::params;
use tiffin_common::{Millis, Uuid, words};

const PREFIX: &str = "tfk_";

/// A key as its holder sends it.
pub struct Key {
    /// Its id: public.
    pub id: Uuid,
    secret: [u8; 32],
}

impl Key {
    /// A new key.
    pub fn new(env: &Env) -> Key {
        Key { id: Uuid::from_bytes(env.random_bytes()), secret: env.random_bytes() }
    }

    /// The key with this text; none when it is no key.
    pub fn parse(text: &str) -> Option<Key> {
        let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
        let id = (id.len() == 32).then(|| Uuid::try_parse(id).ok()).flatten()?;
        let secret = URL_SAFE_NO_PAD.decode(secret).ok()?.try_into().ok()?;
        Some(Key { id, secret })
    }

    /// Its text. Shown once.
    pub fn text(&self) -> String {
        format!("{PREFIX}{}_{}", self.id.simple(), URL_SAFE_NO_PAD.encode(self.secret))
    }

    fn hash(&self) -> [u8; 32] {
        *blake3::hash(&self.secret).as_bytes()
    }
}

words! {
    /// How a key ended.
    pub enum Ended {
        /// Another box took its place.
        Fenced = "FENCED",
        /// Head office withdrew it.
        Revoked = "REVOKED",
        /// The same box got a new one.
        Renewed = "RENEWED",
    }
}

/// A box and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The key's id.
    pub key_id: Uuid,
    /// The outlet it stands for.
    pub outlet_id: Uuid,
    /// The box.
    pub device_id: Uuid,
    /// Since when.
    pub created_at: Millis,
    /// Until when, and how it ended.
    pub ended: Option<(Millis, Ended)>,
}

const SELECT: &str =
    "SELECT key_id, outlet_id, device_id, created_at, ended_at, ended_as FROM registry_devices";

fn read(row: &Row<'_>) -> edge::db::Result<Device> {
    Ok(Device {
        key_id: row.get("key_id")?,
        outlet_id: row.get("outlet_id")?,
        device_id: row.get("device_id")?,
        created_at: row.get("created_at")?,
        ended: match row.get("ended_at")? {
            // A key that has ended, nobody can read how, fails: it opens nothing.
            Some(at) => Some((at, row.get("ended_as")?)),
            None => None,
        },
    })
}

/// The box whose key `key` is, ended or not; none for an unknown key or a wrong secret.
pub fn find(from: &dyn Source, key: &Key) -> edge::db::Result<Option<Device>> {
    let sql = "SELECT secret_hash FROM registry_devices WHERE key_id = ?1";
    let stored: Option<Vec<u8>> = opt(from, sql, [key.id], |row| row.get(0))?;
    // Hashes of random secrets: how long comparing takes tells nothing.
    if stored.is_none_or(|stored| stored != key.hash()) {
        return Ok(None);
    }
    opt(from, &format!("{SELECT} WHERE key_id = ?1"), [key.id], read)
}

/// The boxes of an outlet, the newest first.
pub fn of_outlet(from: &dyn Source, outlet: Uuid) -> edge::db::Result<Vec<Device>> {
    let sql = format!("{SELECT} WHERE outlet_id = ?1 ORDER BY created_at DESC, key_id");
    rows(from, &sql, [outlet], read)
}

/// How many boxes an outlet has had.
pub fn count(from: &dyn Source, outlet: Uuid) -> edge::db::Result<i64> {
    let sql = "SELECT count(DISTINCT device_id) FROM registry_devices WHERE outlet_id = ?1";
    edge::db::one(from, sql, [outlet], |row| row.get(0))
}

/// The box that speaks for `outlet` now.
pub fn live(from: &dyn Source, outlet: Uuid) -> edge::db::Result<Option<Device>> {
    let sql = format!(
        "{SELECT} WHERE outlet_id = ?1 AND ended_at IS NULL ORDER BY created_at DESC, key_id LIMIT 1"
    );
    opt(from, &sql, [outlet], read)
}

/// Gives a box a key.
pub fn insert(
    change: &Change<'_>,
    key: &Key,
    outlet: Uuid,
    device: Uuid,
    created_by: &str,
) -> Result<(), RegistryError> {
    insert!(
        change.sql,
        registry_devices {
            key_id: key.id,
            outlet_id: outlet,
            device_id: device,
            secret_hash: key.hash(),
            created_at: change.now,
            created_by: created_by,
        }
    )?;
    Ok(())
}

/// Ends every live key of `outlet` but those of `keep`; answers how many there were.
pub fn end(
    change: &Change<'_>,
    outlet: Uuid,
    ended: Ended,
    keep: Option<Uuid>,
) -> Result<usize, RegistryError> {
    let sql = "UPDATE registry_devices SET ended_at = ?2, ended_as = ?3
        WHERE outlet_id = ?1 AND ended_at IS NULL AND device_id IS NOT ?4";
    Ok(change.sql.execute(sql, params![outlet, change.now, ended, keep])?)
}

/// Ends the live keys of one box: it gets another.
pub fn end_of_device(
    change: &Change<'_>,
    outlet: Uuid,
    device: Uuid,
    ended: Ended,
) -> Result<(), RegistryError> {
    update!(
        change.sql,
        registry_devices { ended_at: change.now, ended_as: ended }
            where { outlet_id: outlet, device_id: device; "ended_at IS NULL" }
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_in_one_spelling_only() {
        let key = Key::new(&Env::system());
        let text = key.text();
        assert_eq!(text.len(), 4 + 32 + 1 + 43);
        let read = Key::parse(&text).unwrap();
        assert_eq!((read.id, read.secret), (key.id, key.secret));
        let other_end = format!("{}{}", &text[..text.len() - 1], if text.ends_with('B') { 'C' } else { 'B' });
        for wrong in
            ["", "tfk_", "tfk_1_2", &text[1..], &format!("{text}A"), &other_end, &text.replace('_', ".")]
        {
            assert!(Key::parse(wrong).is_none(), "{wrong}");
        }
    }
}
