//! The real binary as a process of its own, on a data directory that outlives it. Killed by its own handle only.

use crate::Client;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The binary cargo built beside this test.
pub(crate) fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().find(|path| path.join(name).is_file());
    folder.unwrap_or_else(|| panic!("build the binary first: cargo build")).join(name)
}

/// A running `edge serve`.
pub struct Edge {
    child: Child,
    base: String,
}

impl Edge {
    /// The binary cargo built beside this test.
    pub fn binary() -> PathBuf {
        binary("edge")
    }

    /// Runs a subcommand to its end and returns what it printed.
    pub fn run(arguments: &[&str]) -> String {
        let output = Command::new(Edge::binary()).args(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "edge {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        text
    }

    /// Starts the server on a free loopback port and waits until it is ready.
    pub async fn serve(data_dir: &Path, more: &[&str]) -> Edge {
        Edge::start(data_dir, more, "/ready").await
    }

    /// Starts the server on a free loopback port and waits until it answers, ready or not.
    pub async fn serve_unready(data_dir: &Path, more: &[&str]) -> Edge {
        Edge::start(data_dir, more, "/health").await
    }

    async fn start(data_dir: &Path, more: &[&str], sign: &str) -> Edge {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let listen = format!("127.0.0.1:{port}");
        let child = Command::new(Edge::binary())
            .args(["serve", "--data-dir"])
            .arg(data_dir)
            .args(["--listen", &listen])
            .args(more)
            .env("RUST_LOG", "warn")
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut edge = Edge { child, base: format!("http://{listen}") };
        edge.wait_until(sign).await;
        edge
    }

    async fn wait_until(&mut self, sign: &str) {
        let client = self.client();
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let ready = client.try_send(client.request(reqwest::Method::GET, sign)).await;
            if ready.is_ok_and(|reply| reply.status == 200) {
                return;
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("edge ended at its start: {status}");
            }
            assert!(Instant::now() < deadline, "edge is not ready after a minute");
            tokio::task::yield_now().await;
        }
    }

    /// A client without a token.
    pub fn client(&self) -> Client {
        Client::new(&self.base)
    }

    /// Where it answers.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The address it listens on.
    pub fn listen(&self) -> &str {
        self.base.trim_start_matches("http://")
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process as a power cut would: no warning, no clean-up.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
