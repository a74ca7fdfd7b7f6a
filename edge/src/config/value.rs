//! The kinds of value a setting can have, and how each is read from text. Never knows which setting it is.

use chrono::NaiveTime;
use ipnet::IpNet;
use lettre::message::Mailbox;
use lettre::{AsyncSmtpTransport, Tokio1Executor};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// Reads one setting's text. An error says what would have been right, without repeating the value (it may be a secret).
pub trait Value: Sized {
    /// Reads `text`.
    ///
    /// # Errors
    /// A phrase that completes "must be …".
    fn read(text: &str) -> Result<Self, String>;

    /// What stands in for an unreadable value until all errors are collected; never reaches a running server.
    fn stand_in() -> Self;
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
    fn stand_in() -> Self {
        Rate::Off
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
    fn read(text: &str) -> Result<Self, String> {
        // Shorter ones can be guessed over the network within a day.
        if text.len() >= 16 { Ok(Secret(text.into())) } else { Err("at least 16 characters".into()) }
    }
    fn stand_in() -> Self {
        Secret(String::new())
    }
}

/// Text as it was written: names whose capitals matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(pub String);

impl Value for Text {
    fn read(text: &str) -> Result<Self, String> {
        Ok(Text(text.to_owned()))
    }
    fn stand_in() -> Self {
        Text(String::new())
    }
}

/// Where mail is handed in: `smtp://` or `smtps://`, with user and password in it. Never shows them.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpUrl(String);

impl SmtpUrl {
    /// The address itself, for connecting only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SmtpUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SmtpUrl(…)")
    }
}

impl Value for SmtpUrl {
    fn read(text: &str) -> Result<Self, String> {
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(text);
        let is_open = text.starts_with("smtp:") && !text.contains("tls=required");
        match builder {
            Ok(_) if is_open && text.contains('@') => {
                Err("smtps://… or smtp://…?tls=required where it holds a password".into())
            }
            Ok(_) => Ok(SmtpUrl(text.into())),
            Err(_) => Err("an address such as smtp://user:password@host:587?tls=required".into()),
        }
    }
    fn stand_in() -> Self {
        SmtpUrl(String::new())
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
        let is_address = text.parse::<Mailbox>().is_ok();
        if is_address { Ok(MailFrom(text.into())) } else { Err("an address such as me@example.com".into()) }
    }
    fn stand_in() -> Self {
        MailFrom(String::new())
    }
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// One line of text per event.
    #[default]
    Text,
    /// One JSON object per event.
    Json,
}

impl Value for LogFormat {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            _ => Err("text or json".into()),
        }
    }
    fn stand_in() -> Self {
        LogFormat::Text
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
        let uri = self.0.parse::<axum::http::Uri>().unwrap_or_default();
        uri.host().unwrap_or_default().trim_matches(['[', ']']).to_ascii_lowercase()
    }
}

impl Value for PublicUrl {
    fn read(text: &str) -> Result<Self, String> {
        let wrong = || "an address such as http://tiffin.local:8080, without query or password".to_string();
        let uri: axum::http::Uri = text.parse().map_err(|_| wrong())?;
        let http = matches!(uri.scheme_str(), Some("http" | "https"));
        let plain = uri.query().is_none() && !text.contains(['@', '#']);
        if http && plain && uri.host().is_some_and(|host| !host.is_empty()) {
            Ok(PublicUrl(text.trim_end_matches('/').into()))
        } else {
            Err(wrong())
        }
    }
    fn stand_in() -> Self {
        PublicUrl(String::new())
    }
}

impl Value for SocketAddr {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "address:port, as 0.0.0.0:8080 or [::]:8080".into())
    }
    fn stand_in() -> Self {
        ([127, 0, 0, 1], 0).into()
    }
}

impl Value for IpNet {
    fn read(text: &str) -> Result<Self, String> {
        let net = text.parse::<IpNet>().ok();
        let host = || text.parse::<IpAddr>().ok().map(IpNet::from);
        net.or_else(host).ok_or_else(|| "addresses or CIDRs, as 10.0.0.7 or 10.0.0.0/8".into())
    }
    fn stand_in() -> Self {
        IpNet::from(IpAddr::from([0, 0, 0, 0]))
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
        let time =
            NaiveTime::parse_from_str(text, "%H:%M").map_err(|_| "a time such as 03:30, or off".to_owned());
        time.map(|time| DailyTime(Some(time)))
    }
    fn stand_in() -> Self {
        DailyTime(None)
    }
}

impl Value for bool {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "yes" => Ok(true),
            "no" => Ok(false),
            _ => Err("yes or no".into()),
        }
    }
    fn stand_in() -> Self {
        false
    }
}

impl Value for PathBuf {
    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() { Err("a path".into()) } else { Ok(text.into()) }
    }
    fn stand_in() -> Self {
        PathBuf::new()
    }
}

impl Value for String {
    fn read(text: &str) -> Result<Self, String> {
        Ok(text.to_ascii_lowercase())
    }
    fn stand_in() -> Self {
        String::new()
    }
}

/// A count or a size: 1 to a hundred million.
impl Value for usize {
    fn read(text: &str) -> Result<Self, String> {
        let range = 1..=100_000_000;
        text.parse()
            .ok()
            .filter(|n| range.contains(n))
            .ok_or_else(|| "a whole number from 1 to 100000000".into())
    }
    fn stand_in() -> Self {
        1
    }
}

/// Bytes of a disk: 0 to an exabyte.
impl Value for u64 {
    fn read(text: &str) -> Result<Self, String> {
        let bytes = text.parse().ok().filter(|n| *n <= 1 << 60);
        bytes.ok_or_else(|| "a whole number of bytes".into())
    }
    fn stand_in() -> Self {
        0
    }
}

/// A number of days: 1 to ten thousand.
impl Value for u32 {
    fn read(text: &str) -> Result<Self, String> {
        let days = text.parse().ok().filter(|n| (1..=10_000).contains(n));
        days.ok_or_else(|| "a whole number from 1 to 10000".into())
    }
    fn stand_in() -> Self {
        // Within the bounds of every setting of this kind, so that one wrong setting is one complaint.
        365
    }
}

/// Whole seconds, 1 to a day.
impl Value for Duration {
    fn read(text: &str) -> Result<Self, String> {
        let seconds = text.parse().ok().filter(|n| (1..=86_400).contains(n));
        seconds.map(Duration::from_secs).ok_or_else(|| "whole seconds from 1 to 86400".into())
    }
    fn stand_in() -> Self {
        Duration::from_secs(1)
    }
}

/// Empty text is "not set".
impl<T: Value> Value for Option<T> {
    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() { Ok(None) } else { T::read(text).map(Some) }
    }
    fn stand_in() -> Self {
        None
    }
}

/// Comma-separated; empty text is an empty list.
impl<T: Value> Value for Vec<T> {
    fn read(text: &str) -> Result<Self, String> {
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(T::read).collect()
    }
    fn stand_in() -> Self {
        Vec::new()
    }
}
