//! Texts that were never met: taken apart into numbers, ids and moments, which are values like any others, and what stands
//! between them, which repeats. What repeats nowhere is told letter by letter. Writes a text only in the one form that gives
//! the same bytes again.

use super::memory::{Cell, mix};
use super::range::{Coder, Number, Prob};
use super::values::{Actual, Place, Values};
use crate::frame::DecodeError;
use crate::{Millis, Uuid};
use chrono::{DateTime, SecondsFormat};

/// What is known of letters after one, and after two others.
#[derive(Debug, Clone)]
pub(super) struct Letters {
    one: Vec<Prob>,
    two: Vec<Prob>,
    length: Number,
}

/// Pairs of letters that are told apart.
const PAIRS: usize = 256;

impl Default for Letters {
    fn default() -> Self {
        let probs = vec![Prob::default(); 256 * PAIRS];
        Letters { one: probs[..256 * 128].to_vec(), two: probs, length: Number::default() }
    }
}

impl Letters {
    fn letter<C: Coder>(&mut self, coder: &mut C, letter: u8, before: [u8; 2]) -> u8 {
        let one = usize::from(before[1] & 127) << 8;
        let two = (mix(before[0].into(), before[1].into()) as usize % PAIRS) << 8;
        let mut node = 1;
        for at in (0..8).rev() {
            let bit = letter >> at & 1 == 1;
            let bit = match (self.one.get_mut(one + node), self.two.get_mut(two + node)) {
                (Some(one), Some(two)) => coder.bit_of(bit, one, two),
                _ => bit,
            };
            node = node << 1 | usize::from(bit);
        }
        node as u8
    }
}

/// What stands before a value in a text; the first byte says what sort of value it is, or that the text ends.
const END: char = 'e';
const INT: char = 'i';
const WORD: char = 's';
const ID: char = 'u';
const MOMENT: char = 't';

/// Part of a text: what stands before a value, and the value.
enum Part<'a> {
    Int(i64),
    /// Digits with zeros before them.
    Padded(i64, usize),
    Word(&'a str),
    Id(Uuid),
    Moment(i64),
}

/// Names of the columns of texts; tables' columns have others.
const GLUE: u64 = 1 << 40;
const PART: u64 = 1 << 41;

/// Texts within texts go no deeper.
const DEPTH: u8 = 2;

impl Values {
    /// Writes or reads a text that was never met.
    pub(super) fn text<C: Coder>(
        &mut self,
        coder: &mut C,
        column: usize,
        text: &str,
    ) -> Result<u32, DecodeError> {
        let anchor = self.anchor;
        self.depth += 1;
        let read = self.parts(coder, column, text);
        self.depth -= 1;
        self.anchor = anchor;
        let read = read?;
        self.room = self.room.checked_sub(read.len()).ok_or(DecodeError("a body is too large"))?;
        self.texts.keep_text(&read)
    }

    fn parts<C: Coder>(&mut self, coder: &mut C, column: usize, text: &str) -> Result<String, DecodeError> {
        let mut read = String::new();
        if self.depth > DEPTH {
            self.letters(coder, text, &mut read)?;
            return Ok(read);
        }
        let mut rest = text;
        let of = u64::from(text_of(column));
        loop {
            let (glue, part, after) = split(rest);
            let sort = match part {
                None => format!("{END}{glue}"),
                Some(Part::Int(_)) => format!("{INT}{glue}"),
                Some(Part::Padded(_, width)) => format!("{width}{glue}"),
                Some(Part::Word(_)) => format!("{WORD}{glue}"),
                Some(Part::Id(_)) => format!("{ID}{glue}"),
                Some(Part::Moment(_)) => format!("{MOMENT}{glue}"),
            };
            let place = Place { column: self.column(GLUE + of), ..Place::default() };
            let anchor = std::mem::replace(&mut self.anchor, 0);
            let known = self
                .texts
                .find_text(&sort)
                .map_or(Actual::Text(&sort), |known| Actual::Cell(Cell::Text(known)));
            let deeper = std::mem::replace(&mut self.depth, DEPTH);
            let glue = self.value(coder, place, known);
            self.depth = deeper;
            self.anchor = anchor;
            let Cell::Text(glue) = glue? else { return Err(DecodeError("a text of something else")) };
            let sort = self.texts.text(glue).chars().next().unwrap_or(END);
            read.push_str(self.texts.text(glue).get(1..).unwrap_or_default());
            if read.len() > self.room {
                return Err(DecodeError("a body is too large"));
            }
            if sort == END {
                return Ok(read);
            }
            let actual = match part {
                Some(Part::Int(integer) | Part::Padded(integer, _) | Part::Moment(integer)) => {
                    Actual::Cell(Cell::Int(integer))
                }
                Some(Part::Id(id)) => Actual::Cell(Cell::Id(id)),
                Some(Part::Word(word)) => self
                    .texts
                    .find_text(word)
                    .map_or(Actual::Text(word), |known| Actual::Cell(Cell::Text(known))),
                None => Actual::Cell(Cell::Null),
            };
            let column = self.column(PART + mix(of, u64::from(glue)) % GLUE);
            let value = self.value(coder, Place { column, ..Place::default() }, actual)?;
            self.write(&mut read, sort, value)?;
            rest = after;
        }
    }

    fn write(&self, read: &mut String, sort: char, value: Cell) -> Result<(), DecodeError> {
        match (sort, value) {
            (INT, Cell::Int(integer)) => read.push_str(&integer.to_string()),
            (WORD, Cell::Text(word)) => read.push_str(self.texts.text(word)),
            (ID, Cell::Id(id)) => read.push_str(&id.to_string()),
            (MOMENT, Cell::Int(ms)) => read.push_str(&moment(ms)),
            (width, Cell::Int(integer)) => {
                let width = width.to_digit(10).ok_or(DecodeError("a text of something else"))? as usize;
                read.push_str(&format!("{integer:0width$}"));
            }
            _ => return Err(DecodeError("a text of something else")),
        }
        Ok(())
    }

    fn letters<C: Coder>(&mut self, coder: &mut C, text: &str, read: &mut String) -> Result<(), DecodeError> {
        let length = coder.number(text.len() as u64, &mut self.letters.length);
        let length = usize::try_from(length).ok().filter(|length| *length <= self.room);
        let length = length.ok_or(DecodeError("a body is too large"))?;
        let (mut bytes, mut before) = (Vec::new(), [0; 2]);
        for at in 0..length {
            let letter = text.as_bytes().get(at).copied().unwrap_or_default();
            let letter = self.letters.letter(coder, letter, before);
            before = [before[1], letter];
            bytes.push(letter);
            if coder.is_over() {
                return Err(DecodeError("it ends early"));
            }
        }
        read.push_str(std::str::from_utf8(&bytes).map_err(|_| DecodeError("a text is not UTF-8"))?);
        Ok(())
    }
}

fn text_of(column: usize) -> u32 {
    column as u32
}

fn moment(ms: i64) -> String {
    let at = DateTime::from_timestamp_millis(ms).unwrap_or_default();
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// What stands before the first value of a text, the value, and what follows it.
fn split(text: &str) -> (&str, Option<Part<'_>>, &str) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let found = match byte {
            b'"' => quoted(text, at + 1),
            b'0'..=b'9' => digits(text, at),
            _ => None,
        };
        match found {
            Some((start, end, Some(part))) => return (&text[..start], Some(part), &text[end..]),
            Some((_, end, None)) => at = end,
            None => at += 1,
        }
    }
    (text, None, "")
}

/// What begins behind a quotation mark: where it begins, where it ends, and what it is; none when it is the name of a member.
fn quoted(text: &str, start: usize) -> Option<(usize, usize, Option<Part<'_>>)> {
    let bytes = text.as_bytes();
    let mut end = start;
    loop {
        match bytes.get(end)? {
            b'"' => break,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    let word = text.get(start..end)?;
    if bytes.get(end + 1) == Some(&b':') {
        return Some((start, end + 1, None));
    }
    if word.len() == 36
        && let Ok(id) = word.parse::<Uuid>()
        && id.to_string() == word
    {
        return Some((start, end, Some(Part::Id(id))));
    }
    if word.len() == 24
        && let Ok(at) = DateTime::parse_from_rfc3339(word)
        && moment(at.timestamp_millis()) == word
    {
        return Some((start, end, Some(Part::Moment(Millis::new(at.timestamp_millis()).get()))));
    }
    (!word.is_empty()).then_some((start, end, Some(Part::Word(word))))
}

fn digits(text: &str, start: usize) -> Option<(usize, usize, Option<Part<'_>>)> {
    let rest = text.get(start..)?;
    let width = rest.bytes().take_while(u8::is_ascii_digit).count();
    let word = rest.get(..width)?;
    let end = start + width;
    if width > 15 {
        return Some((start, end, None));
    }
    let integer: i64 = word.parse().ok()?;
    let part = if width == 1 || !word.starts_with('0') {
        Part::Int(integer)
    } else if width < 10 {
        Part::Padded(integer, width)
    } else {
        return Some((start, end, None));
    };
    Some((start, end, Some(part)))
}
