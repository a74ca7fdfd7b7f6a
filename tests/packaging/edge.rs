//! The life of the package `tiffin-edge`, and that nobody loses an order in it.

use crate::boxes::{self, Does};
use crate::machine::Machine;
use crate::stick::{self, Stick};
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

    let stick = Stick::new(parcels.path());
    let mut machine = Machine::boot(parcels.path());
    // A disk of its own for the data, which can be filled.
    machine.text("mkdir -p /var/lib/tiffin /root/stick && mount -t tmpfs -o size=400m none /var/lib/tiffin");
    install(&machine);
    set_up(&mut machine);
    let first = take_order(&machine);
    root_pastes(&mut machine);
    stick::backups_go_to_sticks(&machine, &stick);
    is_ready(&mut machine);
    a_full_disk_stops_nobody(&mut machine);
    comes_back_when_killed(&mut machine);
    upgrade(&machine);
    let second = take_order(&machine);
    roll_back(&mut machine, &[&first, &second]);
    upgrade_after_all(&mut machine);
    is_there(&machine, &[&first, &second]);
    remove_and_install_again(&mut machine);
    is_there(&machine, &[&first, &second]);
    a_disk_that_does_not_come_begins_nothing(&mut machine);
    purge(&machine);
}

fn install(machine: &Machine) {
    // As a person does it: with the lists that apt has, and no network.
    assert_ne!(machine.text("ls /var/lib/apt/lists | grep -c Packages"), "0");
    let said = machine.run("cd /root && apt-get install -y /parcels/tiffin-edge.deb").well();
    assert!(said.contains("tiffin-edge setup-link"), "{said}");
    assert!(machine.text("cd /root && tiffin-edge setup-link").contains("/setup?code="));
    let report = machine.run("cd /root && tiffin-edge doctor --json").text;
    let report: Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("{report}"));
    let broken = report["findings"].as_array().unwrap().iter().filter(|one| one["level"] == "BROKEN");
    let broken: Vec<_> = broken.map(|one| one["check"].as_str().unwrap()).collect();
    assert_eq!(broken, ["lan"], "this machine has no network: {report}");
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
        machine.text("grep -rlI tiffin-edge /var/log --exclude=dpkg.log --exclude-dir=apt --exclude-dir=journal || true"),
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

/// Every command that is printed, as it stands, by root in root's folder, and on files that are root's alone.
fn root_pastes(machine: &mut Machine) {
    let root = |line: &str| machine.run(&format!("cd /root && umask 077 && {line}")).well();
    root(
        "echo 'a very long password' >password && tiffin-edge reset-password --email cashier@sample.test --password-file password",
    );
    root(
        "echo tiffin-sample >password && tiffin-edge reset-password --email cashier@sample.test --password-file password",
    );
    root(
        "tiffin-edge export everything.zip && tiffin-edge sheet sheet.html && test -s everything.zip && test -s sheet.html",
    );
    root(
        "chmod 700 stick && tiffin-edge backup --to stick --secrets secrets.json && ls stick/*.db.zst && test -s secrets.json",
    );
    let told = root("tiffin-edge backup");
    let line =
        told.lines().find_map(|line| line.split_once("stopped: ")).unwrap_or_else(|| panic!("{told}")).1;
    assert!(line.starts_with("tiffin-edge restore /var/lib/tiffin/backups/"), "{line}");
    let told = root(line);
    assert!(told.contains("is back") && told.contains("systemctl start tiffin-edge"), "{told}");
    // Not the wrapper, and without settings: nothing is made beside root.
    let refused = machine.run(&format!("cd /root && {}", line.replacen("tiffin-edge", "edge", 1))).badly();
    assert!(refused.contains("tiffin-edge restore FILE") && refused.contains("--new"), "{refused}");
    machine.text("test ! -e /root/data");
    let foreign = machine.text("find /var/lib/tiffin ! -user tiffin");
    assert_eq!(foreign, "", "root's files among the server's");
    is_ready(machine);
}

/// With not a byte left the service starts all the same, an upgrade is refused before anything is changed, and with room all goes on.
fn a_full_disk_stops_nobody(machine: &mut Machine) {
    machine.run("dd if=/dev/zero of=/var/lib/tiffin/filler bs=1M; chown tiffin: /var/lib/tiffin/filler");
    machine.text("timeout 100 systemctl restart tiffin-edge");
    let said = machine.run("timeout 100 apt-get install -y /parcels/tiffin-edge-1.1.0-1.deb").badly();
    assert!(said.contains("NOT UPGRADED") && said.contains("MiB free"), "{said}");
    assert_eq!(machine.text("dpkg-query -W -f '${Status}' tiffin-edge"), "install ok installed");
    assert_eq!(machine.text("systemctl is-active tiffin-edge"), "active");
    machine.text("rm /var/lib/tiffin/filler");
    is_ready(machine);
}

fn upgrade(machine: &Machine) {
    let said = machine.run("apt-get install -y /parcels/tiffin-edge-1.1.0-1.deb").well();
    assert!(said.contains("taking a backup") && said.contains("serving: edge"), "{said}");
    runs(machine, "1.1.0-1");
    assert_eq!(machine.text("ls /var/lib/tiffin/backups | grep -c -- '-upgrade.db.zst$'"), "1");
    // The trial is over: it listens where it did.
    assert!(machine.text("systemctl show -p StatusText --value tiffin-edge").ends_with(":8080"));
    assert_eq!(machine.text("ls /run/systemd/system"), "");
}

fn roll_back(machine: &mut Machine, orders: &[&Value]) {
    let said = machine.run("apt-get install -y /parcels/tiffin-edge-1.2.0-1.deb").badly();
    assert!(said.contains("THE NEW VERSION DOES NOT WORK HERE"), "{said}");
    assert!(said.contains("the version before serves again"), "{said}");
    assert!(machine.text("journalctl").contains("THE NEW VERSION DOES NOT WORK HERE"));
    runs(machine, "1.1.0-1");
    is_ready(machine);
    is_there(machine, orders);
    machine.client(8080, async |client| {
        let status = sign_in(client).await.get("/status").await.expect(200).data();
        assert_eq!(status["outlet"]["name"], "Tiffin Indiranagar", "the data of before");
    });
    // dpkg knows that it is not done, and asks again with each use of apt: the branch sells on, and the way out is said.
    assert!(!machine.text("dpkg-query -W -f '${Status}' tiffin-edge").ends_with(" installed"));
    let running = machine.text("systemctl show -p MainPID --value tiffin-edge");
    let said = machine.run("dpkg --configure -a").badly();
    assert!(said.contains("apt install --allow-downgrades ./tiffin-edge_1.1.0-1_"), "{said}");
    assert_eq!(machine.text("systemctl show -p MainPID --value tiffin-edge"), running, "it was not touched");
    assert!(machine.run("tiffin-edge doctor").text.contains("upgrade"), "the doctor knows");
    // Asked for, it is tried again, and goes back again.
    machine.run("/usr/lib/tiffin-edge/upgrade again").badly();
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

fn upgrade_after_all(machine: &mut Machine) {
    machine.run("apt-get install -y --allow-downgrades /parcels/tiffin-edge-1.1.0-1.deb").well();
    runs(machine, "1.1.0-1");
    assert_eq!(
        machine.text("dpkg-query -W -f '${Status}' tiffin-edge"),
        "install ok installed",
        "apt is content"
    );
    survive_a_power_cut(machine);
    runs(machine, "1.3.0-1");
    assert_eq!(machine.text("dpkg-query -W -f '${Status}' tiffin-edge"), "install ok installed");
}

/// The power goes while dpkg lays files down: the branch sells on, and the README's way out goes on where it was.
fn survive_a_power_cut(machine: &mut Machine) {
    let cut = "until [ -e /usr/bin/edge.dpkg-new ]; do :; done; kill -KILL $dpkg; wait";
    machine.run(&format!("dpkg -i /parcels/tiffin-edge-1.3.0-1.deb & dpkg=$!; {cut}"));
    assert_eq!(machine.text("dpkg-query -W -f '${db:Status-Abbrev}' tiffin-edge"), "iHR");
    machine.text("systemctl restart tiffin-edge");
    runs(machine, "1.1.0-1");
    is_ready(machine);
    // What apt advises first, and what it says then.
    assert!(machine.run("apt-get install -y").badly().contains("dpkg --configure -a"));
    machine.run("dpkg --configure -a");
    assert_eq!(machine.text("dpkg-query -W -f '${db:Status-Abbrev}' tiffin-edge"), "iHR");
    let refused = machine.run("apt-get install -y").badly();
    assert!(refused.contains("tiffin-edge needs to be reinstalled"), "{refused}");
    let said = machine.run("dpkg -i /parcels/tiffin-edge-1.3.0-1.deb").well();
    assert!(said.contains("taking a backup") && said.contains("serving: edge"), "{said}");
    machine.run("apt-get install -y").well();
}

fn remove_and_install_again(machine: &mut Machine) {
    machine.run("dpkg -r tiffin-edge").well();
    assert!(!machine.run("systemctl is-active tiffin-edge").well);
    let gone = ["/usr/bin/edge", "/usr/lib/tiffin-edge", "/lib/systemd/system/tiffin-edge.service"];
    for path in gone {
        assert!(!Path::new(&machine.path(path)).exists(), "{path} is still there");
    }
    // Asked there: the disk of the data is the machine's alone.
    machine.text("ls /var/lib/tiffin/tiffin.db /etc/tiffin/edge.toml");
    machine.run("dpkg -i /parcels/tiffin-edge-1.3.0-1.deb").well();
    is_ready(machine);
}

/// A disk that does not come, whether a unit says that it should or not: nobody is offered a second branch in its place.
fn a_disk_that_does_not_come_begins_nothing(machine: &mut Machine) {
    machine.text("mkdir /mnt/disk && mount --bind /var/lib/tiffin /mnt/disk");
    machine.text("systemctl stop tiffin-edge && umount /var/lib/tiffin");
    assert_eq!(machine.text("ls -A /var/lib/tiffin"), "");
    machine.run("timeout 60 systemctl start tiffin-edge").badly();
    machine.run("tiffin-edge setup-link").badly();
    for command in ["init --sample-data", "status"] {
        let said = machine.run(&format!("cd /root && tiffin-edge {command}")).badly();
        assert!(said.contains("/var/lib/tiffin-mark/made tells of a branch"), "{said}");
        assert!(said.contains("mounted") && said.contains("tiffin-edge restore FILE"), "{said}");
    }
    assert!(machine.text("journalctl -u tiffin-edge -o cat").contains("tiffin-mark/made tells of a branch"));
    assert_eq!(machine.text("find /var/lib/tiffin -type f"), "");
    // It comes, and the service with it, by itself.
    machine.text("mount --bind /mnt/disk /var/lib/tiffin && umount /mnt/disk");
    is_ready(machine);
}

fn purge(machine: &Machine) {
    machine.text("systemctl stop tiffin-edge && umount /var/lib/tiffin");
    let disk = "[Mount]\\nWhat=/nowhere\\nWhere=/var/lib/tiffin\\nType=ext4";
    let unit = "/etc/systemd/system/var-lib-tiffin.mount";
    machine.text(&format!("printf '{disk}\\n' >{unit} && systemctl daemon-reload"));
    machine.run("timeout 60 systemctl start tiffin-edge").badly();
    machine.run("tiffin-edge setup-link").badly();
    machine.text(&format!("rm {unit} && systemctl daemon-reload"));
    machine.run("dpkg -P tiffin-edge").well();
    let gone =
        ["/var/lib/tiffin", "/var/lib/tiffin-mark", "/etc/tiffin", "/usr/lib/tiffin-edge", "/usr/bin/edge"];
    for path in gone {
        assert!(!Path::new(&machine.path(path)).exists(), "{path} is still there");
    }
    assert_eq!(machine.text("find /etc/systemd /lib/systemd /run/systemd -name '*tiffin*'"), "");
}
