//! Barcodes as one-bit pictures for thermal printers.

use crate::error::BarcodeError;
use crate::Modules;

/// A picture of rows that are padded to whole bytes; a set bit is black.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bitmap {
    pub width: u32,
    pub height: u32,
    pub rows: Vec<u8>,
}

impl Bitmap {
    pub fn new(width: u32, height: u32) -> Self {
        let stride = (width as usize + 7) / 8;
        Self { width, height, rows: vec![0; stride * height as usize] }
    }

    pub fn stride(&self) -> usize {
        (self.width as usize + 7) / 8
    }

    pub fn blacken(&mut self, x: u32, y: u32) {
        let at = y as usize * self.stride() + x as usize / 8;
        self.rows[at] |= 0x80 >> (x % 8);
    }

    /// For printers that feed the label the other way round.
    pub fn turned(&self) -> Self {
        let mut out = Self::new(self.width, self.height);
        for y in 0..self.height {
            for x in 0..self.width {
                let at = y as usize * self.stride() + x as usize / 8;
                if self.rows[at] & (0x80 >> (x % 8)) != 0 {
                    out.blacken(self.width - 1 - x, self.height - 1 - y);
                }
            }
        }
        out
    }
}

/// How many dots one module gets. All modules must be equally wide, so the
/// rest of the room goes to the quiet zones.
pub fn dots_per_module(modules: u32, pixels: u32, quiet: u32) -> Result<u32, BarcodeError> {
    let dots = pixels / (modules + 2 * quiet);
    if dots == 0 {
        return Err(BarcodeError::TooSmall { pixels, modules });
    }
    Ok(dots)
}

pub fn linear(modules: &Modules, width: u32, height: u32, quiet: u32) -> Result<Bitmap, BarcodeError> {
    let count = modules.len() as u32;
    let dots = dots_per_module(count, width, quiet)?;
    let left = (width - count * dots) / 2;
    let mut bitmap = Bitmap::new(width, height);
    for (i, _) in modules.iter().enumerate().filter(|(_, dark)| **dark) {
        for dx in 0..dots {
            for y in 0..height {
                bitmap.blacken(left + i as u32 * dots + dx, y);
            }
        }
    }
    Ok(bitmap)
}
