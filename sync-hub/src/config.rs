//! What can be configured of head office: the table of settings, and what they mean. The machinery (flag, environment, file,
//! default) is the branch's. Never read again after start-up, and never prints a secret.

use edge::config::{
    Backups, Bodies, ConfigError, Flags, LimitRates, Log, Metrics, Network, Program, Rate, Scope, Secret,
    Setting, Sources, Table, Tls,
};
use std::path::PathBuf;
use std::time::Duration;

use Scope::{Global, Server};

/// Every setting of head office. Environment variables begin with `TIFFIN_HUB_`.
pub static SETTINGS: &[Setting] = &[
    Setting::new(Global, "data-dir", "./hub-data", "Directory of the SQLite databases and the secrets"),
    Setting {
        secret: true,
        ..Setting::new(
            Global,
            "database-url",
            "",
            "PostgreSQL instead of SQLite, as postgres://user:password@host/database?sslmode=require",
        )
    },
    Setting {
        secret: true,
        ..Setting::new(Global, "read-database-url", "", "A PostgreSQL replica that reports are read from")
    },
    Setting::new(
        Global,
        "secrets-dir",
        "",
        "Directory of this head office's secret; default: secrets in the data directory",
    ),
    Setting {
        secret: true,
        ..Setting::new(
            Global,
            "secret",
            "",
            "The secret itself, 64 hexadecimal digits, instead of a file; the same for every process",
        )
    },
    Setting::new(Global, "config", "", "Configuration file (TOML), read before the defaults apply"),
    Setting::new(Global, "log-format", "text", "Format of the log on standard error: text or json"),
    Setting::new(Server, "listen", "127.0.0.1:8090", "Address and port to listen on"),
    Setting::new(Server, "tls-listen", "", "Address and port to listen on with TLS too, as 0.0.0.0:8443"),
    Setting::new(
        Server,
        "tls-certificate",
        "",
        "Certificate and what leads to its authority (PEM); none: the local authority of sync-hub tls init",
    ),
    Setting::new(Server, "tls-key", "", "Private key of tls-certificate (PEM)"),
    Setting::new(Server, "public-url", "", "Address at which boxes and browsers reach this server"),
    Setting::new(
        Server,
        "allowed-hosts",
        "",
        "More names clients may call this server by, comma-separated; *.name and * allowed",
    ),
    Setting::new(
        Server,
        "trusted-proxies",
        "",
        "Proxies whose Forwarded headers are believed: addresses or CIDRs, comma-separated",
    ),
    Setting::new(
        Server,
        "allow-plain-http",
        "no",
        "Whether other machines may call without TLS in front: yes or no",
    ),
    Setting::new(Server, "max-connections", "8192", "Connections open at once; more wait to be accepted"),
    Setting::new(
        Server,
        "header-read-timeout-seconds",
        "60",
        "Seconds a connection may take to send a request's header, or stay idle",
    ),
    Setting::new(
        Server,
        "request-timeout-seconds",
        "30",
        "Seconds a request may take until its answer begins",
    ),
    Setting::new(
        Server,
        "push-timeout-seconds",
        "120",
        "Seconds a push may take from its first byte to its answer",
    ),
    Setting::new(Server, "push-idle-seconds", "20", "Seconds a push may wait for the next bytes of its body"),
    Setting::new(
        Server,
        "shutdown-grace-seconds",
        "10",
        "Seconds running requests get to finish when the server stops",
    ),
    Setting::new(Server, "body-limit-bytes", "1048576", "Largest request body, pushes aside"),
    Setting::new(Server, "document-limit-bytes", "10485760", "Largest import"),
    Setting::new(Server, "push-limit-bytes", "67108864", "Largest body of a push"),
    Setting::new(Server, "push-bytes-in-flight", "67108864", "Bytes of pushes held in memory at once"),
    Setting::new(Server, "live-permits", "8", "Pushes of fresh rows that are applied at once"),
    Setting::new(Server, "live-waiting", "2000", "Pushes of fresh rows that may wait to be applied"),
    Setting::new(Server, "backlog-permits", "2", "Pushes of a backlog that are applied at once"),
    Setting::new(Server, "backlog-waiting", "32", "Pushes of a backlog that may wait to be applied"),
    Setting::new(Server, "reading-permits", "8", "Pulls, snapshots and greetings that are answered at once"),
    Setting::new(
        Server,
        "reading-waiting",
        "4000",
        "Pulls, snapshots and greetings that may wait for their turn",
    ),
    Setting::new(Server, "analytics-permits", "4", "Outlets whose figures are worked out at once"),
    Setting::new(Server, "pool-size", "16", "Connections to PostgreSQL"),
    Setting::new(
        Server,
        "disk-warn-bytes",
        "5368709120",
        "Free bytes on the data directory's disk below which the doctor warns (SQLite only)",
    ),
    Setting::new(
        Server,
        "disk-stop-bytes",
        "268435456",
        "Free bytes below which nothing is written, so that the databases stay whole; reading goes on (SQLite only)",
    ),
    Setting::new(
        Global,
        "backup-dir",
        "",
        "Second place for backups, such as another disk's mount point; it must be there",
    ),
    Setting::new(
        Server,
        "backup-at",
        "03:30",
        "Time of the nightly backup in UTC, or off; of the processes on one PostgreSQL one takes it, with pg_dump",
    ),
    Setting::new(
        Global,
        "backup-keep",
        "14",
        "Days of nightly backups that are kept, and four weekly ones before them",
    ),
    Setting::new(
        Server,
        "log-retention-days",
        "400",
        "Days the outlets' raw logs are kept: a branch put back from a backup as old takes from them what it lacks",
    ),
    Setting::new(Server, "limit-general", "1000/60", "Requests/seconds per client address, or off"),
    Setting::new(Server, "limit-login", "10/900", "Sign-ins/seconds per client address, or off"),
    Setting::new(Server, "limit-enrol", "30/900", "Enrolments/seconds per client address, or off"),
    Setting::new(
        Server,
        "limit-exchange",
        "6000/60",
        "Requests of boxes/seconds per client address, or off; the general limit does not count them",
    ),
    Setting {
        secret: true,
        ..Setting::new(Server, "metrics-token", "", "Bearer token for GET /metrics from other machines")
    },
];

/// Head office, for the flags that are made from its table.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hub;

impl Program for Hub {
    fn table() -> Table {
        Table { settings: SETTINGS, prefix: "TIFFIN_HUB_" }
    }
}

/// Flags of every subcommand.
pub type GlobalFlags = Flags<false, Hub>;
/// Flags of the subcommands that run a server.
pub type ServerFlags = Flags<true, Hub>;

/// Everything, resolved.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where the data are.
    pub store: Store,
    /// How much room the disk must have: bytes below which to warn, and below which nothing is written.
    pub room: (u64, u64),
    /// Days the outlets' raw logs are kept.
    pub log_days: u32,
    /// Where and how to listen.
    pub network: Network,
    /// Whether other machines may call without TLS in front.
    pub allow_plain_http: bool,
    /// How large a request may be.
    pub bodies: Bodies,
    /// What the exchange with the branches may take.
    pub exchange: Exchange,
    /// Outlets whose figures are worked out at once.
    pub analytics_permits: usize,
    /// How often a client may ask.
    pub limits: LimitRates,
    /// How often a client may enrol.
    pub enrol: Rate,
    /// How often boxes may ask.
    pub exchange_rate: Rate,
    /// Who may read the metrics.
    pub metrics: Metrics,
    /// How to log.
    pub log: Log,
    /// When backups are taken, and where they go.
    pub backups: Backups,
}

/// Where the data are.
#[derive(Debug, Clone)]
pub struct Store {
    /// Directory of the SQLite databases and the secrets.
    pub data_dir: PathBuf,
    /// PostgreSQL instead.
    pub database_url: Option<Secret>,
    /// A replica that reports are read from.
    pub read_database_url: Option<Secret>,
    /// Connections to PostgreSQL.
    pub pool_size: usize,
    /// Where the secret lies, when not in the data directory.
    pub secrets_dir: Option<PathBuf>,
    /// The secret itself.
    pub secret: Option<Secret>,
}

/// What the exchange with the branches may take.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    /// How long a push may take.
    pub push_timeout: Duration,
    /// How long a push may wait for its next bytes.
    pub push_idle: Duration,
    /// Largest body of a push, in bytes.
    pub push_limit_bytes: usize,
    /// Bytes of pushes in memory at once.
    pub bytes_in_flight: usize,
    /// Fresh rows: applied at once, and waiting.
    pub live: Lane,
    /// Backlogs.
    pub backlog: Lane,
    /// Pulls, snapshots, greetings.
    pub reading: Lane,
}

/// How much of one kind of work is done at once.
#[derive(Debug, Clone, Copy)]
pub struct Lane {
    /// At work at once.
    pub permits: usize,
    /// Waiting beyond that; more are told to come back.
    pub waiting: usize,
}

impl Config {
    /// Gives every setting its value.
    ///
    /// # Errors
    /// All settings that cannot be read, in one error; the values themselves are not repeated.
    pub fn resolve(sources: &Sources) -> Result<Self, ConfigError> {
        let mut from = sources.resolve()?;
        let mut lane =
            |permits: &str, waiting: &str| Lane { permits: from.take(permits), waiting: from.take(waiting) };
        let live = lane("live-permits", "live-waiting");
        let backlog = lane("backlog-permits", "backlog-waiting");
        let reading = lane("reading-permits", "reading-waiting");
        let plain: edge::config::Text = from.take("allow-plain-http");
        let config = Config {
            store: Store {
                data_dir: from.take("data-dir"),
                database_url: from.take("database-url"),
                read_database_url: from.take("read-database-url"),
                pool_size: from.take("pool-size"),
                secrets_dir: from.take("secrets-dir"),
                secret: from.take("secret"),
            },
            room: (from.take("disk-warn-bytes"), from.take("disk-stop-bytes")),
            log_days: from.take("log-retention-days"),
            network: Network {
                listen: from.take("listen"),
                tls: Tls::read(&mut from),
                public_url: from.take("public-url"),
                allowed_hosts: from.take("allowed-hosts"),
                trusted_proxies: from.take("trusted-proxies"),
                max_connections: from.take("max-connections"),
                header_read_timeout: from.take("header-read-timeout-seconds"),
                request_timeout: from.take("request-timeout-seconds"),
                shutdown_grace: from.take("shutdown-grace-seconds"),
            },
            allow_plain_http: plain.0 == "yes",
            bodies: Bodies {
                limit_bytes: from.take("body-limit-bytes"),
                document_limit_bytes: from.take("document-limit-bytes"),
            },
            exchange: Exchange {
                push_timeout: from.take("push-timeout-seconds"),
                push_idle: from.take("push-idle-seconds"),
                push_limit_bytes: from.take("push-limit-bytes"),
                bytes_in_flight: from.take("push-bytes-in-flight"),
                live,
                backlog,
                reading,
            },
            analytics_permits: from.take("analytics-permits"),
            limits: LimitRates {
                general: from.take("limit-general"),
                login: from.take("limit-login"),
                ..LimitRates::default()
            },
            enrol: from.take("limit-enrol"),
            exchange_rate: from.take("limit-exchange"),
            metrics: Metrics { token: from.take("metrics-token") },
            log: Log { format: from.take("log-format") },
            backups: Backups {
                second: from.take("backup-dir"),
                at: from.take("backup-at"),
                keep_days: from.take("backup-keep"),
                before_upgrade: false,
            },
        };
        from.require(matches!(plain.0.as_str(), "yes" | "no"), "allow-plain-http must be yes or no");
        let has_primary = config.store.database_url.is_some() || config.store.read_database_url.is_none();
        from.require(has_primary, "read-database-url needs database-url");
        from.require(config.room.1 <= config.room.0, "disk-stop-bytes must not be more than disk-warn-bytes");
        from.require(config.log_days >= 100, "log-retention-days must be at least 100");
        let fits = config.exchange.push_limit_bytes <= config.exchange.bytes_in_flight;
        from.require(fits, "push-limit-bytes must not exceed push-bytes-in-flight");
        from.finish()?;
        Ok(config)
    }

    /// The defaults, with these settings (flags without dashes).
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn with<'s>(
        settings: impl IntoIterator<Item = (&'static str, &'s str)>,
    ) -> Result<Self, ConfigError> {
        let flags = settings.into_iter().map(|(flag, value)| (flag, value.to_owned())).collect();
        Config::resolve(&Sources { flags, table: Hub::table(), ..Sources::default() })
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
        for setting in SETTINGS.iter().filter(|setting| setting.flag != "config") {
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
        let sources = Sources { environment, table: Hub::table(), ..Sources::default() };
        assert_eq!(Config::resolve(&sources).unwrap().network.listen.port(), 9);
    }
}
