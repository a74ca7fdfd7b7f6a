//! `/print-layout`.

use crate::access::Cx;
use crate::http::{Data, Json, Patch, Replace, Result, Updated};
use crate::resources::printers::rules::LayoutFields;
use crate::resources::printers::{actions, store};
use std::collections::BTreeMap;

view! {
    /// What stands above and below receipts.
    pub struct PrintLayout of layout: LayoutFields {
        /// Text below the name of the house, by language.
        headers: BTreeMap<String, String>,
        /// Text at the end, by language.
        footers: BTreeMap<String, String>,
        /// A PNG in base64, above everything, in black and white.
        logo: Option<String>,
        /// Whether a QR code stands at the end: number, date, total and receipt code of the bill.
        bill_code: bool,
        /// Whether, where `billCode` is false, a QR code stands there that opens the bill on the guest's phone.
        guest_code: bool,
    }
}

patch! {
    /// A change of what stands above and below receipts.
    pub struct UpdatePrintLayout of LayoutFields {
        /// Text below the name of the house, by language: at most 500 characters in 12 lines each.
        headers: Replace<BTreeMap<String, String>>,
        /// Text at the end, by language.
        footers: Replace<BTreeMap<String, String>>,
        /// A PNG in base64, of 48 KiB at most.
        #[schemars(length(max = 65_536))]
        logo: Patch<String>,
        /// Whether a QR code stands at the end: number, date, total and receipt code of the bill.
        bill_code: Replace<bool>,
        /// Whether, where `billCode` is false, a QR code stands there that opens the bill on the guest's phone; true unless it was set.
        guest_code: Replace<bool>,
    }
}

/// What stands above and below receipts.
pub async fn get_layout(cx: Cx) -> Result<Data<PrintLayout>> {
    let found = cx.read(move |conn, outlet| store::find_layout(conn, outlet)).await?;
    Ok(Data::new(found.map(|layout| layout.fields).unwrap_or_default().into()))
}

/// Changes what stands above and below receipts.
pub async fn update_layout(cx: Cx, Json(body): Json<UpdatePrintLayout>) -> Result<Updated<PrintLayout>> {
    cx.update(move |tx, actor| {
        actions::set_layout(tx, actor, |fields| body.over(fields)).map(PrintLayout::from)
    })
    .await
}
