//! A finished picture.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Eight-bit sRGB pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 3]>,
}

impl Image {
    /// Creates an image of `width` × `height` pixels, given row after row from the top left.
    pub(super) fn new(width: u32, height: u32, pixels: Vec<[u8; 3]>) -> Self {
        Self { width, height, pixels }
    }

    /// Pixels per row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the rows of pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Red, green and blue in column `x` from the left and row `y` from the top, `None` outside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let inside = x < self.width && y < self.height;
        let index = y as usize * self.width as usize + x as usize;
        inside.then(|| self.pixels[index])
    }

    /// Writes the image as a PNG file.
    ///
    /// # Errors
    /// When the file cannot be created or written; the message names it.
    pub fn save_png(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let file = File::create(path).map_err(named)?;
        self.write_png(BufWriter::new(file)).map_err(named)
    }

    /// Writes the image in PNG format to `target`.
    fn write_png(&self, mut target: impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(&mut target, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        target.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn png_reads_back_as_written() {
        let image = Image::new(2, 1, vec![[1, 2, 3], [250, 0, 7]]);
        let mut bytes = Vec::new();
        image.write_png(&mut bytes).expect("encoded");
        let mut reader = png::Decoder::new(io::Cursor::new(bytes)).read_info().expect("a header");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("a frame");
        assert_eq!(pixels, [1, 2, 3, 250, 0, 7]);
    }

    #[test]
    fn saving_into_a_missing_folder_names_the_file() {
        let image = Image::new(1, 1, vec![[0; 3]]);
        let error = image.save_png("/nowhere/picture.png").expect_err("no folder");
        assert!(error.to_string().contains("/nowhere/picture.png"));
        assert_eq!(image.pixel(1, 0), None);
    }
}
