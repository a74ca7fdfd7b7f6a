//! The people: hired, given an account and a shift, signed in, and reset with a code after a forgotten password. Over HTTP alone, at any
//! server.

use crate::Client;
use crate::set_up::PASSWORD;
use serde_json::json;

/// Signs in with email and password; the first outlet of the account is meant.
pub async fn sign_in(anyone: &Client, email: &str, password: &str) -> Client {
    let body = json!({"email": email, "password": password});
    let signed_in = anyone.post("/auth/login", body).await.expect(200).data();
    anyone.clone().with_token(signed_in["accessToken"].as_str().unwrap().to_owned())
}

/// Hires somebody; their id.
pub async fn hire(owner: &Client, code: &str, name: &str, job_title: &str) -> String {
    let person = json!({"employeeCode": code, "name": name, "jobTitle": job_title});
    let person = owner.post("/employees", person).await.expect(201).data();
    person["id"].as_str().unwrap().to_owned()
}

/// Gives an employee an account with everybody's password.
pub async fn give_account(owner: &Client, employee: &str, email: &str, role: &str) {
    let account = json!({"email": email, "password": PASSWORD, "role": role});
    owner.post(&format!("/employees/{employee}/account"), account).await.expect(201);
}

/// Hires a waiter with an account of that email.
pub async fn hire_waiter(owner: &Client, email: &str) {
    let waiter = hire(owner, "W9", "Asha Rao", "Waiter").await;
    give_account(owner, &waiter, email, "WAITER").await;
}

/// Plans a shift, and shows it to the staff.
pub async fn plan(manager: &Client, employee: &str, date: &str, shift_type: &str, start: &str, end: &str) {
    let shift = json!({"employeeId": employee, "date": date, "shiftType": shift_type, "startTime": start, "endTime": end});
    manager.post("/shifts", shift).await.expect(201);
    manager.post("/shifts/publish", json!({"from": date, "to": date})).await.expect(200);
}

/// A one-time code that `owner` makes for the account `email` of an employee.
pub async fn make_code(owner: &Client, email: &str) -> String {
    for person in owner.get("/employees?limit=100").await.expect(200).data().as_array().unwrap() {
        let path = format!("/employees/{}/account", person["id"].as_str().unwrap());
        let account = owner.get(&path).await;
        if account.status == 200 && account.data()["email"] == email {
            let made = owner.post(&format!("{path}/reset-code"), json!({})).await.expect(200).data();
            return made["code"].as_str().unwrap().to_owned();
        }
    }
    panic!("nobody has the account {email}");
}

/// The waiter `email` forgets the password, is handed a code by the owner, and has another one.
pub async fn is_reset(anyone: &Client, owner: &Client, email: &str) {
    anyone.post("/auth/forgot-password", json!({"email": email})).await.expect(200);
    let notices = owner.get("/notifications?unread=true").await.expect(200).data();
    let told = notices.as_array().unwrap().iter().find(|notice| notice["type"] == "PASSWORD_RESET");
    assert!(told.is_some(), "nobody is told: {notices}");
    let code = make_code(owner, email).await;
    let body = json!({"token": code, "newPassword": "another long one"});
    anyone.post("/auth/reset-password", body).await.expect(200);
    sign_in(anyone, email, "another long one").await.get("/auth/me").await.expect(200);
}

/// The six digits that an authenticator with `secret` (base 32) shows at `ms`.
pub fn digits(secret: &str, ms: i64) -> String {
    let bits: String = secret
        .bytes()
        .map(|c| format!("{:05b}", if c.is_ascii_digit() { c - b'2' + 26 } else { c - b'A' }))
        .collect();
    let key: Vec<u8> = bits
        .as_bytes()
        .chunks(8)
        .map(|byte| u8::from_str_radix(std::str::from_utf8(byte).unwrap(), 2).unwrap())
        .collect();
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &key);
    let tag = aws_lc_rs::hmac::sign(&key, &(ms / 30_000).to_be_bytes());
    let at = usize::from(tag.as_ref()[19] & 15);
    let number = u32::from_be_bytes(tag.as_ref()[at..at + 4].try_into().unwrap()) & 0x7fff_ffff;
    format!("{:06}", number % 1_000_000)
}
