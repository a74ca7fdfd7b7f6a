//! `POST /ai/ask` and `GET /ai/suggestions`.

use super::super::actions::{self, Exchange};
use super::super::assistant::Assistant;
use super::super::reads::Caller;
use super::super::rules::AiError;
use super::super::rules::answer::Answer;
use super::super::rules::money::Currency;
use super::super::rules::setting::Setting;
use super::super::rules::suggest::Suggestion;
use super::super::store;
use crate::access::{Actor, Cx};
use crate::http::{Data, FieldError, Json, Problem, Result, Updated};
use crate::resources::outlets;
use axum::extract::Extension;
use axum::http::HeaderMap;
use chrono::NaiveDate;
use tiffin_common::{Millis, Uuid};

/// Messages of the conversation that a model is reminded of.
const REMEMBERED: u32 = 6;

/// A question for the assistant, in words.
#[apply(request!)]
pub struct Ask {
    /// In plain words.
    #[schemars(length(min = 1, max = 2_000))]
    question: String,
    /// The conversation it goes on with; absent: a new one.
    #[serde(default)]
    conversation_id: Option<Uuid>,
}

/// An answer and the conversation it belongs to.
#[apply(answer!)]
pub struct Answered {
    #[serde(flatten)]
    answer: Answer,
    /// Send it with the next question to go on.
    conversation_id: Uuid,
}

/// What to act on.
#[apply(answer!)]
pub struct Suggestions {
    /// The outlet's business date.
    business_date: NaiveDate,
    /// When this was found.
    generated_at: Millis,
    /// The most pressing first; fewer than three where there is less to act on, or to see for the caller.
    suggestions: Vec<Suggestion>,
}

async fn setting(cx: &Cx, conversation: Option<Uuid>) -> Result<Setting> {
    let (now, actor) = (cx.db.env().clock.now(), cx.actor());
    cx.read(move |conn, outlet| -> Result<_, AiError> {
        let known = conversation.map(|id| store::find(conn, &actor, id)).transpose()?;
        if known.as_ref().is_some_and(Option::is_none) {
            let field = FieldError::new("conversationId", "is no conversation of this account");
            return Err(AiError::Invalid(vec![field]));
        }
        let history = conversation.map(|id| store::list_latest(conn, id, REMEMBERED)).transpose()?;
        let outlet = outlets::store::find(conn, outlet)?;
        Ok(Setting {
            today: outlet.business_date(now),
            timezone: outlet.timezone,
            now,
            outlet: outlet.name.clone(),
            currency: Currency(outlet.currency.clone()),
            before: known.flatten().and_then(|conversation| conversation.context),
            history: history.unwrap_or_default(),
        })
    })
    .await
}

/// Answers a question.
pub async fn ask(
    Extension(assistant): Extension<Assistant>,
    headers: HeaderMap,
    cx: Cx,
    Json(body): Json<Ask>,
) -> Result<Updated<Answered>> {
    let caller = Caller::of(&headers, cx.outlet_id)?;
    if let Some(stored) = cx.answered().await? {
        return Ok(Updated::new(stored));
    }
    let question = body.question.trim().to_owned();
    if question.is_empty() {
        return Err(Problem::field("question", "must not be empty"));
    }
    let setting = setting(&cx, body.conversation_id).await?;
    let (answer, context) = assistant.answer(&caller, &setting, &question).await;
    let exchange = Exchange { conversation: body.conversation_id, question, answer, context };
    cx.update(move |tx, actor: &Actor| -> Result<_, AiError> {
        let conversation_id = actions::keep(tx, actor, &exchange)?;
        Ok(Answered { answer: exchange.answer, conversation_id })
    })
    .await
}

/// Up to three things to act on today.
pub async fn get_suggestions(
    Extension(assistant): Extension<Assistant>,
    headers: HeaderMap,
    cx: Cx,
) -> Result<Data<Suggestions>> {
    let caller = Caller::of(&headers, cx.outlet_id)?;
    let generated_at = cx.db.env().clock.now();
    let setting = setting(&cx, None).await?;
    let suggestions = assistant.suggestions(&caller, &setting).await;
    Ok(Data::new(Suggestions { business_date: setting.today, generated_at, suggestions }))
}
