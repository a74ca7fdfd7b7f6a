//! The files of the screens: found by name, with a hash of all of them. A build for work reads them from the disk each time, so that one
//! saves and reloads; a release has them inside and compresses each once. Never changes one.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::{EmbeddedFile, RustEmbed};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Below this path lie the files of the screens, after the hash of all of them.
pub(super) const FILES: &str = "/a";

/// A folder of files that was compiled in.
#[derive(Clone, Copy)]
pub struct Root {
    get: fn(&str) -> Option<EmbeddedFile>,
    list: fn() -> Vec<String>,
}

impl Root {
    /// The folder that `R` names.
    pub fn of<R: RustEmbed>() -> Root {
        Root { get: R::get, list: || R::iter().map(|name| name.into_owned()).collect() }
    }
}

/// Files of several folders under their names there. Cheap to clone.
#[derive(Clone)]
pub struct Bundle {
    roots: Arc<[Root]>,
    /// All of it as it was at the start; none in a build for work.
    kept: Option<Arc<Kept>>,
    /// What the last page named its files by, in a build for work.
    named: Arc<Mutex<String>>,
}

struct Kept {
    files: BTreeMap<String, File>,
    hash: String,
}

/// One file.
#[derive(Clone)]
pub struct File {
    kind: &'static str,
    plain: Bytes,
    /// None where it was not made smaller.
    gzip: Option<Bytes>,
}

impl Bundle {
    /// All files of `roots`; a name that two have is the first one's.
    pub fn new(roots: &[Root]) -> Bundle {
        let bundle = Bundle { roots: roots.into(), kept: None, named: Arc::default() };
        if cfg!(debug_assertions) {
            return bundle;
        }
        let files = bundle
            .names()
            .into_iter()
            .filter_map(|name| Some((name.clone(), bundle.read(&name)?.compress())));
        let files: BTreeMap<String, File> = files.collect();
        let hash = hash_of(files.iter().map(|(name, file)| (name.as_str(), &file.plain[..])));
        Bundle { kept: Some(Arc::new(Kept { files, hash })), ..bundle }
    }

    /// A name for this state of all files: 16 hexadecimal digits.
    pub fn hash(&self) -> String {
        if let Some(kept) = &self.kept {
            return kept.hash.clone();
        }
        let names = self.names();
        let files: Vec<(&str, File)> =
            names.iter().filter_map(|name| Some((name.as_str(), self.read(name)?))).collect();
        let hash = hash_of(files.iter().map(|(name, file)| (*name, &file.plain[..])));
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

    /// The names of all files, in order.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.roots.iter().flat_map(|root| (root.list)()).collect();
        names.sort();
        names.dedup();
        names
    }

    fn read(&self, name: &str) -> Option<File> {
        let kind = kind_of(name)?;
        let found = self.roots.iter().find_map(|root| (root.get)(name))?;
        Some(File { kind, plain: Bytes::from(found.data.into_owned()), gzip: None })
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

fn hash_of<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, bytes) in files {
        hasher.update(name.as_bytes());
        hasher.update(&[0]);
        hasher.update(blake3::hash(bytes).as_bytes());
    }
    hasher.finalize().to_hex().chars().take(16).collect()
}

impl File {
    /// Its text; none where it is not text.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.plain).ok()
    }

    fn compress(self) -> File {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let packed = encoder.write_all(&self.plain).and_then(|()| encoder.finish()).ok();
        File { gzip: packed.filter(|packed| packed.len() < self.plain.len()).map(Bytes::from), ..self }
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
        match &self.gzip {
            Some(packed) if reads_gzip => {
                (StatusCode::OK, headers, [(header::CONTENT_ENCODING, "gzip")], packed.clone())
                    .into_response()
            }
            _ => (StatusCode::OK, headers, self.plain.clone()).into_response(),
        }
    }
}
