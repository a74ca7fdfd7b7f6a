//! `POST /orders` over loopback HTTP beside the same transaction without HTTP and beside its bare row writes, on one disk in
//! one run. Never asserts a time: absolute figures wander, ratios are what counts.
//!
//!     cargo bench -p tiffin-tests --bench orders

mod bare;
mod load;
mod report;
mod shop;

use load::{Figures, measure};
use report::Table;
use shop::Shop;
use std::path::PathBuf;

/// Connections at once.
const CONNECTIONS: [usize; 3] = [1, 16, 64];

/// Rounds of each, alternating, so that drift of the machine meets all alike.
const ROUNDS: usize = 3;

/// Orders of one round at one connection; more connections take more.
const ORDERS: usize = 600;

fn main() {
    let folder = data_folder();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let shop = Shop::open(&folder.join("http")).await;
        println!("resident memory after start, before any request: {} kB", report::resident_kb());
        let bare = bare::Bare::learn(&shop, &folder.join("bare")).await;
        println!("one order writes {} captured rows and {} local ones\n", bare.captured(), bare.local());
        let mut table = Table::default();
        for connections in CONNECTIONS {
            let orders = ORDERS * connections.clamp(1, 8);
            for _ in 0..ROUNDS {
                let rows = measure(connections, orders, async |_| bare.clone()).await;
                let action = measure(connections, orders, async |_| shop.action().await).await;
                let http = measure(connections, orders, async |_| shop.connect().await).await;
                table.add(connections, [rows, action, http]);
            }
        }
        table.print();
        println!("\nresident memory after the load: {} kB", report::resident_kb());
        shop.lists().await;
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A fresh folder on the disk that the build uses.
fn data_folder() -> PathBuf {
    let target = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned();
    let folder = target.join("bench-data").join(std::process::id().to_string());
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Something that can take one order after another.
trait Taker: Send + 'static {
    /// Takes one order and returns when it is durable.
    fn take(&mut self) -> impl Future<Output = ()> + Send;
}
