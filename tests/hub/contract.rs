//! What the contract lists of head office is there, and its document is whole.

use edge::db::Unreadable;
use serde_json::Value;
use tiffin_common::Uuid;
use tiffin_tests::HeadOffice;

/// Method and path of everything the contract names.
const LISTED: &[(&str, &str)] = &[
    ("get", "/hub/outlets"),
    ("post", "/hub/enrolments"),
    ("delete", "/hub/enrolments/{id}"),
    ("get", "/hub/analytics/summary"),
    ("get", "/hub/analytics/daily"),
    ("get", "/hub/analytics/compare"),
    ("get", "/hub/analytics/top-sellers"),
    ("get", "/hub/losses"),
    ("get", "/hub/unusual"),
    ("get", "/hub/inventory/low-stock"),
    ("get", "/hub/recall"),
    ("get", "/hub/menu"),
    ("patch", "/hub/menu/items/{id}"),
    ("get", "/hub/employees"),
    ("patch", "/hub/employees/{id}"),
    ("get", "/hub/publications"),
    ("get", "/hub/stream"),
    ("get", "/orders"),
    ("get", "/orders/{orderId}"),
    ("get", "/inventory/items"),
    ("get", "/purchase-orders"),
    ("get", "/waste-logs"),
    ("get", "/employees"),
    ("get", "/shifts"),
    ("get", "/attendance"),
    ("get", "/leave-requests"),
    ("get", "/analytics/summary"),
    ("post", "/sync/v1/enrol"),
    ("post", "/sync/v1/hello"),
    ("post", "/sync/v1/push"),
    ("get", "/sync/v1/pull"),
    ("get", "/sync/v1/frames"),
    ("get", "/sync/v1/snapshot"),
];

fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_listed_is_documented_and_answers() {
    let hub = HeadOffice::start().await;
    let document = hub.anonymous().get("/openapi.json").await.expect(200).json();
    assert_eq!(hub.anonymous().get("/v1/openapi.json").await.expect(200).json(), document);
    for (method, path) in LISTED {
        let operation = &document["paths"][*path][*method];
        assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{method} {path}");
    }
    // The documents it is put together from may not mean two things by one name.
    let class = &document["paths"]["/sync/v1/push"]["post"]["parameters"][0]["schema"]["$ref"];
    let class = document.pointer(class.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
    assert_eq!(class["oneOf"][0]["const"], "live", "{class}");
    let order = &document["components"]["schemas"]["OrderList"]["properties"]["data"]["items"]["$ref"];
    let order = document.pointer(order.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
    assert!(order["properties"]["orderNumber"].is_object(), "{order}");
    let mut found = Vec::new();
    references(&document, &mut found);
    for reference in found {
        let place = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(place).is_some(), "{reference} leads nowhere");
    }
    let mut names = std::collections::BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap();
            assert!(names.insert(name), "{name} stands twice");
            let is_open = operation["security"].as_array().unwrap().is_empty();
            let is_auth = path.starts_with("/hub/auth/") && path != "/hub/auth/change-password";
            let may_be_open = is_auth || path == "/sync/v1/enrol";
            assert_eq!(is_open, may_be_open && method == "post", "{method} {path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_metrics_say_when_the_disk_has_too_little_room() {
    // An exbibyte.
    let hub = HeadOffice::with([("disk-warn-bytes", "1152921504606846976")]).await;
    let metrics = hub.anonymous().get("/metrics").await.expect(200).text;
    assert!(metrics.contains("tiffin_disk_low 1\n") == has_the_disk(&hub), "{metrics}");
    assert!(metrics.contains("tiffin_disk_full 0\n") == has_the_disk(&hub), "{metrics}");
}

/// Whether its data lie on its own disk: that of a database server is not its to judge.
fn has_the_disk(hub: &HeadOffice) -> bool {
    hub.database().is_none()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_process_tells_of_itself() {
    let hub = HeadOffice::start().await;
    let anybody = hub.anonymous();
    assert_eq!(anybody.get("/health").await.expect(200).data()["status"], "up");
    assert_eq!(anybody.get("/ready").await.expect(200).data()["status"], "ready");
    // The process has met a value that cannot be read.
    let _ = Unreadable::new("orders", "status", Uuid::nil(), "\"LOST\" is no OrderStatus");
    let metrics = anybody.get("/metrics").await.expect(200).text;
    let unreadable = metrics.lines().find_map(|line| line.strip_prefix("tiffin_db_unreadable_values_total "));
    assert!(unreadable.is_some_and(|values| values.parse::<u64>().unwrap() > 0), "{metrics}");
    for name in ["tiffin_hub_live_pushes 0", "tiffin_hub_push_bytes 0", "process_resident_memory_bytes"] {
        assert!(metrics.contains(name), "{metrics}");
    }
    // The disk, by the names that branches use.
    let room = metrics.lines().find_map(|line| line.strip_prefix("tiffin_disk_free_bytes "));
    assert_eq!(room.is_some(), has_the_disk(&hub), "{metrics}");
    assert!(room.is_none_or(|bytes| bytes.parse::<u64>().unwrap() > 0), "{metrics}");
    assert!(!metrics.contains("tiffin_certificate"), "without TLS there is none: {metrics}");
    anybody.get("/docs").await.expect(200);
    anybody.get("/problems/device-fenced").await.expect(200);
}
