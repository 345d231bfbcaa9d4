//! Masks keep large plain areas and false finders out of a QR code.

use super::matrix::{Cell, Matrix};

/// Whether mask number `mask` flips the cell at column x of row y.
fn flips(mask: u8, x: usize, y: usize) -> bool {
    match mask {
        0 => (x + y) % 2 == 0,
        1 => y % 2 == 0,
        2 => x % 3 == 0,
        3 => (x + y) % 3 == 0,
        4 => (x / 3 + y / 2) % 2 == 0,
        5 => x * y % 2 + x * y % 3 == 0,
        6 => (x * y % 2 + x * y % 3) % 2 == 0,
        _ => ((x + y) % 2 + x * y % 3) % 2 == 0,
    }
}

pub fn apply(matrix: &Matrix, mask: u8) -> Matrix {
    let mut out = matrix.clone();
    for y in 0..matrix.size() {
        for x in 0..matrix.size() {
            if let Cell::Data(bit) = matrix.get(x, y) {
                out.set(x, y, Cell::Data(bit ^ flips(mask, x, y)));
            }
        }
    }
    out
}

/// The variant that is easiest to scan, and its number for the format bits.
pub fn pick_best(matrix: &Matrix) -> (u8, Matrix) {
    (0..8u8)
        .map(|mask| (mask, apply(matrix, mask)))
        .min_by_key(|(_, candidate)| penalty(candidate))
        .expect("there are eight masks")
}

/// Points for everything that makes a scanner stumble; fewer are better.
pub fn penalty(matrix: &Matrix) -> u32 {
    let size = matrix.size();
    let mut points = 0;
    for line in 0..size {
        points += runs((0..size).map(|i| matrix.is_dark(i, line)));
        points += runs((0..size).map(|i| matrix.is_dark(line, i)));
    }
    for y in 0..size - 1 {
        for x in 0..size - 1 {
            let dark = matrix.is_dark(x, y);
            let same = |dx, dy| matrix.is_dark(x + dx, y + dy) == dark;
            if same(1, 0) && same(0, 1) && same(1, 1) {
                points += 3;
            }
        }
    }
    let dark = (0..size * size).filter(|i| matrix.is_dark(i % size, i / size)).count();
    let percent = (dark * 100 / (size * size)) as i32;
    points + ((percent - 50).unsigned_abs() / 5) * 10
}

fn runs(cells: impl Iterator<Item = bool>) -> u32 {
    let mut points = 0;
    let mut previous = None;
    let mut length = 0;
    for cell in cells {
        if Some(cell) == previous {
            length += 1;
        } else {
            previous = Some(cell);
            length = 1;
        }
        match length {
            5 => points += 3,
            n if n > 5 => points += 1,
            _ => {}
        }
    }
    points
}
