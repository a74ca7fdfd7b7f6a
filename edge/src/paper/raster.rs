//! Rows as dots: texts in scripts that no printer has letters for, shaped and in both directions, QR codes and pictures. Never a
//! font of its own: those of the machine.

use super::Row;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cosmic_text::fontdb::Database;
use cosmic_text::{
    Align, Attrs, Buffer, Color, Family, FontSystem, Metrics, Shaping, SwashCache, Weight, Wrap,
};
use qrcode::{EcLevel, QrCode};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Where Debian's packages put fonts: Noto's first, which have all scripts.
const FOLDERS: [&str; 2] = ["/usr/share/fonts/truetype/noto", "/usr/share/fonts/truetype/dejavu"];

/// How much of a dot a letter must cover to be black, of 255.
const BLACK: u8 = 100;

/// Dots between the two texts of a pair, at least.
const GAP: usize = 16;

/// Most dots that a picture may have across and down: what is larger is left out.
const LARGEST: u32 = 2_048;

/// Dots in rows of whole bytes, the first dot in the highest bit, 1 is black.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bitmap {
    across: usize,
    rows: Vec<u8>,
}

impl Bitmap {
    fn new(dots: usize) -> Bitmap {
        Bitmap { across: dots.div_ceil(8), rows: Vec::new() }
    }

    /// Bytes of one row.
    pub fn bytes_across(&self) -> usize {
        self.across
    }

    /// The rows, one behind the other.
    pub fn rows(&self) -> &[u8] {
        &self.rows
    }

    fn reach(&mut self, height: usize) {
        let wanted = height.saturating_mul(self.across);
        if self.rows.len() < wanted {
            self.rows.resize(wanted, 0);
        }
    }

    fn blacken(&mut self, x: usize, y: usize) {
        if x / 8 >= self.across {
            return;
        }
        self.reach(y.saturating_add(1));
        if let Some(byte) = self.rows.get_mut(y.saturating_mul(self.across).saturating_add(x / 8)) {
            *byte |= 0x80 >> (x % 8);
        }
    }

    fn invert(mut self) -> Bitmap {
        self.rows.iter_mut().for_each(|byte| *byte = !*byte);
        self
    }
}

/// The fonts of this machine, read once: some of Noto's are large.
pub struct Fonts(Option<(FontSystem, SwashCache)>);

/// How a text is set.
#[derive(Clone, Copy)]
struct Style {
    is_large: bool,
    is_bold: bool,
    align: Option<Align>,
}

impl Style {
    fn of(row: &Row) -> Style {
        let is_large = matches!(row, Row::Title(_) | Row::Large(_));
        let is_bold = is_large || matches!(row, Row::Bold(_) | Row::Strong(..));
        let align = matches!(row, Row::Title(_) | Row::Centre(_)).then_some(Align::Center);
        Style { is_large, is_bold, align }
    }
}

impl Fonts {
    /// No fonts: codes and pictures can be drawn, texts cannot.
    pub fn none() -> Fonts {
        Fonts(None)
    }

    /// The fonts of this machine. Takes a second where there are many.
    pub fn of_machine() -> Fonts {
        let mut all = Database::new();
        for folder in FOLDERS {
            load(&mut all, Path::new(folder));
        }
        if all.is_empty() {
            return Fonts::none();
        }
        all.set_sans_serif_family("Noto Sans");
        Fonts(Some((FontSystem::new_with_locale_and_db("en".into(), all), SwashCache::new())))
    }

    /// The fonts of this machine, read when they are first asked for and kept by the process: they are files that do not change.
    pub fn shared() -> MutexGuard<'static, Fonts> {
        static SHARED: OnceLock<Mutex<Fonts>> = OnceLock::new();
        let fonts = SHARED.get_or_init(|| Mutex::new(Fonts::of_machine()));
        // Whoever failed in the midst of drawing left the fonts as they were.
        fonts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether texts can be drawn.
    pub fn are_there(&self) -> bool {
        self.0.is_some()
    }

    /// The row in dots; none where it cannot be drawn here.
    pub fn draw(&mut self, row: &Row, dots: usize) -> Option<Bitmap> {
        let style = Style::of(row);
        match row {
            Row::Qr(text) => code(text, dots),
            Row::Picture(data) => picture(data, dots),
            Row::Pair(left, right) | Row::Strong(left, right) => self.pair(left, right, dots, style),
            Row::Title(text) | Row::Large(text) | Row::Centre(text) | Row::Plain(text) | Row::Bold(text) => {
                self.text(text, dots, style).map(|(drawing, _)| drawing)
            }
            Row::Reverse(text) => self.text(text, dots, style).map(|(drawing, _)| drawing.invert()),
            Row::Rule => None,
        }
    }

    /// Two texts side by side, neither in the other's room: each is broken into lines where it must be.
    fn pair(&mut self, left: &str, right: &str, dots: usize, style: Style) -> Option<Bitmap> {
        let ((_, left_wants), (_, right_wants)) =
            (self.text(left, dots, style)?, self.text(right, dots, style)?);
        let (at_left, at_right) = share(left_wants, right_wants, dots.saturating_sub(GAP));
        let mut drawing = Bitmap::new(dots);
        let style = Style { align: Some(Align::Left), ..style };
        self.set(&mut drawing, left, (0, at_left), style)?;
        let style = Style { align: Some(Align::Right), ..style };
        self.set(&mut drawing, right, (dots.saturating_sub(at_right), at_right), style)?;
        Some(drawing)
    }

    /// A text broken into lines of `dots`, and how many dots of them the longest line takes.
    fn text(&mut self, text: &str, dots: usize, style: Style) -> Option<(Bitmap, usize)> {
        let mut drawing = Bitmap::new(dots);
        let taken = self.set(&mut drawing, text, (0, dots), style)?;
        Some((drawing, taken))
    }

    /// Sets a text into `drawing`, `from` so many dots from the left, broken into lines of `dots`; how many of them the longest takes.
    fn set(
        &mut self,
        drawing: &mut Bitmap,
        text: &str,
        (from, dots): (usize, usize),
        style: Style,
    ) -> Option<usize> {
        let (system, cache) = self.0.as_mut()?;
        let (metrics, baseline) =
            if style.is_large { (Metrics::new(48.0, 66.0), 52) } else { (Metrics::new(25.0, 36.0), 28) };
        let weight = if style.is_bold { Weight::BOLD } else { Weight::NORMAL };
        let mut buffer = Buffer::new(system, metrics);
        buffer.set_wrap(Wrap::WordOrGlyph);
        buffer.set_size(Some(u16::try_from(dots).unwrap_or(u16::MAX).into()), None);
        let attrs = Attrs::new().family(Family::SansSerif).weight(weight);
        buffer.set_text(text, &attrs, Shaping::Advanced, style.align);
        buffer.shape_until_scroll(system, false);
        // Fonts differ in how high they stand in a line; beside each other they stand on one.
        let stands = buffer.layout_runs().next().map_or(baseline, |line| whole(line.line_y));
        let lower = baseline.saturating_sub(stands);
        let mut taken = 0;
        for line in buffer.layout_runs() {
            taken = taken.max(whole(line.line_w));
            drawing.reach(whole(line.line_top).saturating_add(whole(line.line_height)));
        }
        buffer.draw(system, cache, Color::rgb(0, 0, 0), |x, y, width, height, color| {
            if color.a() < BLACK {
                return;
            }
            for across in 0..i64::from(width) {
                for down in 0..i64::from(height) {
                    let (x, y) = (i64::from(x).saturating_add(across), i64::from(y).saturating_add(down));
                    if let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) {
                        drawing.blacken(x.saturating_add(from), y.saturating_add(lower));
                    }
                }
            }
        });
        Some(taken)
    }
}

/// How many of `room` dots each of two texts gets: what it wants where there is as much; else the shorter one what it wants, up to
/// half, and the other the rest.
fn share(left: usize, right: usize, room: usize) -> (usize, usize) {
    // A line that is exactly as wide as its text may be broken by rounding.
    let (left, right) = (left.saturating_add(2), right.saturating_add(2));
    if left.saturating_add(right) <= room {
        return (left, right);
    }
    let half = room / 2;
    match (left <= half, right <= half) {
        (true, _) => (left, room.saturating_sub(left)),
        (_, true) => (room.saturating_sub(right), right),
        _ => (half, room.saturating_sub(half)),
    }
}

/// Dots, rounded up; nothing for what is no length.
fn whole(length: f32) -> usize {
    length.ceil().max(0.0) as usize
}

/// Reads the upright sans-serif fonts of `folder`, in normal and bold: others are never asked for, and there are hundreds.
fn load(all: &mut Database, folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    // Which font answers must not depend on the order in a folder.
    paths.sort();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_wanted = (name.starts_with("NotoSans")
            && (name.contains("-Regular.") || name.contains("-Bold.")))
            || ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].contains(&name.as_str());
        if is_wanted && let Err(error) = all.load_font_file(&path) {
            tracing::warn!(%error, path = %path.display(), "a font cannot be read");
        }
    }
}

/// A QR code in the middle, of whole dots, as large as half the paper takes.
fn code(text: &str, dots: usize) -> Option<Bitmap> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let (modules, colors) = (code.width(), code.to_colors());
    let scale = (dots / 2).checked_div(modules)?.clamp(2, 8);
    let left = dots.saturating_sub(modules.saturating_mul(scale)) / 2;
    let mut drawing = Bitmap::new(dots);
    // White around it, without which no camera finds it.
    let quiet = scale.saturating_mul(4);
    for (n, _) in colors.iter().enumerate().filter(|(_, color)| **color == qrcode::Color::Dark) {
        let (x, y) = ((n % modules).saturating_mul(scale), (n / modules).saturating_mul(scale));
        for dot in 0..scale.saturating_mul(scale) {
            drawing.blacken(left + x + dot % scale, quiet + y + dot / scale);
        }
    }
    drawing.reach(modules.saturating_mul(scale).saturating_add(quiet.saturating_mul(2)));
    Some(drawing)
}

/// A PNG in the middle, never wider than the paper: what would be is made smaller by leaving out dots.
fn picture(data: &str, dots: usize) -> Option<Bitmap> {
    let bytes = STANDARD.decode(data).ok()?;
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let info = reader.info();
    if info.width > LARGEST || info.height > LARGEST {
        return None;
    }
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut pixels).ok()?;
    let (width, height) = (usize::try_from(frame.width).ok()?, usize::try_from(frame.height).ok()?);
    let samples = frame.color_type.samples();
    let step = width.div_ceil(dots).max(1);
    let left = dots.saturating_sub(width / step) / 2;
    let mut drawing = Bitmap::new(dots);
    for y in (0..height).step_by(step) {
        for x in (0..width).step_by(step) {
            let at = y.saturating_mul(width).saturating_add(x).saturating_mul(samples);
            if is_dark(pixels.get(at..at.saturating_add(samples))?) {
                drawing.blacken(left + x / step, y / step);
            }
        }
    }
    drawing.reach(height.div_ceil(step));
    Some(drawing)
}

/// Whether a pixel (grey or colours, then perhaps how much it covers) is rather black than white on white paper.
fn is_dark(pixel: &[u8]) -> bool {
    let (colors, cover) = match pixel {
        [grey] => (vec![*grey], 255),
        [grey, cover] => (vec![*grey], *cover),
        [colors @ .., cover] if pixel.len() == 4 => (colors.to_vec(), *cover),
        colors => (colors.to_vec(), 255),
    };
    let light = colors.iter().map(|part| usize::from(*part)).sum::<usize>() / colors.len().max(1);
    cover >= 128 && light < 128
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(drawing: &Bitmap) -> u32 {
        drawing.rows().iter().map(|byte| byte.count_ones()).sum()
    }

    #[test]
    fn letters_are_joined_and_reordered_as_their_scripts_want_it() {
        let mut fonts = Fonts::of_machine();
        assert!(fonts.are_there(), "Debian's fonts-noto-core is needed");
        let mut wide = |text: &str| fonts.text(text, 576, Style::of(&Row::Plain(String::new()))).unwrap().1;
        // A conjunct is narrower than its letters one by one; so is an Arabic word than its letters apart.
        assert!(wide("क्ष") < wide("क") + wide("ष"));
        assert!(wide("لله") < wide("ل ل ه"));
        assert!(wide("கொ") > wide("க"));
        for text in ["दाल मखनी", "இட்லி", "مندي", "₹ é"] {
            let drawing = fonts.draw(&Row::Plain(text.into()), 384).unwrap();
            assert!(ink(&drawing) > 150, "{text}");
            assert_eq!(drawing.bytes_across(), 48);
        }
        let (plain, reverse) = (Row::Plain("दाल".into()), Row::Reverse("दाल".into()));
        let (plain, reverse) = (fonts.draw(&plain, 384).unwrap(), fonts.draw(&reverse, 384).unwrap());
        assert_eq!(plain.invert(), reverse);
    }

    #[test]
    fn arabic_begins_at_the_right_and_its_price_stays_there_where_prices_are() {
        let mut fonts = Fonts::of_machine();
        let drawing = fonts.draw(&Row::Plain("مندي".into()), 384).unwrap();
        let left: u32 =
            drawing.rows().chunks(48).flat_map(|row| &row[..24]).map(|byte| byte.count_ones()).sum();
        assert_eq!(left, 0);
        let pair = fonts.draw(&Row::Pair("مندي".into(), "250.00".into()), 384).unwrap();
        assert!(ink(&pair) > ink(&drawing));
    }

    #[test]
    fn the_two_texts_of_a_pair_never_touch() {
        for (left, right) in [(10, 10), (900, 60), (60, 900), (700, 700)] {
            let (a, b) = share(left, right, 560);
            assert!(a + b <= 560 && a > 10 && b > 10, "{left} and {right}: {a} and {b}");
        }
        let mut fonts = Fonts::of_machine();
        let long = "मसाला डोसा बिना प्याज बहुत तीखा और करारा";
        for (left, right) in [(long, "₹ 250.00"), ("₹ 250.00", long), (long, long)] {
            let drawing = fonts.draw(&Row::Pair(left.into(), right.into()), 384).unwrap();
            // Somewhere in the middle is a column that no letter of either touches.
            let is_white =
                |x: usize| drawing.rows().chunks(48).all(|row| row[x / 8] & (0x80 >> (x % 8)) == 0);
            let white = (0..384)
                .collect::<Vec<_>>()
                .windows(10)
                .any(|xs| xs.iter().all(|x| is_white(*x)) && xs[0] > 60 && xs[0] < 330);
            assert!(white, "{left} | {right}");
        }
    }

    #[test]
    fn a_long_text_goes_on_in_the_next_line_on_either_paper() {
        let mut fonts = Fonts::of_machine();
        let row = Row::Plain("पनीर टिक्का मसाला बिना प्याज बिना लहसुन और बहुत तीखा".into());
        let (narrow, wide) = (fonts.draw(&row, 384).unwrap(), fonts.draw(&row, 576).unwrap());
        assert!(narrow.rows().len() / 48 > wide.rows().len() / 72);
    }
}
