//! What can be configured: every setting of the branch server, and those that head office shares, each declared once. A value
//! comes from a flag, the environment, the file or the default, in this order. Never read again after start-up, and never prints
//! a secret.

mod declare;
mod error;
mod example;
mod source;
mod table;
mod value;

pub use error::ConfigError;
pub use source::{Flags, Group, Origin, Program, Reader, Resolved, Sources};
pub use table::{Scope, Setting, Side, Table, arrange};
pub use value::{
    AtMost, DailyTime, LogFormat, MailFrom, PlainHttp, Ports, PublicUrl, Rate, Secret, SmtpUrl, Text, Value,
};

use crate::settings;
use ipnet::IpNet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

/// Flags of every subcommand.
pub type GlobalFlags = Flags<false, Config>;
/// Flags of the subcommands that run a server.
pub type ServerFlags = Flags<true, Config>;

settings! {
    /// Everything, resolved.
    pub struct Config {
        /// Where the data are.
        store: Store;
        file: Option<PathBuf> = Global "config" [""] "Configuration file (TOML), read before the defaults apply";
        /// How to log.
        log: Log;
        /// Where and how to listen.
        network: Network;
        /// How the box is found in its network.
        lan: Lan;
        /// How large a request may be.
        bodies: Bodies;
        /// How often a client may ask.
        limits: LimitRates;
        read_pool_size: usize = Server "read-pool-size" ["4"] "Connections of the read pool";
        /// How much room the disk must have.
        room: Room;
        log_days: u32 = Server "log-retention-days" ["35"]
            "Days the change log is kept after head office has confirmed it; older rows are packed until it has";
        ack_timeout: Duration = Server "ack-timeout-seconds" ["20"]
            "Seconds until a kitchen ticket nobody acknowledged raises the alarm";
        /// Where printers may be.
        printers: Printers;
        /// Who helps the assistant.
        ai: Ai;
        /// When backups are taken, and where they go.
        backups: Backups;
        /// How mail is sent.
        mail: Mail;
        /// Who may read the metrics.
        metrics: Metrics;
    }
}

settings! {
    /// Where the data are.
    pub struct Store {
        data_dir: PathBuf = Global "data-dir" ["./data"] "Directory of the database, its keys and its backups";
    }
}

settings! {
    /// How to log; what to log is `RUST_LOG`.
    pub struct Log {
        format: LogFormat = Global "log-format" ["text"] "Format of the log on standard error: text or json";
    }
}

settings! {
    /// Where and how to listen.
    pub struct Network {
        listen: SocketAddr = Server "listen" ["0.0.0.0:8080" | "127.0.0.1:8090"] "Address and port to listen on";
        /// Where and how to listen with TLS.
        tls: Tls;
        public_url: Option<PublicUrl> = Server "public-url" [""]
            "Address at which clients reach this server, as `http://tiffin.local:8080`"
            | "Address at which boxes and browsers reach this server";
        allowed_hosts: Vec<String> = Server "allowed-hosts" [""]
            "More names clients may call this server by, comma-separated; *.name and * allowed";
        trusted_proxies: Vec<IpNet> = Server "trusted-proxies" [""]
            "Proxies whose Forwarded headers are believed: addresses or CIDRs, comma-separated";
        max_connections: usize = Server "max-connections" ["512" | "8192"]
            "Connections open at once; for one more, the oldest idle one makes room";
        limit_connections: AtMost = Server "limit-connections" ["64" | "256"]
            "Connections of one address nobody has signed in on; the oldest idle one makes room; or off";
        header_read_timeout: Duration = Server "header-read-timeout-seconds" ["5"]
            "Seconds a connection may take to send a request's header";
        idle_timeout: Duration = Server "idle-timeout-seconds" ["60"]
            "Seconds a connection is kept on which nothing is asked";
        request_timeout: Duration = Server "request-timeout-seconds" ["30"]
            "Seconds a request may take until its answer begins";
        shutdown_grace: Duration = Server "shutdown-grace-seconds" ["10"]
            "Seconds running requests get to finish when the server stops";
    }
}

settings! {
    /// Where and how to listen with TLS.
    #[derive(Default)]
    pub struct Tls {
        listen: Option<SocketAddr> = Server "tls-listen" [""]
            "Address and port to listen on with TLS too, as 0.0.0.0:8443";
        certificate: Option<PathBuf> = Server "tls-certificate" [""]
            "Certificate and what leads to its authority (PEM); none: the local authority of edge tls init"
            | "Certificate and what leads to its authority (PEM); none: the local authority of sync-hub tls init";
        key: Option<PathBuf> = Server "tls-key" [""] "Private key of tls-certificate (PEM)";
        staff_plain_http: Option<PlainHttp> = Server "staff-plain-http" ["" | { None }]
            "Staff's machines (never guests' phones) without TLS where tls-listen is set: allow, redirect or refuse; none: allow \
             until a device was paired over TLS, then redirect";
    }
}

settings! {
    /// How the box is found in its network.
    pub struct Lan {
        mdns: bool = Server "mdns" behind "staff-plain-http" ["yes"]
            "Whether the box announces itself in the local network: yes or no";
        mdns_name: Option<String> = Server "mdns-name" [""]
            "Name it announces, before .local; none: the outlet's code in lower case";
        hub_ca: Option<PathBuf> = Global "hub-ca" [""]
            "Certificate authority of head office (PEM), where it has its own, instead of the system's";
    }
}

settings! {
    /// How large a request may be, in bytes.
    #[derive(Copy)]
    pub struct Bodies {
        limit_bytes: usize = Server "body-limit-bytes" ["1048576"]
            "Largest request body" | "Largest request body, pushes aside";
        document_limit_bytes: usize = Server "document-limit-bytes" ["10485760"]
            "Largest uploaded document or import" | "Largest import";
    }
}

settings! {
    /// How often a client may ask.
    #[derive(Copy, Default)]
    pub struct LimitRates {
        general: Rate = Server "limit-general" ["1000/60"] "Requests/seconds per client address, or off";
        login: Rate = Server "limit-login" ["10/900"] "Sign-ins/seconds per client address, or off";
        pin: Rate = Server "limit-pin" ["30/60" | { Rate::Off }] "PIN operations/seconds per device, or off";
        qr_menu: Rate = Server "limit-qr-menu" ["10/60" | { Rate::Off }]
            "QR menu requests/seconds per client address, or off";
        qr_order: Rate = Server "limit-qr-order" ["30/60" | { Rate::Off }]
            "QR order requests/seconds per client address, or off";
        feedback: Rate = Server "limit-feedback" ["5/900" | { Rate::Off }]
            "Feedback requests/seconds per client address, or off";
        forgot_password: Rate = Server "limit-forgot-password" ["5/900" | { Rate::Off }]
            "Password-reset requests/seconds per client address, or off";
        qr_call: Rate = Server "limit-qr-call" ["10/60" | { Rate::Off }]
            "Calls of guests/seconds per client address, or off";
        pairing: Rate = Server "limit-pairing" ["10/900" | { Rate::Off }]
            "Devices that ask to be paired/seconds per client address, or off";
    }
}

settings! {
    /// How much room the disk must have.
    #[derive(Copy)]
    pub struct Room {
        warn_bytes: u64 = Server "disk-warn-bytes" ["1073741824" | "5368709120"]
            "Free bytes on the data directory's disk below which managers are warned"
            | "Free bytes on the data directory's disk below which the doctor warns (SQLite only)";
        stop_bytes: u64 = Server "disk-stop-bytes" ["67108864" | "268435456"]
            "Free bytes below which nothing is written, so that the database stays whole; reading goes on"
            | "Free bytes below which nothing is written, so that the databases stay whole; reading goes on (SQLite only)";
    }
}

settings! {
    /// The model that helps the assistant phrase and plan.
    pub struct Ai {
        url: Option<PublicUrl> = Server "ai-url" [""]
            "OpenAI-compatible API that helps the assistant, as `https://api.example.com/v1`; none: it works alone";
        model: Option<Text> = Server "ai-model" [""] "Model to ask there";
        key: Option<Secret> = Server "ai-key" [""] "Bearer token for ai-url";
        timeout: Duration = Server "ai-timeout-seconds" ["20"]
            "Seconds the model may take for one question in all; then the assistant answers alone";
    }
}

settings! {
    /// How mail is sent.
    pub struct Mail {
        server: Option<SmtpUrl> = Server "smtp-url" behind "ai-timeout-seconds" [""]
            "Where mail is handed in, as smtp://user:password@mail.example.com:587?tls=required or smtps://…";
        from: Option<MailFrom> = Server "mail-from" behind "backup-before-upgrade" [""]
            "Sender of mail, as Tiffin <no-reply@example.com>";
    }
}

settings! {
    /// When backups are taken, and where they go besides the data directory.
    pub struct Backups {
        second: Option<PathBuf> = Global "backup-dir" [""]
            "Second place for backups, such as a stick's mount point; it must be there"
            | "Second place for backups, such as another disk's mount point; it must be there";
        at: DailyTime = Server "backup-at" ["03:30"]
            "Time of the nightly backup on the outlet's clock, or off"
            | "Time of the nightly backup in UTC, or off; of the processes on one PostgreSQL one takes it, with pg_dump";
        keep_days: usize = Global "backup-keep" ["14"]
            "Days of nightly backups that are kept, and three weekly ones before them";
        before_upgrade: bool = Global "backup-before-upgrade" ["yes" | { false }]
            "Whether a backup is taken before a new version changes the schema: yes or no";
    }
}

settings! {
    /// Where printers may be: an address that somebody enters must not lead this machine to other services.
    pub struct Printers {
        networks: Vec<IpNet> = Server "printer-networks" ["10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"]
            "Networks that printers may be in, comma-separated";
        ports: Vec<Ports> = Server "printer-ports" ["9100-9109"]
            "TCP ports that printers may listen on, comma-separated";
        devices: PathBuf = Server "printer-devices" ["/dev/usb"]
            "Folder of the printers at a cable, whose files are called lp0, lp1 and so on";
        spooler: PathBuf = Server "printer-spooler" ["lp"]
            "Program that takes paper for the queues of this machine's print service";
    }
}

impl Printers {
    /// No printer may be anywhere: for who makes none.
    pub fn nowhere() -> Printers {
        let (devices, spooler) = (PathBuf::from("/dev/null"), PathBuf::from("/dev/null"));
        Printers { networks: Vec::new(), ports: Vec::new(), devices, spooler }
    }
}

settings! {
    /// Who may read `GET /metrics` from another machine.
    pub struct Metrics {
        token: Option<Secret> = Server "metrics-token" [""] "Bearer token for GET /metrics from other machines";
    }
}

/// A certificate that somebody gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate and what leads to its authority (PEM).
    pub certificate: PathBuf,
    /// Its private key (PEM).
    pub key: PathBuf,
}

impl Tls {
    /// Certificate and key that somebody gave; none: the local authority's.
    pub fn files(&self) -> Option<TlsFiles> {
        let (certificate, key) = (self.certificate.clone()?, self.key.clone()?);
        Some(TlsFiles { certificate, key })
    }

    /// Whether staff's machines that call in clear are sent here, where `is_shown` that a device believes the certificate, or not.
    pub fn is_sent_to(&self, is_shown: bool) -> bool {
        self.staff_plain_http.map_or(is_shown, |word| word != PlainHttp::Allow)
    }
}

/// Complains of what does not go together in either program.
///
/// # Errors
/// As [`ConfigError::unless`].
pub fn check_shared(tls: &Tls, room: Room) -> Result<(), ConfigError> {
    ConfigError::unless([
        (tls.certificate.is_some() == tls.key.is_some(), "tls-certificate and tls-key go together"),
        (room.stop_bytes <= room.warn_bytes, "disk-stop-bytes must not be more than disk-warn-bytes"),
    ])
}

impl Program for Config {
    fn table() -> Table {
        static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| Config::settings(Side::Branch));
        Table { settings: &SETTINGS, prefix: "TIFFIN_" }
    }

    fn check(&self) -> Result<(), ConfigError> {
        check_shared(&self.network.tls, self.room)?;
        let Ai { url, model, timeout, .. } = &self.ai;
        let is_label = |name: &String| {
            (1..=63).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        ConfigError::unless([
            (
                self.lan.mdns_name.as_ref().is_none_or(is_label),
                "mdns-name must be letters, digits and hyphens, as tiffin",
            ),
            (url.is_none() || model.is_some(), "ai-url needs ai-model"),
            (
                url.is_none() || *timeout < self.network.request_timeout,
                "ai-timeout-seconds must be less than request-timeout-seconds",
            ),
            (self.mail.server.is_none() || self.mail.from.is_some(), "smtp-url needs mail-from"),
            // Head office may come back from a backup that old: it is refilled from this log.
            (self.log_days >= 35, "log-retention-days must be at least 35"),
        ])
    }
}

impl Config {
    /// Gives every setting its value.
    ///
    /// # Errors
    /// As [`Sources::read`].
    pub fn resolve(sources: &Sources) -> Result<Self, ConfigError> {
        sources.read()
    }
}

impl Default for Table {
    fn default() -> Self {
        Config::table()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(flags: &[(&'static str, &str)], env: &[(&str, &str)], file: &str) -> Sources {
        Sources {
            flags: flags.iter().map(|(k, v)| (*k, v.to_string())).collect(),
            environment: env.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
            file: (!file.is_empty()).then(|| ("edge.toml".into(), file.into())),
            ..Sources::default()
        }
    }

    #[test]
    fn every_default_can_be_used_and_every_setting_is_read() {
        let config = Config::resolve(&sources(&[], &[], "")).unwrap();
        assert_eq!(config.limits.general, Rate::Per { requests: 1000, seconds: 60 });
        assert_eq!(config.limits.login, Rate::Per { requests: 10, seconds: 900 });
        assert_eq!(config.ack_timeout, Duration::from_secs(20));
        assert!(config.metrics.token.is_none() && config.network.public_url.is_none());
    }

    #[test]
    fn flag_goes_before_environment_before_file_before_default() {
        let file = "limit_general = '1/1'\nlimit_login = '2/2'\nlimit-pin = '3/3'\nread_pool_size = 9";
        let env = [("TIFFIN_LIMIT_GENERAL", "4/4"), ("TIFFIN_LIMIT_LOGIN", "5/5")];
        let from = sources(&[("limit-general", "off")], &env, file);
        let config = Config::resolve(&from).unwrap();
        assert_eq!(config.limits.general, Rate::Off);
        assert_eq!(config.limits.login, Rate::Per { requests: 5, seconds: 5 });
        assert_eq!(config.limits.pin, Rate::Per { requests: 3, seconds: 3 });
        assert_eq!(config.limits.feedback, Rate::Per { requests: 5, seconds: 900 });
        assert_eq!(config.read_pool_size, 9);
        let listed = from.listing().unwrap();
        let origin = |flag: &str| listed.iter().find(|r| r.setting.flag == flag).unwrap().origin.to_string();
        assert_eq!(origin("limit-general"), "flag --limit-general");
        assert_eq!(origin("limit-login"), "environment TIFFIN_LIMIT_LOGIN");
        assert_eq!(origin("limit-pin"), "file edge.toml");
        assert_eq!(origin("limit-feedback"), "default");
        assert_eq!(sources(&[], &[("TIFFIN_LIMIT_GENRAL", "off")], "").misspelt(), ["TIFFIN_LIMIT_GENRAL"]);
    }

    #[test]
    fn all_wrong_settings_are_named_at_once_without_their_values() {
        let env = [("TIFFIN_METRICS_TOKEN", "hunter2"), ("TIFFIN_LISTEN", "nowhere")];
        let error = Config::resolve(&sources(&[("limit-pin", "30")], &env, "")).unwrap_err().to_string();
        for name in ["metrics-token", "listen", "limit-pin"] {
            assert!(error.contains(name), "{error}");
        }
        assert!(!error.contains("hunter2"));
        let error = Config::resolve(&sources(&[], &[], "limit_generl = 'off'\nlisten = 3")).unwrap_err();
        assert!(error.to_string().contains("limit_generl"));
    }

    #[test]
    fn secrets_never_print() {
        let from = sources(&[("metrics-token", "0123456789abcdef")], &[], "");
        let listed = from.listing().unwrap();
        let text = format!("{:?}{listed:?}{from:?}", Config::resolve(&from).unwrap());
        assert!(!text.contains("0123456789abcdef"));
        assert!(listed.iter().all(|row| !row.shown().contains("0123456789")));
    }

    #[test]
    fn a_model_is_named_and_leaves_time_for_the_answer_without_it() {
        let url = ("ai-url", "https://models.test/v1/");
        let config = Config::resolve(&sources(&[url, ("ai-model", "Qwen/Qwen3-8B")], &[], "")).unwrap();
        assert_eq!(config.ai.url.unwrap().as_str(), "https://models.test/v1");
        assert_eq!(config.ai.model, Some(Text("Qwen/Qwen3-8B".into())));
        for wrong in [("ai-model", ""), ("ai-timeout-seconds", "30")] {
            let flags = [url, ("ai-model", "m"), wrong];
            let flags: std::collections::BTreeMap<_, _> = flags.into();
            let flags: Vec<_> = flags.into_iter().collect();
            assert!(Config::resolve(&sources(&flags, &[], "")).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn mail_needs_a_sender_and_a_password_needs_tls() {
        let read = |url: &str, sender: &str| {
            Config::resolve(&sources(&[("smtp-url", url), ("mail-from", sender)], &[], ""))
        };
        let sender = "Tiffin <no-reply@example.com>";
        for right in [
            "smtp://localhost:2525",
            "smtps://me:secret@mail.test",
            "smtp://me:secret@mail.test?tls=required",
        ] {
            assert!(read(right, sender).is_ok(), "{right}");
        }
        for wrong in
            ["mail.test", "http://mail.test", "smtp://me:secret@mail.test", "smtp://mail.test?tls=maybe"]
        {
            let error = read(wrong, sender).unwrap_err().to_string();
            assert!(error.contains("smtp-url") && !error.contains("secret"), "{error}");
        }
        assert!(read("smtp://localhost", "").unwrap_err().to_string().contains("mail-from"));
        assert!(read("smtp://localhost", "nobody").unwrap_err().to_string().contains("mail-from"));
        assert!(!format!("{:?}", read("smtps://me:secret@mail.test", sender)).contains("secret"));
    }

    #[test]
    fn tls_has_an_address_and_both_of_its_files_or_none() {
        let read = |flags: &[(&'static str, &str)]| Config::resolve(&sources(flags, &[], ""));
        let on = ("tls-listen", "0.0.0.0:8443");
        assert!(read(&[]).unwrap().network.tls.listen.is_none());
        assert!(read(&[on, ("staff-plain-http", "redirect")]).unwrap().network.tls.is_sent_to(false));
        let asked =
            |flags: &[(&'static str, &str)], is_shown| read(flags).unwrap().network.tls.is_sent_to(is_shown);
        assert!(!asked(&[on], false) && asked(&[on], true), "as soon as a device was paired over TLS");
        assert!(!asked(&[on, ("staff-plain-http", "allow")], true));
        let files = [on, ("tls-certificate", "/a.pem"), ("tls-key", "/a.key")];
        assert_eq!(read(&files).unwrap().network.tls.files().unwrap().certificate, PathBuf::from("/a.pem"));
        // An upgrade is tried out with TLS turned off; what belongs to it may stay.
        assert!(read(&files[1..]).unwrap().network.tls.listen.is_none());
        assert!(read(&[("staff-plain-http", "refuse")]).is_ok());
        for wrong in [&files[..2], &[("staff-plain-http", "no")]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
        assert!(read(&[("mdns-name", "two words")]).is_err() && read(&[("mdns-name", "pos-1")]).is_ok());
    }

    #[test]
    fn proxies_are_addresses_or_networks() {
        let config = Config::resolve(&sources(&[("trusted-proxies", "10.0.0.0/8, ::1")], &[], "")).unwrap();
        assert_eq!(config.network.trusted_proxies.len(), 2);
        assert!(Config::resolve(&sources(&[("trusted-proxies", "10.0.0.0/99")], &[], "")).is_err());
    }

    #[test]
    fn public_url_is_an_address_and_nothing_more() {
        let read = |text: &str| PublicUrl::read(text);
        assert_eq!(read("http://Tiffin.local:8080/").unwrap().as_str(), "http://Tiffin.local:8080");
        assert_eq!(read("https://[::1]:8080").unwrap().host(), "::1");
        assert_eq!(read("http://Tiffin.local:8080/").unwrap().host(), "tiffin.local");
        for wrong in ["tiffin.local", "ftp://x", "http://a:b@c", "http://x?y", "javascript:alert(1)"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
