//! The real binaries as processes of their own, on data directories that outlive them. Killed by their own handles only.

use crate::Client;
use serde_json::json;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::ops::Deref;
use std::os::linux::net::SocketAddrExt;
use std::os::unix;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tiffin_common::clock::SystemClock;
use tiffin_common::{Clock, Millis};

/// How long a server may take to answer after its start, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(120);

/// The first person of head offices that tests make.
const ADMIN: &str = "admin@hub.test";
const PASSWORD: &str = "correct horse battery staple";

/// The binary cargo built beside this test.
/// Programs of another build than this one's lie in the folder `TIFFIN_PROGRAMS`.
fn binary(name: &str) -> PathBuf {
    if let Some(folder) = std::env::var_os("TIFFIN_PROGRAMS") {
        return Path::new(&folder).join(name);
    }
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().find(|path| path.join(name).is_file());
    folder.unwrap_or_else(|| panic!("build the binary first: cargo build")).join(name)
}

/// Runs a command to its end and returns what it printed.
fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The most resident memory that a process ever had, in megabytes; none where there is no such process.
pub fn most_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024)
}

/// A loopback address that nobody listens on, and that no connection nor any listener of another test is given while this process lives: those
/// come from 32,768 up, the tests of the screens have theirs from 20,000, and each of these is claimed by a name that only one can have.
pub fn free_address() -> SocketAddr {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let place = std::process::id().wrapping_mul(67).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = 10_000 + (place % 10_000) as u16;
        let name = unix::net::SocketAddr::from_abstract_name(format!("tiffin-test-{port}")).unwrap();
        let Ok(claim) = UnixListener::bind_addr(&name) else { continue };
        let address = (Ipv4Addr::LOCALHOST, port).into();
        if TcpListener::bind::<SocketAddr>(address).is_ok() {
            // A server that is stopped for a while finds its port again.
            std::mem::forget(claim);
            return address;
        }
    }
}

/// A server that runs. Killed when dropped, as a power cut would: no warning, no clean-up.
pub struct Server {
    child: Child,
    base: String,
}

impl Server {
    /// Starts `command` on a loopback port and waits until `sign` answers 200.
    async fn start(command: &mut Command, port: u16, sign: &str) -> Server {
        let listen = format!("127.0.0.1:{port}");
        let child = command
            .args(["--listen", &listen])
            .env("RUST_LOG", "warn")
            // Printers of tests are in this machine.
            .env("TIFFIN_PRINTER_NETWORKS", "127.0.0.0/8")
            .env("TIFFIN_PRINTER_PORTS", "1-65535")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut server = Server { child, base: format!("http://{listen}") };
        server.wait_until(sign).await;
        server
    }

    /// Runs any program that takes `--listen` on a free loopback port and waits until `sign` answers 200.
    pub async fn run(command: &mut Command, sign: &str) -> Server {
        Server::start(command, free_address().port(), sign).await
    }

    async fn wait_until(&mut self, sign: &str) {
        let client = self.client();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let ready = client.try_send(client.request(reqwest::Method::GET, sign)).await;
            if ready.is_ok_and(|reply| reply.status == 200) {
                return;
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("it ended at its start: {status}");
            }
            assert!(Instant::now() < deadline, "{sign} does not answer after {PATIENCE:?}");
            tokio::time::sleep(Duration::from_millis(1)).await;
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

    /// Tells it to stop, as a service manager does, and waits for its end.
    pub fn stop(mut self) {
        terminate(&self.child);
        self.child.wait().unwrap();
    }

    /// The most memory that it ever had, in megabytes.
    pub fn most_memory(&self) -> u64 {
        most_memory(self.pid()).expect("it has ended")
    }
}

/// Tells a process to stop, as a service manager does.
pub fn terminate(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes `command` one whose clock is as the environment says. What passes is real: it is the clock that is another, not the machine.
fn with_another_clock(command: &mut Command) -> &mut Command {
    let library = std::fs::read_dir("/usr/lib")
        .unwrap()
        .filter_map(Result::ok)
        .map(|entry| entry.path().join("faketime/libfaketime.so.1"))
        .find(|path| path.exists());
    let library = library.expect("libfaketime is not installed; tests/run installs it");
    for name in ["FAKETIME_DONT_FAKE_MONOTONIC", "DONT_FAKE_MONOTONIC", "NO_FAKE_STAT"] {
        command.env(name, "1");
    }
    command.env("LD_PRELOAD", library).env("TZ", "UTC")
}

/// A machine whose clock a test sets, also while programs run on it; between that it goes on by itself.
pub struct Machine {
    offset: PathBuf,
}

impl Machine {
    /// A machine whose clock stands at `moment`, with a file in `folder`.
    pub fn at(moment: &str, folder: &Path) -> Machine {
        let machine = Machine { offset: folder.join("clock") };
        machine.set(moment);
        machine
    }

    /// Sets the clock, to a moment such as `2026-11-20T13:29:30Z`.
    pub fn set(&self, moment: &str) {
        let offset = moment.parse::<Millis>().unwrap().since(SystemClock.now());
        let (sign, ms) = (if offset < 0 { '-' } else { '+' }, offset.abs());
        // Renamed, as programs read it at any time.
        let written = self.offset.with_extension("new");
        std::fs::write(&written, format!("{sign}{}.{:03}\n", ms / 1_000, ms % 1_000)).unwrap();
        std::fs::rename(&written, &self.offset).unwrap();
    }

    /// Makes `command` one of this machine.
    pub fn runs<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        with_another_clock(command.env("FAKETIME_TIMESTAMP_FILE", &self.offset).env("FAKETIME_NO_CACHE", "1"))
    }

    /// Runs a command of `edge` to its end and returns what it printed.
    pub fn edge(&self, arguments: &[&str]) -> String {
        run(self.runs(Command::new(Edge::binary()).args(arguments)))
    }
}

/// A running `edge serve`.
pub struct Edge(Server);

impl Deref for Edge {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.0
    }
}

impl Edge {
    /// The binary cargo built beside this test.
    pub fn binary() -> PathBuf {
        binary("edge")
    }

    /// Runs a subcommand to its end and returns what it printed.
    pub fn run(arguments: &[&str]) -> String {
        run(Command::new(Edge::binary()).args(arguments))
    }

    /// Starts the server on a free loopback port and waits until it is ready.
    pub async fn serve(data_dir: &Path, more: &[&str]) -> Edge {
        Edge::start(data_dir, more, "/ready").await
    }

    /// Starts the server with more in its environment and waits until it is ready.
    pub async fn serve_with(environment: &[(&str, String)], data_dir: &Path, more: &[&str]) -> Edge {
        let mut command = Edge::command(data_dir, more);
        command.envs(environment.iter().cloned());
        Edge(Server::run(&mut command, "/ready").await)
    }

    /// Starts the server on a free loopback port and waits until it answers, ready or not.
    pub async fn serve_unready(data_dir: &Path, more: &[&str]) -> Edge {
        Edge::start(data_dir, more, "/health").await
    }

    /// Starts the server with a wrong clock, which goes on from `moment`, such as `1970-01-01 00:10:00` (UTC).
    pub async fn serve_at(moment: &str, data_dir: &Path, more: &[&str]) -> Edge {
        let mut command = Edge::command(data_dir, more);
        Edge(Server::start(Edge::at(moment, &mut command), free_address().port(), "/ready").await)
    }

    /// The same, until it answers, ready or not.
    pub async fn serve_unready_at(moment: &str, data_dir: &Path) -> Edge {
        let mut command = Edge::command(data_dir, &[]);
        Edge(Server::start(Edge::at(moment, &mut command), free_address().port(), "/health").await)
    }

    /// Makes `command` one of a machine whose clock is wrong, and goes on from `moment` (UTC).
    pub fn at<'c>(moment: &str, command: &'c mut Command) -> &'c mut Command {
        with_another_clock(command.env("FAKETIME", format!("@{moment}")))
    }

    /// Starts the server on a machine whose clock the test sets, and waits until it is ready.
    pub async fn serve_on(machine: &Machine, data_dir: &Path, more: &[&str]) -> Edge {
        let mut command = Edge::command(data_dir, more);
        Edge(Server::run(machine.runs(&mut command), "/ready").await)
    }

    fn command(data_dir: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(Edge::binary());
        command.args(["serve", "--data-dir"]).arg(data_dir);
        command.args(["--limit-general", "off", "--limit-login", "off"]).args(more);
        command
    }

    async fn start(data_dir: &Path, more: &[&str], sign: &str) -> Edge {
        Edge(Server::run(&mut Edge::command(data_dir, more), sign).await)
    }

    /// The same as a server among others.
    pub fn into_server(self) -> Server {
        self.0
    }

    /// Kills the process as a power cut would: no warning, no clean-up.
    pub fn kill(self) {
        drop(self);
    }
}

/// A running `sync-hub serve`.
pub struct HubProcess(Server);

impl Deref for HubProcess {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.0
    }
}

impl HubProcess {
    /// The binary cargo built beside this test.
    pub fn binary() -> PathBuf {
        binary("sync-hub")
    }

    /// Runs a subcommand to its end and returns what it printed.
    pub fn run(data_dir: &Path, arguments: &[&str]) -> String {
        run(Command::new(HubProcess::binary()).args(arguments).arg("--data-dir").arg(data_dir))
    }

    /// Makes a head office, and its first person: see [`admin`](Self::admin).
    pub fn init(data_dir: &Path, more: &[&str]) {
        std::fs::create_dir_all(data_dir).unwrap();
        let file = data_dir.with_extension("password");
        std::fs::write(&file, PASSWORD).unwrap();
        let who = ["init", "--admin-email", ADMIN, "--admin-password-file", file.to_str().unwrap()];
        HubProcess::run(data_dir, &[&who, more].concat());
    }

    /// Starts it on a free loopback port and waits until it is ready.
    pub async fn serve(data_dir: &Path, more: &[&str]) -> HubProcess {
        HubProcess::serve_on(free_address().port(), data_dir, more).await
    }

    /// Starts it on this loopback port and waits until it is ready.
    pub async fn serve_on(port: u16, data_dir: &Path, more: &[&str]) -> HubProcess {
        let mut command = Command::new(HubProcess::binary());
        command.args(["serve", "--data-dir"]).arg(data_dir);
        for limit in ["--limit-general", "--limit-login", "--limit-enrol", "--limit-exchange"] {
            command.args([limit, "off"]);
        }
        HubProcess(Server::start(command.args(more), port, "/ready").await)
    }

    /// A client signed in with email and password.
    pub async fn sign_in(&self, email: &str, password: &str) -> Client {
        sign_in_at_hub(&self.client(), email, password).await
    }

    /// The first person, signed in.
    pub async fn admin(&self) -> Client {
        first_of_hub(&self.client()).await
    }

    /// Kills the process as a power cut would: no warning, no clean-up.
    pub fn kill(self) {
        drop(self);
    }
}

/// The first person of the head office that `anyone` asks, signed in.
pub async fn first_of_hub(anyone: &Client) -> Client {
    sign_in_at_hub(anyone, ADMIN, PASSWORD).await
}

async fn sign_in_at_hub(anyone: &Client, email: &str, password: &str) -> Client {
    let body = json!({"email": email, "password": password});
    let signed_in = anyone.post("/hub/auth/login", body).await.expect(200).data();
    anyone.clone().with_token(signed_in["accessToken"].as_str().unwrap().to_owned())
}
