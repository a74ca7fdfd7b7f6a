//! The life of the package `tiffin-hub`.

use crate::boxes::{self, Does};
use crate::edge::sandbox_is_tight;
use crate::machine::Machine;
use serde_json::json;

const ADMIN: &str = "admin@sample.test";
const PASSWORD: &str = "a long enough password";

/// What a version that breaks does to the data first.
const CHANGE: &str = "users --data-dir /var/lib/tiffin-hub --add intruder@sample.test";

#[test]
fn head_office_lives_through_the_life_of_its_package() {
    let parcels = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    boxes::pack("hub", parcels.path());
    let package = boxes::only(parcels.path(), "tiffin-hub_");
    boxes::is_flawless(&package);
    boxes::repack(&package, "sync-hub", "1.1.0-1", Does::Works);
    boxes::repack(&package, "sync-hub", "1.2.0-1", Does::Breaks(CHANGE));
    std::fs::rename(&package, parcels.path().join("tiffin-hub.deb")).unwrap();

    let mut machine = Machine::boot(parcels.path());
    install(&mut machine);
    knows_its_people(&machine);
    let said = machine.run("dpkg -i /parcels/tiffin-hub-1.1.0-1.deb").well();
    assert!(said.contains("taking a backup") && said.contains("serving: sync-hub"), "{said}");
    knows_its_people(&machine);
    let said = machine.run("dpkg -i /parcels/tiffin-hub-1.2.0-1.deb").badly();
    assert!(said.contains("the version before serves again"), "{said}");
    knows_its_people(&machine);
    machine.run("dpkg -r tiffin-hub").well();
    machine.run("dpkg -i /parcels/tiffin-hub-1.1.0-1.deb").well();
    is_ready(&mut machine);
    knows_its_people(&machine);
    machine.run("dpkg -P tiffin-hub").well();
    assert!(
        !machine.path("/var/lib/tiffin-hub").exists()
            && !machine.path("/var/lib/tiffin-hub-mark").exists()
            && !machine.path("/etc/tiffin").exists()
    );
}

fn is_ready(machine: &mut Machine) {
    machine.wait("head office is open", |machine| machine.run("tiffin-hub ready").text.trim() == "ready");
}

fn install(machine: &mut Machine) {
    let said = machine.run("cd /root && apt-get install -y /parcels/tiffin-hub.deb").well();
    assert!(said.contains("tiffin-hub init --admin-email"), "{said}");
    machine.text("systemd-analyze verify --man=no tiffin-hub.service");
    sandbox_is_tight(machine, "tiffin-hub");
    // What the installer was told to do, with the server running.
    machine.text(&format!("cd /root && umask 077 && echo '{PASSWORD}' >password"));
    machine
        .text(&format!("cd /root && tiffin-hub init --admin-email {ADMIN} --admin-password-file password"));
    is_ready(machine);
    // Looking at the outlets disturbs nobody.
    let running = machine.text("systemctl show -p MainPID --value tiffin-hub");
    machine.text("tiffin-hub outlets");
    assert_eq!(machine.text("systemctl show -p MainPID --value tiffin-hub"), running);
    let told = machine
        .text("cd /root && umask 077 && mkdir stick && tiffin-hub backup --to stick && test -e stick/*.zst");
    assert!(told.contains("tiffin-hub restore "), "{told}");
    let loose = machine
        .text("find /var/lib/tiffin-hub -type f -perm /077; find /var/lib/tiffin-hub ! -user tiffin-hub");
    assert_eq!(loose, "", "readable by others");
}

/// The admin can sign in, and nobody else was added.
fn knows_its_people(machine: &Machine) {
    machine.client(8090, async |client| {
        let who = json!({"email": ADMIN, "password": PASSWORD});
        let token = client.post("/hub/auth/login", who).await.expect(200).data()["accessToken"].clone();
        let client = client.with_token(token.as_str().unwrap().to_owned());
        let people = client.get("/hub/users").await.expect(200).text;
        assert!(people.contains(ADMIN) && !people.contains("intruder"), "{people}");
    });
}
