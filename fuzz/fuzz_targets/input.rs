//! Takes the bytes of an input apart.

/// The bytes of an input that were not taken yet. Where none are left, numbers are 0 and texts are empty.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    pub fn index(&mut self, length: usize) -> usize {
        if length <= 256 {
            usize::from(self.byte()) % length.max(1)
        } else {
            (usize::from(self.byte()) << 8 | usize::from(self.byte())) % length
        }
    }

    pub fn choose<'b, T>(&mut self, items: &'b [T]) -> Option<&'b T> {
        if items.is_empty() {
            return None;
        }
        items.get(self.index(items.len()))
    }

    pub fn bytes(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// A text whose length stands in front of it, in one byte.
    pub fn short_text(&mut self) -> String {
        let length = usize::from(self.byte());
        String::from_utf8_lossy(self.bytes(length)).into_owned()
    }

    /// What is left, as text.
    pub fn rest_as_text(self) -> String {
        String::from_utf8_lossy(self.0).into_owned()
    }

    /// What is left, parted at each byte that is `separator`.
    pub fn rest_in_parts(self, separator: u8) -> Vec<&'a [u8]> {
        self.0.split(|byte| *byte == separator).collect()
    }
}

/// Whether an input is in the sample whose costly invariants are checked: one in `share`, always the same ones.
pub fn is_sampled(data: &[u8], share: u64) -> bool {
    let hash = data
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    (hash >> 20) % share == 0
}

/// Makes an input of parts.
pub fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}
