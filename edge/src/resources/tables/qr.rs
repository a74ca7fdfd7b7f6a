//! QR codes as pictures and as a sheet to print. Pure: text in, bytes out.

use super::rules::Table;
use crate::http::html::document;
use maud::{Markup, PreEscaped, html};
use qrcode::render::svg;
use qrcode::{Color, EcLevel, QrCode};

/// Pixels of one module in a PNG, and the modules of white around the code that scanners need.
const PIXELS: usize = 8;
const MARGIN: usize = 4;

/// Why a code could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum QrError {
    /// The text does not fit a code.
    #[error(transparent)]
    Code(#[from] qrcode::types::QrError),
    /// The picture could not be written.
    #[error(transparent)]
    Png(#[from] png::EncodingError),
}

/// A code that survives a scratch and a coffee stain.
fn code(url: &str) -> Result<QrCode, QrError> {
    Ok(QrCode::with_error_correction_level(url, EcLevel::Q)?)
}

/// The code of `url` as SVG.
pub(super) fn svg(url: &str) -> Result<String, QrError> {
    Ok(code(url)?.render::<svg::Color<'_>>().min_dimensions(256, 256).quiet_zone(true).build())
}

/// The code of `url` as SVG inside a page: without its XML declaration.
pub fn markup(url: &str) -> Result<Markup, QrError> {
    let picture = svg(url)?;
    Ok(PreEscaped(picture.find("<svg").and_then(|start| picture.get(start..)).unwrap_or_default().to_owned()))
}

/// The code of `url` in letters, for a console.
pub fn letters(url: &str) -> Result<String, QrError> {
    use qrcode::render::unicode::Dense1x2;
    let code = QrCode::with_error_correction_level(url, EcLevel::L)?;
    // Most consoles are light on dark.
    Ok(code
        .render::<Dense1x2>()
        .dark_color(Dense1x2::Light)
        .light_color(Dense1x2::Dark)
        .quiet_zone(true)
        .build())
}

/// The code of `url` as a greyscale PNG.
pub fn png(url: &str) -> Result<Vec<u8>, QrError> {
    let code = code(url)?;
    let modules = code.width();
    let side = (modules + 2 * MARGIN) * PIXELS;
    let colors = code.to_colors();
    let mut pixels = Vec::with_capacity(side * side);
    for y in 0..side {
        for x in 0..side {
            let at = |n: usize| (n / PIXELS).checked_sub(MARGIN).filter(|n| *n < modules);
            let dark = match (at(x), at(y)) {
                (Some(x), Some(y)) => colors.get(y * modules + x) == Some(&Color::Dark),
                _ => false,
            };
            pixels.push(if dark { 0 } else { 255 });
        }
    }
    let mut bytes = Vec::new();
    let side = u32::try_from(side).unwrap_or(u32::MAX);
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(bytes)
}

const STYLE: &str = "body{font-family:sans-serif;margin:1cm}main{display:grid;grid-template-columns:repeat(3,1fr);gap:8mm}\
    figure{margin:0;padding:6mm;border:1px dashed #999;text-align:center;break-inside:avoid}svg{width:100%;height:auto}\
    figcaption{font-size:16pt;font-weight:bold}p{margin:0;font-size:9pt}@media print{body{margin:0}}";

/// A page of all codes to print and cut out.
pub(super) fn sheet(outlet: &str, tables: &[(Table, String)]) -> Result<String, QrError> {
    let pictures = tables.iter().map(|(_, url)| markup(url)).collect::<Result<Vec<_>, _>>()?;
    let body = html! {
        main {
            @for ((table, _), picture) in tables.iter().zip(pictures) {
                figure {
                    (picture) figcaption { (table.fields.number) }
                    p { (table.fields.area.as_deref().unwrap_or_default()) } p { (outlet) }
                }
            }
        }
    };
    Ok(document(&format!("{outlet}: QR codes"), STYLE, html! {}, body).into_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://192.168.1.20:8080/t/AAAAAAAAAAAAAAAAAAAAAA";

    #[test]
    fn a_png_holds_the_modules_and_a_margin() {
        let bytes = png(URL).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let modules = code(URL).unwrap().width();
        let side = (modules + 2 * MARGIN) * PIXELS;
        assert_eq!((info.width as usize, info.height as usize), (side, side));
        assert!(pixels[..side * MARGIN * PIXELS].iter().all(|p| *p == 255));
        // The corner of the finder pattern is dark.
        assert_eq!(pixels[side * MARGIN * PIXELS + MARGIN * PIXELS], 0);
    }

    #[test]
    fn a_name_cannot_break_out_of_the_sheet() {
        let page = sheet("<script>alert(1)</script>", &[]).unwrap();
        assert!(!page.contains("<script>"));
        assert!(svg(URL).unwrap().contains("<svg"));
    }
}
