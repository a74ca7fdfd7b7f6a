//! What the service manager (systemd) is told: ready, still answering, stopping. Never needed: where nobody asked for it (no
//! `NOTIFY_SOCKET` in the environment), nothing happens.

use sd_notify::NotifyState;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// How long the first answer may take before it is asked for again.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// What a start that a restart would not cure is given, again and again, in microseconds.
const MORE_TIME_USEC: u32 = 30_000_000;

/// The pause before it is asked for again.
const ASK_AGAIN: Duration = Duration::from_millis(200);

/// How the process answers for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Everything works.
    Ready,
    /// What is read is answered, and nothing is written: a full disk. A start is over then.
    ReadsOnly,
    /// It answered, with a refusal that a restart would not cure: a database server that is away.
    Refused,
    /// The part that does the work is gone.
    Gone,
}

/// Says `text` to whoever looks with `systemctl status`.
pub fn status(text: &str) {
    tell(&[NotifyState::Status(text)]);
}

/// Says that the process is about to stop.
pub fn stopping() {
    tell(&[NotifyState::Stopping, NotifyState::Status("Stopping")]);
}

/// Says `READY=1` with `text` once `ask` answers that it is or reads are, and from then on `WATCHDOG=1` in time, as long as `ask` answers in
/// time. Ends when `stopping` turns true.
pub async fn attend<A: Future<Output = Answer>>(
    text: &str,
    ask: impl Fn() -> A,
    mut stopping: watch::Receiver<bool>,
) {
    let work = attend_by(text, sd_notify::watchdog_enabled(), ask, tell);
    tokio::select! {
        () = crate::http::sse::stopped(&mut stopping) => {}
        () = work => {}
    }
}

fn tell(what: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(what) {
        tracing::debug!(%error, "the service manager does not listen");
    }
}

/// [`attend`] with the manager's patience and its ear as arguments.
async fn attend_by<A: Future<Output = Answer>>(
    text: &str,
    patience: Option<Duration>,
    ask: impl Fn() -> A,
    tell: impl Fn(&[NotifyState<'_>]),
) {
    loop {
        match timeout(FIRST_ANSWER, ask()).await {
            Ok(Answer::Ready | Answer::ReadsOnly) => break,
            // It must not be stopped for taking long.
            Ok(Answer::Refused) => tell(&[NotifyState::ExtendTimeoutUsec(MORE_TIME_USEC)]),
            Ok(Answer::Gone) | Err(_) => {}
        }
        tokio::time::sleep(ASK_AGAIN).await;
    }
    tell(&[NotifyState::Ready, NotifyState::Status(text)]);
    let Some(patience) = patience else { return };
    // Asked four times within its patience, so that one answer may be late.
    let every = (patience / 4).max(Duration::from_millis(1));
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match timeout(every, ask()).await {
            Ok(Answer::Ready | Answer::ReadsOnly | Answer::Refused) => tell(&[NotifyState::Watchdog]),
            Ok(Answer::Gone) => {
                tracing::error!("the writer is gone; the service manager will start this process anew")
            }
            Err(_) => {
                tracing::warn!("the writer does not answer; the service manager is not told that it does")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering};
    use tokio::sync::Notify;

    /// What is told until question `last` is asked (the first is 0), when the `n`th is answered by `answer(n)`.
    async fn told(last: u32, answer: impl AsyncFn(u32) -> Answer) -> Vec<String> {
        let (heard, asked, enough) = (Mutex::new(Vec::new()), AtomicU32::new(0), Notify::new());
        let hear = |states: &[NotifyState<'_>]| {
            heard.lock().unwrap().extend(states.iter().map(ToString::to_string));
        };
        let ask = async || {
            let n = asked.fetch_add(1, Ordering::Relaxed);
            if n == last {
                enough.notify_one();
                std::future::pending::<()>().await;
            }
            answer(n).await
        };
        tokio::select! {
            biased;
            () = enough.notified() => {}
            () = attend_by("Serving", Some(Duration::from_millis(20)), ask, hear) => {}
        }
        heard.into_inner().unwrap()
    }

    fn beats(told: &[String]) -> usize {
        told.iter().filter(|word| word.as_str() == "WATCHDOG=1").count()
    }

    #[tokio::test]
    async fn it_is_ready_at_the_first_good_answer_and_not_before() {
        let answer = async |n| if n < 2 { Answer::Refused } else { Answer::Ready };
        let more_time = "EXTEND_TIMEOUT_USEC=30000000";
        assert_eq!(told(2, answer).await, [more_time; 2]);
        assert_eq!(told(3, answer).await, [more_time, more_time, "READY=1", "STATUS=Serving"]);
        assert_eq!(told(1, async |_| Answer::ReadsOnly).await, ["READY=1", "STATUS=Serving"]);
        assert_eq!(told(3, async |_| Answer::Gone).await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn it_lives_as_long_as_it_answers_also_with_a_refusal() {
        let answer = async |n| if n == 0 { Answer::Ready } else { Answer::Refused };
        assert_eq!(beats(&told(9, answer).await), 8);
    }

    #[tokio::test]
    async fn a_writer_that_hangs_or_is_gone_is_not_covered_up() {
        let hangs = async |n| if n < 3 { Answer::Ready } else { std::future::pending().await };
        assert_eq!(beats(&told(9, hangs).await), 2);
        let gone = async |n| if n < 3 { Answer::Ready } else { Answer::Gone };
        assert_eq!(beats(&told(9, gone).await), 2);
    }
}
