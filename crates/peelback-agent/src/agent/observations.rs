//! What an agent looked at: what is left of a run that ended before the model summed it up.

use std::collections::HashMap;

use serde_json::Value;

use crate::citations::Reference;

/// A file that an answer showed something of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Observation {
    pub path: String,
    /// How closely.
    pub weight: u32,
    /// The lines that were read, and what they are.
    pub place: Option<(u32, u32, String)>,
}

/// Hits of a search that count as looked at.
const HITS: usize = 5;

/// Files that are listed for a run that named none.
const MOST_PATHS: usize = 12;

/// Places that are listed for a run that named none.
const MOST_PLACES: usize = 30;

const FOUND: u32 = 1;
const OUTLINED: u32 = 4;
const READ: u32 = 8;

/// The files that the answer of a tool shows. Paths are as the call or the answer writes them.
pub(super) fn observations_of(tool: &str, arguments: &Value, text: &str) -> Vec<Observation> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let observation = |path: String, weight| Observation { path, weight, place: None };
    match tool {
        "find_files" => {
            let hits = text.lines().filter_map(|line| Some(line.split_once("  score ")?.0.to_owned()));
            hits.take(HITS).map(|path| observation(path, FOUND)).collect()
        }
        "outline" => argument("path").map(|path| observation(path, OUTLINED)).into_iter().collect(),
        "read_file" => argument("path").map(|path| observation(path, READ)).into_iter().collect(),
        "dependencies" => argument("path").map(|path| observation(path, FOUND)).into_iter().collect(),
        "read_lines" => lines_read(text),
        "read_symbol" => text.lines().filter_map(symbol_read).collect(),
        "find_references" => {
            let defined = || argument("name")?.rsplit_once(':').map(|(path, _)| path.to_owned());
            argument("path").or_else(defined).map(|path| observation(path, OUTLINED)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// `src/a.rs: lines 1-20, 90 of 800`.
fn lines_read(text: &str) -> Vec<Observation> {
    let verdict = text.lines().next().unwrap_or("");
    let Some((path, lines)) = verdict.rsplit_once(": lines ") else { return Vec::new() };
    let Some((lines, _)) = lines.split_once(" of ") else { return Vec::new() };
    let place = |part: &str| {
        let (first, last) = range(part)?;
        Some(Observation { path: path.to_owned(), weight: READ, place: Some((first, last, String::new())) })
    };
    lines.split(", ").filter_map(place).collect()
}

/// `method Cart.total  lines 12-20  ~73 tokens  id src/cart.py:Cart.total`.
fn symbol_read(line: &str) -> Option<Observation> {
    let (row, id) = line.rsplit_once("  id ")?;
    let (path, name) = id.rsplit_once(':')?;
    let (title, rest) = row.split_once("  line")?;
    if !title.ends_with(name.rsplit('.').next()?) {
        return None;
    }
    let lines = rest.trim_start_matches('s').split_whitespace().next()?;
    let (first, last) = range(lines)?;
    Some(Observation { path: path.to_owned(), weight: READ, place: Some((first, last, title.to_owned())) })
}

/// `3-9` or `3`.
fn range(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.trim().split_once('-').unwrap_or((text.trim(), text.trim()));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first >= 1 && first <= last).then_some((first, last))
}

/// The files that were looked at, the most used first, of one use the earliest.
pub(super) fn paths_by_use(observations: &[Observation]) -> Vec<String> {
    let mut weights: HashMap<&str, (u32, usize)> = HashMap::new();
    for (order, observation) in observations.iter().enumerate() {
        weights.entry(&observation.path).or_insert((0, order)).0 += observation.weight;
    }
    let mut paths: Vec<(&str, u32, usize)> =
        weights.into_iter().map(|(path, (weight, order))| (path, weight, order)).collect();
    paths.sort_by_key(|(_, weight, order)| (std::cmp::Reverse(*weight), *order));
    paths.into_iter().take(MOST_PATHS).map(|(path, ..)| path.to_owned()).collect()
}

/// The places that were read.
pub(super) fn places(observations: &[Observation]) -> Vec<Reference> {
    let mut places: Vec<Reference> = Vec::new();
    for observation in observations {
        let Some((line_start, line_end, title)) = &observation.place else { continue };
        let (line_start, line_end) = (*line_start, *line_end);
        if places.iter().any(|known| known.path == observation.path && known.line_start == line_start) {
            continue;
        }
        let description =
            if title.is_empty() { "read by the agent".to_owned() } else { format!("read by the agent: {title}") };
        places.push(Reference { path: observation.path.clone(), line_start, line_end, description });
    }
    places.truncate(MOST_PLACES);
    places
}

/// Files whose outline was seen and nothing more.
pub(super) fn only_outlined(observations: &[Observation]) -> Vec<String> {
    let is_read =
        |path: &str| observations.iter().any(|observation| observation.path == path && observation.weight == READ);
    let mut paths: Vec<String> = Vec::new();
    for observation in
        observations.iter().filter(|observation| observation.weight == OUTLINED && !is_read(&observation.path))
    {
        if !paths.contains(&observation.path) {
            paths.push(observation.path.clone());
        }
    }
    paths.truncate(MOST_PATHS);
    paths
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Observation, observations_of, only_outlined, paths_by_use, places};

    fn seen() -> Vec<Observation> {
        let answers = [
            (
                "find_files",
                json!({ "query": "x" }),
                "2 files for: x\n\na.py  score 1.60  ~9 tokens\nb.py  score 1.1  ~9\n",
            ),
            ("outline", json!({ "path": "b.py" }), "b.py: python"),
            (
                "read_symbol",
                json!({ "name": "total" }),
                "1 symbol\n\nmethod Cart.total  lines 3-9  ~7 tokens  id c.py:Cart.total\nbody, lines 3-9:\n x  id 7:3\n",
            ),
            ("read_lines", json!({ "path": "c.py" }), "c.py: lines 1-2, 40 of 80\n\n1: x\n"),
        ];
        answers.into_iter().flat_map(|(tool, arguments, text)| observations_of(tool, &arguments, text)).collect()
    }

    #[test]
    fn what_was_read_counts_most() {
        assert_eq!(paths_by_use(&seen()), ["c.py", "b.py", "a.py"]);
        assert_eq!(only_outlined(&seen()), ["b.py"]);
    }

    #[test]
    fn what_was_read_is_a_place() {
        let places: Vec<_> = places(&seen())
            .into_iter()
            .map(|place| format!("{}:{}-{} {}", place.path, place.line_start, place.line_end, place.description))
            .collect();
        let wanted = [
            "c.py:3-9 read by the agent: method Cart.total",
            "c.py:1-2 read by the agent",
            "c.py:40-40 read by the agent",
        ];
        assert_eq!(places, wanted);
    }
}
