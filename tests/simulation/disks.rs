//! What power cuts and full disks do below the file system: sectors that were not synced are kept or lost one by one. Never touches what
//! was synced.

use crate::world::World;
use std::path::Path;
use std::time::Duration;
use tiffin_tests::disk::{aside, keep_aside, replace};
use tiffin_tests::{Dice, oracle};

/// What a disk writes as a whole, in bytes.
const SECTOR: usize = 512;

/// The write-ahead log of a branch.
const WAL: &str = "tiffin.db-wal";

impl World {
    /// The power of a branch is cut, and its disk had not kept what it said it had for the last while; whether head office heard of that
    /// meanwhile.
    pub fn lose_sectors(&mut self, number: usize, is_heard: bool, while_: Duration) {
        let site = self.sites[number].clone();
        self.networks[number].set_up(is_heard);
        let kept = aside(&site.folder);
        // Nobody writes between two steps of the simulation.
        keep_aside(&site.folder);
        let before = site.ledger.blocking_lock().clone();
        self.pass(while_);
        let later = std::fs::read(site.folder.join(WAL)).unwrap_or_default();
        self.crash(&site.name);
        tear(&kept.join(WAL), &later, &self.dice);
        let _none = std::fs::remove_file(kept.join("tiffin.db-shm"));
        let held = oracle::rows_of(&self.replica(site.outlet));
        let mut ledger = site.ledger.blocking_lock();
        let described = ledger.descriptions.clone();
        oracle::forget_what_is_lost(&mut ledger, &held);
        // What was confirmed before was synced.
        ledger.orders.extend(before.orders);
        ledger.payments.extend(before.payments);
        ledger.invoices.extend(before.invoices);
        // Of what was described anew meanwhile either may be on the disk.
        for (dish, text) in
            before.descriptions.into_iter().filter(|(dish, text)| described.get(dish) == Some(text))
        {
            ledger.descriptions.entry(dish).or_insert(text);
        }
        drop(ledger);
        self.cursors.allow_another_history(&site.name);
        self.forget_arrived(number);
        self.disk_put_back = true;
        replace(&kept, &site.folder);
        self.start(&site.name);
        self.pass(while_);
        self.networks[number].set_up(true);
    }
}

/// Adds some of the sectors by which the log `later` is longer, if it goes on from the one at `path`.
fn tear(path: &Path, later: &[u8], dice: &Dice) {
    let mut log = std::fs::read(path).unwrap_or_default();
    let Some(rest) = later.strip_prefix(log.as_slice()) else { return };
    let whole = dice.below(rest.len() as u64 / SECTOR as u64 + 1) as usize * SECTOR;
    for (at, sector) in rest.chunks(SECTOR).enumerate() {
        let is_kept = at * SECTOR < whole || dice.happens(500);
        if is_kept { log.extend_from_slice(sector) } else { log.extend(vec![0; sector.len()]) }
    }
    std::fs::write(path, log).unwrap();
}

#[test]
fn nothing_of_an_older_copy_stays_beside_a_newer_one() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("site");
    std::fs::create_dir(&place).unwrap();
    std::fs::write(place.join("tiffin.db"), "older").unwrap();
    std::fs::write(place.join(WAL), "what was to be played into it").unwrap();
    keep_aside(&place);
    std::fs::write(place.join("tiffin.db"), "newer").unwrap();
    std::fs::remove_file(place.join(WAL)).unwrap();
    keep_aside(&place);
    assert_eq!(std::fs::read_to_string(aside(&place).join("tiffin.db")).unwrap(), "newer");
    assert!(!aside(&place).join(WAL).exists());
}
