//! The files of the screens: found by name, with a hash of all of them. A build for work reads them from the disk each time, so that one
//! saves and reloads; a release has them inside, compressed as they are sent. Never changes one.

use crate::http::compress;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Below this path lie the files of the screens, after the hash of all of them.
pub(super) const FILES: &str = "/a";

/// Name and compressed text of each file of a folder.
pub type Packed = &'static [(&'static str, &'static [u8])];

/// A folder of files: where it lies, for a build for work, and what was packed of it into any other.
#[derive(Clone, Copy)]
pub struct Root {
    folder: &'static str,
    packed: Packed,
}

impl Root {
    /// The folder of screens of the crate that asks: [`screens!`](crate::screens).
    pub fn new(folder: &'static str, packed: Packed) -> Root {
        Root { folder, packed }
    }

    /// The file of that name as it lies on the disk; none outside of the folder.
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let is_below = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        is_below.then(|| std::fs::read(Path::new(self.folder).join(name)).ok()).flatten()
    }

    /// The names of the files that lie on the disk.
    fn list(&self) -> Vec<String> {
        let (mut found, mut folders) = (Vec::new(), vec![PathBuf::from(self.folder)]);
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
                match path.is_dir() {
                    true => folders.push(path),
                    false => {
                        found.extend(path.strip_prefix(self.folder).map(|name| name.display().to_string()))
                    }
                }
            }
        }
        found
    }
}

/// Files of several folders under their names there. Cheap to clone.
#[derive(Clone)]
pub struct Bundle {
    roots: Arc<[Root]>,
    /// All of it as it was packed; none in a build for work.
    kept: Option<Arc<Kept>>,
    /// What the last page named its files by, in a build for work.
    named: Arc<Mutex<String>>,
}

struct Kept {
    files: BTreeMap<&'static str, File>,
    hash: String,
    /// The modules of each screen that was asked for.
    modules: Mutex<BTreeMap<String, Arc<BTreeSet<String>>>>,
}

/// One file.
#[derive(Clone)]
pub struct File {
    kind: &'static str,
    body: Bytes,
    is_packed: bool,
}

impl Bundle {
    /// All files of `roots`; a name that two have is the first one's.
    pub fn new(roots: &[Root]) -> Bundle {
        let bundle = Bundle { roots: roots.into(), kept: None, named: Arc::default() };
        if cfg!(debug_assertions) {
            return bundle;
        }
        let mut files = BTreeMap::new();
        for (name, packed) in roots.iter().rev().flat_map(|root| root.packed) {
            if let Some(kind) = kind_of(name) {
                files.insert(*name, File { kind, body: Bytes::from_static(packed), is_packed: true });
            }
        }
        let hash = hash_of(files.iter().map(|(name, file)| (*name, file)));
        Bundle { kept: Some(Arc::new(Kept { files, hash, modules: Mutex::default() })), ..bundle }
    }

    /// A name for this state of all files: 16 hexadecimal digits.
    pub fn hash(&self) -> String {
        if let Some(kept) = &self.kept {
            return kept.hash.clone();
        }
        let names: BTreeSet<String> = self.roots.iter().flat_map(Root::list).collect();
        let files: Vec<(&str, File)> =
            names.iter().filter_map(|name| Some((name.as_str(), self.read(name)?))).collect();
        let hash = hash_of(files.iter().map(|(name, file)| (*name, file)));
        self.named.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&hash);
        hash
    }

    /// Whether `hash` names the state that pages are given now.
    pub fn is_current(&self, hash: &str) -> bool {
        match &self.kept {
            Some(kept) => kept.hash == hash,
            None => *self.named.lock().unwrap_or_else(PoisonError::into_inner) == hash,
        }
    }

    /// The file of that name, such as `kit/view.js`.
    pub fn find(&self, name: &str) -> Option<File> {
        match &self.kept {
            Some(kept) => kept.files.get(name).cloned(),
            None => self.read(name),
        }
    }

    /// The modules that the file `entry` needs, as `look` finds them: once, where files do not change.
    pub(super) fn modules_of(
        &self,
        entry: &str,
        look: impl FnOnce() -> BTreeSet<String>,
    ) -> Arc<BTreeSet<String>> {
        let Some(kept) = &self.kept else { return Arc::new(look()) };
        let mut known = kept.modules.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(entry.to_owned()).or_insert_with(|| Arc::new(look())))
    }

    fn read(&self, name: &str) -> Option<File> {
        let kind = kind_of(name)?;
        let found = self.roots.iter().find_map(|root| root.read(name))?;
        Some(File { kind, body: Bytes::from(found), is_packed: false })
    }
}

/// What a file is, by its name; none for what no browser is given.
fn kind_of(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    Some(match ending {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "webmanifest" => "application/manifest+json",
        _ => return None,
    })
}

fn hash_of<'a>(files: impl Iterator<Item = (&'a str, &'a File)>) -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, file) in files {
        hasher.update(name.as_bytes());
        hasher.update(&[0]);
        hasher.update(blake3::hash(&file.body).as_bytes());
    }
    hasher.finalize().to_hex().chars().take(16).collect()
}

impl File {
    /// Its text; none where it is not text.
    pub fn text(&self) -> Option<String> {
        String::from_utf8(self.plain().ok()?.into()).ok()
    }

    fn plain(&self) -> std::io::Result<Bytes> {
        match self.is_packed {
            true => compress::unpack(&self.body),
            false => Ok(self.body.clone()),
        }
    }

    /// The file as it is sent: kept for ever where it was asked for by the hash of today, else for this once.
    pub(super) fn answer(&self, is_current: bool, reads_gzip: bool) -> Response {
        let keeping = if is_current { "public, max-age=31536000, immutable" } else { "no-store" };
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(self.kind)),
            (header::CACHE_CONTROL, HeaderValue::from_static(keeping)),
            (header::VARY, HeaderValue::from_static("accept-encoding")),
            (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (
                HeaderName::from_static("cross-origin-resource-policy"),
                HeaderValue::from_static("same-origin"),
            ),
        ];
        if self.is_packed && reads_gzip {
            let packed = (header::CONTENT_ENCODING, "gzip");
            return (StatusCode::OK, headers, [packed], self.body.clone()).into_response();
        }
        match self.plain() {
            Ok(plain) => (StatusCode::OK, headers, plain).into_response(),
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}
