//! The port and the addresses of this machine. Never sends anything beyond this machine.

use super::Finding;
use crate::root;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// How long our own server may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is on the port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// Nothing.
    Free,
    /// A server of ours that answers.
    Ours,
    /// Something else, or nothing that answers.
    Taken,
    /// The system does not let us have it.
    Denied,
    /// This machine has no such address.
    NoAddress,
}

/// The address the server listens on, and those of this machine.
pub async fn examine(listen: SocketAddr, served: bool) -> Vec<Finding> {
    let addresses =
        if_addrs::get_if_addrs().map(|all| all.into_iter().map(|one| one.ip()).collect::<Vec<_>>());
    let mut findings = vec![judge_port(listen, look(listen).await, served)];
    if !listen.ip().is_loopback() {
        findings.push(judge_addresses(&addresses.unwrap_or_default(), listen));
    }
    findings
}

/// What is on the port.
pub async fn look(listen: SocketAddr) -> Port {
    let taken = match TcpListener::bind(listen).await {
        Ok(_) => return Port::Free,
        Err(error) => error,
    };
    match taken.kind() {
        std::io::ErrorKind::PermissionDenied => Port::Denied,
        std::io::ErrorKind::AddrNotAvailable => Port::NoAddress,
        _ => match timeout(PATIENCE, ask(listen)).await {
            Ok(Ok(true)) => Port::Ours,
            _ => Port::Taken,
        },
    }
}

/// Whether a server of ours answers there.
async fn ask(listen: SocketAddr) -> std::io::Result<bool> {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let mut stream = TcpStream::connect((ip, listen.port())).await?;
    stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await?;
    let mut answer = Vec::new();
    stream.take(16 * 1024).read_to_end(&mut answer).await?;
    let text = String::from_utf8_lossy(&answer);
    Ok(text.starts_with("HTTP/1.1 200") && text.contains("\"success\":true") && text.contains("\"up\""))
}

/// The program that listens on TCP port `port` of this machine, as far as this user may know: its name and process id.
pub fn holder(port: u16) -> Option<String> {
    let wanted = format!(":{port:04X}");
    let sockets =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let inode = sockets.iter().flat_map(|text| text.lines()).find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let listens = fields.get(1)?.ends_with(&wanted) && *fields.get(3)? == LISTENS;
        listens.then(|| fields.get(9).copied()).flatten()
    })?;
    let link = format!("socket:[{inode}]");
    let holds = |process: &std::path::Path| {
        // Beside the processes, which are numbers, lies `self`.
        let id: u32 = process.file_name()?.to_str()?.parse().ok()?;
        let files = std::fs::read_dir(process.join("fd")).ok()?;
        let mut targets = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
        targets.any(|target| target.as_os_str() == link.as_str()).then(|| {
            let name = std::fs::read_to_string(process.join("comm")).unwrap_or_default();
            format!("{} (process {id})", name.trim())
        })
    };
    std::fs::read_dir("/proc").ok()?.filter_map(Result::ok).find_map(|entry| holds(&entry.path()))
}

/// The state of a listening socket in `/proc/net/tcp`.
const LISTENS: &str = "0A";

/// Judges what is on the port, while a server has the data open or not.
pub fn judge_port(listen: SocketAddr, port: Port, served: bool) -> Finding {
    let number = listen.port();
    let other = root::as_root(|| holder(number)).map(|who| format!("It is {who}. ")).unwrap_or_default();
    let other = format!(
        "{other}See which program has it: ss -ltnp 'sport = :{number}'. Stop that, or let the server listen elsewhere (listen)."
    );
    match (port, served) {
        (Port::Ours, true) => Finding::ok("port", format!("the server answers at {listen}")),
        (Port::Free, false) => Finding::ok("port", format!("{listen} is free for the server")),
        (Port::Free, true) => Finding::warn(
            "port",
            format!("a server has the data open, and none listens at {listen}"),
            "It may be starting, or listen elsewhere: give edge doctor the settings of the service (--config).",
        ),
        (Port::Ours, false) => {
            Finding::broken("port", format!("another Tiffin server listens at {listen}"), other)
        }
        (Port::Taken, true) => Finding::broken(
            "port",
            format!("{listen} does not answer as our server does"),
            format!("If it is our server, it hangs: restart it. {other}"),
        ),
        (Port::Taken, false) => {
            Finding::broken("port", format!("another program listens at {listen}"), other)
        }
        (Port::Denied, _) => Finding::broken(
            "port",
            format!("the system does not let this user listen at {listen}"),
            "Ports below 1024 need the capability CAP_NET_BIND_SERVICE: take a higher one, such as 8080.",
        ),
        (Port::NoAddress, _) => Finding::broken(
            "port",
            format!("this machine has no address {}", listen.ip()),
            "Listen at 0.0.0.0, or give the machine that address.",
        ),
    }
}

/// Judges the addresses of this machine.
pub fn judge_addresses(addresses: &[IpAddr], listen: SocketAddr) -> Finding {
    let usable: Vec<String> =
        addresses.iter().filter(|ip| is_usable(**ip)).map(ToString::to_string).collect();
    let self_given = addresses.iter().any(|ip| matches!(ip, IpAddr::V4(ip) if ip.is_link_local()));
    let advice = "Plug the cable in or join the Wi-Fi, see that the router gives addresses (DHCP), and give this machine a fixed one there.";
    if !usable.is_empty() {
        return Finding::ok(
            "lan",
            format!("tablets reach this machine at {} port {}", usable.join(", "), listen.port()),
        );
    }
    if self_given {
        return Finding::broken(
            "lan",
            "this machine has given itself an address (169.254…): the router did not answer",
            advice,
        );
    }
    Finding::broken("lan", "this machine has no address in any network: tablets cannot reach it", advice)
}

fn is_usable(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local() && !ip.is_unspecified(),
        IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local() && !ip.is_unspecified(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;

    #[tokio::test]
    async fn a_port_is_free_or_somebody_elses() {
        let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = other.local_addr().unwrap();
        assert!(holder(address.port()).unwrap().ends_with(&format!("(process {})", std::process::id())));
        let silent = tokio::spawn(async move {
            // Answers as a web server of somebody else would.
            let (mut stream, _) = other.accept().await.unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").await.unwrap();
        });
        assert_eq!(look(address).await, Port::Taken);
        silent.await.unwrap();
        assert_eq!(look(address).await, Port::Free);
        assert_eq!(look("192.0.2.1:80".parse().unwrap()).await, Port::NoAddress);
    }

    #[test]
    fn what_is_on_the_port_is_judged_by_whether_we_run() {
        let listen = "0.0.0.0:8080".parse().unwrap();
        let level = |port, served| judge_port(listen, port, served).level;
        assert_eq!((level(Port::Free, false), level(Port::Ours, true)), (Level::Ok, Level::Ok));
        assert_eq!((level(Port::Free, true), level(Port::Ours, false)), (Level::Warn, Level::Broken));
        for port in [Port::Taken, Port::Denied, Port::NoAddress] {
            assert_eq!((level(port, false), level(port, true)), (Level::Broken, Level::Broken));
        }
    }

    #[test]
    fn a_machine_that_nobody_can_call_is_broken() {
        let listen = "0.0.0.0:8080".parse().unwrap();
        let of = |list: &[&str]| {
            let list: Vec<IpAddr> = list.iter().map(|ip| ip.parse().unwrap()).collect();
            judge_addresses(&list, listen)
        };
        assert_eq!(of(&["127.0.0.1", "::1", "fe80::1", "192.168.1.20"]).level, Level::Ok);
        assert_eq!(of(&["127.0.0.1", "::1", "fe80::1"]).level, Level::Broken);
        assert!(of(&["127.0.0.1", "169.254.7.9"]).found.contains("169.254"));
    }
}
