//! The sample restaurant with as large a menu as is wanted, made by its files; and orders of the same dishes at each of them. Never sells
//! out.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client};

/// Dishes of a large menu.
pub(super) const DISHES: usize = 600;

/// What names of dishes stand for in two more languages.
const LANGUAGES: [(&str, &str, &str); 2] = [
    ("hi", "तंदूरी पनीर मसाला", "मक्खन और मलाई में धीमी आँच पर पका हुआ"),
    ("ta", "தந்தூரி பன்னீர்", "வெண்ணெயில் மெதுவாக சமைத்தது"),
];

/// A restaurant and what is asked of it.
pub(super) struct Place {
    pub(super) name: &'static str,
    pub(super) owner: Client,
    /// The owner, who takes answers compressed.
    pub(super) reader: Client,
    pub(super) table: String,
    pub(super) channel: String,
    /// A dish that nobody orders.
    pub(super) dish: String,
    pub(super) orders: Vec<Value>,
    _branch: Branch,
}

impl Place {
    /// As the sample has it: 58 dishes.
    pub(super) async fn sample() -> Place {
        Place::made("58 dishes", false, false).await
    }

    /// With 600 dishes.
    pub(super) async fn large() -> Place {
        Place::made("600 dishes", true, false).await
    }

    /// With 600 dishes, all of them in three languages and on four price lists.
    pub(super) async fn full() -> Place {
        Place::made("600 with lists and languages", true, true).await
    }

    async fn made(name: &'static str, is_large: bool, is_full: bool) -> Place {
        let branch = Branch::sample(&[]).await;
        let owner = branch.sign_in(Role::Owner);
        let outlet = json!({"autoAvailability": false, "languages": if is_full { json!(["en", "hi", "ta"]) } else { json!(["en"]) }});
        owner.patch(&format!("/outlets/{}", branch.outlet_id), outlet).await.expect(200);
        if is_large {
            enlarge(&owner, is_full).await;
        }
        let tables = owner.get("/tables?limit=1").await.expect(200).data();
        let channel = json!({"name": "Swiggy", "kind": "AGGREGATOR"});
        let channel = owner.post("/channels", channel).await.expect(201).data();
        let (table, channel) = (text(&tables[0]["id"]), text(&channel["id"]));
        if is_full {
            price(&owner, &text(&tables[0]["area"]), &channel).await;
        }
        let (orders, dish) = orders(&owner).await;
        let reader = owner.clone().with_header("accept-encoding", "gzip");
        Place { name, owner, reader, table, channel, dish, orders, _branch: branch }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// As many more dishes as make 600, by the menu's own file.
async fn enlarge(owner: &Client, in_languages: bool) {
    let mut rows = owner.get("/menu/export").await.expect(200).data()["items"].as_array().unwrap().clone();
    let first: Vec<Value> = rows.iter().filter(|row| row["kind"] != "COMBO").cloned().collect();
    for number in rows.len()..DISHES {
        let mut row = first[number % first.len()].clone();
        row["name"] = json!(format!("{} {number}", text(&row["name"])));
        row["sku"] = json!(format!("MORE-{number}"));
        row["variants"].as_array_mut().unwrap().iter_mut().for_each(|size| size["sku"] = Value::Null);
        rows.push(row);
    }
    if in_languages {
        for (number, row) in rows.iter_mut().enumerate() {
            let said = LANGUAGES.map(|(tag, name, words)| {
                (tag.to_owned(), json!({"name": format!("{name} {number}"), "description": words}))
            });
            row["texts"] = Value::Object(said.into_iter().collect());
        }
    }
    owner.post("/menu/import", json!({"items": rows})).await.expect(200);
}

/// Four lists that name every dish: one for everybody, one for an area, one for a channel, one for another kind of order at night.
async fn price(owner: &Client, area: &str, channel: &str) {
    let menu = owner.get("/menu").await.expect(200).data();
    let entries: Vec<Value> = dishes(&menu)
        .iter()
        .map(|dish| json!({"menuItemId": dish["id"], "priceCents": dish["priceCents"].as_i64().unwrap() + 500}))
        .collect();
    for (number, mut list) in [
        json!({"name": "Season", "startsOn": "2026-01-01", "endsOn": "2027-12-31"}),
        json!({"name": "Terrace", "areas": [area]}),
        json!({"name": "Delivery", "channelIds": [channel]}),
        json!({"name": "Late", "orderTypes": ["TAKEAWAY"], "from": "23:00", "to": "02:00"}),
    ]
    .into_iter()
    .enumerate()
    {
        list["priority"] = json!(number);
        list["entries"] = json!(entries);
        owner.post("/menu/price-lists", list).await.expect(201);
    }
}

fn dishes(menu: &Value) -> Vec<Value> {
    let chapters = menu["categories"].as_array().unwrap().iter();
    chapters.flat_map(|chapter| chapter["items"].as_array().unwrap().clone()).collect()
}

/// Orders of three of the dishes that the sample has, and one that is in none of them.
async fn orders(owner: &Client) -> (Vec<Value>, String) {
    let menu = owner.get("/menu?orderType=COUNTER").await.expect(200).data();
    let is_free = |dish: &Value| {
        let needs = |group: &Value| group["minSelections"] != 0;
        dish["kind"] != "COMBO"
            && dish["isAvailable"] == true
            && !dish["modifierGroups"].as_array().unwrap().iter().any(needs)
    };
    let is_first = |dish: &Value| !text(&dish["sku"]).starts_with("MORE-");
    let mut free: Vec<Value> =
        dishes(&menu).into_iter().filter(|dish| is_free(dish) && is_first(dish)).collect();
    let unsold = text(&free.pop().unwrap()["id"]);
    let line =
        |dish: &Value| json!({"menuItemId": dish["id"], "quantity": 1, "unitPriceCents": dish["priceCents"]});
    let orders = free.chunks_exact(3).map(|three| {
        let items: Vec<Value> = three.iter().map(line).collect();
        json!({"orderType": "COUNTER", "items": items})
    });
    (orders.collect(), unsold)
}
