//! What a doctor's report is worth to a program and to a person.

use super::*;

#[test]
fn the_worst_finding_decides_and_every_one_is_told() {
    let report = |findings: Vec<Finding>| Report::of(findings);
    let fine = Finding::ok("port", "free");
    let scarce = Finding::warn("disk-room", "1 MiB free", "Make room.\nSoon.");
    assert_eq!(report(vec![]).level.exit_code(), 0);
    assert_eq!(report(vec![fine.clone()]).level.exit_code(), 0);
    assert_eq!(report(vec![scarce.clone(), fine.clone()]).level.exit_code(), 1);
    let worst = report(vec![fine, scarce, Finding::broken("lan", "none", "Plug the cable in.")]);
    assert_eq!(worst.level.exit_code(), 2);
    let mut text = Vec::new();
    worst.write(&mut text, false).unwrap();
    let text = String::from_utf8(text).unwrap();
    for line in ["OK      port          free", "                      > Soon.", "1 broken, 1 to see to."] {
        assert!(text.contains(line), "{text}");
    }
    let mut json = Vec::new();
    worst.write(&mut json, true).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(
        (json["level"].as_str(), json["findings"][2]["check"].as_str()),
        (Some("BROKEN"), Some("lan"))
    );
    assert_eq!(json["findings"][0]["advice"], serde_json::Value::Null);
}
