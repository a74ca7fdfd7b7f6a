//! `POST /tickets/feedback`, the only thing here that anybody may call. Never answers with anything but what was sent.

use super::super::actions::{self, FeedbackSubject};
use super::super::rules::TicketError;
use super::super::rules::feedback::{Feedback, OrderNumber, Words};
use crate::access::{Actor, once::keep_once};
use crate::db::{Db, Source};
use crate::http::idempotency::{self, Idempotency};
use crate::http::{Data, Json, Problem, Result};
use crate::resources::orders::rules::Guest;
use crate::resources::{outlets, tables};
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use tiffin_common::{Millis, Uuid};

/// What a guest says of an order or of a table's party. Either the table's token is there, or number and code of the bill.
#[apply(request!)]
pub struct GiveFeedback {
    /// The token of the table's code.
    #[schemars(length(max = 64))]
    table_token: Option<String>,
    /// The number on the bill; one feedback per order. Beside `tableToken` alone it is one of the table's party.
    #[schemars(length(max = 40))]
    order_number: Option<String>,
    /// The code on the bill, 8 characters; goes with `orderNumber`.
    #[schemars(length(max = 40))]
    receipt_code: Option<String>,
    /// How it was over all, 5 is best.
    #[schemars(range(min = 1, max = 5))]
    rating: i64,
    /// Of the food.
    #[schemars(range(min = 1, max = 5))]
    food: Option<i64>,
    /// Of the service.
    #[schemars(range(min = 1, max = 5))]
    service: Option<i64>,
    /// Of the cleanliness.
    #[schemars(range(min = 1, max = 5))]
    cleanliness: Option<i64>,
    /// How likely the guest would recommend the restaurant.
    #[schemars(range(min = 0, max = 10))]
    nps: Option<i64>,
    /// What the guest says in words.
    #[schemars(length(max = 2_000))]
    comment: Option<String>,
    /// Whom to call.
    #[schemars(length(max = 120))]
    customer_name: Option<String>,
    /// Where to call the guest back.
    #[schemars(length(max = 40))]
    customer_phone: Option<String>,
    /// Whether the guest wants to be called.
    callback_wanted: Option<bool>,
}

view! {
    /// Feedback, for the guest who gave it.
    pub struct FeedbackGiven of feedback: Feedback {
        id: Uuid,
        rating: i64 = feedback.words.rating,
        created_at: Millis,
    }
}

/// The trimmed text, when there is any.
fn text(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Keeps what a guest says.
pub async fn create_feedback(
    State(db): State<Db>,
    idempotency: Option<Extension<Idempotency>>,
    Json(body): Json<GiveFeedback>,
) -> Result<Response> {
    let subject = FeedbackSubject {
        table_token: text(body.table_token),
        order_number: text(body.order_number),
        receipt_code: text(body.receipt_code),
    };
    let words = Words {
        rating: body.rating,
        food: body.food,
        service: body.service,
        cleanliness: body.cleanliness,
        nps: body.nps,
        comment: text(body.comment),
        callback_wanted: body.callback_wanted.unwrap_or_default(),
        guest: Guest { name: text(body.customer_name), phone: text(body.customer_phone), address: None },
    };
    let known = subject.clone();
    let outlet = db.read(move |conn| outlet_of(conn, &known)).await?;
    let key = idempotency.map(|Extension(key)| key);
    // A guest's phone has no name of its own here: whoever speaks about the same has the same keys.
    let about = [&subject.table_token, &subject.order_number, &subject.receipt_code]
        .map(|part| part.as_deref().unwrap_or_default());
    let owner = idempotency::owner(outlet, about.join("\n").as_bytes());
    let actor = Actor::guest(outlet);
    keep_once(&db, key, owner, actor, StatusCode::CREATED, move |tx, actor| -> Result<_, TicketError> {
        Ok(Data::new(FeedbackGiven::from(actions::give_feedback(tx, actor, &subject, &words)?)))
    })
    .await
}

/// The outlet a guest speaks about: the table's or the order's.
fn outlet_of(conn: &dyn Source, subject: &FeedbackSubject) -> Result<Uuid> {
    let unknown = |field: &str| Problem::field(field, "is not known here");
    if let Some(token) = &subject.table_token {
        let table = tables::store::find_by_token(conn, token)?.ok_or_else(|| unknown("tableToken"))?;
        return Ok(table.outlet_id);
    }
    let (Some(number), Some(_)) = (&subject.order_number, &subject.receipt_code) else {
        let lacks = if subject.receipt_code.is_some() { "orderNumber" } else { "receiptCode" };
        return Err(Problem::field(lacks, "is needed, as it stands on the bill, or the token of the table"));
    };
    let code = OrderNumber::parse(number).map(|number| number.code);
    let outlet = outlets::store::list(conn)?.into_iter().find(|outlet| Some(&outlet.code) == code.as_ref());
    Ok(outlet.ok_or_else(|| unknown("orderNumber"))?.id)
}
