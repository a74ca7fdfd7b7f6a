//! HTTP messages as bytes: where one ends. Never understands more of them.

use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A stream and what was read of it beyond the last message.
pub(crate) struct Wire<S> {
    pub(crate) stream: S,
    pub(crate) ahead: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    /// Around `stream`.
    pub(crate) fn new(stream: S) -> Wire<S> {
        Wire { stream, ahead: Vec::new() }
    }

    /// The next whole message; none when the other end hung up between two. `asked` is given for answers.
    pub(crate) async fn message(&mut self, asked: Option<&str>) -> io::Result<Option<Vec<u8>>> {
        let head = loop {
            match head_end(&self.ahead) {
                Some(end) => break end,
                None if self.more().await? => {}
                None => return Ok(None),
            }
        };
        let text = String::from_utf8_lossy(&self.ahead[..head]).to_ascii_lowercase();
        let field =
            |name: &str| text.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()));
        let length = field("content-length:").and_then(|text| text.parse::<usize>().ok());
        let bodiless = asked.is_none() || [" 204 ", " 304 "].iter().any(|status| text[..16].contains(status));
        let end = match length {
            Some(length) => Some(head + length),
            None if field("transfer-encoding:").is_some_and(|coding| coding.contains("chunked")) => {
                Some(self.chunks_end(head).await?)
            }
            None if bodiless => Some(head),
            None => None,
        };
        while end.is_none_or(|end| self.ahead.len() < end) {
            if !self.more().await? {
                return if end.is_none() { Ok(Some(std::mem::take(&mut self.ahead))) } else { Ok(None) };
            }
        }
        let rest = self.ahead.split_off(end.unwrap_or(self.ahead.len()));
        Ok(Some(std::mem::replace(&mut self.ahead, rest)))
    }

    /// Where a chunked body that begins at `at` ends.
    async fn chunks_end(&mut self, mut at: usize) -> io::Result<usize> {
        loop {
            let line = loop {
                match self.ahead[at..].windows(2).position(|pair| pair == b"\r\n") {
                    Some(end) => break at + end,
                    None if self.more().await? => {}
                    None => return Err(io::ErrorKind::UnexpectedEof.into()),
                }
            };
            let size = String::from_utf8_lossy(&self.ahead[at..line]).into_owned();
            let size = usize::from_str_radix(size.split(';').next().unwrap_or("").trim(), 16)
                .map_err(|_| io::ErrorKind::InvalidData)?;
            at = line + 2 + size + 2;
            while self.ahead.len() < at {
                if !self.more().await? {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            if size == 0 {
                return Ok(at);
            }
        }
    }

    async fn more(&mut self) -> io::Result<bool> {
        Ok(self.stream.read_buf(&mut self.ahead).await? > 0)
    }

    /// Ends when the other end hangs up.
    pub(crate) async fn closed(&mut self) -> io::Result<()> {
        while self.more().await? {}
        Ok(())
    }

    /// Answers by itself.
    pub(crate) async fn answer(&mut self, status: u16, headers: &str, body: &str) -> io::Result<()> {
        let length = body.len();
        let text = format!("HTTP/1.1 {status} Somebody\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        self.stream.write_all(text.as_bytes()).await?;
        self.stream.flush().await
    }
}

/// Where the head ends.
pub(crate) fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

/// What is asked for: method and target.
pub(crate) fn first_line(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == b'\r').unwrap_or(bytes.len());
    let line = String::from_utf8_lossy(&bytes[..end]).into_owned();
    line.trim_end_matches(" HTTP/1.1").to_owned()
}
