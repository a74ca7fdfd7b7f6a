//! The printers: whether each answers, has paper and is ready, whether paper waits, and whether this machine can draw what they have no
//! letters for. Never prints.

use super::Finding;
use crate::config::Printers;
use crate::db::{Env, Source, opt};
use crate::paper::Fonts;
use crate::resources::outlets;
use crate::resources::printers::line::{Line, Patience, Says};
use crate::resources::printers::rules::{PrinterFields, Profile, whole};
use crate::resources::printers::store;
use rusqlite::Connection;

/// How long paper may wait, in milliseconds.
const WAITS_MS: i64 = 120_000;

/// What is looked at: printers with what they are there for.
pub(super) struct Known(Vec<(PrinterFields, String)>);

/// Every printer of the box, and every one that only a station names.
pub(super) fn known(conn: &Connection) -> Result<Known, Finding> {
    let look = || {
        let source: &dyn Source = conn;
        let mut known = Vec::new();
        for outlet in outlets::store::list(source)? {
            known.extend(store::list_all(source, outlet.id)?.into_iter().map(|printer| {
                let what = printer.fields.roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ");
                (printer.fields, what)
            }));
        }
        for (address, stations) in store::list_named_by_stations(source)? {
            if !known.iter().any(|(fields, _)| fields.address == whole(&address)) {
                known.push((PrinterFields::unlisted(&address), stations));
            }
        }
        Ok::<_, crate::db::DbError>(Known(known))
    };
    look().map_err(|error| {
        Finding::broken("printer", format!("the printers cannot be read: {error}"), "See the database.")
    })
}

/// Asks each how it is; the fonts matter where there is any.
pub(super) async fn examine(known: Known, reach: &Printers) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (fields, what) in &known.0 {
        findings.push(judge(fields, what, ask(fields, reach).await));
    }
    if !known.0.is_empty() && !Fonts::shared().are_there() {
        let advice = "Install them: apt-get install fonts-noto-core; then restart the server.";
        findings.push(Finding::warn(
            "fonts",
            "there are no fonts: what printers have no letters for prints as ?",
            advice,
        ));
    }
    findings
}

async fn ask(fields: &PrinterFields, reach: &Printers) -> Result<Says, String> {
    let mut line = Line::open(fields.target(), reach, Patience::default()).await?;
    Ok(match fields.profile {
        Profile::Mute => Says::Nothing,
        Profile::Generic | Profile::Epson => line.says().await,
    })
}

fn judge(fields: &PrinterFields, what: &str, outcome: Result<Says, String>) -> Finding {
    let name = match fields.name == fields.address {
        true => format!("{} ({what})", fields.address),
        false => format!("{} at {} ({what})", fields.name, fields.address),
    };
    match outcome {
        Ok(Says::Ready) => Finding::ok("printer", format!("{name} answers and is ready")),
        Ok(Says::Nothing) if fields.profile == Profile::Epson => Finding::warn(
            "printer",
            format!("{name} can be reached and does not say how it is: nothing is sent"),
            "It is busy, or not as Epson's are: give it the profile GENERIC then.",
        ),
        Ok(Says::Nothing) => Finding::ok("printer", format!("{name} can be reached")),
        Ok(Says::Trouble(trouble)) => Finding::warn(
            "printer",
            format!("{name} does not print: {trouble}"),
            "See to it; what waits prints by itself.",
        ),
        Err(why) => Finding::warn(
            "printer",
            format!("{name} does not answer: {why}"),
            "Is it on, with paper, and in this network? Its self-test prints the address it has; enter that at the printer. \
             Meanwhile its paper goes to the fallback.",
        ),
    }
}

/// Whether paper waits.
pub(super) fn waiting(conn: &Connection, env: &Env) -> Option<Finding> {
    let sql =
        "SELECT count(*) AS waiting FROM print_jobs WHERE status IN ('QUEUED', 'SENT') AND created_at < ?1";
    let before = env.clock.now().after(-WAITS_MS);
    let count = opt(conn as &dyn Source, sql, [before], |row| row.get::<_, i64>("waiting")).ok()??;
    (count > 0).then(|| {
        let advice = "See to the printers above. What is too old is not printed any more: look at the kitchen display.";
        Finding::warn("printer", format!("{count} pieces of paper wait for more than two minutes"), advice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Sources};
    use crate::doctor::Level;

    #[tokio::test]
    async fn a_printer_that_is_off_is_named_with_its_stations() {
        let flags = [("printer-networks", "127.0.0.0/8"), ("printer-ports", "1-65535")];
        let flags = flags.map(|(flag, value)| (flag, value.to_owned())).into();
        let reach = Config::resolve(&Sources { flags, ..Sources::default() }).unwrap().printers;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let fields = PrinterFields {
            profile: Profile::Mute,
            ..PrinterFields::unlisted(&listener.local_addr().unwrap().to_string())
        };
        assert_eq!(judge(&fields, "Grill", ask(&fields, &reach).await).level, Level::Ok);
        drop(listener);
        let told = judge(&fields, "Grill", ask(&fields, &reach).await);
        assert!(told.level == Level::Warn && told.found.contains("Grill"), "{told:?}");
        let silent = PrinterFields { profile: Profile::Epson, ..fields.clone() };
        assert_eq!(judge(&silent, "Grill", Ok(Says::Nothing)).level, Level::Warn);
        let empty = judge(&fields, "Grill", Ok(Says::Trouble("It is out of paper")));
        assert!(empty.level == Level::Warn && empty.found.contains("out of paper"));
        assert!(ask(&fields, &Printers::nowhere()).await.is_err());
    }
}
