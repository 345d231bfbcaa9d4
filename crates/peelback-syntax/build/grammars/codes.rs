//! Huffman codes for numbers, and their bits.
//!
//! A number is written as its class, in a code by how often each class occurs, and the bits that tell the numbers of
//! one class apart. The numbers below 16 are classes of their own. Above, a class has the numbers with the same
//! highest three bits. A code is described by the count of its classes, in one byte, and the length of each one's bits,
//! in four bits; classes of the same length follow each other.

/// How many codes a packed table has.
pub const CODES: usize = 4;

/// The limit on the length of a class's bits.
const LONGEST: usize = 11;

/// The first number that shares its class with others.
const FIRST_SHARED: usize = 16;

/// The class of a number, and how many of its lower bits the class leaves open.
fn class_of(number: usize) -> (usize, usize) {
    if number < FIRST_SHARED {
        return (number, 0);
    }
    let open = number.ilog2() as usize - 2;
    (FIRST_SHARED + (open - 2) * 4 + (number >> open & 3), open)
}

/// The lowest number of a class, and how many of its lower bits the class leaves open.
fn number_of(class: usize) -> (usize, usize) {
    match class.checked_sub(FIRST_SHARED) {
        None => (class, 0),
        Some(shared) => {
            let open = shared / 4 + 2;
            ((4 + shared % 4) << open, open)
        }
    }
}

/// A code for the classes of one kind of number.
pub struct Code {
    /// The length of the bits of each class, and the bits.
    bits: Vec<(usize, u32)>,
}

impl Code {
    /// Adds a number to the counts of classes.
    pub fn count(counts: &mut Vec<usize>, number: usize) {
        let (class, _) = class_of(number);
        counts.resize(counts.len().max(class + 1), 0);
        counts[class] += 1;
    }

    pub fn new(counts: &[usize]) -> Self {
        let lengths = code_lengths(counts);
        let mut bits: Vec<(usize, u32)> = lengths.iter().map(|length| (*length, 0)).collect();
        for (at, class) in classes_by_position(&lengths) {
            bits[class].1 = (at >> (LONGEST - lengths[class])) as u32;
        }
        Self { bits }
    }

    pub fn write_lengths(&self, out: &mut BitWriter) {
        out.push(self.bits.len() as u32, 8);
        for (length, _) in &self.bits {
            out.push(*length as u32, 4);
        }
    }

    pub fn write(&self, number: usize, out: &mut BitWriter) {
        let (class, open) = class_of(number);
        let (length, bits) = self.bits[class];
        out.push(bits, length);
        out.push((number & ((1 << open) - 1)) as u32, open);
    }
}

/// The length of the bits of each class; zero for a class that does not occur.
fn code_lengths(counts: &[usize]) -> Vec<usize> {
    let mut counts = counts.to_vec();
    loop {
        let lengths = unlimited_code_lengths(&counts);
        if lengths.iter().all(|length| *length <= LONGEST) {
            return lengths;
        }
        // Counts that differ less lead to lengths that differ less.
        for count in counts.iter_mut().filter(|count| **count > 0) {
            *count = *count / 2 + 1;
        }
    }
}

fn unlimited_code_lengths(counts: &[usize]) -> Vec<usize> {
    let mut lengths = vec![0; counts.len()];
    let occurring = (0..counts.len()).filter(|class| counts[*class] > 0);
    let mut groups: Vec<(usize, Vec<usize>)> = occurring.map(|class| (counts[class], vec![class])).collect();
    if let [(_, only)] = groups.as_slice() {
        lengths[only[0]] = 1;
    }
    while groups.len() > 1 {
        groups.sort_unstable_by(|a, b| b.cmp(a));
        let rarest = groups.split_off(groups.len() - 2);
        let count = rarest.iter().map(|(count, _)| count).sum();
        let classes: Vec<usize> = rarest.into_iter().flat_map(|(_, classes)| classes).collect();
        for class in &classes {
            lengths[*class] += 1;
        }
        groups.push((count, classes));
    }
    lengths
}

/// The classes in the order of their bits, each with the first of its places among all sequences of `LONGEST` bits.
fn classes_by_position(lengths: &[usize]) -> Vec<(usize, usize)> {
    let mut at = 0;
    let mut positions = Vec::new();
    for length in 1..=LONGEST {
        for class in (0..lengths.len()).filter(|class| lengths[*class] == length) {
            positions.push((at, class));
            at += 1 << (LONGEST - length);
        }
    }
    positions
}

/// What reads the numbers of one code.
pub struct Decoder {
    /// For each sequence of `LONGEST` bits, the length of the class that it begins with, and the class.
    classes: Vec<(usize, usize)>,
}

impl Decoder {
    pub fn read(bits: &mut BitReader<'_>) -> Option<Self> {
        let count = bits.take(8)?;
        let lengths = (0..count).map(|_| bits.take(4)).collect::<Option<Vec<usize>>>()?;
        let mut classes = vec![(0, 0); 1 << LONGEST];
        for (at, class) in classes_by_position(&lengths) {
            classes.get_mut(at..at + (1 << (LONGEST - lengths[class])))?.fill((lengths[class], class));
        }
        Some(Self { classes })
    }

    pub fn number(&self, bits: &mut BitReader<'_>) -> Option<usize> {
        let (length, class) = self.classes[bits.peek(LONGEST)];
        bits.take(length)?;
        let (lowest, open) = number_of(class);
        (length > 0).then_some(())?;
        Some(lowest + bits.take(open)?)
    }
}

/// Bits that become bytes, the highest bit of a byte first.
#[derive(Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    waiting: u64,
    count: usize,
}

impl BitWriter {
    /// Adds the lowest `count` bits of a number.
    pub fn push(&mut self, bits: u32, count: usize) {
        self.waiting = self.waiting << count | u64::from(bits);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.waiting >> self.count) as u8);
        }
    }

    /// The bytes. Some more follow, which a reader takes before it needs their bits.
    pub fn finish(mut self) -> Vec<u8> {
        self.push(0, (8 - self.count % 8) % 8);
        self.bytes.extend([0; 8]);
        self.bytes
    }
}

pub struct BitReader<'p> {
    bytes: &'p [u8],
    /// The index of the next bit.
    at: usize,
}

impl<'p> BitReader<'p> {
    pub fn new(bytes: &'p [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next bits as a number; bits after the end are zero.
    fn peek(&self, count: usize) -> usize {
        let bit = |at: usize| self.bytes.get(at / 8).map_or(0, |byte| usize::from(byte >> (7 - at % 8) & 1));
        (self.at..self.at + count).fold(0, |number, at| number << 1 | bit(at))
    }

    fn take(&mut self, count: usize) -> Option<usize> {
        let number = self.peek(count);
        self.at += count;
        (self.at <= self.bytes.len() * 8).then_some(number)
    }
}
