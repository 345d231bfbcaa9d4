//! Error correction for QR codes: Reed-Solomon over the field with 256 elements.

/// The primitive polynomial of the field, without its highest term.
const REDUCE: u8 = 0x1D;

/// Logarithms and powers of the generator 2.
pub struct Field {
    log: [u8; 256],
    exp: [u8; 512],
}

impl Field {
    pub fn new() -> Self {
        let mut field = Self { log: [0; 256], exp: [0; 512] };
        let mut value: u8 = 1;
        for power in 0..255usize {
            field.exp[power] = value;
            field.exp[power + 255] = value;
            field.log[value as usize] = power as u8;
            let carry = value & 0x80 != 0;
            value <<= 1;
            if carry {
                value ^= REDUCE;
            }
        }
        field
    }

    pub fn mul(&self, a: u8, b: u8) -> u8 {
        if a == 0 || b == 0 {
            return 0;
        }
        self.exp[self.log[a as usize] as usize + self.log[b as usize] as usize]
    }

    /// The product of (x - 2^i) for i below `degree`, highest term left out.
    pub fn generator(&self, degree: usize) -> Vec<u8> {
        let mut poly = vec![0; degree];
        poly[degree - 1] = 1;
        let mut root = 1;
        for _ in 0..degree {
            for i in 0..degree {
                poly[i] = self.mul(poly[i], root);
                if i + 1 < degree {
                    poly[i] ^= poly[i + 1];
                }
            }
            root = self.mul(root, 2);
        }
        poly
    }

    /// The correction bytes for one block of data.
    pub fn remainder(&self, data: &[u8], generator: &[u8]) -> Vec<u8> {
        let mut rest = vec![0u8; generator.len()];
        for byte in data {
            let factor = byte ^ rest.remove(0);
            rest.push(0);
            for (r, g) in rest.iter_mut().zip(generator) {
                *r ^= self.mul(*g, factor);
            }
        }
        rest
    }
}

/// Splits the data into blocks, corrects each and weaves them together again.
pub fn interleave(field: &Field, data: &[u8], blocks: usize, correction: usize) -> Vec<u8> {
    let generator = field.generator(correction);
    let short = data.len() / blocks;
    let long_blocks = data.len() % blocks;
    let mut parts = Vec::with_capacity(blocks);
    let mut at = 0;
    for block in 0..blocks {
        let len = short + usize::from(block >= blocks - long_blocks);
        let chunk = &data[at..at + len];
        parts.push((chunk, field.remainder(chunk, &generator)));
        at += len;
    }
    let mut out = Vec::with_capacity(data.len() + blocks * correction);
    for i in 0..=short {
        out.extend(parts.iter().filter_map(|(chunk, _)| chunk.get(i)));
    }
    for i in 0..correction {
        out.extend(parts.iter().map(|(_, rest)| rest[i]));
    }
    out
}
