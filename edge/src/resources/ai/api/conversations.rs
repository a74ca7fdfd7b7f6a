//! `/ai/conversations`: one's own, and nobody else's.

use super::super::actions;
use super::super::rules::AiError;
use super::super::rules::answer::Answer;
use super::super::store::{self, ConversationRow, MessageRow, Speaker};
use crate::access::Cx;
use crate::http::{Data, Id, Paged, Paging, Query, Result, Updated};
use tiffin_common::{Millis, Uuid};

view! {
    /// A conversation with the assistant, by its latest question.
    pub struct Conversation of row: ConversationRow {
        /// Send it with the next question to go on.
        id: Uuid,
        /// Its first question.
        title: String,
        /// Questions and answers.
        messages_count: i64 = row.messages,
        /// When it began.
        created_at: Millis,
        /// When something was last asked.
        updated_at: Millis,
    }
}

view! {
    /// A question or an answer.
    pub struct Message of row: MessageRow {
        /// Id of the message.
        id: Uuid,
        /// USER or ASSISTANT.
        #[schemars(with = "String")]
        role: Speaker,
        /// The question, or the answer in words.
        text: String,
        /// The whole answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        answer: Option<Answer>,
        /// When it was said.
        at: Millis,
    }
}

/// A conversation with everything that was said.
#[apply(answer!)]
pub struct ConversationDetail {
    #[serde(flatten)]
    conversation: Conversation,
    /// The oldest first; the newest 200.
    messages: Vec<Message>,
}

/// Says that a conversation is forgotten.
#[apply(answer!)]
pub struct ConversationForgotten {
    /// Id of the conversation.
    id: Uuid,
    /// True: it is gone for good.
    forgotten: bool,
}

/// Lists the caller's conversations.
pub async fn list_conversations(cx: Cx, Query(paging): Query<Paging>) -> Result<Paged<Conversation>> {
    let actor = cx.actor();
    cx.list(paging, move |conn, _| store::list(conn, &actor, paging)).await
}

/// One conversation of the caller.
pub async fn get_conversation(cx: Cx, Id(id): Id) -> Result<Data<ConversationDetail>> {
    let actor = cx.actor();
    let (conversation, messages) = cx
        .read(move |conn, _| -> Result<_, AiError> {
            let found = store::find(conn, &actor, id)?.ok_or(AiError::NotFound("conversation"))?;
            Ok((found, store::list_messages(conn, id)?))
        })
        .await?;
    let messages = messages.into_iter().map(Message::from).collect();
    Ok(Data::new(ConversationDetail { conversation: conversation.into(), messages }))
}

/// Forgets a conversation of the caller.
pub async fn delete_conversation(cx: Cx, Id(id): Id) -> Result<Updated<ConversationForgotten>> {
    cx.update(move |tx, actor| {
        actions::forget(tx, actor, id).map(|()| ConversationForgotten { id, forgotten: true })
    })
    .await
}
