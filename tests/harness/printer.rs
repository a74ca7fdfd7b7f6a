//! A thermal printer, on TCP or at a cable, that keeps what it got: it answers what printers answer, can be out of paper, offline, deaf,
//! slow, without power, or cut off at any byte, and shows its paper as text and as a picture. Never knows who prints, or how that
//! program writes.

pub use super::sheet::{Extent, Page};
use super::sheet::{Face, Part};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

#[derive(Debug, Default)]
struct Machine {
    /// Answers nothing.
    is_deaf: bool,
    is_offline: bool,
    has_no_paper: bool,
    /// The next connection ends after so many bytes.
    cut_line_after: Option<usize>,
    /// Paper ends after so many more bytes.
    paper_ends_after: Option<usize>,
    /// Power goes, for a moment, after so many more bytes.
    power_fails_after: Option<usize>,
    /// It answers nothing any more after so many more bytes.
    deaf_after: Option<usize>,
    /// The line breaks now.
    is_cut: bool,
    /// What 64 bytes take.
    pace: Duration,
    /// What waits for paper.
    buffer: Vec<u8>,
    /// What may become a question in real time.
    real_time: Vec<u8>,
    /// A command that is not whole yet.
    pending: Vec<u8>,
    code_page: u8,
    face: Face,
    line: Vec<(char, Face)>,
    page: Page,
    pages: Vec<Page>,
    cuts: u64,
    kicks: u64,
    connections: u64,
}

/// A printer on a loopback port, or at a cable. Stops when dropped.
pub struct Printer {
    /// `127.0.0.1:port`, or the device.
    pub address: String,
    machine: Arc<Mutex<Machine>>,
    task: Option<JoinHandle<()>>,
}

impl Drop for Printer {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Printer {
    /// A printer that is on, has paper, and answers as Epson's do.
    pub async fn start() -> Printer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let machine = Machine::new();
        let task = Some(tokio::spawn(serve(listener, Arc::clone(&machine))));
        Printer { address, machine, task }
    }

    /// The same at a cable: `lp0` in `folder`. The cable is a terminal that changes nothing.
    pub fn at_a_cable(folder: &Path) -> Printer {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
        let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        rustix::io::ioctl_fionbio(&near, true).unwrap();
        grantpt(&near).and_then(|()| unlockpt(&near)).unwrap();
        let far = ptsname(&near, Vec::new()).unwrap().into_string().unwrap();
        // Held open, so that nothing ends when nobody has it open.
        let held = OpenOptions::new().read(true).write(true).open(&far).unwrap();
        let mut raw = tcgetattr(&held).unwrap();
        raw.make_raw();
        tcsetattr(&held, OptionalActions::Now, &raw).unwrap();
        let device = folder.join("lp0");
        std::os::unix::fs::symlink(far, &device).unwrap();
        let machine = Machine::new();
        let weak = Arc::downgrade(&machine);
        std::thread::spawn(move || serve_cable(File::from(near), held, &weak));
        Printer { address: device.to_str().unwrap().to_owned(), machine, task: None }
    }

    fn set<T>(&self, change: impl FnOnce(&mut Machine) -> T) -> T {
        change(&mut self.machine.lock().unwrap())
    }

    /// It answers nothing from now on, or does.
    pub fn deaf(&self, is_deaf: bool) {
        self.set(|machine| machine.is_deaf = is_deaf);
    }

    /// It says that it is offline from now on, or not.
    pub fn offline(&self, is_offline: bool) {
        self.set(|machine| machine.is_offline = is_offline);
    }

    /// Its line breaks after so many bytes of the next connection.
    pub fn cut_line_after(&self, bytes: usize) {
        self.set(|machine| machine.cut_line_after = Some(bytes));
    }

    /// Its power goes after so many more bytes, and comes again: what it had in its memory is lost, what is on paper stays.
    pub fn fail_power_after(&self, bytes: usize) {
        self.set(|machine| machine.power_fails_after = Some(bytes));
    }

    /// It answers nothing any more after so many more bytes.
    pub fn deaf_after(&self, bytes: usize) {
        self.set(|machine| machine.deaf_after = Some(bytes));
    }

    /// So long it takes for 64 bytes from now on.
    pub fn slow(&self, pace: Duration) {
        self.set(|machine| machine.pace = pace);
    }

    /// All is well with it again: whatever was to come does not, and what waits in its memory prints.
    pub fn heal(&self) {
        self.set(|machine| {
            (machine.is_deaf, machine.is_offline, machine.pace) = (false, false, Duration::ZERO);
            (machine.cut_line_after, machine.power_fails_after, machine.deaf_after) = (None, None, None);
        });
        self.reload();
    }

    /// Its paper ends after so many more bytes.
    pub fn end_paper_after(&self, bytes: usize) {
        self.set(|machine| machine.paper_ends_after = Some(bytes));
    }

    /// Somebody puts paper in: what waits in its memory prints.
    pub fn reload(&self) {
        self.set(|machine| {
            (machine.has_no_paper, machine.paper_ends_after) = (false, None);
            let waiting = std::mem::take(&mut machine.buffer);
            waiting.into_iter().for_each(|byte| drop(machine.take(byte)));
        });
    }

    /// Takes away the pages that were cut so far; what is not cut yet stays.
    pub fn pages(&self) -> Vec<Page> {
        self.set(|machine| std::mem::take(&mut machine.pages))
    }

    /// What stands on all paper since, cut or not, and takes it away.
    pub fn everything(&self) -> String {
        self.set(|machine| {
            let mut text: String = std::mem::take(&mut machine.pages).iter().map(Page::text).collect();
            text.push_str(&std::mem::take(&mut machine.page).text());
            text.extend(std::mem::take(&mut machine.line).into_iter().map(|(letter, _)| letter));
            text
        })
    }

    /// How often the drawer was opened.
    pub fn kicks(&self) -> u64 {
        self.set(|machine| machine.kicks)
    }

    /// How often it has ever cut.
    pub fn cuts(&self) -> u64 {
        self.set(|machine| machine.cuts)
    }

    /// How often somebody has called.
    pub fn connections(&self) -> u64 {
        self.set(|machine| machine.connections)
    }
}

async fn serve(listener: TcpListener, machine: Arc<Mutex<Machine>>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let limit = {
            let mut machine = machine.lock().unwrap();
            machine.connections += 1;
            (machine.pending, machine.real_time) = (Vec::new(), Vec::new());
            machine.cut_line_after.take()
        };
        // One after the other, as printers have it.
        converse(stream, &machine, limit).await;
    }
}

/// The printer at a cable: until it is dropped.
fn serve_cable(mut near: File, _held: File, machine: &Weak<Mutex<Machine>>) {
    let mut bytes = [0; 256];
    while let Some(machine) = machine.upgrade() {
        match near.read(&mut bytes) {
            Ok(count) => {
                for byte in &bytes[..count] {
                    let answer = machine.lock().unwrap().receive(*byte);
                    near.write_all(&answer).unwrap();
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                drop(machine);
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) => panic!("the cable broke: {error}"),
        }
    }
}

async fn converse(mut stream: TcpStream, machine: &Mutex<Machine>, limit: Option<usize>) {
    let mut taken = 0;
    let mut byte = [0; 1];
    loop {
        if limit == Some(taken) {
            return;
        }
        match stream.read(&mut byte).await {
            Ok(1) => taken += 1,
            _ => return,
        }
        let pace = machine.lock().unwrap().pace;
        if taken % 64 == 0 && !pace.is_zero() {
            tokio::time::sleep(pace).await;
        }
        let (answer, is_cut) = {
            let mut machine = machine.lock().unwrap();
            (machine.receive(byte[0]), std::mem::take(&mut machine.is_cut))
        };
        if is_cut {
            return;
        }
        if !answer.is_empty() && stream.write_all(&answer).await.is_err() {
            return;
        }
    }
}

impl Machine {
    fn new() -> Arc<Mutex<Machine>> {
        Arc::new(Mutex::new(Machine { cuts: 4711, ..Machine::default() }))
    }

    /// Power is off and on: its memory is empty, the line that was being printed stands on paper as far as it came.
    fn restart(&mut self) {
        (self.buffer, self.pending, self.real_time) = (Vec::new(), Vec::new(), Vec::new());
        self.end_line();
        (self.code_page, self.face, self.is_cut) = (0, Face::default(), true);
    }

    /// A byte comes in. What is asked in real time is answered at once, whatever waits.
    fn receive(&mut self, byte: u8) -> Vec<u8> {
        match &mut self.power_fails_after {
            Some(0) => {
                self.power_fails_after = None;
                self.restart();
                return Vec::new();
            }
            Some(left) => *left -= 1,
            None => {}
        }
        match &mut self.deaf_after {
            Some(0) => (self.is_deaf, self.deaf_after) = (true, None),
            Some(left) => *left -= 1,
            None => {}
        }
        self.real_time.push(byte);
        match self.real_time[..] {
            [0x10] | [0x10, 4] => return Vec::new(),
            [0x10, 4, question] => {
                self.real_time.clear();
                return self.state(question);
            }
            _ => {}
        }
        let held = std::mem::take(&mut self.real_time);
        held.into_iter().map(|byte| self.obey(byte)).last().unwrap_or_default()
    }

    /// A byte that is no question in real time: obeyed when there is paper for it.
    fn obey(&mut self, byte: u8) -> Vec<u8> {
        match &mut self.paper_ends_after {
            Some(0) => self.has_no_paper = true,
            Some(left) => *left -= 1,
            None => {}
        }
        if self.has_no_paper {
            self.buffer.push(byte);
            return Vec::new();
        }
        self.take(byte)
    }

    fn state(&self, question: u8) -> Vec<u8> {
        if self.is_deaf {
            return Vec::new();
        }
        let is_off = self.is_offline || self.has_no_paper;
        vec![match question {
            1 => 0x12 | if is_off { 0x08 } else { 0 },
            2 => 0x12 | if self.has_no_paper { 0x20 } else { 0 },
            _ => 0x12 | if self.has_no_paper { 0x60 } else { 0 },
        }]
    }

    /// A byte is obeyed, in turn.
    fn take(&mut self, byte: u8) -> Vec<u8> {
        self.pending.push(byte);
        let command = std::mem::take(&mut self.pending);
        match command[..] {
            [0x1b, b'@'] => (self.code_page, self.face) = (0, Face::default()),
            [0x1b, b't', page] => self.code_page = page,
            [0x1d, b'!', size] => self.face.is_large = size != 0,
            [0x1b, b'E', on] => self.face.is_bold = on & 1 == 1,
            [0x1d, b'B', on] => self.face.is_reverse = on & 1 == 1,
            [0x1b, b'p', _, _, _] => self.kicks += 1,
            [0x1d, b'V', _, _] => {
                self.cuts += 1;
                self.end_line();
                self.pages.push(std::mem::take(&mut self.page));
            }
            [0x1d, b'r', _] if !self.is_deaf => return vec![0],
            [0x1d, b'g', b'2', _, _, _] if !self.is_deaf => return format!("_{}\0", self.cuts).into_bytes(),
            [0x1d, b'r', _] | [0x1d, b'g', b'2', _, _, _] => {}
            [0x1d, b'v', b'0', _, xl, xh, yl, yh, ..]
                if command.len() == 8 + usize::from(xl) * usize::from(yl) && xh == 0 && yh == 0 =>
            {
                self.end_line();
                self.page.parts.push(Part::Dots { across: usize::from(xl), rows: command[8..].to_vec() });
            }
            [0x1b | 0x1d, ..] => self.pending = command,
            [b'\n'] => {
                let line = std::mem::take(&mut self.line);
                self.page.parts.push(Part::Line(line));
            }
            [letter] => self.line.push((decode(self.code_page, letter), self.face)),
            _ => unreachable!("only commands have more than one byte"),
        }
        Vec::new()
    }

    fn end_line(&mut self) {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.page.parts.push(Part::Line(line));
        }
    }
}

/// The letter of a byte on a code page, by its ESC/POS number.
fn decode(page: u8, byte: u8) -> char {
    if byte < 0x80 {
        return char::from(byte);
    }
    let table = match page {
        0 => &oem_cp::code_table::DECODING_TABLE_CP437,
        2 => &oem_cp::code_table::DECODING_TABLE_CP850,
        17 => &oem_cp::code_table::DECODING_TABLE_CP866,
        18 => &oem_cp::code_table::DECODING_TABLE_CP852,
        19 => &oem_cp::code_table::DECODING_TABLE_CP858,
        16 => return char::from(byte),
        other => panic!("code page {other} is not in this printer"),
    };
    table[usize::from(byte - 0x80)]
}
