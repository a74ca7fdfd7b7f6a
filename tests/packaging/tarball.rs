//! The tarball and its `install.sh`, on a system without its packages.

use crate::boxes::{self, Does};
use crate::edge::CHANGE;
use crate::machine::Machine;
use std::path::Path;
use std::process::Command;

const HOME: &str = "/usr/local/lib/tiffin-edge";

#[test]
fn a_branch_is_installed_upgraded_rolled_back_and_removed_from_the_tarball() {
    let parcels = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    boxes::pack("tarball", parcels.path());
    let tarball = boxes::only(parcels.path(), "tiffin-");
    unpack(&tarball, parcels.path(), "new", None);
    unpack(&tarball, parcels.path(), "works", Some(Does::Works));
    unpack(&tarball, parcels.path(), "breaks", Some(Does::Breaks(CHANGE)));
    unpack(&tarball, parcels.path(), "hangs", Some(Does::Hangs));

    let mut machine = Machine::boot(parcels.path());
    machine.text("mkdir -p /var/lib/tiffin && mount -t tmpfs -o size=400m none /var/lib/tiffin");
    let said = machine.run("/parcels/new/install.sh").well();
    assert!(said.contains("journalctl -u tiffin-edge"), "{said}");
    machine.text("tiffin-edge init --sample-data");
    is_ready(&mut machine);
    machine.text("systemd-analyze verify --man=no tiffin-edge.service");

    // Without room for the backup nothing is begun.
    machine.run("dd if=/dev/zero of=/var/lib/tiffin/filler bs=1M");
    let said = machine.run("/parcels/works/install.sh edge").badly();
    assert!(said.contains("NOT UPGRADED") && said.contains("Nothing was changed"), "{said}");
    assert_eq!(
        machine.text("systemctl is-active tiffin-edge; ls /usr/local/lib/tiffin-edge"),
        "active\nupgrade"
    );
    machine.text("rm /var/lib/tiffin/filler");
    let said = machine.run("/parcels/works/install.sh edge").well();
    assert!(said.contains("taking a backup") && said.contains("serving: edge"), "{said}");
    for broken in ["breaks", "hangs"] {
        let said = machine.run(&format!("TIFFIN_UPGRADE_PATIENCE=5 /parcels/{broken}/install.sh")).badly();
        assert!(said.contains("the version before serves again"), "{said}");
        is_ready(&mut machine);
        assert_eq!(machine.text("tail -c 5 /usr/local/bin/edge"), "works");
        assert!(machine.text("tiffin-edge status").contains("Tiffin Indiranagar"), "the data of before");
    }

    machine.run("/parcels/new/install.sh --uninstall").well();
    machine.text("test ! -e /usr/local/bin/edge && test -e /var/lib/tiffin/tiffin.db");
    machine.run("/parcels/new/install.sh").well();
    is_ready(&mut machine);
    assert!(machine.text("tiffin-edge status").contains("Tiffin Indiranagar"));
    machine.text("systemctl stop tiffin-edge && umount /var/lib/tiffin");
    machine.run("/parcels/new/install.sh --purge").well();
    let left = machine.text("find /usr/local /etc /var/lib -path '*tiffin*' ! -type d");
    assert_eq!(left, "");
    without_systemd(&machine);
}

fn unpack(tarball: &Path, parcels: &Path, name: &str, does: Option<Does>) {
    let folder = parcels.join(name);
    std::fs::create_dir(&folder).unwrap();
    let mut tar = Command::new("tar");
    let tar = tar.arg("-xzf").arg(tarball).args(["--strip-components=1", "-C"]).arg(&folder);
    assert!(tar.status().unwrap().success());
    if let Some(does) = does {
        boxes::alter(&folder.join("edge"), HOME, does, name);
    }
}

fn is_ready(machine: &mut Machine) {
    machine.wait("the branch is open", |machine| machine.run("tiffin-edge ready").text.trim() == "ready");
}

/// On a system without systemd it says what another init must do, and that is a command that works.
fn without_systemd(machine: &Machine) {
    let install = "unshare -m sh -c 'mount -t tmpfs none /run/systemd && /parcels/new/install.sh'";
    let hidden =
        format!("mv /usr/bin/systemctl /root && {install}; done=$?; mv /root/systemctl /usr/bin; exit $done");
    let said = machine.run(&hidden).well();
    assert!(said.contains("/usr/local/bin/edge serve --config /etc/tiffin/edge.toml"), "{said}");
    assert!(!machine.path("/etc/systemd/system/tiffin-edge.service").exists());
    let served = "timeout 2 runuser -u tiffin -- /usr/local/bin/edge serve --config /etc/tiffin/edge.toml";
    let link = machine.run(&format!("{served} | grep -m 1 /setup")).text;
    assert!(link.contains("/setup?code="), "it says where to set it up: {link}");
}
