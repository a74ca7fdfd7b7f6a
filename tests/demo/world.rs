//! The cast: a hub and two branches with sample data, each a process on a data directory of its own, each branch behind an
//! internet link of its own. Never talks to anything but these.

use crate::link::Link;
use crate::process::{self, Process};
use serde_json::json;
use std::fmt::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tiffin_tests::{Client, free_address};

/// Who signs in at head office.
pub const ADMIN: &str = "admin@chain.test";
/// The password of every account in the demo.
pub const PASSWORD: &str = "tiffin-sample";

/// The branches: code and name.
const BRANCHES: [(&str, &str); 2] = [("NRTH", "North Street"), ("HRBR", "Harbour")];

/// The longest a part may take until it answers.
const PATIENCE: Duration = Duration::from_secs(60);

/// One branch.
pub struct Branch {
    /// Its name.
    pub name: &'static str,
    /// Its short code.
    pub code: &'static str,
    /// Where it answers.
    pub base: String,
    /// Its internet.
    pub link: Link,
    /// Its data directory.
    pub data: PathBuf,
    _process: Process,
}

/// Everything that runs.
pub struct World {
    /// The branches; the second one's internet is not to be relied on.
    pub branches: Vec<Branch>,
    /// Where head office answers.
    pub hub_base: String,
    /// Its data directory.
    pub hub_data: PathBuf,
    /// Signed in at head office.
    pub admin: Client,
    _hub: Process,
}

impl World {
    /// Sets everything up below `root` and waits until all of it answers.
    pub async fn open(root: &Path) -> Result<World, String> {
        std::fs::create_dir_all(root).map_err(|error| error.to_string())?;
        let hub_data = root.join("hub");
        let address = free_address();
        let password = root.join("admin-password");
        std::fs::write(&password, PASSWORD).map_err(|error| error.to_string())?;
        println!("Setting up head office…");
        let init = [
            "init",
            "--data-dir",
            text(&hub_data),
            "--admin-email",
            ADMIN,
            "--admin-password-file",
            text(&password),
        ];
        process::run("sync-hub", &init)?;
        let listen = address.to_string();
        let serve = ["serve", "--data-dir", text(&hub_data), "--listen", &listen];
        let hub = process::start("sync-hub", &serve, &root.join("hub.log"))?;
        let hub_base = format!("http://{address}");
        ready(&Client::new(&hub_base), &root.join("hub.log")).await?;
        let admin = sign_in(&Client::new(&hub_base), "/hub/auth/login", ADMIN).await?;
        let mut branches = Vec::new();
        for (number, (code, name)) in BRANCHES.into_iter().enumerate() {
            println!("Setting up the branch {name}, with sample data…");
            branches.push(branch(root, number, code, name, address, &admin).await?);
        }
        Ok(World { branches, hub_base, hub_data, admin, _hub: hub })
    }

    /// Where to look and how to sign in.
    pub fn how_to_look(&self) -> String {
        let mut out =
            format!("\nHead office  {0}/   {ADMIN} / {PASSWORD}   (its API: {0}/docs)\n", self.hub_base);
        for branch in &self.branches {
            // Writing to a string does not fail.
            let _ = writeln!(
                out,
                "{:<12} {1}/pos  {1}/kitchen  {1}/clock  {1}/manage   one tap signs in (owner@sample.test / {PASSWORD})",
                branch.name, branch.base
            );
        }
        out
    }

    /// Ends every process.
    pub fn close(self) {
        drop(self);
    }
}

async fn branch(
    root: &Path,
    number: usize,
    code: &'static str,
    name: &'static str,
    hub: SocketAddr,
    admin: &Client,
) -> Result<Branch, String> {
    let data = root.join(code);
    let seed = (number + 1).to_string();
    let init = [
        "init",
        "--data-dir",
        text(&data),
        "--outlet-code",
        code,
        "--outlet-name",
        name,
        "--timezone",
        "Asia/Kolkata",
        "--currency",
        "INR",
        "--owner-email",
        "owner@sample.test",
        "--sample-data",
        "--sample-password",
        PASSWORD,
        "--seed",
        &seed,
    ];
    process::run("edge", &init)?;
    let link = Link::open(hub).await.map_err(|error| error.to_string())?;
    let code_reply = admin.post("/hub/enrolments", json!({})).await;
    let enrolment = code_reply.data()["code"].as_str().map(str::to_owned);
    let enrolment = enrolment.ok_or_else(|| format!("no enrolment code: {code_reply:?}"))?;
    let url = link.url();
    process::run("edge", &["enroll", "--data-dir", text(&data), "--hub", &url, "--code", &enrolment])?;
    let address = free_address();
    let listen = address.to_string();
    let log = root.join(format!("{code}.log"));
    // The sample accounts sign in from one address; the demo's waiters are not to be told to slow down.
    let serve = ["serve", "--data-dir", text(&data), "--listen", &listen, "--limit-general", "off"];
    let process = process::start("edge", &serve, &log)?;
    let base = format!("http://{address}");
    ready(&Client::new(&base), &log).await?;
    Ok(Branch { name, code, base, link, data, _process: process })
}

/// Signs in and returns the same client with its token.
pub async fn sign_in(client: &Client, path: &str, email: &str) -> Result<Client, String> {
    let reply = client.post(path, json!({ "email": email, "password": PASSWORD })).await;
    let token = reply.data()["accessToken"].as_str().map(str::to_owned);
    token
        .map(|token| client.clone().with_token(token))
        .ok_or_else(|| format!("{email} cannot sign in: {reply:?}"))
}

async fn ready(client: &Client, log: &Path) -> Result<(), String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let asked = client.try_send(client.request(reqwest::Method::GET, "/ready")).await;
        if asked.is_ok_and(|reply| reply.status == 200) {
            return Ok(());
        }
        if Instant::now() > deadline {
            let said = std::fs::read_to_string(log).unwrap_or_default();
            return Err(format!("a part did not become ready:\n{said}"));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The demo's own folders have names it chose.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}
