//! `GET /audit/losses`: the loss-prevention ledger. Never computes.

use super::{Dates, answer};
use crate::access::Cx;
use crate::db::Source;
use crate::http::{Data, Query, Result};
use crate::resources::analytics::rules::losses::{self, Loss, LossKind, LossSum, Rated};
use crate::resources::analytics::rules::rows::Names;
use crate::resources::analytics::rules::{AnalyticsError, Hundredths, Range};
use crate::resources::analytics::store::{self, Question, names, reports};
use chrono::{Days, NaiveDate};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use tiffin_common::{Cents, Millis, Overflow, Uuid};

/// The days before that say what is usual.
const USUAL_DAYS: i64 = 28;

/// The newest entries that are shown one by one.
const SHOWN: usize = 500;

/// How often, and how much.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LossSumView {
    /// How often it happened.
    pub count: i64,
    /// Menu prices of food, and money as it was.
    pub amount_cents: Cents,
    /// What the food had cost that was thrown away.
    pub cost_cents: Cents,
}

impl TryFrom<LossSum> for LossSumView {
    type Error = Overflow;

    fn try_from(sum: LossSum) -> Result<Self, Overflow> {
        Ok(LossSumView { count: sum.count, amount_cents: sum.amount, cost_cents: sum.cost()? })
    }
}

/// What one kind comes to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LossOfKind {
    /// What it is.
    pub kind: LossKind,
    /// What it comes to.
    #[serde(flatten)]
    pub sum: LossSumView,
}

/// What one person, approver, pair of both, hour or table comes to, against the average.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LossGroup {
    /// The account that did it, or of approvers the employee that approved; null for hours and tables.
    pub id: Option<Uuid>,
    /// Its name; of an hour `00` to `23`, of a table its number.
    pub name: String,
    /// Of a pair: the employee whose PIN approved.
    pub approver_id: Option<Uuid>,
    /// Of a pair: the name of that employee.
    pub approver_name: Option<String>,
    /// What it comes to.
    #[serde(flatten)]
    pub sum: LossSumView,
    /// The amount as a multiple of the outlet's average over all who worked, all hours or all tables of the dates.
    pub times_average_amount: Hundredths,
    /// The count, likewise.
    pub times_average_count: Hundredths,
    /// Happened at least twice, and at least twice the average: somebody should look at it.
    pub is_unusual: bool,
}

/// One entry of the ledger.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LossEntry {
    /// What it is.
    kind: LossKind,
    /// When it happened.
    at: Millis,
    /// The account that did it.
    by_id: Option<Uuid>,
    /// Name of that account; empty for what the box did itself.
    by: String,
    /// The employee whose PIN approved it.
    approver_id: Option<Uuid>,
    /// Name of that employee; empty where nobody approved.
    approver: String,
    /// The order, where it was about one.
    order_number: Option<String>,
    /// The table of that order; null where it had none.
    table_number: Option<String>,
    /// The menu price of food, or money as it was.
    amount_cents: Cents,
    /// What the food had cost that was thrown away.
    cost_cents: Cents,
    /// Why, as somebody said.
    reason: String,
}

/// The loss-prevention ledger of a range of dates.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LossLedger {
    /// The first business date.
    from: NaiveDate,
    /// The last business date, included.
    to: NaiveDate,
    /// What money is in.
    pub currency: String,
    /// The moment it is of.
    generated_at: Millis,
    /// All of it.
    pub total: LossSumView,
    /// What the 28 days before came to on average, for as many days as these.
    pub usual: LossSumView,
    /// What each kind of loss comes to; those that did not happen are left out.
    pub kinds: Vec<LossOfKind>,
    /// By who did it, the largest first; so in all lists.
    pub people: Vec<LossGroup>,
    /// By who approved it.
    pub approvers: Vec<LossGroup>,
    /// By both together: who takes much off with one colleague's PIN.
    pub pairs: Vec<LossGroup>,
    /// By the hour of the outlet's clock.
    pub hours: Vec<LossGroup>,
    /// By the table of the order, where there was one.
    pub tables: Vec<LossGroup>,
    /// The newest 500 entries.
    entries: Vec<LossEntry>,
}

/// The ledger.
pub async fn get_losses(cx: Cx, Query(dates): Query<Dates>) -> Result<Data<LossLedger>> {
    answer(&cx, dates, ledger).await.map(Data::new)
}

/// The ledger that answers `question`; head office asks for it, too.
///
/// # Errors
/// The store's; a sum that leaves its range.
pub fn ledger(conn: &dyn Source, question: &Question) -> Result<LossLedger, AnalyticsError> {
    let losses = store::losses::list_losses(conn, question)?;
    let (people, tables) = store::losses::count_active(conn, question)?;
    let zone = question.outlet.timezone;
    let quarters = reports::list_quarters(conn, question)?;
    let hours: BTreeSet<u32> = quarters.iter().map(|quarter| losses::hour_of(quarter.start, zone)).collect();
    let accounts = names::list_accounts(conn, question.outlet.id)?;
    let employees = names::list_employees(conn, question.outlet.id)?;
    let by_person = losses::rated(&losses, people, |loss| loss.by_id)?;
    let by_approver = losses::rated(&losses, people, |loss| loss.approver_id)?;
    let by_pair = losses::rated(&losses, people, |loss| Some((loss.by_id?, loss.approver_id?)))?;
    let by_hour = losses::rated(&losses, hours.len(), |loss| Some(losses::hour_of(loss.at, zone)))?;
    let by_table = losses::rated(&losses, tables, |loss| loss.table_number.clone())?;
    let name = |names: &Names, id| (Some(id), names.get(Some(id)));
    let pair = |((by, approver), rated)| -> Result<LossGroup, Overflow> {
        let group = group(name(&accounts, by), rated)?;
        let approver_name = Some(employees.get(Some(approver)));
        Ok(LossGroup { approver_id: Some(approver), approver_name, ..group })
    };
    Ok(LossLedger {
        from: question.range.from,
        to: question.range.to,
        currency: question.outlet.currency.clone(),
        generated_at: question.now,
        total: LossSum::of(&losses)?.try_into()?,
        usual: usual(conn, question)?,
        kinds: kinds(&losses)?,
        people: groups(by_person, |id| name(&accounts, id))?,
        approvers: groups(by_approver, |id| name(&employees, id))?,
        pairs: by_pair.into_iter().map(pair).collect::<Result<_, _>>()?,
        hours: groups(by_hour, |hour| (None, format!("{hour:02}")))?,
        tables: groups(by_table, |table| (None, table))?,
        entries: entries(&losses, &accounts, &employees)?,
    })
}

/// What the days before came to, for as many days as the question's.
fn usual(conn: &dyn Source, question: &Question) -> Result<LossSumView, AnalyticsError> {
    let Range { from, .. } = question.range;
    let before = Range {
        from: from.checked_sub_days(Days::new(USUAL_DAYS.unsigned_abs())).unwrap_or(from),
        to: from.pred_opt().unwrap_or(from),
    };
    let earlier = Question::find(conn, &question.outlet, before, question.now)?;
    let sum = LossSum::of(&store::losses::list_losses(conn, &earlier)?)?;
    Ok(sum.scaled(question.range.days(), USUAL_DAYS)?.try_into()?)
}

fn kinds(losses: &[Loss]) -> Result<Vec<LossOfKind>, Overflow> {
    let mut list = Vec::new();
    for kind in LossKind::ALL {
        let sum = LossSum::of(losses.iter().filter(|loss| loss.kind == *kind))?;
        if sum.count > 0 {
            list.push(LossOfKind { kind: *kind, sum: sum.try_into()? });
        }
    }
    Ok(list)
}

fn group((id, name): (Option<Uuid>, String), rated: Rated) -> Result<LossGroup, Overflow> {
    Ok(LossGroup {
        id,
        name,
        approver_id: None,
        approver_name: None,
        sum: rated.sum.try_into()?,
        times_average_amount: rated.amount_times,
        times_average_count: rated.count_times,
        is_unusual: rated.is_unusual(),
    })
}

fn groups<K>(
    rated: Vec<(K, Rated)>,
    named: impl Fn(K) -> (Option<Uuid>, String),
) -> Result<Vec<LossGroup>, Overflow> {
    rated.into_iter().map(|(key, rated)| group(named(key), rated)).collect()
}

fn entries(losses: &[Loss], accounts: &Names, employees: &Names) -> Result<Vec<LossEntry>, Overflow> {
    let shown = losses.iter().take(SHOWN).map(|loss| {
        Ok(LossEntry {
            kind: loss.kind,
            at: loss.at,
            by_id: loss.by_id,
            by: accounts.get(loss.by_id),
            approver_id: loss.approver_id,
            approver: employees.get(loss.approver_id),
            order_number: loss.order_number.clone(),
            table_number: loss.table_number.clone(),
            amount_cents: loss.amount,
            cost_cents: LossSum { cost_micros: loss.cost_micros, ..LossSum::default() }.cost()?,
            reason: loss.reason.clone(),
        })
    });
    shown.collect()
}
