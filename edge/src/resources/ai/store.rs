//! Rows of `ai_conversations` and `ai_messages`. Every finder is scoped by outlet and account.

use super::rules::answer::Answer;
use super::rules::plan::Plan;
use crate::access::Actor;
use crate::db::{self, Columns, Json, Page, Row, Source, Tx, list as rows, opt, page, table};
use crate::http::Paging;
use rusqlite::params;
use tiffin_common::{Millis, Uuid, words};

words! {
    /// Who said something.
    pub enum Speaker {
        /// The person.
        User = "USER",
        /// The assistant.
        Assistant = "ASSISTANT",
    }
}

table! {
    /// A conversation.
    pub struct ConversationRow: ai_conversations {
        /// Its id.
        pub id: Uuid,
        /// Its first question.
        pub title: String,
        /// How the last question was understood.
        pub context: Option<Plan> => json,
        /// Messages in it.
        pub messages: i64 => none,
        /// When it began.
        pub created_at: Millis,
        /// When something was last asked.
        pub updated_at: Millis,
    }
}

table! {
    /// A message.
    pub struct MessageRow: ai_messages {
        /// Its id.
        pub id: Uuid,
        /// Who said it.
        pub role: Speaker,
        /// Its text.
        pub text: String,
        /// The whole answer.
        pub answer: Option<Answer> => json,
        /// When.
        pub at: Millis,
    }
}

/// The statement that reads the conversations of an account, with what follows.
fn select(rest: &str) -> String {
    let more = "(SELECT count(*) FROM ai_messages m WHERE m.conversation_id = c.id) AS messages";
    let own = "WHERE c.outlet_id = ?1 AND c.account_id = ?2";
    table::select::<ConversationRow>("c", more, &format!("{own} {rest}"))
}

fn read(row: &Row<'_>) -> db::Result<ConversationRow> {
    Ok(ConversationRow { messages: row.get("messages")?, ..ConversationRow::read(row)? })
}

/// The caller's conversation of that id.
pub fn find(conn: &dyn Source, actor: &Actor, id: Uuid) -> db::Result<Option<ConversationRow>> {
    opt(conn, &select("AND c.id = ?3"), params![actor.outlet_id, actor.account_id, id], read)
}

/// A page of the caller's conversations, newest first.
pub fn list(conn: &dyn Source, actor: &Actor, paging: Paging) -> db::Result<Page<ConversationRow>> {
    let count = "SELECT count(*) FROM ai_conversations WHERE outlet_id = ?1 AND account_id = ?2";
    let sql = select("ORDER BY c.updated_at DESC, c.id DESC");
    page(conn, (&sql, count), params![actor.outlet_id, actor.account_id], paging.into(), read)
}

/// All messages of a conversation that was found before, the oldest first.
pub fn list_messages(conn: &dyn Source, conversation: Uuid) -> db::Result<Vec<MessageRow>> {
    rows(
        conn,
        select!(MessageRow, "WHERE conversation_id = ?1 ORDER BY id"),
        [conversation],
        MessageRow::read,
    )
}

/// The last `count` messages, the oldest first: whether it is a question, and its text.
pub fn list_latest(conn: &dyn Source, conversation: Uuid, count: u32) -> db::Result<Vec<(bool, String)>> {
    let sql = select!(MessageRow, "WHERE conversation_id = ?1 ORDER BY id DESC LIMIT ?2");
    let mut found = rows(conn, sql, params![conversation, count], |row| {
        MessageRow::read(row).map(|message| (message.role == Speaker::User, message.text))
    })?;
    found.reverse();
    Ok(found)
}

/// Writes a new conversation.
pub fn insert(tx: &Tx<'_>, actor: &Actor, title: &str) -> db::Result<Uuid> {
    let (id, now) = (tx.new_id(), tx.now());
    insert!(
        tx,
        ai_conversations {
            id: id,
            outlet_id: actor.outlet_id,
            account_id: actor.account_id,
            title: title,
            created_at: now,
            updated_at: now
        }
    )?;
    Ok(id)
}

/// Notes that something was asked, and how it was understood.
pub fn set_asked(tx: &Tx<'_>, id: Uuid, context: Option<&Plan>) -> db::Result<()> {
    update!(tx, ai_conversations { context: Json(context), updated_at: tx.now() } where { id: id }).map(drop)
}

/// Writes a message.
pub fn insert_message(
    tx: &Tx<'_>,
    actor: &Actor,
    conversation: Uuid,
    role: Speaker,
    text: &str,
    answer: Option<&Answer>,
) -> db::Result<()> {
    insert!(
        tx,
        ai_messages {
            id: tx.new_id(),
            outlet_id: actor.outlet_id,
            conversation_id: conversation,
            role: role,
            text: text,
            answer: Json(answer),
            at: tx.now()
        }
    )
    .map(drop)
}

/// Deletes a conversation that was found before, with its messages.
pub fn delete(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM ai_conversations WHERE id = ?1", [id]).map(drop)
}

/// Deletes the messages of a conversation but the newest `kept`.
pub fn delete_old_messages(tx: &Tx<'_>, conversation: Uuid, kept: u32) -> db::Result<()> {
    let sql = "DELETE FROM ai_messages WHERE id IN
        (SELECT id FROM ai_messages WHERE conversation_id = ?1 ORDER BY id DESC LIMIT -1 OFFSET ?2)";
    tx.execute(sql, params![conversation, kept]).map(drop)
}

/// Deletes the caller's conversations but the newest `kept`.
pub fn delete_old(tx: &Tx<'_>, actor: &Actor, kept: u32) -> db::Result<()> {
    let sql = "DELETE FROM ai_conversations WHERE id IN
        (SELECT id FROM ai_conversations WHERE outlet_id = ?1 AND account_id = ?2
         ORDER BY updated_at DESC, id DESC LIMIT -1 OFFSET ?3)";
    tx.execute(sql, params![actor.outlet_id, actor.account_id, kept]).map(drop)
}
