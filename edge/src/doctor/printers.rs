//! The kitchen's printers: whether each takes a connection, and whether paper waits. Never prints.

use super::Finding;
use crate::db::{Env, Source, list, opt};
use crate::resources::kitchen::rules::socket;
use rusqlite::Connection;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// How long a printer may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long paper may wait, in milliseconds.
const WAITS_MS: i64 = 120_000;

/// Every printer that a station names.
pub(super) fn examine(conn: &Connection, env: &Env) -> Vec<Finding> {
    let named = "SELECT printer_address, group_concat(name, ', ') FROM kitchen_stations
        WHERE archived_at IS NULL AND printer_address IS NOT NULL GROUP BY printer_address ORDER BY 1";
    let printers: Vec<(String, String)> =
        match list(conn as &dyn Source, named, [], |row| Ok((row.get(0)?, row.get(1)?))) {
            Ok(printers) => printers,
            Err(error) => {
                return vec![Finding::broken(
                    "printer",
                    format!("the stations cannot be read: {error}"),
                    "See the database.",
                )];
            }
        };
    let mut findings: Vec<Finding> =
        printers.iter().map(|(address, stations)| judge(address, stations, connect(address))).collect();
    findings.extend(waiting(conn, env));
    findings
}

/// Connects and hangs up: a printer does nothing then.
fn connect(address: &str) -> Result<(), String> {
    let Some((host, port)) = socket(address) else { return Err("its address is not valid".into()) };
    let found = (host, port).to_socket_addrs().map_err(|error| error.to_string())?.next();
    let found = found.ok_or_else(|| "its name is not known".to_owned())?;
    TcpStream::connect_timeout(&found, PATIENCE).map(drop).map_err(|error| error.to_string())
}

fn judge(address: &str, stations: &str, outcome: Result<(), String>) -> Finding {
    match outcome {
        Ok(()) => Finding::ok("printer", format!("{address} ({stations}) answers")),
        Err(why) => Finding::warn(
            "printer",
            format!("{address} ({stations}) does not answer: {why}"),
            "Is it on, with paper, and in this network? Its self-test prints the address it has; enter that at the station. \
             Meanwhile its tickets go to the fallback station.",
        ),
    }
}

fn waiting(conn: &Connection, env: &Env) -> Option<Finding> {
    let sql = "SELECT count(*) FROM print_jobs WHERE status = 'QUEUED' AND created_at < ?1";
    let before = env.clock.now().after(-WAITS_MS);
    let count = opt(conn as &dyn Source, sql, [before], |row| row.get::<_, i64>(0)).ok()??;
    (count > 0).then(|| {
        let advice = "See to the printers above. What is too old is not printed any more: look at the kitchen display.";
        Finding::warn("printer", format!("{count} tickets wait for paper for more than two minutes"), advice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;

    #[test]
    fn a_printer_that_is_off_is_named_with_its_stations() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        assert_eq!(judge(&address, "Grill", connect(&address)).level, Level::Ok);
        drop(listener);
        let told = judge(&address, "Grill", connect(&address));
        assert!(told.level == Level::Warn && told.found.contains("Grill"), "{told:?}");
        assert!(connect("no host").is_err());
    }
}
