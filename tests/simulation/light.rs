//! Head office alone against light-weight branches: many seeds, because each is cheap.

use crate::mistakes::{self, Mistakes};
use crate::with_seeds;
use crate::world::World;
use std::time::Duration;
use tiffin_tests::oracle::Cursors;
use tiffin_tests::proxy::Weather;

/// Head office and three branches through storms, cut cables and pulled plugs; answers what is wrong in the end.
pub fn storm(seed: u64, mistakes: Mistakes) -> Vec<String> {
    let mut world = World::new(seed, mistakes);
    world.add_lites(3);
    // Two of them have older programs than head office.
    for (behind, lite) in world.lites.iter().enumerate() {
        lite.lite.blocking_lock().schema -= behind as u32;
    }
    world.open();
    world.pass(Duration::from_secs(20));
    world.weather(Weather::STORM);
    for _ in 0..8 {
        let calm = world.dice.between(5, 60);
        world.pass(Duration::from_secs(calm));
        let long = Duration::from_millis(world.dice.between(100, 40_000));
        let which = world.dice.below(3) as usize;
        match world.dice.below(4) {
            // Its program is a newer one from now on.
            3 => {
                let lite = world.lites[which].clone();
                world.crash(&lite.name);
                lite.lite.blocking_lock().schema = tiffin_migrations::edge_schema_version();
                world.start(&lite.name);
            }
            0 => {
                world.crash_amid("hub", Cursors::pushing);
                world.pass(long);
                world.start("hub");
            }
            1 => {
                let name = world.lites[which].name.clone();
                world.crash(&name);
                world.pass(long);
                world.start(&name);
            }
            _ => {
                world.networks[which].set_up(false);
                world.pass(long);
                world.networks[which].set_up(true);
            }
        }
    }
    let problems = world.settle();
    println!("seed {seed}: {:?}", world.fates());
    problems
}

#[test]
fn nothing_is_lost_or_doubled_in_a_storm() {
    with_seeds(2, |seed| storm(seed, mistakes::NONE));
}

#[test]
fn the_same_seed_gives_the_same_history() {
    let run = |seed| {
        let mut world = World::new(seed, mistakes::NONE);
        world.add_lites(2);
        world.open();
        world.weather(Weather::STORM);
        world.pass(Duration::from_secs(60));
        let lites = world.lites.clone();
        let stopped = lites.iter().map(|lite| {
            // What a running one does holds its books.
            world.crash(&lite.name);
            lite.lite.blocking_lock().head()
        });
        let heads: Vec<_> = stopped.collect();
        (heads, world.fates())
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}
