//! What happens to a simulated chain besides bad weather. Never looks at what is wrong in the end.

use crate::site::Site;
use crate::steered;
use crate::world::World;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tiffin_common::Uuid;
use tiffin_tests::disk::{aside, keep_aside, replace};
use tiffin_tests::oracle::{self, Cursors};
use tiffin_tests::proxy::Weather;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Plugs are pulled.
    Crash,
    /// A branch is cut off for a while.
    Cut,
    /// A branch's disk is put back to what it was a while ago.
    OldBranch,
    /// A branch's disk is put back, and what the box sent before arrives when head office has told it to go back.
    Stray,
    /// A branch's machine is put back to what it was a while ago, with its memory.
    Memory,
    /// Head office's disk is put back; it knows that it was.
    OldOffice,
    /// Head office's disk is put back, and nobody told it.
    OldOfficeUnnoticed,
    /// Head office's disk is put back after a branch that was cut off, and has edits of its own, took what head office changed meanwhile.
    Parts,
    /// A branch's clock jumps by up to twenty years.
    Clock,
    /// Head office takes back what was to take effect later, while a branch that holds it is cut off; or its clock is ahead.
    Cancels,
    /// Head office changes dishes, suppliers, staff and settings, while a branch that is cut off does, too.
    Edits,
    /// A branch's box is lost and another takes its place; the lost one may turn out to be alive.
    Replaced,
    /// The same with a box that met a little more than it owed of stock, and whose next one sells that while it is cut off.
    Restocked,
    /// Everybody shuts for weeks.
    Season,
    /// Head office is put back to what it was months ago, and filled by the branches.
    Months,
    /// A branch's disk loses sectors that were not synced, of what head office heard of or not.
    Sectors,
    /// A disk is full for a while.
    Full,
    /// A row at head office is not what it was.
    Damage,
    /// The same rows at head office go wrong again and again within an hour.
    DamageAgain,
    /// Head office and a branch change the same rows at the same time.
    Both,
    /// A branch's clock was ahead while it was cut off, until somebody said what time it is; then both change the same telephone number.
    Ahead,
    /// A branch or head office that has an older program gets today's.
    Upgrade,
    /// A branch's clock goes ahead by weeks, a few days at a time, and then head office is put back to what it was before.
    Races,
}

/// Those that are mixed: all but the one that needs disks of its own, and the one that steers another.
pub const ALL: [Trouble; 21] = [
    Trouble::Crash,
    Trouble::Cut,
    Trouble::OldBranch,
    Trouble::Stray,
    Trouble::Memory,
    Trouble::OldOffice,
    Trouble::OldOfficeUnnoticed,
    Trouble::Parts,
    Trouble::Clock,
    Trouble::Cancels,
    Trouble::Edits,
    Trouble::Replaced,
    Trouble::Season,
    Trouble::Months,
    Trouble::Sectors,
    Trouble::Damage,
    Trouble::DamageAgain,
    Trouble::Both,
    Trouble::Ahead,
    Trouble::Upgrade,
    Trouble::Races,
];

/// Some of `troubles` on a bad network, one after the other, until something is wrong; then everybody has today's program.
pub fn pass_through(world: &mut World, troubles: &[Trouble]) {
    world.weather(Weather::STORM);
    for _ in 0..6 {
        if !world.problems.is_empty() {
            return;
        }
        let calm = world.dice.between(10, 60);
        world.pass(Duration::from_secs(calm));
        let trouble = *world.dice.pick(troubles);
        println!("{:?} {trouble:?}", world.sim.elapsed());
        cause(world, trouble);
    }
    world.upgrade_all();
}

/// Causes one of it.
fn cause(world: &mut World, trouble: Trouble) {
    let number = world.dice.below(world.sites.len() as u64) as usize;
    let site = Arc::clone(&world.sites[number]);
    let long = Duration::from_millis(world.dice.between(100, 30_000));
    match trouble {
        Trouble::Crash => crash(world, &site, long),
        Trouble::Cut => {
            world.networks[number].set_up(false);
            world.pass(long);
            world.networks[number].set_up(true);
        }
        Trouble::OldBranch => old_branch(world, number, long),
        Trouble::Stray => steered::stray(world, number),
        Trouble::Memory => memory(world, number, long),
        Trouble::OldOffice | Trouble::OldOfficeUnnoticed => {
            old_office(world, trouble == Trouble::OldOffice, long);
        }
        Trouble::Parts => parts(world, number, long),
        Trouble::Edits => edits(world, number, long),
        Trouble::Cancels => cancels(world, number, long),
        Trouble::Clock => {
            let day = 86_400_000;
            let most = if world.dice.happens(500) { 6 * day } else { 20 * 365 * day };
            site.clock.wrong_by(world.dice.between(0, 2 * most) as i64 - most as i64);
            world.pass(long);
            site.clock.wrong_by(0);
        }
        Trouble::Replaced => replaced(world, number, long),
        Trouble::Restocked => steered::restocked(world, number),
        Trouble::Season => {
            // A branch may be cut off all the time.
            let is_cut = world.dice.happens(300);
            world.networks[number].set_up(!is_cut);
            let days = world.dice.between(10, 60);
            world.close_for(days);
            world.pass(long);
            world.networks[number].set_up(true);
        }
        Trouble::Months => {
            let is_told = world.dice.happens(500);
            world.lose_months(is_told);
        }
        Trouble::Sectors => {
            let is_heard = world.dice.happens(500);
            world.lose_sectors(number, is_heard, long / 3);
        }
        Trouble::Full => full(world, &site, long),
        Trouble::Damage => steered::damage_once(world, number),
        Trouble::DamageAgain => {
            site.damaged.store(true, Ordering::SeqCst);
            steered::damage_again(world, number);
        }
        Trouble::Both => steered::both(world, number, long),
        Trouble::Ahead => steered::ahead(world, number),
        Trouble::Upgrade => world.upgrade_one(long),
        Trouble::Races => steered::races(world, number),
    }
}

fn crash(world: &mut World, site: &Site, long: Duration) {
    if world.dice.happens(500) {
        world.crash_amid("hub", Cursors::pushing);
        world.pass(long);
        world.start("hub");
    } else {
        world.crash(&site.name);
        world.pass(long);
        world.start(&site.name);
    }
}

/// A branch goes on after its disk was copied, for as long as `work` takes, and is off then; what was lost with that is forgotten.
pub fn copy_and_go_on(world: &mut World, number: usize, work: impl FnOnce(&mut World)) -> Arc<Site> {
    let site = Arc::clone(&world.sites[number]);
    wait_until_parted(world, &site);
    world.crash(&site.name);
    keep_aside(&site.folder);
    world.start(&site.name);
    work(world);
    world.crash(&site.name);
    let held = oracle::rows_of(&world.replica(site.outlet));
    oracle::forget_what_is_lost(&mut site.ledger.blocking_lock(), &held);
    world.cursors.allow_another_history(&site.name);
    world.forget_arrived(number);
    world.disk_put_back = true;
    site
}

/// A machine whose memory was put back has told so: who is put back to what it was before that, once more, is for a person to decide on.
fn wait_until_parted(world: &mut World, site: &Site) {
    let Some(start) = site.remembered_start.lock().unwrap().take() else { return };
    let sql = "SELECT count(*) FROM sync_meta WHERE epoch = ?1";
    let database = site.folder.join("tiffin.db");
    let has_it = || oracle::open(&database).query_row(sql, [start], |row| row.get::<_, i64>(0)).unwrap() > 0;
    // Where head office never heard of that start there is nothing to tell.
    world.until(Duration::from_secs(120), |_| !has_it());
}

fn memory(world: &mut World, number: usize, long: Duration) {
    let site = copy_and_go_on(world, number, |world| world.pass((long + Duration::from_secs(5)) * 3));
    let start = |site: &Site| {
        let sql = "SELECT epoch FROM sync_meta ORDER BY parent_seq DESC LIMIT 1";
        let conn = oracle::open(&site.folder.join("tiffin.db"));
        conn.query_row(sql, [], |row| row.get::<_, Uuid>(0)).unwrap()
    };
    let before = start(&site);
    *site.remembered_start.lock().unwrap() = Some(before);
    replace(&aside(&site.folder), &site.folder);
    site.remember();
    world.networks[number].set_up(false);
    world.start(&site.name);
    world.pass(Duration::from_secs(3));
    if start(&site) != before {
        world.problems.push(format!("{}: another process start than the one it remembers", site.name));
    }
    let is_told = world.dice.happens(500);
    world.networks[number].set_up(is_told);
    world.pass(long);
    world.networks[number].set_up(true);
}

fn old_branch(world: &mut World, number: usize, long: Duration) {
    let site = copy_and_go_on(world, number, |world| world.pass(long * 3));
    // Either the whole disk is put back, or the database alone: then the file beside it tells that it is old.
    let mark = site.folder.join("sync.mark");
    let told = std::fs::read(&mark).ok().filter(|_| world.dice.happens(500));
    replace(&aside(&site.folder), &site.folder);
    if let Some(told) = told {
        std::fs::write(&mark, told).unwrap();
    }
    // It may have to work for a while before it hears what it has lost.
    world.networks[number].set_up(false);
    world.start(&site.name);
    world.pass(long);
    world.networks[number].set_up(true);
}

fn old_office(world: &mut World, is_told: bool, long: Duration) {
    world.keep_office_aside();
    // What it publishes until then may arrive.
    let number = world.dice.below(world.sites.len() as u64) as usize;
    change_some(world, number);
    world.pass(long * 3);
    world.put_office_back(is_told);
    world.start("hub");
    world.watch(Duration::from_secs(60));
}

/// What comes after a row with an edit of its own it takes when head office has decided on that.
fn parts(world: &mut World, number: usize, long: Duration) {
    world.keep_office_aside();
    world.pass(Duration::from_secs(5));
    world.networks[number].set_up(false);
    change_some(world, number);
    world.pass(long);
    change_some(world, number);
    world.networks[number].set_up(true);
    world.pass(Duration::from_secs(20));
    let is_told = world.dice.happens(500);
    world.put_office_back(is_told);
    world.start("hub");
    world.pass(Duration::from_secs(60));
}

fn edits(world: &mut World, number: usize, long: Duration) {
    let site = Arc::clone(&world.sites[number]);
    let cut = world.dice.happens(700);
    world.networks[number].set_up(!cut);
    world.watch(long / 2);
    change_some(world, number);
    world.watch(long / 2);
    world.networks[number].set_up(true);
    if world.dice.happens(500) {
        world.crash_amid(&site.name, Cursors::fed);
        world.pass(long);
        world.start(&site.name);
    }
    world.watch(long / 2);
}

fn cancels(world: &mut World, number: usize, long: Duration) {
    let site = Arc::clone(&world.sites[number]);
    let ahead = world.dice.happens(500);
    if ahead {
        // It says hello with that clock.
        site.clock.wrong_by(world.dice.between(60_000, 600_000) as i64);
        world.crash(&site.name);
        world.start(&site.name);
        let said = |_: &World| clock_offset(&site.folder.join("tiffin.db")) < -50_000;
        world.until(Duration::from_secs(120), said);
    }
    let dish = *world.dice.pick(&world.dishes(number));
    world.cancelled.push((number, dish));
    if !ahead && world.dice.happens(300) {
        return forgotten_cancel(world, number, dish);
    }
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

/// A branch hears that something is taken back, and then head office's disk is put back to before that.
fn forgotten_cancel(world: &mut World, number: usize, dish: Uuid) {
    let path = world.sites[number].folder.join("tiffin.db");
    let held = move |id: Uuid| {
        let sql = "SELECT count(*) FROM sync_scheduled WHERE id = ?1";
        oracle::open(&path).query_row(sql, [id], |row| row.get::<_, i64>(0)).unwrap() > 0
    };
    let later = world.schedule(number, dish, 1, Duration::from_secs(600));
    if world.until(Duration::from_secs(200), |_| held(later)).is_none() {
        return world.unschedule(number, later);
    }
    world.keep_office_aside();
    world.pass(Duration::from_secs(5));
    world.unschedule(number, later);
    if world.until(Duration::from_secs(200), |_| !held(later)).is_some() {
        let is_told = world.dice.happens(500);
        world.put_office_back(is_told);
        world.start("hub");
    }
    world.pass(Duration::from_secs(600));
}

fn replaced(world: &mut World, number: usize, long: Duration) {
    // What it sold last nobody has heard of.
    world.networks[number].set_up(world.dice.happens(300));
    world.pass(long);
    world.networks[number].set_up(true);
    world.replace_box(number);
    if world.dice.happens(600) {
        let which = world.dead.len() - 1;
        world.revive(which);
    } else {
        // The new box works with no more than it opened with.
        world.networks[number].set_up(false);
    }
    world.pass(long);
    world.networks[number].set_up(true);
}

fn full(world: &mut World, site: &Site, long: Duration) {
    let host = if world.dice.happens(500) { "hub".to_owned() } else { site.name.clone() };
    let left = world.dice.below(300_000);
    world.fill_disk(&host, left);
    world.pass(long);
    world.empty_disk(&host);
}

/// Head office changes some things of a branch.
fn change_some(world: &mut World, number: usize) {
    for _ in 0..world.dice.between(1, 6) {
        world.change_something(number);
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
