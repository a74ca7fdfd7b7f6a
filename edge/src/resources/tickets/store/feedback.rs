//! Rows of feedback.

use super::super::rules::feedback::{Feedback, FollowUp, Subject, Words};
use crate::db::{self, Columns, Page, Row, Source, Tx, one, opt, page, table};
use crate::http::Paging;
use crate::resources::orders::rules::Guest;
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::Uuid;

/// The statement that reads the outlet's feedback, with what follows.
fn select(rest: &str) -> String {
    let more = "e.name AS assignee_name, g.name AS guest_name, g.phone AS guest_phone";
    let from = "LEFT JOIN employees e ON e.id = f.assignee_id
      LEFT JOIN guests g ON g.id = f.id AND g.outlet_id = f.outlet_id WHERE f.outlet_id = ?1";
    table::select::<Feedback>("f", more, &format!("{from} AND {rest}"))
}

fn read(row: &Row<'_>) -> db::Result<Feedback> {
    let mut feedback = Feedback { assignee_name: row.get("assignee_name")?, ..Feedback::read(row)? };
    feedback.words.guest =
        Guest { name: row.get("guest_name")?, phone: row.get("guest_phone")?, address: None };
    Ok(feedback)
}

/// The feedback of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Feedback>> {
    opt(conn, &select("f.id = ?2"), [outlet, id], read)
}

/// Whether an order has its feedback.
pub fn has_order(conn: &dyn Source, order: Uuid) -> db::Result<bool> {
    one(conn, "SELECT EXISTS (SELECT 1 FROM feedback WHERE order_id = ?1)", [order], |row| row.get(0))
}

/// Whether a party has said something without naming an order.
pub fn has_seating(conn: &dyn Source, session: Uuid) -> db::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM feedback WHERE table_session_id = ?1 AND order_id IS NULL)";
    one(conn, sql, [session], |row| row.get(0))
}

/// Which feedback; none of a field: any.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the filters of GET /tickets/feedback")]
pub struct Wanted {
    pub rating: Option<i64>,
    pub from: Option<NaiveDate>,
    pub to: Option<NaiveDate>,
    pub callback_wanted: Option<bool>,
    pub handled: Option<bool>,
}

/// A page of feedback, newest first.
pub fn list(conn: &dyn Source, outlet: Uuid, wanted: &Wanted, paging: Paging) -> db::Result<Page<Feedback>> {
    let condition = "(?2 IS NULL OR f.rating = ?2) AND (?3 IS NULL OR f.business_date >= ?3)
      AND (?4 IS NULL OR f.business_date <= ?4) AND (?5 IS NULL OR f.callback_wanted = ?5)
      AND (?6 IS NULL OR (f.status = 'RESOLVED') = ?6)";
    let Wanted { rating, from, to, callback_wanted, handled } = wanted;
    let count = format!("SELECT count(*) FROM feedback f WHERE f.outlet_id = ?1 AND {condition}");
    let sql = select(&format!("{condition} ORDER BY f.created_at DESC, f.id DESC"));
    let args = params![outlet, rating, from, to, callback_wanted, handled];
    page(conn, (&sql, &count), args, paging.into(), read)
}

/// Writes what a guest says.
pub fn insert(
    tx: &Tx<'_>,
    outlet: Uuid,
    date: NaiveDate,
    subject: &Subject,
    words: &Words,
) -> db::Result<Uuid> {
    let (id, now) = (tx.new_id(), tx.now());
    insert!(
        tx,
        feedback {
            id: id,
            outlet_id: outlet,
            order_id: subject.order_id,
            order_number: subject.order_number,
            table_session_id: subject.table_session_id,
            table_number: subject.table_number,
            business_date: date,
            created_at: now,
            updated_at: now,
            ..words
        }
    )?;
    Ok(id)
}

/// Notes how feedback is followed up.
pub fn update(tx: &Tx<'_>, outlet: Uuid, id: Uuid, follow_up: &FollowUp) -> db::Result<()> {
    update!(tx, feedback {
        updated_at: tx.now(), ..follow_up; "version = version + 1"
    } where { id: id, outlet_id: outlet })
    .map(drop)
}

/// Sums and counts of feedback over some days.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// How many gave one star, two, … five.
    pub by_rating: [i64; 5],
    /// Sum and count of the ratings of food, service, cleanliness.
    pub aspects: [(i64, i64); 3],
    /// Who would recommend it: 9 and 10, 7 and 8, 0 to 6.
    pub promoters: [i64; 3],
    /// Those who wait for a call.
    pub callbacks_open: i64,
    /// Low ratings nobody has dealt with.
    pub low_open: i64,
}

/// Sums and counts of the days `from` to `to`.
pub fn sum_feedback(conn: &dyn Source, outlet: Uuid, from: NaiveDate, to: NaiveDate) -> db::Result<Figures> {
    const SQL: &str = "SELECT
        count(*) FILTER (WHERE rating = 1) AS one, count(*) FILTER (WHERE rating = 2) AS two,
        count(*) FILTER (WHERE rating = 3) AS three, count(*) FILTER (WHERE rating = 4) AS four,
        count(*) FILTER (WHERE rating = 5) AS five,
        coalesce(sum(food), 0) AS food, count(food) AS of_food, coalesce(sum(service), 0) AS service,
        count(service) AS of_service, coalesce(sum(cleanliness), 0) AS cleanliness, count(cleanliness) AS of_cleanliness,
        count(*) FILTER (WHERE nps >= 9) AS promoters, count(*) FILTER (WHERE nps IN (7, 8)) AS passives,
        count(*) FILTER (WHERE nps <= 6) AS detractors,
        count(*) FILTER (WHERE callback_wanted = 1 AND status <> 'RESOLVED') AS callbacks_open,
        count(*) FILTER (WHERE rating <= 2 AND status <> 'RESOLVED') AS low_open
      FROM feedback WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3";
    one(conn, SQL, params![outlet, from, to], |row| {
        let of = |name: &str| row.get::<_, i64>(name);
        Ok(Figures {
            by_rating: [of("one")?, of("two")?, of("three")?, of("four")?, of("five")?],
            aspects: [
                (of("food")?, of("of_food")?),
                (of("service")?, of("of_service")?),
                (of("cleanliness")?, of("of_cleanliness")?),
            ],
            promoters: [of("promoters")?, of("passives")?, of("detractors")?],
            callbacks_open: of("callbacks_open")?,
            low_open: of("low_open")?,
        })
    })
}
