//! The box announces itself in the local network: `_http._tcp` and, with TLS, `_https._tcp`, named after the outlet, on a host
//! name such as `blr1.local`. It follows changes of addresses and of the outlet's name. Never delays a start, and never ends the
//! server: a network without multicast still has the address.

use super::pages::own_outlet;
use crate::db::{self, Db, opt};
use crate::http::sse::stopped;
use mdns_sd::{DaemonEvent, IfKind, ServiceDaemon, ServiceInfo};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::watch;

/// How often the outlet's name is looked at, and a start that failed is tried again.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// How often the addresses are looked at, in seconds.
const ADDRESSES_EVERY: u32 = 5;

/// How long the farewell may take.
const FAREWELL: Duration = Duration::from_millis(500);

/// Most bytes of a name in the network.
const LABEL_BYTES: usize = 63;

/// What is announced.
#[derive(Debug, Clone)]
pub struct Announcement {
    /// Where it listens without TLS.
    pub plain: SocketAddr,
    /// Where it listens with TLS.
    pub tls: Option<SocketAddr>,
    /// The host name before `.local`.
    pub host: String,
}

/// The host name before `.local`: the configured one, else the outlet's code.
pub fn host(from: &dyn crate::db::Source, configured: Option<&str>) -> db::Result<String> {
    const CODE: &str = "SELECT code FROM outlets ORDER BY id = (SELECT outlet_id FROM box) DESC, id LIMIT 1";
    let own: Option<String> = match configured {
        Some(name) => Some(name.to_owned()),
        None => opt(from, CODE, [], |row| row.get(0))?,
    };
    Ok(own.unwrap_or_else(|| "tiffin".into()).to_ascii_lowercase())
}

/// Announces the branch until the signal to stop; `name` hears what it is called, which has a number when another box has the
/// name already.
pub async fn run(
    db: Db,
    announcement: Announcement,
    name: watch::Sender<Option<String>>,
    mut stopping: watch::Receiver<bool>,
) {
    loop {
        match announce(&db, &announcement, &name, &mut stopping).await {
            Ok(()) => return,
            Err(error) => tracing::warn!(%error, "the box cannot announce itself in the network"),
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// Announces until the signal to stop.
async fn announce(
    db: &Db,
    announcement: &Announcement,
    name: &watch::Sender<Option<String>>,
    stopping: &mut watch::Receiver<bool>,
) -> Result<(), mdns_sd::Error> {
    let daemon = ServiceDaemon::new()?;
    daemon.disable_interface(vec![IfKind::LoopbackV4, IfKind::LoopbackV6])?;
    daemon.set_ip_check_interval(ADDRESSES_EVERY)?;
    let events = daemon.monitor()?;
    let (mut instance, mut announced) = (String::new(), Vec::<String>::new());
    name.send_replace(Some(format!("{}.local", announcement.host)));
    loop {
        let wanted = db.read(own_outlet).await.ok().flatten().unwrap_or_else(|| "Tiffin".into());
        let wanted = label(&wanted);
        if wanted != instance {
            for old in announced.drain(..) {
                let _farewell = daemon.unregister(&old)?;
            }
            instance = wanted;
            for service in services(announcement, &instance)? {
                announced.push(service.get_fullname().to_owned());
                daemon.register(service)?;
            }
        }
        let look = tokio::time::sleep(LOOK_EVERY);
        tokio::pin!(look);
        loop {
            tokio::select! {
                () = stopped(stopping) => {
                    farewell(&daemon, &announced).await;
                    return Ok(());
                }
                () = &mut look => break,
                event = events.recv_async() => match event {
                    Ok(event) => hear(event, &announcement.host, name),
                    Err(_) => return Err(mdns_sd::Error::Msg("the announcer ended by itself".into())),
                },
            }
        }
    }
}

/// What the daemon says of names and addresses.
fn hear(event: DaemonEvent, host: &str, name: &watch::Sender<Option<String>>) {
    match event {
        DaemonEvent::NameChange(change) => {
            tracing::warn!(wanted = %change.original, taken = %change.new_name,
                "another machine of this network has the name already");
            let own = format!("{host}.local.");
            if change.original.eq_ignore_ascii_case(&own) {
                name.send_replace(Some(change.new_name.trim_end_matches('.').to_ascii_lowercase()));
            }
        }
        DaemonEvent::IpAdd(ip) => tracing::info!(%ip, "the box has a new address"),
        DaemonEvent::IpDel(ip) => tracing::info!(%ip, "the box lost an address"),
        DaemonEvent::Error(error) => tracing::debug!(%error, "announcing"),
        _ => {}
    }
}

/// Says that the box goes, so that nobody keeps looking for it.
async fn farewell(daemon: &ServiceDaemon, announced: &[String]) {
    for service in announced {
        if let Ok(done) = daemon.unregister(service) {
            let _ = tokio::time::timeout(FAREWELL, done.recv_async()).await;
        }
    }
    if let Ok(done) = daemon.shutdown() {
        let _ = tokio::time::timeout(FAREWELL, done.recv_async()).await;
    }
}

/// The services that are announced.
fn services(announcement: &Announcement, instance: &str) -> Result<Vec<ServiceInfo>, mdns_sd::Error> {
    let Announcement { plain, tls, host } = announcement;
    let open = |at: &SocketAddr| !at.ip().is_loopback();
    let one = |kind: &str, at: SocketAddr| -> Result<ServiceInfo, mdns_sd::Error> {
        let host = format!("{host}.local.");
        let properties: &[(&str, &str)] = &[("path", "/")];
        if at.ip().is_unspecified() {
            let any = ServiceInfo::new(kind, instance, &host, "", at.port(), properties)?;
            return Ok(any.enable_addr_auto());
        }
        ServiceInfo::new(kind, instance, &host, at.ip(), at.port(), properties)
    };
    let plain = Some(*plain).filter(open).map(|at| one("_http._tcp.local.", at));
    let tls = tls.filter(open).map(|at| one("_https._tcp.local.", at));
    plain.into_iter().chain(tls).collect()
}

/// Whether there is anything to announce: a server for this machine alone is not.
pub fn is_open(announcement: &Announcement) -> bool {
    let open = |at: SocketAddr| !at.ip().is_loopback();
    open(announcement.plain) || announcement.tls.is_some_and(open)
}

/// An outlet's name as one label: in one line, and no longer than one may be.
fn label(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut label = String::new();
    for word in plain.split_whitespace() {
        let more = if label.is_empty() { word.to_owned() } else { format!(" {word}") };
        for letter in more.chars() {
            if label.len() + letter.len_utf8() > LABEL_BYTES {
                return label;
            }
            label.push(letter);
        }
    }
    if label.is_empty() { "Tiffin".into() } else { label }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outlets_name_becomes_one_label() {
        assert_eq!(label("Dr. Dosa \u{7}Indiranagar"), "Dr. Dosa Indiranagar");
        assert_eq!(label(" "), "Tiffin");
        let long = label(&"é".repeat(50));
        assert_eq!((long.len(), long.chars().all(|c| c == 'é')), (62, true));
    }

    #[test]
    fn https_is_announced_with_tls_and_loopback_never() {
        let at = |plain: &str, tls: Option<&str>| Announcement {
            plain: plain.parse().unwrap(),
            tls: tls.map(|at| at.parse().unwrap()),
            host: "blr1".into(),
        };
        let kinds = |announcement: &Announcement| -> Vec<(String, u16)> {
            let made = services(announcement, "Dosa").unwrap();
            made.iter().map(|s| (s.get_fullname().to_owned(), s.get_port())).collect()
        };
        let both = at("0.0.0.0:8080", Some("0.0.0.0:8443"));
        let wanted =
            [("Dosa._http._tcp.local.".to_owned(), 8080), ("Dosa._https._tcp.local.".to_owned(), 8443)];
        assert_eq!(kinds(&both), wanted);
        assert_eq!(kinds(&at("127.0.0.1:8080", Some("10.0.0.2:8443"))), wanted[1..]);
        assert!(!is_open(&at("127.0.0.1:8080", None)) && is_open(&both));
    }
}
