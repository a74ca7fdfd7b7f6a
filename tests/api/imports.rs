//! Files that are taken in whole or not at all, and files that are given out to be edited: dishes, stock, recipes, suppliers, employees
//! and tables.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::people::sign_in;
use tiffin_tests::{Branch, Client, House};

/// Every file there is.
const FILES: [&str; 6] =
    ["/menu", "/inventory/items", "/inventory/suppliers", "/inventory/recipes", "/employees", "/tables"];

/// Takes a file in.
pub async fn take(client: &Client, path: &str, file: impl Into<String>) -> Value {
    client.post_raw(path, "text/csv", file.into()).await.expect(200).data()
}

/// What is wrong with a file.
pub async fn complaints(client: &Client, path: &str, file: impl Into<String>) -> Vec<String> {
    client.post_raw(path, "text/csv", file.into()).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields()
}

fn counts(done: &Value) -> [i64; 4] {
    ["rows", "created", "updated", "unchanged"].map(|name| done[name].as_i64().unwrap())
}

/// Everything that the change log, the audit and the menu's revision tell of.
pub async fn traces(branch: &Branch) -> i64 {
    branch
        .number(
            "SELECT (SELECT coalesce(max(seq), 0) FROM sync_log) + (SELECT count(*) FROM audit_log)
               + (SELECT coalesce(sum(revision), 0) FROM menu_revision)",
        )
        .await
}

#[tokio::test]
async fn what_is_given_out_and_taken_in_again_changes_nothing_and_leaves_no_trace() {
    let branch = Branch::sample(&[]).await;
    let owner = branch.sign_in(Role::Owner);
    // Some spreadsheets separate by semicolons, mark the byte order and end lines as Windows does.
    for path in FILES {
        let csv = owner.get(&format!("{path}/export?format=csv")).await.expect(200);
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8", "{path}");
        let json = owner.get(&format!("{path}/export")).await.expect(200).data();
        let rows = json["items"].as_array().unwrap().len() as i64;
        assert!(rows > 4, "{path}: {rows}");
        let before = traces(&branch).await;
        let import = format!("{path}/import");
        for done in [
            take(&owner, &import, format!("\u{feff}{}", csv.text)).await,
            owner.post(&import, json).await.expect(200).data(),
        ] {
            assert_eq!(counts(&done), [rows, 0, 0, rows], "{path}: {done}");
        }
        assert_eq!(traces(&branch).await, before, "{path}");
    }
}

#[tokio::test]
async fn dishes_of_one_name_are_told_apart_by_their_sku() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let dal = owner.get(&format!("/menu/items/{}", house.dish("Dal"))).await.expect(200).data();
    for sku in [json!("DAL-2"), Value::Null] {
        let twin =
            json!({"categoryId": dal["categoryId"], "name": dal["name"], "priceCents": 7_000, "sku": sku});
        owner.post("/menu/items", twin).await.expect(201);
    }
    let csv = owner.get("/menu/export?format=csv").await.expect(200).text;
    let json = owner.get("/menu/export").await.expect(200).data();
    let rows = json["items"].as_array().unwrap().len() as i64;
    let before = traces(&branch).await;
    assert_eq!(counts(&take(owner, "/menu/import", csv).await), [rows, 0, 0, rows]);
    let mut reversed = json.clone();
    reversed["items"].as_array_mut().unwrap().sort_by_key(|row| row["sku"].is_null());
    for file in [json, reversed] {
        assert_eq!(counts(&owner.post("/menu/import", file).await.expect(200).data()), [rows, 0, 0, rows]);
    }
    assert_eq!(traces(&branch).await, before);
    // In another house they are made apart, too; one that is named twice is not.
    let twins = "category,name,sku,priceCents\nNew,Soup,,9000\nNew,Soup,SOUP-2,8000\n";
    assert_eq!(counts(&take(owner, "/menu/import", twins).await), [2, 2, 0, 0]);
    assert_eq!(counts(&take(owner, "/menu/import", twins).await), [2, 0, 0, 2]);
    let same = "category,name,priceCents\nNew,Broth,9000\nNew,Broth,8000\n";
    assert_eq!(complaints(owner, "/menu/import", same).await, ["rows[3].name"]);
}

#[tokio::test]
async fn a_sample_menu_fills_an_empty_house() {
    let owner = Branch::sample(&[]).await;
    let from = owner.sign_in(Role::Owner);
    let empty = Branch::start().await;
    let to = empty.sign_in(Role::Owner);
    for station in from.get("/kitchen/stations").await.expect(200).data().as_array().unwrap() {
        to.post("/kitchen/stations", json!({"name": station["name"]})).await.expect(201);
    }
    for path in ["/inventory/suppliers", "/inventory/items", "/menu", "/inventory/recipes", "/tables"] {
        let file = from.get(&format!("{path}/export?format=csv")).await.expect(200).text;
        // Suppliers' prices name items, which come after them.
        let file = file.replace("agreedPrices", "was agreed");
        let done = take(&to, &format!("{path}/import"), file).await;
        assert_eq!(done["created"], done["rows"], "{path}: {done}");
    }
    let sizes = "SELECT count(*) FROM modifier_groups WHERE name = 'Portion'";
    assert_eq!(empty.number(sizes).await, 3, "three groups of one name, each at its own prices");
    let recipes = "SELECT count(*) FROM recipe_ingredients";
    assert_eq!(empty.number(recipes).await, owner.number(recipes).await);
}

#[tokio::test]
async fn a_dry_run_answers_the_same_and_does_nothing() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let before = traces(&branch).await;
    let files = [
        ("/menu/import", "category,name,price\nNew,Naan,50\nEverything,Dal,180\nEverything,Lassi,95\n"),
        (
            "/inventory/items/import",
            "name,category,unit,batches.quantity\nGhee,Dairy,kg,2\nRice,Dry,,\nMilk,,,\n",
        ),
        (
            "/inventory/suppliers/import",
            "name,phone,agreedPrices.item,agreedPrices.unitCost\nFarm,1,Milk,60\n",
        ),
        (
            "/inventory/recipes/import",
            "dish,ingredients.item,ingredients.quantity,ingredients.unit\nKulfi,Milk,150,ml\n",
        ),
        ("/employees/import", "name,jobTitle\nAsha,Cook\n"),
        ("/tables/import", "number,seats\nX1,4\n"),
    ];
    for (path, file) in files {
        let dry = take(owner, &format!("{path}?dryRun=true"), file).await;
        assert_eq!(traces(&branch).await, before, "{path}");
        let key = owner.post_keyed(&format!("{path}?dryRun=true"), "once", json!({"items": []})).await;
        key.refused(422, "PAYLOAD_VALIDATION");
        let refused = format!("{path}?dryRun=true");
        assert!(!complaints(owner, &refused, "nonsense\n1\n").await.is_empty(), "{path}");
        assert_eq!(dry["rows"].as_i64(), Some(file.lines().count() as i64 - 1), "{path}: {dry}");
    }
    for (path, file) in files {
        let dry = take(owner, &format!("{path}?dryRun=true"), file).await;
        assert_eq!(take(owner, path, file).await, dry, "{path}");
    }
    let left = "SELECT on_hand FROM stock_levels WHERE stock_item_id = (SELECT id FROM stock_items WHERE name = 'Ghee')";
    assert_eq!(branch.number(left).await, 2_000_000);
}

#[tokio::test]
async fn stock_comes_with_its_opening_batches_and_never_twice() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    take(&owner, "/inventory/suppliers/import", "name,leadTimeDays\nFarm,2\n").await;
    let file = "sep=;\r\nName;category;unit;sku;min stock threshold;supplier;unitConversions;batches.quantity;batches.unitCost;\
        batches.batchNumber;batches.expiryDate\r\n\
        Milk;Dairy;l;MLK;1,5;farm;\"can 40; crate 12,5\";20;60,25;A;2027-01-31\r\n\
        ;;;;;;;10;61;B;\r\n\
        \r\n\
        Salt;Dry;kg;;;;;5;;;\r\n";
    let file = file.replace("12,5\"", "12.5\"");
    let done = take(&owner, "/inventory/items/import", &*file).await;
    assert_eq!((counts(&done), &done["batchesCreated"]), ([2, 2, 0, 0], &json!(3)), "{done}");
    let items = owner.get("/inventory/items").await.expect(200).json();
    let milk = &items["items"][0];
    assert_eq!((&milk["currentStock"], &milk["minStockThreshold"]), (&json!(30), &json!(1.5)));
    assert_eq!(milk["unitConversions"][1], json!({"unit": "crate", "factor": 12.5}));
    let batch = &milk["activeBatches"][0];
    assert_eq!(
        (&batch["batchNumber"], &batch["unitCostCents"], &batch["expiryDate"]),
        (&json!("A"), &json!(6_025), &json!("2027-01-31"))
    );
    assert_eq!(items["items"][1]["activeBatches"][0]["batchNumber"], "OPENING");
    // Once more, with another threshold: the item follows, the stock stays.
    let again = take(&owner, "/inventory/items/import", file.replace("1,5;farm", "2;Farm")).await;
    assert_eq!((counts(&again), &again["batchesKept"]), ([2, 0, 1, 1], &json!(3)), "{again}");
    assert_eq!(again["batchesCreated"], 0);
    let wrong = file.replace("60,25;A", "61;A").replace("10;61;B", "10;61;A");
    let found = complaints(&owner, "/inventory/items/import", wrong).await;
    assert_eq!(found, ["rows[2].batches.batchNumber", "rows[3].batches.batchNumber"]);
    // Whoever may not correct stock brings none in.
    let kept = "SELECT count(*) FROM stock_batches";
    assert_eq!(branch.number(kept).await, 3);
}

#[tokio::test]
async fn records_are_found_by_id_then_code_then_name() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let rice = house.stock("Rice");
    let file = format!("id,name,sku\n{rice},Basmati,RIC-1\n,Fragrant Basmati,ric-1\n");
    assert_eq!(
        complaints(owner, "/inventory/items/import", file).await,
        ["rows[3].name"],
        "one item, two rows"
    );
    let renamed =
        take(owner, "/inventory/items/import", format!("id,name,sku\n{rice},Basmati,RIC-1\n")).await;
    assert_eq!(counts(&renamed), [1, 0, 1, 0]);
    let by_sku = take(owner, "/inventory/items/import", "name,sku\nBasmati rice,RIC-1\n").await;
    assert_eq!(counts(&by_sku), [1, 0, 1, 0]);
    let by_name = take(owner, "/inventory/items/import", "name,category\nbasmati rice,Dry\n").await;
    assert_eq!(counts(&by_name), [1, 0, 1, 0]);
    // A recipe names its dish and what goes in it by any of them.
    let recipe = "dish,ingredients.item,ingredients.quantity,ingredients.unit\nSteamed Rice,RIC-1,130,g\n";
    assert_eq!(counts(&take(owner, "/inventory/recipes/import", recipe).await), [1, 0, 1, 0]);
    let path = format!("/inventory/recipes/{}", house.dish("Steamed Rice"));
    let now = owner.get(&path).await.expect(200).data();
    assert_eq!(now["ingredients"][0]["inventoryItemId"], json!(rice));
    let staff = "employeeCode,name,jobTitle\nE1,Asha,Cook\nE2,Asha,Waiter\n";
    assert_eq!(counts(&take(owner, "/employees/import", staff).await), [2, 2, 0, 0]);
    assert_eq!(
        complaints(owner, "/employees/import", "name,jobTitle\nAsha,Cook\n").await,
        ["rows[2].employeeCode"]
    );
    let moved = take(owner, "/tables/import", "number,seats,position.x,position.y\nT1,6,10,20\n").await;
    assert_eq!(moved["rows"], 1);
}

#[tokio::test]
async fn recipes_may_use_each_other_in_any_order_and_not_themselves() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let header = "preparation,dish,modifierGroup,option,yield,unit,ingredients.item,ingredients.preparation,\
        ingredients.quantity,ingredients.unit\n";
    let good = format!(
        "{header},Dal,,,2,,,Tadka,30,g\n,,,,,,Lentils,,90,g\nTadka,,,,1,kg,,Masala,200,g\n,,,,,,Cream,,500,ml\n\
         Masala,,,,500,g,Spice,,480,g\n,,Extras,No spice,,,Spice,,-7,g\n"
    );
    let done = take(owner, "/inventory/recipes/import", good).await;
    assert_eq!(counts(&done), [4, 2, 2, 0], "{done}");
    let bad =
        format!("{header}Masala,,,,500,g,,Tadka,1,g\n,Nothing,,,,,Spice,,1,g\n,Dal,,,,,Spice,,1,crate\n");
    let found = complaints(owner, "/inventory/recipes/import", bad).await;
    assert_eq!(found, ["rows[2].ingredients", "rows[3].dish", "rows[4].ingredients.unit"]);
}

/// Twenty mistakes in five files: each is named by its row and its column, and nothing of any file stays.
#[tokio::test]
async fn every_mistake_is_named_by_row_and_column_and_nothing_is_half_done() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let before = traces(&branch).await;
    let planted: [(&str, &str, &[&str]); 5] = [
        (
            "/menu/import",
            "category,name,price,dietary,course,station,taxCategory,modifierGroups\n\
             Mains,Thali,free,VEG,1,Hot,,\nMains,,120,VEG,1,Hot,,\nMains,Roti,10,LEAVES,99,Cellar,VAT,Sides\nMains,Naan,40,,,,,\n",
            &[
                "rows[2].priceCents",
                "rows[3].name",
                "rows[4].dietary",
                "rows[4].course",
                "rows[4].taxCategory",
                "rows[4].station",
                "rows[4].modifierGroups[0]",
            ],
        ),
        (
            "/inventory/items/import",
            "name,category,unit,supplier,batches.quantity,batches.expiryDate\n\
             Ghee,Dairy,kg,,-1,\n,,,,1,tomorrow\nFlour,,kg,Nobody,,\nOil,Dry,l,,1,\nRice,Kitchen,crate,,,\n",
            &[
                "rows[2].batches.quantity",
                "rows[3].batches.expiryDate",
                "rows[4].category",
                "rows[4].supplier",
                "rows[6].unit",
            ],
        ),
        (
            "/inventory/suppliers/import",
            "name,email,leadTimeDays,agreedPrices.item,agreedPrices.unitCost\n\
             Farm,nowhere,1,Milk,60\nMill,,400,Flour,10\n",
            &["rows[2].email", "rows[3].leadTimeDays", "rows[3].agreedPrices.item"],
        ),
        (
            "/employees/import",
            "employeeCode,name,jobTitle,payBasis,hiredOn\nE1,Asha,Cook,MONTHLY,\nE2,Ravi,,,\nE3,Vik,Cook,,2026-13-01\n",
            &["rows[2].monthlySalaryCents", "rows[3].jobTitle", "rows[4].hiredOn"],
        ),
        ("/tables/import", "number,seats\nN1,0\nN2,\n", &["rows[2].seats", "rows[3].seats"]),
    ];
    let broken = "name,category,unit,minStockThreshold,batches.quantity\nGhee,Dairy,kg,some,2\n";
    let found = complaints(owner, "/inventory/items/import", broken).await;
    assert_eq!(found, ["rows[2].minStockThreshold"], "what else the row says is looked at, and undone");
    let mut count = 0;
    for (path, file, expected) in planted {
        let mut found = complaints(owner, path, file).await;
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{path}");
        count += found.len();
        let dry = complaints(owner, &format!("{path}?dryRun=true"), file).await;
        assert_eq!(dry.len(), expected.len(), "{path}");
    }
    assert_eq!(count, 20);
    assert_eq!(traces(&branch).await, before);
}

#[tokio::test]
async fn nobody_gives_themselves_a_wage_by_a_file_and_who_is_let_go_is_signed_out() {
    let branch = Branch::sample(&[]).await;
    let owner = branch.sign_in(Role::Owner);
    let staff = owner.get("/employees?limit=100").await.expect(200).data();
    let staff = staff.as_array().unwrap();
    let ananya = staff.iter().find(|one| one["employeeCode"] == "EMP01").unwrap();
    let manager = branch.sign_in_as(Role::Manager, ananya["id"].as_str().unwrap());
    let raise = "employeeCode,name,hourlyRate\nEMP01,Ananya Rao,9000\n";
    let found = complaints(&manager, "/employees/import", raise).await;
    assert_eq!(found, ["rows[2]"]);
    let cook = sign_in(&branch.anonymous(), "kitchen@sample.test", "tiffin-sample").await;
    cook.get("/menu").await.expect(200);
    let gone = "employeeCode,name,status\nEMP07,,ENDED\n";
    let done = take(&owner, "/employees/import?dryRun=true", gone).await;
    assert_eq!(counts(&done), [1, 0, 1, 0]);
    cook.get("/menu").await.expect(200);
    take(&owner, "/employees/import", gone).await;
    cook.get("/menu").await.refused(401, "UNAUTHORIZED");
    owner.get("/employees/export?format=csv").await.expect(200);
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action = 'employee.export'").await, 1);
}

#[tokio::test]
async fn a_file_asks_for_the_right_to_what_is_in_it_and_has_a_size() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let waiter = branch.sign_in(Role::Waiter);
    take(&keeper, "/inventory/items/import", "name,category,unit\nSalt,Dry,kg\n").await;
    for path in FILES {
        waiter.post_raw(&format!("{path}/import"), "text/csv", "x").await.refused(403, "FORBIDDEN");
    }
    keeper.get("/employees/export").await.refused(403, "FORBIDDEN");
    keeper
        .post_raw("/inventory/items/import", "text/plain", "x")
        .await
        .refused(415, "UNSUPPORTED_MEDIA_TYPE");
    let latin = b"name\nCaf\xe9\n".to_vec();
    keeper.post_raw("/inventory/items/import", "text/csv", latin).await.refused(400, "BAD_REQUEST");
    let many = format!("name,category,unit\n{}", "Salt,Dry,kg\n".repeat(5_001));
    assert_eq!(complaints(&keeper, "/inventory/items/import", many).await, ["rows"]);
    let large = "x".repeat((10 << 20) + 1);
    keeper.post_raw("/inventory/items/import", "text/csv", large).await.refused(413, "PAYLOAD_TOO_LARGE");
}

/// Every route by its own name.
#[tokio::test]
async fn each_file_has_its_routes() {
    let branch = Branch::sample(&[]).await;
    let owner = branch.sign_in(Role::Owner);
    let none = || json!({"items": []});
    owner.post("/inventory/items/import", none()).await.refused(422, "PAYLOAD_VALIDATION");
    owner.post("/inventory/suppliers/import", none()).await.refused(422, "PAYLOAD_VALIDATION");
    owner.post("/inventory/recipes/import", none()).await.refused(422, "PAYLOAD_VALIDATION");
    owner.post("/employees/import", none()).await.refused(422, "PAYLOAD_VALIDATION");
    owner.post("/tables/import", none()).await.refused(422, "PAYLOAD_VALIDATION");
    let risky = json!({"items": [{"name": "=1+1", "category": "Dry", "unit": "kg"}]});
    owner.post("/inventory/items/import", risky).await.expect(200);
    assert!(owner.get("/inventory/items/export?format=csv").await.expect(200).text.contains(",'=1+1,"));
    owner.get("/inventory/suppliers/export").await.expect(200);
    owner.get("/inventory/recipes/export").await.expect(200);
    owner.get("/employees/export").await.expect(200);
    owner.get("/tables/export").await.expect(200);
}
