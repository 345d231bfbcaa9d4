//! Code 128, the linear code on every parcel.

use crate::error::BarcodeError;
use crate::Modules;

/// Stands for FNC1 in payloads.
pub const FNC1: char = '\u{00F1}';

const START_B: u8 = 104;
const START_C: u8 = 105;
const CODE_C: u8 = 99;
const CODE_B: u8 = 100;
const FNC1_VALUE: u8 = 102;
const MAX_LEN: usize = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    B,
    C,
}

#[derive(Debug, Default)]
pub struct Encoder {
    fnc1_first: bool,
}

impl Encoder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Marks the symbol as one with application identifiers.
    pub fn with_fnc1(mut self) -> Self {
        self.fnc1_first = true;
        self
    }

    pub fn encode(&self, text: &str) -> Result<Modules, BarcodeError> {
        let values = self.values(text)?;
        let mut modules = Modules::new();
        for value in &values {
            push_widths(&mut modules, *value);
        }
        push_stop(&mut modules);
        Ok(modules)
    }

    /// Symbol values with start sign and checksum, without the stop sign.
    pub fn values(&self, text: &str) -> Result<Vec<u8>, BarcodeError> {
        let chars: Vec<char> = text.chars().collect();
        if chars.len() > MAX_LEN {
            return Err(BarcodeError::TooLong { len: chars.len(), max: MAX_LEN });
        }
        let mut set = next_set(&chars, Set::B, true);
        let mut values = vec![if set == Set::C { START_C } else { START_B }];
        if self.fnc1_first {
            values.push(FNC1_VALUE);
        }
        let mut at = 0;
        while at < chars.len() {
            let wanted = next_set(&chars[at..], set, false);
            if wanted != set {
                values.push(if wanted == Set::C { CODE_C } else { CODE_B });
                set = wanted;
            }
            match (set, chars[at]) {
                (_, FNC1) => values.push(FNC1_VALUE),
                (Set::C, tens) => {
                    let pair = format!("{}{}", tens, chars[at + 1]);
                    values.push(pair.parse().expect("two digits"));
                    at += 1;
                }
                (Set::B, c @ ' '..='\u{7f}') => values.push(c as u8 - 32),
                (Set::B, character) => return Err(BarcodeError::Unencodable { character, position: at }),
            }
            at += 1;
        }
        values.push(checksum(&values));
        Ok(values)
    }
}

/// Set C packs two digits into one sign, but getting there costs one. It pays
/// from four digits on at the start and from six in the middle.
fn next_set(rest: &[char], now: Set, at_start: bool) -> Set {
    let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
    let worth_it = if at_start { 4 } else { 6 };
    match now {
        Set::C if digits >= 2 || rest.first() == Some(&FNC1) => Set::C,
        Set::C => Set::B,
        Set::B if digits >= worth_it && digits % 2 == 0 => Set::C,
        Set::B => Set::B,
    }
}

fn checksum(values: &[u8]) -> u8 {
    let sum: u32 = values.iter().enumerate().map(|(i, v)| u32::from(*v) * i.max(1) as u32).sum();
    (sum % 103) as u8
}

fn push_widths(modules: &mut Modules, value: u8) {
    // Six bars and spaces that sum up to eleven modules, spread from the value.
    let mut left = 11 - 6;
    for slot in 0..6u8 {
        let extra = if slot == 5 { left } else { left.min((value >> slot) & 3) };
        left -= extra;
        for _ in 0..=extra {
            modules.push(slot % 2 == 0);
        }
    }
}

fn push_stop(modules: &mut Modules) {
    for (width, dark) in [(2, true), (3, false), (3, true), (1, false), (1, true), (1, false), (2, true)] {
        modules.extend(std::iter::repeat(dark).take(width));
    }
}
