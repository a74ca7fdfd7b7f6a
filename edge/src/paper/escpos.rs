//! Rows as ESC/POS. A row whose characters the printer's code pages have is written with its letters; any other is drawn. Control
//! characters that came from people never reach the printer, and a drawing never holds what a printer takes for a command.

use super::code_pages::{CodePage, can_write, plain};
use super::{Bitmap, Fonts, Form, Row, lines};

const RESET: &[u8] = b"\x1b@";
const BOLD: [&[u8]; 2] = [b"\x1bE\x00", b"\x1bE\x01"];
/// Normal, and twice as wide and high.
const SIZE: [&[u8]; 2] = [b"\x1d!\x00", b"\x1d!\x11"];
const REVERSE: [&[u8]; 2] = [b"\x1dB\x00", b"\x1dB\x01"];
/// Far enough that the last line is above the edge where paper is torn or cut.
const FEED: &[u8] = b"\n\n\n";
const CUT: &[u8] = b"\x1dV\x42\x00";
/// Dot lines of one drawing: few enough for the buffer of any printer, and for one byte.
const BAND: usize = 128;

/// The rows as printer bytes. Where nothing can be drawn (the machine has no fonts) a character that no code page has becomes `?`.
pub fn bytes(rows: &[Row], form: &Form, fonts: &mut Fonts) -> Vec<u8> {
    let mut paper = Paper { bytes: RESET.to_vec(), page: None, form };
    for row in rows {
        paper.row(row, fonts);
    }
    paper.bytes.extend_from_slice(FEED);
    if form.cutter {
        paper.bytes.extend_from_slice(CUT);
    }
    paper.bytes
}

/// What opens the drawer that is wired to a printer: a pulse of 50 ms on its first pin.
pub fn drawer_kick() -> Vec<u8> {
    b"\x1b@\x1bp\x00\x19\xfa".to_vec()
}

struct Paper<'a> {
    bytes: Vec<u8>,
    page: Option<CodePage>,
    form: &'a Form,
}

impl Paper<'_> {
    fn row(&mut self, row: &Row, fonts: &mut Fonts) {
        let row = self.turned(row.clone().map(plain));
        let is_drawn = match &row {
            Row::Qr(_) | Row::Picture(_) => true,
            Row::Pair(left, right) | Row::Strong(left, right) => !self.has(left) || !self.has(right),
            Row::Rule => false,
            row => row.words().is_some_and(|text| !self.has(text)),
        };
        let drawn = || match self.form.is_mirrored {
            true => fonts.draw(&row.clone().map(from_the_right), self.form.dots()),
            false => fonts.draw(&row, self.form.dots()),
        };
        match is_drawn.then(drawn).flatten() {
            Some(drawing) => self.draw(&drawing),
            None => self.write(&row),
        }
    }

    /// The row as it stands on paper that is read from right to left.
    fn turned(&self, row: Row) -> Row {
        match row {
            Row::Pair(left, right) if self.form.is_mirrored => Row::Pair(right, left),
            Row::Strong(left, right) if self.form.is_mirrored => Row::Strong(right, left),
            row => row,
        }
    }

    fn has(&self, text: &str) -> bool {
        can_write(&self.form.code_pages, text)
    }

    /// Writes a row with the printer's own letters.
    fn write(&mut self, row: &Row) {
        let is_large = matches!(row, Row::Title(_) | Row::Large(_));
        let is_bold = matches!(row, Row::Title(_) | Row::Strong(..) | Row::Bold(_) | Row::Large(_));
        let is_reverse = matches!(row, Row::Reverse(_));
        let columns = if is_large { self.form.columns() / 2 } else { self.form.columns() };
        self.bytes.extend_from_slice(SIZE[usize::from(is_large)]);
        self.bytes.extend_from_slice(BOLD[usize::from(is_bold)]);
        self.bytes.extend_from_slice(REVERSE[usize::from(is_reverse)]);
        for line in self.lines(row, columns) {
            // What is white on black is black up to the edge.
            let line = if is_reverse { line.as_str() } else { line.trim_end() };
            for c in line.chars() {
                let byte = self.letter(c);
                self.bytes.push(byte);
            }
            self.bytes.push(b'\n');
        }
        if is_reverse {
            self.bytes.extend_from_slice(REVERSE[0]);
        }
    }

    /// The lines of a row. On paper that is read from the right what begins at the left elsewhere begins there, and so does its indent.
    fn lines(&self, row: &Row, columns: usize) -> Vec<String> {
        let turned = |line: &str, width: usize| {
            let bare = line.trim_start();
            let indent = line.len().saturating_sub(bare.len());
            let room = width.saturating_sub(indent);
            format!("{:>room$}{}", bare.trim_end(), " ".repeat(indent))
        };
        match row {
            row if !self.form.is_mirrored => lines(row, columns),
            Row::Pair(left, right) | Row::Strong(left, right) => {
                lines(&Row::Pair(left.clone(), turned(right, 0)), columns)
            }
            Row::Plain(_) | Row::Bold(_) | Row::Large(_) | Row::Reverse(_) => {
                lines(row, columns).iter().map(|line| turned(line, columns)).collect()
            }
            row => lines(row, columns),
        }
    }

    /// The byte of `c`, on the page that is turned to for it.
    fn letter(&mut self, c: char) -> u8 {
        if matches!(c, ' '..='~') {
            return u8::try_from(c).unwrap_or(b'?');
        }
        if let Some(byte) = self.page.and_then(|page| page.byte(c)) {
            return byte;
        }
        let found = self.form.code_pages.iter().find_map(|page| page.byte(c).map(|byte| (*page, byte)));
        let Some((page, byte)) = found else { return b'?' };
        self.bytes.extend([0x1b, b't', page.number()]);
        self.page = Some(page);
        byte
    }

    fn draw(&mut self, drawing: &Bitmap) {
        let across = drawing.bytes_across();
        let Ok(width) = u8::try_from(across) else { return };
        for band in drawing.rows().chunks(across.saturating_mul(BAND).max(1)) {
            let Ok(height) = u8::try_from(band.len() / across.max(1)) else { continue };
            self.bytes.extend([0x1d, b'v', b'0', 0, width, 0, height, 0]);
            let mut band = band.to_vec();
            // A printer obeys what it is told "in real time" (10 04, 10 05, 10 14) even in the midst of a drawing: the drawer would
            // open. One dot more keeps them out.
            for at in 1..band.len() {
                if band[at - 1] == 0x10 && matches!(band[at], 0x04 | 0x05 | 0x14) {
                    band[at - 1] = 0x18;
                }
            }
            self.bytes.extend(band);
        }
    }
}

/// A text in letters of a language that is written from the right begins there, also where a number or a Latin letter stands first:
/// `2 x` and then the dish.
fn from_the_right(text: &str) -> String {
    let is_arabic_or_hebrew =
        |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    match text.contains(is_arabic_or_hebrew) {
        true => format!("\u{200f}{text}"),
        false => text.to_owned(),
    }
}

impl Row {
    /// The one text of a row that has one.
    fn words(&self) -> Option<&str> {
        match self {
            Row::Title(text) | Row::Large(text) | Row::Centre(text) => Some(text),
            Row::Plain(text) | Row::Bold(text) | Row::Reverse(text) => Some(text),
            Row::Pair(..) | Row::Strong(..) | Row::Rule | Row::Qr(_) | Row::Picture(_) => None,
        }
    }

    /// The row with its texts as `change` makes them; codes and pictures are no texts.
    fn map(self, change: impl Fn(&str) -> String) -> Row {
        match self {
            Row::Title(text) => Row::Title(change(&text)),
            Row::Large(text) => Row::Large(change(&text)),
            Row::Centre(text) => Row::Centre(change(&text)),
            Row::Plain(text) => Row::Plain(change(&text)),
            Row::Bold(text) => Row::Bold(change(&text)),
            Row::Reverse(text) => Row::Reverse(change(&text)),
            Row::Pair(left, right) => Row::Pair(change(&left), change(&right)),
            Row::Strong(left, right) => Row::Strong(change(&left), change(&right)),
            row @ (Row::Rule | Row::Qr(_) | Row::Picture(_)) => row,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(code_pages: &[CodePage]) -> Form {
        Form { width: 80, code_pages: code_pages.to_vec(), cutter: true, is_mirrored: false }
    }

    fn printed(text: &str, pages: &[CodePage]) -> Vec<u8> {
        let all = bytes(&[Row::Plain(text.into())], &form(pages), &mut Fonts::none());
        let start = [RESET, SIZE[0], BOLD[0], REVERSE[0]].concat();
        let end = [b"\n", FEED, CUT].concat();
        all.strip_prefix(&start[..]).and_then(|rest| rest.strip_suffix(&end[..])).unwrap().to_vec()
    }

    #[test]
    fn accents_come_from_the_code_page_that_has_them() {
        assert_eq!(printed("Crème", &[CodePage::Cp437]), b"Cr\x1bt\x00\x8ame");
        assert_eq!(printed("Crème é", &[CodePage::Cp1252]), b"Cr\x1bt\x10\xe8me \xe9");
        // The page is turned only where it must be.
        assert_eq!(printed("é Привет", &[CodePage::Cp437, CodePage::Cp866])[..5], *b"\x1bt\x00\x82 ");
        assert_eq!(printed("€", &[CodePage::Cp437, CodePage::Cp858]), b"\x1bt\x13\xd5");
    }

    #[test]
    fn a_text_cannot_carry_a_command() {
        let sent = printed("a\u{1b}p\u{7}\u{10}\u{4}b", &[CodePage::Cp437]);
        assert!(sent.iter().all(|byte| (b' '..=b'~').contains(byte)), "{sent:?}");
    }

    #[test]
    fn paper_that_is_read_from_the_right_has_its_amounts_at_the_left_and_dishes_begin_at_the_right() {
        let form = Form { is_mirrored: true, ..form(&[CodePage::Cp437]) };
        let pair = bytes(&[Row::Pair("CGST".into(), "9.00".into())], &form, &mut Fonts::none());
        let text = String::from_utf8_lossy(&pair).into_owned();
        assert!(text.find("9.00") < text.find("CGST"), "{text:?}");
        // In the printer's own letters, too.
        let own =
            [Row::Large("#1 Hot".into()), Row::Plain("  + Naan".into()), Row::Reverse("no nuts".into())];
        let sent = bytes(&own, &form, &mut Fonts::none());
        let text = String::from_utf8_lossy(&sent).into_owned();
        for line in
            [format!("{:>24}\n", "#1 Hot"), format!("{:>46}\n", "+ Naan"), format!("{:>48}\n", "no nuts")]
        {
            assert!(text.contains(&line), "{line:?} in {text:?}");
        }
        let mut fonts = Fonts::of_machine();
        let dish = Row::Plain("2 x مندي".into());
        let left_ink = |row: &Row, fonts: &mut Fonts| -> u32 {
            let drawing = fonts.draw(row, 384).unwrap();
            drawing.rows().chunks(48).flat_map(|line| &line[..20]).map(|byte| byte.count_ones()).sum()
        };
        assert!(left_ink(&dish, &mut fonts) > 0);
        assert_eq!(left_ink(&dish.map(from_the_right), &mut fonts), 0);
    }

    #[test]
    fn a_code_is_drawn_and_no_drawing_holds_a_command() {
        let rows: Vec<Row> = (0..40).map(|n| Row::Qr(format!("http://tiffin.test/r/{n}"))).collect();
        let sent = bytes(&rows, &form(&[]), &mut Fonts::none());
        assert!(sent.windows(4).filter(|four| four == b"\x1dv0\0").count() >= 40);
        assert!(!sent.windows(2).any(|two| two[0] == 0x10 && matches!(two[1], 4 | 5 | 0x14)));
    }
}
