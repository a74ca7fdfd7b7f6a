//! The evening, scene by scene. Each does something over HTTP and tells the model what it ought to have done.

use super::kitchen::cook;
use super::model::Order;
use super::{Evening, Wish, id};
use serde_json::{Value, json};

/// Two waiters at one table at once; a dish that runs out; a discount only a manager may give.
pub async fn first_hour(evening: &mut Evening) -> [String; 3] {
    let one = evening.at(1, &[("Dal", 2, &[]), ("Steamed Rice", 2, &[]), ("Lassi", 2, &[])]).await;
    let add = format!("/orders/{one}/items");
    let (kulfi, soda): ([Wish; 1], [Wish; 1]) = ([("Kulfi", 1, &[])], [("Lemon Soda", 1, &[])]);
    let bodies = [kulfi, soda].map(|wishes| json!({"items": evening.lines(&wishes)}));
    let (a, b) = tokio::join!(
        evening.waiters[0].post(&add, bodies[0].clone()),
        evening.waiters[1].post(&add, bodies[1].clone())
    );
    a.expect(201);
    b.expect(201);
    let now = evening.manager.get(&format!("/orders/{one}")).await.expect(200).json();
    let items = now["items"].as_array().unwrap();
    assert_eq!(items.len(), 5, "both additions are there");
    for (name, wishes) in [("Kulfi", kulfi), ("Lemon Soda", soda)] {
        let added: Vec<Value> = items.iter().filter(|item| item["name"] == name).cloned().collect();
        evening.note(&one, &added, &wishes, true);
    }
    evening.kitchen_looks().await;
    evening.agrees(&one).await;
    let two = evening.at(2, &[("Paneer Tikka", 2, &["Extra paneer"]), ("Kulfi", 2, &[])]).await;
    let five = evening
        .at(5, &[("Paneer Tikka", 1, &["No spice"]), ("Butter Chicken", 1, &[]), ("Bottled Water", 2, &[])])
        .await;
    let ten = json!({"type": "PERCENT", "value": 10, "reason": "regulars"});
    let discounts = format!("/orders/{five}/discounts");
    evening.waiters[2].post(&discounts, ten.clone()).await.refused(403, "FORBIDDEN");
    evening.manager.post(&discounts, ten).await.expect(201);
    evening.model.orders.get_mut(&five).unwrap().percent = 10;
    evening.agrees(&five).await;
    [one, two, five]
}

/// Cancelled, voided before and after it was made, taken to another table.
pub async fn mishaps(evening: &mut Evening) -> [String; 2] {
    let three = evening.at(3, &[("Butter Chicken", 2, &[]), ("Steamed Rice", 1, &[])]).await;
    cook(&evening.cook).await;
    evening.void(&three, "Butter Chicken", true).await;
    let four = evening.at(4, &[("Dal", 1, &[]), ("Lassi", 1, &[])]).await;
    let manager = evening.manager.clone();
    evening.status(&manager, &four, "CANCELLED").await;
    for dish in ["Dal", "Lassi"] {
        let unit = evening.line(&four, dish).unit();
        evening.model.voids.push(unit);
    }
    let six = evening.at(6, &[("Dal", 3, &[]), ("Bottled Water", 1, &[])]).await;
    evening.void(&six, "Dal", false).await;
    let water = evening.line(&six, "Bottled Water").id.clone();
    let off = json!({"type": "FIXED", "value": 1_000, "itemId": water, "reason": "warm"});
    evening.manager.post(&format!("/orders/{six}/discounts"), off).await.expect(201);
    evening.line(&six, "Bottled Water").cut = 1_000;
    evening.agrees(&six).await;
    let to = json!({"toTableId": evening.house.table(4)});
    let from = format!("/tables/{}/transfer", evening.house.table(6));
    evening.waiters[0].post(&from, to).await.expect(200);
    assert_eq!(evening.manager.get(&format!("/orders/{six}")).await.json()["tableNumber"], "T4");
    evening.kitchen_looks().await;
    [three, six]
}

/// Parties that join, and parties that pay apart.
pub async fn sharing(evening: &mut Evening) -> [String; 4] {
    let seven = evening.at(7, &[("Lassi", 2, &[]), ("Steamed Rice", 2, &[])]).await;
    let eight = evening.at(8, &[("Lemon Soda", 3, &[])]).await;
    // The sodas run out: nobody can order one any more, on no screen.
    let out = json!({"status": "OUT_OF_STOCK", "reason": "no more lemons"});
    let soda = format!("/menu/items/{}/availability", evening.house.dish("Lemon Soda"));
    evening.manager.put(&soda, out).await.expect(200);
    let refused = evening.waiters[1].post("/orders", evening.house.at_table(9, &[("Lemon Soda", 1)])).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["items[0].menuItemId"]);
    let join = json!({"tableIds": [evening.house.table(8)]});
    evening.waiters[1].post(&format!("/tables/{}/merge", evening.house.table(7)), join).await.expect(200);
    let merge = json!({"orderIds": [eight]});
    let merged = evening.waiters[1].post(&format!("/orders/{seven}/merge"), merge).await.expect(200).data();
    evening.carry(&eight, &seven, &[("Lemon Soda", 3)], merged["items"].as_array().unwrap());
    evening.model.orders.get_mut(&eight).unwrap().cancelled = true;
    evening.kitchen_looks().await;
    evening.agrees(&seven).await;
    let nine = evening.at(9, &[("Dal", 2, &[]), ("Lassi", 2, &[]), ("Kulfi", 2, &[])]).await;
    let whole = evening.model.orders[&nine].bill().total;
    let (dal, lassi) = (evening.line(&nine, "Dal").id.clone(), evening.line(&nine, "Lassi").id.clone());
    let split =
        json!({"items": [{"orderItemId": dal, "quantity": 1}, {"orderItemId": lassi, "quantity": 2}]});
    let parts = evening.waiters[0].post(&format!("/orders/{nine}/split"), split).await.expect(201).data();
    let guest = &parts["orders"][1];
    evening.carry(&nine, id(guest), &[("Dal", 1), ("Lassi", 2)], guest["items"].as_array().unwrap());
    let part = evening.model.orders[id(guest)].bill().total;
    evening.model.orders.get_mut(&nine).unwrap().total = Some(whole - part);
    evening.kitchen_looks().await;
    for order in [&nine, &id(guest).to_owned()] {
        evening.agrees(order).await;
    }
    let ten = evening.at(10, &[("Butter Chicken", 3, &[]), ("Steamed Rice", 3, &[])]).await;
    [seven, nine, id(guest).to_owned(), ten]
}

/// Guests order by phone: one party is let in, the other is sent away.
pub async fn phones(evening: &mut Evening) -> [String; 2] {
    let guest = evening.branch.anonymous();
    let mut tokens = Vec::new();
    for table in [11, 12] {
        let path = format!("/tables/{}/qr", evening.house.table(table));
        tokens.push(
            evening.house.owner.post(&path, json!({})).await.data()["qrToken"].as_str().unwrap().to_owned(),
        );
    }
    let menu = guest.get(&format!("/orders/tables/{}/menu", tokens[0])).await.expect(200);
    assert!(menu.text.contains("Butter Chicken") && !menu.text.contains("Lemon Soda"), "{}", menu.text);
    let wishes: [Wish; 2] = [("Dal", 1, &[]), ("Lassi", 1, &[])];
    let items = |evening: &Evening| {
        let line = |(dish, n, _): &Wish| json!({"menuItemId": evening.house.dish(dish), "quantity": n});
        json!({"items": wishes.iter().map(line).collect::<Vec<_>>(), "customerName": "Ravi"})
    };
    let table = format!("/tables/{}", evening.house.table(11));
    let mut made = Vec::new();
    for (token, answer) in [(&tokens[0], "ACCEPTED"), (&tokens[0], ""), (&tokens[1], "CANCELLED")] {
        let path = format!("/orders/tables/{token}/orders");
        let mut body = items(evening);
        if answer.is_empty() {
            let party = evening.manager.get(&table).await.expect(200).data();
            body["sessionCode"] = party["currentSession"]["sessionCode"].clone();
        }
        let order = guest.post(&path, body).await.expect(201).data();
        assert_eq!(order["awaitsApproval"], json!(!answer.is_empty()));
        let detail = evening.manager.get(&format!("/orders/{}", id(&order))).await.expect(200).json();
        assert_eq!(detail["source"], "QR");
        evening.kitchen_looks().await;
        let sent = answer != "CANCELLED";
        evening.note(id(&order), detail["items"].as_array().unwrap(), &wishes, sent);
        if !answer.is_empty() {
            let cashier = evening.cashier.clone();
            evening.status(&cashier, id(&order), answer).await;
        }
        evening.kitchen_looks().await;
        if sent {
            evening.agrees(id(&order)).await;
            made.push(id(&order).to_owned());
        }
    }
    made.try_into().unwrap()
}

/// Paid before it is made, at the counter.
pub async fn counter(evening: &mut Evening) -> Vec<String> {
    let mut made = Vec::new();
    for round in 0..6 {
        let kind = if round % 2 == 0 { "COUNTER" } else { "TAKEAWAY" };
        let order = evening
            .place(
                evening.cashier.clone(),
                kind,
                None,
                &[("Lassi", 1, &[]), ("Steamed Rice", round + 1, &[])],
            )
            .await;
        let total = evening.model.orders[&order].bill().total;
        evening.pay(&order, "CASH", total, 200, Some(total + 300)).await;
        made.push(order);
    }
    made
}

pub async fn pay_all(evening: &mut Evening, orders: [&String; 10]) {
    let [one, two, three, five, rest @ ..] = orders;
    let total = evening.model.orders[one].bill().total;
    let too_much = json!({"method": "CASH", "amountCents": total + 1});
    let refused = evening.cashier.post(&format!("/orders/{one}/payments"), too_much).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["amountCents"]);
    evening.pay(one, "CASH", total, 500, Some(total + 1_000)).await;
    evening.pay(two, "CARD", 20_000, 0, None).await;
    evening.pay_rest(two, "UPI").await;
    evening.pay_rest(three, "CASH").await;
    evening.pay(five, "WALLET", 15_000, 0, None).await;
    evening.pay(five, "CASH", 10_000, 0, Some(50_000)).await;
    evening.pay_rest(five, "VOUCHER").await;
    for (order, method) in rest.into_iter().zip(["UPI", "CASH", "CARD", "CASH", "UPI", "CARD"]) {
        evening.pay_rest(order, method).await;
    }
}

/// Three friends pay a third each.
pub async fn thirds(evening: &mut Evening, order: &str) {
    let shares =
        evening.waiters[1].post(&format!("/orders/{order}/split"), json!({"equally": 3})).await.expect(201);
    let shares: Vec<i64> = shares.data()["shares"]
        .as_array()
        .unwrap()
        .iter()
        .map(|share| share["amountCents"].as_i64().unwrap())
        .collect();
    assert_eq!(shares.iter().sum::<i64>(), evening.model.orders[order].bill().total);
    for (cents, method) in shares.into_iter().zip(["CARD", "UPI", "CASH"]) {
        evening.pay(order, method, cents, 0, None).await;
    }
}

/// Part of the money of one order, all portions of another.
pub async fn refunds(evening: &mut Evening, some: &str, all: &str) {
    let body = json!({"amountCents": 5_000, "reason": "slow", "restock": false});
    evening.cashier.post(&format!("/orders/{some}/refunds"), body.clone()).await.refused(403, "FORBIDDEN");
    evening.manager.post(&format!("/orders/{some}/refunds"), body).await.expect(201);
    evening.model.orders.get_mut(some).unwrap().payments[0].refunded = 5_000;
    let order: Order = evening.model.orders[all].clone();
    let items = order.lines.iter().map(|line| json!({"orderItemId": line.id, "quantity": line.quantity}));
    let body = json!({"items": items.collect::<Vec<_>>(), "reason": "all cold", "restock": false});
    let made = evening.manager.post(&format!("/orders/{all}/refunds"), body.clone()).await.expect(201).data();
    assert_eq!(made["amountCents"], order.bill().total);
    evening.model.orders.get_mut(all).unwrap().payments[0].refunded = order.bill().total;
    evening.manager.post(&format!("/orders/{all}/refunds"), body).await.refused(422, "PAYLOAD_VALIDATION");
    for order in [some, all] {
        evening.agrees(order).await;
    }
}
