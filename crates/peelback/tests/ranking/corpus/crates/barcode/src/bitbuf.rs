//! A growing row of bits, most significant bit first.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BitBuffer {
    bytes: Vec<u8>,
    len: usize,
}

impl BitBuffer {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends the lowest `count` bits of `value`.
    pub fn push_bits(&mut self, value: u32, count: u8) {
        debug_assert!(count <= 32);
        for shift in (0..count).rev() {
            self.push((value >> shift) & 1 == 1);
        }
    }

    pub fn push(&mut self, bit: bool) {
        if self.len % 8 == 0 {
            self.bytes.push(0);
        }
        if bit {
            let last = self.bytes.len() - 1;
            self.bytes[last] |= 0x80 >> (self.len % 8);
        }
        self.len += 1;
    }

    /// Fills up to `capacity` bytes: a terminator of zeros, then the two pad bytes in turn.
    pub fn pad_to(&mut self, capacity: usize) {
        let room = (capacity * 8).saturating_sub(self.len);
        self.push_bits(0, room.min(4) as u8);
        while self.len % 8 != 0 {
            self.push(false);
        }
        let mut pad = [0xEC, 0x11].iter().cycle();
        while self.bytes.len() < capacity {
            self.push_bits(*pad.next().unwrap(), 8);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(move |i| self.bytes[i / 8] & (0x80 >> (i % 8)) != 0)
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
