//! What lies on the disk: no PIN, no password, no code and no token, whichever way it came.

use edge::access::Role;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tiffin_tests::paired::{by_pin, pair, poll};
use tiffin_tests::set_up::{OWNER, PASSWORD};
use tiffin_tests::{Branch, Client, House, people};

const PIN: &str = "73519046";
const WRONG_PIN: &str = "91827364";
const SECRET: &str = "saffron tawa lantern 88";
const NEXT: &str = "cardamom kettle ladder 31";
const WRONG: &str = "turmeric anchor window 5";

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn text<'v>(answer: &'v Value, name: &str) -> &'v str {
    answer[name].as_str().unwrap_or_else(|| panic!("no {name}: {answer}"))
}

/// The same client, whose POSTs are to be remembered.
fn keyed(client: &Client, key: u32) -> Client {
    client.clone().with_header("idempotency-key", &format!("00000000-0000-4000-8000-{key:012}"))
}

#[tokio::test]
async fn no_file_of_the_box_holds_a_pin_a_password_a_code_or_a_token() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let mut told: Vec<String> = [PIN, WRONG_PIN, SECRET, NEXT, WRONG, PASSWORD].map(str::to_owned).into();
    let mut tell = |answer: &Value, names: &[&str]| {
        told.extend(names.iter().map(|name| text(answer, name).to_owned()));
    };
    let id = people::hire(&owner, "A1", "Asha Rao", "Manager").await;
    let path = format!("/employees/{id}");
    owner.put(&format!("{path}/pin"), json!({"pin": PIN})).await.expect(200);
    let account = json!({"email": "asha@sample.test", "password": SECRET, "role": "MANAGER"});
    keyed(&owner, 1).post(&format!("{path}/account"), account).await.expect(201);
    let who = |password: &str| json!({"email": "asha@sample.test", "password": password});
    let nobody = keyed(&branch.anonymous(), 2);
    nobody.post("/auth/login", who(WRONG)).await.refused(401, "INVALID_CREDENTIALS");
    let mine = nobody.post("/auth/login", who(SECRET)).await.expect(200).data();
    tell(&mine, &["accessToken", "refreshToken"]);
    let refresh = json!({"refreshToken": mine["refreshToken"]});
    let next = keyed(&branch.anonymous(), 3).post("/auth/refresh", refresh).await.expect(200).data();
    tell(&next, &["accessToken", "refreshToken"]);
    let asha = branch.anonymous().with_token(text(&next, "accessToken").to_owned());
    let factor = json!({"currentPassword": SECRET});
    tell(&keyed(&asha, 4).post("/auth/totp", factor).await.expect(200).data(), &["secret"]);
    let code =
        keyed(&owner, 5).post(&format!("{path}/account/reset-code"), json!({})).await.expect(200).data();
    tell(&code, &["code"]);
    let reset = json!({"token": code["code"], "newPassword": NEXT});
    keyed(&branch.anonymous(), 6).post("/auth/reset-password", reset).await.expect(200);
    // A device, somebody's turn at it, and an approval.
    let codes = pair(&branch, "POS").await;
    tell(&codes, &["userCode", "deviceCode"]);
    let approval = json!({"userCode": codes["userCode"]});
    keyed(&owner, 7).post("/devices/approve", approval).await.expect(201);
    let tokens = poll(&branch, &codes).await.expect(200).data();
    tell(&tokens, &["accessToken", "refreshToken"]);
    let till = keyed(&branch.anonymous().with_token(text(&tokens, "accessToken").to_owned()), 8);
    till.post("/auth/pin", json!({"employeePin": WRONG_PIN})).await.refused(401, "INVALID_PIN");
    tell(&by_pin(&till, PIN).await.1, &["accessToken"]);
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    let half = json!({"type": "PERCENT", "value": 50, "reason": "a regular", "approverPin": PIN});
    let discounts = format!("/orders/{}/discounts", text(&order, "id"));
    keyed(&branch.sign_in(Role::Waiter), 9).post(&discounts, half).await.expect(201);

    let kept = "SELECT count(*) FROM idempotency";
    assert!(branch.number(kept).await >= 2, "answers are kept, and looked through as well");
    let files = files(branch.folder());
    assert!(files.iter().any(|file| file.ends_with("tiffin.db")), "{files:?}");
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        for secret in &told {
            let is_there = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!is_there, "{} holds {secret}", file.display());
        }
    }
}
