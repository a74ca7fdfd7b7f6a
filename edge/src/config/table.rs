//! The table of settings: every name, default and explanation, once. Flags, environment variables, the configuration
//! file and `edge config` are all made from it. Never gives a setting its meaning: that is `mod.rs`.

/// Who takes a setting as a flag. Environment and file may hold any setting, for any subcommand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every subcommand.
    Global,
    /// `edge serve` and `edge config`.
    Server,
}

/// One setting.
#[derive(Debug, PartialEq, Eq)]
pub struct Setting {
    /// The flag without its dashes, as in `limit-general`; the other spellings derive from it.
    pub flag: &'static str,
    /// The value when nobody says otherwise; empty means "not set".
    pub default: &'static str,
    /// Who takes it as a flag.
    pub scope: Scope,
    /// Whether the value must never be printed.
    pub secret: bool,
    /// What it does, with its unit.
    pub help: &'static str,
}

impl Setting {
    /// A setting that may be shown.
    pub const fn new(scope: Scope, flag: &'static str, default: &'static str, help: &'static str) -> Self {
        Setting { flag, default, scope, secret: false, help }
    }

    /// The key in the configuration file: `limit_general`.
    pub fn key(&self) -> String {
        self.flag.replace('-', "_")
    }

    /// The environment variable of the program with this prefix: `TIFFIN_LIMIT_GENERAL`.
    pub fn variable(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.key().to_uppercase())
    }
}

use Scope::{Global, Server};

/// The settings of one program.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// All of them.
    pub settings: &'static [Setting],
    /// What its environment variables begin with.
    pub prefix: &'static str,
}

/// The branch server's.
impl Default for Table {
    fn default() -> Self {
        Table { settings: SETTINGS, prefix: "TIFFIN_" }
    }
}

/// A program, for the flags that are made from its table.
pub trait Program {
    /// Its settings.
    fn table() -> Table;
}

/// The branch server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edge;

impl Program for Edge {
    fn table() -> Table {
        Table::default()
    }
}

/// Every setting of the branch server.
pub static SETTINGS: &[Setting] = &[
    Setting::new(Global, "data-dir", "./data", "Directory of the database, its keys and its backups"),
    Setting::new(Global, "config", "", "Configuration file (TOML), read before the defaults apply"),
    Setting::new(Global, "log-format", "text", "Format of the log on standard error: text or json"),
    Setting::new(Server, "listen", "0.0.0.0:8080", "Address and port to listen on"),
    Setting::new(Server, "tls-listen", "", "Address and port to listen on with TLS too, as 0.0.0.0:8443"),
    Setting::new(
        Server,
        "tls-certificate",
        "",
        "Certificate and what leads to its authority (PEM); none: the local authority of edge tls init",
    ),
    Setting::new(Server, "tls-key", "", "Private key of tls-certificate (PEM)"),
    Setting::new(
        Server,
        "plain-http",
        "yes",
        "Whether other machines may call without TLS: yes, or redirect to send them to tls-listen",
    ),
    Setting::new(Server, "mdns", "yes", "Whether the box announces itself in the local network: yes or no"),
    Setting::new(
        Server,
        "mdns-name",
        "",
        "Name it announces, before .local; none: the outlet's code in lower case",
    ),
    Setting::new(
        Global,
        "hub-ca",
        "",
        "Certificate authority of head office (PEM), where it has its own, instead of the system's",
    ),
    Setting::new(
        Server,
        "public-url",
        "",
        "Address at which clients reach this server, as http://tiffin.local:8080",
    ),
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
    Setting::new(Server, "max-connections", "512", "Connections open at once; more wait to be accepted"),
    Setting::new(
        Server,
        "header-read-timeout-seconds",
        "30",
        "Seconds a connection may take to send a request's header",
    ),
    Setting::new(
        Server,
        "request-timeout-seconds",
        "30",
        "Seconds a request may take until its answer begins",
    ),
    Setting::new(
        Server,
        "shutdown-grace-seconds",
        "10",
        "Seconds running requests get to finish when the server stops",
    ),
    Setting::new(Server, "body-limit-bytes", "1048576", "Largest request body"),
    Setting::new(Server, "document-limit-bytes", "10485760", "Largest uploaded document or import"),
    Setting::new(Server, "limit-general", "1000/60", "Requests/seconds per client address, or off"),
    Setting::new(Server, "limit-login", "10/900", "Sign-ins/seconds per client address, or off"),
    Setting::new(Server, "limit-pin", "30/60", "PIN operations/seconds per device, or off"),
    Setting::new(Server, "limit-qr-menu", "10/60", "QR menu requests/seconds per client address, or off"),
    Setting::new(Server, "limit-qr-order", "30/60", "QR order requests/seconds per client address, or off"),
    Setting::new(Server, "limit-feedback", "5/900", "Feedback requests/seconds per client address, or off"),
    Setting::new(
        Server,
        "limit-forgot-password",
        "5/900",
        "Password-reset requests/seconds per client address, or off",
    ),
    Setting::new(Server, "read-pool-size", "4", "Connections of the read pool"),
    Setting::new(
        Server,
        "disk-warn-bytes",
        "1073741824",
        "Free bytes on the data directory's disk below which managers are warned",
    ),
    Setting::new(
        Server,
        "disk-stop-bytes",
        "67108864",
        "Free bytes below which nothing is written, so that the database stays whole; reading goes on",
    ),
    Setting::new(
        Server,
        "log-retention-days",
        "35",
        "Days the change log is kept after head office has confirmed it; older rows are packed until it has",
    ),
    Setting::new(
        Server,
        "ack-timeout-seconds",
        "20",
        "Seconds until a kitchen ticket nobody acknowledged raises the alarm",
    ),
    Setting::new(
        Server,
        "ai-url",
        "",
        "OpenAI-compatible API that helps the assistant, as https://api.example.com/v1; none: it works alone",
    ),
    Setting::new(Server, "ai-model", "", "Model to ask there"),
    Setting { secret: true, ..Setting::new(Server, "ai-key", "", "Bearer token for ai-url") },
    Setting::new(
        Server,
        "ai-timeout-seconds",
        "20",
        "Seconds the model may take for one question in all; then the assistant answers alone",
    ),
    Setting {
        secret: true,
        ..Setting::new(
            Server,
            "smtp-url",
            "",
            "Where mail is handed in, as smtp://user:password@mail.example.com:587?tls=required or smtps://…",
        )
    },
    Setting::new(
        Global,
        "backup-dir",
        "",
        "Second place for backups, such as a stick's mount point; it must be there",
    ),
    Setting::new(Server, "backup-at", "03:30", "Time of the nightly backup on the outlet's clock, or off"),
    Setting::new(
        Global,
        "backup-keep",
        "14",
        "Days of nightly backups that are kept, and four weekly ones before them",
    ),
    Setting::new(
        Global,
        "backup-before-upgrade",
        "yes",
        "Whether a backup is taken before a new version changes the schema: yes or no",
    ),
    Setting::new(Server, "mail-from", "", "Sender of mail, as Tiffin <no-reply@example.com>"),
    Setting {
        secret: true,
        ..Setting::new(Server, "metrics-token", "", "Bearer token for GET /metrics from other machines")
    },
];
