//! A compact form of tables of 16-bit numbers, which some lines of C unpack (`unpack.c`).
//!
//! A table becomes a sequence of steps. A step is the count of literals, the literals, the length of a copy, and,
//! where that length is not zero, the distance of the copied numbers back from the end of what is unpacked so far;
//! zero is the distance of the copy before. A copy may overlap its own result, so that a distance of one repeats a
//! number. The sequence ends with the table.
//!
//! Each of the four kinds of numbers has a Huffman code of its own (`codes.rs`). A packed table is the four codes, and
//! then the bits of all numbers, the highest bit of a byte first.

use super::codes::{BitReader, BitWriter, CODES, Code, Decoder};

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

/// The kinds of numbers of a step, as indexes of their codes.
const LITERAL_COUNT: usize = 0;
const LITERAL: usize = 1;
const LENGTH: usize = 2;
const DISTANCE: usize = 3;

/// Packs a table: sequences of numbers become copies of earlier ones.
pub fn pack(table: &[u16]) -> Vec<u8> {
    let numbers = numbers_of_steps(table);
    let mut counts = [const { Vec::new() }; CODES];
    for (kind, number) in &numbers {
        Code::count(&mut counts[*kind], *number);
    }
    let codes = counts.map(|counts| Code::new(&counts));
    let mut packed = BitWriter::default();
    for code in &codes {
        code.write_lengths(&mut packed);
    }
    for (kind, number) in &numbers {
        codes[*kind].write(*number, &mut packed);
    }
    packed.finish()
}

/// The numbers of all steps of a table, each with its kind.
fn numbers_of_steps(table: &[u16]) -> Vec<(usize, usize)> {
    let mut numbers = Vec::new();
    let push_literals = |numbers: &mut Vec<(usize, usize)>, literals: &[u16]| {
        numbers.push((LITERAL_COUNT, literals.len()));
        numbers.extend(literals.iter().map(|literal| (LITERAL, usize::from(*literal))));
    };
    let mut places = Places { latest: vec![usize::MAX; 1 << HASH_BITS], earlier: vec![usize::MAX; table.len()] };
    let (mut literals, mut at, mut latest_distance) = (0, 0, 0);
    while at < table.len() {
        let (length, distance) = places.best_copy(table, at, latest_distance);
        places.add(table, at);
        // A copy that begins one number later may be longer.
        let is_better_later = || places.best_copy(table, at + 1, latest_distance).0 > length + 1;
        if length == 0 || (length < LONG_ENOUGH && is_better_later()) {
            at += 1;
            continue;
        }
        push_literals(&mut numbers, &table[literals..at]);
        numbers.push((LENGTH, length));
        numbers.push((DISTANCE, if distance == latest_distance { 0 } else { distance }));
        latest_distance = distance;
        // Inside a long copy there is little that no other place has.
        for inner in (at + 1..at + length).take(LONG_ENOUGH) {
            places.add(table, inner);
        }
        at += length;
        literals = at;
    }
    if literals < at {
        push_literals(&mut numbers, &table[literals..]);
        numbers.push((LENGTH, 0));
    }
    numbers
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
    fn best_copy(&self, table: &[u16], at: usize, latest_distance: usize) -> (usize, usize) {
        let mut best = (0, 0);
        let mut most_saved = 0;
        let Some(hash) = Self::hash(table, at) else { return best };
        let mut consider = |candidate: usize, distance_bits: usize| {
            // Only a longer copy can be better than one that is nearer.
            if table.get(candidate + best.0) == table.get(at + best.0) {
                let pairs = table[candidate..].iter().zip(&table[at..]).take(LARGEST);
                let length = pairs.take_while(|(before, now)| before == now).count();
                let saved = (LITERAL_BITS * length).saturating_sub(6 + distance_bits);
                if length >= SHORTEST_COPY && saved > most_saved {
                    most_saved = saved;
                    best = (length, at - candidate);
                }
            }
            best.0
        };
        if latest_distance > 0
            && let Some(candidate) = at.checked_sub(latest_distance)
        {
            consider(candidate, 2);
        }
        let mut candidate = self.latest[hash];
        for _ in 0..MOST_CANDIDATES {
            if candidate == usize::MAX || at - candidate > LARGEST {
                break;
            }
            let distance_bits = (at - candidate).ilog2() as usize;
            if consider(candidate, distance_bits) >= LONG_ENOUGH {
                break;
            }
            candidate = self.earlier[candidate];
        }
        best
    }
}

/// The usual size of a literal, in bits, by which copies are compared.
const LITERAL_BITS: usize = 11;

/// Unpacks a packed table of `size` numbers, as `unpack.c` does; `None` where the packed table is damaged.
pub fn unpack(packed: &[u8], size: usize) -> Option<Vec<u16>> {
    let mut bits = BitReader::new(packed);
    let mut decoders = Vec::new();
    for _ in 0..CODES {
        decoders.push(Decoder::read(&mut bits)?);
    }
    let mut table: Vec<u16> = Vec::new();
    let mut latest_distance = 0;
    while table.len() < size {
        for _ in 0..decoders[LITERAL_COUNT].number(&mut bits)? {
            table.push(u16::try_from(decoders[LITERAL].number(&mut bits)?).ok()?);
        }
        let length = decoders[LENGTH].number(&mut bits)?;
        if length > 0 {
            let distance = decoders[DISTANCE].number(&mut bits)?;
            latest_distance = if distance > 0 { distance } else { latest_distance };
            let start = table.len().checked_sub(latest_distance)?;
            for index in start..start + length {
                table.push(*table.get(index)?);
            }
        }
    }
    (table.len() == size).then_some(table)
}
