//! What a printer of the tests has put on paper: letters and dots, as text, as a picture and in figures.

/// What a page is made of.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// A line of the printer's own letters.
    Line { text: String, is_large: bool, is_reverse: bool },
    /// Dots: bytes across, then row after row.
    Dots { across: usize, rows: Vec<u8> },
}

/// Where the ink of a drawing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The first black dot of any of its lines.
    pub left: usize,
    /// Behind the last.
    pub right: usize,
    /// Its lines of dots.
    pub height: usize,
    /// Black dots.
    pub ink: usize,
}

impl Extent {
    fn of(across: usize, rows: &[u8]) -> Extent {
        let (mut left, mut right, mut ink) = (across * 8, 0, 0);
        for row in rows.chunks(across) {
            for x in (0..across * 8).filter(|x| row[x / 8] & (0x80 >> (x % 8)) != 0) {
                (left, right, ink) = (left.min(x), right.max(x + 1), ink + 1);
            }
        }
        Extent { left, right, height: rows.len() / across, ink }
    }
}

/// A sheet of paper.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub(crate) parts: Vec<Part>,
}

impl Page {
    /// What stands on it in letters, a line for each; a drawing is `[drawn]`.
    pub fn text(&self) -> String {
        let line = |part: &Part| match part {
            Part::Line { text, .. } => format!("{}\n", text.trim_end()),
            Part::Dots { .. } => "[drawn]\n".to_owned(),
        };
        self.parts.iter().map(line).collect()
    }

    /// Of each drawing: the first and the last dot of a line that is black, and how many of all are.
    pub fn drawings(&self) -> Vec<Extent> {
        let drawn = |part: &Part| match part {
            Part::Dots { across, rows } => Some(Extent::of(*across, rows)),
            Part::Line { .. } => None,
        };
        self.parts.iter().filter_map(drawn).collect()
    }

    /// The page as dots: width, and rows of one byte a dot, 0 is black.
    pub fn picture(&self, dots: usize) -> (usize, Vec<u8>) {
        let mut picture = Vec::new();
        for part in &self.parts {
            match part {
                Part::Dots { across, rows } => {
                    for row in rows.chunks(*across) {
                        let start = picture.len();
                        picture.resize(start + dots, 255);
                        for x in (0..dots.min(across * 8)).filter(|x| row[x / 8] & (0x80 >> (x % 8)) != 0) {
                            picture[start + x] = 0;
                        }
                    }
                }
                Part::Line { text, is_large, is_reverse } => {
                    let scale = if *is_large { 2 } else { 1 };
                    let start = picture.len();
                    picture.resize(start + dots * 30 * scale, 255);
                    for (n, c) in text.chars().enumerate() {
                        letter(&mut picture[start..], dots, n * 12 * scale, scale, c);
                    }
                    if *is_reverse {
                        picture[start..].iter_mut().for_each(|dot| *dot = 255 - *dot);
                    }
                }
            }
        }
        (dots, picture)
    }

    /// The page as a PNG, for a person.
    pub fn png(&self, dots: usize) -> Vec<u8> {
        let (width, picture) = self.picture(dots);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width as u32, (picture.len() / width).max(1) as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(&picture).unwrap();
        bytes
    }
}

/// Draws a letter of the printer's own at `left`: the looks of it are nobody's test.
fn letter(picture: &mut [u8], dots: usize, left: usize, scale: usize, c: char) {
    let row = edge::paper::Row::Plain(c.to_string());
    let Some(drawn) = edge::paper::Fonts::shared().draw(&row, 24) else { return };
    for (y, bytes) in drawn.rows().chunks(drawn.bytes_across()).take(30).enumerate() {
        for x in (0..16).filter(|x| bytes[x / 8] & (0x80 >> (x % 8)) != 0) {
            for dot in 0..scale * scale {
                // A little narrower than the font has it: twelve dots are few.
                let (x, y) = (left + (x * 3 / 4) * scale + dot % scale, y * scale + dot / scale);
                if x < dots && y * dots + x < picture.len() {
                    picture[y * dots + x] = 0;
                }
            }
        }
    }
}
