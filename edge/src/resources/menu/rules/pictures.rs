//! The picture of a dish: what may be handed in, and the two sizes that are kept of it. Keeps nothing else of what was handed in, so that
//! no guest is told where and by whom it was taken, and none is sent what is not a picture.

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, ImageResult, RgbImage};
use schemars::JsonSchema;
use serde::Deserialize;
use std::io::Cursor;
use tiffin_common::Uuid;

/// Bytes that a picture may have when it is handed in.
pub const MOST_BYTES: usize = 5 << 20;

/// Pixels that it may have: what the largest telephones take, and 200 MB while it is read.
const MOST_PIXELS: u64 = 50_000_000;

/// The longer side of what lists show, in pixels.
const SMALL: u32 = 320;

/// The longer side of what is shown of one dish, in pixels.
const LARGE: u32 = 1_200;

/// Of 100. Above it files grow faster than anybody sees.
const QUALITY: u8 = 80;

/// Which of the two is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PictureSize {
    /// For lists: 320 pixels on its longer side.
    Small,
    /// For one dish: 1,200 pixels on its longer side.
    #[default]
    Large,
}

/// A picture as it is kept: JPEG in two sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// For lists.
    pub small: Vec<u8>,
    /// For one dish.
    pub large: Vec<u8>,
    /// BLAKE3 of the large one.
    pub hash: [u8; 32],
}

impl Picture {
    /// Reads a JPEG, PNG or WebP and makes the two sizes of it, upright, on white where it is transparent. Takes up to a second: call it
    /// off the async threads.
    ///
    /// # Errors
    /// What is wrong with it, for who handed it in.
    pub fn read(content: &[u8]) -> Result<Picture, &'static str> {
        let known = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP];
        let Some(format) = image::guess_format(content).ok().filter(|format| known.contains(format)) else {
            return Err("must be a JPEG, PNG or WebP");
        };
        let decoder = ImageReader::with_format(Cursor::new(content), format)
            .into_decoder()
            .map_err(|_| "cannot be read: it is damaged")?;
        let (width, height) = decoder.dimensions();
        if u64::from(width).saturating_mul(height.into()) > MOST_PIXELS {
            return Err("must have at most 50 million pixels");
        }
        Self::made(decoder).map_err(|_| "cannot be read: it is damaged")
    }

    fn made(mut decoder: impl ImageDecoder) -> ImageResult<Picture> {
        let upright = decoder.orientation()?;
        let mut shown = fitting(DynamicImage::from_decoder(decoder)?, LARGE);
        shown.apply_orientation(upright);
        let large = packed(&shown)?;
        let small = packed(&fitting(shown, SMALL))?;
        let hash = *blake3::hash(&large).as_bytes();
        Ok(Picture { small, large, hash })
    }

    /// Where the large one of dish `id` is had from a branch; another picture has another address, so that it may be kept.
    pub fn address(&self, id: Uuid) -> String {
        format!("/api/v1/menu/items/{id}/image?v={}", mark(&self.hash))
    }
}

/// What of a picture's hash stands in its address.
pub fn mark(hash: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*hash).to_hex().chars().take(16).collect()
}

/// The picture with at most `side` pixels on its longer side; never larger than it was.
fn fitting(picture: DynamicImage, side: u32) -> DynamicImage {
    if picture.width().max(picture.height()) <= side { picture } else { picture.thumbnail(side, side) }
}

/// As JPEG, on white.
fn packed(picture: &DynamicImage) -> ImageResult<Vec<u8>> {
    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, QUALITY).encode_image(&on_white(picture))?;
    Ok(out)
}

fn on_white(picture: &DynamicImage) -> RgbImage {
    let mut flat = RgbImage::new(picture.width(), picture.height());
    for (to, from) in flat.pixels_mut().zip(picture.to_rgba8().pixels()) {
        let [channels @ .., alpha] = from.0;
        to.0 = channels.map(|channel| {
            let seen = u32::from(channel).saturating_mul(alpha.into());
            let white = u32::from(u8::MAX).saturating_mul(u32::from(u8::MAX.saturating_sub(alpha)));
            u8::try_from(seen.saturating_add(white).div_ceil(u8::MAX.into())).unwrap_or(u8::MAX)
        });
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{ImageEncoder, Rgba, RgbaImage, codecs::png::PngEncoder};

    /// A transparent picture with a red left half.
    fn drawn(width: u32, height: u32) -> RgbaImage {
        RgbaImage::from_fn(width, height, |x, _| Rgba(if x < width / 2 { [255, 0, 0, 255] } else { [0; 4] }))
    }

    fn png(picture: &RgbaImage) -> Vec<u8> {
        let mut out = Vec::new();
        let (width, height) = picture.dimensions();
        PngEncoder::new(&mut out)
            .write_image(picture, width, height, image::ExtendedColorType::Rgba8)
            .unwrap();
        out
    }

    fn size_of(jpeg: &[u8]) -> (u32, u32) {
        assert_eq!(image::guess_format(jpeg).unwrap(), ImageFormat::Jpeg);
        let read = image::load_from_memory(jpeg).unwrap();
        (read.width(), read.height())
    }

    #[test]
    fn two_sizes_are_made_and_none_is_larger_than_it_was() {
        let made = Picture::read(&png(&drawn(2_400, 600))).unwrap();
        assert_eq!((size_of(&made.large), size_of(&made.small)), ((1_200, 300), (320, 80)));
        let made = Picture::read(&png(&drawn(40, 30))).unwrap();
        assert_eq!((size_of(&made.large), size_of(&made.small)), ((40, 30), (40, 30)));
    }

    #[test]
    fn what_is_transparent_is_white() {
        let made = Picture::read(&png(&drawn(64, 64))).unwrap();
        let read = image::load_from_memory(&made.large).unwrap().into_rgb8();
        let [left, right] = [read.get_pixel(8, 32).0, read.get_pixel(56, 32).0];
        assert!(
            left[0] > 240 && left[1] < 20 && right.iter().all(|&channel| channel > 250),
            "{left:?} {right:?}"
        );
    }

    #[test]
    fn a_picture_that_was_taken_lying_down_stands_and_says_nothing_of_where() {
        let mut jpeg = Vec::new();
        let mut encoder = JpegEncoder::new(&mut jpeg);
        // A TIFF header, one entry: orientation (0x0112), a short, 6: turned by a quarter; and a text that nobody shall be told.
        let exif = [
            &b"II*\0\x08\0\0\0\x02\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0"[..],
            b"\x0e\x01\x02\0\x08\0\0\0\x26\0\0\0\0\0\0\0at home\0",
        ];
        encoder.set_exif_metadata(exif.concat()).unwrap();
        encoder.encode_image(&on_white(&DynamicImage::from(drawn(60, 40)))).unwrap();
        assert!(jpeg.windows(7).any(|part| part == b"at home"));
        let made = Picture::read(&jpeg).unwrap();
        assert_eq!(size_of(&made.large), (40, 60));
        let top = image::load_from_memory(&made.large).unwrap().into_rgb8().get_pixel(20, 8).0;
        assert!(top[0] > 200 && top[1] < 60, "{top:?}");
        for jpeg in [&made.small, &made.large] {
            assert!(
                !jpeg.windows(7).any(|part| part == b"at home")
                    && !jpeg.windows(4).any(|part| part == b"Exif")
            );
        }
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        let whole = png(&drawn(64, 64));
        let cases: [(&[u8], &str); 4] = [
            (b"", "must be a JPEG, PNG or WebP"),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "must be a JPEG, PNG or WebP"),
            (b"GIF89a\x01\0\x01\0\0\0\0;", "must be a JPEG, PNG or WebP"),
            (&whole[..whole.len() / 2], "cannot be read: it is damaged"),
        ];
        for (content, why) in cases {
            assert_eq!(Picture::read(content), Err(why));
        }
        // A file of some hundred bytes that says it has ten thousand million pixels.
        let mut bomb = whole;
        bomb[16..24].copy_from_slice(&[0, 1, 134, 160, 0, 1, 134, 160]);
        assert!(Picture::read(&bomb).is_err());
    }
}
