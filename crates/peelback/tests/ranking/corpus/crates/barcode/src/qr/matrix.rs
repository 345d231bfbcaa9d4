//! The square of a QR code, before and after the data are in it.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    Empty,
    /// Part of a finder, of timing or of format; masks leave it alone.
    Function(bool),
    Data(bool),
}

#[derive(Debug, Clone)]
pub struct Matrix {
    size: usize,
    cells: Vec<Cell>,
}

impl Matrix {
    /// An empty square of the given version with its function patterns drawn.
    pub fn new(version: usize) -> Self {
        let size = 17 + 4 * version;
        let mut matrix = Self { size, cells: vec![Cell::Empty; size * size] };
        matrix.draw_finder(0, 0);
        matrix.draw_finder(size - 7, 0);
        matrix.draw_finder(0, size - 7);
        matrix.draw_timing();
        matrix
    }

    pub fn size(&self) -> usize {
        self.size
    }

    pub fn get(&self, x: usize, y: usize) -> Cell {
        self.cells[y * self.size + x]
    }

    pub fn set(&mut self, x: usize, y: usize, cell: Cell) {
        self.cells[y * self.size + x] = cell;
    }

    pub fn is_dark(&self, x: usize, y: usize) -> bool {
        matches!(self.get(x, y), Cell::Function(true) | Cell::Data(true))
    }

    /// One of the three big squares, with its light border.
    fn draw_finder(&mut self, left: usize, top: usize) {
        for dy in 0..9 {
            for dx in 0..9 {
                let (x, y) = ((left + dx).wrapping_sub(1), (top + dy).wrapping_sub(1));
                if x >= self.size || y >= self.size {
                    continue;
                }
                let (rx, ry) = (dx as i32 - 4, dy as i32 - 4);
                let ring = rx.abs().max(ry.abs());
                self.set(x, y, Cell::Function(ring != 2 && ring != 4));
            }
        }
    }

    fn draw_timing(&mut self) {
        for i in 8..self.size - 8 {
            self.set(i, 6, Cell::Function(i % 2 == 0));
            self.set(6, i, Cell::Function(i % 2 == 0));
        }
    }

    /// Fills the free cells with bits, in the zigzag from the lower right corner.
    pub fn place_data(&mut self, bits: impl Iterator<Item = bool>) {
        let mut bits = bits;
        let mut right = self.size as i32 - 1;
        let mut upwards = true;
        while right > 0 {
            if right == 6 {
                right -= 1;
            }
            for step in 0..self.size {
                let y = if upwards { self.size - 1 - step } else { step };
                for x in [right as usize, right as usize - 1] {
                    if self.get(x, y) == Cell::Empty {
                        self.set(x, y, Cell::Data(bits.next().unwrap_or(false)));
                    }
                }
            }
            upwards = !upwards;
            right -= 2;
        }
    }
}
