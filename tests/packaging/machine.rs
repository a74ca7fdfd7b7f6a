//! A clean Debian on an overlay, booted by systemd-nspawn with a network of its own. Never touches this machine's systemd; ends
//! with the test.

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tiffin_tests::Client;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a command in the machine said.
#[derive(Debug)]
pub struct Said {
    /// Whether it succeeded.
    pub well: bool,
    /// What it printed, on both streams.
    pub text: String,
}

impl Said {
    /// The text of a command that succeeded.
    #[track_caller]
    pub fn well(self) -> String {
        assert!(self.well, "{}", self.text);
        self.text
    }

    /// The text of a command that failed.
    #[track_caller]
    pub fn badly(self) -> String {
        assert!(!self.well, "{}", self.text);
        self.text
    }
}

/// The machine.
pub struct Machine {
    nspawn: Child,
    /// Its first process, as this machine sees it.
    init: i32,
    folder: TempDir,
}

/// The clean root that `tests/run` makes once.
fn clean_root() -> PathBuf {
    let tools = std::env::var_os("TIFFIN_TEST_TOOLS").map(PathBuf::from);
    let tools = tools.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/test-tools"));
    let root = tools.join("debian");
    assert!(
        root.join("lib/systemd/systemd").exists(),
        "no clean root in {}: tests/run makes it",
        root.display()
    );
    root
}

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"))
}

impl Machine {
    /// Boots one; what is in `parcels` is at `/parcels` in it.
    pub fn boot(parcels: &Path) -> Machine {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let part = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            path.display().to_string()
        };
        let (lower, upper, work) = (clean_root().display().to_string(), part("upper"), part("work"));
        let root = part("root");
        let layers = format!("lowerdir={lower},upperdir={upper},workdir={work}");
        let mounted = run("mount", &["-t", "overlay", "overlay", "-o", &layers, &root]);
        assert!(mounted.status.success(), "{mounted:?}");
        let name = format!("tiffin-{}", std::process::id());
        let nspawn = Command::new("systemd-nspawn")
            .args(["--boot", "--quiet", "--private-network", "--register=no", "--keep-unit"])
            .args([format!("--directory={root}"), format!("--machine={name}")])
            .arg(format!("--bind-ro={}:/parcels", parcels.display()))
            .stdin(Stdio::null())
            .stdout(File::create(folder.path().join("console")).unwrap())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut machine = Machine { nspawn, init: 0, folder };
        machine.wait("systemd runs", |machine| {
            machine.init = machine.first_process().unwrap_or(0);
            machine.init != 0 && machine.run("systemctl is-system-running --wait").text.starts_with("running")
        });
        machine
    }

    fn first_process(&self) -> Option<i32> {
        let pid = self.nspawn.id();
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
        children.split_whitespace().next()?.parse().ok()
    }

    /// Runs a line of shell in the machine, as root.
    pub fn run(&self, line: &str) -> Said {
        let output = Command::new("nsenter")
            .args(["--all", "--target", &self.init.to_string(), "sh", "-c", &format!("exec 2>&1; {line}")])
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .env("DEBIAN_FRONTEND", "noninteractive")
            .output()
            .unwrap();
        Said { well: output.status.success(), text: String::from_utf8_lossy(&output.stdout).into_owned() }
    }

    /// What a line of shell prints that must succeed.
    #[track_caller]
    pub fn text(&self, line: &str) -> String {
        let said = self.run(line);
        assert!(said.well, "{line}: {}", said.text);
        said.text.trim().to_owned()
    }

    /// Waits until `holds`, or fails with what it waited for and the journal.
    #[track_caller]
    pub fn wait(&mut self, what: &str, mut holds: impl FnMut(&mut Machine) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self) {
            if Instant::now() > deadline {
                let console = std::fs::read_to_string(self.folder.path().join("console"));
                panic!(
                    "{what}: not within two minutes\n{}\n{console:?}",
                    self.run("journalctl -n 50 --no-pager").text
                );
            }
            assert!(self.nspawn.try_wait().unwrap().is_none(), "the machine ended; {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Where a path of the machine is on this one.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("root").join(path.trim_start_matches('/'))
    }

    /// Does `work` with a client inside the machine's network, of the server at `port` there.
    pub fn client<T: Send>(&self, port: u16, work: impl AsyncFnOnce(Client) -> T + Send) -> T {
        let network = File::open(format!("/proc/{}/ns/net", self.init)).unwrap();
        std::thread::scope(|scope| {
            let inside = scope.spawn(|| {
                move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
                // One thread only: the others of a runtime would be outside.
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async { work(Client::new(&format!("http://127.0.0.1:{port}"))).await })
            });
            inside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if std::thread::panicking() && self.init != 0 {
            println!("{}", self.run("journalctl -n 100 --no-pager").text);
        }
        if self.init != 0 {
            // With its first process everything in it ends.
            run("kill", &["-KILL", &self.init.to_string()]);
        } else {
            let _ = self.nspawn.kill();
        }
        let _ = self.nspawn.wait();
        run("umount", &[&self.path("/").display().to_string()]);
    }
}
