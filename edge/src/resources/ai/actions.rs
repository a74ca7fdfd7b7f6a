//! Changes of conversations. Never calls anything outside the store.

use super::rules::answer::Answer;
use super::rules::plan::Plan;
use super::rules::{AiError, CONVERSATIONS_KEPT, MESSAGES_KEPT, Result, title};
use super::store::{self, Speaker};
use crate::access::Actor;
use crate::db::Tx;
use tiffin_common::Uuid;

/// A question and its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The conversation it goes on with.
    pub conversation: Option<Uuid>,
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: Answer,
    /// How the question was understood.
    pub context: Option<Plan>,
}

/// Keeps an exchange with its conversation, and forgets what is too old. Returns the conversation.
///
/// # Errors
/// `NotFound` when the conversation was forgotten meanwhile.
pub fn keep(tx: &Tx<'_>, actor: &Actor, exchange: &Exchange) -> Result<Uuid> {
    let id = match exchange.conversation {
        Some(id) => {
            store::find(tx, actor, id)?.map(|found| found.id).ok_or(AiError::NotFound("conversation"))?
        }
        None => store::insert(tx, actor, &title(&exchange.question))?,
    };
    store::set_asked(tx, id, exchange.context.as_ref())?;
    store::insert_message(tx, actor, id, Speaker::User, &exchange.question, None)?;
    let answer = &exchange.answer;
    store::insert_message(tx, actor, id, Speaker::Assistant, &answer.answer, Some(answer))?;
    store::delete_old_messages(tx, id, MESSAGES_KEPT)?;
    store::delete_old(tx, actor, CONVERSATIONS_KEPT)?;
    Ok(id)
}

/// Forgets a conversation.
///
/// # Errors
/// `NotFound`.
pub fn forget(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<()> {
    store::find(tx, actor, id)?.ok_or(AiError::NotFound("conversation"))?;
    Ok(store::delete(tx, id)?)
}

#[cfg(test)]
mod tests {
    use super::super::rules::answer::Engine;
    use super::*;
    use crate::access::Role;
    use crate::testing::Fixture;

    fn exchange(conversation: Option<Uuid>, question: &str) -> Exchange {
        let answer = Answer {
            answer: "yes".into(),
            facts: Vec::new(),
            table: None,
            sources: Vec::new(),
            engine: Engine::Local,
            fallback_reason: None,
        };
        Exchange { conversation, question: question.into(), answer, context: None }
    }

    fn as_account(
        fixture: &Fixture,
        account: u128,
        change: impl FnOnce(&Tx<'_>, &Actor) -> Result<Uuid> + Send + 'static,
    ) -> Result<Uuid> {
        let account_id = Some(Uuid::from_u128(account));
        let actor = Actor { account_id, ..fixture.actor_as(Role::Manager) };
        fixture.write(move |tx, _| change(tx, &actor))
    }

    #[test]
    fn only_so_much_is_kept_of_each_account() {
        let fixture = Fixture::new();
        let first = as_account(&fixture, 1, |tx, actor| keep(tx, actor, &exchange(None, "first"))).unwrap();
        as_account(&fixture, 2, |tx, actor| keep(tx, actor, &exchange(None, "other"))).unwrap();
        for _ in 0..CONVERSATIONS_KEPT {
            fixture.clock.advance(1_000);
            as_account(&fixture, 1, |tx, actor| keep(tx, actor, &exchange(None, "again"))).unwrap();
        }
        assert_eq!(
            fixture.number("SELECT count(*) FROM ai_conversations"),
            i64::from(CONVERSATIONS_KEPT) + 1
        );
        assert_eq!(fixture.number("SELECT count(*) FROM ai_messages WHERE text = 'first'"), 0);
        let gone = as_account(&fixture, 1, move |tx, actor| keep(tx, actor, &exchange(Some(first), "more")));
        assert!(matches!(gone, Err(AiError::NotFound("conversation"))));
    }

    #[test]
    fn a_long_conversation_forgets_its_beginning_and_belongs_to_one_account() {
        let fixture = Fixture::new();
        let id = as_account(&fixture, 1, |tx, actor| keep(tx, actor, &exchange(None, "first"))).unwrap();
        for _ in 0..MESSAGES_KEPT {
            as_account(&fixture, 1, move |tx, actor| keep(tx, actor, &exchange(Some(id), "more"))).unwrap();
        }
        assert_eq!(fixture.number("SELECT count(*) FROM ai_messages"), i64::from(MESSAGES_KEPT));
        assert_eq!(fixture.number("SELECT count(*) FROM ai_messages WHERE text = 'first'"), 0);
        let stranger = as_account(&fixture, 2, move |tx, actor| forget(tx, actor, id).map(|()| id));
        assert!(matches!(stranger, Err(AiError::NotFound("conversation"))));
        as_account(&fixture, 1, move |tx, actor| forget(tx, actor, id).map(|()| id)).unwrap();
        assert_eq!(fixture.number("SELECT count(*) FROM ai_messages"), 0);
    }
}
