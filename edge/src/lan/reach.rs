//! How this box is called: its addresses in clear and with TLS, and its name in the network. Never remembers an address: the
//! router may give another one at any time.

use super::addresses;
use crate::config::Network;
use crate::http::client::TlsTrust;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tokio::sync::watch;

/// How this box is called.
#[derive(Debug, Clone)]
pub struct Reach {
    plain: SocketAddr,
    tls: Option<SocketAddr>,
    public_url: Option<String>,
    /// Whether TLS goes before; none: as soon as a device has shown that it believes the certificate.
    prefers_tls: Option<bool>,
    trust: TlsTrust,
    name: watch::Receiver<Option<String>>,
}

impl Reach {
    /// A server that listens on `plain` and, with TLS, on `tls`; `name` is what it is announced as, such as `blr1.local`.
    pub fn new(
        network: &Network,
        (plain, tls): (SocketAddr, Option<SocketAddr>),
        name: watch::Receiver<Option<String>>,
        trust: TlsTrust,
    ) -> Reach {
        let only_tls_leaves = plain.ip().is_loopback() && tls.is_some_and(|tls| !tls.ip().is_loopback());
        Reach {
            plain,
            tls,
            public_url: network.public_url.as_ref().map(|url| url.as_str().to_owned()),
            prefers_tls: match network.tls.staff_plain_http {
                None if !only_tls_leaves => None,
                _ => Some(network.tls.is_sent_to(false) || only_tls_leaves),
            },
            name,
            trust,
        }
    }

    /// A server that is called by `url` and nothing else.
    pub fn at(url: &str) -> Reach {
        let plain = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let name = watch::Sender::new(None).subscribe();
        let public_url = Some(url.to_owned());
        Reach { plain, tls: None, public_url, prefers_tls: Some(false), name, trust: TlsTrust::default() }
    }

    /// What clients should call it by: the configured address, else the one this machine has in its network.
    pub fn address(&self) -> String {
        if let Some(url) = &self.public_url {
            return url.clone();
        }
        self.secure().filter(|_| self.prefers_tls()).unwrap_or_else(|| self.plain())
    }

    fn prefers_tls(&self) -> bool {
        self.prefers_tls.unwrap_or_else(|| self.trust.is_shown())
    }

    /// Its address without TLS: the certificate page is there for who does not trust it yet.
    pub fn plain(&self) -> String {
        match &self.public_url {
            Some(url) if url.starts_with("http://") => url.clone(),
            _ => format!("http://{}", SocketAddr::new(called(self.plain.ip()), self.plain.port())),
        }
    }

    /// Its address with TLS; none when it has none.
    pub fn secure(&self) -> Option<String> {
        let tls = self.tls?;
        match &self.public_url {
            Some(url) if url.starts_with("https://") => Some(url.clone()),
            _ => Some(format!("https://{}", SocketAddr::new(called(tls.ip()), tls.port()))),
        }
    }

    /// The name it is announced as; none when it is not, or not yet.
    pub fn name(&self) -> Option<String> {
        self.name.borrow().clone()
    }

    /// Its address by name.
    pub fn named(&self) -> Option<String> {
        let name = self.name()?;
        Some(match self.tls.filter(|_| self.prefers_tls()) {
            Some(tls) => format!("https://{name}:{}", tls.port()),
            None => format!("http://{name}:{}", self.plain.port()),
        })
    }

    /// Whether only this machine itself can call it.
    pub fn is_this_machine_only(&self) -> bool {
        let is_open = |at: SocketAddr| !at.ip().is_loopback();
        self.public_url.is_none() && !is_open(self.plain) && !self.tls.is_some_and(is_open)
    }
}

/// The address other machines call a server by that listens on `ip`.
fn called(ip: IpAddr) -> IpAddr {
    if ip.is_unspecified() { addresses::main().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)) } else { ip }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Sources};

    fn reach(flags: &[(&'static str, &str)], plain: &str, tls: Option<&str>, name: Option<&str>) -> Reach {
        let flags = flags.iter().map(|(flag, value)| (*flag, (*value).to_owned())).collect();
        let config = Config::resolve(&Sources { flags, ..Sources::default() }).unwrap();
        let name = watch::Sender::new(name.map(str::to_owned)).subscribe();
        let at = (plain.parse().unwrap(), tls.map(|at| at.parse().unwrap()));
        Reach::new(&config.network, at, name, TlsTrust::default())
    }

    #[test]
    fn what_is_configured_goes_before_what_is_found() {
        let found = reach(&[], "192.168.1.20:8080", Some("192.168.1.20:8443"), Some("blr1.local"));
        assert_eq!(found.address(), "http://192.168.1.20:8080");
        assert_eq!(found.secure().unwrap(), "https://192.168.1.20:8443");
        assert_eq!(found.named().unwrap(), "http://blr1.local:8080");
        let given =
            reach(&[("public-url", "https://pos.example.com")], "10.0.0.2:8080", Some("10.0.0.2:8443"), None);
        assert_eq!(
            (given.address(), given.plain()),
            ("https://pos.example.com".into(), "http://10.0.0.2:8080".into())
        );
    }

    #[test]
    fn tls_is_the_address_where_clear_text_does_not_leave_the_machine() {
        let flags = [("tls-listen", "0.0.0.0:8443"), ("staff-plain-http", "redirect")];
        assert_eq!(
            reach(&flags, "10.0.0.2:80", Some("10.0.0.2:443"), None).address(),
            "https://10.0.0.2:443"
        );
        assert_eq!(reach(&[], "127.0.0.1:80", Some("10.0.0.2:443"), None).address(), "https://10.0.0.2:443");
        assert!(reach(&[], "127.0.0.1:80", None, None).is_this_machine_only());
        assert!(!reach(&[], "127.0.0.1:80", Some("10.0.0.2:443"), None).is_this_machine_only());
    }
}
