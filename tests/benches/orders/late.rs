//! What it costs everybody that some orders are refused after most of their rows were written: 64 tills of which one order in twenty asks
//! for more portions than are left, in turns with 64 whose orders are all taken. Never counts on how groups are run.

use super::branch::Branch;
use super::load::{Figures, measure as load};
use super::report::{Latencies, median};
use super::till::Tills;
use super::usage::Usage;
use serde_json::json;
use std::path::Path;
use tiffin_tests::sample;

/// Tills at once.
const TILLS: usize = 64;

/// One of so many orders is refused.
const OF: usize = 20;

pub(super) async fn measure(folder: &Path) {
    super::build_program();
    let branch = Branch::make(&folder.join("branch")).await;
    let (token, late) = (branch.owner.token().unwrap(), refused(&branch).await);
    let scarce = late["items"][2]["menuItemId"].as_str().unwrap();
    let fine: Vec<String> = branch.bodies.iter().filter(|body| !body.contains(scarce)).cloned().collect();
    let taken = || fine.iter().cloned().cycle().map(|body| (body, 201));
    let sellers = [
        ("all orders taken", Tills::answered(token, taken().take(OF))),
        (
            "one in 20 refused late",
            Tills::answered(token, taken().take(OF - 1).chain([(late.to_string(), 422)])),
        ),
    ];
    let server = branch.edge.into_server();
    let (rounds, long) = super::rounds();
    let mut figures: [Vec<Figures>; 2] = Default::default();
    for _ in 0..rounds {
        for ((_, tills), figures) in sellers.iter().zip(&mut figures) {
            let mut all = Vec::new();
            for _ in 0..TILLS {
                all.push(tills.connect(server.listen()).await);
            }
            figures.push(load(all, long, || Usage::of(server.pid())).await);
        }
    }
    println!("{:<24} answers/s   p50 ms   p99 ms   max ms", format!("{TILLS} tills"));
    for ((name, _), rounds) in sellers.iter().zip(&figures) {
        print(name, rounds);
    }
}

/// An order that finds out late that there is not enough: the dish of its last line is down to one portion, and it asks for two.
async fn refused(branch: &Branch) -> serde_json::Value {
    let mut lines = sample::lines(&branch.owner, usize::MAX).await;
    let mut scarce = lines.pop().unwrap();
    let path = format!("/menu/items/{}/availability", scarce["menuItemId"].as_str().unwrap());
    branch.owner.put(&path, json!({"status": "LIMITED", "quantityLeft": 1})).await.expect(200);
    scarce["quantity"] = json!(2);
    json!({"orderType": "COUNTER", "items": [lines[0], lines[1], scarce]})
}

fn print(name: &str, rounds: &[Figures]) {
    let took = Latencies::of(rounds.iter().flat_map(|round| round.micros.iter().copied()));
    let rate = median(rounds.iter().map(Figures::rate));
    println!("{name:<24} {rate:>9.0} {:>8.2} {:>8.2} {:>8.1}", took.ms(0.5), took.ms(0.99), took.ms(1.0));
}
