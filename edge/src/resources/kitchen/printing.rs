//! The printers' worker: one queue and one task per printer, so that a dead printer delays nobody else. It takes no input:
//! it wakes, looks at the queued paper, and sends what is due; what is too old expires instead of coming out late.
//! Never decides what is printed.

use super::actions::{paper_came_out, paper_expired, paper_failed};
use super::rules::Job;
use super::rules::Result;
use super::store;
use super::{escpos, rules};
use crate::db::{Db, Topic, Tx};
use crate::http::sse::stopped;
use std::collections::HashSet;
use std::time::Duration;
use tiffin_common::Millis;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How long a printer may take to answer, and then to take a ticket.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the connection.
    pub connect: Duration,
    /// For all bytes.
    pub send: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { connect: Duration::from_secs(3), send: Duration::from_secs(5) }
    }
}

/// Looked again although nothing woke us.
const POLL: Duration = Duration::from_secs(5);

/// The first and the longest pause between attempts.
const PAUSE_MS: std::ops::RangeInclusive<i64> = 1_000..=30_000;

/// Prints until `stopping`.
pub async fn run(db: Db, stopping: watch::Receiver<bool>) {
    run_with(db, stopping, Patience::default()).await;
}

async fn run_with(db: Db, mut stopping: watch::Receiver<bool>, patience: Patience) {
    let mut changes = db.changes(Topic::Printing);
    let mut known = HashSet::new();
    // Dropping the set at the end stops the printers' tasks.
    let mut tasks = JoinSet::new();
    loop {
        changes.borrow_and_update();
        match db.read(|conn| store::list_open_printers(conn)).await {
            Ok(printers) => {
                for address in printers {
                    if known.insert(address.clone()) {
                        tasks.spawn(drain(db.clone(), address, patience));
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the print queue cannot be read"),
        }
        if pause(&mut changes, &mut stopping, POLL).await {
            return;
        }
    }
}

/// Waits for a change, the stop signal (true) or `at_most`.
async fn pause(
    changes: &mut watch::Receiver<u64>,
    stopping: &mut watch::Receiver<bool>,
    at_most: Duration,
) -> bool {
    tokio::select! {
        () = stopped(stopping) => true,
        () = tokio::time::sleep(at_most) => false,
        Ok(()) = changes.changed() => false,
    }
}

/// One printer's queue, for ever: an idle task costs nothing and never misses a job.
async fn drain(db: Db, address: String, patience: Patience) {
    let mut changes = db.changes(Topic::Printing);
    loop {
        changes.borrow_and_update();
        let wait = match step(&db, &address, patience).await {
            Ok(Step::Done) => continue,
            Ok(Step::Wait(wait)) => wait,
            Err(error) => {
                tracing::warn!(%error, address, "paper could not be looked after");
                POLL
            }
        };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            Ok(()) = changes.changed() => {}
        }
    }
}

/// What one look at a printer's queue came to.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// A job left the queue.
    Done,
    /// Nothing to do for so long.
    Wait(Duration),
}

/// Deals with the oldest job of the printer.
async fn step(db: &Db, address: &str, patience: Patience) -> Result<Step> {
    let queue = address.to_owned();
    let found = db.read(move |conn| store::next_job(conn, &queue)).await?;
    let Some(job) = found else { return Ok(Step::Wait(POLL)) };
    let now = db.env().clock.now();
    if now >= job.expires_at {
        note(db, move |tx| paper_expired(tx, &job)).await?;
        return Ok(Step::Done);
    }
    if now < job.next_attempt_at {
        return Ok(Step::Wait(millis(job.next_attempt_at.since(now))));
    }
    let attempt = send(db, &job, patience).await;
    match attempt {
        Ok(()) => {
            note(db, move |tx| paper_came_out(tx, &job)).await?;
            Ok(Step::Done)
        }
        Err(Failure { sent, error }) => {
            let pause = backoff_ms(job.attempts);
            let next: Millis = db.env().clock.now().after(pause);
            tracing::warn!(address, error, "a printer does not print");
            note(db, move |tx| paper_failed(tx, &job, sent, &error, next)).await?;
            Ok(Step::Wait(millis(pause)))
        }
    }
}

async fn note(db: &Db, change: impl FnOnce(&Tx<'_>) -> Result<()> + Send + 'static) -> Result<()> {
    db.write(change).await
}

fn backoff_ms(attempts: i64) -> i64 {
    let doubled = PAUSE_MS.start().checked_shl(u32::try_from(attempts.clamp(0, 16)).unwrap_or(16));
    doubled.unwrap_or(*PAUSE_MS.end()).min(*PAUSE_MS.end())
}

fn millis(ms: i64) -> Duration {
    Duration::from_millis(ms.max(1).unsigned_abs()).min(Duration::from_secs(60))
}

/// Why paper did not come out.
struct Failure {
    /// Bytes may have reached the printer.
    sent: bool,
    error: String,
}

async fn send(db: &Db, job: &Job, patience: Patience) -> Result<(), Failure> {
    let failed = |sent: bool| move |error: String| Failure { sent: sent || job.may_be_printed(), error };
    let (host, port) = rules::socket(&job.printer_address)
        .ok_or_else(|| failed(false)("The printer's address is not valid".into()))?;
    let mut stream = match timeout(patience.connect, TcpStream::connect((host, port))).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(failed(false)(format!("It cannot be reached ({error})"))),
        Err(_) => return Err(failed(false)("It does not answer".into())),
    };
    let id = job.id;
    note(db, move |tx| Ok(store::set_job_sending(tx, id)?))
        .await
        .map_err(|e| failed(false)(e.to_string()))?;
    let write = async {
        if job.may_be_printed() {
            stream.write_all(&escpos::may_be_a_repeat()).await?;
        }
        stream.write_all(&job.payload).await?;
        stream.shutdown().await
    };
    match timeout(patience.send, write).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(failed(true)(format!("It stopped taking paper ({error})"))),
        Err(_) => Err(failed(true)("It stopped taking paper".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::kitchen::actions::print;
    use crate::resources::kitchen::rules::KitchenError;
    use crate::testing::Fixture;
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;

    /// A printer that gives up soon, so that tests do.
    const HASTY: Patience =
        Patience { connect: Duration::from_millis(300), send: Duration::from_millis(300) };

    struct Paper {
        fixture: Fixture,
        runtime: tokio::runtime::Runtime,
    }

    impl Paper {
        fn new() -> Paper {
            Paper { fixture: Fixture::new(), runtime: tokio::runtime::Runtime::new().unwrap() }
        }

        fn queue(&self, address: &str, payload: Vec<u8>) {
            let address = address.to_owned();
            self.fixture
                .write(move |tx, actor| {
                    print(tx, actor.outlet_id, &address, None, payload).map_err(KitchenError::from)
                })
                .unwrap();
        }

        fn listener(&self) -> (TcpListener, String) {
            let listener = self.runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
            let address = listener.local_addr().unwrap().to_string();
            (listener, address)
        }

        fn step(&self, address: &str) -> Step {
            self.runtime.block_on(step(&self.fixture.db, address, HASTY)).unwrap()
        }

        fn number(&self, sql: &str) -> i64 {
            self.fixture.number(sql)
        }
    }

    /// Takes one piece of paper.
    async fn take(listener: TcpListener) -> Vec<u8> {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        bytes
    }

    #[test]
    fn a_dead_printer_does_not_block_the_others() {
        let paper = Paper::new();
        // One that accepts (by its backlog) and never reads, one that works. More bytes than the sockets hold.
        let (_hangs, dead) = paper.listener();
        let (works, alive) = paper.listener();
        for _ in 0..3 {
            paper.queue(&dead, vec![b'x'; 32 * 1024 * 1024]);
        }
        paper.queue(&alive, b"one dosa".to_vec());
        let stop = watch::Sender::new(false);
        let worker = paper.runtime.spawn(run_with(paper.fixture.db.clone(), stop.subscribe(), HASTY));
        let printed = async { timeout(Duration::from_secs(10), take(works)).await };
        assert_eq!(paper.runtime.block_on(printed).unwrap(), b"one dosa");
        stop.send_replace(true);
        paper.runtime.block_on(worker).unwrap();
    }

    #[test]
    fn the_nights_backlog_does_not_print_in_the_morning() {
        let paper = Paper::new();
        let (listener, address) = paper.listener();
        drop(listener);
        paper.queue(&address, b"late".to_vec());
        assert!(matches!(paper.step(&address), Step::Wait(_)));
        assert_eq!(paper.number("SELECT sum(count) FROM notifications WHERE type = 'PRINTER_DOWN'"), 1);
        assert_eq!(paper.number("SELECT attempts FROM print_jobs"), 1);
        // Not due yet: nothing is tried.
        assert!(matches!(paper.step(&address), Step::Wait(_)));
        assert_eq!(paper.number("SELECT attempts FROM print_jobs"), 1);
        paper.fixture.clock.advance(10 * 60_000);
        assert_eq!(paper.step(&address), Step::Done);
        assert_eq!(paper.number("SELECT count(*) FROM print_jobs WHERE status = 'EXPIRED'"), 1);
        assert_eq!(paper.step(&address), Step::Wait(POLL));
    }

    #[test]
    fn paper_that_may_have_come_out_says_so_when_it_is_tried_again() {
        let paper = Paper::new();
        let (hangs, address) = paper.listener();
        let bytes = vec![b'y'; 32 * 1024 * 1024];
        paper.queue(&address, bytes.clone());
        assert!(matches!(paper.step(&address), Step::Wait(_)));
        drop(hangs);
        paper.fixture.clock.advance(60_000);
        let listener = paper.runtime.block_on(TcpListener::bind(&address)).unwrap();
        let taken = paper.runtime.spawn(take(listener));
        let long = Patience { send: Duration::from_secs(20), ..HASTY };
        let done = paper.runtime.block_on(step(&paper.fixture.db, &address, long)).unwrap();
        assert_eq!(done, Step::Done);
        let text = paper.runtime.block_on(taken).unwrap();
        assert!(text.len() > bytes.len() && text.windows(6).any(|window| window == b"REPEAT"));
    }

    #[test]
    fn pauses_grow_and_are_bounded() {
        assert_eq!([0, 1, 4, 5, 400].map(backoff_ms), [1_000, 2_000, 16_000, 30_000, 30_000]);
    }
}
