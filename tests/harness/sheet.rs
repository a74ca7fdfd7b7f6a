//! What a printer of the tests has put on paper: letters and dots, as text, as a picture and in figures.

/// How the printer sets a letter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Face {
    /// Twice as wide and high.
    pub is_large: bool,
    /// Each dot twice.
    pub is_bold: bool,
    /// White on black, under the letter alone.
    pub is_reverse: bool,
}

impl Face {
    fn scale(self) -> usize {
        if self.is_large { 2 } else { 1 }
    }
}

/// Dots across a letter, and down a line of them.
const LETTER: (usize, usize) = (12, 30);

/// What a page is made of.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// A line of the printer's own letters, each as it was set.
    Line(Vec<(char, Face)>),
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
            Part::Line(letters) => {
                format!("{}\n", letters.iter().map(|(c, _)| c).collect::<String>().trim_end())
            }
            Part::Dots { .. } => "[drawn]\n".to_owned(),
        };
        self.parts.iter().map(line).collect()
    }

    /// What of it is white on black, a line for each.
    pub fn reversed(&self) -> String {
        self.set(|face| face.is_reverse)
    }

    /// What of it is struck twice, a line for each.
    pub fn bold(&self) -> String {
        self.set(|face| face.is_bold)
    }

    /// The letters that are set so.
    fn set(&self, is_so: impl Fn(Face) -> bool) -> String {
        let line = |part: &Part| match part {
            Part::Line(letters) => {
                let set: String = letters.iter().filter(|(_, face)| is_so(*face)).map(|(c, _)| c).collect();
                (!set.trim().is_empty()).then(|| format!("{}\n", set.trim()))
            }
            Part::Dots { .. } => None,
        };
        self.parts.iter().filter_map(line).collect()
    }

    /// Of each drawing: the first and the last dot of a line that is black, and how many of all are.
    pub fn drawings(&self) -> Vec<Extent> {
        let drawn = |part: &Part| match part {
            Part::Dots { across, rows } => Some(Extent::of(*across, rows)),
            Part::Line(_) => None,
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
                Part::Line(letters) => {
                    let start = picture.len();
                    let scale = letters.iter().map(|(_, face)| face.scale()).max().unwrap_or(1);
                    picture.resize(start + dots * LETTER.1 * scale, 255);
                    let mut left = 0;
                    for (c, face) in letters {
                        letter(&mut picture[start..], dots, left, (*c, *face));
                        left += LETTER.0 * face.scale();
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
fn letter(picture: &mut [u8], dots: usize, left: usize, (c, face): (char, Face)) {
    let scale = face.scale();
    let (across, down) = (LETTER.0 * scale, LETTER.1 * scale);
    let mut blacken = |x: usize, y: usize| {
        if x < across && left + x < dots && y < down {
            picture[y * dots + left + x] = 0;
        }
    };
    let row = edge::paper::Row::Plain(c.to_string());
    let drawn = edge::paper::Fonts::shared().draw(&row, 24);
    let lines = drawn.iter().flat_map(|drawn| drawn.rows().chunks(drawn.bytes_across()));
    for (y, bytes) in lines.take(LETTER.1).enumerate() {
        for x in (0..16).filter(|x| bytes[x / 8] & (0x80 >> (x % 8)) != 0) {
            // A little narrower than the font has it: twelve dots are few. What is bold is struck twice.
            let twice = if face.is_bold { 2 } else { 1 };
            for dot in 0..scale * scale * twice {
                let (struck, dot) = (dot / (scale * scale), dot % (scale * scale));
                blacken((x * 3 / 4) * scale + dot % scale + struck, y * scale + dot / scale);
            }
        }
    }
    if face.is_reverse {
        for y in 0..down {
            let cell = y * dots + left..y * dots + (left + across).min(dots).max(left);
            picture[cell].iter_mut().for_each(|dot| *dot = 255 - *dot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dark(page: &Page, columns: std::ops::Range<usize>) -> usize {
        let (dots, picture) = page.picture(384);
        picture.chunks(dots).flat_map(|row| &row[columns.clone()]).filter(|dot| **dot == 0).count()
    }

    #[test]
    fn bold_is_bolder_and_what_is_reversed_is_black_under_its_letters_alone() {
        let line = |face: Face| Page { parts: vec![Part::Line("NUTS".chars().map(|c| (c, face)).collect())] };
        let (plain, bold) = (Face::default(), Face { is_bold: true, ..Face::default() });
        let reverse = Face { is_reverse: true, ..Face::default() };
        let letters = 0..4 * LETTER.0;
        assert!(dark(&line(bold), letters.clone()) > dark(&line(plain), letters.clone()));
        let all = letters.len() * LETTER.1;
        assert_eq!(dark(&line(reverse), letters.clone()), all - dark(&line(plain), letters.clone()));
        assert_eq!(
            dark(&line(reverse), letters.end..384),
            0,
            "the rest of the line is as white as the paper"
        );
        // What is set large takes twice the room, and the line is as high as its highest letter.
        let mut mixed = line(reverse).parts;
        let Some(Part::Line(letters)) = mixed.first_mut() else { unreachable!() };
        letters[0].1 = Face { is_large: true, ..plain };
        let page = Page { parts: mixed };
        assert_eq!(page.picture(384).1.len(), 384 * 2 * LETTER.1);
        assert!(dark(&page, 24..60) > 0 && dark(&page, 60..384) == 0);
    }
}
