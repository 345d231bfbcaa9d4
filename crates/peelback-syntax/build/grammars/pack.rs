//! A compact form of tables of 16-bit numbers, which a few lines of C unpack (`unpack.c`).
//!
//! A packed table is a sequence of steps. A step is the count of literals, the literals, the length of a copy, and,
//! where that length is not zero, the distance of the copied numbers back from the end of what is unpacked so far. A
//! copy may overlap its own result, so that a distance of one repeats a number. The sequence ends with the table.

/// The lower limit for the length of a copy: a copy of fewer numbers takes more room than the numbers themselves.
const SHORTEST_COPY: usize = 4;
/// The largest literal count, copy length and copy distance that a step of a packed table can hold.
const LARGEST: usize = u16::MAX as usize;
const HASH_BITS: u32 = 16;

/// Packs a table: each sequence of numbers becomes a copy of its latest occurrence, where there is one.
pub fn pack(table: &[u16]) -> Vec<u16> {
    let mut packed = Vec::new();
    let mut latest = vec![usize::MAX; 1 << HASH_BITS];
    let (mut literals, mut at) = (0, 0);
    while at < table.len() {
        let (length, distance) = copy_at(table, at, &mut latest);
        if length < SHORTEST_COPY {
            at += 1;
            if at - literals == LARGEST {
                push_step(&mut packed, &table[literals..at], 0, 0);
                literals = at;
            }
            continue;
        }
        push_step(&mut packed, &table[literals..at], length, distance);
        for inner in at + 1..at + length {
            remember(table, inner, &mut latest);
        }
        at += length;
        literals = at;
    }
    if literals < at {
        push_step(&mut packed, &table[literals..], 0, 0);
    }
    packed
}

/// The length and distance of the copy that can replace the numbers from index `at` on. The only candidate is the
/// latest earlier index whose numbers have the same hash.
fn copy_at(table: &[u16], at: usize, latest: &mut [usize]) -> (usize, usize) {
    let candidate = remember(table, at, latest);
    if candidate >= at || at - candidate > LARGEST {
        return (0, 0);
    }
    let pairs = table[candidate..].iter().zip(&table[at..]).take(LARGEST);
    (pairs.take_while(|(before, now)| before == now).count(), at - candidate)
}

/// Stores index `at` under the hash of the numbers that begin there, and returns the index that was stored under this
/// hash before.
fn remember(table: &[u16], at: usize, latest: &mut [usize]) -> usize {
    let Some(numbers) = table.get(at..at + SHORTEST_COPY) else { return usize::MAX };
    let key = numbers.iter().fold(0_u64, |key, number| key << 16 | u64::from(*number));
    let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - HASH_BITS);
    std::mem::replace(&mut latest[hash as usize], at)
}

fn push_step(packed: &mut Vec<u16>, literals: &[u16], length: usize, distance: usize) {
    // Both callers keep the count, the length and the distance within `LARGEST`.
    packed.push(literals.len() as u16);
    packed.extend_from_slice(literals);
    packed.push(length as u16);
    if length > 0 {
        packed.push(distance as u16);
    }
}

/// Unpacks a packed table, as `unpack.c` does; `None` where the packed table is damaged.
pub fn unpack(packed: &[u16]) -> Option<Vec<u16>> {
    let mut table: Vec<u16> = Vec::new();
    let mut rest = packed;
    while let Some((count, after)) = rest.split_first() {
        let (literals, after) = after.split_at_checked(usize::from(*count))?;
        table.extend_from_slice(literals);
        let (length, after) = after.split_first()?;
        rest = after;
        if *length > 0 {
            let (distance, after) = after.split_first()?;
            rest = after;
            let start = table.len().checked_sub(usize::from(*distance))?;
            for index in start..start + usize::from(*length) {
                table.push(*table.get(index)?);
            }
        }
    }
    Some(table)
}
