//! A damaged database: refused at the start by every command, and shut off while it is open.

use crate::{database, edge, folder, made, restaurant, tried};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};
use tiffin_tests::{Edge, sample};

fn spoil(data: &Path, page: u64) {
    let file = OpenOptions::new().write(true).open(data.join("tiffin.db")).unwrap();
    let size: i64 = database(data).query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
    file.write_all_at(&[0x5A; 512], (page - 1) * size as u64).unwrap();
}

fn root_of(data: &Path, table: &str) -> u64 {
    let sql = format!("SELECT rootpage FROM sqlite_schema WHERE name = '{table}'");
    database(data).query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap() as u64
}

#[tokio::test]
async fn a_damaged_file_is_refused_by_every_command_and_comes_back_from_its_backup() {
    let folder = folder();
    let data = restaurant(folder.path());
    let backup = made(&edge(&data, &["backup"]).await);
    let whole = fs::read(data.join("tiffin.db")).unwrap();
    let spoilt: [(&str, &dyn Fn()); 4] = [
        ("the header", &|| spoil(&data, 1)),
        ("one page", &|| spoil(&data, root_of(&data, "suppliers"))),
        ("the end", &|| fs::write(data.join("tiffin.db"), &whole[..whole.len() / 3]).unwrap()),
        ("everything", &|| fs::write(data.join("tiffin.db"), "").unwrap()),
    ];
    for (what, spoil) in spoilt {
        fs::write(data.join("tiffin.db"), &whole).unwrap();
        spoil();
        let bytes = fs::read(data.join("tiffin.db")).unwrap();
        for command in [
            vec!["serve", "--listen", "127.0.0.1:0"],
            vec!["serve", "--listen", "127.0.0.1:0", "--sample-data"],
            vec!["init", "--sample-data"],
            vec!["status"],
            vec!["sql", "SELECT 1"],
            vec!["backup"],
            vec!["reset-password", "--email", "owner@sample.test"],
        ] {
            let output = tried(&data, &command);
            let words = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success(), "{what}: edge {command:?} went on");
            assert!(
                words.contains("damaged") && words.contains("edge restore"),
                "{what}: {command:?}: {words}"
            );
            assert!(words.contains(backup.to_str().unwrap()), "{what}: the newest backup is named: {words}");
        }
        assert_eq!(fs::read(data.join("tiffin.db")).unwrap(), bytes, "{what}: nothing was changed");
    }
    let told = edge(&data, &["restore", backup.to_str().unwrap(), "--skip-numbers", "0"]).await;
    assert!(told.contains("is kept"), "{told}");
    sample::owner_of_plenty(&Edge::serve(&data, &[]).await).await;
}

#[tokio::test]
async fn damage_that_appears_while_it_serves_is_a_503_with_words_and_nothing_more_is_served() {
    let folder = folder();
    let data = restaurant(folder.path());
    let root = root_of(&data, "suppliers");
    let server = Edge::serve(&data, &[]).await;
    let client = sample::owner_of_plenty(&server).await;
    spoil(&data, root);
    let refused = client.get("/inventory/suppliers").await;
    assert_eq!(refused.status, 503);
    let body = refused.json();
    assert_eq!(body["code"], "ERR_DATABASE_DAMAGED");
    assert!(
        body["detail"].as_str().unwrap().contains("edge restore")
            || body["detail"].as_str().unwrap().contains("edge doctor")
    );
    for path in ["/menu", "/orders", "/dashboard"] {
        client.get(path).await.refused(503, "DATABASE_DAMAGED");
    }
    assert_eq!(client.try_send(client.request(reqwest::Method::GET, "/ready")).await.unwrap().status, 503);
    assert_eq!(client.try_send(client.request(reqwest::Method::GET, "/health")).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_large_database_opens_at_once_and_damage_that_the_start_did_not_wait_for_shuts_it() {
    let folder = folder();
    let data = restaurant(folder.path());
    // Rows are looked at from the last to the first, and those are on the page after the next one.
    let writer = Connection::open(data.join("tiffin.db")).unwrap();
    writer.execute_batch("VACUUM").unwrap();
    let pages: i64 = writer.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    let more = "CREATE TABLE attic (body BLOB);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
        INSERT INTO attic SELECT zeroblob(1000) FROM n;";
    writer.execute_batch(more).unwrap();
    drop(writer);
    spoil(&data, pages as u64 + 2);
    let server = Edge::serve_unready(&data, &[]).await;
    let login = format!("http://{}/api/v1/auth/login", server.listen());
    let body = json!({"email": "owner@sample.test", "password": "tiffin-sample"});
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let answer = reqwest::Client::new().post(&login).json(&body).send().await.unwrap();
        if answer.status() == 503 {
            let told: Value = answer.json().await.unwrap();
            assert_eq!(told["code"], "ERR_DATABASE_DAMAGED");
            break;
        }
        assert!(Instant::now() < deadline, "the damage was not found");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
