//! `/privacy` over HTTP.

use super::actions::{self, Whom};
use super::rules::{Erased, Number, PrivacyError};
use crate::access::Cx;
use crate::http::{Json, Result, Updated};
use crate::resources::auth::api::passwords;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::Uuid;

answered! {
    PrivacyError of "guest" {}
}

/// Whose name, phone and address shall be erased: the guest of one phone number, or of one order.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EraseGuest {
    /// The guest's phone number, however it is written; all orders and feedbacks that gave it.
    #[serde(default)]
    #[schemars(length(min = 1, max = 40))]
    phone: Option<String>,
    /// One order, with what was split from it and what its guest said of it: for a guest who left no number.
    #[serde(default)]
    order_id: Option<Uuid>,
    /// The caller's own password.
    #[schemars(length(min = 1, max = 128))]
    password: String,
}

view! {
    /// What became of a guest's traces.
    pub struct Erasure of erased: Erased {
        /// Orders that name nobody any more.
        orders: i64,
        /// Feedbacks that name nobody any more.
        feedback: i64,
        /// Bills and credit notes of these orders: they stay as the law wants them, and name no guest.
        documents_kept: i64,
    }
}

impl EraseGuest {
    fn whom(&self) -> Result<Whom, PrivacyError> {
        match (&self.phone, self.order_id) {
            (Some(phone), None) => Number::of(phone)
                .map(Whom::Phone)
                .ok_or_else(|| PrivacyError::field("phone", "has too few digits for a phone number")),
            (None, Some(order)) => Ok(Whom::Order(order)),
            (None, None) => Err(PrivacyError::field("phone", "is needed, or orderId")),
            (Some(_), Some(_)) => Err(PrivacyError::field("orderId", "may not stand beside phone")),
        }
    }
}

/// Erases who a guest was. What there is to erase is looked for on a reader: it may take a while, and nobody waits for it.
pub async fn erase_guest(cx: Cx, Json(body): Json<EraseGuest>) -> Result<Updated<Erasure>> {
    let whom = body.whom()?;
    passwords::confirmed(&cx, body.password).await?;
    let found = cx.read(move |conn, outlet| actions::find(conn, outlet, &whom)).await?;
    cx.update(move |tx, actor| -> Result<_, PrivacyError> { actions::erase(tx, actor, &found) }).await
}
