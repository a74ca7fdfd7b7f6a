//! The disk of the data: room, whether it takes writes and gives them back, and what it says of its own health. Never formats,
//! repairs or remounts anything.

use super::Finding;
use super::service::{Output, run};
use crate::db::{Room, RoomState};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// What the probe writes: more than a page, less than anybody waits for.
const PROBE_BYTES: usize = 256 * 1024;

const PROBE: &str = ".doctor-probe";

/// The disk that `folder` lies on, and its room.
pub fn examine(folder: &Path, bounds: &Room) -> Vec<Finding> {
    let mut findings = vec![room(bounds)];
    let mount = fs::read_to_string("/proc/self/mounts").ok().and_then(|text| Mount::of(&text, folder));
    findings.push(match mount.as_ref().filter(|mount| mount.is_read_only) {
        Some(mount) => read_only(mount),
        None => probe(folder, &mut OnDisk),
    });
    findings.extend(mount.as_ref().and_then(|mount| health(&mount.device)));
    findings
}

/// Whether there is enough room.
pub fn room(room: &Room) -> Finding {
    let left = room.look();
    let free =
        left.free_bytes.map_or_else(|| "unknown room".to_owned(), |free| format!("{} free", size(free)));
    let advice = "Delete what is not needed (old downloads, films, logs: journalctl --vacuum-size=200M), move backups to another\n\
                  disk (backup-dir), or put in a larger one. The server goes on by itself as soon as there is room.";
    match left.state {
        RoomState::Ok => Finding::ok("disk-room", free),
        RoomState::Low => Finding::warn("disk-room", format!("only {free}"), advice),
        RoomState::Full => Finding::broken("disk-room", format!("{free}: nothing is saved any more"), advice),
    }
}

/// Bytes, as people say them.
pub fn size(bytes: u64) -> String {
    match bytes {
        _ if bytes >= 1 << 30 => format!("{}.{} GiB", bytes >> 30, ((bytes >> 20) % 1024) * 10 / 1024),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// A mounted disk.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mount {
    device: String,
    point: String,
    is_read_only: bool,
}

impl Mount {
    /// The one that `folder` lies on, of the system's list.
    fn of(list: &str, folder: &Path) -> Option<Mount> {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let mounts = list.lines().filter_map(|line| {
            let mut words = line.split(' ');
            let (device, point, _, options) = (words.next()?, words.next()?, words.next()?, words.next()?);
            // The system writes a space as \\040.
            let point = point.replace("\\\\040", " ").replace("\\040", " ");
            let is_read_only = options.split(',').any(|option| option == "ro");
            folder.starts_with(&point).then(|| Mount { device: device.to_owned(), point, is_read_only })
        });
        // The deepest; of two at one place the later.
        mounts.max_by_key(|mount| mount.point.len())
    }
}

fn read_only(mount: &Mount) -> Finding {
    Finding::broken(
        "disk-write",
        format!(
            "{} ({}) may only be read: the system does that to a disk with errors",
            mount.point, mount.device
        ),
        "Back up what is there now (copy the data directory), restart the machine so that the disk is checked, and replace the disk \
         if this comes again: dmesg | grep -i error",
    )
}

/// A disk that is tried.
pub(super) trait Tried {
    /// Writes `bytes` into a new file at `path`, makes them durable, and reads them back.
    fn write_and_read(&mut self, path: &Path, bytes: &[u8]) -> io::Result<Vec<u8>>;
}

struct OnDisk;

impl Tried for OnDisk {
    fn write_and_read(&mut self, path: &Path, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        // What is read back should come from the disk: a hint, which not every file system takes.
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
        let mut back = Vec::with_capacity(bytes.len());
        File::open(path)?.read_to_end(&mut back)?;
        Ok(back)
    }
}

/// Writes, syncs, reads and deletes a small file.
pub(super) fn probe(folder: &Path, disk: &mut dyn Tried) -> Finding {
    let bytes: Vec<u8> = (0..PROBE_BYTES).map(|n| (n % 251) as u8).collect();
    let path = folder.join(PROBE);
    let outcome = disk.write_and_read(&path, &bytes);
    let gone = fs::remove_file(&path);
    let place = folder.display();
    match outcome {
        Ok(back) if back == bytes && gone.is_ok() => {
            Finding::ok("disk-write", format!("{place} takes and keeps what is written"))
        }
        Ok(back) if back == bytes => Finding::warn(
            "disk-write",
            format!("{} cannot be deleted", path.display()),
            "Delete it by hand; if that fails too, the disk may be failing.",
        ),
        Ok(_) => Finding::broken(
            "disk-write",
            format!("{place} gives back something else than was written"),
            "The disk or the memory is failing. Stop the server, copy the data directory to another disk, and replace the box.",
        ),
        Err(error) => refused(&error, folder),
    }
}

fn refused(error: &io::Error, folder: &Path) -> Finding {
    let place = folder.display();
    let advice = match error.kind() {
        io::ErrorKind::NotFound => "There is no such directory: is --data-dir right, and the disk mounted?",
        io::ErrorKind::PermissionDenied => {
            "Run edge doctor as the server's user or as root (sudo edge doctor …)."
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "The disk is full: make room.",
        _ => {
            "The disk is failing. Stop the server, copy the data directory to another disk now, and replace this one: dmesg | grep -i error"
        }
    };
    Finding::broken("disk-write", format!("{place} cannot be written: {error}"), advice)
}

/// What the disk says of itself, where it says anything.
fn health(device: &str) -> Option<Finding> {
    let name = Path::new(device).file_name()?.to_str()?.to_owned();
    let errors = fs::read_to_string(format!("/sys/fs/ext4/{name}/errors_count")).ok();
    let wear = fs::read_to_string(format!("/sys/class/block/{name}/../device/pre_eol_info")).ok();
    judge_kernel(&name, errors.as_deref(), wear.as_deref()).or_else(|| smart(device))
}

/// Judges what the kernel counts: errors of the file system, and how used up a memory card is.
pub(super) fn judge_kernel(name: &str, errors: Option<&str>, wear: Option<&str>) -> Option<Finding> {
    let number = |text: &str| text.trim().trim_start_matches("0x").parse::<u64>().ok();
    let advice = "Take a backup to another disk (edge backup), and replace this one soon.";
    match (errors.and_then(number), wear.and_then(number)) {
        (Some(errors), _) if errors > 0 => Some(Finding::warn(
            "disk-health",
            format!("{name} has had {errors} errors since it was last checked"),
            advice,
        )),
        (_, Some(3)) => Some(Finding::broken("disk-health", format!("{name} is used up"), advice)),
        (_, Some(2)) => {
            Some(Finding::warn("disk-health", format!("{name} is used up to four fifths"), advice))
        }
        _ => None,
    }
}

/// Asks smartctl, where there is one.
fn smart(device: &str) -> Option<Finding> {
    device.starts_with("/dev/").then_some(())?;
    match run("smartctl", &["-H", "-j", device]) {
        Output::Text(text) => judge_smart(&text),
        Output::Nothing => None,
    }
}

/// Judges smartctl's answer.
pub(super) fn judge_smart(answer: &str) -> Option<Finding> {
    let answer: serde_json::Value = serde_json::from_str(answer).ok()?;
    let passed = answer.get("smart_status")?.get("passed")?.as_bool()?;
    Some(if passed {
        Finding::ok("disk-health", "the disk says it is well")
    } else {
        Finding::broken(
            "disk-health",
            "the disk itself says that it is failing",
            "Take a backup to another disk now (edge backup), and replace this one.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::TestDisk;
    use crate::doctor::Level;
    use std::sync::atomic::Ordering;

    #[test]
    fn little_room_is_warned_of_and_none_is_broken() {
        let disk = TestDisk::default();
        let bounded = Room::of(disk.clone(), 1 << 30, 64 << 20);
        for (free, level) in [(2 << 30, Level::Ok), (1 << 29, Level::Warn), (1 << 20, Level::Broken)] {
            disk.0.store(free, Ordering::Relaxed);
            let finding = room(&bounded);
            assert_eq!(finding.level, level, "{finding:?}");
            assert_eq!(finding.advice.is_some(), level != Level::Ok);
        }
        assert_eq!(
            (size(41 << 30), size((5 << 30) + (1 << 29)), size(70 << 20)),
            ("41.0 GiB".into(), "5.5 GiB".into(), "70 MiB".into())
        );
    }

    #[test]
    fn a_disk_that_the_system_has_made_read_only_is_found_at_its_deepest_mount() {
        let list =
            "/dev/sda1 / ext4 rw,relatime 0 0\n/dev/sdb1 /srv/my\\040data ext4 ro,errors=remount-ro 0 0\n";
        let mount = Mount::of(list, Path::new("/srv/my data/tiffin")).unwrap();
        assert_eq!((mount.device.as_str(), mount.is_read_only), ("/dev/sdb1", true));
        assert_eq!(read_only(&mount).level, Level::Broken);
        assert!(!Mount::of(list, Path::new("/var/lib/tiffin")).unwrap().is_read_only);
    }

    /// A disk that fails.
    struct Failing(Option<io::Error>);

    impl Tried for Failing {
        fn write_and_read(&mut self, path: &Path, bytes: &[u8]) -> io::Result<Vec<u8>> {
            fs::write(path, bytes)?;
            self.0.take().map_or_else(|| Ok(vec![0; bytes.len()]), Err)
        }
    }

    #[test]
    fn a_disk_that_refuses_or_forgets_is_broken_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let try_with = |disk: &mut dyn Tried| probe(folder.path(), disk);
        assert_eq!(try_with(&mut OnDisk).level, Level::Ok);
        // EIO.
        let told = try_with(&mut Failing(Some(io::Error::from_raw_os_error(5))));
        assert!(told.level == Level::Broken && told.advice.unwrap().contains("failing"));
        let told = try_with(&mut Failing(Some(io::Error::from_raw_os_error(28))));
        assert!(told.level == Level::Broken && told.advice.unwrap().contains("full"));
        assert_eq!(try_with(&mut Failing(None)).level, Level::Broken);
        let told = probe(&folder.path().join("no"), &mut OnDisk);
        assert!(told.level == Level::Broken && told.advice.unwrap().contains("--data-dir"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_disk_that_counts_errors_or_says_it_fails_is_believed() {
        assert_eq!(judge_kernel("sda1", Some("0\n"), None), None);
        assert_eq!(judge_kernel("sda1", Some("3\n"), None).unwrap().level, Level::Warn);
        assert_eq!(judge_kernel("mmcblk0p1", None, Some("0x02\n")).unwrap().level, Level::Warn);
        assert_eq!(judge_kernel("mmcblk0p1", None, Some("0x03\n")).unwrap().level, Level::Broken);
        assert_eq!(judge_smart(r#"{"smart_status":{"passed":true}}"#).unwrap().level, Level::Ok);
        assert_eq!(judge_smart(r#"{"smart_status":{"passed":false}}"#).unwrap().level, Level::Broken);
        assert_eq!(judge_smart("no JSON"), None);
    }
}
