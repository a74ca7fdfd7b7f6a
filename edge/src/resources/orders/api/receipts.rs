//! Bills as people read them: as rows for a screen, as a page, as text and as printer bytes; and their way to a printer.

use super::super::actions::channels::demand_reach;
use super::super::actions::receipts::{self, Shown};
use super::super::rules::receipt;
use crate::access::Cx;
use crate::http::finish::Page;
use crate::http::{Code, Created, Data, Id, Json, Problem, Query, Result};
use crate::paper::{self, Fonts, Row, in_language};
use crate::resources::printers::PrintJob;
use crate::resources::printers::rules::PrinterFields;
use crate::resources::tables::qr;
use crate::state::Reading;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::{Uuid, words};

/// The form of a receipt.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReceiptFormat {
    /// A page.
    #[default]
    Html,
    /// Its rows, for a screen that draws them itself.
    Json,
    /// Plain text, 42 characters wide.
    Text,
    /// Bytes for a thermal printer with paper of 80 mm; one of the outlet's printers is better sent to.
    Escpos,
}

/// How a receipt is wanted.
#[apply(request!)]
pub struct GetReceipt {
    /// The form; a page where absent.
    #[serde(default)]
    format: ReceiptFormat,
    /// The language of its fixed words and of head and foot, such as `hi`; English where absent, or where there is none.
    #[serde(default)]
    #[schemars(length(min = 2, max = 12))]
    lang: Option<String>,
}

words! {
    /// What a row of a receipt is.
    pub enum ReceiptRowKind {
        /// The name of the house, large and in the middle.
        Title = "TITLE",
        /// At the left, twice as wide and high.
        Large = "LARGE",
        /// In the middle.
        Centre = "CENTRE",
        /// As it is.
        Plain = "PLAIN",
        /// At the left, in bold letters.
        Bold = "BOLD",
        /// White on black.
        Reverse = "REVERSE",
        /// `text` at the left, `right` at the right.
        Pair = "PAIR",
        /// The same, bold.
        Strong = "STRONG",
        /// A line across.
        Rule = "RULE",
        /// A QR code of `text`.
        Qr = "QR",
        /// `text` is a PNG in base64.
        Picture = "PICTURE",
    }
}

/// A row of a receipt.
#[apply(answer!)]
pub struct ReceiptRow {
    /// What it is.
    kind: ReceiptRowKind,
    /// What it says; null of a line across.
    text: Option<String>,
    /// What stands at the right of a pair; null of other rows.
    right: Option<String>,
    /// Of a QR code: a PNG of it in base64, to be scanned from a screen; null of other rows.
    picture: Option<String>,
}

impl From<Row> for ReceiptRow {
    fn from(row: Row) -> ReceiptRow {
        use ReceiptRowKind as Kind;
        let (kind, text, right) = match row {
            Row::Title(text) => (Kind::Title, Some(text), None),
            Row::Large(text) => (Kind::Large, Some(text), None),
            Row::Centre(text) => (Kind::Centre, Some(text), None),
            Row::Plain(text) => (Kind::Plain, Some(text), None),
            Row::Bold(text) => (Kind::Bold, Some(text), None),
            Row::Reverse(text) => (Kind::Reverse, Some(text), None),
            Row::Pair(left, right) => (Kind::Pair, Some(left), Some(right)),
            Row::Strong(left, right) => (Kind::Strong, Some(left), Some(right)),
            Row::Rule => (Kind::Rule, None, None),
            Row::Qr(text) => (Kind::Qr, Some(text), None),
            Row::Picture(text) => (Kind::Picture, Some(text), None),
        };
        let picture = text.as_deref().filter(|_| kind == Kind::Qr).and_then(drawn);
        ReceiptRow { kind, text, right, picture }
    }
}

/// The QR code of `text` as a PNG in base64; none of a text that no code can hold.
fn drawn(text: &str) -> Option<String> {
    qr::png(text).ok().map(|png| STANDARD.encode(png))
}

/// A bill as rows.
#[apply(answer!)]
pub struct ReceiptPage {
    /// The number of the bill; of the order while there is none.
    title: String,
    /// Whether it is read from right to left.
    right_to_left: bool,
    /// What stands on it, from above.
    rows: Vec<ReceiptRow>,
    /// The address of the bill's page for the guest's phone, to show as a QR code; null of a credit note, and at head office.
    guest_url: Option<String>,
    /// That QR code: a PNG in base64; null where there is no address.
    guest_code: Option<String>,
}

/// The bill of an order on paper; a preview where it has not been made.
pub async fn get_receipt(
    cx: Cx,
    State(reading): State<Reading>,
    Id(id): Id,
    Query(query): Query<GetReceipt>,
) -> Result<Response> {
    let (actor, lang, is_here) = (cx.actor(), query.lang.clone(), !reading.db.is_copy());
    let found = cx
        .read(move |conn, outlet| {
            demand_reach(conn, &actor, id)?;
            receipts::receipt(conn, outlet, id, lang.as_deref(), is_here)
        })
        .await?;
    shown(found, query, &reading).await
}

/// A bill or credit note on paper.
pub async fn get_document(
    cx: Cx,
    State(reading): State<Reading>,
    Id(id): Id,
    Query(query): Query<GetReceipt>,
) -> Result<Response> {
    let (lang, is_here) = (query.lang.clone(), !reading.db.is_copy());
    let found =
        cx.read(move |conn, outlet| receipts::document(conn, outlet, id, lang.as_deref(), is_here)).await?;
    shown(found, query, &reading).await
}

/// A paper in the form that is wanted. Guests reach the branch alone: head office names no page of theirs.
async fn shown(found: Shown, query: GetReceipt, reading: &Reading) -> Result<Response> {
    let (GetReceipt { format, lang }, Shown { rows, title, page: path }) = (query, found);
    let base = &reading.public_url.0;
    let guest_url = path.filter(|_| !reading.db.is_copy()).map(|path| format!("{base}{path}"));
    let rows = in_language(paper::at(rows, base), lang.as_deref());
    let right_to_left = paper::is_right_to_left(lang.as_deref());
    let (kind, body) = match format {
        ReceiptFormat::Json => {
            let rows = rows.into_iter().map(ReceiptRow::from).collect();
            let guest_code = guest_url.as_deref().and_then(drawn);
            let page = ReceiptPage { title, right_to_left, rows, guest_url, guest_code };
            return Ok(Data::new(page).into_response());
        }
        ReceiptFormat::Html => return Ok(page(StatusCode::OK, &title, lang.as_deref(), &rows)),
        ReceiptFormat::Text => ("text/plain; charset=utf-8", paper::text(&rows).into_bytes()),
        ReceiptFormat::Escpos => ("application/octet-stream", escpos(rows, lang).await?),
    };
    let mut response = body.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}

/// The page of a paper: it shows what people typed, so nothing of it runs, and only its own style holds. Nobody keeps it.
pub fn page(status: StatusCode, title: &str, language: Option<&str>, rows: &[Row]) -> Response {
    let mut response = (status, receipt::html(title, language, rows)).into_response();
    response.extensions_mut().insert(Page);
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::from_str(&receipt::POLICY) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The bytes of a printer that nobody has described. Drawing takes time: it is done where nobody else waits.
async fn escpos(rows: Vec<Row>, language: Option<String>) -> Result<Vec<u8>> {
    let form = PrinterFields { language, ..PrinterFields::unlisted("") }.form();
    let draw = tokio::task::spawn_blocking(move || paper::bytes(&rows, &form, &mut Fonts::shared()));
    draw.await.map_err(|error| {
        tracing::error!(%error, "a receipt could not be drawn");
        Problem::new(Code::Internal)
    })
}

/// Where a receipt is to be printed.
#[apply(request!)]
pub struct PrintReceipt {
    /// The printer; the first with the role RECEIPT where absent.
    #[serde(default)]
    printer_id: Option<Uuid>,
}

/// Queues the bill of an order for a printer; every one after the first says COPY n.
pub async fn print_receipt(cx: Cx, Id(id): Id, Json(body): Json<PrintReceipt>) -> Result<Created<PrintJob>> {
    cx.create(move |tx, actor| receipts::print(tx, actor, id, body.printer_id)).await
}

/// Queues a bill or credit note for a printer; every one after the first says COPY n.
pub async fn print_document(cx: Cx, Id(id): Id, Json(body): Json<PrintReceipt>) -> Result<Created<PrintJob>> {
    cx.create(move |tx, actor| receipts::print_document(tx, actor, id, body.printer_id)).await
}
