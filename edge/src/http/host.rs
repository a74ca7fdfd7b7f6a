//! Answers only to this server's own names. A page opened on a till could otherwise point a name of its own at the
//! branch server (DNS rebinding) and call it from the till's browser. Never looks at anything but the host.

use super::error::{Code, Problem};
use crate::config::Network;
use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;

/// The names this server answers to, besides every literal IP address, `localhost` and `*.local`.
///
/// A literal address needs no check: rebinding works on names. A request without any host comes from no browser.
#[derive(Debug, Clone, Default)]
pub struct Hosts(Arc<Vec<String>>);

impl Hosts {
    /// The host of the public URL, the machine's own name and the configured names.
    pub fn new(network: &Network) -> Self {
        let own = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let public = network.public_url.as_ref().map(|url| url.host());
        let names =
            network.allowed_hosts.iter().cloned().chain(public).chain([own.trim().to_ascii_lowercase()]);
        Hosts(Arc::new(names.filter(|name| !name.is_empty()).collect()))
    }

    /// Whether `host` (with or without a port) is one of this server's names.
    pub fn knows(&self, host: &str) -> bool {
        let Some(name) = name_of(host) else { return false };
        if name.parse::<IpAddr>().is_ok() {
            return true;
        }
        let is_under = |suffix: &str| name.strip_suffix(suffix).is_some_and(|rest| rest.ends_with('.'));
        let matches = |allowed: &String| match allowed.strip_prefix("*.") {
            Some(suffix) => is_under(suffix),
            None => allowed == "*" || *allowed == name,
        };
        name == "localhost" || is_under("localhost") || is_under("local") || self.0.iter().any(matches)
    }
}

/// The name without port, brackets and final dot, lower case. `None` when it is no host at all.
fn name_of(host: &str) -> Option<String> {
    let authority: axum::http::uri::Authority = host.parse().ok()?;
    if authority.as_str().contains('@') {
        return None;
    }
    let name = authority.host().trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    (!name.is_empty()).then_some(name)
}

/// Refuses requests meant for another host with 400.
pub async fn check(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let from_header = request.headers().get(header::HOST).map(|host| host.to_str().unwrap_or("?"));
    let asked = request.uri().authority().map(|authority| authority.as_str()).or(from_header);
    if asked.is_none_or(|host| hosts.knows(host)) {
        return next.run(request).await;
    }
    let detail =
        "This server does not answer to that host name. Use its address, or add the name to allowed-hosts.";
    Problem::new(Code::BadRequest).detail(detail).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_names_and_literal_addresses_only() {
        let names = ["pos.example.com", "*.tiffin.example"].map(String::from);
        let hosts = Hosts(Arc::new(names.to_vec()));
        let own = [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:8080",
            "192.168.1.20",
            "[fe80::1]:8080",
            "tiffin.local",
        ];
        for host in own.into_iter().chain(["pos.example.com:8080", "a.tiffin.example", "pos.example.com."]) {
            assert!(hosts.knows(host), "{host}");
        }
        let others =
            ["evil.example", "pos.example.com.evil.example", "tiffin.example", "notlocal", "", "a@localhost"];
        for host in others.into_iter().chain(["evillocalhost", "127.0.0.1.nip.io", "local"]) {
            assert!(!hosts.knows(host), "{host}");
        }
    }
}
