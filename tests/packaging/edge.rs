//! The life of the package `tiffin-edge`, and that nobody loses an order in it.

use crate::boxes::{self, Does};
use crate::machine::Machine;
use serde_json::{Value, json};
use std::path::Path;
use tiffin_tests::Client;

/// What a version that breaks does to the data first.
pub const CHANGE: &str = r#"sql --data-dir /var/lib/tiffin --write "UPDATE outlets SET name = 'Broken'""#;

#[test]
fn a_branch_lives_through_the_life_of_its_package() {
    let parcels = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    boxes::pack("edge", parcels.path());
    let package = boxes::only(parcels.path(), "tiffin-edge_");
    boxes::is_flawless(&package);
    boxes::repack(&package, "edge", "1.1.0-1", Does::Works);
    boxes::repack(&package, "edge", "1.2.0-1", Does::Breaks(CHANGE));
    boxes::repack(&package, "edge", "1.3.0-1", Does::Works);
    std::fs::rename(&package, parcels.path().join("tiffin-edge.deb")).unwrap();

    let mut machine = Machine::boot(parcels.path());
    install(&machine);
    set_up(&mut machine);
    let first = take_order(&machine);
    comes_back_when_killed(&mut machine);
    upgrade(&machine);
    let second = take_order(&machine);
    roll_back(&mut machine, &[&first, &second]);
    upgrade_after_all(&machine);
    is_there(&machine, &[&first, &second]);
    remove_and_install_again(&mut machine);
    is_there(&machine, &[&first, &second]);
    purge(&machine);
}

fn install(machine: &Machine) {
    let said = machine.run("dpkg -i /parcels/tiffin-edge.deb").well();
    assert!(said.contains("journalctl -u tiffin-edge"), "{said}");
    assert_eq!(
        machine.text("systemctl is-active tiffin-edge; systemctl is-enabled tiffin-edge"),
        "active\nenabled"
    );
    assert_eq!(machine.text("stat -c '%a %U:%G' /var/lib/tiffin"), "700 tiffin:tiffin");
    assert_eq!(machine.text("stat -c '%a %U:%G' /etc/tiffin/edge.toml"), "640 root:tiffin");
    assert_eq!(machine.text("tiffin-edge ready"), "up, and waiting to be set up");
    assert!(
        machine.text("journalctl -u tiffin-edge -o cat").contains("/setup?code="),
        "the link to set it up"
    );
    sandbox_is_tight(machine, "tiffin-edge");
    machine.text("systemd-analyze verify --man=no tiffin-edge.service");
}

/// Under 2.0, by systemd's own count; and what it counts is what the process really has.
pub fn sandbox_is_tight(machine: &Machine, name: &str) {
    let score = machine
        .run(&format!("systemd-analyze security --offline=true --threshold=20 --no-pager {name}.service"));
    let score = score.well();
    assert!(score.contains("Overall exposure level"), "{score}");
    let pid = machine.text(&format!("systemctl show -p MainPID --value {name}"));
    let status = machine.text(&format!("cat /proc/{pid}/status"));
    for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "CapBnd:\t0000000000000000", "CapEff:\t0000000000000000"] {
        assert!(status.contains(line), "{line} is not in {status}");
    }
}

fn set_up(machine: &mut Machine) {
    machine.text("tiffin-edge init --sample-data");
    is_ready(machine);
    let loose = machine.text("find /var/lib/tiffin -type f -perm /077; find /var/lib/tiffin ! -user tiffin");
    assert_eq!(loose, "", "readable by others");
    // All of the log is in the journal, none in files.
    assert!(machine.text("journalctl -u tiffin-edge").contains("serving"));
    assert_eq!(
        machine.text("grep -rlI tiffin-edge /var/log --exclude=dpkg.log --exclude-dir=journal || true"),
        ""
    );
}

fn is_ready(machine: &mut Machine) {
    machine.wait("the branch is open", |machine| machine.run("tiffin-edge ready").text.trim() == "ready");
}

async fn sign_in(client: Client) -> Client {
    let who = json!({"email": "cashier@sample.test", "password": "tiffin-sample"});
    let token =
        client.post("/auth/login", who).await.expect(200).data()["accessToken"].as_str().unwrap().to_owned();
    client.with_token(token)
}

/// Sells a dish over HTTP and gets paid; answers the order.
fn take_order(machine: &Machine) -> Value {
    machine.client(8080, async |client| {
        let client = sign_in(client).await;
        let menu = client.get("/menu").await.expect(200).data();
        let dish = &menu["categories"][0]["items"][0];
        let line = json!({"menuItemId": dish["id"], "quantity": 2, "unitPriceCents": dish["priceCents"]});
        let order = json!({"orderType": "COUNTER", "items": [line]});
        let order = client.post("/orders", order).await.expect(201).json();
        let due = &order["totalAmountCents"];
        let payment = json!({"method": "CASH", "amountCents": due, "tenderedCents": 1_000_000});
        client
            .post(&format!("/orders/{}/payments", order["id"].as_str().unwrap()), payment)
            .await
            .expect(201);
        order
    })
}

/// Fails unless the orders are there, paid.
fn is_there(machine: &Machine, orders: &[&Value]) {
    machine.client(8080, async |client| {
        let client = sign_in(client).await;
        for order in orders {
            let found =
                client.get(&format!("/orders/{}", order["id"].as_str().unwrap())).await.expect(200).json();
            assert_eq!(found["totalAmountCents"], order["totalAmountCents"]);
            assert_eq!(found["paidCents"], order["totalAmountCents"]);
        }
    });
}

fn comes_back_when_killed(machine: &mut Machine) {
    let pid = machine.text("systemctl show -p MainPID --value tiffin-edge");
    machine.text(&format!("kill -KILL {pid}"));
    machine.wait("it was started again", |machine| {
        machine.text("systemctl show -p MainPID --value tiffin-edge") != pid
            && machine.run("tiffin-edge ready").text.trim() == "ready"
    });
    assert_eq!(machine.text("systemctl show -p WatchdogUSec --value tiffin-edge"), "1min");
    assert_ne!(machine.text("systemctl show -p WatchdogTimestampMonotonic --value tiffin-edge"), "0");
}

/// What is installed and runs is the version of that package.
fn runs(machine: &Machine, version: &str) {
    let pid = machine.text("systemctl show -p MainPID --value tiffin-edge");
    let running = machine.text(&format!("tail -c {} /proc/{pid}/exe", version.len()));
    assert_eq!(running, version);
    assert_eq!(machine.text(&format!("tail -c {} /usr/bin/edge", version.len())), version);
}

fn upgrade(machine: &Machine) {
    let said = machine.run("dpkg -i /parcels/tiffin-edge-1.1.0-1.deb").well();
    assert!(said.contains("taking a backup") && said.contains("serving: edge"), "{said}");
    runs(machine, "1.1.0-1");
    assert_eq!(machine.text("ls /var/lib/tiffin/backups | grep -c -- '-upgrade.db.zst$'"), "1");
    // The trial is over: it listens where it did.
    assert!(machine.text("systemctl show -p StatusText --value tiffin-edge").ends_with(":8080"));
    assert_eq!(machine.text("ls /run/systemd/system"), "");
}

fn roll_back(machine: &mut Machine, orders: &[&Value]) {
    let said = machine.run("dpkg -i /parcels/tiffin-edge-1.2.0-1.deb").badly();
    assert!(said.contains("THE NEW VERSION DOES NOT WORK HERE"), "{said}");
    assert!(said.contains("the version before serves again"), "{said}");
    assert!(machine.text("journalctl").contains("THE NEW VERSION DOES NOT WORK HERE"));
    runs(machine, "1.1.0-1");
    is_ready(machine);
    is_there(machine, orders);
    machine.client(8080, async |client| {
        let status = client.get("/status").await.expect(200).data();
        assert_eq!(status["outlet"]["name"], "Tiffin Indiranagar", "the data of before");
    });
    // dpkg knows that it is not done; asked again, it tries again, and goes back again.
    assert!(!machine.text("dpkg-query -W -f '${Status}' tiffin-edge").ends_with(" installed"));
    machine.run("dpkg --configure tiffin-edge").badly();
    runs(machine, "1.1.0-1");
    is_there(machine, orders);
    numbers_have_no_gap(machine);
}

/// Orders are numbered one after the other, also across what was rolled back.
fn numbers_have_no_gap(machine: &Machine) {
    take_order(machine);
    let numbers = "(SELECT sum(value) FROM counters WHERE series LIKE 'ORDER:%')";
    let said = machine.text(&format!("tiffin-edge sql \"SELECT (SELECT count(*) FROM orders), {numbers}\""));
    let last: Vec<&str> = said.lines().last().unwrap_or_default().split_whitespace().collect();
    assert_eq!(last, ["3", "3"], "{said}");
}

fn upgrade_after_all(machine: &Machine) {
    machine.run("dpkg -i /parcels/tiffin-edge-1.3.0-1.deb").well();
    runs(machine, "1.3.0-1");
    assert_eq!(machine.text("dpkg-query -W -f '${Status}' tiffin-edge"), "install ok installed");
}

fn remove_and_install_again(machine: &mut Machine) {
    machine.run("dpkg -r tiffin-edge").well();
    assert!(!machine.run("systemctl is-active tiffin-edge").well);
    let gone = ["/usr/bin/edge", "/usr/lib/tiffin-edge", "/lib/systemd/system/tiffin-edge.service"];
    for path in gone {
        assert!(!Path::new(&machine.path(path)).exists(), "{path} is still there");
    }
    assert!(
        machine.path("/var/lib/tiffin/tiffin.db").exists() && machine.path("/etc/tiffin/edge.toml").exists()
    );
    machine.run("dpkg -i /parcels/tiffin-edge-1.3.0-1.deb").well();
    is_ready(machine);
}

fn purge(machine: &Machine) {
    machine.run("dpkg -P tiffin-edge").well();
    let gone = ["/var/lib/tiffin", "/etc/tiffin", "/usr/lib/tiffin-edge", "/usr/bin/edge"];
    for path in gone {
        assert!(!Path::new(&machine.path(path)).exists(), "{path} is still there");
    }
    assert_eq!(machine.text("find /etc/systemd /lib/systemd /run/systemd -name '*tiffin*'"), "");
}
