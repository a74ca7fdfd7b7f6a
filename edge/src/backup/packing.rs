//! A file becomes a compressed one and comes back, both ways checked. Never leaves anything under its final name that is not whole
//! and on the disk.

use super::error::{BackupError, Result};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Bytes that are moved at a time.
const CHUNK: usize = 256 * 1024;

/// Names the file in an error.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
    let path = path.to_owned();
    move |error| BackupError::File { path, error }
}

/// Makes the folder, its owner's alone, if it is not there.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(at(path))
}

/// A new file of its owner alone.
pub(crate) fn create(path: &Path) -> Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    file.map_err(at(path))
}

/// What is known of a packed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packed {
    /// The hash of what was packed.
    pub(crate) inner: blake3::Hash,
    /// The hash of the packed file itself.
    pub(crate) outer: blake3::Hash,
}

/// A new file into which somebody else's words are compressed.
pub(crate) struct Pouring {
    encoder: zstd::Encoder<'static, File>,
    hasher: blake3::Hasher,
}

impl Pouring {
    pub(crate) fn into(to: &Path) -> Result<Pouring> {
        Ok(Pouring { encoder: encoder(to)?, hasher: blake3::Hasher::new() })
    }

    /// Syncs the file, which lies at `to`, and reads it back: what comes out is what went in.
    pub(crate) fn finish(self, to: &Path) -> Result<Packed> {
        read_back(self.encoder, to, self.hasher.finalize())
    }
}

impl Write for Pouring {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.encoder.write(bytes)?;
        self.hasher.update(bytes.get(..taken).unwrap_or_default());
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }
}

/// Compresses into the new file `to`, with a checksum at the end.
fn encoder(to: &Path) -> Result<zstd::Encoder<'static, File>> {
    let mut encoder = zstd::Encoder::new(create(to)?, 3).map_err(at(to))?;
    encoder.include_checksum(true).map_err(at(to))?;
    Ok(encoder)
}

/// Ends and syncs the file at `to`, and reads it back: what comes out has the hash of what went in.
fn read_back(encoder: zstd::Encoder<'_, File>, to: &Path, inner: blake3::Hash) -> Result<Packed> {
    let file = encoder.finish().map_err(at(to))?;
    file.sync_all().map_err(at(to))?;
    let out = unpacked(File::open(to).map_err(at(to))?, &mut io::sink()).map_err(at(to))?;
    if out != inner {
        return Err(BackupError::NotTheSame(to.to_owned()));
    }
    Ok(Packed { inner, outer: hash(to)? })
}

/// Compresses the file `from` into the new file `to`, syncs it, and reads it back: what comes out is what went in.
pub(crate) fn pack(from: &Path, to: &Path) -> Result<Packed> {
    let mut source = File::open(from).map_err(at(from))?;
    let mut encoder = encoder(to)?;
    let inner = poured(&mut source, &mut encoder).map_err(at(to))?;
    read_back(encoder, to, inner)
}

/// Decompresses what `from` gives into `to`; answers the hash of what came out.
pub(crate) fn unpacked(from: impl Read, to: &mut impl Write) -> io::Result<blake3::Hash> {
    poured(&mut zstd::Decoder::new(from)?, to)
}

/// The hash of a file.
pub(crate) fn hash(path: &Path) -> Result<blake3::Hash> {
    let mut file = File::open(path).map_err(at(path))?;
    poured(&mut file, &mut io::sink()).map_err(at(path))
}

/// Copies the packed file `from` to `to` on another disk: whole, synced, read back and compared, or not at all.
pub(crate) fn place(from: &Path, to: &Path, making: &Path, packed: Packed) -> Result<()> {
    let mut source = File::open(from).map_err(at(from))?;
    let mut target = create(making)?;
    let copied = poured(&mut source, &mut target).and_then(|_| target.sync_all());
    copied.map_err(at(making))?;
    if hash(making)? != packed.outer {
        return Err(BackupError::NotTheSame(making.to_owned()));
    }
    settle(making, to)
}

/// Gives the synced file its final name, durably.
pub(crate) fn settle(making: &Path, to: &Path) -> Result<()> {
    fs::rename(making, to).map_err(at(to))?;
    // A bare file name has an empty parent: this folder.
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(at(folder))
}

/// Moves everything, a piece at a time; answers its hash.
pub(crate) fn poured(from: &mut (impl Read + ?Sized), to: &mut impl Write) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; CHUNK];
    loop {
        let read = from.read(&mut piece)?;
        let Some(part) = piece.get(..read).filter(|part| !part.is_empty()) else {
            return Ok(hasher.finalize());
        };
        hasher.update(part);
        to.write_all(part)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back_and_a_flipped_bit_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let [plain, small] = ["plain", "small"].map(|name| folder.path().join(name));
        let text: Vec<u8> = (0..1_000_000_u32).flat_map(|n| (n % 251).to_le_bytes()).collect();
        fs::write(&plain, &text).unwrap();
        let packed = pack(&plain, &small).unwrap();
        let mut out = Vec::new();
        assert_eq!(unpacked(File::open(&small).unwrap(), &mut out).unwrap(), packed.inner);
        assert_eq!(out, text);
        let mut bytes = fs::read(&small).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        assert!(unpacked(bytes.as_slice(), &mut io::sink()).is_err());
        bytes.truncate(middle);
        assert!(unpacked(bytes.as_slice(), &mut io::sink()).is_err());
    }
}
