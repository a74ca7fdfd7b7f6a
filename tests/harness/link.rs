//! A narrow, long, leaky line: TCP between two ends of this machine at a given rate, after a given delay, with a given share of
//! its segments lost. A lost segment comes one timeout later and holds up what follows it, as TCP's does. Seeded; never changes
//! a byte.

use crate::Dice;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// What the line is like, the same both ways.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// Bits a second.
    pub bits: u64,
    /// From one end to the other and back.
    pub round_trip: Duration,
    /// Lost segments of a thousand.
    pub lost: u64,
}

/// A segment's payload.
const SEGMENT: usize = 1_400;

/// What its headers take on the line.
const HEADERS: usize = 52;

/// Segments on their way at once.
const WINDOW: usize = 64;

/// An open line to one address. Closed when dropped.
#[derive(Debug)]
pub struct Link {
    base: String,
    task: JoinHandle<()>,
}

impl Link {
    /// To `target` (`127.0.0.1:…`).
    pub async fn open(target: String, line: Line, seed: u64) -> Link {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let dice = Arc::new(Dice::fork(seed, "link"));
        let task = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let (target, dice) = (target.clone(), Arc::clone(&dice));
                tokio::spawn(async move {
                    // The handshake takes a round trip of its own.
                    tokio::time::sleep(line.round_trip).await;
                    let Ok(far) = TcpStream::connect(&target).await else { return };
                    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
                    tokio::join!(
                        carry(near_in, far_out, line, Arc::clone(&dice)),
                        carry(far_in, near_out, line, dice),
                    );
                });
            }
        });
        Link { base, task }
    }

    /// Where its near end answers: `http://127.0.0.1:…`.
    pub fn base(&self) -> &str {
        &self.base
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, line: Line, dice: Arc<Dice>) {
    let (sender, mut arriving) = mpsc::channel::<(Instant, Vec<u8>)>(WINDOW);
    let sending = async move {
        let (mut free, mut last) = (Instant::now(), Instant::now());
        loop {
            let mut segment = vec![0; SEGMENT];
            let Ok(length @ 1..) = from.read(&mut segment).await else { return };
            segment.truncate(length);
            let on_line = Duration::from_micros((length + HEADERS) as u64 * 8 * 1_000_000 / line.bits);
            free = free.max(Instant::now()) + on_line;
            tokio::time::sleep_until(free).await;
            let mut at = free + line.round_trip / 2;
            if dice.happens(line.lost) {
                at += line.round_trip * 2;
            }
            // What follows waits for what was lost.
            last = last.max(at);
            if sender.send((last, segment)).await.is_err() {
                return;
            }
        }
    };
    let receiving = async move {
        while let Some((at, segment)) = arriving.recv().await {
            tokio::time::sleep_until(at).await;
            if to.write_all(&segment).await.is_err() {
                return;
            }
        }
        let _ = to.shutdown().await;
    };
    tokio::join!(sending, receiving);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_byte_comes_through_in_its_order() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let line = Line { bits: 80_000_000, round_trip: Duration::from_millis(2), lost: 100 };
        let link = Link::open(server.local_addr().unwrap().to_string(), line, 7).await;
        let echo = tokio::spawn(async move {
            let (mut stream, _) = server.accept().await.unwrap();
            let (mut read, mut write) = stream.split();
            tokio::io::copy(&mut read, &mut write).await.unwrap()
        });
        let sent: Vec<u8> = (0..200_000u32).map(|n| (n % 251) as u8).collect();
        let near = TcpStream::connect(link.base().trim_start_matches("http://")).await.unwrap();
        let (mut read, mut write) = near.into_split();
        let body = sent.clone();
        tokio::spawn(async move {
            write.write_all(&body).await.unwrap();
            write.shutdown().await.unwrap();
        });
        let mut got = Vec::new();
        read.read_to_end(&mut got).await.unwrap();
        assert!(got == sent);
        assert_eq!(echo.await.unwrap(), sent.len() as u64);
    }
}
