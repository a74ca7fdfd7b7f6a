//! The mail worker. It takes no input: it wakes, looks at what waits, sends what is due, and tells staff instead of what does
//! not go in time. Never logs a letter, its code or its recipient, and never sends in clear where TLS is demanded.

use super::rules::MailJob;
use super::{actions, store};
use crate::config;
use crate::db::{self, Db, Topic, Tx};
use crate::http::sse::stopped;
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use std::sync::Arc;
use std::time::Duration;
use tiffin_common::Millis;
use tokio::sync::watch;
use tokio::time::timeout;

/// Looked again although nothing woke us.
const POLL: Duration = Duration::from_secs(1);

/// How long one conversation with the mail server may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The first and the longest pause between attempts.
const PAUSE_MS: std::ops::RangeInclusive<i64> = 2_000..=60_000;

/// Writes into a letter what is stored nowhere.
pub type Unseal = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// Sends mail until `stopping`, each letter as `unseal` completes it. Where no server is configured, what still waits becomes notifications at once.
pub async fn run(db: Db, settings: config::Mail, unseal: Unseal, mut stopping: watch::Receiver<bool>) {
    let sender = Sender::new(&settings, unseal);
    let mut changes = db.changes(Topic::Mail);
    loop {
        changes.borrow_and_update();
        let look = async {
            // One after the other until nothing is due.
            loop {
                match step(&db, sender.as_ref()).await {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => {
                        tracing::warn!(%error, "mail could not be looked after");
                        return;
                    }
                }
            }
        };
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = look => {}
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(POLL) => {}
            Ok(()) = changes.changed() => {}
        }
    }
}

/// Deals with the mail that is due first; false when none is.
async fn step(db: &Db, sender: Option<&Sender>) -> db::Result<bool> {
    let Some(job) = db.read(|conn| store::next_mail(conn)).await? else {
        return Ok(false);
    };
    let now = db.env().clock.now();
    if now < job.next_attempt_at {
        return Ok(false);
    }
    let outcome = match sender {
        Some(sender) if now < job.expires_at => sender.send(&job, now).await,
        _ => Outcome::Never,
    };
    let next = db.env().clock.now().after(backoff_ms(job.attempts));
    note(db, move |tx| match outcome {
        Outcome::Gone => actions::mail_went(tx, job.id),
        Outcome::Later => actions::mail_waits(tx, job.id, next),
        Outcome::Never => actions::mail_failed(tx, &job),
    })
    .await?;
    Ok(true)
}

async fn note(db: &Db, change: impl FnOnce(&Tx<'_>) -> db::Result<()> + Send + 'static) -> db::Result<()> {
    db.write(move |tx| change(tx)).await
}

fn backoff_ms(attempts: i64) -> i64 {
    let doubled = PAUSE_MS.start().checked_shl(u32::try_from(attempts.clamp(0, 16)).unwrap_or(16));
    doubled.unwrap_or(*PAUSE_MS.end()).min(*PAUSE_MS.end())
}

/// What became of an attempt.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// The server has taken it.
    Gone,
    /// Not now.
    Later,
    /// Not ever: its time is over, or the server will not have it.
    Never,
}

/// How mail is handed in.
struct Sender {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    unseal: Unseal,
}

impl Sender {
    /// None where no server is configured.
    fn new(settings: &config::Mail, unseal: Unseal) -> Option<Sender> {
        let (server, from) = (settings.server.as_ref()?, settings.from.as_ref()?);
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(server.reveal());
        let (Ok(builder), Ok(from)) = (builder, from.as_str().parse()) else {
            tracing::error!("the mail settings cannot be used");
            return None;
        };
        Some(Sender { transport: builder.timeout(Some(PATIENCE)).build(), from, unseal })
    }

    async fn send(&self, job: &MailJob, now: Millis) -> Outcome {
        let Ok(recipient) = job.recipient.parse() else { return Outcome::Never };
        let message = Message::builder()
            .from(self.from.clone())
            .to(recipient)
            .subject(job.subject.clone())
            .date(now.to_utc().into())
            .message_id(Some(format!("<{}@tiffin>", job.id)))
            .header(ContentType::TEXT_PLAIN)
            .body((self.unseal)(&job.body));
        let Ok(message) = message else { return Outcome::Never };
        match timeout(PATIENCE, self.transport.send(message)).await {
            Ok(Ok(_)) => Outcome::Gone,
            Ok(Err(error)) => {
                let status = error.status().map(|code| code.to_string());
                tracing::warn!(job = %job.id, status, kind = kind(&error), "a mail was not taken");
                if error.is_permanent() { Outcome::Never } else { Outcome::Later }
            }
            Err(_) => {
                tracing::warn!(job = %job.id, "the mail server does not answer");
                Outcome::Later
            }
        }
    }
}

/// What went wrong, without the server's words: they may repeat the letter's.
fn kind(error: &lettre::transport::smtp::Error) -> &'static str {
    match error {
        e if e.is_permanent() => "refused for good",
        e if e.is_transient() => "refused for now",
        e if e.is_timeout() => "no answer",
        e if e.is_tls() => "no TLS",
        e if e.is_client() => "not what the server offers",
        _ => "no connection",
    }
}
