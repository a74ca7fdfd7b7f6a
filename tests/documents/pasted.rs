//! The blocks of the READMEs, pasted.

use crate::{blocks, paste, read};
use serde_json::{Deserializer, Value};
use tiffin_tests::{Edge, sample};

/// A first order, as the README takes it.
#[tokio::test(flavor = "multi_thread")]
async fn a_newcomer_takes_a_first_order_and_gets_paid() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let edge = Edge::serve(&data, &["--sample-data"]).await;
    let script = blocks(&read("README.md")).replace("127.0.0.1:8080", edge.listen());
    assert!(script.contains(edge.base()), "the example calls another address");
    let at = folder.path().to_owned();
    let told = tokio::task::spawn_blocking(move || paste(&script, &at)).await.unwrap();
    let answers: Vec<Value> = Deserializer::from_str(&told).into_iter().map(Result::unwrap).collect();
    let paid = &answers.last().unwrap()["data"];
    assert_eq!(
        (&paid["payment"]["method"], &paid["order"]["dueCents"]),
        (&"CASH".into(), &0.into()),
        "{told}"
    );
    let client = sample::owner(&edge).await;
    let order =
        client.get(&format!("/orders/{}", paid["order"]["id"].as_str().unwrap())).await.expect(200).json();
    assert_eq!(order["paidCents"], order["totalAmountCents"]);
}

/// What the branch's README does to a box whose server is stopped.
#[test]
fn an_owner_backs_up_restores_exports_and_asks_the_doctor() {
    let folder = tempfile::tempdir().unwrap();
    sample::init(&folder.path().join("data"), "BLR1");
    let told = paste(&blocks(&read("edge/README.md")), folder.path());
    assert!(told.contains(".db.zst"), "{told}");
    assert!(
        folder.path().join("tiffin-secrets.json").is_file() && folder.path().join("everything.zip").is_file()
    );
}
