//! Where a printer may be. An address is entered by people and called by this machine: it never leads to another service, to this
//! machine itself, or out of the house, unless a setting says so. Pure.

use crate::config::Printers;
use std::net::IpAddr;
use tiffin_common::words;

/// The TCP port printers listen on when an address names none.
const PORT: u16 = 9100;

words! {
    /// How a printer is reached.
    pub enum Connection {
        /// By the network: `host` or `host:port`.
        Tcp = "TCP",
        /// By a cable at this machine: `/dev/usb/lp0`.
        Usb = "USB",
        /// By the machine's own print service (CUPS): the name of a queue.
        Spool = "SPOOL",
    }
}

/// How and where a printer is reached.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// How.
    pub connection: Connection,
    /// Where.
    pub address: &'a str,
}

impl Target<'_> {
    /// Whether a printer may be there. A name is judged once more by the address that it turns out to have.
    ///
    /// # Errors
    /// What an address must be.
    pub fn check(&self, reach: &Printers) -> Result<(), &'static str> {
        match self.connection {
            Connection::Tcp => {
                let (host, port) = socket(self.address).ok_or("must be a host or host:port")?;
                if !reach.ports.iter().any(|ports| (ports.first..=ports.last).contains(&port)) {
                    return Err("has a port that no printer may have here (setting printer-ports)");
                }
                match host.parse::<IpAddr>() {
                    Ok(ip) if !may_be_at(reach, ip) => {
                        Err("is in no network of printers here (setting printer-networks)")
                    }
                    _ => Ok(()),
                }
            }
            Connection::Usb => {
                let name = reach.devices.to_str().and_then(|folder| self.address.strip_prefix(folder));
                let number = name.and_then(|name| name.strip_prefix("/lp")).unwrap_or_default();
                let is_number =
                    !number.is_empty() && number.len() <= 3 && number.bytes().all(|b| b.is_ascii_digit());
                if is_number {
                    Ok(())
                } else {
                    Err("must be a device such as /dev/usb/lp0 (setting printer-devices)")
                }
            }
            Connection::Spool => {
                let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
                let is_name = !self.address.is_empty()
                    && self.address.len() <= 127
                    && !self.address.starts_with(['-', '.'])
                    && self.address.chars().all(fine);
                if is_name { Ok(()) } else { Err("must be the name of a print queue") }
            }
        }
    }
}

/// An address in the network as it is kept, however it was written: `10.0.0.9` and `10.0.0.9:9100` are one printer with one queue.
pub fn whole(address: &str) -> String {
    match socket(address) {
        Some((host, port)) => format!("{}:{port}", host.to_ascii_lowercase()),
        None => address.to_owned(),
    }
}

/// Whether a printer may have this address.
pub fn may_be_at(reach: &Printers, ip: IpAddr) -> bool {
    let ip = ip.to_canonical();
    reach.networks.iter().any(|network| network.contains(&ip))
}

/// The host and port of a printer's address in the network.
pub fn socket(address: &str) -> Option<(&str, u16)> {
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok().filter(|port| *port > 0)?),
        None => (address, PORT),
    };
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    (!host.is_empty() && host.len() <= 253 && host.chars().all(fine)).then_some((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Sources};

    fn check(connection: Connection, address: &str, flags: &[(&'static str, &str)]) -> bool {
        let flags = flags.iter().map(|(flag, value)| (*flag, (*value).to_owned())).collect();
        let config = Config::resolve(&Sources { flags, ..Sources::default() }).unwrap();
        Target { connection, address }.check(&config.printers).is_ok()
    }

    #[test]
    fn a_printer_is_a_host_with_or_without_a_port() {
        assert_eq!(socket("192.168.1.50"), Some(("192.168.1.50", 9100)));
        assert_eq!(socket("grill-printer.local:9101"), Some(("grill-printer.local", 9101)));
        for bad in ["", ":9100", "host:0", "host:70000", "host:x", "ho st", "http://x/", "a:1:2"] {
            assert_eq!(socket(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_address_is_one_however_it_is_written() {
        assert_eq!(whole("10.0.0.9"), whole("10.0.0.9:9100"));
        assert_eq!(whole("Grill.local"), whole("grill.local:9100"));
        assert_ne!(whole("10.0.0.9"), whole("10.0.0.9:9101"));
    }

    #[test]
    fn printers_are_in_the_house_and_settings_may_say_otherwise() {
        let tcp = Connection::Tcp;
        for fine in ["10.0.0.9", "172.16.3.4:9101", "192.168.1.50:9109", "grill.local"] {
            assert!(check(tcp, fine, &[]), "{fine}");
        }
        for bad in [
            "127.0.0.1",
            "169.254.169.254",
            "8.8.8.8",
            "0.0.0.0",
            "10.0.0.9:80",
            "10.0.0.9:9110",
            "grill.local:22",
        ] {
            assert!(!check(tcp, bad, &[]), "{bad}");
        }
        let wide = [("printer-networks", "127.0.0.0/8"), ("printer-ports", "9100, 40000-65535")];
        assert!(check(tcp, "127.0.0.1:40001", &wide) && !check(tcp, "127.0.0.1:9101", &wide));
        assert!(!check(tcp, "10.0.0.9", &wide));
    }

    #[test]
    fn cables_and_queues_are_no_paths_of_anything_else() {
        let elsewhere = [("printer-devices", "/run/printers")];
        assert!(check(Connection::Usb, "/run/printers/lp1", &elsewhere));
        assert!(!check(Connection::Usb, "/dev/usb/lp0", &elsewhere));
        assert!(check(Connection::Usb, "/dev/usb/lp0", &[]) && check(Connection::Spool, "Bar_1", &[]));
        for bad in ["/dev/sda", "/dev/usb/lp", "/dev/usb/lp0/../../sda", "/dev/usb/lp99999", "lp0"] {
            assert!(!check(Connection::Usb, bad, &[]), "{bad}");
        }
        for bad in ["-o raw", "", "a b", "../x", "-d"] {
            assert!(!check(Connection::Spool, bad, &[]), "{bad}");
        }
    }
}
