//! `/employees`.

use edge::access::Role;
use serde_json::json;
use tiffin_tests::Branch;

#[tokio::test]
async fn an_employee_is_hired_changed_and_let_go() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let body = json!({"name": "Meera Nair", "jobTitle": "Cashier", "hourlyRateCents": 13000,
        "hiredOn": "2024-01-15", "email": "meera@sample.test"});
    let hired = manager.post_keyed("/employees", "hire-1", body.clone()).await.expect(201).data();
    assert_eq!(hired["employeeCode"], "EMP01");
    assert_eq!((&hired["status"], &hired["employmentType"]), (&json!("ACTIVE"), &json!("FULL_TIME")));
    let again = manager.post_keyed("/employees", "hire-1", body).await.expect(201);
    assert_eq!(again.header("idempotency-replayed"), "true");
    let id = hired["id"].as_str().unwrap();
    let path = format!("/employees/{id}");
    assert_eq!(manager.get(&format!("/employees/{id}")).await.data(), hired);

    let old = manager.clone().with_header("If-Match", "\"7\"");
    old.patch(&path, json!({"station": "Pass"})).await.refused(412, "STALE_VERSION");
    let raise = json!({"hourlyRateCents": 15000, "email": null});
    let changed = manager.patch(&format!("/employees/{id}"), raise).await.data();
    assert_eq!((&changed["email"], &changed["version"]), (&json!(null), &json!(2)));
    assert_eq!(branch.number("SELECT count(*) FROM employee_wages").await, 2);
    manager.patch(&path, json!({"name": null})).await.refused(422, "PAYLOAD_VALIDATION");

    assert_eq!(manager.get("/employees?q=meera&status=ACTIVE").await.json()["meta"]["total"], 1);
    assert_eq!(manager.get("/employees?q=cook").await.json()["meta"]["total"], 0);
    let gone = manager.delete(&path).await.expect(200).data();
    assert_eq!((&gone["status"], &gone["endedOn"]), (&json!("ENDED"), &json!("2026-11-20")));
    manager.get(&path).await.refused(404, "NOT_FOUND");
    assert_eq!(manager.get("/employees").await.json()["meta"]["total"], 0);
    let log = manager.get("/audit-log?entity=employee").await.json();
    assert_eq!(log["meta"]["total"], 4);
}

#[tokio::test]
async fn all_offending_fields_are_named_at_once() {
    let branch = Branch::start().await;
    let body = json!({"name": "", "hourlyRateCents": -1, "hiredOn": "soon", "status": "AWAY", "email": "x"});
    let reply = branch.sign_in(Role::Manager).post("/employees", body).await;
    let mut fields = reply.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort();
    assert_eq!(fields, ["email", "hiredOn", "hourlyRateCents", "jobTitle", "name", "status"]);
}

#[tokio::test]
async fn a_pin_is_set_never_shown_and_nobody_elses() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let mut ids = Vec::new();
    for name in ["Meera", "Ravi"] {
        let body = json!({"name": name, "jobTitle": "Waiter"});
        let made = manager.post("/employees", body).await.expect(201).data();
        ids.push(made["id"].as_str().unwrap().to_owned());
    }
    // As long as they may be: no port, id or time of an answer holds one by chance.
    for pin in ["11111111", "87654321", "12", "123456789", "1234567a"] {
        let path = format!("/employees/{}/pin", ids[0]);
        let refused = manager.put(&path, json!({"pin": pin})).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["pin"]);
        assert!(pin.len() < 4 || !refused.text.contains(pin), "{}", refused.text);
    }
    let reply =
        manager.put(&format!("/employees/{}/pin", ids[0]), json!({"pin": "10036207"})).await.expect(200);
    assert_eq!(reply.data()["hasPin"], true);
    assert!(!reply.text.contains("10036207"));
    let taken = manager.put(&format!("/employees/{}/pin", ids[1]), json!({"pin": "10036207"})).await;
    let easy = manager.put(&format!("/employees/{}/pin", ids[1]), json!({"pin": "11111111"})).await;
    assert_eq!(
        taken.refused(422, "PAYLOAD_VALIDATION").json()["invalidParams"],
        easy.json()["invalidParams"]
    );
    let log = manager.get("/audit-log?action=employee.set_pin").await;
    assert_eq!(log.json()["meta"]["total"], 1);
    assert!(!log.text.contains("10036207"));
}

/// A stolen database gives no PIN away: nothing in it is the PIN, or a hash of it that is cheap to guess.
#[tokio::test]
async fn a_pin_leaves_nothing_behind_that_could_be_guessed() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let made =
        manager.post("/employees", json!({"name": "Meera", "jobTitle": "Cook"})).await.expect(201).data();
    // Eight digits: six turn up in ids by chance.
    let (id, pin) = (made["id"].as_str().unwrap(), "90381746");
    manager.put(&format!("/employees/{id}/pin"), json!({"pin": pin})).await.expect(200);
    let tablet = branch.sign_in(Role::Terminal);
    let body = json!({"employeePin": pin, "eventType": "CLOCK_IN"});
    let first = tablet.post_keyed("/workforce/attendance", "tap-1", body.clone()).await.expect(201);
    let again = tablet.post_keyed("/workforce/attendance", "tap-1", body.clone()).await.expect(201);
    assert_eq!((again.json(), again.header("idempotency-replayed")), (first.json(), "true"));
    for wrong in ["90381740", "90381741", "90381742", "90381743", "90381744"] {
        tablet.post("/workforce/attendance", json!({"employeePin": wrong, "eventType": "CLOCK_OUT"})).await;
    }
    tablet.post("/workforce/attendance", body.clone()).await.refused(423, "LOCKED");
    // The lock is in the database: a restart does not open it.
    assert_eq!(branch.number("SELECT count(*) FROM throttles WHERE locked_until IS NOT NULL").await, 1);
    let values = branch.db.read(|conn| -> Result<_, edge::db::DbError> {
        let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
        let tables = edge::db::list(conn, tables, [], |row| row.get::<_, String>(0))?;
        let mut values: Vec<Vec<u8>> = Vec::new();
        for table in tables {
            edge::db::list(conn, &format!("SELECT * FROM {table}"), [], |row| {
                let columns = (0..).map_while(|column| row.get_ref(column).ok());
                values.extend(columns.filter_map(|value| value.as_bytes().ok().map(<[u8]>::to_vec)));
                Ok(())
            })?;
        }
        Ok(values)
    });
    let values = values.await.unwrap();
    let text = body.to_string();
    let cheap = [pin.as_bytes(), text.as_bytes()].map(|known| blake3::hash(known).as_bytes().to_vec());
    for value in values {
        for known in cheap.iter().map(Vec::as_slice).chain([pin.as_bytes(), &b"90381740"[..]]) {
            assert!(!value.windows(known.len()).any(|part| part == known), "a PIN, or a cheap hash of one");
        }
    }
}
