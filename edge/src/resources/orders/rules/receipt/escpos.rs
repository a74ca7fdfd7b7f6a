//! A receipt as bytes for a thermal printer (ESC/POS). What its code page may not have becomes `?`; control characters that
//! came from people never reach the printer.

use super::text::lines;
use super::{Row, WIDTH};

const RESET: &[u8] = b"\x1b@";
const BOLD: [&[u8]; 2] = [b"\x1bE\x00", b"\x1bE\x01"];
/// Normal, and twice as wide and high.
const SIZE: [&[u8]; 2] = [b"\x1d!\x00", b"\x1d!\x11"];
const FEED_AND_CUT: &[u8] = b"\n\n\n\x1dV\x42\x00";

/// The rows as printer bytes.
pub fn escpos(rows: &[Row]) -> Vec<u8> {
    let mut bytes = RESET.to_vec();
    for row in rows {
        let (large, bold) = (matches!(row, Row::Title(_)), matches!(row, Row::Title(_) | Row::Strong(..)));
        let width = if large { WIDTH / 2 } else { WIDTH };
        bytes.extend_from_slice(SIZE[usize::from(large)]);
        bytes.extend_from_slice(BOLD[usize::from(bold)]);
        for line in lines(row, width) {
            bytes.extend(line.trim_end().chars().map(printable));
            bytes.push(b'\n');
        }
    }
    bytes.extend_from_slice(FEED_AND_CUT);
    bytes
}

fn printable(c: char) -> u8 {
    u8::try_from(c).ok().filter(|byte| (b' '..=b'~').contains(byte)).unwrap_or(b'?')
}
