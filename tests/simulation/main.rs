//! The exchange between branches and head office, simulated: the real programs in one process, on a network and with clocks that
//! a seed determines. Everything that can go wrong does; afterwards both ends hold the same rows, and nothing is lost or doubled.
//!
//!     TIFFIN_SIM_SEEDS=100 cargo nextest run -p tiffin-tests --test simulation
//!     TIFFIN_SIM_LOG=1 TIFFIN_SIM_SEED=7 cargo nextest run -p tiffin-tests --test simulation -E 'test(storm)'

mod boxes;
mod branches;
// A release has no switches for known bugs.
#[cfg(debug_assertions)]
mod bugs;
mod checks;
mod clock;
mod disks;
mod edits;
mod errands;
mod light;
mod lites;
mod mistakes;
mod office;
mod place;
mod protocol;
mod seasons;
mod site;
mod steered;
mod transfers;
mod troubles;
mod versions;
mod wire;
mod world;

/// Runs `simulate` with each seed and fails with what is wrong.
pub fn with_seeds(usual: u64, simulate: impl Fn(u64) -> Vec<String>) {
    if std::env::var_os("TIFFIN_SIM_LOG").is_some() {
        // What the programs say, at the simulation's side.
        let _other = tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG)
            .try_init();
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seeds: Vec<u64> = match number("TIFFIN_SIM_SEED") {
        Some(seed) => vec![seed],
        None => (1..=number("TIFFIN_SIM_SEEDS").unwrap_or(usual)).collect(),
    };
    for seed in seeds {
        println!("to run this again: TIFFIN_SIM_SEED={seed}");
        let problems = simulate(seed);
        assert!(problems.is_empty(), "TIFFIN_SIM_SEED={seed}: {problems:#?}");
    }
}
