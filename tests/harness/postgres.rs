//! PostgreSQL for tests: a cluster of this process alone, in a temporary folder, run by an unprivileged user and stopped when
//! the process ends in whatever way. What is tried is an ordinary role that owns its database, as a hosted PostgreSQL gives it: the
//! superuser looks after the cluster alone. Never uses a server that is already there, and never passes without one.

use crate::free_address;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

/// Whom the server runs as where the tests are root, which PostgreSQL refuses to be.
const NOBODY: u32 = 65_534;

/// Makes a cluster, starts it and stops it when its standard input ends: that is when the test is over or killed.
/// Arguments: folder, folder of the programs, port, source of a standby (or empty), file of settings.
const KEEPER: &str = r#"
set -u
folder=$1 bin=$2 port=$3 source=$4 settings=$5
as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }
cd "$folder"
if [ -n "$source" ]; then
  as "$bin/pg_basebackup" -D data -d "$source" -R -X stream -c fast --no-sync >setup.log 2>&1 </dev/null
else
  as "$bin/initdb" -D data -A trust -U postgres -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions >setup.log 2>&1 </dev/null
fi && cat "$settings" >>data/postgresql.conf &&
  as "$bin/pg_ctl" start -s -w -t 120 -D data -l "$folder/server.log" -o "-p $port" >>setup.log 2>&1 </dev/null &&
  echo ready || echo failed
cat >/dev/null
[ -e data/postmaster.pid ] && as "$bin/pg_ctl" stop -s -m immediate -D data >/dev/null 2>&1
rm -rf "$folder"
echo gone
"#;

/// A PostgreSQL server of this process.
pub struct Cluster {
    port: u16,
    folder: PathBuf,
    /// Its end is the sign to stop.
    sign: Option<ChildStdin>,
    keeper: Child,
    answers: BufReader<std::process::ChildStdout>,
}

/// Settings of a server on which nothing need survive a power cut.
pub const FORGETFUL: &str = "fsync = off\nfull_page_writes = off\n";

impl Cluster {
    /// The cluster that the tests of this process share, each with a [`Database`] of its own. Durable it is not.
    pub fn shared() -> &'static Cluster {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(|| Cluster::start(FORGETFUL))
    }

    /// A cluster with these lines in its `postgresql.conf`. It stops when dropped.
    pub fn start(settings: &str) -> Cluster {
        Cluster::make(settings, "", |_| ())
    }

    /// A cluster whose folder is first handed to `prepare` (certificates and the like; the server can read what is there).
    pub fn prepared(settings: &str, prepare: impl Fn(&Path)) -> Cluster {
        Cluster::make(settings, "", prepare)
    }

    /// A read-only replica that follows this cluster.
    pub fn standby(&self) -> Cluster {
        Cluster::make(FORGETFUL, &self.keepers("postgres"), |_| ())
    }

    fn make(settings: &str, source: &str, prepare: impl Fn(&Path)) -> Cluster {
        // Another process may take the port between the choice and the start.
        let mut log = String::new();
        for _ in 0..5 {
            match Cluster::try_make(settings, source, &prepare) {
                Ok(cluster) => return cluster,
                Err(text) => log = text,
            }
        }
        panic!("PostgreSQL does not start:\n{log}");
    }

    fn try_make(settings: &str, source: &str, prepare: &impl Fn(&Path)) -> Result<Cluster, String> {
        let folder = TempDir::with_prefix("tiffin-postgres-").unwrap().keep();
        let port = free_address().port();
        let place = folder.display();
        let all = format!(
            "listen_addresses = '127.0.0.1'\nunix_socket_directories = '{place}'\nmax_connections = 200\n\
             max_wal_size = 512MB\nmax_wal_senders = 8\nlog_min_messages = error\n{settings}"
        );
        std::fs::write(folder.join("settings"), all).unwrap();
        prepare(&folder);
        give_away(&folder);
        let mut keeper = Command::new("/bin/sh")
            .args(["-c", KEEPER, "keeper"])
            .arg(&folder)
            .arg(programs())
            .arg(port.to_string())
            .arg(source)
            .arg(folder.join("settings"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Who kills the test's group must not kill what tidies up after it.
            .process_group(0)
            .spawn()
            .unwrap();
        let sign = keeper.stdin.take();
        let answers = BufReader::new(keeper.stdout.take().unwrap());
        let mut cluster = Cluster { port, folder, sign, keeper, answers };
        match cluster.answer().as_str() {
            "ready" => {
                if source.is_empty() {
                    cluster.sql("postgres", "CREATE ROLE tiffin LOGIN");
                }
                Ok(cluster)
            }
            _ => Err(cluster.logs()),
        }
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        // An end without an answer is as bad as a bad one.
        let _ = self.answers.read_line(&mut line);
        line.trim().to_owned()
    }

    fn logs(&self) -> String {
        let read = |name: &str| std::fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        format!("{}{}", read("setup.log"), read("server.log"))
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its folder; the unix socket is in it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How the ordinary role reaches `database` on it, over loopback and without TLS.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://tiffin@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }

    /// The same for the superuser.
    fn keepers(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }

    /// An empty database with a name of its own.
    pub fn database(&self) -> Database {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        self.database_named(&format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    /// An empty database that the ordinary role owns.
    pub fn database_named(&self, name: &str) -> Database {
        self.sql("postgres", &format!("CREATE DATABASE {name} OWNER tiffin"));
        Database { name: name.to_owned(), url: self.url(name) }
    }

    /// Runs statements in `database` as the superuser and returns what they print, without headings.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        run(&self.keepers(database), statements)
    }

    /// Makes a standby the server.
    pub fn promote(&self) {
        self.control(&["promote", "-w", "-t", "120"]);
    }

    /// Stops the server at once, as a crash would, and keeps its files.
    pub fn crash(&self) {
        self.control(&["stop", "-m", "immediate"]);
    }

    /// Starts a server that was stopped by [`crash`](Self::crash), on the same port.
    pub fn resume(&self) {
        let log = self.folder.join("server.log");
        let port = format!("-p {}", self.port);
        self.control(&["start", "-w", "-t", "120", "-l", log.to_str().unwrap(), "-o", &port]);
    }

    fn control(&self, arguments: &[&str]) {
        let mut command = Command::new(programs().join("pg_ctl"));
        if is_root() {
            command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(programs().join("pg_ctl"));
        }
        let status = command
            .args(arguments)
            .args(["-s", "-D"])
            .arg(self.folder.join("data"))
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "pg_ctl {arguments:?}: {}", self.logs());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.sign.take());
        // It says so when the server has stopped and the folder is gone.
        self.answer();
        let _ = self.keeper.wait();
    }
}

/// A database of one test.
#[derive(Debug, Clone)]
pub struct Database {
    /// Its name on its cluster.
    pub name: String,
    /// How to reach it.
    pub url: String,
}

impl Database {
    /// An empty database on the shared cluster.
    pub fn new() -> Database {
        Cluster::shared().database()
    }

    /// A connection for looking behind the hub.
    pub async fn client(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.url, NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    /// Everything in it, as text.
    pub fn dump(&self) -> String {
        let output = Command::new(programs().join("pg_dump")).args(["-d", &self.url]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Keeps a copy of it, of the shared cluster, as it is now; nobody uses it.
    pub fn keep_aside(&self) {
        let name = &self.name;
        let others = format!(
            "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE datname = '{name}'"
        );
        let cluster = Cluster::shared();
        cluster.sql("postgres", &others);
        cluster.sql("postgres", &format!("CREATE DATABASE {name}_aside OWNER tiffin TEMPLATE {name}"));
    }

    /// Puts the copy in its place.
    pub fn put_back(&self) {
        let name = &self.name;
        let cluster = Cluster::shared();
        cluster.sql("postgres", &format!("DROP DATABASE {name} WITH (FORCE)"));
        cluster.sql("postgres", &format!("ALTER DATABASE {name}_aside RENAME TO {name}"));
    }

    /// Runs statements in it as its owner and returns what they print.
    pub fn sql(&self, statements: &str) -> String {
        run(&self.url, statements)
    }

    /// Copies one row of the outlets' `table` for the numbers `n` from 0 to `count`, with these columns set; `where` tells which
    /// row may be copied.
    pub fn copies_of(&self, table: &str, which: &str, count: u32, set: &[(&str, &str)]) {
        let set: Vec<String> = set.iter().map(|(name, value)| format!("'{name}', {value}")).collect();
        let set = set.join(", ");
        self.sql(&format!(
            "INSERT INTO merged.{table} SELECT (made.copy).* FROM (
               SELECT jsonb_populate_record(t, jsonb_build_object({set})) AS copy FROM merged.{table} t CROSS JOIN generate_series(0, {count} - 1) n
               WHERE (t.outlet_id, t.id) = (SELECT outlet_id, id FROM merged.{table} WHERE {which} LIMIT 1) OFFSET 0) made"
        ));
    }

    /// The same of whatever row is there.
    pub fn copies(&self, table: &str, count: u32, set: &[(&str, &str)]) {
        self.copies_of(table, "true", count, set);
    }
}

impl Default for Database {
    fn default() -> Self {
        Database::new()
    }
}

/// Runs statements where `url` says.
fn run(url: &str, statements: &str) -> String {
    let output = Command::new(programs().join("psql"))
        .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statements])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{statements}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// The folder of PostgreSQL's programs: Debian keeps them out of the path, one folder for each version.
fn programs() -> PathBuf {
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let version = path.file_name()?.to_str()?.parse().ok()?;
            path.join("bin/initdb").is_file().then(|| (version, path.join("bin")))
        })
        .collect();
    found.sort();
    found.pop().map(|(_, path)| path).expect("PostgreSQL is not installed; tests/run installs it")
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Lets the unprivileged user have the folder and what is in it.
fn give_away(folder: &Path) {
    if !is_root() {
        return;
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        std::os::unix::fs::chown(entry.unwrap().path(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
}
