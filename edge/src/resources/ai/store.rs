//! Rows of `ai_conversations` and `ai_messages`. Every finder is scoped by outlet and account.

use super::rules::answer::Answer;
use super::rules::plan::Plan;
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person.
    User,
    /// The assistant.
    Assistant,
}

impl Speaker {
    fn name(self) -> &'static str {
        match self {
            Speaker::User => "USER",
            Speaker::Assistant => "ASSISTANT",
        }
    }
}

/// A conversation.
#[derive(Debug, Clone)]
pub struct ConversationRow {
    /// Its id.
    pub id: Uuid,
    /// Its first question.
    pub title: String,
    /// How the last question was understood.
    pub context: Option<Plan>,
    /// Messages in it.
    pub messages: i64,
    /// When it began.
    pub created_at: Millis,
    /// When something was last asked.
    pub updated_at: Millis,
}

/// A message.
#[derive(Debug, Clone)]
pub struct MessageRow {
    /// Its id.
    pub id: Uuid,
    /// USER or ASSISTANT.
    pub role: String,
    /// Its text.
    pub text: String,
    /// The whole answer.
    pub answer: Option<Answer>,
    /// When.
    pub at: Millis,
}

const CONVERSATION: &str = "id, title, context,
  (SELECT count(*) FROM ai_messages WHERE conversation_id = ai_conversations.id), created_at, updated_at";

fn read(row: &Row<'_>) -> db::Result<ConversationRow> {
    Ok(ConversationRow {
        id: row.get(0)?,
        title: row.get(1)?,
        // A context that an older version wrote is no context.
        context: row.get::<_, Option<String>>(2)?.and_then(|text| serde_json::from_str(&text).ok()),
        messages: row.get(3)?,
        created_at: row.get(4)?,
        updated_at: row.get(5)?,
    })
}

/// The caller's conversation of that id.
pub fn find(conn: &dyn Source, actor: &Actor, id: Uuid) -> db::Result<Option<ConversationRow>> {
    let sql = format!(
        "SELECT {CONVERSATION} FROM ai_conversations WHERE id = ?1 AND outlet_id = ?2 AND account_id = ?3"
    );
    opt(conn, &sql, params![id, actor.outlet_id, actor.account_id], read)
}

/// A page of the caller's conversations, newest first, and how many there are in all.
pub fn list_of(
    conn: &dyn Source,
    actor: &Actor,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<ConversationRow>, i64)> {
    const OWN: &str = "FROM ai_conversations WHERE outlet_id = ?1 AND account_id = ?2";
    let count = format!("SELECT count(*) {OWN}");
    let total = one(conn, &count, params![actor.outlet_id, actor.account_id], |row| row.get(0))?;
    let sql = format!("SELECT {CONVERSATION} {OWN} ORDER BY updated_at DESC, id DESC LIMIT ?3 OFFSET ?4");
    Ok((rows(conn, &sql, params![actor.outlet_id, actor.account_id, limit, offset], read)?, total))
}

/// All messages of a conversation that was found before, the oldest first.
pub fn messages(conn: &dyn Source, conversation: Uuid) -> db::Result<Vec<MessageRow>> {
    let sql = "SELECT id, role, text, answer, at FROM ai_messages WHERE conversation_id = ?1 ORDER BY id";
    rows(conn, sql, [conversation], |row| {
        Ok(MessageRow {
            id: row.get(0)?,
            role: row.get(1)?,
            text: row.get(2)?,
            answer: row.get::<_, Option<String>>(3)?.and_then(|text| serde_json::from_str(&text).ok()),
            at: row.get(4)?,
        })
    })
}

/// The last `count` messages, the oldest first: whether it is a question, and its text.
pub fn latest(conn: &dyn Source, conversation: Uuid, count: u32) -> db::Result<Vec<(bool, String)>> {
    let sql =
        "SELECT role = 'USER', text FROM ai_messages WHERE conversation_id = ?1 ORDER BY id DESC LIMIT ?2";
    let mut found = rows(conn, sql, params![conversation, count], |row| Ok((row.get(0)?, row.get(1)?)))?;
    found.reverse();
    Ok(found)
}

/// Writes a new conversation.
pub fn insert(tx: &Transaction<'_>, actor: &Actor, title: &str) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO ai_conversations (id, outlet_id, account_id, title, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
        params![id, actor.outlet_id, actor.account_id, title, tx.now()],
    )?;
    Ok(id)
}

/// Notes that something was asked, and how it was understood.
pub fn touch(tx: &Transaction<'_>, id: Uuid, context: Option<&Plan>) -> db::Result<()> {
    let context = context.and_then(|plan| serde_json::to_string(plan).ok());
    let sql = "UPDATE ai_conversations SET context = ?2, updated_at = ?3 WHERE id = ?1";
    tx.execute(sql, params![id, context, tx.now()]).map(drop)
}

/// Writes a message.
pub fn insert_message(
    tx: &Transaction<'_>,
    actor: &Actor,
    conversation: Uuid,
    speaker: Speaker,
    text: &str,
    answer: Option<&Answer>,
) -> db::Result<()> {
    let answer = answer.and_then(|answer| serde_json::to_string(answer).ok());
    tx.execute(
        "INSERT INTO ai_messages (id, outlet_id, conversation_id, role, text, answer, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![tx.new_id(), actor.outlet_id, conversation, speaker.name(), text, answer, tx.now()],
    )
    .map(drop)
}

/// Deletes a conversation that was found before, with its messages.
pub fn delete(tx: &Transaction<'_>, id: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM ai_conversations WHERE id = ?1", [id]).map(drop)
}

/// Deletes the messages of a conversation but the newest `kept`.
pub fn delete_old_messages(tx: &Transaction<'_>, conversation: Uuid, kept: u32) -> db::Result<()> {
    let sql = "DELETE FROM ai_messages WHERE id IN
        (SELECT id FROM ai_messages WHERE conversation_id = ?1 ORDER BY id DESC LIMIT -1 OFFSET ?2)";
    tx.execute(sql, params![conversation, kept]).map(drop)
}

/// Deletes the caller's conversations but the newest `kept`.
pub fn delete_old(tx: &Transaction<'_>, actor: &Actor, kept: u32) -> db::Result<()> {
    let sql = "DELETE FROM ai_conversations WHERE id IN
        (SELECT id FROM ai_conversations WHERE outlet_id = ?1 AND account_id = ?2
         ORDER BY updated_at DESC, id DESC LIMIT -1 OFFSET ?3)";
    tx.execute(sql, params![actor.outlet_id, actor.account_id, kept]).map(drop)
}
