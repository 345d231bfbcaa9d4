//! The fair division of a limit among texts of different lengths.

/// Divides `room` among texts that want `wanted` each: a text that wants no more than an equal share gets all that it
/// wants, and what it leaves is divided among the longer ones. The shares are in the order of `wanted`; their sum is at
/// most `room`.
pub(crate) fn fair_shares(wanted: &[usize], room: usize) -> Vec<usize> {
    let mut order: Vec<(usize, usize)> = wanted.iter().copied().enumerate().collect();
    order.sort_by_key(|(_, wanted)| *wanted);
    let mut shares = vec![0; wanted.len()];
    let (mut left, mut room) = (wanted.len(), room);
    for (index, wanted) in order {
        let share = wanted.min(room / left.max(1));
        if let Some(place) = shares.get_mut(index) {
            *place = share;
        }
        room -= share;
        left -= 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::fair_shares;

    #[test]
    fn short_texts_stay_whole_and_long_ones_share_the_rest() {
        assert_eq!(fair_shares(&[100, 900, 5_000, 7_000], 6_000), [100, 900, 2_500, 2_500]);
        assert_eq!(fair_shares(&[100, 200], 6_000), [100, 200]);
        assert_eq!(fair_shares(&[], 10), [0_usize; 0]);
        assert_eq!(fair_shares(&[7, 7, 7], 10), [3, 3, 4]);
    }
}
