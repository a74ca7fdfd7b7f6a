//! The files of a first day, each taken in by one call at an empty branch: 600 dishes, 400 stock items with 800 batches, 300 recipes. Never
//! asserts a time.

use super::place::DISHES;
use edge::access::Role;
use serde_json::{Value, json};
use std::time::Instant;
use tiffin_tests::{Branch, Client};

const STOCK: usize = 400;
const RECIPES: usize = 300;

pub(super) async fn take_in() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    owner.post("/kitchen/stations", json!({"name": "Hot", "isDefault": true})).await.expect(201);
    take(&owner, "/menu/import", menu(), DISHES).await;
    take(&owner, "/inventory/items/import", stock(), STOCK).await;
    take(&owner, "/inventory/recipes/import", recipes(), RECIPES).await;
}

async fn take(owner: &Client, path: &str, file: String, rows: usize) {
    for (what, path) in [
        ("only looked at", format!("{path}?dryRun=true")),
        ("taken in", path.to_owned()),
        ("once more", path.to_owned()),
    ] {
        let begin = Instant::now();
        let done: Value = owner.post_raw(&path, "text/csv", file.clone()).await.expect(200).data();
        let taken = begin.elapsed().as_secs_f64();
        assert_eq!(done["rows"], json!(rows), "{done}");
        println!("{path:>40}, {rows} rows, {what}: {taken:.2} s (aim 2)");
    }
}

fn menu() -> String {
    let head = "category,name,sku,priceCents,taxCategory,taxComponents,station,variants,modifierGroups,texts.hi.name\n";
    let choices = "\"[{\"\"name\"\":\"\"Spice\"\",\"\"options\"\":[{\"\"name\"\":\"\"Mild\"\"},{\"\"name\"\":\"\"Hot\"\"}]}]\"";
    let row = |number: usize| {
        let sizes = if number.is_multiple_of(3) { "Half 9000; *Full 16000" } else { "" };
        let choices = if number.is_multiple_of(4) { choices } else { "" };
        format!(
            "Chapter {},Dish {number},D-{number},16000,GST 5 %,CGST 250; SGST 250,Hot,{sizes},{choices},व्यंजन {number}\n",
            number / 40
        )
    };
    head.to_owned() + &(0..DISHES).map(row).collect::<String>()
}

fn stock() -> String {
    let head = "name,category,unit,sku,minStockThreshold,batches.quantity,batches.unitCost,batches.batchNumber,batches.expiryDate\n";
    let row = |number: usize| {
        format!(
            "Item {number},Shelf {},kg,S-{number},1.5,20,60.25,A,2027-01-31\n,,,,,10,61,B,2027-02-28\n",
            number / 40
        )
    };
    head.to_owned() + &(0..STOCK).map(row).collect::<String>()
}

fn recipes() -> String {
    let head = "dish,ingredients.item,ingredients.quantity,ingredients.unit\n";
    let row = |number: usize| {
        let more: String =
            (1..5).map(|n| format!(",S-{},{},g\n", (number + n * 7) % STOCK, n * 10)).collect();
        format!("D-{number},S-{},120,g\n{more}", number % STOCK)
    };
    head.to_owned() + &(0..RECIPES).map(row).collect::<String>()
}
