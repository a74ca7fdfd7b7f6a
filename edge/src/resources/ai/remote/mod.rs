//! The configured model: an OpenAI-compatible API that may call the readable routes as functions. Never gets a token of this
//! system, another outlet's data or a way to write; whatever it says is checked before anybody reads it.

mod wire;

use super::reads::{Caller, Reads};
use super::rules::answer::{Answer, Engine, FallbackReason as Why, Source};
use super::rules::call::{Call, Reply};
use super::rules::remote as given;
use super::rules::setting::Setting;
use super::rules::verify::Known;
use crate::config::Ai;
use serde_json::{Value, json};
use std::time::Duration;
use wire::{ModelReply, ToolCall, Wire};

/// The model. Cheap to clone.
#[derive(Clone)]
pub(super) struct Remote {
    wire: Wire,
    timeout: Duration,
}

impl Remote {
    /// The configured model; nothing when there is none.
    pub(super) fn new(settings: &Ai) -> Option<Remote> {
        Some(Remote { wire: Wire::new(settings)?, timeout: settings.timeout })
    }

    /// The model's answer to `question`, checked; or why it is not used.
    pub(super) async fn answer(
        &self,
        reads: &Reads,
        caller: &Caller,
        setting: &Setting,
        question: &str,
    ) -> Result<Answer, Why> {
        let talk = Talk { wire: &self.wire, reads, caller, calls: Vec::new(), known: Known::new() };
        let answer = talk.run(setting, question);
        tokio::time::timeout(self.timeout, answer).await.map_err(|_| Why::Timeout)?
    }
}

/// One question to the model, with everything it was given so far.
struct Talk<'a> {
    wire: &'a Wire,
    reads: &'a Reads,
    caller: &'a Caller,
    calls: Vec<(Call, Reply)>,
    known: Known,
}

impl Talk<'_> {
    async fn run(mut self, setting: &Setting, question: &str) -> Result<Answer, Why> {
        let instructions = given::instructions(&setting.outlet, &setting.currency.0, setting.today);
        let mut messages = vec![json!({"role": "system", "content": instructions})];
        for (is_question, text) in &setting.history {
            messages.push(json!({"role": if *is_question { "user" } else { "assistant" }, "content": text}));
        }
        messages.push(json!({"role": "user", "content": question}));
        let tools = self.tools();
        for _ in 0..given::ROUNDS {
            match self.wire.complete(&messages, &tools).await? {
                ModelReply::Text(text) => return self.check(text, setting),
                ModelReply::Calls { message, calls } => {
                    messages.push(message);
                    if calls.len() > given::CALLS_PER_ROUND {
                        return Err(Why::TooManyRounds);
                    }
                    for call in calls {
                        let result = self.call(&call).await?;
                        let content = result.to_string();
                        messages.push(json!({"role": "tool", "tool_call_id": call.id, "content": content}));
                    }
                }
            }
        }
        Err(Why::TooManyRounds)
    }

    fn tools(&self) -> Vec<Value> {
        let tool = |function: &super::reads::Function| {
            let parts = json!({"name": function.name, "description": function.summary, "parameters": function.parameters});
            json!({"type": "function", "function": parts})
        };
        self.reads.functions().iter().map(tool).collect()
    }

    /// Carries out a call of the model as the person who asks.
    async fn call(&mut self, wanted: &ToolCall) -> Result<Value, Why> {
        let function = self.reads.functions().iter().find(|function| function.name == wanted.name);
        let function = function.ok_or(Why::UnknownTool)?;
        let params = given::arguments(&wanted.arguments, &function.parameters).ok_or(Why::BadArguments)?;
        let call = Call { endpoint: function.path.to_owned(), params };
        let reply = self.reads.ask(self.caller, &call).await;
        if reply.status == 400 {
            return Err(Why::BadArguments);
        }
        let result = given::result(&reply);
        self.known.add(&result);
        self.known.add(&Value::Object(call.params.clone()));
        self.calls.push((call, reply));
        Ok(result)
    }

    fn check(self, text: String, setting: &Setting) -> Result<Answer, Why> {
        if text.chars().count() > given::ANSWER_CHARS {
            return Err(Why::TooLong);
        }
        if text.trim().is_empty() {
            return Err(Why::Malformed);
        }
        if self.calls.is_empty() {
            return Err(Why::NoFigures);
        }
        if self.known.unknown(&text).is_some() {
            return Err(Why::UnverifiedFigure);
        }
        let sources = self.calls.iter().map(|(call, reply)| Source::of(call, reply.status)).collect();
        let statement = given::statement(text, &self.calls, &setting.currency);
        let (engine, fallback_reason) = (Engine::Remote, None);
        Ok(Answer {
            answer: statement.text,
            facts: statement.facts,
            table: statement.table,
            sources,
            engine,
            fallback_reason,
        })
    }
}
