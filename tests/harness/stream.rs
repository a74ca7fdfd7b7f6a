//! A display on an event stream: collects what it is sent and waits for conditions, never for a time.

use crate::Client;
use futures_util::StreamExt;
use reqwest::Method;
use serde_json::Value;
use std::time::Duration;

/// An open server-sent event stream.
pub struct Events {
    body: std::pin::Pin<Box<dyn futures_util::Stream<Item = reqwest::Result<Vec<u8>>> + Send>>,
    buffer: String,
    /// The id of the last event received.
    pub last_id: Option<String>,
}

/// One event.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// Its data.
    pub data: Value,
}

impl Events {
    /// Opens the stream at `path`, after the event `last_id`.
    pub async fn open(client: &Client, path: &str, last_id: Option<&str>) -> Events {
        let mut request = client.request(Method::GET, path).header("Accept", "text/event-stream");
        if let Some(id) = last_id {
            request = request.header("Last-Event-ID", id);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200, "{path}");
        let body = response.bytes_stream().map(|chunk| chunk.map(|bytes| bytes.to_vec()));
        Events { body: Box::pin(body), buffer: String::new(), last_id: last_id.map(str::to_owned) }
    }

    /// The next event. Fails when none comes within half a minute or the stream ends.
    pub async fn next(&mut self) -> Event {
        let wait = async {
            loop {
                if let Some(event) = self.parse() {
                    return event;
                }
                let chunk = self.body.next().await.expect("the stream goes on").unwrap();
                self.buffer.push_str(&String::from_utf8_lossy(&chunk).replace("\r\n", "\n"));
            }
        };
        tokio::time::timeout(Duration::from_secs(30), wait).await.expect("an event comes")
    }

    /// Events until one satisfies `wanted`; that one.
    pub async fn until(&mut self, wanted: impl Fn(&Event) -> bool) -> Event {
        loop {
            let event = self.next().await;
            if wanted(&event) {
                return event;
            }
        }
    }

    /// Waits until the server ends the stream. Fails when it goes on for half a minute.
    pub async fn ends(&mut self) {
        let rest = async { while self.body.next().await.is_some_and(|chunk| chunk.is_ok()) {} };
        tokio::time::timeout(Duration::from_secs(30), rest).await.expect("the stream ends");
    }

    fn parse(&mut self) -> Option<Event> {
        while let Some(end) = self.buffer.find("\n\n") {
            let block: String = self.buffer.drain(..end + 2).collect();
            let field = |name: &str| {
                block
                    .lines()
                    .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                    .map(|v| v.trim().to_owned())
            };
            if let Some(id) = field("id") {
                self.last_id = Some(id);
            }
            if let Some(data) = field("data") {
                let data = serde_json::from_str(&data).unwrap_or(Value::Null);
                return Some(Event { name: field("event").unwrap_or_default(), data });
            }
        }
        None
    }
}
