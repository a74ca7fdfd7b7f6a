//! What can be configured of head office: its own settings, each declared once, beside those it shares with the branch. Never
//! read again after start-up, and never prints a secret.

use edge::config::{
    Backups, Bodies, ConfigError, Flags, Group, LimitRates, Log, Metrics, Network, Program, Rate, Room,
    Secret, Setting, Side, Sources, Table, check_shared,
};
use edge::settings;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

/// Flags of every subcommand.
pub type GlobalFlags = Flags<false, Config>;
/// Flags of the subcommands that run a server.
pub type ServerFlags = Flags<true, Config>;

settings! {
    /// Everything, resolved. Environment variables begin with `TIFFIN_HUB_`.
    pub struct Config {
        /// Where the data are.
        store: Store;
        file: Option<PathBuf> = Global "config" [""] "Configuration file (TOML), read before the defaults apply";
        /// How to log.
        log: Log;
        /// Where and how to listen.
        network: Network;
        allow_plain_http: bool = Server "allow-plain-http" behind "trusted-proxies" ["no"]
            "Whether other machines may call without TLS in front: yes or no";
        require_totp: bool = Server "require-totp" ["no"]
            "Whether nobody signs in without a code of an authenticator: yes or no";
        /// How large a request may be.
        bodies: Bodies;
        /// What the exchange with the branches may take.
        exchange: Exchange;
        analytics_permits: usize = Server "analytics-permits" ["4"] "Outlets whose figures are worked out at once";
        pool_size: usize = Server "pool-size" ["16"] "Connections to PostgreSQL";
        /// How much room the disk must have.
        room: Room;
        /// When backups are taken, and where they go.
        backups: Backups;
        log_days: u32 = Server "log-retention-days" ["90"]
            "Days the outlets' raw logs are kept: a branch put back from a backup as old takes from them what it lacks";
        /// How often a client may ask.
        limits: LimitRates;
        enrol: Rate = Server "limit-enrol" ["30/900"] "Enrolments/seconds per client address, or off";
        exchange_rate: Rate = Server "limit-exchange" ["6000/60"]
            "Requests of boxes/seconds per client address, or off; the general limit does not count them";
        /// Who may read the metrics.
        metrics: Metrics;
    }
}

settings! {
    /// Where the data are.
    pub struct Store {
        data_dir: PathBuf = Global "data-dir" ["./hub-data"] "Directory of the SQLite databases and the secrets";
        database_url: Option<Secret> = Global "database-url" [""]
            "PostgreSQL instead of SQLite, as postgres://user:password@host/database?sslmode=require";
        read_database_url: Option<Secret> = Global "read-database-url" [""]
            "A PostgreSQL replica that reports are read from";
        secrets_dir: Option<PathBuf> = Global "secrets-dir" [""]
            "Directory of this head office's secret; default: secrets in the data directory";
        secret: Option<Secret> = Global "secret" [""]
            "The secret itself, 64 hexadecimal digits, instead of a file; the same for every process";
    }
}

settings! {
    /// What the exchange with the branches may take.
    #[derive(Copy)]
    pub struct Exchange {
        push_timeout: Duration = Server "push-timeout-seconds" behind "request-timeout-seconds" ["120"]
            "Seconds a push may take from its first byte to its answer";
        push_idle: Duration = Server "push-idle-seconds" ["20"]
            "Seconds a push may wait for the next bytes of its body";
        push_limit_bytes: usize = Server "push-limit-bytes" behind "document-limit-bytes" ["67108864"]
            "Largest body of a push";
        bytes_in_flight: usize = Server "push-bytes-in-flight" ["67108864"]
            "Bytes of pushes held in memory at once";
        live_permits: usize = Server "live-permits" ["8"] "Pushes of fresh rows that are applied at once";
        live_waiting: usize = Server "live-waiting" ["2000"] "Pushes of fresh rows that may wait to be applied";
        backlog_permits: usize = Server "backlog-permits" ["2"] "Pushes of a backlog that are applied at once";
        backlog_waiting: usize = Server "backlog-waiting" ["32"]
            "Pushes of a backlog that may wait to be applied";
        reading_permits: usize = Server "reading-permits" ["8"]
            "Pulls, snapshots and greetings that are answered at once";
        reading_waiting: usize = Server "reading-waiting" ["4000"]
            "Pulls, snapshots and greetings that may wait for their turn";
    }
}

impl Program for Config {
    fn table() -> Table {
        static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| Config::settings(Side::HeadOffice));
        Table { settings: &SETTINGS, prefix: "TIFFIN_HUB_" }
    }

    fn check(&self) -> Result<(), ConfigError> {
        check_shared(&self.network.tls, self.room)?;
        let Store { database_url, read_database_url, .. } = &self.store;
        let fits = self.exchange.push_limit_bytes <= self.exchange.bytes_in_flight;
        ConfigError::unless([
            (database_url.is_some() || read_database_url.is_none(), "read-database-url needs database-url"),
            (self.log_days >= 60, "log-retention-days must be at least 60"),
            (fits, "push-limit-bytes must not exceed push-bytes-in-flight"),
        ])
    }
}

impl Config {
    /// The defaults, with these settings (flags without dashes).
    ///
    /// # Errors
    /// As [`Sources::read`].
    pub fn with<'s>(
        settings: impl IntoIterator<Item = (&'static str, &'s str)>,
    ) -> Result<Self, ConfigError> {
        let flags = settings.into_iter().map(|(flag, value)| (flag, value.to_owned())).collect();
        Sources { flags, table: Config::table(), ..Sources::default() }.read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_can_be_used_and_every_setting_is_read() {
        let config = Config::with([]).unwrap();
        assert_eq!(config.network.listen.to_string(), "127.0.0.1:8090");
        assert!(!config.allow_plain_http && config.store.database_url.is_none());
        for setting in Config::table().settings.iter().filter(|setting| setting.flag != "config") {
            let wrong = if setting.default.is_empty() { continue } else { "\u{0}" };
            // Paths may be anything; everything else is checked.
            let refused = Config::with([(setting.flag, wrong)]).is_err();
            assert_eq!(refused, setting.flag != "data-dir", "{}", setting.flag);
        }
    }

    #[test]
    fn what_does_not_go_together_is_named() {
        for (settings, named) in [
            (vec![("read-database-url", "postgres://replica/hub")], "database-url"),
            (vec![("allow-plain-http", "maybe")], "allow-plain-http"),
            (vec![("push-limit-bytes", "2048"), ("push-bytes-in-flight", "1024")], "push-bytes-in-flight"),
            (vec![("metrics-token", "short")], "metrics-token"),
            (vec![("disk-warn-bytes", "1")], "disk-stop-bytes"),
            (vec![("log-retention-days", "35")], "log-retention-days"),
        ] {
            let error = Config::with(settings).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn the_environment_has_names_of_its_own() {
        let environment = [("TIFFIN_HUB_LISTEN".to_owned(), "[::1]:9".to_owned())].into();
        let sources = Sources { environment, table: Config::table(), ..Sources::default() };
        assert_eq!(sources.read::<Config>().unwrap().network.listen.port(), 9);
    }
}
