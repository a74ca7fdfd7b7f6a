//! A disk without power: from the journal of what a program wrote to its database (`harness/shim.c`), what the disk may hold when the
//! power goes at any moment. What a sync answered for is there; of everything later each sector of 512 bytes is as it was or as it
//! became at any time since, and the file is as long as it was at any time since. Never knows what the bytes mean.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use tiffin_tests::Dice;

/// What a disk writes whole or not at all.
const SECTOR: usize = 512;

/// The database and its log.
const FILES: [&str; 2] = ["tiffin.db", "tiffin.db-wal"];

/// One record of the journal.
#[derive(Debug)]
pub(super) enum Event {
    /// Bytes at a place of a file.
    Write { file: usize, at: usize, bytes: Vec<u8> },
    /// A file's new length.
    Truncate { file: usize, length: usize },
    /// A thread asks for what is written so far to be on the disk.
    SyncBegins { file: usize, thread: u64 },
    /// It is.
    SyncEnds { file: usize, thread: u64 },
    /// What somebody outside noted.
    Note(String),
}

/// Notes something at the end of a journal, by one append, as the program's own records come.
pub(super) fn note(mut journal: &File, text: &str) {
    let mut record = vec![b'n', 0];
    record.extend(0_u64.to_le_bytes());
    record.extend((text.len() as u64).to_le_bytes());
    record.extend(text.as_bytes());
    std::io::Write::write_all(&mut journal, &record).unwrap();
}

/// Reads a journal. A program that was killed may have left half a record: nothing after it is read.
pub(super) fn read(journal: &Path) -> Vec<Event> {
    let bytes = std::fs::read(journal).unwrap();
    let (mut left, mut events) = (bytes.as_slice(), Vec::new());
    while let Some((head, rest)) = left.split_at_checked(18) {
        let number = |range: std::ops::Range<usize>| u64::from_le_bytes(head[range].try_into().unwrap());
        let (kind, file, place, length) = (head[0], usize::from(head[1]), number(2..10), number(10..18));
        let size = usize::try_from(length).unwrap();
        let carried = if matches!(kind, b'w' | b'n') { size } else { 0 };
        let Some((bytes, rest)) = rest.split_at_checked(carried) else { break };
        left = rest;
        events.push(match kind {
            b'w' => Event::Write { file, at: usize::try_from(place).unwrap(), bytes: bytes.to_vec() },
            b't' => Event::Truncate { file, length: size },
            b'b' => Event::SyncBegins { file, thread: place },
            b'e' => Event::SyncEnds { file, thread: place },
            b'n' => Event::Note(String::from_utf8(bytes.to_vec()).unwrap()),
            _ => break,
        });
    }
    events
}

/// The disk as a run goes on.
pub(super) struct Disk([Platter; 2]);

/// One file: what is surely on the disk, and what was changed since.
#[derive(Default)]
struct Platter {
    durable: Vec<u8>,
    changes: Vec<Change>,
    /// Changes that were there when a thread asked for a sync.
    syncs: BTreeMap<u64, usize>,
}

enum Change {
    Bytes(usize, Vec<u8>),
    Length(usize),
}

impl Disk {
    /// The files of `folder`, which nobody writes and which are on the disk.
    pub(super) fn of(folder: &Path) -> Disk {
        let platter = |name| Platter {
            durable: std::fs::read(folder.join(name)).unwrap_or_default(),
            ..Platter::default()
        };
        Disk(FILES.map(platter))
    }

    /// Goes on by one event.
    pub(super) fn take(&mut self, event: &Event) {
        match event {
            Event::Write { file, at, bytes } => {
                self.0[*file].changes.push(Change::Bytes(*at, bytes.clone()));
            }
            Event::Truncate { file, length } => self.0[*file].changes.push(Change::Length(*length)),
            Event::SyncBegins { file, thread } => {
                let platter = &mut self.0[*file];
                platter.syncs.insert(*thread, platter.changes.len());
            }
            Event::SyncEnds { file, thread } => self.0[*file].sync(*thread),
            Event::Note(_) => {}
        }
    }

    /// How many changes no sync has answered for.
    pub(super) fn unsynced(&self) -> usize {
        self.0.iter().map(|platter| platter.changes.len()).sum()
    }

    /// Writes into `folder` what the disk may hold if the power goes now.
    pub(super) fn cut(&self, folder: &Path, dice: &Dice) {
        for (name, platter) in FILES.iter().zip(&self.0) {
            platter.cut(&folder.join(name), dice);
        }
    }
}

impl Platter {
    fn sync(&mut self, thread: u64) {
        let count = self.syncs.remove(&thread).unwrap();
        for change in self.changes.drain(..count) {
            apply(&change, &mut self.durable);
        }
        for begun in self.syncs.values_mut() {
            *begun = begun.saturating_sub(count);
        }
    }

    fn cut(&self, path: &Path, dice: &Dice) {
        // What each sector was, one after the other, and how long the file was.
        let mut sectors: BTreeMap<usize, Vec<[u8; SECTOR]>> = BTreeMap::new();
        let mut lengths = vec![self.durable.len()];
        for change in &self.changes {
            let length = *lengths.last().unwrap();
            match change {
                Change::Bytes(at, bytes) => {
                    self.overlay(&mut sectors, *at, bytes);
                    lengths.push(length.max(at + bytes.len()));
                }
                Change::Length(new) => {
                    if *new < length {
                        self.overlay(&mut sectors, *new, &vec![0; length - new]);
                    }
                    lengths.push(*new);
                }
            }
        }
        let file = File::create(path).unwrap();
        write_sparse(&file, &self.durable);
        // A cut may have caught nearly nothing on its way, or nearly all.
        let share = *dice.pick(&[0, 20, 200, 500, 800, 980, 1_000]);
        // Nothing is lost: as when the program alone has died.
        let is_whole = share == 1_000;
        for (number, versions) in sectors {
            if dice.happens(share) {
                let version = if is_whole { versions.last().unwrap() } else { dice.pick(&versions) };
                file.write_all_at(version, (number * SECTOR) as u64).unwrap();
            }
        }
        let length = if is_whole { lengths.last().unwrap() } else { dice.pick(&lengths) };
        file.set_len(*length as u64).unwrap();
    }

    /// Lays `bytes` over the newest version of the sectors they touch.
    fn overlay(&self, sectors: &mut BTreeMap<usize, Vec<[u8; SECTOR]>>, at: usize, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let (number, within) = ((at + done) / SECTOR, (at + done) % SECTOR);
            let count = (SECTOR - within).min(bytes.len() - done);
            let versions = sectors.entry(number).or_default();
            let mut sector = versions.last().copied().unwrap_or_else(|| self.sector(number));
            sector[within..within + count].copy_from_slice(&bytes[done..done + count]);
            versions.push(sector);
            done += count;
        }
    }

    /// A sector as it surely is; zeros beyond the end.
    fn sector(&self, number: usize) -> [u8; SECTOR] {
        let mut sector = [0; SECTOR];
        let from = (number * SECTOR).min(self.durable.len());
        let to = (from + SECTOR).min(self.durable.len());
        sector[..to - from].copy_from_slice(&self.durable[from..to]);
        sector
    }
}

fn apply(change: &Change, file: &mut Vec<u8>) {
    match change {
        Change::Bytes(at, bytes) => {
            if file.len() < at + bytes.len() {
                file.resize(at + bytes.len(), 0);
            }
            file[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        Change::Length(length) => file.resize(*length, 0),
    }
}

/// Writes what is not zero; the rest is a hole.
fn write_sparse(file: &File, bytes: &[u8]) {
    for (number, block) in bytes.chunks(8 * SECTOR).enumerate() {
        if block.iter().any(|byte| *byte != 0) {
            file.write_all_at(block, (number * 8 * SECTOR) as u64).unwrap();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_synced_is_there_and_of_the_rest_any_sector_may_be() {
        let folder = tempfile::tempdir().unwrap();
        let mut disk = Disk::of(folder.path());
        let write = |at, byte, count| Event::Write { file: 1, at, bytes: vec![byte; count] };
        disk.take(&write(0, 1, 1024));
        disk.take(&Event::SyncBegins { file: 1, thread: 7 });
        disk.take(&write(1024, 2, 512));
        disk.take(&Event::SyncEnds { file: 1, thread: 7 });
        disk.take(&write(0, 3, 512));
        assert_eq!(disk.unsynced(), 2);
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..400 {
            disk.cut(folder.path(), &Dice::new(seed));
            let bytes = std::fs::read(folder.path().join(FILES[1])).unwrap();
            assert!([1024, 1536].contains(&bytes.len()));
            assert!(bytes[512..1024].iter().all(|byte| *byte == 1), "what was synced is lost");
            assert!(bytes[..512].iter().all(|byte| *byte == bytes[0]), "half a sector");
            seen.insert((bytes[0], bytes.get(1024).copied()));
        }
        let all = [(1, None), (1, Some(0)), (1, Some(2)), (3, None), (3, Some(0)), (3, Some(2))];
        assert_eq!(seen, all.into());
    }

    #[test]
    fn a_journal_that_ends_in_half_a_record_is_read_up_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = File::create(&path).unwrap();
        note(&journal, "asked");
        note(&journal, "answered");
        let length = std::fs::metadata(&path).unwrap().len();
        journal.set_len(length - 1).unwrap();
        assert!(matches!(&read(&path)[..], [Event::Note(text)] if text == "asked"));
    }
}
