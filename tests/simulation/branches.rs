//! Real branches: everything that can go wrong between them and head office, and on their disks.

use crate::checks::site_problems;
use crate::mistakes::{self, Mistakes};
use crate::place::Template;
use crate::site::Site;
use crate::with_seeds;
use crate::world::{World, outside};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tiffin_common::Uuid;
use tiffin_tests::disk::{aside, copy, pour, replace};
use tiffin_tests::oracle::{self, Cursors};
use tiffin_tests::proxy::Weather;

/// Two small restaurants, built once.
pub fn templates() -> &'static [Template] {
    static TEMPLATES: OnceLock<Vec<Template>> = OnceLock::new();
    TEMPLATES
        .get_or_init(|| outside(async { vec![Template::build("BLR1").await, Template::build("BLR2").await] }))
}

/// What happens besides bad weather.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Plugs are pulled.
    Crash,
    /// A branch's disk is put back to what it was a while ago.
    OldBranch,
    /// Head office's disk is put back; it knows that it was.
    OldOffice,
    /// Head office's disk is put back, and nobody told it.
    OldOfficeUnnoticed,
    /// A branch's clock jumps by up to twenty years.
    Clock,
    /// Head office takes back what was to take effect later, while a branch that holds it is cut off; or its clock is ahead.
    Cancels,
    /// Head office changes dishes, while a branch that is cut off does, too.
    Edits,
}

/// Two branches through storms and `troubles`; answers what is wrong in the end.
pub fn storm(seed: u64, mistakes: Mistakes, troubles: &[Trouble]) -> Vec<String> {
    let mut world = World::new(seed, mistakes);
    world.add_sites(templates());
    world.open();
    world.pass(Duration::from_secs(30));
    world.weather(Weather::STORM);
    for _ in 0..6 {
        let calm = world.dice.between(10, 60);
        world.pass(Duration::from_secs(calm));
        let trouble = *world.dice.pick(troubles);
        cause(&mut world, trouble);
    }
    let problems = world.settle();
    println!("seed {seed}: {:?}", world.fates());
    problems
}

/// Makes it happen.
pub fn cause(world: &mut World, trouble: Trouble) {
    let site = world.sites[world.dice.below(world.sites.len() as u64) as usize].clone();
    let long = Duration::from_millis(world.dice.between(100, 30_000));
    match trouble {
        Trouble::Crash if world.dice.happens(500) => {
            world.crash_amid("hub", Cursors::pushing);
            world.pass(long);
            world.start("hub");
        }
        Trouble::Crash => {
            world.crash(&site.name);
            world.pass(long);
            world.start(&site.name);
        }
        Trouble::OldBranch => {
            world.crash(&site.name);
            copy(&site.folder, &aside(&site.folder));
            world.start(&site.name);
            world.pass(long * 3);
            world.crash(&site.name);
            oracle::forget_what_is_lost(
                &mut site.ledger.blocking_lock(),
                &oracle::rows_of(&world.replica(site.outlet)),
            );
            world.cursors.allow_another_history(&site.name);
            // Either the whole disk is put back, or the database alone: then the file beside it tells that it is old.
            let mark = site.folder.join("sync.mark");
            let told = std::fs::read(&mark).ok().filter(|_| world.dice.happens(500));
            replace(&aside(&site.folder), &site.folder);
            if let Some(told) = told {
                std::fs::write(&mark, told).unwrap();
            }
            // It may have to work for a while before it hears what it has lost.
            let number = world.sites.iter().position(|other| other.name == site.name).unwrap();
            world.networks[number].set_up(false);
            world.start(&site.name);
            world.pass(long);
            world.networks[number].set_up(true);
        }
        Trouble::OldOffice | Trouble::OldOfficeUnnoticed => {
            world.crash("hub");
            let place = world.office.folder.clone();
            copy(&place, &aside(&place));
            world.start("hub");
            // What it publishes until then may arrive.
            let number = world.dice.below(world.sites.len() as u64) as usize;
            change_dishes(world, number);
            world.pass(long * 3);
            world.crash("hub");
            world.note_arrived();
            for site in &world.sites {
                world.cursors.allow_back(&site.name);
            }
            if trouble == Trouble::OldOfficeUnnoticed && world.dice.happens(500) {
                // Nothing on its disk tells of it.
                pour(&aside(&place), &place);
            } else {
                replace(&aside(&place), &place);
            }
            if trouble == Trouble::OldOffice {
                let conn = rusqlite::Connection::open(place.join("hub.db")).unwrap();
                conn.execute("UPDATE hub_meta SET hub_epoch = randomblob(16)", []).unwrap();
            }
            world.start("hub");
            world.watch(Duration::from_secs(60));
        }
        Trouble::Edits => {
            let number = world.sites.iter().position(|other| other.name == site.name).unwrap();
            let cut = world.dice.happens(700);
            world.networks[number].set_up(!cut);
            world.pass(long / 2);
            change_dishes(world, number);
            world.pass(long / 2);
            world.networks[number].set_up(true);
            if world.dice.happens(500) {
                world.crash_amid(&site.name, Cursors::fed);
                world.pass(long);
                world.start(&site.name);
            }
        }
        Trouble::Cancels => {
            let number = world.sites.iter().position(|other| other.name == site.name).unwrap();
            let ahead = world.dice.happens(500);
            if ahead {
                // It says hello with that clock.
                site.clock.wrong_by(world.dice.between(60_000, 600_000) as i64);
                world.crash(&site.name);
                world.start(&site.name);
                let said = |_: &World| clock_offset(&site.folder.join("tiffin.db")) < -50_000;
                world.until(Duration::from_secs(120), said);
            }
            let dish = *world.dice.pick(&dishes(&site.folder.join("tiffin.db")));
            let later = world.schedule(number, dish, 1, Duration::from_secs(40));
            world.pass(Duration::from_secs(35));
            if world.price_of(number, dish) == 1 {
                world.problems.push(format!("{}: a price is in force before its time", site.name));
            }
            world.networks[number].set_up(ahead);
            world.unschedule(number, later);
            world.pass(long * 2);
            world.networks[number].set_up(true);
            site.clock.wrong_by(0);
        }
        Trouble::Clock => {
            let year = 365 * 86_400_000;
            site.clock.wrong_by(world.dice.between(0, 40 * year) as i64 - 20 * year as i64);
            world.pass(long);
            site.clock.wrong_by(0);
        }
    }
}

/// Head office changes some dishes of a branch.
fn change_dishes(world: &mut World, number: usize) {
    let database = world.sites[number].folder.join("tiffin.db");
    for _ in 0..world.dice.between(1, 6) {
        let dishes = dishes(&database);
        let (dish, price) = (*world.dice.pick(&dishes), world.dice.between(50, 900) as i64 * 100);
        world.reprice(number, dish, price);
        let pause = world.dice.below(2) * world.dice.below(3_000);
        world.pass(Duration::from_millis(pause));
    }
}

/// Head office's clock minus the branch's, as the branch found it.
fn clock_offset(database: &Path) -> i64 {
    let conn = oracle::open(database);
    let sql = "SELECT coalesce(clock_offset_ms, 0) FROM sync_peer";
    conn.query_row(sql, [], |row| row.get(0)).unwrap_or(0)
}

fn dishes(database: &Path) -> Vec<Uuid> {
    let conn = tiffin_tests::oracle::open(database);
    let mut statement =
        conn.prepare("SELECT id FROM menu_items WHERE archived_at IS NULL ORDER BY id").unwrap();
    let dishes = statement.query_map([], |row| row.get(0)).unwrap();
    dishes.map(Result::unwrap).collect()
}

#[test]
fn shared_rows_converge_whoever_changes_them() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::Edits, Trouble::Crash]));
}

#[test]
fn both_ends_hold_the_same_rows_after_a_storm() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::Crash]));
}

#[test]
fn a_branch_put_back_to_yesterday_gets_its_rows_back() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::OldBranch, Trouble::Crash]));
}

#[test]
fn a_head_office_put_back_to_yesterday_is_filled_again() {
    let troubles = [Trouble::OldOffice, Trouble::OldOfficeUnnoticed, Trouble::Crash];
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &troubles));
}

#[test]
fn what_head_office_published_survives_its_being_put_back() {
    let troubles = [Trouble::Edits, Trouble::OldOffice, Trouble::OldOfficeUnnoticed, Trouble::Crash];
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &troubles));
}

#[test]
fn what_is_taken_back_before_its_time_is_in_force_nowhere() {
    let troubles = [Trouble::Cancels, Trouble::Edits, Trouble::Crash];
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &troubles));
}

#[test]
fn clocks_may_be_wrong_by_twenty_years() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::Clock, Trouble::Crash]));
}

#[test]
fn a_cloned_disk_is_found_out_and_its_rows_mix_with_nobodys() {
    with_seeds(1, |seed| {
        let mut world = World::new(seed, mistakes::NONE);
        world.add_sites(&templates()[..1]);
        world.open();
        world.pass(Duration::from_secs(60));
        let boxes = [Arc::clone(&world.sites[0]), world.clone_disk(0)];
        world.cursors.allow_another_history(&boxes[0].name);
        world.cursors.allow_another_history(&boxes[1].name);
        let standing = |site: &Site| {
            let conn = tiffin_tests::oracle::open(&site.folder.join("tiffin.db"));
            conn.query_row("SELECT standing FROM sync_peer", [], |row| row.get::<_, String>(0)).unwrap()
        };
        let shut_out = |site: &Site| ["FORK", "FENCED"].contains(&standing(site).as_str());
        let found = world.until(Duration::from_secs(600), |_| boxes.iter().any(|site| shut_out(site)));
        if found.is_none() {
            return vec!["two boxes speak for one outlet, and nobody noticed".into()];
        }
        boxes.iter().for_each(|site| site.working.store(false, Ordering::SeqCst));
        world.pass(Duration::from_secs(300));
        let replica = world.replica(world.sites[0].outlet);
        let accepted: Vec<_> = boxes.iter().filter(|site| !shut_out(site)).collect();
        let mut problems: Vec<String> =
            accepted.iter().flat_map(|site| site_problems(site, &replica)).collect();
        if accepted.len() > 1 {
            problems.push("both boxes are taken for the outlet's".into());
        }
        if accepted.is_empty() {
            // Nobody may go on until head office has decided: then the copy is what one of them had.
            println!("both boxes wait for a decision");
        }
        problems
    });
}
