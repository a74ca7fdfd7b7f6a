//! The kinds of value a setting can have, and how each is read from text. Never knows which setting it is.

use axum::http::Uri;
use chrono::NaiveTime;
use ipnet::IpNet;
use lettre::message::Mailbox;
use lettre::{AsyncSmtpTransport, Tokio1Executor};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Reads one setting's text. An error says what would have been right, without repeating the value (it may be a secret).
pub trait Value: Sized {
    /// Whether it must never be printed.
    const SECRET: bool = false;

    /// Reads `text`.
    ///
    /// # Errors
    /// A phrase that completes "must be …".
    fn read(text: &str) -> Result<Self, String>;
}

/// `text`, where it can be read and `is_right`.
fn parsed<T: FromStr>(text: &str, is_right: impl FnOnce(&T) -> bool, wanted: &str) -> Result<T, String> {
    text.parse().ok().filter(is_right).ok_or_else(|| wanted.to_owned())
}

/// The one of two words that `text` is.
fn either<T, const N: usize>(text: &str, words: [(&str, T); N]) -> Result<T, String> {
    let known = words.each_ref().map(|(word, _)| *word).join(" or ");
    words.into_iter().find(|(word, _)| *word == text).map(|(_, value)| value).ok_or(known)
}

/// So many at once, or any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtMost(pub Option<usize>);

impl Value for AtMost {
    fn read(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("off") {
            return Ok(AtMost(None));
        }
        parsed(text, |n: &usize| (1..=1_000_000).contains(n), "a number from 1 to 1000000 or off")
            .map(|n| AtMost(Some(n)))
    }
}

/// A rate limit: so many requests in so many seconds, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rate {
    /// No limit and no headers.
    #[default]
    Off,
    /// `requests` at once, refilled evenly over `seconds`. Both at least 1.
    Per {
        /// How many.
        requests: u32,
        /// The window.
        seconds: u32,
    },
}

impl Value for Rate {
    fn read(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("off") {
            return Ok(Rate::Off);
        }
        let number = |part: &str| part.trim().parse::<u32>().ok().filter(|n| (1..=1_000_000).contains(n));
        let parts = text.split_once('/').and_then(|(n, s)| Some((number(n)?, number(s)?)));
        parts
            .map(|(requests, seconds)| Rate::Per { requests, seconds })
            .ok_or_else(|| "requests/seconds (each 1 to 1000000) or off".into())
    }
}

/// A value that never shows in logs, listings or `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The value itself, for comparing and sending only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Value for Secret {
    const SECRET: bool = true;

    fn read(text: &str) -> Result<Self, String> {
        // Shorter ones can be guessed over the network within a day.
        parsed(text, |text: &String| text.len() >= 16, "at least 16 characters").map(Secret)
    }
}

/// Text as it was written: names whose capitals matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(pub String);

impl Value for Text {
    fn read(text: &str) -> Result<Self, String> {
        Ok(Text(text.to_owned()))
    }
}

/// Where mail is handed in: `smtp://` or `smtps://`, with user and password in it. Never shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmtpUrl(Secret);

impl SmtpUrl {
    /// The address itself, for connecting only.
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }
}

impl Value for SmtpUrl {
    const SECRET: bool = true;

    fn read(text: &str) -> Result<Self, String> {
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(text);
        let is_open = text.starts_with("smtp:") && !text.contains("tls=required");
        match builder {
            Ok(_) if is_open && text.contains('@') => {
                Err("smtps://… or smtp://…?tls=required where it holds a password".into())
            }
            Ok(_) => Ok(SmtpUrl(Secret(text.into()))),
            Err(_) => Err("an address such as smtp://user:password@host:587?tls=required".into()),
        }
    }
}

/// Who mail is from: an address, with or without a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailFrom(String);

impl MailFrom {
    /// The address, with its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Value for MailFrom {
    fn read(text: &str) -> Result<Self, String> {
        let is_address = |text: &String| text.parse::<Mailbox>().is_ok();
        parsed(text, is_address, "an address such as me@example.com").map(MailFrom)
    }
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// One line of text per event.
    Text,
    /// One JSON object per event.
    Json,
}

impl Value for LogFormat {
    fn read(text: &str) -> Result<Self, String> {
        either(text, [("text", LogFormat::Text), ("json", LogFormat::Json)])
    }
}

/// What becomes of the staff's machines that call without TLS; guests' phones, which trust no local authority, are always answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlainHttp {
    /// They are answered.
    #[default]
    Allow,
    /// They are sent to the address with TLS.
    Redirect,
    /// Pages are sent there; programs, which would send their password once more in clear before they follow, are refused.
    Refuse,
}

impl Value for PlainHttp {
    fn read(text: &str) -> Result<Self, String> {
        let words =
            [("allow", PlainHttp::Allow), ("redirect", PlainHttp::Redirect), ("refuse", PlainHttp::Refuse)];
        either(text, words)
    }
}

impl Value for bool {
    fn read(text: &str) -> Result<Self, String> {
        either(text, [("yes", true), ("no", false)])
    }
}

/// An `http(s)://host[:port][/path]` address, held without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// The address without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host alone, lower case, without port or brackets.
    pub fn host(&self) -> String {
        let uri = self.0.parse::<Uri>().unwrap_or_default();
        uri.host().unwrap_or_default().trim_matches(['[', ']']).to_ascii_lowercase()
    }
}

impl Value for PublicUrl {
    fn read(text: &str) -> Result<Self, String> {
        let is_right = |uri: &Uri| {
            let http = matches!(uri.scheme_str(), Some("http" | "https"));
            let plain = uri.query().is_none() && !text.contains(['@', '#']);
            http && plain && uri.host().is_some_and(|host| !host.is_empty())
        };
        parsed(text, is_right, "an address such as http://tiffin.local:8080, without query or password")?;
        Ok(PublicUrl(text.trim_end_matches('/').into()))
    }
}

impl Value for SocketAddr {
    fn read(text: &str) -> Result<Self, String> {
        parsed(text, |_| true, "address:port, as 0.0.0.0:8080 or [::]:8080")
    }
}

impl Value for IpNet {
    fn read(text: &str) -> Result<Self, String> {
        let host = text.parse::<IpAddr>().map(IpNet::from);
        host.or_else(|_| parsed(text, |_| true, "addresses or CIDRs, as 10.0.0.7 or 10.0.0.0/8"))
    }
}

/// TCP ports, from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// The lowest.
    pub first: u16,
    /// The highest.
    pub last: u16,
}

impl Value for Ports {
    fn read(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let port = |part: &str| part.trim().parse::<u16>().ok().filter(|port| *port > 0);
        match (port(first), port(last)) {
            (Some(first), Some(last)) if first <= last => Ok(Ports { first, last }),
            _ => Err("ports such as 9100 or 9100-9109".into()),
        }
    }
}

/// A time of every day, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyTime(pub Option<NaiveTime>);

impl Value for DailyTime {
    fn read(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("off") {
            return Ok(DailyTime(None));
        }
        let time = NaiveTime::parse_from_str(text, "%H:%M").map(|time| DailyTime(Some(time)));
        time.map_err(|_| "a time such as 03:30, or off".to_owned())
    }
}

impl Value for PathBuf {
    fn read(text: &str) -> Result<Self, String> {
        parsed(text, |path: &PathBuf| !path.as_os_str().is_empty(), "a path")
    }
}

impl Value for String {
    fn read(text: &str) -> Result<Self, String> {
        Ok(text.to_ascii_lowercase())
    }
}

/// A count or a size: 1 to a hundred million.
impl Value for usize {
    fn read(text: &str) -> Result<Self, String> {
        parsed(text, |n| (1..=100_000_000).contains(n), "a whole number from 1 to 100000000")
    }
}

/// Bytes of a disk: 0 to an exabyte.
impl Value for u64 {
    fn read(text: &str) -> Result<Self, String> {
        parsed(text, |n| *n <= 1 << 60, "a whole number of bytes")
    }
}

/// A number of days: 1 to ten thousand.
impl Value for u32 {
    fn read(text: &str) -> Result<Self, String> {
        parsed(text, |n| (1..=10_000).contains(n), "a whole number from 1 to 10000")
    }
}

/// Whole seconds, 1 to a day.
impl Value for Duration {
    fn read(text: &str) -> Result<Self, String> {
        parsed(text, |n| (1..=86_400).contains(n), "whole seconds from 1 to 86400").map(Duration::from_secs)
    }
}

/// Empty text is "not set".
impl<T: Value> Value for Option<T> {
    const SECRET: bool = T::SECRET;

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() { Ok(None) } else { T::read(text).map(Some) }
    }
}

/// Comma-separated; empty text is an empty list.
impl<T: Value> Value for Vec<T> {
    fn read(text: &str) -> Result<Self, String> {
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(T::read).collect()
    }
}
