//! Head office as a process of its own. Killed by its own handle only.

use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tiffin_common::Uuid;
use tiffin_tests::{Client, Edge};

const ADMIN: &str = "admin@hub.test";
const PASSWORD: &str = "correct horse battery staple";

/// A running `sync-hub serve`.
pub struct Office {
    child: Child,
    base: String,
}

/// Where a head office keeps what it holds: secrets always, rows unless they are in PostgreSQL.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its data directory.
    pub data: PathBuf,
    /// PostgreSQL instead of files.
    pub database_url: Option<String>,
}

impl Place {
    fn command(&self, subcommand: &str) -> Command {
        let mut command = Command::new(Edge::binary().with_file_name("sync-hub"));
        command.arg(subcommand).arg("--data-dir").arg(&self.data);
        if let Some(url) = &self.database_url {
            command.args(["--database-url", url]);
        }
        command.env("RUST_LOG", "warn").stdin(Stdio::null());
        command
    }

    /// Makes head office and its first person.
    pub fn init(&self) {
        let file = self.data.with_extension("password");
        std::fs::write(&file, PASSWORD).unwrap();
        let made =
            self.command("init").args(["--admin-email", ADMIN, "--admin-password-file"]).arg(&file).output();
        let made = made.unwrap();
        assert!(made.status.success(), "sync-hub init: {}", String::from_utf8_lossy(&made.stderr));
    }

    /// Starts a process on it.
    pub async fn serve(&self) -> Office {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let listen = format!("127.0.0.1:{port}");
        let off = ["--limit-general", "--limit-login", "--limit-enrol", "--limit-exchange"];
        let child = self
            .command("serve")
            .args(["--listen", &listen])
            .args(off.iter().flat_map(|flag| [*flag, "off"]))
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut office = Office { child, base: format!("http://{listen}") };
        office.wait_until_ready().await;
        office
    }
}

impl Office {
    async fn wait_until_ready(&mut self) {
        let client = Client::new(&self.base);
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            let ready = client.try_send(client.request(reqwest::Method::GET, "/ready")).await;
            if ready.is_ok_and(|reply| reply.status == 200) {
                return;
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("sync-hub ended at its start: {status}");
            }
            assert!(Instant::now() < deadline, "sync-hub is not ready after two minutes");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Where it answers.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The administrator, signed in.
    pub async fn admin(&self) -> Client {
        let client = Client::new(&self.base);
        let body = json!({"email": ADMIN, "password": PASSWORD});
        let tokens = client.post("/hub/auth/login", body).await.expect(200).data();
        client.with_token(tokens["accessToken"].as_str().unwrap().to_owned())
    }

    /// Kills it as a power cut would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Office {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A one-time code for a new box, or for one more of `outlet`.
pub async fn code(admin: &Client, outlet: Option<Uuid>) -> String {
    let reply = admin.post("/hub/enrolments", json!({"outletId": outlet})).await.expect(201).data();
    reply["code"].as_str().unwrap().to_owned()
}

/// A fresh place below `folder`.
pub fn place(folder: &Path, database_url: Option<String>) -> Place {
    let data = folder.join("hub");
    std::fs::create_dir_all(&data).unwrap();
    Place { data, database_url }
}
