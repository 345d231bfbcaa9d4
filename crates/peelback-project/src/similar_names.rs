//! Finds the existing names that are most similar to a name that does not exist.

/// Up to `count` of `candidates` that resemble `wanted`, best first, ties in alphabetical order.
///
/// The similarity is Jaro-Winkler on lower-case names, with a bonus if one name contains most of the other. Below 0.7,
/// names have little in common (`strsim`'s documentation puts typing errors above 0.8).
pub fn find_similar_names<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let lowercase = candidate.to_lowercase();
            let mut score = strsim::jaro_winkler(&wanted, &lowercase);
            if wanted.len() >= 3 && lowercase.len() >= 3 && (lowercase.contains(&wanted) || wanted.contains(&lowercase))
            {
                score += 0.2 * wanted.len().min(lowercase.len()) as f64 / wanted.len().max(lowercase.len()) as f64;
            }
            // A letter omitted, doubled or swapped in a short name; Jaro-Winkler rates such names as different.
            if wanted.chars().count() >= 3 && strsim::osa_distance(&wanted, &lowercase) == 1 {
                score = score.max(0.9);
            }
            // A name of one or two letters resembles the start of too many names.
            if lowercase.chars().count() * 3 < wanted.chars().count() {
                return None;
            }
            (score >= 0.7).then_some((score, candidate))
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(count).map(|(_, name)| name.to_owned()).collect()
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
}
