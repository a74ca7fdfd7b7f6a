//! A look at the registry on PostgreSQL from outside: which server it is, how its schema stands, what is on record of the outlets.
//! Never writes, and needs nothing that a start of head office would make.

use super::nights::{self, Nights};
use crate::store::postgres::Settings;
use tiffin_common::Millis;
use tokio_postgres::{Client, Row};

/// What was found.
#[derive(Debug, Default)]
pub struct Look {
    /// The server's version, as in 150_004.
    pub server: u32,
    /// The schema's version; none while there is no head office in it.
    pub schema: Option<u32>,
    /// Stands for the secret it was made with.
    pub secret_check: Option<Vec<u8>>,
    /// Bytes of the whole database.
    pub bytes: u64,
    /// The outlets: code, when its box was last heard of (milliseconds since 1970), rows that wait there.
    pub outlets: Vec<(String, Option<i64>, Option<i64>)>,
    /// Server's clock, in milliseconds since 1970.
    pub clock_ms: i64,
    /// Connections of head office's servers and commands, this look's own aside.
    pub sessions: i64,
    /// What is known of the nightly backups.
    pub nights: Nights,
}

/// Looks.
///
/// # Errors
/// Why there is no answer, in words.
pub async fn look(settings: &Settings) -> Result<Look, String> {
    let connect = settings.connect(&settings.url)?;
    let (client, line) = connect.one().await.map_err(words)?;
    let line = tokio::spawn(line);
    let found = ask(&client).await.map_err(words);
    drop(client);
    // It ends with its client.
    let _ended = line.await;
    found
}

fn words(error: tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut reason = std::error::Error::source(&error);
    while let Some(next) = reason {
        text = format!("{text}: {next}");
        reason = next.source();
    }
    text
}

async fn ask(client: &Client) -> Result<Look, tokio_postgres::Error> {
    client.batch_execute("SET default_transaction_read_only = on; SET statement_timeout = '10s'").await?;
    let server = "SELECT current_setting('server_version_num')::bigint, pg_database_size(current_database()),
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint, to_regclass('hub.refinery_schema_history') IS NOT NULL, to_regclass('hub.hub_nights') IS NOT NULL,
        (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND application_name = current_setting('application_name'))";
    let row = client.query_one(server, &[]).await?;
    let (version, bytes): (i64, i64) = (row.get(0), row.get(1));
    let mut look = Look {
        server: u32::try_from(version).unwrap_or_default(),
        bytes: bytes.unsigned_abs(),
        clock_ms: row.get(2),
        sessions: row.get(5),
        ..Look::default()
    };
    if !row.get::<_, bool>(3) {
        return Ok(look);
    }
    let schema = "SELECT coalesce(max(version), 0)::bigint FROM hub.refinery_schema_history";
    let version: i64 = client.query_one(schema, &[]).await?.get(0);
    look.schema = u32::try_from(version).ok();
    if version == 0 {
        return Ok(look);
    }
    let check = client.query_opt("SELECT secret_check FROM hub.hub_meta WHERE id = 1", &[]).await?;
    look.secret_check = check.map(|row| row.get(0));
    if row.get::<_, bool>(4) {
        client.batch_execute("SET search_path = hub, pg_catalog").await?;
        let known = client.query_opt(nights::text(), &[]).await?;
        let moment = |row: &Row, column| row.get::<_, Option<i64>>(column).map(Millis::new);
        let kept = known.map(|row| nights::Kept {
            taken_at: moment(&row, "taken_at"),
            machine: row.get("machine"),
            path: row.get("path"),
            bytes: row.get("bytes"),
            failed_at: moment(&row, "failed_at"),
            failure: row.get("failure"),
        });
        look.nights = kept.map(Nights::from).unwrap_or_default();
    }
    let outlets = "SELECT o.code, p.last_seen_at, p.rows_waiting FROM hub.registry_outlets o
        LEFT JOIN hub.registry_presence p ON p.outlet_id = o.id ORDER BY o.code";
    let rows = client.query(outlets, &[]).await?;
    look.outlets = rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect();
    Ok(look)
}
