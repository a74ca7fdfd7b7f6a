//! Answering a question: the model first where one is configured, the local engine where there is none or it fails. Never
//! holds a connection or a transaction while it waits.

use super::reads::{Caller, Reads};
use super::remote::Remote;
use super::rules::answer::{Answer, Engine, FallbackReason, Source, Statement};
use super::rules::call::{Call, Reply};
use super::rules::parse::{parse, why_not};
use super::rules::plan::Plan;
use super::rules::setting::Setting;
use super::rules::suggest::{self, Suggestion};
use super::rules::topics;
use crate::state::{AppState, Routes};
use serde_json::Value;

/// The assistant. Cheap to clone; handed to the routes by the application, which alone has all of them.
#[derive(Clone)]
pub struct Assistant {
    reads: Reads,
    remote: Option<Remote>,
}

/// Pages of a list that are read for one answer.
const PAGES: u64 = 20;

impl Assistant {
    /// The assistant of an application with these routes.
    pub fn new(state: &AppState, routes: Routes) -> Assistant {
        Assistant { reads: Reads::new(state, routes), remote: Remote::new(&state.ai) }
    }

    /// Answers `question`, and says how it was understood.
    pub(super) async fn answer(
        &self,
        caller: &Caller,
        setting: &Setting,
        question: &str,
    ) -> (Answer, Option<Plan>) {
        let plan = parse(question, setting.before.as_ref(), setting.today);
        // A question that was not understood leaves the thread where it was.
        let thread = plan.clone().or_else(|| setting.before.clone());
        let mut reason = None;
        if let Some(remote) = &self.remote {
            match remote.answer(&self.reads, caller, setting, question).await {
                Ok(answer) => return (answer, thread),
                Err(why) => {
                    tracing::warn!(reason = ?why, "the model's answer is not used");
                    reason = Some(why);
                }
            }
        }
        let unclear = if plan.is_none() { why_not(question, setting.today) } else { None };
        (self.local(caller, setting, (plan, unclear), reason).await, thread)
    }

    async fn local(
        &self,
        caller: &Caller,
        setting: &Setting,
        (plan, unclear): (Option<Plan>, Option<String>),
        reason: Option<FallbackReason>,
    ) -> Answer {
        let (statement, sources) = match &plan {
            None => (topics::help(unclear.as_deref()), Vec::new()),
            Some(plan) => self.tell(caller, setting, plan).await,
        };
        Answer {
            answer: statement.text,
            facts: statement.facts,
            table: statement.table,
            sources,
            engine: Engine::Local,
            fallback_reason: reason,
        }
    }

    /// Carries out `plan`.
    async fn tell(&self, caller: &Caller, setting: &Setting, plan: &Plan) -> (Statement, Vec<Source>) {
        let Some(topic) = topics::named(&plan.topic) else { return (topics::help(None), Vec::new()) };
        let mut asked = self.ask_all(caller, (topic.asks)(plan)).await;
        if let Some(then) = topic.then
            && topics::refusal(&asked).is_none()
        {
            let data = contents(&asked);
            let heard = setting.heard(plan, &data);
            asked.extend(self.ask_all(caller, then(&heard)).await);
        }
        let sources = asked.iter().map(|(call, reply)| Source::of(call, reply.status)).collect();
        if let Some(statement) = topics::refusal(&asked) {
            return (statement, sources);
        }
        let data = contents(&asked);
        let heard = setting.heard(plan, &data);
        let statement = (topic.tells)(&heard).unwrap_or_else(|| {
            tracing::error!(topic = topic.name, "the figures of a topic were not where they should be");
            Statement::text("I could not read the figures this needs.")
        });
        (statement, sources)
    }

    /// Asks one call after the other: a question must not take the whole read pool from the tills.
    async fn ask_all(&self, caller: &Caller, calls: Vec<Call>) -> Vec<(Call, Reply)> {
        let mut asked = Vec::with_capacity(calls.len());
        for call in calls {
            let reply = self.whole(caller, &call).await;
            asked.push((call, reply));
        }
        asked
    }

    /// A call's answer; of a list that asks for whole pages, all of its pages.
    async fn whole(&self, caller: &Caller, call: &Call) -> Reply {
        let mut reply = self.reads.ask(caller, call).await;
        for page in 1..PAGES {
            let Some(next) = call.next_page(&reply, page) else { break };
            let more = self.reads.ask(caller, &next).await;
            if !reply.append(&more) {
                break;
            }
        }
        reply
    }

    /// What to act on today, the most pressing first.
    pub(super) async fn suggestions(&self, caller: &Caller, setting: &Setting) -> Vec<Suggestion> {
        let asked = self.ask_all(caller, suggest::calls(setting.today)).await;
        suggest::suggestions(&asked, setting.today, &setting.currency)
    }
}

fn contents(asked: &[(Call, Reply)]) -> Vec<Value> {
    asked.iter().map(|(_, reply)| reply.data().clone()).collect()
}
