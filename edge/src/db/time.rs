//! A time of day as columns and the wire hold it: `HH:MM`. Never with seconds, and never a guess.

use chrono::NaiveTime;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A time of day, to the minute, by somebody's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeOfDay(pub NaiveTime);

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.format("%H:%M").fmt(f)
    }
}

impl FromStr for TimeOfDay {
    type Err = chrono::ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        NaiveTime::parse_from_str(text, "%H:%M").map(TimeOfDay)
    }
}

impl TryFrom<String> for TimeOfDay {
    type Error = chrono::ParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<TimeOfDay> for String {
    fn from(time: TimeOfDay) -> String {
        time.to_string()
    }
}

/// A text: which field it is says more than its type.
impl JsonSchema for TimeOfDay {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "TimeOfDay".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

impl ToSql for TimeOfDay {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.to_string().into())
    }
}

impl FromSql for TimeOfDay {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_hours_and_minutes_and_nothing_else() {
        let read = |text: &str| text.parse::<TimeOfDay>().ok().map(String::from);
        assert_eq!(read("07:30").as_deref(), Some("07:30"));
        for text in ["", "soon", "24:00", "07:60", "07:30:00", "07:30 "] {
            assert_eq!(read(text), None, "{text}");
        }
        let held = |text: &'static str| TimeOfDay::column_result(ValueRef::Text(text.as_bytes()));
        assert_eq!(held("23:00").unwrap().to_string(), "23:00");
        assert!(held("25:00").is_err() && TimeOfDay::column_result(ValueRef::Null).is_err());
    }
}
