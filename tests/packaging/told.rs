//! What the service manager is told by the real program: ready when it serves, still answering, stopping. Never needs systemd.

use std::os::unix::net::UnixDatagram;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tiffin_tests::{Edge, terminate};

/// A program that runs under a service manager, which is this test.
struct Watched {
    child: Child,
    ear: UnixDatagram,
    _folder: tempfile::TempDir,
}

impl Watched {
    /// Starts `edge serve` on an empty data directory, or one with a sample restaurant.
    fn start(more: &[&str]) -> Watched {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("notify");
        let ear = UnixDatagram::bind(&socket).unwrap();
        ear.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let child = Command::new(Edge::binary())
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(folder.path().join("data"))
            .args(more)
            .env("NOTIFY_SOCKET", &socket)
            .env("WATCHDOG_USEC", "200000")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Watched { child, ear, _folder: folder }
    }

    /// Hears until `word`; answers everything heard, in order.
    fn hear(&self, word: &str) -> Vec<String> {
        let (mut heard, mut bytes) = (Vec::new(), [0; 4_096]);
        let deadline = Instant::now() + Duration::from_secs(60);
        while !heard.iter().any(|line: &String| line == word) {
            assert!(Instant::now() < deadline, "never heard {word}: {heard:?}");
            let length = self.ear.recv(&mut bytes).unwrap();
            heard.extend(String::from_utf8_lossy(&bytes[..length]).lines().map(str::to_owned));
        }
        heard
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_branch_says_that_it_is_ready_that_its_writer_answers_and_that_it_stops() {
    let mut edge = Watched::start(&["--sample-data"]);
    let heard = edge.hear("READY=1");
    assert!(!heard.contains(&"WATCHDOG=1".to_owned()), "{heard:?}");
    assert!(heard.iter().any(|line| line.starts_with("STATUS=Open at http://127.0.0.1:")), "{heard:?}");
    edge.hear("WATCHDOG=1");
    edge.hear("WATCHDOG=1");
    terminate(&edge.child);
    edge.hear("STOPPING=1");
    assert!(edge.child.wait().unwrap().success());
}

#[test]
fn a_server_that_waits_to_be_set_up_is_ready_too() {
    let edge = Watched::start(&[]);
    let heard = edge.hear("STATUS=Waiting to be set up");
    assert!(heard.contains(&"READY=1".to_owned()));
    edge.hear("WATCHDOG=1");
}
