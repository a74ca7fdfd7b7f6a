//! `/analytics/reports/…`: every report is one table, as JSON or as a CSV file.

use super::report_name::ReportName;
use super::{Dates, Freshness, answer};
use crate::access::Cx;
use crate::db::{Source, Tx};
use crate::exchange::wait_for_all;
use crate::http::csv::attachment;
use crate::http::{Data, Query, Result};
use crate::resources::analytics::rules::books::channels;
use crate::resources::analytics::rules::report::Table;
use crate::resources::analytics::rules::rows::OperatorTaxed;
use crate::resources::analytics::rules::{AnalyticsError, reports};
use crate::resources::analytics::store::{self, Question, names, stock};
use crate::resources::audit::{self, Entry};
use crate::resources::purchase_orders;
use axum::response::{IntoResponse, Response};
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

impl ReportName {
    fn table(self, conn: &dyn Source, question: &Question) -> Result<Table, AnalyticsError> {
        let outlet = question.outlet.id;
        let people = || -> Result<_, AnalyticsError> {
            Ok((names::list_accounts(conn, outlet)?, names::list_employees(conn, outlet)?))
        };
        let table = match self {
            ReportName::Sales => reports::sales(&question.sum_days(conn)?),
            ReportName::Payments => reports::payments(&store::reports::sum_methods(conn, question)?),
            ReportName::Tax => reports::tax(&store::reports::sum_taxes(conn, question)?),
            ReportName::Channels => channels::channels(store::channels::sum_channels(conn, question)?),
            ReportName::Discounts => {
                let (accounts, employees) = people()?;
                reports::discounts(store::reports::sum_discounts(conn, question)?, &accounts, &employees)
            }
            ReportName::Voids => {
                let (accounts, employees) = people()?;
                reports::voids(store::reports::sum_voids(conn, question)?, &accounts, &employees)
            }
            ReportName::Inventory => reports::inventory(
                &stock::sum_at_end(conn, question)?,
                &names::list_stock_items(conn, outlet)?,
            ),
            ReportName::Combos => reports::combos(
                store::reports::sum_components(conn, question)?,
                &names::list_dishes(conn, outlet)?,
            ),
            ReportName::Variance => reports::variance(
                &stock::sum_by_kind(conn, question)?,
                &names::list_stock_items(conn, outlet)?,
            ),
            ReportName::Waste => reports::waste(
                store::reports::sum_waste(conn, question)?,
                &names::list_stock_items(conn, outlet)?,
            ),
            ReportName::Labor => reports::labor(question.list_worked(conn)?),
            ReportName::Purchases => reports::purchases(
                store::reports::sum_purchases(conn, question)?,
                &names::list_suppliers(conn, outlet)?,
                &names::list_stock_items(conn, outlet)?,
            ),
            ReportName::PriceVariance => reports::price_variance(
                &store::reports::list_received(conn, question)?,
                &names::list_suppliers(conn, outlet)?,
                &names::list_stock_items(conn, outlet)?,
            ),
            ReportName::SupplierInvoices => {
                let billed = purchase_orders::store::list_billed(
                    conn,
                    outlet,
                    question.range.from,
                    question.range.to,
                )?;
                reports::supplier_invoices(&billed, question.range)
            }
            ReportName::Pnl => reports::pnl(&question.sum(conn)?),
            other => return super::books::table(other, conn, question),
        };
        Ok(table?)
    }
}

/// The form of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReportFormat {
    /// As an envelope; money in cents.
    #[default]
    Json,
    /// A file for spreadsheets: a header row, money in major units of the currency the header names, with its decimals.
    Csv,
    /// The file that others take, of the reports that have one: `gstr1` of the GST portal and its offline tool (JSON), `tally` of Tally
    /// (XML vouchers).
    Portal,
}

/// Which dates, in which form.
#[apply(request!)]
pub struct GetReport {
    /// The range.
    #[serde(flatten)]
    dates: Dates,
    /// JSON unless told otherwise.
    #[serde(default)]
    format: ReportFormat,
}

/// A report of a range of business dates.
#[apply(answer!)]
pub struct Report {
    /// Which report this is.
    report: ReportName,
    /// The first business date.
    from: NaiveDate,
    /// The last business date, included.
    to: NaiveDate,
    /// What money is in.
    currency: String,
    /// Of `tax` and `sales`: what operators of channels billed and owe the tax of, which is in no row of `tax`.
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_taxed: Option<OperatorTaxed>,
    /// Columns, rows and totals.
    #[serde(flatten)]
    table: Table,
    /// How fresh all of it is.
    #[serde(flatten)]
    freshness: Freshness,
}

/// Puts on record that a report leaves as a file: then it is out of the program's hands, and nobody sees from it that it lacks something.
/// At a branch here, at head office by its own hand.
///
/// # Errors
/// While rows of before this box are still coming.
async fn let_out(cx: &Cx, report: ReportName, from: NaiveDate, to: NaiveDate) -> Result<()> {
    if cx.db.is_copy() {
        return Ok(());
    }
    let (actor, told) = (cx.actor(), json!({"report": report, "from": from, "to": to}));
    let entry = Entry::new("report.export", "report", None).after(&told);
    let note = move |tx: &Tx<'_>| -> Result<(), AnalyticsError> {
        if let Some(why) = wait_for_all(tx, "take the file")? {
            return Err(AnalyticsError::Refused(why));
        }
        Ok(audit::actions::record(tx, &actor, entry)?)
    };
    Ok(cx.db.write(note).await?)
}

/// A report in the form that was asked for.
async fn get_report(cx: Cx, query: GetReport, report: ReportName) -> Result<Response> {
    if query.format == ReportFormat::Portal {
        let made = answer(&cx, query.dates, move |conn, question| super::books::file(report, conn, question));
        let made = made.await?;
        let_out(&cx, report, made.from, made.to).await?;
        return made.into_response();
    }
    let made = answer(&cx, query.dates, move |conn, question| {
        Ok(Report {
            report,
            from: question.range.from,
            to: question.range.to,
            currency: question.outlet.currency.clone(),
            operator_taxed: match report {
                ReportName::Tax | ReportName::Sales => {
                    Some(store::reports::sum_operator_taxed(conn, question)?)
                }
                _ => None,
            },
            table: report.table(conn, question)?,
            freshness: Freshness::of(conn, question)?,
        })
    });
    let made = made.await?;
    if query.format == ReportFormat::Json {
        return Ok(Data::new(made).into_response());
    }
    let_out(&cx, report, made.from, made.to).await?;
    let name = format!("{}-{}-{}.csv", report.name(), made.from, made.to);
    attachment(&name, made.table.to_csv(&made.currency))
}

/// The handler of one report.
macro_rules! handlers {
    ($($handler:ident $report:ident)*) => {
        $(
            #[doc = concat!("The report `", stringify!($report), "`.")]
            pub async fn $handler(
                cx: Cx,
                Query(query): Query<GetReport>,
            ) -> Result<Response> {
                get_report(cx, query, ReportName::$report).await
            }
        )*
    };
}

handlers! {
    get_sales Sales
    get_payments Payments
    get_tax Tax
    get_channels Channels
    get_discounts Discounts
    get_voids Voids
    get_inventory Inventory
    get_variance Variance
    get_waste Waste
    get_labor Labor
    get_purchases Purchases
    get_combos Combos
    get_price_variance PriceVariance
    get_supplier_invoices SupplierInvoices
    get_pnl Pnl
    get_register Register
    get_hsn Hsn
    get_gstr1 Gstr1
    get_gstr3b Gstr3b
    get_cmp08 Cmp08
    get_journal Journal
    get_tally Tally
    get_tips Tips
    get_servers Servers
    get_corrections Corrections
    get_slips Slips
}
