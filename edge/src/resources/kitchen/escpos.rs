//! ESC/POS bytes of a kitchen ticket, and the few commands that take. Pure. Never lets a dish's name carry a command.
//!
//! Text goes out in code page 1252 (`ESC t 16`), which every common printer has; what it cannot write becomes its nearest
//! ASCII or `?`.

use super::rules::{Ticket, TicketItem, TicketStatus, TicketType};

/// Bytes for an ESC/POS printer.
#[derive(Debug, Clone)]
pub struct Paper(Vec<u8>);

impl Default for Paper {
    fn default() -> Self {
        Paper(b"\x1b@\x1bt\x10".to_vec())
    }
}

impl Paper {
    /// An empty, reset sheet.
    pub fn new() -> Paper {
        Paper::default()
    }

    /// A line of ordinary text.
    pub fn line(&mut self, text: &str) {
        self.0.extend(text.chars().flat_map(encode));
        self.0.push(b'\n');
    }

    /// A line twice as high and wide.
    pub fn big(&mut self, text: &str) {
        self.0.extend(b"\x1d!\x11");
        self.line(text);
        self.0.extend(b"\x1d!\x00");
    }

    /// A bold line.
    pub fn bold(&mut self, text: &str) {
        self.0.extend(b"\x1bE\x01");
        self.line(text);
        self.0.extend(b"\x1bE\x00");
    }

    /// A rule across the paper.
    pub fn rule(&mut self) {
        self.line(&"-".repeat(32));
    }

    /// Feeds and cuts; the bytes to send.
    pub fn cut(mut self) -> Vec<u8> {
        self.0.extend(b"\n\n\n\x1dV\x01");
        self.0
    }
}

/// A character in code page 1252; never a control character.
fn encode(c: char) -> Vec<u8> {
    match c {
        ' '..='~' => vec![c as u8],
        '\u{a0}'..='\u{ff}' => u8::try_from(u32::from(c)).map_or_else(|_| b"?".to_vec(), |byte| vec![byte]),
        '€' => vec![0x80],
        '₹' => b"Rs".to_vec(),
        '‘' | '’' => b"'".to_vec(),
        '“' | '”' => b"\"".to_vec(),
        '–' | '—' => b"-".to_vec(),
        '…' => b"...".to_vec(),
        c if c.is_control() => b" ".to_vec(),
        _ => b"?".to_vec(),
    }
}

/// The ticket as paper; `time` is the local time it was fired.
pub fn ticket(ticket: &Ticket, time: &str) -> Vec<u8> {
    let mut paper = Paper::new();
    if ticket.kind == TicketType::Reprint {
        paper.big(&format!("COPY {}", ticket.copy_number));
    } else if ticket.kind != TicketType::New {
        paper.big(ticket.kind.name());
    }
    paper.big(&format!("#{} {}", ticket.ticket_number, ticket.station_name));
    match &ticket.table_number {
        Some(table) => paper.big(&format!("Table {table}")),
        None => paper.big(&format!("{} {}", ticket.order_type, ticket.token_number)),
    }
    let course = if ticket.course > 1 { format!("  course {}", ticket.course) } else { String::new() };
    paper.line(&format!("{}  {time}{course}", ticket.order_number));
    paper.rule();
    let is_whole = ticket.kind == TicketType::Cancellation;
    for item in ticket.items.iter().filter(|item| is_whole || item.is_live()) {
        write_item(&mut paper, item, is_whole);
    }
    if let Some(notes) = &ticket.notes {
        paper.rule();
        notes.lines().for_each(|line| paper.bold(line));
    }
    if ticket.status == TicketStatus::Cancelled {
        paper.big("CANCELLED");
    }
    paper.cut()
}

fn write_item(paper: &mut Paper, item: &TicketItem, is_cancelled: bool) {
    let sign = if is_cancelled { "-" } else { "" };
    paper.big(&format!("{sign}{} x {}", item.quantity, item.name));
    for modifier in &item.modifiers {
        paper.line(&format!("   + {modifier}"));
    }
    if let Some(notes) = &item.notes {
        paper.bold(&format!("   ! {notes}"));
    }
    if let Some(seat) = item.seat_number {
        paper.line(&format!("   seat {seat}"));
    }
}

/// What is put before paper that may have come out already: a printer never says.
pub fn may_be_a_repeat() -> Vec<u8> {
    let mut paper = Paper::new();
    paper.big("MAY BE A REPEAT");
    paper.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_carry_a_command() {
        let bytes: Vec<u8> = "Crème \u{1b}p\u{7}₹5 दाल".chars().flat_map(encode).collect();
        assert_eq!(bytes, b"Cr\xe8me  p Rs5 ???".to_vec());
    }
}
