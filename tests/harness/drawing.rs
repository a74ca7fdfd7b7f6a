//! A picture to hand in, drawn here. Never twice the same at two sizes.

/// A PNG of this many pixels in which every pixel has a colour.
pub fn drawing(width: u32, height: u32) -> Vec<u8> {
    let shade = |at: u32, of: u32| u8::try_from(at * 255 / of.max(1)).unwrap_or(u8::MAX);
    let pixel = |n: u32| [shade(n % width, width), shade(n / width, height), 120];
    let pixels: Vec<u8> = (0..width * height).flat_map(pixel).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    bytes
}
