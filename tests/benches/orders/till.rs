//! A till: one kept-alive connection over a plain socket, so that the load generator takes little of the two cores. Never reads an
//! answer further than it must to know that it is a 201 and where it ends.

use super::Taker;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An order, and what is answered to it.
struct Asked {
    head: String,
    body: String,
    status: u16,
}

/// What all tills send: the orders, one after the other, each under a key of its own.
#[derive(Clone)]
pub(super) struct Tills {
    orders: Arc<[Asked]>,
    keys: Arc<AtomicU64>,
}

impl Tills {
    /// Tills of somebody with this access token, with these bodies.
    pub(super) fn new(token: &str, bodies: impl Iterator<Item = String>) -> Tills {
        Tills::answered(token, bodies.map(|body| (body, 201)))
    }

    /// The same, of whose bodies each has its status.
    pub(super) fn answered(token: &str, bodies: impl Iterator<Item = (String, u16)>) -> Tills {
        let order = |(number, (body, status)): (usize, (String, u16))| {
            // Which of the orders it is, for those that know them by number.
            let head = format!(
                "POST /api/v1/orders HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
                 Content-Type: application/json\r\nContent-Length: {}\r\nX-Order: {number}\r\nIdempotency-Key: ",
                body.len()
            );
            Asked { head, body, status }
        };
        Tills { orders: bodies.enumerate().map(order).collect(), keys: Arc::default() }
    }

    /// A till at the server on `address`.
    pub(super) async fn connect(&self, address: &str) -> Till {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Till { stream, tills: self.clone(), buffer: Vec::with_capacity(8_192) }
    }
}

/// One kept-alive connection.
pub(super) struct Till {
    stream: TcpStream,
    tills: Tills,
    buffer: Vec<u8>,
}

impl Taker for Till {
    async fn take(&mut self) {
        let key = self.tills.keys.fetch_add(1, Ordering::Relaxed);
        let orders = &self.tills.orders;
        self.send(key, usize::try_from(key).unwrap() % orders.len()).await;
    }
}

impl Till {
    /// Places the order of this number.
    pub(super) async fn place(&mut self, order: usize) -> String {
        let key = self.tills.keys.fetch_add(1, Ordering::Relaxed);
        self.send(key, order).await;
        let end = self.head_end().unwrap();
        String::from_utf8(self.buffer[end..].to_vec()).unwrap()
    }

    async fn send(&mut self, key: u64, order: usize) {
        let Asked { head, body, status } = &self.tills.orders[order];
        let request = format!("{head}{key}\r\n\r\n{body}");
        self.stream.write_all(request.as_bytes()).await.unwrap();
        self.buffer.clear();
        while !self.is_complete() {
            assert!(self.stream.read_buf(&mut self.buffer).await.unwrap() > 0, "the server hung up");
        }
        let is_expected = self.buffer.starts_with(format!("HTTP/1.1 {status}").as_bytes());
        assert!(is_expected, "{request}\n{}", String::from_utf8_lossy(&self.buffer));
    }

    fn head_end(&self) -> Option<usize> {
        self.buffer.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
    }

    fn is_complete(&self) -> bool {
        let Some(end) = self.head_end() else { return false };
        let head = String::from_utf8_lossy(&self.buffer[..end]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap();
        self.buffer.len() >= end + length.trim().parse::<usize>().unwrap()
    }
}
