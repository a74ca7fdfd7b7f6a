//! The chain simulator: many outlets replay a recorded day against a head-office process, all at once.
//!
//!     cargo build --release && cargo run --release -p tiffin-tests --bin chain -- --outlets 1000 --orders 480 [--database-url URL]

use std::path::Path;
use tiffin_tests::{HubProcess, chain};

const EMAIL: &str = "chain@tiffin.example";
const PASSWORD: &str = "a long chain of outlets";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        arguments.get(place + 1).cloned()
    };
    let number = |name: &str, default: usize| {
        value(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} takes a number")))
    };
    let (outlets, orders) = (number("--outlets", 20), number("--orders", 100));
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(simulate(folder.path(), outlets, orders, value("--database-url").as_deref()));
}

async fn simulate(folder: &Path, outlets: usize, orders: usize, database: Option<&str>) {
    let password = folder.join("password");
    std::fs::write(&password, PASSWORD).unwrap();
    let data = folder.join("hub");
    let mut store = Vec::new();
    if let Some(url) = database {
        store.extend(["--database-url", url]);
    }
    let mut init = vec!["init", "--admin-email", EMAIL, "--admin-password-file", password.to_str().unwrap()];
    init.extend(&store);
    HubProcess::run(&data, &init);
    let hub = HubProcess::serve(&data, &store).await;
    let admin = hub.sign_in(EMAIL, PASSWORD).await;
    let mut codes = Vec::new();
    for _ in 0..outlets {
        let code = admin.post("/hub/enrolments", serde_json::json!({})).await.expect(201).data();
        codes.push(code["code"].as_str().unwrap().to_owned());
    }
    let figures = chain::run(hub.base(), codes, orders).await;
    println!("{figures}");
    println!("head office, most memory    {:>9} MB", hub.most_memory());
}
