//! Time as this test counts it: minutes of the wall clock in Berlin since the first of March 2027, a Monday. On the 28th the
//! clocks go from 02:00 to 03:00. Never asks a time-zone database.

/// Minutes of a day.
pub const DAY: i64 = 24 * 60;

/// The minute the clocks go forward at.
const FORWARD: i64 = 27 * DAY + 2 * 60;

/// Wall-clock minutes of `hour:minute` on day `day` of March (1 is the first; 32 the first of April).
pub fn at(day: i64, hour: i64, minute: i64) -> i64 {
    (day - 1) * DAY + hour * 60 + minute
}

/// Minutes that really passed since midnight of the first, Berlin time.
pub fn real(local: i64) -> i64 {
    if local >= FORWARD { local - 60 } else { local }
}

/// Whether the wall clock ever showed this minute.
pub fn exists(local: i64) -> bool {
    !(FORWARD..FORWARD + 60).contains(&local)
}

/// The moment as RFC 3339 in UTC: Berlin is an hour ahead in winter.
pub fn utc(local: i64) -> String {
    let minutes = real(local) - 60;
    let (day, minute) = (minutes.div_euclid(DAY) + 1, minutes.rem_euclid(DAY));
    let date = if day < 1 { "2027-02-28".to_owned() } else { date(day) };
    format!("{date}T{:02}:{:02}:00.000Z", minute / 60, minute % 60)
}

/// `YYYY-MM-DD` of day `day` of March.
pub fn date(day: i64) -> String {
    match day {
        ..=31 => format!("2027-03-{day:02}"),
        _ => format!("2027-04-{:02}", day - 31),
    }
}

/// The business date of a wall-clock minute: days begin at 04:00.
pub fn business_date(local: i64) -> String {
    date((local - 4 * 60).div_euclid(DAY) + 1)
}
