//! `/printers`.

use super::PrintJob;
use crate::access::Cx;
use crate::config::Printers;
use crate::http::{Created, Data, Id, Json, Paged, Paging, Patch, Query, Replace, Result, Updated};
use crate::paper::CodePage;
use crate::resources::printers::rules::{
    AutoPrint, Connection, Printer as Record, PrinterFields, PrinterRole, Profile,
};
use crate::resources::printers::{actions, store};
use axum::extract::State;
use tiffin_common::{Millis, Uuid};

view! {
    /// A printer of the outlet: where it is, what it can do, and what it prints.
    pub struct Printer of printer: Record {
        id: Uuid,
        name: String = printer.fields.name,
        /// How it is reached: by the network, a cable, or the machine's print service.
        connection: Connection = printer.fields.connection,
        /// `host` or `host:port`, a device such as `/dev/usb/lp0`, or the name of a CUPS queue.
        address: String = printer.fields.address,
        /// Width of its paper in millimetres: 58 or 80.
        width: i64 = printer.fields.width,
        /// What it can be asked.
        profile: Profile = printer.fields.profile,
        /// The code pages it has, the preferred first; what none of them writes is drawn.
        code_pages: Vec<CodePage> = printer.fields.code_pages,
        /// Whether it cuts the paper.
        cutter: bool = printer.fields.cutter,
        /// Whether a cash drawer is wired to it: it opens when cash is paid.
        drawer: bool = printer.fields.drawer,
        /// When it prints receipts by itself.
        auto_print: AutoPrint = printer.fields.auto_print,
        /// What it prints: receipts, kitchen tickets, reports.
        roles: Vec<PrinterRole> = printer.fields.roles,
        /// The kitchen stations whose tickets it prints.
        station_ids: Vec<Uuid> = printer.fields.station_ids,
        /// The printer that prints instead, once, when this one does not.
        fallback_printer_id: Option<Uuid> = printer.fields.fallback_printer_id,
        /// The language of its receipts' head and foot.
        language: Option<String> = printer.fields.language,
        /// Minutes after which its paper is not printed by itself; null: 15 for the kitchen's, 5 for other paper.
        expires_minutes: Option<i64> = printer.fields.expires_minutes,
        version: i64,
        created_at: Millis,
        updated_at: Millis,
    }
}

/// The outlet's printers, the oldest first.
pub async fn list_printers(cx: Cx, Query(paging): Query<Paging>) -> Result<Paged<Printer>> {
    cx.list(paging, move |conn, outlet| store::list(conn, outlet, paging)).await
}

/// One printer.
pub async fn get_printer(cx: Cx, Id(id): Id) -> Result<Data<Printer>> {
    let found = cx.read(move |conn, outlet| store::find(conn, outlet, id)).await?;
    Ok(Data::new(found.into()))
}

/// A new printer.
#[apply(request!)]
pub struct CreatePrinter {
    #[schemars(length(min = 1, max = 60))]
    name: String,
    /// TCP unless set.
    #[serde(default)]
    connection: Option<Connection>,
    /// `host` or `host:port`, a device such as `/dev/usb/lp0`, or the name of a CUPS queue.
    #[schemars(length(min = 1, max = 260))]
    address: String,
    /// Width of its paper in millimetres: 58, or 80 unless set.
    #[serde(default)]
    #[schemars(range(min = 58, max = 80))]
    width: Option<i64>,
    /// GENERIC unless set.
    #[serde(default)]
    profile: Option<Profile>,
    /// CP437 and CP858 unless set; none: all but ASCII is drawn.
    #[serde(default)]
    #[schemars(length(max = 20))]
    code_pages: Option<Vec<CodePage>>,
    /// True unless set.
    #[serde(default)]
    cutter: Option<bool>,
    /// Whether a cash drawer is wired to it.
    #[serde(default)]
    drawer: bool,
    /// PAYMENT unless set.
    #[serde(default)]
    auto_print: Option<AutoPrint>,
    /// RECEIPT unless set.
    #[serde(default)]
    #[schemars(length(min = 1, max = 20))]
    roles: Option<Vec<PrinterRole>>,
    /// The kitchen stations whose tickets it prints; needs the role KITCHEN.
    #[serde(default)]
    #[schemars(length(max = 100))]
    station_ids: Vec<Uuid>,
    /// The printer that prints instead, once, when this one does not.
    #[serde(default)]
    fallback_printer_id: Option<Uuid>,
    /// The language of its receipts' head and foot, such as `hi`.
    #[serde(default)]
    #[schemars(length(max = 12))]
    language: Option<String>,
    /// Minutes after which its paper is not printed by itself; 15 for the kitchen's and 5 for other paper unless set.
    #[serde(default)]
    #[schemars(range(min = 1, max = 240))]
    expires_minutes: Option<i64>,
}

/// Makes a printer.
pub async fn create_printer(
    cx: Cx,
    State(reach): State<Printers>,
    Json(body): Json<CreatePrinter>,
) -> Result<Created<Printer>> {
    let fields = PrinterFields {
        name: body.name,
        connection: body.connection.unwrap_or(Connection::Tcp),
        address: body.address,
        width: body.width.unwrap_or(80),
        profile: body.profile.unwrap_or(Profile::Generic),
        code_pages: body.code_pages.unwrap_or_else(PrinterFields::usual_pages),
        cutter: body.cutter.unwrap_or(true),
        drawer: body.drawer,
        auto_print: body.auto_print.unwrap_or(AutoPrint::Payment),
        roles: body.roles.unwrap_or_else(|| vec![PrinterRole::Receipt]),
        station_ids: body.station_ids,
        fallback_printer_id: body.fallback_printer_id,
        language: body.language,
        expires_minutes: body.expires_minutes,
    };
    cx.create(move |tx, actor| actions::create(tx, actor, fields, &reach)).await
}

patch! {
    /// A change of a printer.
    pub struct UpdatePrinter of PrinterFields {
        #[schemars(length(min = 1, max = 60))]
        name: Replace<String>,
        connection: Replace<Connection>,
        #[schemars(length(min = 1, max = 260))]
        address: Replace<String>,
        /// Width of its paper in millimetres: 58 or 80.
        #[schemars(range(min = 58, max = 80))]
        width: Replace<i64>,
        profile: Replace<Profile>,
        /// The code pages it has, the preferred first; what none of them writes is drawn.
        #[schemars(length(max = 20))]
        code_pages: Replace<Vec<CodePage>>,
        /// Whether it cuts the paper.
        cutter: Replace<bool>,
        /// Whether a cash drawer is wired to it.
        drawer: Replace<bool>,
        auto_print: Replace<AutoPrint>,
        /// What it prints: receipts, kitchen tickets, reports.
        #[schemars(length(min = 1, max = 20))]
        roles: Replace<Vec<PrinterRole>>,
        /// The kitchen stations whose tickets it prints; needs the role KITCHEN.
        #[schemars(length(max = 100))]
        station_ids: Replace<Vec<Uuid>>,
        /// The printer that prints instead, once, when this one does not.
        fallback_printer_id: Patch<Uuid>,
        /// The language of its receipts' head and foot, such as `hi`.
        #[schemars(length(max = 12))]
        language: Patch<String>,
        /// Minutes after which its paper is not printed by itself; null: as its kind of paper has it.
        #[schemars(range(min = 1, max = 240))]
        expires_minutes: Patch<i64>,
    }
}

/// Changes a printer.
pub async fn update_printer(
    cx: Cx,
    Id(id): Id,
    State(reach): State<Printers>,
    Json(body): Json<UpdatePrinter>,
) -> Result<Updated<Printer>> {
    cx.change(move |tx, actor, expected| {
        actions::update(tx, actor, id, expected, |fields| body.over(fields), &reach)
    })
    .await
}

/// Archives a printer; answers how it was.
pub async fn delete_printer(cx: Cx, Id(id): Id) -> Result<Updated<Printer>> {
    cx.change(move |tx, actor, expected| actions::archive(tx, actor, id, expected)).await
}

/// Prints a test page.
pub async fn test_printer(cx: Cx, Id(id): Id) -> Result<Created<PrintJob>> {
    cx.create(move |tx, actor| actions::test(tx, actor, id)).await
}
