//! What an auditor asks of single documents and taxes: every kind of tax in every return, and why a bill was lowered.

use super::{DAY, bill, cents, path};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

async fn report(client: &Client, name: &str) -> Value {
    client.get(&format!("/analytics/reports/{name}")).await.expect(200).data()
}

#[tokio::test]
async fn cess_is_a_tax_of_its_own_in_every_return() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    owner.patch(&outlet, json!({"taxId": "29AAFCT4512Q1ZS"})).await.expect(200);
    let components = json!([
        {"name": "CGST", "rateBps": 1_400}, {"name": "SGST", "rateBps": 1_400}, {"name": "Cess", "rateBps": 1_200},
    ]);
    let goods = json!({"name": "Aerated", "isGoods": true, "components": components});
    let goods = owner.post("/menu/tax-categories", goods).await.expect(201).data();
    let kinds: Vec<&Value> = goods["components"].as_array().unwrap().iter().map(|of| &of["kind"]).collect();
    assert_eq!(kinds, ["GST", "GST", "CESS"]);
    let menu = owner.get("/menu").await.expect(200).data();
    let cola = json!({
        "categoryId": menu["categories"][0]["id"], "name": "Cola", "priceCents": 10_000, "taxCategoryId": goods["id"], "hsnSac": "2202",
    });
    let cola = owner.post("/menu/items", cola).await.expect(201).data();
    let two = json!({"menuItemId": cola["id"], "quantity": 2, "unitPriceCents": 10_000});
    let order = house.place(owner, json!({"orderType": "COUNTER", "items": [two]})).await;
    house.settle(owner, &order).await;
    // 200.00 of goods: 28.00 to the centre, 28.00 to the state, 24.00 of cess.
    assert_eq!(cents(&order, "totalAmountCents"), 28_000);
    assert_eq!(
        report(owner, "hsn").await["rows"],
        json!([["B2C", "2202", "NOS", 2, 28, 28_000, 20_000, 0, 2_800, 2_800, 2_400, 0]])
    );
    let gstr3b = report(owner, "gstr3b").await;
    assert_eq!(
        gstr3b["rows"][0].as_array().unwrap()[2..],
        [20_000, 0, 2_800, 2_800, 2_400].map(|cents| json!(cents))
    );
    let file = owner.get("/analytics/reports/gstr1?format=portal").await.expect(200).json();
    let (b2cs, hsn) = (&file["b2cs"][0], &file["hsn"]["hsn_b2c"][0]);
    for of in [b2cs, hsn] {
        assert_eq!(
            (&of["rt"], &of["camt"], &of["samt"], &of["csamt"]),
            (&json!(28), &json!(28), &json!(28), &json!(24))
        );
    }
    assert_eq!((&hsn["uqc"], &hsn["qty"]), (&json!("NOS"), &json!(2)));
    assert!(
        file.get("b2b").is_none() && file["hsn"].get("hsn_b2b").is_none(),
        "what is empty is left out: {file}"
    );
    let register = report(owner, "register").await;
    let taxes = ["gstCents", "cessCents", "vatCents"].map(|name| cents(&register["totals"], name));
    assert_eq!(taxes, [5_600, 2_400, 0]);
    let journal = report(owner, "journal").await;
    assert!(
        journal["rows"].as_array().unwrap().iter().any(|row| row[2] == "Cess 12.00 %" && row[4] == 2_400)
    );
}

#[tokio::test]
async fn a_bill_is_lowered_for_one_of_three_reasons_and_its_note_names_it() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.at_table(1, &[("Dal", 2)])).await;
    bill(&house.owner, &order).await;
    branch.pass(DAY);
    let owner = branch.sign_in(Role::Owner);
    let route = format!("{}/credit-note", path(&order));
    let refused = owner.post(&route, json!({"reason": "FORGOTTEN", "amountCents": 100})).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["reason"]);
    for reason in ["OVERCHARGED", "RETURNED", "DEFICIENT"] {
        let note =
            owner.post(&route, json!({"reason": reason, "amountCents": 2_100})).await.expect(201).data();
        assert_eq!(
            (&note["reason"], cents(&note, "totalCents"), cents(&note, "taxCents")),
            (&json!(reason), 2_100, 100)
        );
        // An entry of its own date, with its moment, that names what it corrects.
        let bill = owner.get(&path(&order)).await.expect(200).json()["invoiceNumber"].clone();
        assert_eq!((&note["businessDate"], &note["refersTo"]["number"]), (&json!("2026-11-21"), &bill));
        assert!(note["at"].is_string(), "{note}");
    }
    let much = owner.post(&route, json!({"reason": "RETURNED", "amountCents": 31_501})).await;
    assert_eq!(much.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["amountCents"]);
    let tax = report(&owner, "tax").await;
    assert_eq!(
        (cents(&tax["totals"], "netTaxCents"), cents(&tax["totals"], "creditedTaxCents")),
        (-300, 300)
    );
}

/// A drawer that was carried over and counted short on the next date changed the journal of the closed one, and was in no report.
#[tokio::test]
async fn a_drawer_that_is_counted_after_its_date_was_closed_is_of_the_date_it_was_counted_on() {
    let branch = Branch::start().await;
    let drawer =
        branch.sign_in(Role::Owner).post("/cash-sessions", json!({"openingFloatCents": 10_000})).await;
    let drawer = format!("/cash-sessions/{}", drawer.expect(201).data()["id"].as_str().unwrap());
    branch.pass(DAY);
    let owner = branch.sign_in(Role::Owner);
    let close = |date: &str| json!({"businessDate": date, "carryOver": true});
    owner.post("/day-close", close("2026-11-20")).await.expect(201);
    let of = async |client: &Client, date: &str| {
        let path = format!("/analytics/reports/journal?from={date}&to={date}");
        let journal = client.get(&path).await.expect(200).data();
        let rows = journal["rows"].as_array().unwrap().iter().filter(|row| row[2] == "Cash over and short");
        let posted: i64 = rows.map(|row| row[3].as_i64().unwrap() - row[4].as_i64().unwrap()).sum();
        let listed = client.get(&format!("/cash-sessions?from={date}&to={date}")).await.expect(200).json();
        let losses = client.get(&format!("/audit/losses?from={date}&to={date}")).await.expect(200).data();
        let lost = losses["kinds"].as_array().unwrap().iter().find(|of| of["kind"] == "DRAWER_DIFFERENCE");
        let lost = lost.map_or(0, |of| of["amountCents"].as_i64().unwrap());
        (posted, lost, listed["meta"]["total"].as_i64().unwrap())
    };
    let counted =
        owner.post(&format!("{drawer}/close"), json!({"countedCents": 9_300})).await.expect(200).data();
    let known = (&json!("2026-11-20"), &json!("2026-11-21"), &json!(-700));
    assert_eq!((&counted["businessDate"], &counted["countedDate"], &counted["overShortCents"]), known);
    assert_eq!((of(&owner, "2026-11-20").await, of(&owner, "2026-11-21").await), ((0, 0, 0), (700, 700, 1)));
    branch.pass(DAY);
    let owner = branch.sign_in(Role::Owner);
    owner.post("/day-close", close("2026-11-21")).await.expect(201);
    for (date, short) in [("2026-11-20", 0), ("2026-11-21", -700)] {
        let report = owner.get(&format!("/day-close/{date}")).await.expect(200).data();
        assert_eq!(report["cash"]["overShortCents"], short, "{date}");
    }
    let question = json!({"question": "was the cash over or short yesterday?"});
    let answer = owner.post("/ai/ask", question).await.expect(200).data();
    assert_eq!(answer["facts"][0]["value"], -700, "{answer}");
}

/// A bill that was made a day later stood in the closed date's list of what was put right.
#[tokio::test]
async fn what_was_put_right_names_the_bill_of_its_own_date_and_none_that_came_later() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.at_table(1, &[("Dal", 2)])).await;
    let part = json!({"method": "UPI", "amountCents": 1_000});
    let paid = house.owner.post(&format!("{}/payments", path(&order)), part).await.expect(201).json()["data"]
        .clone();
    let route = format!("{}/payments/{}/reverse", path(&order), paid["payment"]["id"].as_str().unwrap());
    house.owner.post(&route, json!({"reason": "bounced"})).await.expect(201);
    branch.pass(DAY);
    let owner = branch.sign_in(Role::Owner);
    let close = json!({"businessDate": "2026-11-20", "carryOver": true});
    owner.post("/day-close", close).await.expect(201);
    let corrections = async || {
        let path = "/analytics/reports/corrections?from=2026-11-20&to=2026-11-20";
        owner.get(path).await.expect(200).data()["rows"].clone()
    };
    let known = corrections().await;
    assert_eq!((known.as_array().unwrap().len(), &known[0][3]), (1, &json!("")));
    bill(&owner, &order).await;
    assert_eq!(corrections().await, known);
    // Once there is a bill, what is put right names it.
    let rest = json!({"method": "UPI", "amountCents": 1_000});
    let paid =
        owner.post(&format!("{}/payments", path(&order)), rest).await.expect(201).json()["data"].clone();
    let route = format!("{}/payments/{}/reverse", path(&order), paid["payment"]["id"].as_str().unwrap());
    owner.post(&route, json!({"reason": "bounced"})).await.expect(201);
    let today =
        owner.get("/analytics/reports/corrections?from=2026-11-21&to=2026-11-21").await.expect(200).data();
    let number = owner.get(&path(&order)).await.expect(200).json()["invoiceNumber"].clone();
    assert_eq!(today["rows"][0][3], number);
}
