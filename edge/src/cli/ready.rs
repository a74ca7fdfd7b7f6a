//! `edge ready`: whether the server on this machine takes orders. Never starts one, and never asks another machine.

use super::{Failure, Out, Result};
use crate::config::{Config, ServerFlags};
use crate::data_dir::DataDir;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

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

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<()> {
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
pub fn ask(listen: SocketAddr, path: &str, wait: Duration) -> Result<()> {
    let address = reachable(listen);
    let mut rest = wait;
    loop {
        let failure = match one(address, path) {
            Ok(()) => return Ok(()),
            Err(failure) => failure,
        };
        let Some(after) = rest.checked_sub(ASK_AGAIN) else {
            return Err(Failure::new(format!("http://{address}{path}: {failure}")));
        };
        std::thread::sleep(ASK_AGAIN);
        rest = after;
    }
}

/// One question. Bare HTTP over a socket: an HTTP client would want the system's certificates before it asks this machine.
fn one(address: SocketAddr, path: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::ConnectionRefused => "nobody listens there".to_owned(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut => format!("no answer within {} s", PATIENCE.as_secs()),
        _ => error.to_string(),
    };
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(failed)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(failed)?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split_whitespace().nth(1).unwrap_or("no status");
    if status == "200" { Ok(()) } else { Err(format!("{status} {}", body.trim())) }
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
