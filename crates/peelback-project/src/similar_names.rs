//! Finds the existing names that are most similar to a name that does not exist.

/// The limit on the characters of names that are compared. Comparing takes time in proportion to the product of the
/// lengths of both names, and nobody mistypes a longer name.
const MAX_COMPARED_CHARS: usize = 100;

/// The limit on the bytes of a name of [`MAX_COMPARED_CHARS`] characters.
const MAX_COMPARED_BYTES: usize = 4 * MAX_COMPARED_CHARS;

/// Up to `count` of `candidates` that resemble `wanted`, best first, ties in alphabetical order.
///
/// The similarity is Jaro-Winkler on lower-case names, with a bonus if one name contains most of the other. Below 0.7,
/// names have little in common (`strsim`'s documentation puts typing errors above 0.8). A name of more than 100
/// characters resembles none. The time is in proportion to the number of candidates: a caller that has a great number
/// ends the iterator where its call must end.
pub fn find_similar_names<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<String> {
    if !is_short_enough_to_compare(wanted) {
        return Vec::new();
    }
    let wanted = wanted.to_lowercase();
    let wanted_chars = wanted.chars().count();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            if !is_short_enough_to_compare(candidate) {
                return None;
            }
            let lowercase = candidate.to_lowercase();
            let chars = lowercase.chars().count();
            // A name of one or two letters resembles the start of too many names.
            if chars * 3 < wanted_chars {
                return None;
            }
            let mut score = strsim::jaro_winkler(&wanted, &lowercase);
            if wanted.len() >= 3 && lowercase.len() >= 3 && (lowercase.contains(&wanted) || wanted.contains(&lowercase))
            {
                score += 0.2 * wanted.len().min(lowercase.len()) as f64 / wanted.len().max(lowercase.len()) as f64;
            }
            // A letter omitted, doubled or swapped in a short name; Jaro-Winkler rates such names as different.
            if wanted_chars >= 3 && chars.abs_diff(wanted_chars) <= 1 && strsim::osa_distance(&wanted, &lowercase) == 1
            {
                score = score.max(0.9);
            }
            (score >= 0.7).then_some((score, candidate))
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(count).map(|(_, name)| name.to_owned()).collect()
}

fn is_short_enough_to_compare(name: &str) -> bool {
    name.len() <= MAX_COMPARED_BYTES && name.chars().count() <= MAX_COMPARED_CHARS
}

#[cfg(test)]
mod tests {
    use super::find_similar_names;

    #[test]
    fn typing_errors_find_their_name() {
        let names = ["components", "contexts", "hooks"];
        assert_eq!(find_similar_names("compnents", names, 1), ["components"]);
        assert_eq!(find_similar_names("scr", ["docs", "src"], 1), ["src"]);
        assert_eq!(find_similar_names("zzz", names, 3), Vec::<String>::new());
    }

    #[test]
    fn the_length_of_a_name_costs_no_time() {
        let long = "f".repeat(2_000_000);
        let candidates = vec![long.as_str(); 10_000];
        let began = std::time::Instant::now();
        assert_eq!(find_similar_names(&long, ["f", "ff"], 1), Vec::<String>::new());
        assert_eq!(find_similar_names("ffff", candidates, 1), Vec::<String>::new());
        assert!(began.elapsed().as_secs() < 2, "{:?}", began.elapsed());
        let longest = "f".repeat(100);
        assert_eq!(find_similar_names(&longest, [longest.as_str()], 1), [longest.as_str()]);
    }
}
