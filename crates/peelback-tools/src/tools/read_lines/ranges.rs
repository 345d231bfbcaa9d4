//! Ranges of lines: how they are written, which lines they name, and how many lines of each are shown.

use std::collections::{BTreeMap, HashMap};

use peelback_code::SourceFile;

use crate::arguments::MAX_TEXT_CHARS;
use crate::counts::{format_count_with_noun, format_line_range};

/// A range of lines of one of the files of a call. Lines count from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineRange {
    /// The number of the file among the files of the call, from 0.
    pub file: usize,
    pub first: u32,
    pub last: u32,
}

impl LineRange {
    /// The number of lines.
    pub fn line_count(self) -> usize {
        self.last.saturating_add(1).saturating_sub(self.first) as usize
    }

    /// The range without its first lines; `None` where no line is left.
    pub fn after_first_lines(self, lines: usize) -> Option<Self> {
        let first = u32::try_from(lines).ok().and_then(|lines| self.first.checked_add(lines))?;
        (first <= self.last).then_some(Self { first, ..self })
    }
}

/// Ranges of a file that begin behind its last line.
pub(super) struct PastEnd {
    /// The number of the file among the files of the call, from 0.
    pub file: usize,
    /// The ranges as the call has them, with commas between them.
    pub ranges: String,
}

impl PastEnd {
    /// What is said of the ranges, which are of `file`.
    pub fn describe(&self, file: &SourceFile) -> String {
        let lines = format_count_with_noun(file.line_count() as usize, "line", "lines");
        format!("{} has {lines}; past its end: {}", file.path, self.ranges)
    }
}

/// Parses a line range: `10-40`, `10:40`, `L10-L40`, `10-` (to the end), `-40` (from the start) or `10`.
pub(super) fn parse_line_range(part: &str) -> Option<(u32, u32)> {
    let number = |text: &str| {
        let line = text.trim().trim_start_matches(['L', 'l']).parse::<u64>().ok().filter(|line| *line > 0)?;
        // No file has as many lines.
        Some(u32::try_from(line).unwrap_or(u32::MAX))
    };
    let part = part.trim();
    match part.split_once(['-', ':', '–']) {
        Some((first, last)) => {
            let first = if first.trim().is_empty() { 1 } else { number(first)? };
            let last = if last.trim().is_empty() { u32::MAX } else { number(last)? };
            (first <= last && part.len() > 1).then_some((first, last))
        }
        None => number(part).map(|line| (line, line)),
    }
}

/// Whether a text is one range of lines or several, with commas between them.
pub(super) fn is_list_of_line_ranges(text: &str) -> bool {
    text.split(',').all(|part| parse_line_range(part).is_some())
}

/// The same lines in the same order, each at its first place only.
pub(super) fn without_repeated_lines(ranges: &[LineRange]) -> Vec<LineRange> {
    // The ranges of each file so far, by their first lines; none overlap.
    let mut known_of_files: HashMap<usize, BTreeMap<u32, u32>> = HashMap::new();
    let mut distinct = Vec::with_capacity(ranges.len());
    for &LineRange { file, first, last } in ranges {
        let known = known_of_files.entry(file).or_default();
        // What is left of the range, from its beginning.
        let mut next = Some(first);
        while let Some(start) = next.filter(|start| *start <= last) {
            if let Some((_, end)) = known.range(..=start).next_back().filter(|(_, end)| **end >= start) {
                next = end.checked_add(1);
                continue;
            }
            let next_known = known.range(start..=last).next().map(|(first, _)| *first);
            let end = next_known.map_or(last, |first| first - 1);
            distinct.push(LineRange { file, first: start, last: end });
            next = next_known;
            // An unknown part that adjoins the last one lengthens it, so that ranges that grow stay few.
            match known.range_mut(..start).next_back().filter(|(_, known_end)| **known_end + 1 == start) {
                Some((_, known_end)) => *known_end = end,
                None => {
                    known.insert(start, end);
                }
            }
        }
    }
    distinct
}

/// The ranges without the lines before the one at `offset`, and without those after the next `max_lines`.
pub(super) fn ranges_of_page(ranges: &[LineRange], offset: usize, max_lines: usize) -> Vec<LineRange> {
    let (mut skipped, mut left) = (offset, max_lines);
    let mut page = Vec::new();
    for range in ranges {
        let skip = skipped.min(range.line_count());
        skipped -= skip;
        let Some(rest) = range.after_first_lines(skip) else { continue };
        let taken = left.min(rest.line_count());
        left -= taken;
        if taken == 0 {
            break;
        }
        let last = u32::try_from(taken - 1).ok().and_then(|lines| rest.first.checked_add(lines));
        page.push(LineRange { last: last.unwrap_or(rest.last).min(rest.last), ..rest });
    }
    page
}

/// Ranges of one file as few texts, each within the limit of an argument. Those that adjoin are one, and `prefix`, which
/// names a file, begins each text.
pub(super) fn texts_of_ranges(prefix: &str, ranges: impl IntoIterator<Item = (u32, u32)>) -> Vec<String> {
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for (first, last) in ranges {
        match joined.last_mut().filter(|(_, end)| end.checked_add(1) == Some(first)) {
            Some((_, end)) => *end = last,
            None => joined.push((first, last)),
        }
    }
    let mut texts: Vec<String> = Vec::new();
    for (first, last) in joined {
        let range = format_line_range(first, last);
        match texts.last_mut().filter(|text| text.len() + 1 + range.len() <= MAX_TEXT_CHARS) {
            Some(text) => {
                text.push(',');
                text.push_str(&range);
            }
            None => texts.push(format!("{prefix}{range}")),
        }
    }
    texts
}

/// Ranges of one file as few texts; `None` where `given` says the same and is no longer.
pub(super) fn shorter_texts_of_ranges(ranges: &[LineRange], given: &[String]) -> Option<Vec<String>> {
    let texts = texts_of_ranges("", ranges.iter().map(|range| (range.first, range.last)));
    let length = |texts: &[String]| texts.iter().map(|text| text.len() + 1).sum::<usize>();
    (length(&texts) < length(given)).then_some(texts)
}

/// `total` shared fairly: each gets what it asks for, unless it asks for more than an equal share of what those that ask for
/// less leave.
pub(super) fn fair_shares(asked: &[usize], total: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..asked.len()).collect();
    order.sort_by_key(|index| asked.get(*index));
    let mut shares = vec![0; asked.len()];
    let mut rest = total;
    for (place, index) in order.into_iter().enumerate() {
        let equal_share = rest / (asked.len() - place);
        let share = asked.get(index).copied().unwrap_or(0).min(equal_share);
        if let Some(own) = shares.get_mut(index) {
            *own = share;
        }
        rest -= share;
    }
    shares
}

/// How many items of each list are kept so that all of them cost at most `total`: fair shares, and of each list the
/// beginning. Where not even one item of each fits, those of the first lists are kept.
pub(super) fn fair_counts_within_cost(costs: &[Vec<usize>], total: usize) -> Vec<usize> {
    let first_costs: Vec<usize> = costs.iter().map(|costs| costs.first().copied().unwrap_or(0)).collect();
    let Some(rest) = total.checked_sub(first_costs.iter().sum()) else {
        let mut left = Some(total);
        let keep_first = |cost: &usize| {
            left = left.and_then(|left| left.checked_sub(*cost));
            usize::from(left.is_some() && *cost > 0)
        };
        return first_costs.iter().map(keep_first).collect();
    };
    let asked: Vec<usize> = costs.iter().map(|costs| costs.iter().skip(1).sum()).collect();
    let shares = fair_shares(&asked, rest);
    let count_within = |(costs, share): (&Vec<usize>, usize)| {
        let mut left = share;
        let fits = |cost: &&usize| match left.checked_sub(**cost) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        costs.len().min(1) + costs.iter().skip(1).take_while(fits).count()
    };
    costs.iter().zip(shares).map(count_within).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of_one_file(ranges: &[(u32, u32)]) -> Vec<LineRange> {
        ranges.iter().map(|(first, last)| LineRange { file: 0, first: *first, last: *last }).collect()
    }

    fn lines(ranges: &[LineRange]) -> Vec<(usize, u32)> {
        ranges.iter().flat_map(|range| (range.first..=range.last).map(|line| (range.file, line))).collect()
    }

    /// The lines of ranges in order, each once.
    fn distinct_lines(ranges: &[LineRange]) -> Vec<(usize, u32)> {
        let mut seen = std::collections::HashSet::new();
        lines(ranges).into_iter().filter(|line| seen.insert(*line)).collect()
    }

    proptest! {
        #[test]
        fn each_line_is_shown_once_where_it_is_named_first(
            ranges in prop::collection::vec((0_usize..3, 1_u32..40, 0_u32..20), 0..12),
            offset in 0_usize..50,
            max_lines in 0_usize..50,
        ) {
            let range = |(file, first, more): (usize, u32, u32)| LineRange { file, first, last: first + more };
            let ranges: Vec<LineRange> = ranges.into_iter().map(range).collect();
            let distinct = without_repeated_lines(&ranges);
            prop_assert_eq!(lines(&distinct), distinct_lines(&ranges));
            let page: Vec<(usize, u32)> = lines(&distinct).into_iter().skip(offset).take(max_lines).collect();
            prop_assert_eq!(lines(&ranges_of_page(&distinct, offset, max_lines)), page);
        }

        #[test]
        fn shares_are_fair(asked in prop::collection::vec(0_usize..50, 1..12), total in 0_usize..300) {
            let shares = fair_shares(&asked, total);
            let given: usize = shares.iter().sum();
            prop_assert!(given <= total && given + asked.len() > total.min(asked.iter().sum()));
            // Who gets less than it asked for gets at least as much as anybody, but for the rest of a division.
            let most = shares.iter().max().copied().unwrap_or(0);
            for (share, asked) in shares.iter().zip(&asked) {
                prop_assert!(share == asked || share + 1 >= most && share < asked, "{shares:?}");
            }
        }

        #[test]
        fn each_list_keeps_its_beginning(
            costs in prop::collection::vec(prop::collection::vec(1_usize..20, 1..12), 1..8),
            total in 0_usize..300,
        ) {
            let counts = fair_counts_within_cost(&costs, total);
            let kept: usize = costs.iter().zip(&counts).flat_map(|(costs, count)| &costs[..*count]).sum();
            prop_assert!(kept <= total);
            if costs.iter().map(|costs| costs[0]).sum::<usize>() <= total {
                prop_assert!(counts.iter().all(|count| *count > 0));
            }
            if costs.iter().flatten().sum::<usize>() <= total {
                prop_assert!(costs.iter().zip(&counts).all(|(costs, count)| costs.len() == *count));
            }
        }
    }

    #[test]
    fn short_lists_are_whole_before_long_ones_are_cut() {
        assert_eq!(fair_shares(&[400, 10, 300, 5], 315), [150, 10, 150, 5]);
        assert_eq!(
            fair_counts_within_cost(&[vec![1; 400], vec![1; 10], vec![1; 300], vec![1; 5]], 315),
            [150, 10, 150, 5]
        );
        assert_eq!(fair_counts_within_cost(&[vec![3; 9], vec![3; 9], vec![3; 9]], 7), [1, 1, 0]);
    }

    #[test]
    fn the_call_of_the_next_page_is_within_the_limits_of_calls() {
        let lines: Vec<u32> = (1..4_000).step_by(2).collect();
        let ranges = |lines: &[u32]| lines.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let given = [ranges(&lines), ranges(&lines)];
        let distinct: Vec<(u32, u32)> = lines.iter().map(|line| (*line, *line)).collect();
        let shorter = shorter_texts_of_ranges(&of_one_file(&distinct), &given).expect("each line stands there twice");
        assert_eq!(shorter.concat().matches(',').count() + shorter.len(), lines.len());
        assert!(shorter.len() < 5 && shorter.iter().all(|text| text.len() <= MAX_TEXT_CHARS), "{shorter:?}");
        // A range that earlier ones divide is shorter as it was given.
        assert_eq!(shorter_texts_of_ranges(&of_one_file(&distinct), &["1-4000".to_owned()]), None);
        assert_eq!(texts_of_ranges("a.rs:", [(1, 4), (5, 9), (11, 11)]), ["a.rs:1-9,11"]);
    }

    #[test]
    fn ranges_that_grow_stay_few() {
        let ranges: Vec<(u32, u32)> = (1..100_000).map(|last| (1, last)).collect();
        assert_eq!(without_repeated_lines(&of_one_file(&ranges)).len(), 99_999);
        assert_eq!(without_repeated_lines(&of_one_file(&[(1, 40_000); 5_000])), of_one_file(&[(1, 40_000)]));
        assert_eq!(
            without_repeated_lines(&of_one_file(&[(7, u32::MAX), (1, u32::MAX)])),
            of_one_file(&[(7, u32::MAX), (1, 6)])
        );
    }
}
