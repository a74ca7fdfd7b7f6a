//! Troubles that are steered to where a known mistake would show: what chance alone would bring about once in many hours. Never looks at
//! what is wrong in the end.

use crate::boxes::number;
use crate::errands::Errand;
use crate::troubles::copy_and_go_on;
use crate::world::World;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tiffin_common::digest::ids_of_day;
use tiffin_common::{Clock, Millis, Uuid};
use tiffin_tests::disk::{aside, replace};
use tiffin_tests::oracle;
use tiffin_tests::proxy::Fate;

/// Until a branch's people have done what they were sent to do, and it is written.
const DONE: Duration = Duration::from_secs(6);

/// Until the rows of today are summed up and compared.
const COMPARED: Duration = Duration::from_secs(240);

const DAY_MS: i64 = 86_400_000;

impl World {
    /// A branch's manager is sent to do something.
    fn send(&self, number: usize, errand: Errand) {
        self.sites[number].errands.blocking_lock().push_back(errand);
    }
}

/// Where a clock was wrong, its manager says what time it is: what is let go of waits for that.
pub fn say_the_time(world: &mut World) {
    for (number, site) in world.sites.clone().into_iter().enumerate() {
        world.send(number, Errand::Time(site.clock.now()));
    }
    world.pass(DONE);
}

/// A push that was under way when the plug was pulled comes late, between head office's word and the box's going back.
pub fn stray(world: &mut World, number: usize) {
    let network = world.networks[number].clone();
    let late = Duration::from_millis(world.dice.between(4_500, 9_000));
    let before = Duration::from_millis(world.dice.between(5_000, 20_000));
    let site = copy_and_go_on(world, number, |world| {
        world.pass(before);
        let count = || network.fates().get("late").copied().unwrap_or(0);
        let so_far = count();
        network.script(&[Fate::Late(late); 3]);
        for _ in 0..100 {
            if count() >= so_far + 3 {
                break;
            }
            world.pass(Duration::from_millis(100));
        }
    });
    replace(&aside(&site.folder), &site.folder);
    // It hears, fetches and goes back slowly.
    network.script(&[Fate::Slow(DONE / 2); 10]);
    world.start(&site.name);
    world.pass(DONE * 7);
}

/// What was sold without stock is met with a little more, and head office has it; then another box takes the branch's place, works with no
/// more than it opened with, and sells that little and more. In the end it has every movement that head office had.
pub fn restocked(world: &mut World, place: usize) {
    let site = Arc::clone(&world.sites[place]);
    world.send(place, Errand::Restock);
    world.pass(DONE);
    let held = movements(&world.replica(site.outlet));
    world.replace_box(place);
    world.networks[place].set_up(false);
    world.pass(DONE * 10);
    world.networks[place].set_up(true);
    let database = site.folder.join("tiffin.db");
    let is_filled = |_: &World| number(&database, "SELECT restore_phase IS NULL FROM sync_peer") == 1;
    if world.until(COMPARED, is_filled).is_none() {
        world.problems.push(format!("{}: it is not filled", site.name));
    }
    let lost = held.difference(&movements(&database)).count();
    if lost > 0 {
        world.problems.push(format!("{}: {lost} movements of stock came with no part", site.name));
    }
}

/// The ids of all movements of stock in a file.
fn movements(database: &Path) -> BTreeSet<Uuid> {
    let conn = oracle::open(database);
    let mut ids = conn.prepare("SELECT id FROM stock_movements").unwrap();
    ids.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// A row of head office's copy changes by itself, and another goes.
fn damage(world: &mut World, number: usize) {
    let site = Arc::clone(&world.sites[number]);
    // What has no id of today is not summed up again until its turn comes: it has to be clear what day the branch believes it is.
    let today = site.clock.now().to_utc().date_naive();
    let newest = "SELECT wall_ms FROM sync_log ORDER BY seq DESC LIMIT 1";
    let conn = oracle::open(&site.folder.join("tiffin.db"));
    let believed: Millis = conn.query_row(newest, [], |row| row.get(0)).unwrap();
    if site.clock.is_wrong() || believed.to_utc().date_naive() != today {
        return;
    }
    world.crash("hub");
    let conn = rusqlite::Connection::open(world.replica(site.outlet)).unwrap();
    let ids = ids_of_day(today);
    for damage in [
        "UPDATE orders SET notes = 'rotten' WHERE id = (SELECT max(id) FROM orders WHERE id >= ?1 AND id < ?2)",
        "DELETE FROM audit_log WHERE id = (SELECT max(id) FROM audit_log WHERE id >= ?1 AND id < ?2)",
    ] {
        conn.execute(damage, [ids.start, ids.end]).unwrap();
    }
    drop(conn);
    world.start("hub");
}

/// What differs is found with the next sum of its day, and sent whole again.
pub fn damage_once(world: &mut World, number: usize) {
    let site = Arc::clone(&world.sites[number]);
    // A day that differs again is sent whole again after an hour, or by a box that has started since.
    if site.damaged.swap(true, Ordering::SeqCst) {
        world.crash(&site.name);
        world.start(&site.name);
    }
    damage(world, number);
    // Until the day is summed up again: a box that starts may believe in another.
    let replica = world.replica(site.outlet);
    let rotten = "SELECT count(*) FROM orders WHERE notes = 'rotten'";
    let is_rotten = || oracle::open(&replica).query_row(rotten, [], |row| row.get::<_, i64>(0)).unwrap() > 0;
    world.pass(COMPARED);
    world.until(Duration::from_secs(900), |_| !is_rotten());
}

/// What is damaged again within the hour is not sent whole again: that stays so until the box starts anew.
pub fn damage_again(world: &mut World, number: usize) {
    let name = world.sites[number].name.clone();
    damage(world, number);
    world.pass(COMPARED);
    damage(world, number);
    world.pass(COMPARED);
    world.crash(&name);
    world.start(&name);
    world.pass(COMPARED);
}

/// Both change some dishes, one to the same price, while the link is cut or is not.
pub fn both(world: &mut World, number: usize, long: Duration) {
    let is_cut = world.dice.happens(500);
    world.networks[number].set_up(!is_cut);
    for _ in 0..4 {
        let dish = *world.dice.pick(&world.dishes(number));
        let cents = world.dice.between(50, 900) as i64 * 100;
        world.reprice(number, dish, cents);
        let errand = match world.dice.below(3) {
            0 => Errand::Price(dish, cents),
            1 => Errand::Price(dish, cents + 100),
            _ => Errand::Describe(dish, format!("both of {dish} {cents}")),
        };
        world.send(number, errand);
        let pause = world.dice.below(3_000);
        world.watch(Duration::from_millis(pause));
    }
    world.watch(long / 4);
    world.networks[number].set_up(true);
    world.watch(Duration::from_secs(20));
}

/// The branch's edit is the later one by the order in which things were known, head office's by the clocks on the walls.
pub fn ahead(world: &mut World, number: usize) {
    let Some(supplier) = world.suppliers(number).first().copied() else { return };
    let site = Arc::clone(&world.sites[number]);
    world.networks[number].set_up(false);
    world.pass(DONE);
    let most = world.dice.between(300_000, 3_600_000) as i64;
    site.clock.wrong_by(most);
    world.pass(DONE * 2);
    site.clock.wrong_by(0);
    world.send(number, Errand::Time(site.clock.now()));
    world.pass(DONE);
    world.send(number, Errand::Phone(supplier, format!("+91 80 {most:08}")));
    world.pass(DONE);
    world.call(number, supplier);
    world.pass(DONE);
    world.networks[number].set_up(true);
    world.pass(DONE * 5);
}

/// The log of the days that head office lacks is still there: no clock that jumps lets go of it.
pub fn races(world: &mut World, number: usize) {
    let site = Arc::clone(&world.sites[number]);
    world.keep_office_aside();
    world.change_something(number);
    world.pass(DONE * 10);
    // How far it has confirmed is noted once a day.
    world.close_for(2);
    world.pass(DONE * 10);
    for days in 1..=9 {
        site.clock.wrong_by(days * 6 * DAY_MS);
        world.pass(DONE * 2);
    }
    world.pass(DONE * 10);
    site.clock.wrong_by(0);
    let is_told = world.dice.happens(500);
    world.put_office_back(is_told);
    world.start("hub");
    world.pass(DONE * 20);
    if !world.lacking().is_empty() {
        world.problems.push(format!("{}: its log of the same week is gone", site.name));
    }
}
