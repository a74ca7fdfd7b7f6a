//! `edge ready`: whether the server on this machine takes orders. Never starts one, and never asks another machine.

use super::{Failure, Out};
use crate::config::{Config, ServerFlags};
use crate::data_dir::DataDir;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pause between two questions.
const ASK_AGAIN: Duration = Duration::from_millis(100);

#[derive(clap::Args)]
pub(super) struct Args {
    /// How long to keep asking
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    wait: u64,
    #[command(flatten)]
    pub(super) settings: ServerFlags,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    // A server without a branch is never ready, but all is well with it.
    let is_set_up = DataDir::at(&config.store.data_dir).is_initialised();
    let path = if is_set_up { "/ready" } else { "/health" };
    ask(config.network.listen, path, Duration::from_secs(args.wait))?;
    writeln!(out, "{}", if is_set_up { "ready" } else { "up, and waiting to be set up" })?;
    Ok(())
}

/// Asks the server that listens at `listen` on this machine for `path` until it answers well, for as long as `wait`.
///
/// # Errors
/// What it answered last, or that it did not.
pub fn ask(listen: SocketAddr, path: &str, wait: Duration) -> Result<(), Failure> {
    let url = format!("http://{}{path}", reachable(listen));
    let client = reqwest::Client::builder().timeout(PATIENCE).no_proxy().build()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut last = Err(Failure::new(format!("{url}: no answer")));
        let asking = async {
            loop {
                last = one(&client, &url).await;
                if last.is_ok() || wait.is_zero() {
                    return;
                }
                sleep(ASK_AGAIN).await;
            }
        };
        // What it said last stands, whether the time is up or not.
        let _ = timeout(wait.max(PATIENCE), asking).await;
        last
    })
}

async fn one(client: &reqwest::Client, url: &str) -> Result<(), Failure> {
    let answer = client.get(url).send().await.map_err(|error| {
        let reason = if error.is_connect() { "nobody listens there".to_owned() } else { error.to_string() };
        Failure::new(format!("{url}: {reason}"))
    })?;
    let status = answer.status();
    let body = answer.text().await.unwrap_or_default();
    if status.is_success() { Ok(()) } else { Err(Failure::new(format!("{url}: {status} {body}"))) }
}

/// The address by which this machine reaches its own listener.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_on_all_addresses_is_asked_at_this_machines_own() {
        assert_eq!(reachable("0.0.0.0:80".parse().unwrap()).to_string(), "127.0.0.1:80");
        assert_eq!(reachable("[::]:80".parse().unwrap()).to_string(), "[::1]:80");
        assert_eq!(reachable("10.0.0.7:80".parse().unwrap()).to_string(), "10.0.0.7:80");
    }

    #[test]
    fn nobody_there_is_said_so() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let Failure(text) = ask(free, "/ready", Duration::ZERO).unwrap_err();
        assert!(text.ends_with("nobody listens there"), "{text}");
    }
}
