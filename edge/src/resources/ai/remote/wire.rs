//! The protocol spoken with the model: `POST {url}/chat/completions`. Bounded in size, follows no redirect, logs no content.

use super::super::rules::answer::FallbackReason as Why;
use crate::config::{Ai, Secret};
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde_json::{Value, json};

/// Largest answer taken.
const BODY_LIMIT: usize = 1024 * 1024;

/// Most words a model is asked for, in its own counting.
const TOKENS: u32 = 900;

/// Where the model answers.
#[derive(Clone)]
pub(super) struct Wire {
    http: reqwest::Client,
    address: String,
    model: String,
    key: Option<Secret>,
}

/// What the model said.
pub(super) enum ModelReply {
    /// Its answer.
    Text(String),
    /// It wants to know more: its own message, and what it wants.
    Calls { message: Value, calls: Vec<ToolCall> },
}

/// A function the model wants called.
pub(super) struct ToolCall {
    pub(super) id: String,
    pub(super) name: String,
    /// JSON as the model wrote it.
    pub(super) arguments: String,
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<WireCall>>,
}

#[derive(Deserialize)]
struct WireCall {
    id: String,
    function: WireFunction,
}

#[derive(Deserialize)]
struct WireFunction {
    name: String,
    #[serde(default)]
    arguments: String,
}

impl Wire {
    pub(super) fn new(settings: &Ai) -> Option<Wire> {
        let (url, model) = (settings.url.as_ref()?, settings.model.as_ref()?);
        let http = reqwest::Client::builder().redirect(Policy::none()).build();
        let http =
            http.map_err(|error| tracing::error!(%error, "the assistant's model cannot be asked")).ok()?;
        let address = format!("{}/chat/completions", url.as_str());
        Some(Wire { http, address, model: model.0.clone(), key: settings.key.clone() })
    }

    /// The model's next message.
    pub(super) async fn complete(&self, messages: &[Value], tools: &[Value]) -> Result<ModelReply, Why> {
        let body = json!({
            "model": self.model, "messages": messages, "tools": tools, "temperature": 0, "max_tokens": TOKENS, "stream": false,
        });
        let mut request = self.http.post(&self.address).json(&body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.reveal());
        }
        let mut response = request.send().await.map_err(|_| Why::Unreachable)?;
        if !response.status().is_success() {
            return Err(Why::Refused);
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|_| Why::Unreachable)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > BODY_LIMIT {
                return Err(Why::TooLong);
            }
        }
        let completion: Completion = serde_json::from_slice(&bytes).map_err(|_| Why::Malformed)?;
        reply_of(completion)
    }
}

fn reply_of(completion: Completion) -> Result<ModelReply, Why> {
    let message = completion.choices.into_iter().next().ok_or(Why::Malformed)?.message;
    let wanted = message.tool_calls.unwrap_or_default();
    if wanted.is_empty() {
        return message.content.map(ModelReply::Text).ok_or(Why::Malformed);
    }
    let calls: Vec<Value> = wanted
        .iter()
        .map(|call| {
            let function = json!({"name": call.function.name, "arguments": call.function.arguments});
            json!({"id": call.id, "type": "function", "function": function})
        })
        .collect();
    let message = json!({"role": "assistant", "content": message.content, "tool_calls": calls});
    let calls = wanted.into_iter().map(|call| ToolCall {
        id: call.id,
        name: call.function.name,
        arguments: call.function.arguments,
    });
    Ok(ModelReply::Calls { message, calls: calls.collect() })
}
