//! Printers that are not in the network: at a cable of the box, and behind the machine's print service.

use crate::printers::{id, jobs, press, print_all};
use edge::resources::printers::worker::step;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tiffin_tests::printer::Printer;
use tiffin_tests::{Branch, House};

/// A branch whose printers are in `folder`, its cables and its print service.
async fn branch_at(folder: &Path) -> Branch {
    let folder = folder.to_str().unwrap();
    let spooler: &'static str = format!("{folder}/lp").leak();
    let devices: &'static str = folder.to_owned().leak();
    let off = ["limit-general", "limit-login"].map(|limit| (limit, "off"));
    Branch::with(off.into_iter().chain([("printer-devices", devices), ("printer-spooler", spooler)])).await
}

#[tokio::test]
async fn a_printer_at_a_cable_answers_waits_for_paper_and_may_be_unplugged() {
    let folder = tempfile::tempdir().unwrap();
    let printer = Printer::at_a_cable(folder.path());
    let branch = branch_at(folder.path()).await;
    let house = House::open(&branch).await;
    let make = async |address: &str| {
        let body = json!({"name": "Till", "connection": "USB", "address": address, "profile": "EPSON", "drawer": true});
        house.owner.post("/printers", body).await
    };
    for elsewhere in ["/dev/usb/lp0", "/dev/sda", "lp0", &format!("{}/lp0/../lp1", folder.path().display())] {
        let refused = make(elsewhere).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["address"], "{elsewhere}");
    }
    make(&printer.address).await.expect(201);
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    house.settle(&house.owner, &order).await;
    print_all(&branch, &printer).await;
    let job = jobs(&house.owner, "").await.remove(0);
    assert_eq!((&job["status"], &job["confirmed"]), (&json!("DONE"), &json!(true)));
    assert!(printer.pages().remove(0).text().contains("189.00"));
    assert_eq!(printer.kicks(), 1);
    // Paper ends in the midst of a copy: it is waited for, and what the printer kept is not sent again.
    printer.end_paper_after(300);
    house.owner.post(&format!("/orders/{}/receipt/print", id(&order)), json!({})).await.expect(201);
    step(&branch.db, &printer.address, &press(&branch)).await.unwrap();
    let job = jobs(&house.owner, "").await.remove(0);
    assert!(job["status"] == "SENT" && job["lastError"].as_str().unwrap().contains("paper"), "{job}");
    printer.reload();
    branch.pass(31_000);
    print_all(&branch, &printer).await;
    let pages = printer.pages();
    assert_eq!(pages.len(), 1);
    assert!(pages[0].text().starts_with("COPY 1\n") && !pages[0].text().contains("COPY 2"));
    // Unplugged, and plugged in again.
    let (here, away) = (folder.path().join("lp0"), folder.path().join("away"));
    fs::rename(&here, &away).unwrap();
    house.owner.post(&format!("/orders/{}/receipt/print", id(&order)), json!({})).await.expect(201);
    step(&branch.db, &printer.address, &press(&branch)).await.unwrap();
    let job = jobs(&house.owner, "").await.remove(0);
    assert!(job["status"] == "QUEUED" && job["lastError"].as_str().unwrap().contains("lp0"), "{job}");
    fs::rename(&away, &here).unwrap();
    branch.pass(31_000);
    print_all(&branch, &printer).await;
    assert!(printer.pages().remove(0).text().starts_with("COPY 2\n"));
}

#[tokio::test]
async fn a_queue_of_the_print_service_gets_the_bytes_as_they_are_or_the_paper_waits() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let branch = branch_at(folder.path()).await;
    let house = House::open(&branch).await;
    let make = async |address: &str, profile: &str| {
        let body = json!({"name": "Office", "connection": "SPOOL", "address": address, "profile": profile});
        house.owner.post("/printers", body).await
    };
    for (address, profile, field) in
        [("-o raw", "MUTE", "address"), ("../x", "MUTE", "address"), ("bar_1", "EPSON", "profile")]
    {
        assert_eq!(
            make(address, profile).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
            [field],
            "{address}"
        );
    }
    let made = make("Bar_1", "GENERIC").await.expect(201).data();
    let look = async || {
        house.owner.post(&format!("/printers/{}/test", id(&made)), json!({})).await.expect(201);
        step(&branch.db, "Bar_1", &press(&branch)).await.unwrap();
        jobs(&house.owner, "").await.remove(0)
    };
    let job = look().await;
    assert!(
        job["status"] == "QUEUED" && job["lastError"].as_str().unwrap().contains("not installed"),
        "{job}"
    );
    // A print service as CUPS has it: what it is asked, and what it is handed.
    let script = format!(
        "#!/bin/sh\n[ -e {0}/off ] && exit 1\necho \"$*\" >>{0}/asked\ncat >{0}/paper\n",
        folder.path().display()
    );
    fs::write(at("lp"), script).unwrap();
    fs::set_permissions(at("lp"), fs::Permissions::from_mode(0o755)).unwrap();
    branch.pass(31_000);
    step(&branch.db, "Bar_1", &press(&branch)).await.unwrap();
    let job = jobs(&house.owner, "").await.remove(0);
    assert_eq!((&job["status"], &job["confirmed"]), (&json!("DONE"), &json!(false)), "{job}");
    assert_eq!(fs::read_to_string(at("asked")).unwrap(), "-s -o raw -d Bar_1\n");
    let paper = fs::read(at("paper")).unwrap();
    assert!(paper.starts_with(b"\x1b@") && paper.ends_with(b"\x1dV\x42\x00"));
    // What it refuses may have been taken: it says that it is a copy.
    fs::write(at("off"), "").unwrap();
    let job = look().await;
    assert!(job["status"] == "SENT" && job["lastError"].as_str().unwrap().contains("refused"), "{job}");
    fs::remove_file(at("off")).unwrap();
    branch.pass(31_000);
    step(&branch.db, "Bar_1", &press(&branch)).await.unwrap();
    let paper = fs::read(at("paper")).unwrap();
    assert!(paper.windows(6).any(|six| six == b"COPY 1"));
}
