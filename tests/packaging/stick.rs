//! A stick as people have it: exFAT, which knows no owners, mounted with `uid=` and without, pulled out, and one that cannot be mounted.
//! A file of this machine is its medium; the machine under test mounts it by itself.

use crate::machine::Machine;
use std::fs::{File, copy};
use std::path::Path;
use std::process::Command;

/// What mounts it in the machine, with its library: the machine has none.
const TOOLS: [&str; 2] = ["/usr/sbin/mount.exfat-fuse", "/lib/x86_64-linux-gnu/libfuse.so.2"];

/// A stick that can be put into a machine. Gone with its test.
pub struct Stick {
    device: String,
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output =
        Command::new(program).args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

impl Stick {
    /// A new one, with its medium and what mounts it in `parcels`.
    pub fn new(parcels: &Path) -> Stick {
        for tool in TOOLS.map(Path::new) {
            copy(tool, parcels.join(tool.file_name().unwrap()))
                .unwrap_or_else(|error| panic!("{}: {error}; tests/run installs it", tool.display()));
        }
        let medium = parcels.join("stick.img");
        File::create(&medium).unwrap().set_len(64 << 20).unwrap();
        let medium = medium.to_str().unwrap();
        said("mkfs.exfat", &[medium]);
        Stick { device: said("losetup", &["--find", "--show", medium]) }
    }

    /// Mounts it at `/media/stick` with `options`, as an entry of fstab would.
    pub fn put_in(&self, machine: &Machine, options: &str) {
        let number = self.device.trim_start_matches("/dev/loop");
        machine.text(&format!(
            "mkdir -p /media/stick; test -e /dev/fuse || mknod /dev/fuse c 10 229
             test -e {0} || mknod {0} b 7 {number}
             LD_LIBRARY_PATH=/parcels /parcels/mount.exfat-fuse -o {options} {0} /media/stick",
            self.device
        ));
    }
}

impl Drop for Stick {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.device]).status();
    }
}

/// Backups on sticks, of a branch that serves in `machine`.
pub fn backups_go_to_sticks(machine: &Machine, stick: &Stick) {
    let root = |line: &str| machine.run(&format!("cd /root && umask 077 && {line}"));
    let count = || machine.text("ls /media/stick | grep -c zst || true");
    // Without `uid=` all on it is root's: what root names is written by root.
    stick.put_in(machine, "umask=022");
    let told = root("tiffin-edge backup --to /media/stick --secrets /media/stick/secrets.json").well();
    assert!(told.starts_with("/media/stick/") && told.contains("Keep it somewhere else"), "{told}");
    root("tiffin-edge export /media/stick/everything.zip && tiffin-edge sheet /media/stick/sheet.html")
        .well();
    assert_eq!(count(), "1");
    // The server has no root to help it. It is said, and the backup beside the data stays.
    machine.text("sed -i 's,^#* *backup_dir = .*,backup_dir = \"/media/stick\",' /etc/tiffin/edge.toml");
    machine.text("grep -q '^backup_dir' /etc/tiffin/edge.toml && systemctl restart tiffin-edge");
    let own = || machine.text("ls /var/lib/tiffin/backups | grep -c zst || true").parse::<u32>().unwrap();
    let before = own();
    let told = root("tiffin-edge backup").well();
    assert!(told.contains("/media/stick") && told.contains("Permission denied"), "{told}");
    assert_eq!((own(), count().as_str()), (before + 1, "1"));
    assert!(root("tiffin-edge doctor").text.contains("/media/stick cannot be written"));
    // With `uid=`, as the README says, everything goes there: also what the server itself does, which sees it though it came later.
    machine.text("umount /media/stick");
    let uid = machine.text("id -u tiffin");
    stick.put_in(machine, &format!("uid={uid},gid={uid},umask=077"));
    root("tiffin-edge backup").well();
    assert_eq!((own(), count().as_str()), (before + 2, "2"));
    let pid = machine.text("systemctl show -p MainPID --value tiffin-edge");
    machine.text(&format!(
        "nsenter --mount --target {pid} setpriv --reuid tiffin --clear-groups sh -c 'cd /media/stick && touch it && rm it'"
    ));
    // A backup comes back from it.
    let newest = machine.text("ls -t /media/stick/*.zst | head -n 1");
    root(&format!("tiffin-edge restore {newest} --skip-numbers 0")).well();
    // Pulled out, or one that cannot be mounted: the same, whatever the reason.
    machine.text("umount /media/stick");
    machine.run("mount -t ext4 /dev/nowhere /media/stick").badly();
    let told = root("tiffin-edge backup").well();
    assert!(told.contains("/media/stick"), "{told}");
    assert_eq!(count(), "0", "nothing was written where the stick should be");
    assert!(root("tiffin-edge doctor").text.contains("/media/stick cannot be written"));
    machine.text("rmdir /media/stick");
    assert!(root("tiffin-edge doctor").text.contains("/media/stick is not there"));
    machine.text("sed -i 's,^backup_dir = .*,# backup_dir = \"\",' /etc/tiffin/edge.toml && systemctl restart tiffin-edge");
}
