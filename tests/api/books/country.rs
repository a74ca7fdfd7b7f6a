//! What a country wants of a bill: titles, ids and their checks, marks, schemes, and the decimals of its money.

use super::{bill, cents, path};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

async fn receipt(client: &Client, order: &Value) -> String {
    let text = client.get(&format!("{}/receipt?format=text", path(order))).await.expect(200).text;
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn an_outlet_knows_its_country_and_refuses_what_is_not_known_there() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let outlet = format!("/outlets/{}", branch.outlet_id);
    let now = owner.get(&outlet).await.expect(200).data();
    assert_eq!(
        (&now["country"], &now["taxScheme"], &now["currencyDecimals"]),
        (&json!("IN"), &json!("REGULAR"), &json!(2))
    );
    let refused = async |change: Value, field: &str| {
        let refused = owner.patch(&outlet, change.clone()).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), [field], "{change}");
    };
    refused(json!({"taxScheme": "banana"}), "taxScheme").await;
    refused(json!({"country": "XX"}), "country").await;
    refused(json!({"country": "DE", "taxScheme": "COMPOSITION"}), "taxScheme").await;
    // One of its characters is another.
    refused(json!({"taxId": "29AAFCT4512Q1ZV"}), "taxId").await;
    refused(json!({"taxId": "GB980780684"}), "taxId").await;
    let changed = owner.patch(&outlet, json!({"taxId": "29 aafct 4512q1zs"})).await.expect(200).data();
    assert_eq!(changed["taxId"], "29AAFCT4512Q1ZS");
    refused(json!({"country": "GB"}), "taxId").await;
    let british = json!({"country": "GB", "currency": "GBP", "taxId": "GB980780684"});
    owner.patch(&outlet, british).await.expect(200);
    let new = json!({"code": "TYO1", "name": "Tokyo", "timezone": "Asia/Tokyo", "currency": "JPY"});
    let made = branch.sign_in(Role::SuperAdmin).post("/outlets", new).await.expect(201).data();
    assert_eq!((&made["country"], &made["currencyDecimals"]), (&json!("JP"), &json!(0)));
}

#[tokio::test]
async fn a_composition_house_charges_no_tax_and_says_so() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    let scheme =
        json!({"taxScheme": "COMPOSITION", "taxId": "29AAFCT4512Q1ZS", "licenceNumber": "11217333000111"});
    owner.patch(&outlet, scheme).await.expect(200);
    let order = house.place(owner, house.counter(&[("Dal", 2), ("Bottled Water", 1)])).await;
    assert_eq!((cents(&order, "taxCents"), cents(&order, "totalAmountCents")), (0, 39_000));
    bill(owner, &order).await;
    let text = receipt(owner, &order).await;
    for part in [
        "BILL OF SUPPLY",
        "composition taxable person, not eligible to collect tax on supplies",
        "GSTIN 29AAFCT4512Q1ZS",
    ] {
        assert!(text.contains(part), "{part} is not on {text}");
    }
    assert!(!text.contains("CGST") && !text.contains("TAX INVOICE"), "{text}");
    for name in ["gstr1", "gstr3b", "hsn"] {
        owner.get(&format!("/analytics/reports/{name}")).await.refused(409, "CONFLICT");
    }
    let report = owner.get("/analytics/reports/cmp08").await.expect(200).data();
    assert_eq!(
        report["rows"][0],
        json!(["3.1", "Outward supplies (including exempt supplies)", 39_000, 0, 975, 975, 0])
    );
    assert_eq!(report["rows"][2][4], 975);

    owner.patch(&outlet, json!({"taxScheme": "UNREGISTERED"})).await.expect(200);
    let order = house.place(owner, house.counter(&[("Dal", 1)])).await;
    bill(owner, &order).await;
    let text = receipt(owner, &order).await;
    assert!(text.contains("TOTAL INR 180.00") && !text.contains("GSTIN") && !text.contains("TAX"), "{text}");
    owner.get("/analytics/reports/cmp08").await.refused(409, "CONFLICT");
    owner.patch(&outlet, json!({"taxScheme": "REGULAR"})).await.expect(200);
    let order = house.place(owner, house.counter(&[("Dal", 1)])).await;
    assert_eq!(cents(&order, "taxCents"), 900);
    // A return is of the documents of its own scheme.
    bill(owner, &order).await;
    let report = owner.get("/analytics/reports/gstr3b").await.expect(200).data();
    assert_eq!(report["rows"][0][2], 18_000);
}

#[tokio::test]
async fn yen_have_no_decimals_and_nothing_indian_stands_on_a_japanese_bill() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    let japanese = json!({"country": "JP", "currency": "JPY", "taxId": "T7000012050002", "licenceNumber": "11217333000111"});
    owner.patch(&outlet, japanese).await.expect(200);
    let components = json!([{"name": "Consumption tax", "rateBps": 800}]);
    let reduced = json!({"name": "Reduced", "components": components});
    let reduced = owner.post("/menu/tax-categories", reduced).await.expect(201).data();
    assert_eq!(reduced["components"][0]["kind"], "VAT");
    let rice = format!("/menu/items/{}", house.dish("Steamed Rice"));
    owner.patch(&rice, json!({"taxCategoryId": reduced["id"], "hsnSac": "996331"})).await.expect(200);
    let order = house.place(owner, house.counter(&[("Steamed Rice", 1)])).await;
    bill(owner, &order).await;
    let text = receipt(owner, &order).await;
    for part in [
        "QUALIFIED SIMPLIFIED INVOICE",
        "Registration No. T7000012050002",
        "Steamed Rice * 1 x 9000 9000",
        "Consumption tax 8% on 9000 720",
        "TOTAL JPY 9720",
        "* reduced tax rate (8%)",
    ] {
        assert!(text.contains(part), "{part} is not on {text}");
    }
    for part in ["GSTIN", "FSSAI", "HSN", "CGST", "11217333000111"] {
        assert!(!text.contains(part), "{part} is on {text}");
    }
    owner.get("/analytics/reports/gstr1").await.refused(409, "CONFLICT");
    let csv = owner.get("/analytics/reports/register?format=csv").await.expect(200).text;
    assert!(csv.starts_with("Business date,Kind,Number,"), "{csv}");
    assert!(csv.contains("Total (JPY)") && csv.contains(",0,720,0,9720\r\n"), "{csv}");
    let menu = "category,name,price\nEverything,Sake,1500\n";
    owner.post_raw("/menu/import", "text/csv", menu).await.expect(200);
    let sold = branch.number("SELECT price_cents FROM menu_items WHERE name = 'Sake'").await;
    assert_eq!(sold, 1_500);
}
