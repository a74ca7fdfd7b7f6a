//! The addresses of this machine in its network. Asks the operating system; never sends anything.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// The address by which other machines of the network would call this one: the one of the default route, else the first there
/// is.
pub fn main() -> Option<IpAddr> {
    let routed = || {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
        // An address reserved for documentation: nothing is sent to it.
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
        Some(socket.local_addr().ok()?.ip()).filter(|ip| !ip.is_unspecified() && !ip.is_loopback())
    };
    routed().or_else(|| all().into_iter().find(IpAddr::is_ipv4))
}

/// Every address of this machine that another machine could call; not loopback, and no IPv6 address that holds on one cable only.
pub fn all() -> BTreeSet<IpAddr> {
    let found = if_addrs::get_if_addrs().unwrap_or_default().into_iter().map(|interface| interface.ip());
    found.filter(|ip| !ip.is_loopback() && !ip.is_unspecified() && !is_of_one_cable(*ip)).collect()
}

/// The addresses at which a server that listens on `bound` can be called from other machines; this machine's own where it
/// listens on loopback.
pub fn reaching(bound: SocketAddr) -> BTreeSet<IpAddr> {
    match bound.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => all().into_iter().filter(IpAddr::is_ipv4).collect(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => all(),
        ip => BTreeSet::from([ip]),
    }
}

/// Whether `ip` is one of a private network: those that a local authority may vouch for.
pub fn is_private(ip: IpAddr) -> bool {
    PRIVATE.iter().any(|(net, bits)| match (ip, net) {
        (IpAddr::V4(ip), IpAddr::V4(net)) => {
            (ip.to_bits() ^ net.to_bits()).leading_zeros() >= u32::from(*bits)
        }
        (IpAddr::V6(ip), IpAddr::V6(net)) => {
            (ip.to_bits() ^ net.to_bits()).leading_zeros() >= u32::from(*bits)
        }
        _ => false,
    })
}

/// Private networks with the length of their prefix: RFC 1918, loopback, link-local, and their like in IPv6.
pub const PRIVATE: &[(IpAddr, u8)] = &[
    (IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0)), 8),
    (IpAddr::V4(Ipv4Addr::new(172, 16, 0, 0)), 12),
    (IpAddr::V4(Ipv4Addr::new(192, 168, 0, 0)), 16),
    (IpAddr::V4(Ipv4Addr::new(127, 0, 0, 0)), 8),
    (IpAddr::V4(Ipv4Addr::new(169, 254, 0, 0)), 16),
    (IpAddr::V6(Ipv6Addr::LOCALHOST), 128),
    (IpAddr::V6(Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0)), 7),
    (IpAddr::V6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0)), 10),
];

fn is_of_one_cable(ip: IpAddr) -> bool {
    matches!(ip, IpAddr::V6(ip) if ip.is_unicast_link_local())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_networks_are_told_from_the_internet() {
        for private in [
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.20",
            "127.0.0.1",
            "169.254.1.1",
            "::1",
            "fd00::1",
            "fe80::1",
        ] {
            assert!(is_private(private.parse().unwrap()), "{private}");
        }
        for public in ["11.0.0.1", "172.32.0.1", "192.169.0.1", "8.8.8.8", "2001:db8::1", "::2"] {
            assert!(!is_private(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn a_server_on_one_address_is_reached_there_alone() {
        let one = reaching("127.0.0.1:80".parse().unwrap());
        assert_eq!(one.into_iter().collect::<Vec<_>>(), [IpAddr::V4(Ipv4Addr::LOCALHOST)]);
        assert!(reaching("0.0.0.0:80".parse().unwrap()).iter().all(|ip| !ip.is_loopback() && ip.is_ipv4()));
    }
}
