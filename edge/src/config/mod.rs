//! What can be configured: one small struct per concern, filled from the table of settings in the order flag,
//! environment, file, default. Never read again after start-up, and never prints a secret.

mod error;
mod example;
mod source;
mod table;
mod value;

pub use error::ConfigError;
pub use source::{Flags, GlobalFlags, Origin, Reader, Resolved, ServerFlags, Sources};
pub use table::{Edge, Program, SETTINGS, Scope, Setting, Table};
pub use value::{DailyTime, LogFormat, MailFrom, PublicUrl, Rate, Secret, SmtpUrl, Text, Value};

use ipnet::IpNet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Everything, resolved.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where the data are.
    pub store: Store,
    /// Where and how to listen.
    pub network: Network,
    /// How large a request may be.
    pub bodies: Bodies,
    /// How often a client may ask.
    pub limits: LimitRates,
    /// Who may read the metrics.
    pub metrics: Metrics,
    /// How to log.
    pub log: Log,
    /// How much room the disk must have, and how long the change log is kept.
    pub room: Room,
    /// How the kitchen is watched.
    pub kitchen: Kitchen,
    /// Who helps the assistant.
    pub ai: Ai,
    /// How mail is sent.
    pub mail: Mail,
    /// When backups are taken, and where they go.
    pub backups: Backups,
    /// How the box is found in its network.
    pub lan: Lan,
}

/// Where the data are. `TIFFIN_DATA_DIR`, `TIFFIN_READ_POOL_SIZE`.
#[derive(Debug, Clone)]
pub struct Store {
    /// Directory of the database, keys and backups.
    pub data_dir: PathBuf,
    /// Connections of the read pool.
    pub read_pool_size: usize,
}

/// Where and how to listen. `TIFFIN_LISTEN`, `TIFFIN_PUBLIC_URL` and their neighbours in the table.
#[derive(Debug, Clone)]
pub struct Network {
    /// Address and port.
    pub listen: SocketAddr,
    /// Where and how to listen with TLS.
    pub tls: Tls,
    /// How clients reach this server, when that is not the address it listens on.
    pub public_url: Option<PublicUrl>,
    /// More names this server answers to.
    pub allowed_hosts: Vec<String>,
    /// Peers whose `Forwarded` and `X-Forwarded-For` are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Connections open at once.
    pub max_connections: usize,
    /// How long a request's header may take to arrive; also how long an idle connection is kept.
    pub header_read_timeout: Duration,
    /// How long a request may take until its answer begins.
    pub request_timeout: Duration,
    /// How long running requests get when the server stops.
    pub shutdown_grace: Duration,
}

/// Where and how to listen with TLS. `TIFFIN_TLS_LISTEN`, `…_CERTIFICATE`, `…_KEY`, `TIFFIN_PLAIN_HTTP`.
#[derive(Debug, Clone, Default)]
pub struct Tls {
    /// Address and port; none: no TLS.
    pub listen: Option<SocketAddr>,
    /// Certificate and key that somebody gave; none: the local authority's.
    pub files: Option<TlsFiles>,
    /// Whether other machines that call in clear are sent there.
    pub redirect: bool,
}

/// A certificate that somebody gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate and what leads to its authority (PEM).
    pub certificate: PathBuf,
    /// Its private key (PEM).
    pub key: PathBuf,
}

/// How the box is found in its network. `TIFFIN_MDNS`, `TIFFIN_MDNS_NAME`, `TIFFIN_HUB_CA`.
#[derive(Debug, Clone)]
pub struct Lan {
    /// Whether it announces itself.
    pub mdns: bool,
    /// The name it announces, before `.local`; none: the outlet's code.
    pub mdns_name: Option<String>,
    /// The certificate authority of head office.
    pub hub_ca: Option<PathBuf>,
}

/// Largest request bodies, in bytes. `TIFFIN_BODY_LIMIT_BYTES`, `TIFFIN_DOCUMENT_LIMIT_BYTES`.
#[derive(Debug, Clone, Copy)]
pub struct Bodies {
    /// Any body.
    pub limit_bytes: usize,
    /// Uploaded documents and imports.
    pub document_limit_bytes: usize,
}

/// Rate limits. `TIFFIN_LIMIT_GENERAL`, `…_LOGIN`, `…_PIN`, `…_QR_MENU`, `…_QR_ORDER`, `…_FEEDBACK`, `…_FORGOT_PASSWORD`.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "the fields are the settings of the same names, explained in the table")]
pub struct LimitRates {
    pub general: Rate,
    pub login: Rate,
    pub pin: Rate,
    pub qr_menu: Rate,
    pub qr_order: Rate,
    pub feedback: Rate,
    pub forgot_password: Rate,
}

/// Who may read `GET /metrics` from another machine. `TIFFIN_METRICS_TOKEN`.
#[derive(Debug, Clone)]
pub struct Metrics {
    /// The bearer token; none: this machine only.
    pub token: Option<Secret>,
}

/// How to log. `TIFFIN_LOG_FORMAT`; what to log is `RUST_LOG`.
#[derive(Debug, Clone, Copy)]
pub struct Log {
    /// Text or JSON.
    pub format: LogFormat,
}

/// How much room the disk must have, and how long the change log is kept. `TIFFIN_DISK_WARN_BYTES`, `TIFFIN_DISK_STOP_BYTES`,
/// `TIFFIN_LOG_RETENTION_DAYS`.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Free bytes below which managers are warned.
    pub warn_bytes: u64,
    /// Free bytes below which nothing is written.
    pub stop_bytes: u64,
    /// Days the change log is kept after head office has confirmed it.
    pub log_days: u32,
}

/// How the kitchen is watched. `TIFFIN_ACK_TIMEOUT_SECONDS`.
#[derive(Debug, Clone, Copy)]
pub struct Kitchen {
    /// How long a ticket may wait for a display's acknowledgement.
    pub ack_timeout: Duration,
}

/// The model that helps the assistant phrase and plan. `TIFFIN_AI_URL`, `…_MODEL`, `…_KEY`, `…_TIMEOUT_SECONDS`.
#[derive(Debug, Clone)]
pub struct Ai {
    /// Where an OpenAI-compatible API answers; none: the assistant works alone.
    pub url: Option<PublicUrl>,
    /// The model to ask there.
    pub model: Option<Text>,
    /// Its bearer token.
    pub key: Option<Secret>,
    /// How long the model may take for one question, all its rounds together.
    pub timeout: Duration,
}

/// How mail is sent. `TIFFIN_SMTP_URL`, `TIFFIN_MAIL_FROM`; both or neither.
#[derive(Debug, Clone)]
pub struct Mail {
    /// Where it is handed in; none: no mail is sent.
    pub server: Option<SmtpUrl>,
    /// Who it is from.
    pub from: Option<MailFrom>,
}

/// When backups are taken, and where they go besides the data directory. `TIFFIN_BACKUP_DIR`, `…_AT`, `…_KEEP`, `…_BEFORE_UPGRADE`.
#[derive(Debug, Clone)]
pub struct Backups {
    /// A second place, which must be there; none: there is only the data directory's.
    pub second: Option<PathBuf>,
    /// When the nightly one is taken, on the outlet's clock.
    pub at: DailyTime,
    /// Days of nightly ones that are kept.
    pub keep_days: usize,
    /// Whether one is taken before the schema is changed.
    pub before_upgrade: bool,
}

impl Tls {
    /// Reads `tls-listen`, `tls-certificate` and `tls-key`, which head office has too.
    pub fn read(from: &mut Reader) -> Tls {
        let (certificate, key) = (from.take("tls-certificate"), from.take("tls-key"));
        let files = match (certificate, key) {
            (Some(certificate), Some(key)) => Some(TlsFiles { certificate, key }),
            (None, None) => None,
            _ => {
                from.require(false, "tls-certificate and tls-key go together");
                None
            }
        };
        Tls { listen: from.take("tls-listen"), files, redirect: false }
    }
}

impl LimitRates {
    fn read(from: &mut Reader) -> LimitRates {
        LimitRates {
            general: from.take("limit-general"),
            login: from.take("limit-login"),
            pin: from.take("limit-pin"),
            qr_menu: from.take("limit-qr-menu"),
            qr_order: from.take("limit-qr-order"),
            feedback: from.take("limit-feedback"),
            forgot_password: from.take("limit-forgot-password"),
        }
    }
}

impl Ai {
    fn read(from: &mut Reader) -> Ai {
        Ai {
            url: from.take("ai-url"),
            model: from.take("ai-model"),
            key: from.take("ai-key"),
            timeout: from.take("ai-timeout-seconds"),
        }
    }
}

impl Backups {
    fn read(from: &mut Reader) -> Backups {
        Backups {
            second: from.take("backup-dir"),
            at: from.take("backup-at"),
            keep_days: from.take("backup-keep"),
            before_upgrade: from.take("backup-before-upgrade"),
        }
    }
}

impl Config {
    /// Gives every setting its value.
    ///
    /// # Errors
    /// All settings that cannot be read, in one error; the values themselves are not repeated.
    pub fn resolve(sources: &Sources) -> Result<Self, ConfigError> {
        let mut from = sources.resolve()?;
        let mut config = Config {
            store: Store { data_dir: from.take("data-dir"), read_pool_size: from.take("read-pool-size") },
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
            bodies: Bodies {
                limit_bytes: from.take("body-limit-bytes"),
                document_limit_bytes: from.take("document-limit-bytes"),
            },
            limits: LimitRates::read(&mut from),
            metrics: Metrics { token: from.take("metrics-token") },
            log: Log { format: from.take("log-format") },
            room: Room {
                warn_bytes: from.take("disk-warn-bytes"),
                stop_bytes: from.take("disk-stop-bytes"),
                log_days: from.take("log-retention-days"),
            },
            kitchen: Kitchen { ack_timeout: from.take("ack-timeout-seconds") },
            ai: Ai::read(&mut from),
            mail: Mail { server: from.take("smtp-url"), from: from.take("mail-from") },
            backups: Backups::read(&mut from),
            lan: Lan {
                mdns: from.take("mdns"),
                mdns_name: from.take("mdns-name"),
                hub_ca: from.take("hub-ca"),
            },
        };
        let plain_http: Text = from.take("plain-http");
        config.network.tls.redirect = plain_http.0 == "redirect";
        from.require(
            matches!(plain_http.0.as_str(), "yes" | "redirect"),
            "plain-http must be yes or redirect",
        );
        let is_label = |name: &String| {
            (1..=63).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        let is_name = config.lan.mdns_name.as_ref().is_none_or(is_label);
        from.require(is_name, "mdns-name must be letters, digits and hyphens, as tiffin");
        let Ai { url, model, timeout, .. } = &config.ai;
        from.require(url.is_none() || model.is_some(), "ai-url needs ai-model");
        let in_time = url.is_none() || *timeout < config.network.request_timeout;
        from.require(in_time, "ai-timeout-seconds must be less than request-timeout-seconds");
        let is_signed = config.mail.server.is_none() || config.mail.from.is_some();
        from.require(is_signed, "smtp-url needs mail-from");
        let Room { warn_bytes, stop_bytes, log_days } = config.room;
        from.require(stop_bytes <= warn_bytes, "disk-stop-bytes must not be more than disk-warn-bytes");
        // Head office may come back from a backup that old: it is refilled from this log.
        from.require(log_days >= 35, "log-retention-days must be at least 35");
        from.finish()?;
        Ok(config)
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
        assert_eq!(config.kitchen.ack_timeout, Duration::from_secs(20));
        assert!(config.metrics.token.is_none() && config.network.public_url.is_none());
    }

    #[test]
    fn flag_goes_before_environment_before_file_before_default() {
        let file = "limit_general = '1/1'\nlimit_login = '2/2'\nlimit_pin = '3/3'\nread_pool_size = 9";
        let env = [("TIFFIN_LIMIT_GENERAL", "4/4"), ("TIFFIN_LIMIT_LOGIN", "5/5")];
        let from = sources(&[("limit-general", "off")], &env, file);
        let config = Config::resolve(&from).unwrap();
        assert_eq!(config.limits.general, Rate::Off);
        assert_eq!(config.limits.login, Rate::Per { requests: 5, seconds: 5 });
        assert_eq!(config.limits.pin, Rate::Per { requests: 3, seconds: 3 });
        assert_eq!(config.limits.feedback, Rate::Per { requests: 5, seconds: 900 });
        assert_eq!(config.store.read_pool_size, 9);
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
        assert!(read(&[on, ("plain-http", "redirect")]).unwrap().network.tls.redirect);
        let files = [on, ("tls-certificate", "/a.pem"), ("tls-key", "/a.key")];
        assert_eq!(read(&files).unwrap().network.tls.files.unwrap().certificate, PathBuf::from("/a.pem"));
        // An upgrade is tried out with TLS turned off; what belongs to it may stay.
        assert!(read(&files[1..]).unwrap().network.tls.listen.is_none());
        assert!(read(&[("plain-http", "redirect")]).is_ok());
        for wrong in [&files[..2], &[("plain-http", "no")]] {
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
