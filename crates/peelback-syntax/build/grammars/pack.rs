//! A compact form of tables of 16-bit numbers, which a few lines of C unpack (`unpack.c`).
//!
//! A packed table is a sequence of steps. A step is the count of literals, the literals, the length of a copy, and,
//! where that length is not zero, the distance of the copied numbers back from the end of what is unpacked so far. A
//! copy may overlap its own result, so that a distance of one repeats a number. The sequence ends with the table. All
//! of them are numbers of one to four bytes with seven bits each, the lowest first; the highest bit of a byte says that
//! another follows.

/// The lower limit for the length of a copy, and the count of numbers that are hashed to find one.
const SHORTEST_COPY: usize = 3;
/// The largest copy length and copy distance that a step of a packed table can hold.
const LARGEST: usize = 1 << 20;
const HASH_BITS: u32 = 16;
/// How many earlier places are compared for a copy. More of them make the table a few percent smaller, and take longer
/// in a build script, which is not optimised.
const MOST_CANDIDATES: usize = 24;
/// A copy of this length is taken without a look at further places.
const LONG_ENOUGH: usize = 256;

/// Packs a table: sequences of numbers become copies of earlier ones.
pub fn pack(table: &[u16]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut places = Places { latest: vec![usize::MAX; 1 << HASH_BITS], earlier: vec![usize::MAX; table.len()] };
    let (mut literals, mut at) = (0, 0);
    while at < table.len() {
        let (length, distance) = places.best_copy(table, at);
        places.add(table, at);
        // A copy that begins one number later may be longer.
        let is_better_later = || places.best_copy(table, at + 1).0 > length + 1;
        if length == 0 || (length < LONG_ENOUGH && is_better_later()) {
            at += 1;
            continue;
        }
        push_step(&mut packed, &table[literals..at], length, distance);
        // Inside a long copy there is little that no other place has.
        for inner in (at + 1..at + length).take(LONG_ENOUGH) {
            places.add(table, inner);
        }
        at += length;
        literals = at;
    }
    if literals < at {
        push_step(&mut packed, &table[literals..], 0, 0);
    }
    packed
}

/// The places of sequences of numbers in a table, by their hash.
struct Places {
    latest: Vec<usize>,
    /// For each place, the one before it with the same hash.
    earlier: Vec<usize>,
}

impl Places {
    fn hash(table: &[u16], at: usize) -> Option<usize> {
        let numbers = table.get(at..at + SHORTEST_COPY)?;
        let key = numbers.iter().fold(0_u64, |key, number| key << 16 | u64::from(*number));
        Some((key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - HASH_BITS)) as usize)
    }

    fn add(&mut self, table: &[u16], at: usize) {
        if let Some(hash) = Self::hash(table, at) {
            self.earlier[at] = std::mem::replace(&mut self.latest[hash], at);
        }
    }

    /// The length and distance of the copy that saves most from index `at` on; a length of zero where none saves
    /// anything.
    fn best_copy(&self, table: &[u16], at: usize) -> (usize, usize) {
        let mut best = (0, 0);
        let mut most_saved = 0;
        let Some(hash) = Self::hash(table, at) else { return best };
        let mut candidate = self.latest[hash];
        for _ in 0..MOST_CANDIDATES {
            if candidate == usize::MAX || at - candidate > LARGEST {
                break;
            }
            // Only a longer copy can be better than one that is nearer.
            if table.get(candidate + best.0) == table.get(at + best.0) {
                let pairs = table[candidate..].iter().zip(&table[at..]).take(LARGEST);
                let length = pairs.take_while(|(before, now)| before == now).count();
                let cost = 1 + size_of_number(length) + size_of_number(at - candidate);
                let saved = (2 * length).saturating_sub(cost);
                if length >= SHORTEST_COPY && saved > most_saved {
                    most_saved = saved;
                    best = (length, at - candidate);
                }
                if length >= LONG_ENOUGH {
                    break;
                }
            }
            candidate = self.earlier[candidate];
        }
        best
    }
}

fn size_of_number(number: usize) -> usize {
    match number {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        _ => 4,
    }
}

fn push_number(packed: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        packed.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    packed.push(number as u8);
}

fn push_step(packed: &mut Vec<u8>, literals: &[u16], length: usize, distance: usize) {
    push_number(packed, literals.len());
    for literal in literals {
        push_number(packed, usize::from(*literal));
    }
    push_number(packed, length);
    if length > 0 {
        push_number(packed, distance);
    }
}

/// Unpacks a packed table, as `unpack.c` does; `None` where the packed table is damaged.
pub fn unpack(packed: &[u8]) -> Option<Vec<u16>> {
    let mut table: Vec<u16> = Vec::new();
    let mut bytes = packed.iter();
    let mut number = || {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = bytes.next()?;
            number |= usize::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    };
    while let Some(count) = number() {
        for _ in 0..count {
            table.push(u16::try_from(number()?).ok()?);
        }
        let length = number()?;
        if length > 0 {
            let start = table.len().checked_sub(number()?)?;
            for index in start..start + length {
                table.push(*table.get(index)?);
            }
        }
    }
    Some(table)
}
