//! GS1 element strings: several fields, each led by its application identifier.

use crate::code128::FNC1;
use crate::error::BarcodeError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Fixed(usize),
    UpTo(usize),
}

/// The identifiers our labels use.
const KNOWN: &[(&str, Length)] = &[
    ("00", Length::Fixed(18)),
    ("01", Length::Fixed(14)),
    ("10", Length::UpTo(20)),
    ("11", Length::Fixed(6)),
    ("17", Length::Fixed(6)),
    ("21", Length::UpTo(20)),
    ("3103", Length::Fixed(6)),
    ("400", Length::UpTo(30)),
    ("420", Length::UpTo(20)),
];

fn length_of(ai: &str) -> Option<Length> {
    KNOWN.iter().find(|(known, _)| *known == ai).map(|(_, length)| *length)
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ElementString {
    fields: Vec<(String, String)>,
}

impl ElementString {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, ai: &str, value: &str) -> Result<(), BarcodeError> {
        let bad = |reason| BarcodeError::BadElement { ai: ai.to_string(), reason };
        match length_of(ai).ok_or_else(|| bad("unknown identifier"))? {
            Length::Fixed(n) if value.len() != n => return Err(bad("wrong length")),
            Length::UpTo(n) if value.is_empty() || value.len() > n => return Err(bad("wrong length")),
            _ => {}
        }
        self.fields.push((ai.to_string(), value.to_string()));
        Ok(())
    }

    pub fn get(&self, ai: &str) -> Option<&str> {
        self.fields.iter().find(|(own, _)| own == ai).map(|(_, value)| value.as_str())
    }

    /// The text for the symbol, fields set apart by FNC1 where it is needed.
    pub fn to_payload(&self) -> String {
        let mut out = String::new();
        for (i, (ai, value)) in self.fields.iter().enumerate() {
            out.push_str(ai);
            out.push_str(value);
            if let Some((following, _)) = self.fields.get(i + 1) {
                if let Some(Length::UpTo(_)) = length_of(following) {
                    out.push(FNC1);
                }
            }
        }
        out
    }

    /// Takes the text of a scanned symbol apart again.
    pub fn parse(payload: &str) -> Result<Self, BarcodeError> {
        let mut rest = payload.trim_start_matches(FNC1);
        let mut elements = Self::new();
        while !rest.is_empty() {
            let (ai, length) = KNOWN
                .iter()
                .filter(|(ai, _)| rest.starts_with(ai))
                .max_by_key(|(ai, _)| ai.len())
                .ok_or(BarcodeError::BadElement {
                    ai: rest.chars().take(4).collect(),
                    reason: "unknown identifier",
                })?;
            rest = &rest[ai.len()..];
            let end = match length {
                Length::Fixed(n) => rest.char_indices().nth(*n).map_or(rest.len(), |(i, _)| i),
                Length::UpTo(_) => rest.find(FNC1).unwrap_or(rest.len()),
            };
            elements.push(ai, &rest[..end])?;
            rest = rest[end..].trim_start_matches(FNC1);
        }
        Ok(elements)
    }
}
