//! Places in the code that an agent looked at. They are the findings of a run that ended before the model submitted a
//! result.

use std::collections::HashMap;

use peelback_tools::{Location, ShownDetail};

use crate::citations::Reference;

/// The maximum number of search hits of one tool answer that count as observed: the first hits.
const MAX_FOUND: usize = 5;

/// The maximum number of observed files in the findings of a run whose model named no files.
const MOST_PATHS: usize = 12;

/// The maximum number of observed places in the findings of a run whose model cited no places.
const MOST_PLACES: usize = 30;

/// The weight of one observation for the order of the observed files. The more of a file the tool answer showed, the
/// higher the weight.
fn weight_of_shown_detail(closeness: ShownDetail) -> u32 {
    match closeness {
        ShownDetail::Listed => 0,
        ShownDetail::Found => 1,
        ShownDetail::Outlined | ShownDetail::Used => 4,
        ShownDetail::Read => 8,
    }
}

/// Keeps the places of a tool answer that count as observed. Places that only list a file among others are removed.
pub(super) fn keep_places_that_count_as_observed(places: Vec<Location>) -> Vec<Location> {
    let mut found = 0;
    let counts = |place: &Location| {
        found += usize::from(place.shown_detail == ShownDetail::Found);
        place.shown_detail > ShownDetail::Found || (place.shown_detail == ShownDetail::Found && found <= MAX_FOUND)
    };
    places.into_iter().filter(counts).collect()
}

/// The paths of the observed files, ordered by the sum of their observations' weights, the highest first. Files with
/// equal sums are in the order of their first observation.
pub(super) fn observed_paths_by_descending_weight(observations: &[Location]) -> Vec<String> {
    let mut weights: HashMap<&str, (u32, usize)> = HashMap::new();
    for (order, observation) in observations.iter().enumerate() {
        weights.entry(&observation.path).or_insert((0, order)).0 += weight_of_shown_detail(observation.shown_detail);
    }
    let mut paths: Vec<(&str, u32, usize)> =
        weights.into_iter().map(|(path, (weight, order))| (path, weight, order)).collect();
    paths.sort_by_key(|(_, weight, order)| (std::cmp::Reverse(*weight), *order));
    paths.into_iter().take(MOST_PATHS).map(|(path, ..)| path.to_owned()).collect()
}

/// The file lines that the agent read, as code references for a document.
pub(super) fn code_references_to_read_lines(observations: &[Location]) -> Vec<Reference> {
    let mut places: Vec<Reference> = Vec::new();
    for observation in observations {
        let Some((line_start, line_end)) = observation.lines else { continue };
        if places.iter().any(|known| known.path == observation.path && known.line_start == line_start) {
            continue;
        }
        let description = match observation.title.as_str() {
            "" => "read by the agent".to_owned(),
            title => format!("read by the agent: {title}"),
        };
        places.push(Reference { path: observation.path.clone(), line_start, line_end, description });
    }
    places.truncate(MOST_PLACES);
    places
}

/// The paths of the files of which the agent saw only an outline.
pub(super) fn paths_outlined_or_used_but_unread(observations: &[Location]) -> Vec<String> {
    let is_read = |path: &str| {
        observations.iter().any(|observation| observation.path == path && observation.shown_detail == ShownDetail::Read)
    };
    let mut paths: Vec<String> = Vec::new();
    for observation in observations {
        let is_outlined = matches!(observation.shown_detail, ShownDetail::Outlined | ShownDetail::Used);
        if is_outlined && !is_read(&observation.path) && !paths.contains(&observation.path) {
            paths.push(observation.path.clone());
        }
    }
    paths.truncate(MOST_PATHS);
    paths
}

#[cfg(test)]
mod tests {
    use peelback_tools::{Location, ShownDetail};

    use super::{
        code_references_to_read_lines, keep_places_that_count_as_observed, observed_paths_by_descending_weight,
        paths_outlined_or_used_but_unread,
    };

    fn place(path: &str, closeness: ShownDetail, lines: Option<(u32, u32)>, title: &str) -> Location {
        Location {
            path: path.to_owned(),
            shown_detail: closeness,
            lines,
            title: title.to_owned(),
            is_whole_text: false,
        }
    }

    fn observations() -> Vec<Location> {
        let places = vec![
            place("a.py", ShownDetail::Found, None, ""),
            place("b.py", ShownDetail::Found, None, ""),
            place("listed.py", ShownDetail::Listed, None, ""),
            place("b.py", ShownDetail::Outlined, None, ""),
            place("c.py", ShownDetail::Read, Some((3, 9)), "method Cart.total"),
            place("c.py", ShownDetail::Read, Some((1, 2)), ""),
            place("c.py", ShownDetail::Read, Some((40, 40)), ""),
        ];
        keep_places_that_count_as_observed(places)
    }

    #[test]
    fn files_that_were_read_count_most() {
        assert_eq!(observed_paths_by_descending_weight(&observations()), ["c.py", "b.py", "a.py"]);
        assert_eq!(paths_outlined_or_used_but_unread(&observations()), ["b.py"]);
    }

    #[test]
    fn only_the_first_hits_of_a_search_count() {
        let hits = (0..9).map(|index| place(&format!("{index}.py"), ShownDetail::Found, None, "")).collect();
        assert_eq!(keep_places_that_count_as_observed(hits).len(), 5);
    }

    #[test]
    fn lines_that_were_read_become_references() {
        let references: Vec<_> = code_references_to_read_lines(&observations())
            .into_iter()
            .map(|place| format!("{}:{}-{} {}", place.path, place.line_start, place.line_end, place.description))
            .collect();
        let expected = [
            "c.py:3-9 read by the agent: method Cart.total",
            "c.py:1-2 read by the agent",
            "c.py:40-40 read by the agent",
        ];
        assert_eq!(references, expected);
    }
}
