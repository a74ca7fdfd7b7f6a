//! Whose request this is: the address of the client, seen through trusted proxies only. Never believes a header that
//! anyone on the network could have written.

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap, header};
use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tiffin_common::Uuid;

/// The signed-in device (session) of a request, put into its extensions by the guard once the token was believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device(pub Uuid);

/// Whether a connection has carried a request of somebody who is signed in. Put into its requests' extensions by the accept loop;
/// the guard vouches.
#[derive(Debug, Clone, Default)]
pub struct Carried(Arc<AtomicBool>);

impl Carried {
    /// From now on the connection is somebody's whom this server knows.
    pub fn vouch(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is.
    pub fn is_vouched(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Who is counted as one client: an address; of IPv6 its /64, which one customer of a provider has to himself.
pub fn network_of(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 64))),
        v4 => v4,
    }
}

/// Marks a request that came over TLS which ends in this process. Put into its extensions by the accept loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverTls;

/// Whether some device has shown that it believes this box's certificate: it was paired over TLS. From then on staff's machines are sent
/// there, where no setting says what becomes of them. All copies are one.
#[derive(Debug, Clone, Default)]
pub struct TlsTrust(Arc<Trust>);

#[derive(Debug, Default)]
struct Trust {
    authority: OnceLock<String>,
    is_shown: AtomicBool,
}

impl TlsTrust {
    /// The door with TLS is open, and what devices believe there is `authority`; `shown` is what one believed before.
    pub fn begin(&self, authority: String, shown: Option<&str>) {
        self.0.is_shown.store(shown == Some(authority.as_str()), Ordering::Relaxed);
        let _ = self.0.authority.set(authority);
    }

    /// Whether a device has shown that it believes the certificate.
    pub fn is_shown(&self) -> bool {
        self.0.is_shown.load(Ordering::Relaxed)
    }

    /// What a device that is paired over TLS now would be the first to show that it believes; none where that decides nothing.
    pub fn to_be_shown(&self) -> Option<String> {
        self.0.authority.get().filter(|_| !self.is_shown()).cloned()
    }

    /// A device has shown it.
    pub fn show(&self) {
        self.0.is_shown.store(true, Ordering::Relaxed);
    }
}

/// The client's address, put into every request's extensions by the outermost layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress {
    /// The client itself, as far as trusted proxies tell. IPv4 written as IPv6 is IPv4.
    pub ip: IpAddr,
    /// Whether somebody says that this request was forwarded, believed or not.
    pub forwarded: bool,
}

impl ClientAddress {
    /// Whether the client is a process of this machine, and nothing hints at a proxy in front of it.
    pub fn is_this_machine(&self) -> bool {
        self.ip.is_loopback() && !self.forwarded
    }

    /// Finds the client of a request. Without a peer (a request made inside the process) it is `0.0.0.0`.
    ///
    /// From right to left, each address was written by the proxy to the right of it: the first one that is no trusted
    /// proxy is the client. When `Forwarded` and `X-Forwarded-For` name different clients, one of them was written by
    /// the client, so neither is believed and the proxy itself counts.
    pub fn of(headers: &HeaderMap, extensions: &Extensions, trusted: &[IpNet]) -> Self {
        let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip().to_canonical());
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let forwarded = headers.contains_key(header::FORWARDED) || headers.contains_key("x-forwarded-for");
        let is_trusted = |ip: &IpAddr| trusted.iter().any(|net| net.contains(ip));
        if !forwarded || !is_trusted(&peer) {
            return ClientAddress { ip: peer, forwarded };
        }
        let named = |hops: Vec<Option<IpAddr>>| {
            let mut client = peer;
            for hop in hops.into_iter().rev() {
                let Some(ip) = hop else { break };
                client = ip;
                if !is_trusted(&ip) {
                    break;
                }
            }
            client
        };
        let plain = headers.contains_key("x-forwarded-for").then(|| named(x_forwarded_for(headers)));
        let standard = headers.contains_key(header::FORWARDED).then(|| named(standard_forwarded(headers)));
        let ip = match (plain, standard) {
            (Some(a), Some(b)) if a != b => peer,
            (Some(ip), _) | (None, Some(ip)) => ip,
            (None, None) => peer,
        };
        ClientAddress { ip, forwarded }
    }
}

/// The addresses of `X-Forwarded-For`, leftmost first; `None` for one that cannot be read.
fn x_forwarded_for(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let lines = headers.get_all("x-forwarded-for").iter();
    lines.flat_map(|line| line.to_str().unwrap_or("?").split(',')).map(address).collect()
}

/// The `for=` addresses of `Forwarded` (RFC 7239), leftmost first; `None` for a hidden or unreadable one.
fn standard_forwarded(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let lines = headers.get_all(header::FORWARDED).iter();
    let hop = |element: &str| {
        let value = element.split(';').find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            name.trim().eq_ignore_ascii_case("for").then(|| value.trim().trim_matches('"').to_string())
        });
        value.as_deref().and_then(address)
    };
    lines.flat_map(|line| line.to_str().unwrap_or("?").split(',')).map(hop).collect()
}

/// An address with or without a port, IPv6 with or without brackets.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = || text.strip_prefix('[')?.strip_suffix(']')?.parse::<IpAddr>().ok();
    let ip = text.parse::<IpAddr>().ok().or_else(bare);
    ip.or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip())).map(|ip| ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, lines: &[(&'static str, &str)]) -> ClientAddress {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 5000)));
        let trusted = ["10.0.0.0/8".parse().unwrap(), "127.0.0.1/32".parse().unwrap()];
        ClientAddress::of(&headers, &extensions, &trusted)
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_peer_that_is_no_proxy_is_the_client_whatever_it_says() {
        let found = client("192.168.1.9", &[("x-forwarded-for", "1.2.3.4"), ("forwarded", "for=5.6.7.8")]);
        assert_eq!(found.ip, ip("192.168.1.9"));
    }

    #[test]
    fn the_rightmost_address_that_is_no_proxy_is_the_client() {
        assert_eq!(
            client("10.1.1.1", &[("x-forwarded-for", "6.6.6.6, 1.2.3.4, 10.2.2.2")]).ip,
            ip("1.2.3.4")
        );
        let split = [("x-forwarded-for", "6.6.6.6"), ("x-forwarded-for", "1.2.3.4:99")];
        assert_eq!(client("10.1.1.1", &split).ip, ip("1.2.3.4"));
        let standard = [("forwarded", "for=6.6.6.6, For=\"[2001:db8::7]:4711\";proto=https;by=10.1.1.1")];
        assert_eq!(client("10.1.1.1", &standard).ip, ip("2001:db8::7"));
    }

    #[test]
    fn what_cannot_be_read_or_contradicts_itself_counts_as_the_proxy() {
        assert_eq!(client("10.1.1.1", &[("x-forwarded-for", "1.2.3.4, unknown")]).ip, ip("10.1.1.1"));
        let both = [("x-forwarded-for", "1.2.3.4"), ("forwarded", "for=5.6.7.8")];
        assert_eq!(client("10.1.1.1", &both).ip, ip("10.1.1.1"));
    }

    #[test]
    fn this_machine_is_loopback_without_a_proxy_in_front() {
        assert!(client("127.0.0.1", &[]).is_this_machine());
        assert!(client("::ffff:127.0.0.1", &[]).is_this_machine());
        assert!(!client("127.0.0.1", &[("x-forwarded-for", "127.0.0.1")]).is_this_machine());
        assert!(!client("192.168.1.9", &[]).is_this_machine());
    }
}
