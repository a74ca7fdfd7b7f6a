//! Employees and accounts that head office publishes, and recipes.

use crate::site::{Site, dish, progress};
use serde_json::json;
use tiffin_tests::HeadOffice;

const EMPLOYED: &str = "SELECT count(*) FROM employees WHERE name = 'Ravi Kumar' AND archived_at IS NULL";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_employee_works_at_the_branch_with_the_pin_that_was_set_there() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let mut site = Site::open(&hub, "BLR1").await;
    let other = Site::open(&hub, "BLR2").await;
    // Somebody else has the code that head office gives out first.
    let meera = json!({"employeeCode": "EMP01", "name": "Meera", "jobTitle": "Cook"});
    site.owner.post("/employees", meera).await.expect(201);
    site.push().await;
    let ravi = json!({"name": "Ravi Kumar", "jobTitle": "Waiter", "hourlyRateCents": 9_000});
    let path = format!("/hub/employees?outletIds={}", site.outlet);
    let hired = admin.post(&path, ravi).await.expect(201);
    let id = hired.data()["id"].as_str().unwrap().to_owned();
    let account = json!({"email": "ravi@example.com", "password": "a long enough one", "role": "WAITER"});
    let made = admin.post(&format!("/hub/employees/{id}/account"), account).await.expect(201);
    let publication = made.header("x-publication-id").to_owned();
    site.until("SELECT count(*) FROM accounts WHERE email = 'ravi@example.com'", 1).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    let shown = admin.get(&format!("/hub/publications/{publication}")).await.expect(200).data();
    assert_eq!(shown["outlets"].as_array().unwrap().len(), 1, "an account goes where its employee went");
    assert!(!shown.to_string().contains("argon2"), "nobody is shown a hash");
    assert_eq!(other.branch.number(EMPLOYED).await, 0);

    let staff = site.owner.get("/employees").await.expect(200).data();
    let ravi = staff.as_array().unwrap().iter().find(|one| one["name"] == "Ravi Kumar").unwrap().clone();
    assert_eq!(ravi["employeeCode"], "HQ-EMP01");
    let local = ravi["id"].as_str().unwrap();
    site.owner.put(&format!("/employees/{local}/pin"), json!({"pin": "4826"})).await.expect(200);
    site.push().await;
    let login = json!({"email": "ravi@example.com", "password": "a long enough one"});
    let login = site.branch.anonymous().post("/auth/login", login).await.expect(200).data();
    assert_eq!(login["user"]["role"], "WAITER");

    admin.patch(&format!("/hub/employees/{id}"), json!({"jobTitle": "Head waiter"})).await.expect(200);
    site.until("SELECT count(*) FROM employees WHERE job_title = 'Head waiter'", 1).await;
    let has_pin = "SELECT count(*) FROM employees WHERE name = 'Ravi Kumar' AND pin_hash IS NOT NULL";
    assert_eq!(site.branch.number(has_pin).await, 1, "the PIN is the branch's");
    let punch = json!({"employeePin": "4826", "eventType": "CLOCK_IN"});
    site.owner.post("/workforce/attendance", punch).await.expect(201);

    // Head office closes the account: whoever is signed in with it is not any more.
    let closed = json!({"active": false});
    admin.patch(&format!("/hub/employees/{id}/account"), closed).await.expect(200);
    site.until("SELECT count(*) FROM accounts WHERE is_active = 0", 1).await;
    let refresh = json!({"refreshToken": login["refreshToken"]});
    site.branch.anonymous().post("/auth/refresh", refresh).await.expect(401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recipe_that_is_published_changes_what_a_portion_takes() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, house) = Site::trading(&hub, "BLR1").await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let tikka = dish(&admin, "Paneer Tikka").await;
    let path = format!("/hub/inventory/recipes/{}", tikka["id"].as_str().unwrap());
    let recipe = admin.get(&path).await.expect(200).data();
    let paneer = recipe["ingredients"].as_array().unwrap().iter().find(|i| i["name"] == "Paneer").unwrap();
    let ingredient = json!({"inventoryItemId": paneer["inventoryItemId"], "quantity": 300, "unit": "g"});
    let changed = admin.put(&path, json!({"ingredients": [ingredient]})).await.expect(200);
    let publication = changed.header("x-publication-id").to_owned();
    progress(&admin, &publication, site.outlet, "DELIVERED").await;
    let ingredients = "SELECT count(*) FROM recipe_ingredients i JOIN recipes r ON r.id = i.recipe_id
      JOIN menu_items m ON m.id = r.menu_item_id WHERE m.name = 'Paneer Tikka' AND r.archived_at IS NULL";
    site.until(ingredients, 1).await;
    let portions = site.owner.get("/inventory/portions?limit=100").await.expect(200).data();
    let dishes = portions.as_array().unwrap();
    let found = dishes.iter().find(|row| row["menuItemId"] == house.dish("Paneer Tikka")).unwrap();
    // 5 kg of paneer in two batches.
    assert_eq!(found["portionsLeft"], 16, "{found}");
}
