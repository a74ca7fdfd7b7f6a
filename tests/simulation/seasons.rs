//! Months that pass while nobody works, and what they leave: logs whose beginning is gone. Never looks at what is wrong in the end.

use crate::boxes::number;
use crate::steered::say_the_time;
use crate::world::World;
use std::time::Duration;
use tiffin_tests::disk::{aside, keep_aside, replace};

const DAY: Duration = Duration::from_secs(86_400);

/// How long it may take until what is due is done.
const PATIENCE: Duration = Duration::from_secs(900);

impl World {
    /// Everybody shuts, and opens again after so many days.
    pub fn close_for(&mut self, days: u64) {
        let names: Vec<String> = self.sites.iter().map(|site| site.name.clone()).collect();
        names.iter().for_each(|name| self.crash(name));
        self.crash("hub");
        self.leap(DAY * u32::try_from(days).unwrap());
        self.start("hub");
        names.iter().for_each(|name| self.start(name));
    }

    /// What `sql` finds at each branch.
    fn at_branches(&self, sql: &str) -> Vec<i64> {
        self.sites.iter().map(|site| number(&site.folder.join("tiffin.db"), sql)).collect()
    }

    /// The oldest log rows of the branches.
    fn first_kept(&self) -> Vec<i64> {
        self.at_branches("SELECT min(seq) FROM sync_log")
    }

    /// How far the branches have noted that head office has confirmed their logs; they do so once a day.
    fn noted(&self) -> Vec<i64> {
        self.at_branches(
            "SELECT max(seq) FROM sync_acks WHERE hub_epoch IS (SELECT hub_epoch FROM sync_peer)",
        )
    }

    /// How far the branches know that head office has confirmed their logs.
    fn confirmed(&self) -> Vec<i64> {
        self.at_branches("SELECT max(acked_seq) FROM sync_peer")
    }

    /// Head office's disk is put back to what it was months ago: the branches no longer keep what it lacks. They say so, and fill it.
    pub fn lose_months(&mut self, is_told: bool) {
        say_the_time(self);
        self.keep_office_aside();
        let held: Vec<i64> = self.sites.iter().map(|site| self.held_aside(site.outlet)).collect();
        self.change_something(0);
        self.pass(Duration::from_secs(60));
        let is_confirmed =
            |world: &World| world.confirmed().iter().zip(&held).all(|(seq, held)| *seq > held + 1);
        if self.until(PATIENCE, is_confirmed).is_none() {
            let confirmed = self.confirmed();
            self.problems.push(format!("nothing is confirmed: {confirmed:?}, {held:?} held aside"));
            return;
        }
        self.close_for(2);
        let is_noted = |world: &World| world.noted().iter().zip(&held).all(|(noted, held)| *noted > held + 1);
        if self.until(PATIENCE, is_noted).is_none() {
            let noted = self.noted();
            self.problems.push(format!("what is confirmed is not noted: {noted:?}, {held:?} held aside"));
            return;
        }
        self.close_for(40);
        let is_gone = |world: &World| {
            let first = world.first_kept();
            first.iter().zip(&held).all(|(first, held)| *first > held + 1)
        };
        if self.until(PATIENCE, is_gone).is_none() {
            let first = self.first_kept();
            self.problems
                .push(format!("the logs' beginnings are kept: from {first:?}, {held:?} held months ago"));
            return;
        }
        self.put_office_back(is_told);
        self.start("hub");
        let all = self.sites.len();
        if self.until(PATIENCE, |world| world.lacking().len() == all).is_none() {
            self.problems.push(format!("head office lacks months; only {:?} say so", self.lacking()));
        }
        (0..all).for_each(|number| self.reseed(number));
        if self.until(PATIENCE, |world| world.lacking().is_empty()).is_none() {
            self.problems
                .push(format!("head office was filled; {:?} say that it lacks rows", self.lacking()));
        }
    }

    /// How much of an outlet's log the copy of head office that was kept aside holds.
    fn held_aside(&self, outlet: tiffin_common::Uuid) -> i64 {
        let copy = aside(&self.office.folder).join("outlets").join(format!("{outlet}.db"));
        number(&copy, "SELECT max(seq) FROM hub_state")
    }

    /// A copy of head office's disk is kept aside.
    pub fn keep_office_aside(&mut self) {
        self.crash("hub");
        keep_aside(&self.office.folder);
        self.start("hub");
    }

    /// Head office's disk is put back to the copy that was kept aside; whether it is told so. It stays off.
    pub fn put_office_back(&mut self, is_told: bool) {
        self.crash("hub");
        self.note_arrived();
        self.put_back = true;
        for site in &self.sites {
            self.cursors.allow_back(&site.name);
        }
        let place = self.office.folder.clone();
        if !is_told && self.dice.happens(500) {
            // Nothing on its disk tells of it.
            tiffin_tests::disk::pour(&aside(&place), &place);
        } else {
            replace(&aside(&place), &place);
        }
        if is_told {
            let conn = rusqlite::Connection::open(place.join("hub.db")).unwrap();
            conn.execute("UPDATE hub_meta SET hub_epoch = randomblob(16)", []).unwrap();
        }
    }
}
