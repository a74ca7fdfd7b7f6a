//! Paper: what a receipt, a kitchen ticket or a report says, row by row, and the bytes by which a thermal printer says it. The one
//! writer of ESC/POS. Never sends anything, and never lets a text carry a command.

mod code_pages;
mod escpos;
mod lines;
mod raster;
mod words;

pub use code_pages::CodePage;
pub use escpos::{bytes, drawer_kick};
pub use lines::{lines, text};
pub use raster::{Bitmap, Fonts};
pub use words::{in_language, is_language, is_right_to_left, preferred};

use serde::{Deserialize, Serialize};

/// Characters on a line where no printer says otherwise: receipts as plain text.
pub const TEXT_COLUMNS: usize = 42;

/// One row of paper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Row {
    /// In the middle, twice as wide and high: the name of the house.
    Title(String),
    /// At the left, twice as wide and high: what a cook reads from afar.
    Large(String),
    /// In the middle.
    Centre(String),
    /// At the left.
    Plain(String),
    /// At the left, bold.
    Bold(String),
    /// At the left, white on black: what must not be missed.
    Reverse(String),
    /// Left and right.
    Pair(String, String),
    /// Left and right, bold: what counts.
    Strong(String, String),
    /// A line across.
    Rule,
    /// A QR code of the text, in the middle; of a path: see [`at`].
    Qr(String),
    /// A PNG in base64, in the middle, in black and white.
    Picture(String),
}

/// The rows with the codes of paths of this box as addresses below `base`: paper that waits names no address, and a box may get another.
pub fn at(rows: Vec<Row>, base: &str) -> Vec<Row> {
    let whole = |row| match row {
        Row::Qr(path) if path.starts_with('/') => Row::Qr(format!("{base}{path}")),
        row => row,
    };
    rows.into_iter().map(whole).collect()
}

/// What a printer makes of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Width of the paper in millimetres: 58, or else 80.
    pub width: i64,
    /// The code pages that the printer has; what none of them writes is drawn.
    pub code_pages: Vec<CodePage>,
    /// Whether it cuts.
    pub cutter: bool,
    /// Whether it is read from right to left: what stands at the left of a pair stands at the right.
    pub is_mirrored: bool,
}

impl Form {
    /// Characters on a line, at twelve dots each.
    pub fn columns(&self) -> usize {
        self.dots() / 12
    }

    /// Dots on a line, at 203 to the inch.
    pub fn dots(&self) -> usize {
        if self.width == 58 { 384 } else { 576 }
    }
}
