//! Head office's own backups on SQLite, with a branch that sells on meanwhile.

use crate::{edge, folder, made, quiet, restaurant};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use tiffin_tests::{Client, Edge, HubProcess, sample, until};

pub(crate) fn refused(data: &Path, arguments: &[&str]) -> String {
    let output =
        Command::new(HubProcess::binary()).args(arguments).arg("--data-dir").arg(data).output().unwrap();
    assert!(!output.status.success(), "sync-hub {arguments:?} went on");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Makes `branch` one of the head office's: its server, its owner and what it sells, once it has sold and both hold the same.
pub(crate) async fn enrolled(hub: &HubProcess, branch: &Path) -> (Edge, Client, Vec<Value>) {
    let code = hub.admin().await.post("/hub/enrolments", json!({})).await.expect(201).data();
    edge(branch, &["enroll", "--hub", hub.base(), "--code", code["code"].as_str().unwrap()]).await;
    let server = Edge::serve(branch, &[]).await;
    let client = sample::owner_of_plenty(&server).await;
    let menu = sample::lines(&client, 2).await;
    sample::sell(&client, &menu).await;
    quiet(&server).await;
    (server, client, menu)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_head_office_gets_from_the_branch_what_it_lacks() {
    let folder = folder();
    let data = folder.path().join("hub");
    HubProcess::init(&data, &[]);
    let hub = HubProcess::serve(&data, &[]).await;
    let port: u16 = hub.base().rsplit(':').next().unwrap().parse().unwrap();
    let branch = restaurant(folder.path());
    let (server, client, menu) = enrolled(&hub, &branch).await;
    let backup = made(&HubProcess::run(&data, &["backup"]));
    let exported = folder.path().join("outlet.zip");
    let told = HubProcess::run(&data, &["export", exported.to_str().unwrap(), "--outlet", "BLR1"]);
    assert!(told.contains("tables with"), "{told}");
    for _ in 0..5 {
        sample::sell(&client, &menu).await;
    }
    quiet(&server).await;
    assert!(refused(&data, &["restore", backup.to_str().unwrap()]).contains("in use"));
    hub.kill();

    // Damage is seen at the start, and the backup is named.
    let registry = data.join("hub.db");
    let whole = fs::read(&registry).unwrap();
    let mut bytes = whole.clone();
    bytes[..100].fill(0);
    fs::write(&registry, &bytes).unwrap();
    let words = refused(&data, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(words.contains("damaged") && words.contains(backup.to_str().unwrap()), "{words}");

    let told = HubProcess::run(&data, &["restore", backup.to_str().unwrap()]);
    assert!(told.contains("new life") && told.contains("is kept"), "{told}");
    let hub = HubProcess::serve_on(port, &data, &[]).await;
    sample::sell(&client, &menu).await;
    quiet(&server).await;
    // What it was told the branch notes in a row of its own, which goes after the last sale.
    until("both hold the same, to the last row", async || {
        sync_hub::verify::data_dirs(&branch, &data).unwrap().is_equal().then_some(())
    })
    .await;
    server.kill();
    hub.kill();
    // A half-swapped head office is not served.
    fs::write(data.join("restore.unfinished"), "").unwrap();
    assert!(refused(&data, &["serve", "--listen", "127.0.0.1:0"]).contains("interrupted"));
    HubProcess::run(&data, &["restore", backup.to_str().unwrap()]);
    assert!(HubProcess::run(&data, &["outlets"]).contains("BLR1"));
}
