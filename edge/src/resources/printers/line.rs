//! The line to a printer: by network, cable or the machine's print service; what can be asked over it, and what it answers. Never
//! decides what is printed, and never waits longer than it is told to.

use super::rules::{Connection, Target, may_be_at, socket};
use crate::config::Printers;
use rustix::fs::{MemfdFlags, OFlags, memfd_create};
use std::fs::{File, OpenOptions};
use std::io::{Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::unix::pipe;
use tokio::time::timeout;

/// How long a printer may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the connection.
    pub connect: Duration,
    /// For an answer that it gives at once (DLE EOT).
    pub answer: Duration,
    /// To take all bytes.
    pub send: Duration,
    /// From the last byte until it says that all has come out.
    pub print: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            connect: Duration::from_secs(3),
            answer: Duration::from_millis(800),
            send: Duration::from_secs(10),
            print: Duration::from_secs(10),
        }
    }
}

/// What a printer says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    /// It prints.
    Ready,
    /// It cannot print, and why.
    Trouble(&'static str),
    /// It does not answer such questions.
    Nothing,
}

trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Duplex for T {}

/// An open line.
pub struct Line {
    end: End,
    patience: Patience,
}

enum End {
    /// It can be asked.
    Live(Box<dyn Duplex>),
    /// A queue of the machine's print service, and the program that takes paper for it: what is handed over is its business.
    Spool(String, PathBuf),
}

impl Line {
    /// Opens the line to `target`, if a printer may be there.
    ///
    /// # Errors
    /// Why it cannot be opened, for people.
    pub async fn open(target: Target<'_>, reach: &Printers, patience: Patience) -> Result<Line, String> {
        target.check(reach).map_err(|reason| format!("Its address {reason}"))?;
        let end = match target.connection {
            Connection::Tcp => End::Live(Box::new(call(target.address, reach, patience).await?)),
            Connection::Usb => {
                End::Live(plug(target.address).map_err(|error| format!("{}: {error}", target.address))?)
            }
            Connection::Spool if !is_program(&reach.spooler) => {
                return Err(format!("The print service ({}) is not installed", reach.spooler.display()));
            }
            Connection::Spool => End::Spool(target.address.to_owned(), reach.spooler.clone()),
        };
        Ok(Line { end, patience })
    }

    /// Whether it prints, as it says itself. Asks what it does at once, whatever it is printing (DLE EOT 1, 2 and 4).
    pub async fn says(&mut self) -> Says {
        let Some(state) = self.ask_state(1).await else { return Says::Nothing };
        let paper = self.ask_state(4).await.unwrap_or_default();
        if paper & 0x60 != 0 {
            return Says::Trouble("It is out of paper");
        }
        if state & 0x08 == 0 {
            return Says::Ready;
        }
        match self.ask_state(2).await.unwrap_or_default() {
            why if why & 0x04 != 0 => Says::Trouble("Its cover is open"),
            why if why & 0x20 != 0 => Says::Trouble("It is out of paper"),
            why if why & 0x40 != 0 => Says::Trouble("It reports an error"),
            _ => Says::Trouble("It is offline"),
        }
    }

    async fn ask_state(&mut self, question: u8) -> Option<u8> {
        let wait = self.patience.answer;
        self.ask(&[0x10, 0x04, question], |byte| byte & 0x93 == 0x12, wait).await
    }

    /// Whether everything sent so far has come out: asked in line with it (GS r 1), and answered when it is its turn.
    pub async fn is_through(&mut self) -> bool {
        let wait = self.patience.print;
        self.ask(b"\x1dr\x01", |byte| byte & 0x90 == 0, wait).await.is_some()
    }

    /// How often it has ever cut, by its own count (GS g 2, counter 178).
    pub async fn cuts(&mut self) -> Option<i64> {
        let wait = self.patience.print;
        self.ask(b"\x1dg2\x00\xb2\x00", |byte| byte == b'_', wait).await?;
        let End::Live(line) = &mut self.end else { return None };
        let mut digits = String::new();
        let read = async {
            loop {
                match line.read_u8().await.ok()? {
                    0 => return digits.parse().ok(),
                    digit if digit.is_ascii_digit() && digits.len() < 18 => digits.push(char::from(digit)),
                    _ => return None,
                }
            }
        };
        timeout(self.patience.answer, read).await.ok().flatten()
    }

    /// Asks, and waits for the first byte that is an answer; others were answers to something else.
    async fn ask(&mut self, question: &[u8], is_answer: fn(u8) -> bool, wait: Duration) -> Option<u8> {
        let End::Live(line) = &mut self.end else { return None };
        let conversation = async {
            line.write_all(question).await.ok()?;
            loop {
                let byte = line.read_u8().await.ok()?;
                if is_answer(byte) {
                    return Some(byte);
                }
            }
        };
        timeout(wait, conversation).await.ok().flatten()
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// Why not all were taken, for people. Some may have been.
    pub async fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        match &mut self.end {
            End::Live(line) => match timeout(self.patience.send, line.write_all(bytes)).await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => Err(format!("It stopped taking paper ({error})")),
                Err(_) => Err("It stopped taking paper".into()),
            },
            End::Spool(queue, spooler) => {
                let (queue, spooler) = (queue.clone(), spooler.clone());
                let (bytes, patience) = (bytes.to_vec(), self.patience.send);
                let handed =
                    tokio::task::spawn_blocking(move || hand_over(&queue, &spooler, &bytes, patience));
                handed.await.map_err(|error| error.to_string())?
            }
        }
    }

    /// Ends the line in order, so that what was sent is not thrown away with it.
    ///
    /// # Errors
    /// When the printer broke the line instead: some of it may be lost.
    pub async fn hang_up(mut self) -> Result<(), String> {
        let End::Live(line) = &mut self.end else { return Ok(()) };
        let broken = |error: std::io::Error| format!("It broke the line ({error})");
        line.shutdown().await.map_err(broken)?;
        let mut rest = [0; 64];
        let end = async {
            loop {
                match line.read(&mut rest).await {
                    Ok(0) => return Ok(()),
                    Ok(_) => {}
                    Err(error) => return Err(broken(error)),
                }
            }
        };
        timeout(self.patience.answer, end).await.unwrap_or(Ok(()))
    }
}

/// Calls a printer in the network. A name may stand for an address where no printer may be.
async fn call(address: &str, reach: &Printers, patience: Patience) -> Result<TcpStream, String> {
    let (host, port) = socket(address).ok_or("Its address is not valid")?;
    let call = async {
        let found = tokio::net::lookup_host((host, port)).await;
        let found = found.map_err(|error| format!("Its name is not known ({error})"))?;
        let Some(at) = found.into_iter().find(|at| may_be_at(reach, at.ip())) else {
            return Err("Its name leads to where no printer may be (setting printer-networks)".to_owned());
        };
        TcpStream::connect(at).await.map_err(|error| format!("It cannot be reached ({error})"))
    };
    let stream = timeout(patience.connect, call).await.map_err(|_| "It does not answer".to_owned())??;
    // Questions are three bytes.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

/// Opens a printer at a cable, to write and to read.
fn plug(path: &str) -> std::io::Result<Box<dyn Duplex>> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).map_err(std::io::Error::other)?;
    let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)?;
    let reading = pipe::Receiver::from_file_unchecked(file.try_clone()?)?;
    let writing = pipe::Sender::from_file_unchecked(file)?;
    Ok(Box::new(tokio::io::join(reading, writing)))
}

/// Whether there is such a program: a path, or a name on the machine's path.
fn is_program(name: &Path) -> bool {
    if name.components().count() > 1 {
        return name.is_file();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
}

/// Hands bytes to the machine's print service as they are.
fn hand_over(queue: &str, spooler: &Path, bytes: &[u8], patience: Duration) -> Result<(), String> {
    let failed =
        |error: std::io::Error| format!("The print service ({}) cannot be used: {error}", spooler.display());
    // Never on a disk: it may hold what guests are called.
    let memory = memfd_create("paper", MemfdFlags::CLOEXEC).map_err(|error| failed(error.into()))?;
    let mut file = File::from(memory);
    file.write_all(bytes).and_then(|()| file.rewind()).map_err(failed)?;
    let mut lp = Command::new(spooler);
    lp.args(["-s", "-o", "raw", "-d", queue]).stdin(file).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = lp.spawn().map_err(failed)?;
    let until = Instant::now() + patience;
    loop {
        match child.try_wait().map_err(failed)? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("The print service refused it ({status})")),
            None if Instant::now() >= until => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("The print service does not answer".into());
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}
