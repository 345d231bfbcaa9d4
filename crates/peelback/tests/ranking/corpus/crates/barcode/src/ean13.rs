//! EAN-13, for the goods that are sold in the depot shops.

use crate::error::BarcodeError;
use crate::Modules;

const LEFT_ODD: [u8; 10] = [
    0b0001101, 0b0011001, 0b0010011, 0b0111101, 0b0100011, 0b0110001, 0b0101111, 0b0111011,
    0b0110111, 0b0001011,
];

/// Which of the six left digits are written with even parity, by first digit.
const PARITY: [u8; 10] = [
    0b000000, 0b001011, 0b001101, 0b001110, 0b010011, 0b011001, 0b011100, 0b010101, 0b010110,
    0b011010,
];

/// The thirteenth digit for the first twelve.
pub fn check_digit(digits: &[u8]) -> u8 {
    let sum: u32 = digits
        .iter()
        .enumerate()
        .map(|(i, d)| u32::from(*d) * if i % 2 == 0 { 1 } else { 3 })
        .sum();
    ((10 - sum % 10) % 10) as u8
}

/// Reads twelve or thirteen digits; with twelve the last one is worked out.
pub fn parse(text: &str) -> Result<[u8; 13], BarcodeError> {
    let mut digits = [0u8; 13];
    let mut count = 0;
    for (position, character) in text.chars().enumerate() {
        let digit = character.to_digit(10).ok_or(BarcodeError::Unencodable { character, position })?;
        if count == 13 {
            return Err(BarcodeError::TooLong { len: text.len(), max: 13 });
        }
        digits[count] = digit as u8;
        count += 1;
    }
    let expected = check_digit(&digits[..12]);
    if count == 12 {
        digits[12] = expected;
    } else if digits[12] != expected {
        return Err(BarcodeError::Checksum { expected: expected.into(), found: digits[12].into() });
    }
    Ok(digits)
}

fn push_pattern(modules: &mut Modules, pattern: u8) {
    for shift in (0..7).rev() {
        modules.push((pattern >> shift) & 1 == 1);
    }
}

pub fn encode(text: &str) -> Result<Modules, BarcodeError> {
    let digits = parse(text)?;
    let parity = PARITY[digits[0] as usize];
    let mut modules = vec![true, false, true];
    for (i, digit) in digits[1..7].iter().enumerate() {
        let odd = LEFT_ODD[*digit as usize];
        let even = (!odd & 0x7f).reverse_bits() >> 1;
        push_pattern(&mut modules, if (parity >> (5 - i)) & 1 == 1 { even } else { odd });
    }
    modules.extend([false, true, false, true, false]);
    for digit in &digits[7..] {
        push_pattern(&mut modules, !LEFT_ODD[*digit as usize] & 0x7f);
    }
    modules.extend([true, false, true]);
    Ok(modules)
}
