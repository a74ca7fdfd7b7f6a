//! Time as integer milliseconds since 1970 UTC, and where it comes from. Never reads the system clock except in
//! [`SystemClock`], which only `serve` and the command line construct.

use crate::Overflow;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::atomic::{AtomicI64, Ordering};

/// A moment, in milliseconds since 1970-01-01T00:00:00Z. In JSON: RFC 3339 UTC with milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(i64);

/// 0001-01-01 and 9999-12-31, the moments RFC 3339 can name.
const RANGE: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

impl Millis {
    /// A moment `ms` milliseconds after 1970.
    pub const fn new(ms: i64) -> Self {
        Millis(ms)
    }

    /// Milliseconds since 1970.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The moment `ms` milliseconds later (earlier when negative), held within the years 1 to 9999.
    #[must_use]
    pub fn after(self, ms: i64) -> Self {
        Millis(self.0.saturating_add(ms).clamp(*RANGE.start(), *RANGE.end()))
    }

    /// Milliseconds from `earlier` to this moment.
    pub fn since(self, earlier: Millis) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The moment in chrono's terms.
    pub fn to_utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or_default()
    }
}

impl std::fmt::Display for Millis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_utc().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl std::str::FromStr for Millis {
    type Err = Overflow;
    fn from_str(text: &str) -> Result<Self, Overflow> {
        let ms = DateTime::parse_from_rfc3339(text).map_err(|_| Overflow)?.timestamp_millis();
        if RANGE.contains(&ms) { Ok(Millis(ms)) } else { Err(Overflow) }
    }
}

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| D::Error::custom("must be an RFC 3339 date-time"))
    }
}

impl schemars::JsonSchema for Millis {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(feature = "sqlite")]
crate::sqlite_integer!(Millis, Millis);

/// Where "now" comes from.
pub trait Clock: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Millis;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        Millis(Utc::now().timestamp_millis())
    }
}

/// A clock that stands still until it is set: for tests and for simulated history.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock standing at `now`.
    pub fn new(now: Millis) -> Self {
        ManualClock(AtomicI64::new(now.0))
    }

    /// Sets the clock, also backwards.
    pub fn set(&self, now: Millis) {
        self.0.store(now.0, Ordering::SeqCst);
    }

    /// Moves the clock by `ms` milliseconds.
    pub fn advance(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_milliseconds_and_reads_back() {
        let moment = Millis::new(1_763_640_000_123);
        assert_eq!(moment.to_string(), "2025-11-20T12:00:00.123Z");
        assert_eq!("2025-11-20T17:30:00.123+05:30".parse(), Ok(moment));
        assert!("20 November".parse::<Millis>().is_err());
    }
}
