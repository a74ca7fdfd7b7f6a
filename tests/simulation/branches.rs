//! Real branches: everything that can go wrong between them and head office, and on their disks.

use crate::checks::site_problems;
use crate::mistakes::{self, Mistakes};
use crate::place::Template;
use crate::site::Site;
use crate::troubles::{ALL, Trouble, pass_through};
use crate::versions;
use crate::with_seeds;
use crate::world::{World, outside};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The codes of the two small restaurants there are.
const CODES: [&str; 2] = ["BLR1", "BLR2"];

/// Two small restaurants, built once.
pub fn templates() -> Vec<&'static Template> {
    templates_of(&[0, 0])
}

/// The same, each made by the program of so many schemas before today's.
fn templates_of(behind: &[u32]) -> Vec<&'static Template> {
    static TEMPLATES: [[OnceLock<Template>; CODES.len()]; versions::MOST_BEHIND as usize + 1] =
        [const { [const { OnceLock::new() }; CODES.len()] }; versions::MOST_BEHIND as usize + 1];
    let template = |(number, behind): (usize, &u32)| {
        TEMPLATES[*behind as usize][number].get_or_init(|| outside(Template::build(CODES[number], *behind)))
    };
    behind.iter().enumerate().map(template).collect()
}

/// Two branches through storms and `troubles`; answers what is wrong in the end.
pub fn storm(seed: u64, mistakes: Mistakes, troubles: &[Trouble]) -> Vec<String> {
    let is_full = troubles.contains(&Trouble::Full);
    let mut world = if is_full { World::on_small_disks(seed, mistakes) } else { World::new(seed, mistakes) };
    let (office, branches) = match troubles.contains(&Trouble::Upgrade) {
        true => versions::drawn(seed, CODES.len()),
        false => (0, vec![0; CODES.len()]),
    };
    world.begin_behind(office);
    world.add_sites(&templates_of(&branches));
    world.open();
    world.pass(Duration::from_secs(30));
    pass_through(&mut world, troubles);
    let problems = world.settle();
    println!("seed {seed}: {:?}", world.fates());
    problems
}

#[test]
fn a_seed_finds_the_same_restaurant_in_every_process() {
    let log = || {
        let (folder, made) = (tempfile::tempdir().unwrap(), outside(Template::build("BLR1", 0)));
        made.unpack(folder.path());
        let conn = tiffin_tests::oracle::open(&folder.path().join("tiffin.db"));
        let sql = "SELECT seq, hex(hash) FROM sync_log ORDER BY seq DESC LIMIT 1";
        conn.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))).unwrap()
    };
    assert_eq!(log(), log());
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
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::OldBranch, Trouble::Stray, Trouble::Crash]));
}

#[test]
fn a_machine_put_back_with_its_memory_gets_its_rows_back() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::Memory, Trouble::Edits, Trouble::Crash]));
}

#[test]
fn a_head_office_put_back_to_yesterday_is_filled_again() {
    let troubles = [Trouble::OldOffice, Trouble::OldOfficeUnnoticed, Trouble::Crash];
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &troubles));
}

#[test]
fn what_a_replaced_box_had_survives_head_offices_being_put_back() {
    let troubles = [Trouble::Replaced, Trouble::OldOffice, Trouble::OldOfficeUnnoticed];
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &troubles));
}

#[test]
fn what_head_office_published_survives_its_being_put_back() {
    let troubles = [Trouble::Edits, Trouble::OldOffice, Trouble::OldOfficeUnnoticed, Trouble::Crash];
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &troubles));
}

#[test]
fn what_came_in_parts_survives_head_offices_being_put_back() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::Parts]));
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
fn a_box_that_another_took_the_place_of_keeps_nothing_to_itself() {
    let troubles = [Trouble::Replaced, Trouble::Edits, Trouble::Crash];
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &troubles));
}

#[test]
fn stock_that_was_met_before_a_box_is_replaced_is_so_after() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::Restocked]));
}

#[test]
fn months_pass_and_a_head_office_that_lacks_them_is_filled() {
    let troubles = [Trouble::Season, Trouble::Months, Trouble::Edits];
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &troubles));
}

#[test]
fn sectors_that_were_not_synced_take_no_sale_with_them() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::Sectors, Trouble::Crash]));
}

#[test]
fn a_full_disk_takes_back_nothing_that_was_confirmed() {
    let troubles = [Trouble::Full, Trouble::Edits, Trouble::Crash];
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &troubles));
}

#[test]
fn rows_that_change_by_themselves_are_found_and_mended() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::Damage, Trouble::Crash]));
}

#[test]
fn rows_that_go_wrong_again_are_told_once_and_mended() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::DamageAgain]));
}

#[test]
fn both_ends_may_change_the_same_rows_whatever_their_clocks_say() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::Both, Trouble::Ahead, Trouble::Crash]));
}

#[test]
fn a_clock_that_goes_ahead_by_weeks_lets_go_of_nothing() {
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &[Trouble::Races, Trouble::Crash]));
}

#[test]
fn everything_at_once() {
    with_seeds(2, |seed| storm(seed, mistakes::NONE, &ALL));
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
        // Somebody is dismissed: no box of the two goes on letting them in.
        let waiter = world.dismiss(0).unwrap();
        let lets_in = |site: &Site| {
            let sql = "SELECT is_active FROM accounts WHERE id = ?1";
            let conn = tiffin_tests::oracle::open(&site.folder.join("tiffin.db"));
            conn.query_row(sql, [waiter], |row| row.get::<_, bool>(0)).unwrap()
        };
        let heard = |_: &World| !boxes.iter().any(|site| lets_in(site));
        if world.until(Duration::from_secs(300), heard).is_none() {
            return vec!["a box that head office takes nothing from lets in who was dismissed".into()];
        }
        world.pass(Duration::from_secs(60));
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
