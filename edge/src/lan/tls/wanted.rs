//! For what a certificate is wanted: the names and the addresses that this machine has at the moment. Never asks whether an
//! authority may vouch for them.

use crate::config::Network;
use crate::lan::addresses;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// For what a certificate is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Names, lower case.
    pub names: BTreeSet<String>,
    /// Addresses.
    pub addresses: BTreeSet<IpAddr>,
}

/// What is wanted whenever it is asked: `localhost`, the machine's own name, those that are configured, `own` ones, the one that is
/// `heard` of meanwhile, and all addresses.
pub fn wanted<H: Fn() -> Option<String> + Send + Sync>(
    network: &Network,
    own: Vec<String>,
    heard: H,
) -> impl Fn() -> Wanted + Send + Sync + use<H> {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let machine = machine.trim().to_ascii_lowercase();
    let machine =
        machine.split('.').next().filter(|name| !name.is_empty()).map(|name| format!("{name}.local"));
    let public = network.public_url.as_ref().map(|url| url.host());
    let given = network.allowed_hosts.iter().filter(|name| !name.contains('*')).cloned();
    let fixed = own.into_iter().chain(["localhost".into()]).chain(machine).chain(public).chain(given);
    let (literal, names): (Vec<String>, Vec<String>) = fixed.partition(|name| name.parse::<IpAddr>().is_ok());
    let literal: Vec<IpAddr> = literal.iter().filter_map(|name| name.parse().ok()).collect();
    move || {
        let here = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        Wanted {
            names: names.iter().cloned().chain(heard()).collect(),
            addresses: addresses::all().into_iter().chain(here).chain(literal.iter().copied()).collect(),
        }
    }
}
