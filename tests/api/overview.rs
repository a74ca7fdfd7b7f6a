//! The floor in one answer, what an order would cost, the plan, and what the devices of a house ask for.

use edge::access::Role;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::io::Read;
use tiffin_tests::paired::paired;
use tiffin_tests::{Branch, Events, House};

fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

#[tokio::test]
async fn the_floor_is_one_answer() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (waiter, cook) = (branch.sign_in(Role::Waiter), branch.sign_in(Role::Kitchen));
    let mut body = house.at_table(4, &[("Dal", 2), ("Lassi", 1), ("Paneer Tikka", 1)]);
    body["guestCount"] = json!(3);
    body["items"][2]["hold"] = json!(true);
    body["customerName"] = json!("Asha Rao");
    let order = house.place(&waiter, body).await;
    let channel = json!({"name": "Swiggy", "kind": "AGGREGATOR", "taxedBy": "RESTAURANT"});
    let channel = house.owner.post("/channels", channel).await.expect(201).data();
    let mut counter = house.counter(&[("Lassi", 1)]);
    (counter["channelId"], counter["externalId"]) = (channel["id"].clone(), json!("SW-77"));
    let counter = house.place(&house.owner, counter).await;
    let hot =
        cook.get(&format!("/kitchen/tickets?stationId={}", house.station("Hot"))).await.expect(200).json();
    cook.post(&format!("/kitchen/tickets/{}/ready", id(&hot["data"][0])), json!({})).await.expect(200);
    let floor = waiter.get("/floor").await.expect(200).data();
    assert_eq!(floor["tables"].as_array().unwrap().len(), 12);
    let mut table =
        floor["tables"].as_array().unwrap().iter().find(|table| table["number"] == "T4").unwrap().clone();
    let party = table["party"]["id"].take();
    assert!(party.is_string());
    let expected = json!({
        "id": house.table(4), "number": "T4", "area": "Indoor", "seats": 4, "status": "OCCUPIED", "position": null,
        "shape": "SQUARE", "size": null, "rotation": 0,
        "party": {"id": null, "partySize": 3, "openedAt": "2026-11-20T12:30:00.000Z", "server": order["server"]},
        "orders": [{
            "id": order["id"], "orderNumber": "BLR1-261120-0001", "tokenNumber": 1, "orderType": "DINE_IN",
            "channelId": null, "externalId": null, "customerName": "Asha Rao",
            "status": "PENDING", "awaitsApproval": false, "server": order["server"], "guestCount": 3,
            "totalAmountCents": 80_850, "dueCents": 80_850,
            "lines": {"held": 1, "waiting": 1, "ready": 1, "served": 0}, "bill": null,
            "version": table["orders"][0]["version"], "createdAt": "2026-11-20T12:30:00.000Z",
        }],
        "dueCents": 80_850, "calls": [],
    });
    table["orders"][0]["status"] = json!("PENDING");
    assert_eq!(table, expected);
    let loose = &floor["orders"][0];
    assert_eq!((floor["orders"].as_array().unwrap().len(), &loose["id"]), (1, &counter["id"]));
    assert_eq!(
        (&loose["channelId"], &loose["externalId"], &loose["customerName"]),
        (&channel["id"], &json!("SW-77"), &Value::Null)
    );
    branch.sign_in(Role::Kitchen).get("/floor").await.refused(403, "FORBIDDEN");
    // A till at which nobody stands sees the floor, and no guest.
    let (till, _) = paired(&branch, &house.owner, "POS").await;
    let bare = till.get("/floor").await.expect(200).text;
    assert!(bare.contains("BLR1-261120-0001") && !bare.contains("Asha"), "{bare}");
    // Carried out, and billed.
    cook.post(&format!("/kitchen/tickets/{}/serve", id(&hot["data"][0])), json!({})).await.expect(200);
    let bill =
        house.owner.post(&format!("/orders/{}/invoice", id(&order)), json!({})).await.expect(201).data();
    let floor = waiter.get("/floor").await.expect(200).data();
    let table = floor["tables"].as_array().unwrap().iter().find(|table| table["number"] == "T4").unwrap();
    let told = &table["orders"][0];
    assert_eq!(told["lines"], json!({"held": 1, "waiting": 1, "ready": 0, "served": 1}));
    assert_eq!((&told["bill"], told["bill"].is_string()), (&bill["number"], true));
}

#[tokio::test]
async fn what_is_to_be_cooked_in_all_is_counted_by_dish_and_by_its_options() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (waiter, cook) = (branch.sign_in(Role::Waiter), branch.sign_in(Role::Kitchen));
    for quantity in [2, 1] {
        let mut rich = house.line("Paneer Tikka", quantity);
        rich["modifiers"] = json!([{"optionId": house.option("Extra paneer")}]);
        let mut body = house.counter(&[]);
        body["items"] = json!([rich, house.line("Paneer Tikka", 1)]);
        house.place(&waiter, body).await;
    }
    // With the extra and without: portions that are open, and of those what somebody has begun.
    let told = async || {
        let all = cook.get("/kitchen/all-day").await.expect(200).data();
        let of = |modifiers: Value| {
            let dish = all["dishes"].as_array().unwrap().iter().find(|dish| dish["modifiers"] == modifiers);
            let dish = dish.unwrap_or_else(|| panic!("{modifiers} in {all}"));
            (dish["quantity"].as_i64().unwrap(), dish["inPreparation"].as_i64().unwrap())
        };
        (of(json!(["Extra paneer"])), of(json!([])), all["quantity"].as_i64().unwrap())
    };
    assert_eq!(told().await, ((3, 0), (2, 0), 5));
    let first = cook.get("/kitchen/tickets").await.expect(200).data()[0].clone();
    cook.post(&format!("/kitchen/tickets/{}/start", id(&first)), json!({})).await.expect(200);
    assert_eq!(told().await, ((3, 2), (2, 1), 5));
    cook.post(&format!("/kitchen/tickets/{}/ready", id(&first)), json!({})).await.expect(200);
    assert_eq!(told().await, ((1, 0), (1, 0), 2));
}

#[tokio::test]
async fn a_quote_is_what_the_order_then_costs_and_writes_nothing() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let outlet = house.owner.get("/outlets").await.expect(200).data()[0].clone();
    let terms = json!({"serviceCharge": {"bps": 500, "automatic": true, "orderTypes": ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"]}, "cashRoundingCents": 100});
    house.owner.patch(&format!("/outlets/{}", id(&outlet)), terms).await.expect(200);
    let waiter = branch.sign_in(Role::Waiter);
    let mut body = house.at_table(4, &[("Paneer Tikka", 2), ("Bottled Water", 1)]);
    body["items"][0]["modifiers"] = json!([{"optionId": house.option("Extra paneer")}]);
    let rows = "SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM counters) + (SELECT count(*) FROM table_sessions)
        + (SELECT count(*) FROM audit_log) + (SELECT coalesce(max(seq), 0) FROM sync_log)";
    let before = branch.number(rows).await;
    let quote = waiter.post("/orders/quote", body.clone()).await.expect(200).data();
    assert_eq!(branch.number(rows).await, before);
    let expected = json!({
        "subtotalCents": 79_000, "discountCents": 0, "serviceChargeCents": 3_950, "taxCents": 3_990, "roundingCents": -40,
        "totalAmountCents": 86_900,
        "items": [
            {"menuItemId": house.dish("Paneer Tikka"), "name": "Paneer Tikka", "quantity": 2, "unitPriceCents": 32_000,
             "variantId": null, "priceListId": null, "components": [], "modifiersCents": 6_000, "lineTotalCents": 76_000, "serviceChargeCents": 3_800, "taxCents": 3_990,
             "modifiers": ["Extra paneer"]},
            {"menuItemId": house.dish("Bottled Water"), "name": "Bottled Water", "quantity": 1, "unitPriceCents": 3_000,
             "variantId": null, "priceListId": null, "components": [], "modifiersCents": 0, "lineTotalCents": 3_000, "serviceChargeCents": 150,
             "taxCents": 0, "modifiers": []},
        ],
        "taxes": [
            {"name": "CGST", "rateBps": 250, "taxableCents": 79_800, "taxCents": 1_995},
            {"name": "SGST", "rateBps": 250, "taxableCents": 79_800, "taxCents": 1_995},
        ],
        "releaseAt": null, "warnings": [],
    });
    assert_eq!(quote, expected);
    body["items"][0]["unitPriceCents"] = json!(1);
    let refused = waiter.post("/orders/quote", body).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[0].unitPriceCents"]);
}

#[tokio::test]
async fn any_quote_is_what_the_order_then_costs() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let outlet = house.owner.get("/outlets").await.expect(200).data()[0].clone();
    let waiter = branch.sign_in(Role::Waiter);
    let dice = tiffin_tests::Dice::new(8);
    let dishes = ["Paneer Tikka", "Dal", "Steamed Rice", "Lassi", "Lemon Soda", "Bottled Water", "Kulfi"];
    for round in 0..40_u64 {
        if round % 8 == 0 {
            let rounding = *dice.pick(&[0, 5, 100]);
            let terms = json!({
                "serviceCharge": {"bps": dice.below(1_500), "automatic": true, "orderTypes": ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"]}, "cashRoundingCents": rounding,
                "pricesIncludeTax": dice.below(2) == 0,
            });
            house.owner.patch(&format!("/outlets/{}", id(&outlet)), terms).await.expect(200);
        }
        let mut lines = Vec::new();
        for _ in 0..=dice.below(4) {
            let dish = *dice.pick(&dishes);
            let mut line = house.line(dish, 1 + dice.below(5) as i64);
            if dish == "Paneer Tikka" && dice.below(2) == 0 {
                line["modifiers"] =
                    json!([{"optionId": house.option("Extra paneer")}, {"name": "well done"}]);
            }
            lines.push(line);
        }
        let mut body = json!({"orderType": "TAKEAWAY", "items": lines});
        if dice.below(3) == 0 {
            body["scheduledFor"] = json!("2026-11-22T12:00:00Z");
        }
        let quote = waiter.post("/orders/quote", body.clone()).await.expect(200).data();
        let order = house.place(&waiter, body).await;
        for sum in [
            "subtotalCents",
            "serviceChargeCents",
            "taxCents",
            "roundingCents",
            "totalAmountCents",
            "warnings",
        ] {
            assert_eq!(quote[sum], order[sum], "round {round}: {sum}");
        }
        assert_eq!(quote["releaseAt"].is_null(), order["releaseAt"].is_null());
    }
}

#[tokio::test]
async fn the_plan_is_drawn_in_one_piece() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let plan = json!({
        "tables": [
            {"id": house.table(2), "shape": "ROUND", "size": {"width": 80, "height": 80}, "area": "Terrace"},
            {"id": house.table(1), "position": {"x": 5, "y": 9}, "rotation": 45},
        ],
        "areas": ["Terrace", "Indoor"],
    });
    let drawn = house.owner.patch("/tables/plan", plan).await.expect(200).data();
    assert_eq!(
        (&drawn[0]["shape"], &drawn[0]["size"]["width"], &drawn[0]["areaOrder"]),
        (&json!("ROUND"), &json!(80), &json!(1))
    );
    assert_eq!(
        (&drawn[1]["rotation"], &drawn[1]["seats"], &drawn[1]["areaOrder"]),
        (&json!(45), &json!(4), &json!(2))
    );
    let floor = house.owner.get("/floor").await.expect(200).data();
    assert_eq!(
        (&floor["tables"][0]["number"], &floor["tables"][0]["shape"]),
        (&json!("T2"), &json!("ROUND"))
    );
    let wrong = json!({"tables": [
        {"id": house.table(3), "rotation": 10}, {"id": house.station("Bar"), "rotation": 10}, {"rotation": 20},
    ]});
    let refused = house.owner.patch("/tables/plan", wrong).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["tables[1].id", "tables[2].id"]);
    let third = house.owner.get(&format!("/tables/{}", house.table(3))).await.expect(200).data();
    assert_eq!(third["rotation"], 0, "all of it, or nothing");
    branch.sign_in(Role::Waiter).patch("/tables/plan", json!({"tables": []})).await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn a_station_says_whether_a_display_watches_it() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cook = branch.sign_in(Role::Kitchen);
    let path = format!("/kitchen/stations/{}", house.station("Bar"));
    let seen = async || cook.get(&path).await.expect(200).data();
    assert_eq!((&seen().await["displays"], &seen().await["lastSeenAt"]), (&json!(0), &Value::Null));
    let follow = format!("/kitchen/stream?stationId={}", house.station("Bar"));
    let mut display = Events::open(&cook, &follow, None).await;
    display.next().await;
    assert_eq!(seen().await["displays"], 1);
    let hot = cook.get(&format!("/kitchen/stations/{}", house.station("Hot"))).await.expect(200).data();
    assert_eq!(hot["displays"], 0);
    drop(display);
    // The server notices with its next write to the stream.
    house.place(&branch.sign_in(Role::Waiter), house.counter(&[("Lassi", 1)])).await;
    while seen().await["displays"] != 0 {}
    assert_eq!(seen().await["lastSeenAt"], "2026-11-20T12:30:00.000Z");
}

#[tokio::test]
async fn a_guest_calls_the_waiter_and_asks_for_the_bill() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let table = house.owner.get(&format!("/tables/{}", house.table(4))).await.expect(200).data();
    let (token, guest) = (table["qrToken"].as_str().unwrap(), branch.anonymous());
    let call =
        async |what: &str| guest.post(&format!("/orders/tables/{token}/call"), json!({"what": what})).await;
    call("WAITER").await.refused(409, "INVALID_TRANSITION");
    house.place(&waiter, house.at_table(4, &[("Lassi", 1)])).await;
    for what in ["WAITER", "WAITER", "BILL"] {
        assert_eq!(call(what).await.expect(200).data()["what"], what);
    }
    let told = waiter.get("/notifications").await.expect(200).json();
    let titles: Vec<&str> =
        told["data"].as_array().unwrap().iter().map(|n| n["title"].as_str().unwrap()).collect();
    assert!(
        titles.contains(&"Table T4 calls") && titles.contains(&"Table T4 asks for the bill"),
        "{titles:?}"
    );
    assert_eq!(titles.iter().filter(|title| **title == "Table T4 calls").count(), 1);
    call("DANCE").await.refused(422, "PAYLOAD_VALIDATION");
}

#[tokio::test]
async fn waiters_take_payments_where_the_outlet_says_so() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let order = house.place(&waiter, house.counter(&[("Lassi", 1)])).await;
    let path = format!("/orders/{}/payments", id(&order));
    let pay = json!({"method": "CASH", "amountCents": order["totalAmountCents"]});
    waiter.post(&path, pay.clone()).await.refused(403, "FORBIDDEN");
    let outlet = house.owner.get("/outlets").await.expect(200).data()[0].clone();
    let setting = json!({"waitersTakePayments": true});
    house.owner.patch(&format!("/outlets/{}", id(&outlet)), setting).await.expect(200);
    waiter.post(&path, pay).await.expect(201);
    // What roles do not have is not given with it.
    waiter.get("/orders/invoices").await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn json_goes_over_the_air_compressed_and_a_stream_does_not() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let zipped = house.owner.clone().with_header("Accept-Encoding", "gzip");
    let menu = zipped.get("/menu").await.expect(200);
    assert_eq!(menu.header("content-encoding"), "gzip");
    let plain = house.owner.get("/menu").await.expect(200);
    assert_eq!(plain.header("content-encoding"), "");
    // It is kept as it is answered, both ways.
    assert_eq!(zipped.get("/menu").await.expect(200).bytes, menu.bytes);
    let mut unpacked = String::new();
    GzDecoder::new(&menu.bytes[..]).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain.text);
    let stream = zipped.request(reqwest::Method::GET, "/kitchen/stream").send().await.unwrap();
    assert!(stream.headers().get("content-encoding").is_none());
}

#[tokio::test]
async fn somebody_looks_before_they_punch() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let meera = manager
        .post("/employees", json!({"name": "Meera Nair", "jobTitle": "Waiter"}))
        .await
        .expect(201)
        .data();
    manager.put(&format!("/employees/{}/pin", id(&meera)), json!({"pin": "4711"})).await.expect(200);
    let tablet = branch.sign_in(Role::Terminal);
    let look =
        async || tablet.post("/attendance/look", json!({"employeePin": "4711"})).await.expect(200).data();
    let out = look().await;
    assert_eq!((&out["employeeName"], &out["state"]), (&json!("Meera Nair"), &json!("OUT")));
    assert_eq!((&out["possibleEvents"], &out["since"]), (&json!(["CLOCK_IN"]), &Value::Null));
    assert_eq!(branch.number("SELECT count(*) FROM attendances").await, 0);
    let punch = async |event: &str| {
        let body = json!({"employeePin": "4711", "eventType": event});
        tablet.post("/workforce/attendance", body).await.expect(201)
    };
    punch("CLOCK_IN").await;
    branch.pass(60 * 60_000);
    punch("BREAK_START").await;
    branch.pass(10 * 60_000);
    let there = look().await;
    assert_eq!(
        (&there["state"], &there["possibleEvents"]),
        (&json!("BREAK"), &json!(["BREAK_END", "CLOCK_OUT"]))
    );
    assert_eq!((&there["workedMinutes"], &there["breakMinutes"]), (&json!(60), &json!(10)));
    let rows = "SELECT (SELECT count(*) FROM attendances) + (SELECT count(*) FROM attendance_records)";
    let before = branch.number(rows).await;
    look().await;
    assert_eq!(branch.number(rows).await, before, "whoever looks punches nothing");
    // Who guesses is locked out as anywhere else.
    for _ in 0..5 {
        let wrong = tablet.post("/attendance/look", json!({"employeePin": "9999"})).await;
        wrong.refused(401, "INVALID_PIN");
    }
    tablet.post("/attendance/look", json!({"employeePin": "4711"})).await.refused(423, "LOCKED");
}

#[tokio::test]
async fn who_looks_sees_the_shift_they_would_clock_in_to() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let meera = manager.post("/employees", json!({"name": "Meera Nair", "jobTitle": "Waiter"})).await;
    let meera = meera.expect(201).data();
    manager.put(&format!("/employees/{}/pin", id(&meera)), json!({"pin": "4711"})).await.expect(200);
    let shift = json!({"employeeId": meera["id"], "date": "2026-11-20", "shiftType": "EVENING", "startTime": "18:00", "endTime": "23:00"});
    let shift = manager.post("/shifts", shift).await.expect(201).data();
    let days = json!({"from": "2026-11-16", "to": "2026-12-06"});
    manager.post("/shifts/publish", days).await.expect(200);
    let tablet = branch.sign_in(Role::Terminal);
    let seen = tablet.post("/attendance/look", json!({"employeePin": "4711"})).await.expect(200).data();
    for field in ["id", "startsAt", "endsAt"] {
        assert_eq!(seen["shift"][field], shift[field], "{field}: {seen}");
    }
}

#[tokio::test]
async fn the_screens_of_a_till_go_by_what_the_outlet_says() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let outlet = owner.get("/outlets").await.expect(200).data()[0].clone();
    let till = &outlet["till"];
    assert_eq!(till["tipPresetsBps"], json!([500, 1_000, 1_500]));
    assert_eq!(till["reasons"]["void"][0], json!({"code": "MISTAKE", "text": "Entered by mistake"}));
    let path = format!("/outlets/{}", outlet["id"].as_str().unwrap());
    let wanted = json!({"till": {
        "reasons": {"void": [{"code": "SPILT", "text": "Spilt"}]}, "cashPresetsCents": [50_000],
        "ageing": {"warnMinutes": 10, "lateMinutes": 20}, "idleLockSeconds": 90,
    }});
    owner.patch(&path, wanted).await.expect(200);
    // Who sells reads it.
    let till = branch.sign_in(Role::Waiter).get(&path).await.expect(200).data()["till"].clone();
    assert_eq!(till["reasons"]["void"], json!([{"code": "SPILT", "text": "Spilt"}]));
    assert_eq!((&till["idleLockSeconds"], &till["ageing"]["lateMinutes"]), (&json!(90), &json!(20)));
    assert_eq!(till["tipPresetsBps"], json!([500, 1_000, 1_500]), "what is not named has its default");
    // What is named changes, at every depth, and nothing besides.
    let more = json!({"till": {"reasons": {"cancel": []}, "ageing": {"lateMinutes": 25}}});
    let changed = owner.patch(&path, more).await.expect(200).data()["till"].clone();
    let mut expected = till.clone();
    (expected["reasons"]["cancel"], expected["ageing"]["lateMinutes"]) = (json!([]), json!(25));
    assert_eq!(changed, expected);
    let twice = json!({"code": "A", "text": "a"});
    let wrong = json!({"till": {"reasons": {"void": [twice, twice]}, "ageing": {"warnMinutes": 30, "lateMinutes": 20}}});
    let refused = owner.patch(&path, wrong).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["till.reasons.void[1].code", "till.ageing.lateMinutes"]);
    let wrong = json!({"till": {"idleLockSeconds": -1, "tipPresetsBps": [0]}});
    owner.patch(&path, wrong).await.refused(422, "PAYLOAD_VALIDATION");
}
