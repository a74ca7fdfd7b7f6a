//! Rows of feedback.

use super::super::rules::feedback::{Feedback, FeedbackStatus, FollowUp, Subject, Words};
use super::name;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::http::{Page, Paging};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::Uuid;

const FEEDBACK: &str = "f.id, f.rating, f.food, f.service, f.cleanliness, f.nps, f.comment, f.customer_name,
    f.customer_phone, f.callback_wanted, f.order_id, f.order_number, f.table_session_id, f.table_number, f.status,
    f.note, f.assignee_id, e.name, f.business_date, f.version, f.created_at, f.updated_at
  FROM feedback f LEFT JOIN employees e ON e.id = f.assignee_id
  WHERE f.outlet_id = ?1";

fn read(row: &Row<'_>) -> db::Result<Feedback> {
    let words = Words {
        rating: row.get(1)?,
        food: row.get(2)?,
        service: row.get(3)?,
        cleanliness: row.get(4)?,
        nps: row.get(5)?,
        comment: row.get(6)?,
        customer_name: row.get(7)?,
        customer_phone: row.get(8)?,
        callback_wanted: row.get(9)?,
    };
    let subject = Subject {
        order_id: row.get(10)?,
        order_number: row.get(11)?,
        table_session_id: row.get(12)?,
        table_number: row.get(13)?,
    };
    let follow_up = FollowUp {
        status: name(row, 14, FeedbackStatus::of_name)?,
        note: row.get(15)?,
        assignee_id: row.get(16)?,
    };
    Ok(Feedback {
        id: row.get(0)?,
        words,
        subject,
        follow_up,
        assignee_name: row.get(17)?,
        business_date: row.get(18)?,
        version: row.get(19)?,
        created_at: row.get(20)?,
        updated_at: row.get(21)?,
    })
}

/// The feedback of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Feedback>> {
    opt(conn, &format!("SELECT {FEEDBACK} AND f.id = ?2"), params![outlet, id], read)
}

/// Whether an order has its feedback.
pub fn for_order(conn: &dyn Source, order: Uuid) -> db::Result<bool> {
    one(conn, "SELECT EXISTS (SELECT 1 FROM feedback WHERE order_id = ?1)", [order], |row| row.get(0))
}

/// Whether a party has said something without naming an order.
pub fn for_seating(conn: &dyn Source, session: Uuid) -> db::Result<bool> {
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
    let (from, to) = (wanted.from.map(|d| d.to_string()), wanted.to.map(|d| d.to_string()));
    let Wanted { rating, callback_wanted, handled, .. } = wanted;
    let count = format!("SELECT count(*) FROM feedback f WHERE f.outlet_id = ?1 AND {condition}");
    let args = params![outlet, rating, from, to, callback_wanted, handled];
    let total = one(conn, &count, args, |row| row.get(0))?;
    let sql =
        format!("SELECT {FEEDBACK} AND {condition} ORDER BY f.created_at DESC, f.id DESC LIMIT ?7 OFFSET ?8");
    let args = params![outlet, rating, from, to, callback_wanted, handled, paging.limit, paging.offset];
    Ok(Page { items: rows(conn, &sql, args, read)?, total })
}

/// Writes what a guest says.
pub fn insert(
    tx: &Transaction<'_>,
    outlet: Uuid,
    date: NaiveDate,
    subject: &Subject,
    words: &Words,
) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO feedback (id, outlet_id, order_id, order_number, table_session_id, table_number, rating, food,
           service, cleanliness, nps, comment, customer_name, customer_phone, callback_wanted, business_date, created_at,
           updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17)",
        params![
            id,
            outlet,
            subject.order_id,
            subject.order_number,
            subject.table_session_id,
            subject.table_number,
            words.rating,
            words.food,
            words.service,
            words.cleanliness,
            words.nps,
            words.comment,
            words.customer_name,
            words.customer_phone,
            words.callback_wanted,
            date.to_string(),
            tx.now(),
        ],
    )?;
    Ok(id)
}

/// Notes how feedback is followed up.
pub fn update(tx: &Transaction<'_>, outlet: Uuid, id: Uuid, follow_up: &FollowUp) -> db::Result<()> {
    tx.execute(
        "UPDATE feedback SET status = ?3, note = ?4, assignee_id = ?5, updated_at = ?6, version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![id, outlet, follow_up.status.name(), follow_up.note, follow_up.assignee_id, tx.now()],
    )
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
pub fn summary(conn: &dyn Source, outlet: Uuid, from: NaiveDate, to: NaiveDate) -> db::Result<Figures> {
    const SQL: &str = "SELECT
        count(*) FILTER (WHERE rating = 1), count(*) FILTER (WHERE rating = 2), count(*) FILTER (WHERE rating = 3),
        count(*) FILTER (WHERE rating = 4), count(*) FILTER (WHERE rating = 5),
        coalesce(sum(food), 0), count(food), coalesce(sum(service), 0), count(service),
        coalesce(sum(cleanliness), 0), count(cleanliness),
        count(*) FILTER (WHERE nps >= 9), count(*) FILTER (WHERE nps IN (7, 8)), count(*) FILTER (WHERE nps <= 6),
        count(*) FILTER (WHERE callback_wanted = 1 AND status <> 'RESOLVED'),
        count(*) FILTER (WHERE rating <= 2 AND status <> 'RESOLVED')
      FROM feedback WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3";
    one(conn, SQL, params![outlet, from.to_string(), to.to_string()], |row| {
        Ok(Figures {
            by_rating: [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?],
            aspects: [(row.get(5)?, row.get(6)?), (row.get(7)?, row.get(8)?), (row.get(9)?, row.get(10)?)],
            promoters: [row.get(11)?, row.get(12)?, row.get(13)?],
            callbacks_open: row.get(14)?,
            low_open: row.get(15)?,
        })
    })
}
