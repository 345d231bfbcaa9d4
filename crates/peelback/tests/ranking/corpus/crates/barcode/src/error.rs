use std::fmt;

/// Everything that can be wrong with what should be encoded or was scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BarcodeError {
    /// The symbology has no sign for this character.
    Unencodable { character: char, position: usize },
    /// The data do not fit into the largest symbol.
    TooLong { len: usize, max: usize },
    /// A check digit or checksum does not agree with the data.
    Checksum { expected: u32, found: u32 },
    /// An application identifier that is unknown, or whose value has the wrong form.
    BadElement { ai: String, reason: &'static str },
    /// The picture would not have a single pixel for each module.
    TooSmall { pixels: u32, modules: u32 },
}

impl fmt::Display for BarcodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BarcodeError::Unencodable { character, position } => {
                write!(f, "character {:?} at {} has no sign", character, position)
            }
            BarcodeError::TooLong { len, max } => {
                write!(f, "{} bytes do not fit, at most {} do", len, max)
            }
            BarcodeError::Checksum { expected, found } => {
                write!(f, "checksum is {}, expected {}", found, expected)
            }
            BarcodeError::BadElement { ai, reason } => write!(f, "element ({}): {}", ai, reason),
            BarcodeError::TooSmall { pixels, modules } => {
                write!(f, "{} pixels are too few for {} modules", pixels, modules)
            }
        }
    }
}

impl std::error::Error for BarcodeError {}
