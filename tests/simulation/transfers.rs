//! Stock goes from branch to branch through every trouble: nothing comes out of nothing, nothing vanishes.

use crate::branches::templates;
use crate::mistakes::{self, Mistakes};
use crate::site::Site;
use crate::troubles::{Trouble, pass_through};
use crate::with_seeds;
use crate::world::World;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tiffin_common::Uuid;
use tiffin_tests::Dice;
use tiffin_tests::trade::Till;
use tiffin_tests::transfers;

/// One thing that a storekeeper does: sends something, takes something in, or calls something back.
pub async fn act(till: &dyn Till, dice: &Dice) {
    let get = async |path: &str| till.call("GET", path.to_owned(), None, Value::Null).await;
    match dice.below(10) {
        0..4 => {
            let Some((200, outlets)) = get("/inventory/transfers/outlets").await else { return };
            let Some((200, items)) = get("/inventory/items?limit=100").await else { return };
            let there = |item: &&Value| item["currentStock"].as_f64().is_some_and(|stock| stock >= 1.0);
            let items: Vec<&Value> = items["items"].as_array().into_iter().flatten().filter(there).collect();
            let Some(to) = outlets["data"].as_array().and_then(|all| all.first()) else { return };
            if items.is_empty() {
                return;
            }
            let item = dice.pick(&items);
            let quantity = 0.25 * dice.between(1, 4) as f64;
            let body = json!({"toOutletId": to["id"], "items": [{"inventoryItemId": item["id"], "quantity": quantity}]});
            let _told = till.call("POST", "/inventory/transfers".to_owned(), None, body).await;
        }
        4..8 => {
            let Some((200, list)) = get("/inventory/transfers?direction=IN&status=SENT").await else {
                return;
            };
            let Some(transfer) = list["data"].as_array().and_then(|all| all.last()) else { return };
            let path = format!("/inventory/transfers/{}", transfer["id"].as_str().unwrap_or_default());
            let Some((200, detail)) = get(&path).await else { return };
            let line = &detail["data"]["lines"][0];
            let part = line["quantity"].as_f64().unwrap_or(0.0) * 0.2 * dice.between(0, 5) as f64;
            let part = (part * 1e6).round() / 1e6;
            let body = json!({"items": [{"lineId": line["id"], "quantityReceived": part}]});
            let _told = till.call("POST", format!("{path}/receive"), None, body).await;
        }
        _ => {
            let Some((200, list)) = get("/inventory/transfers?direction=OUT&status=SENT").await else {
                return;
            };
            let Some(transfer) = list["data"].as_array().and_then(|all| all.first()) else { return };
            let path = format!("/inventory/transfers/{}/cancel", transfer["id"].as_str().unwrap_or_default());
            let _told = till.call("POST", path, None, json!({})).await;
        }
    }
}

/// Two branches that send each other stock, through `troubles`; answers what is wrong in the end.
pub fn sending(seed: u64, mistakes: Mistakes, troubles: &[Trouble]) -> Vec<String> {
    let mut world = World::new(seed, mistakes);
    world.add_sites(&templates());
    for site in &world.sites {
        site.sends.store(true, Ordering::SeqCst);
    }
    world.open();
    world.pass(Duration::from_secs(60));
    pass_through(&mut world, troubles);
    world.sites.iter().for_each(|site| site.sends.store(false, Ordering::SeqCst));
    let mut problems = world.settle();
    let branches: Vec<(Uuid, PathBuf)> =
        world.sites.iter().map(|site| (site.outlet, database(site))).collect();
    let branches: Vec<_> = branches.iter().map(|(id, path)| (*id, path.as_path())).collect();
    problems.extend(transfers::problems(&branches));
    if !world.put_back && world.are_first_disks() {
        problems.extend(branches.iter().filter_map(|(_, path)| taken_out_again(path)));
    }
    let counts: Vec<_> = branches.iter().map(|(_, path)| transfers::counts(path)).collect();
    println!("seed {seed}: sent, came, came back, on their way: {counts:?}");
    let (sent, came) = (counts[0].0 + counts[1].0, counts[0].1 + counts[1].1);
    if sent < 10 || came < 3 {
        problems.push(format!("nothing to speak of was sent: {counts:?}"));
    }
    problems
}

/// Where nobody's memory was lost, what was taken in was so before its recall was known: it stays where it is.
fn taken_out_again(branch: &Path) -> Option<String> {
    let sql = "SELECT count(*) FROM stock_transfer_receipts WHERE undone_at IS NOT NULL";
    let undone: i64 = tiffin_tests::oracle::open(branch).query_row(sql, [], |row| row.get(0)).unwrap();
    (undone > 0)
        .then(|| format!("{undone} transfers were taken in and are not, though nobody forgot anything"))
}

fn database(site: &Arc<Site>) -> PathBuf {
    site.folder.join("tiffin.db")
}

#[test]
fn stock_between_branches_is_somewhere_once_whatever_crashes() {
    with_seeds(1, |seed| sending(seed, mistakes::NONE, &[Trouble::Crash, Trouble::Cut]));
}

#[test]
fn stock_between_branches_is_somewhere_once_whoever_is_put_back() {
    let troubles = [Trouble::OldBranch, Trouble::OldOffice, Trouble::OldOfficeUnnoticed, Trouble::Crash];
    with_seeds(1, |seed| sending(seed, mistakes::NONE, &troubles));
}

#[test]
fn stock_between_branches_is_somewhere_once_whosever_box_is_replaced() {
    with_seeds(1, |seed| sending(seed, mistakes::NONE, &[Trouble::Replaced, Trouble::Restocked]));
}
