//! A carrier that counts what is answered. Changes nothing.

use edge::sync::{Answer, HttpCarrier, HubClient, Reply, Request};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// What was answered, all boxes together.
#[derive(Debug, Default)]
pub struct Counts {
    /// By status.
    pub statuses: BTreeMap<u16, u64>,
    /// Answers that never may be: 5xx other than 503, and refusals that do not say how long to stay away.
    pub wrong: Vec<String>,
}

/// See the module.
pub struct Counted {
    carrier: HttpCarrier,
    counts: Arc<Mutex<Counts>>,
}

impl Counted {
    /// Counts into `counts` what `carrier` brings.
    pub fn new(carrier: HttpCarrier, counts: &Arc<Mutex<Counts>>) -> Counted {
        Counted { carrier, counts: Arc::clone(counts) }
    }

    fn count(&self, path: &str, answer: &Answer) {
        let mut counts = self.counts.lock().unwrap();
        *counts.statuses.entry(answer.status).or_default() += 1;
        let is_wait = matches!(answer.status, 429 | 503);
        if (answer.status >= 500 && !is_wait) || (is_wait && answer.retry_after.is_none()) {
            let body = String::from_utf8_lossy(&answer.body).into_owned();
            counts.wrong.push(format!("{path} answered {}: {body}", answer.status));
        }
    }
}

impl HubClient for Counted {
    fn send(&self, request: Request) -> Reply<'_> {
        Box::pin(async move {
            let path = request.path.clone();
            let answer = self.carrier.send(request).await;
            if let Ok(answer) = &answer {
                self.count(&path, answer);
            }
            answer
        })
    }
}
