//! Those who take the orders, each in a process and on a database of its own. Never starts one twice on the same rows.

use super::load::{Figures, measure};
use super::till::Tills;
use super::usage::Usage;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tiffin_tests::{Edge, Server, disk};

/// A contender that runs. Ends when dropped.
pub(super) enum Contender {
    /// Group commits alone.
    Raw(Raw),
    /// Somebody behind HTTP.
    Http(&'static str, Server, Tills),
}

/// How contenders begin.
pub(super) struct Start<'a> {
    /// Where their databases lie.
    pub(super) folder: PathBuf,
    /// What makes their syncs slower.
    pub(super) slower: Vec<(&'static str, String)>,
    /// Who orders.
    pub(super) tills: &'a Tills,
    /// What an order writes.
    pub(super) plan: &'a Path,
}

impl Start<'_> {
    /// Starts all of them: on a copy of the branch in `data`, or on one of `bare`, the same rows without triggers.
    pub(super) async fn all(&self, data: &Path, bare: &Path, node_modules: &Path) -> Vec<Contender> {
        std::fs::create_dir_all(&self.folder).unwrap();
        let own = self.folder.join("branch");
        disk::copy(data, &own);
        let edge = Edge::serve_with(&self.slower, &own, &[]).await;
        let myself = std::env::current_exe().unwrap();
        let mut raw = self.command(&myself, &["raw"], bare, "raw.db");
        let mut prototype = self.command(&myself, &["prototype"], bare, "prototype.db");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/orders/rival.js");
        let mut node = self.command(Path::new("node"), &[script], bare, "node.db");
        node.env("NODE_PATH", node_modules).env("NODE_ENV", "production");
        let http = |name, server| Contender::Http(name, server, self.tills.clone());
        vec![
            Contender::Raw(Raw::start(&mut raw)),
            http("bare HTTP prototype", Server::run(&mut prototype, "/ready").await),
            http("Tiffin", edge.into_server()),
            http("Fastify + better-sqlite3", Server::run(&mut node, "/ready").await),
        ]
    }

    fn command(&self, program: &Path, first: &[&str], bare: &Path, name: &str) -> Command {
        let database = self.folder.join(name);
        std::fs::copy(bare, &database).unwrap();
        let mut command = Command::new(program);
        command.args(first).arg(self.plan).arg(database).envs(self.slower.iter().cloned());
        command
    }
}

impl Contender {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Contender::Raw(_) => "raw group commit",
            Contender::Http(name, ..) => name,
        }
    }

    /// Lets it take orders from so many connections for so long.
    pub(super) async fn measure(&mut self, connections: usize, long: Duration) -> Figures {
        match self {
            Contender::Raw(raw) => raw.measure(connections, long),
            Contender::Http(_, server, tills) => {
                let mut all = Vec::new();
                for _ in 0..connections {
                    all.push(tills.connect(server.listen()).await);
                }
                measure(all, long, || Usage::of(server.pid())).await
            }
        }
    }
}

/// The process of `raw.rs`.
pub(super) struct Raw {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Raw {
    fn start(command: &mut Command) -> Raw {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Raw { child, answers }
    }

    fn measure(&mut self, connections: usize, long: Duration) -> Figures {
        writeln!(self.child.stdin.as_mut().unwrap(), "{connections} {}", long.as_millis()).unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Installs what the Node server needs, at pinned versions, and answers where.
pub(super) fn install_node_modules() -> PathBuf {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/orders/install");
    let installed = Command::new(script).stderr(Stdio::inherit()).output().unwrap();
    assert!(installed.status.success(), "{script}: {}", String::from_utf8_lossy(&installed.stdout));
    String::from_utf8(installed.stdout).unwrap().lines().last().unwrap().into()
}
