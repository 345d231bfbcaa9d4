//! What exploration found: what a document is written from, whoever explored.

use std::collections::HashSet;

use crate::citations::Reference;
use crate::limits;

/// A symbol that is to be read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// The file, relative to the root.
    pub path: String,
    /// The qualified name.
    pub name: String,
}

/// What was found on the way to an answer.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The files that matter, the most important first, none twice.
    pub files: Vec<String>,
    /// The symbols that are to be read, none twice.
    pub symbols: Vec<Wanted>,
    /// What was understood, in order.
    pub insights: Vec<String>,
    /// Places worth citing, none twice.
    pub references: Vec<Reference>,
    /// What is not known.
    pub open_questions: Vec<String>,
    /// Why exploration ended before it was done; `None` where it was done.
    pub unfinished: Option<String>,
}

impl Findings {
    /// Adds a file.
    pub fn file(&mut self, path: &str) {
        if !path.is_empty() && !self.files.iter().any(|known| known == path) {
            self.files.push(path.to_owned());
        }
    }

    /// Adds a symbol, and its file.
    pub fn symbol(&mut self, path: &str, name: &str) {
        self.file(path);
        let wanted = Wanted { path: path.to_owned(), name: name.to_owned() };
        if !self.symbols.contains(&wanted) {
            self.symbols.push(wanted);
        }
    }

    /// Adds what was understood.
    pub fn insight(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() && !self.insights.iter().any(|known| known == text) {
            self.insights.push(text.to_owned());
        }
    }

    /// Adds places; of two with the same path and first line, the first stays.
    pub fn refer(&mut self, references: impl IntoIterator<Item = Reference>) {
        let mut known: HashSet<(String, u32)> =
            self.references.iter().map(|known| (known.path.clone(), known.line_start)).collect();
        for reference in references {
            if known.insert((reference.path.clone(), reference.line_start)) {
                self.references.push(reference);
            }
        }
    }

    /// The insights as one text of at most [`limits::INSIGHT_CHARS`] characters; the latest know most, and stay.
    pub fn told(&self) -> String {
        let mut kept: Vec<&str> = Vec::new();
        let mut room = limits::INSIGHT_CHARS;
        for insight in self.insights.iter().rev() {
            let chars = insight.chars().count() + 2;
            if chars > room {
                // Of one that is too long by itself, its beginning is better than nothing.
                if kept.is_empty() {
                    let end = insight.char_indices().nth(room).map_or(insight.len(), |(at, _)| at);
                    kept.extend(insight.get(..end));
                }
                break;
            }
            room -= chars;
            kept.push(insight);
        }
        kept.reverse();
        kept.join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32, description: &str) -> Reference {
        Reference { path: "a.py".to_owned(), line_start: line, line_end: line + 3, description: description.to_owned() }
    }

    #[test]
    fn nothing_is_found_twice() {
        let mut findings = Findings::default();
        findings.symbol("a.py", "A.run");
        findings.symbol("a.py", "A.run");
        findings.file("a.py");
        findings.refer([place(4, "first"), place(4, "again"), place(9, "other")]);
        findings.refer([place(9, "again")]);
        assert_eq!(findings.files, ["a.py"]);
        assert_eq!(findings.symbols.len(), 1);
        let told: Vec<&str> = findings.references.iter().map(|reference| reference.description.as_str()).collect();
        assert_eq!(told, ["first", "other"]);
    }

    #[test]
    fn the_latest_insights_stay() {
        let mut findings = Findings::default();
        for number in 0..100 {
            findings.insight(&format!("{number}: {}", "é".repeat(200)));
        }
        let told = findings.told();
        assert!(told.chars().count() <= limits::INSIGHT_CHARS);
        assert!(told.contains("99: "), "{told}");
        assert!(!told.contains("\n0: ") && !told.starts_with("0: "), "{told}");
        findings.insights = vec!["ü".repeat(10_000)];
        assert_eq!(findings.told().chars().count(), limits::INSIGHT_CHARS);
    }
}
