//! The accountant's reports: which an outlet has, as tables and as the files that others take.

use super::report_name::ReportName;
use crate::db::Source;
use crate::http::{Code, FieldError, Problem, Result};
use crate::resources::analytics::rules::AnalyticsError;
use crate::resources::analytics::rules::books::{self, gst, journal, people, portal};
use crate::resources::analytics::rules::documents::Document;
use crate::resources::analytics::rules::report::Table;
use crate::resources::analytics::store::books as store;
use crate::resources::analytics::store::{Question, names};
use crate::resources::outlets::rules::{TaxScheme, tax_id};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use chrono::{Datelike, NaiveDate};

/// The documents of a return that is filed under `scheme`.
///
/// # Errors
/// [`AnalyticsError::Refused`] where the outlet files no such return.
fn filed(
    report: ReportName,
    scheme: TaxScheme,
    conn: &dyn Source,
    question: &Question,
) -> Result<Vec<Document>, AnalyticsError> {
    let outlet = &question.outlet;
    let reason = if !outlet.profile().is_india() {
        format!("{} is a report of India's, and the outlet is in {}", report.name(), outlet.country)
    } else if outlet.tax_scheme != scheme {
        format!(
            "{} is a report of who is taxed {scheme}, and the outlet is {}",
            report.name(),
            outlet.tax_scheme
        )
    } else {
        return Ok(gst::of_scheme(store::list_documents(conn, question)?, scheme));
    };
    Err(AnalyticsError::Refused(reason))
}

fn codes(question: &Question) -> gst::Codes<'_> {
    let of = question.outlet.profile().item_code.as_ref();
    gst::Codes { default: of.map_or("", |of| of.default.as_str()) }
}

/// The state that the outlet's GSTIN is of.
fn state(question: &Question) -> &str {
    question.outlet.tax_id.as_deref().and_then(tax_id::state_of).unwrap_or_default()
}

/// What operators sold for the outlet and pay the tax of.
fn eco(conn: &dyn Source, question: &Question) -> Result<Vec<gst::Eco>, AnalyticsError> {
    Ok(store::sum_operators(conn, question)?)
}

/// One of the accountant's reports as a table.
pub(super) fn table(
    report: ReportName,
    conn: &dyn Source,
    question: &Question,
) -> Result<Table, AnalyticsError> {
    let regular = || filed(report, TaxScheme::Regular, conn, question);
    let table = match report {
        ReportName::Hsn => gst::hsn(&regular()?, codes(question)),
        ReportName::Gstr1 => {
            let documents = regular()?;
            gst::gstr1(&gst::Gstr1::of(&documents)?, state(question), &eco(conn, question)?)
        }
        ReportName::Gstr3b => books::gstr3b(&regular()?, &eco(conn, question)?),
        ReportName::Cmp08 => {
            let rate =
                question.outlet.profile().composition.as_ref().map(|of| of.rate_bps).unwrap_or_default();
            books::cmp08(&filed(report, TaxScheme::Composition, conn, question)?, rate)
        }
        ReportName::Journal | ReportName::Tally => journal::journal(&store::find_journal(conn, question)?),
        ReportName::Slips => people::slips(store::list_slips(conn, question)?),
        ReportName::Tips => people::tips(store::list_tips(conn, question)?),
        ReportName::Servers => people::servers(store::sum_servers(conn, question)?),
        ReportName::Corrections => people::corrections(
            store::list_corrections(conn, question)?,
            &store::list_documents(conn, question)?,
            &names::list_employees(conn, question.outlet.id)?,
        ),
        // All others are not the accountant's.
        _ => books::register(&store::list_documents(conn, question)?),
    };
    Ok(table?)
}

/// A file in a form that others have published.
pub(super) struct File {
    name: String,
    media_type: &'static str,
    text: String,
    pub(super) from: NaiveDate,
    pub(super) to: NaiveDate,
}

impl File {
    pub(super) fn into_response(self) -> Result<Response> {
        let Ok(disposition) = HeaderValue::try_from(format!("attachment; filename=\"{}\"", self.name)) else {
            return Err(Problem::new(Code::Internal));
        };
        let mut response = self.text.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        headers.insert(header::CONTENT_DISPOSITION, disposition);
        Ok(response)
    }
}

/// The report as the file that others take.
pub(super) fn file(
    report: ReportName,
    conn: &dyn Source,
    question: &Question,
) -> Result<File, AnalyticsError> {
    let (from, to) = (question.range.from, question.range.to);
    let outlet = &question.outlet;
    let (name, media_type, text) = match report {
        ReportName::Gstr1 => {
            let documents = filed(report, TaxScheme::Regular, conn, question)?;
            check_period(from, to)?;
            let Some(gstin) = outlet.tax_id.as_deref() else {
                return Err(AnalyticsError::Refused("The outlet has no GSTIN: give it its taxId".into()));
            };
            let filing = portal::Filing { gstin, state: state(question), to };
            let mut through = store::list_through_aggregators(conn, question)?;
            through.retain(|(_, document)| document.outlet.tax_scheme == TaxScheme::Regular);
            let (collecting, paying) = (gst::collecting(&through)?, eco(conn, question)?);
            let operators = gst::Operators { collecting, paying };
            let made = portal::gstr1_json(&documents, &filing, codes(question), &operators)?;
            let name = format!("GSTR1_{gstin}_{}.json", to.format("%m%Y"));
            (name, "application/json", made.to_string())
        }
        ReportName::Tally => {
            let journal = store::find_journal(conn, question)?;
            let text = books::tally_xml(&journal, &outlet.name, &outlet.currency)?;
            (format!("tally-{from}-{to}.xml"), "application/xml; charset=utf-8", text)
        }
        other => {
            let reason = format!("must be json or csv: nobody takes {} in another form", other.name());
            return Err(AnalyticsError::Invalid(vec![FieldError::new("format", reason)]));
        }
    };
    Ok(File { name, media_type, text, from, to })
}

/// A return is of one month, or of the months of one quarter.
fn check_period(from: NaiveDate, to: NaiveDate) -> Result<(), AnalyticsError> {
    let quarter = |date: NaiveDate| (date.year(), date.month0() / 3);
    if quarter(from) == quarter(to) {
        return Ok(());
    }
    let reason = "must be in the month, or the quarter, of `to`: a return is of one";
    Err(AnalyticsError::Invalid(vec![FieldError::new("from", reason)]))
}
