//! `edge export` of a whole restaurant beside its running server.

use crate::{database, edge, folder, made, restaurant, texts, tried};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use tiffin_tests::{Edge, sample, until};
use zip::ZipArchive;

pub(crate) fn opened(path: &Path) -> HashMap<String, Vec<u8>> {
    let mut archive = ZipArchive::new(File::open(path).unwrap()).unwrap();
    (0..archive.len())
        .map(|i| {
            let mut file = archive.by_index(i).unwrap();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            (file.name().unwrap().into_owned(), bytes)
        })
        .collect()
}

#[tokio::test]
async fn the_archive_has_every_row_and_no_secret() {
    let folder = folder();
    let data = restaurant(folder.path());
    let server = Edge::serve(&data, &[]).await;
    let client = sample::owner_of_plenty(&server).await;
    let lines = sample::lines(&client, 2).await;
    let (order, bill) = sample::sell(&client, &lines).await;
    let path = folder.path().join("export.zip");
    let told = edge(&data, &["export", path.to_str().unwrap()]).await;
    assert!(told.contains("tables with"), "{told}");
    assert!(!tried(&data, &["export", path.to_str().unwrap()]).status.success(), "it writes over nothing");
    // By a bare name, too: into the folder that somebody stands in.
    let mut here = Command::new(Edge::binary());
    here.args(["export", "here.zip", "--data-dir", "branch"]).current_dir(folder.path());
    assert!(here.output().unwrap().status.success() && folder.path().join("here.zip").exists());
    let files = opened(&path);
    let manifest: Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
    let conn = database(&data);
    for table in manifest["tables"].as_array().unwrap() {
        let name = table["name"].as_str().unwrap();
        // That it was exported is on record only after it was.
        let since = if name == "audit_log" { "WHERE action <> 'data.export'" } else { "" };
        let count: u64 = conn
            .query_row(&format!("SELECT count(*) FROM {name} {since}"), [], |row| row.get::<_, i64>(0))
            .unwrap() as u64;
        assert_eq!(table["rows"].as_u64().unwrap(), count, "{name}");
        let text = String::from_utf8(files[table["jsonl"].as_str().unwrap()].clone()).unwrap();
        let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows.len() as u64, count, "{name}");
        if name == "orders" {
            let row = rows.iter().find(|row| row["id"] == order["id"]).unwrap();
            assert_eq!(
                (&row["total_cents"], &row["created_at"]),
                (&order["totalAmountCents"], &order["createdAt"])
            );
        }
        if name == "invoices" {
            assert!(rows.iter().any(|row| row["number"] == bill["invoiceNumber"]));
        }
    }
    let mut secrets = texts(&conn, "SELECT password_hash FROM accounts");
    secrets.extend(texts(&conn, "SELECT lower(hex(pin_hash)) FROM employees WHERE pin_hash IS NOT NULL"));
    secrets.extend(texts(&conn, "SELECT qr_token FROM dining_tables WHERE qr_token IS NOT NULL"));
    secrets.extend(texts(&conn, "SELECT lower(hex(hash)) FROM refresh_tokens"));
    for name in ["pepper", "sealing-key", "token-key", "signing-key"] {
        secrets.push(std::fs::read_to_string(data.join("secrets").join(name)).unwrap().trim().to_owned());
    }
    assert!(secrets.len() > 30, "there are secrets to look for");
    for (name, bytes) in &files {
        let text = String::from_utf8_lossy(bytes);
        for secret in &secrets {
            assert!(!text.contains(secret.as_str()), "{name} holds a secret");
        }
    }
}

#[tokio::test]
async fn whoever_looks_or_copies_beside_the_server_is_on_record() {
    let folder = folder();
    let data = restaurant(folder.path());
    let server = Edge::serve(&data, &[]).await;
    let owner = sample::owner(&server).await;
    let (zip, apart) = (folder.path().join("export.zip"), folder.path().join("apart.json"));
    edge(&data, &["sql", "SELECT count(*) FROM employees"]).await;
    edge(&data, &["export", zip.to_str().unwrap()]).await;
    let backup = made(&edge(&data, &["backup", "--secrets", apart.to_str().unwrap()]).await);
    let entry = async |client: &tiffin_tests::Client, action: &str| {
        let path = format!("/audit-log?action={action}");
        until(action, async || {
            let found = client.get(&path).await.expect(200).data()[0].clone();
            found.is_object().then_some(found)
        })
        .await
    };
    for (action, told) in
        [("sql.read", "employees"), ("data.export", "export.zip"), ("backup.take", "apart.json")]
    {
        let found = entry(&owner, action).await;
        assert!(found["after"].to_string().contains(told), "{found}");
        assert!(found["actorName"].as_str().is_some_and(|name| !name.is_empty()), "{found}");
        assert!(found["device"].is_string(), "{found}");
    }
    let unusual = owner.get("/dashboard").await.expect(200).data()["unusual"].clone();
    assert_eq!(unusual["count"], 2, "a backup is usual: {unusual}");
    // A restore is on record in the database that it put back, and bills are signed with another key from then on.
    let sold = async |server: &Edge| {
        let client = sample::owner_of_plenty(server).await;
        let lines = sample::lines(&client, 1).await;
        sample::sell(&client, &lines).await;
        client.get("/orders/invoices/verify").await.expect(200).data()
    };
    let before = sold(&server).await;
    drop(server);
    edge(&data, &["restore", backup.to_str().unwrap()]).await;
    let server = Edge::serve(&data, &[]).await;
    let after = sold(&server).await;
    assert_eq!(before["valid"], true, "{before}");
    // The bill that came after the backup is lost, and said to be; what there is is signed.
    let problems = after["problems"].as_array().unwrap();
    assert!(
        !problems.is_empty() && !problems.iter().any(|it| it.as_str().unwrap().contains("sign")),
        "{after}"
    );
    assert_ne!(before["keys"][0]["publicKey"], after["keys"][0]["publicKey"]);
    assert_eq!((&before["keys"][0]["life"], &after["keys"][0]["life"]), (&1.into(), &2.into()));
    let found = entry(&sample::owner(&server).await, "data.restore").await;
    assert!(found["after"].to_string().contains("tiffin-"), "{found}");
}

#[tokio::test]
async fn nobody_deletes_what_was_paid_or_noted_and_who_tries_is_on_record() {
    let folder = folder();
    let data = restaurant(folder.path());
    let server = Edge::serve(&data, &[]).await;
    let owner = sample::owner_of_plenty(&server).await;
    let (order, _) = sample::sell(&owner, &sample::lines(&owner, 1).await).await;
    drop(server);
    for change in [
        "DELETE FROM payments",
        "UPDATE payments SET amount_cents = 1",
        "DELETE FROM invoices",
        "DELETE FROM audit_log",
        "DELETE FROM sync_log",
        "UPDATE employees SET hourly_rate_cents = 1; DELETE FROM payments RETURNING id",
    ] {
        let refused = tried(&data, &["sql", "--write", change]);
        assert!(!refused.status.success(), "{change}");
        let words = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(words.contains("only grows"), "{change}: {words}");
    }
    let written =
        edge(&data, &["sql", "--write", "UPDATE employees SET phone = '080' WHERE phone IS NULL"]).await;
    assert!(written.contains("rows changed"), "{written}");
    let server = Edge::serve(&data, &[]).await;
    let owner = sample::owner(&server).await;
    let kept = owner.get(&format!("/orders/{}", order["id"].as_str().unwrap())).await.expect(200).json();
    assert_eq!(kept["payments"][0]["amountCents"], order["totalAmountCents"], "{kept}");
    assert_eq!(owner.get("/orders/invoices/verify").await.expect(200).data()["valid"], true);
    let cheap = "SELECT count(*) FROM employees WHERE hourly_rate_cents = 1";
    assert!(edge(&data, &["sql", cheap]).await.ends_with("\n0\n"), "one transaction, or nothing");
    for (action, count) in [("sql.refused", 6), ("sql.write", 1)] {
        let found = until(action, async || {
            let found = owner.get(&format!("/audit-log?action={action}")).await.expect(200).data();
            (found.as_array().unwrap().len() == count).then_some(found)
        })
        .await;
        let latest = &found[0];
        assert!(latest["device"].is_string() && latest["actorName"] != "", "{latest}");
        assert!(latest["after"]["statements"].is_string(), "{latest}");
    }
    let unusual = owner.get("/dashboard").await.expect(200).data()["unusual"].clone();
    assert!(unusual["count"].as_i64().unwrap() >= 7, "{unusual}");
}
