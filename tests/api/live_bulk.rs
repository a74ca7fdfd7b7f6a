//! `GET /stream` when one commit changes more rows than anybody is told at once: row by row, and nobody begins anew.

use edge::access::Role;
use serde_json::json;
use std::collections::HashSet;
use tiffin_tests::{Branch, Events, House};

#[tokio::test]
async fn a_menu_that_comes_in_one_commit_is_told_dish_by_dish_to_who_reads() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let menu = house.owner.get("/menu").await.expect(200).data();
    let category = menu["categories"][0]["name"].as_str().unwrap();
    let mut stream = Events::open(&branch.sign_in(Role::Cashier), "/stream?topics=menu", None).await;
    assert_eq!(stream.next().await.name, "hello");
    let mut file = String::from("category,name,priceCents\n");
    for dish in 0..1_000 {
        file.push_str(&format!("{category},Dish {dish},{}\n", 10_000 + dish));
    }
    house.owner.post_raw("/menu/import", "text/csv", file).await.expect(200);
    let mut told = HashSet::new();
    while told.len() < 1_000 {
        let event = stream.next().await;
        assert_ne!(event.name, "reset");
        let name = event.data["data"]["name"].as_str().unwrap_or_default();
        if event.name == "menuItem" && name.starts_with("Dish ") {
            told.insert(name.to_owned());
        }
    }
    // What comes after is told, too.
    let dish = format!("/menu/items/{}", house.dish("Kulfi"));
    house.owner.patch(&dish, json!({"name": "Malai Kulfi"})).await.expect(200);
    stream.until(|event| event.data["data"]["name"] == "Malai Kulfi").await;
}
