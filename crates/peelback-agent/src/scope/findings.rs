//! The findings of an exploration of the code, which are the input for the model that writes the document. Pipeline and
//! agent return them in the same form.

use std::collections::HashSet;

use peelback_tokens::text::first_chars;

use crate::citations::Reference;
use crate::limits;

/// A symbol whose body must be in the request to the model that writes the document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequestedSymbol {
    /// The path of the symbol's file, relative to the project's root.
    pub path: String,
    /// The qualified name of the symbol.
    pub name: String,
}

/// The files, symbols, insights and code references that an exploration of the code found.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The paths of the relevant files without duplicates, the most important first.
    pub files: Vec<String>,
    /// The symbols whose bodies must be in the request to the model that writes the document, without duplicates.
    pub symbols: Vec<RequestedSymbol>,
    /// The symbols of which the exploring model was told that the writing model gets their whole bodies: a part of
    /// `symbols`. Their bodies together fit the request that writes the document.
    pub promised: Vec<RequestedSymbol>,
    /// The insights of the exploring model so far, in order.
    pub insights: Vec<String>,
    /// The code references that the document should cite, without duplicates.
    pub references: Vec<Reference>,
    /// The questions that the exploration could not answer.
    pub open_questions: Vec<String>,
    /// The reason why the exploration ended early; `None` where it finished.
    pub unfinished: Option<String>,
}

impl Findings {
    /// Adds a file to the relevant files unless they contain it.
    pub fn add_file(&mut self, path: &str) {
        if !path.is_empty() && !self.files.iter().any(|known| known == path) {
            self.files.push(path.to_owned());
        }
    }

    /// Adds a symbol and its file to the findings unless the findings contain them.
    pub fn add_symbol_and_its_file(&mut self, path: &str, name: &str) {
        self.add_file(path);
        let wanted = RequestedSymbol { path: path.to_owned(), name: name.to_owned() };
        if !self.symbols.contains(&wanted) {
            self.symbols.push(wanted);
        }
    }

    /// Adds an insight of the model unless the findings contain it.
    pub fn add_insight(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() && !self.insights.iter().any(|known| known == text) {
            self.insights.push(text.to_owned());
        }
    }

    /// Adds code references to the findings. Of two references with the same path and first line, the first one stays.
    pub fn add_code_references(&mut self, references: impl IntoIterator<Item = Reference>) {
        let mut known: HashSet<(String, u32)> =
            self.references.iter().map(|known| (known.path.clone(), known.line_start)).collect();
        for reference in references {
            if known.insert((reference.path.clone(), reference.line_start)) {
                self.references.push(reference);
            }
        }
    }

    /// The insights as one text of at most [`limits::INSIGHT_CHARS`] characters. The latest insights are kept, since
    /// they are based on the most code.
    pub fn latest_insights_within_limit(&self) -> String {
        let mut kept: Vec<&str> = Vec::new();
        let mut room = limits::INSIGHT_CHARS;
        for insight in self.insights.iter().rev() {
            let chars = insight.chars().count() + 2;
            if chars > room {
                // An insight that alone exceeds the limit is cut: its beginning is more useful than no insight.
                if kept.is_empty() {
                    kept.push(first_chars(insight, room));
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
        findings.add_symbol_and_its_file("a.py", "A.run");
        findings.add_symbol_and_its_file("a.py", "A.run");
        findings.add_file("a.py");
        findings.add_code_references([place(4, "first"), place(4, "again"), place(9, "other")]);
        findings.add_code_references([place(9, "again")]);
        assert_eq!(findings.files, ["a.py"]);
        assert_eq!(findings.symbols.len(), 1);
        let insights: Vec<&str> = findings.references.iter().map(|reference| reference.description.as_str()).collect();
        assert_eq!(insights, ["first", "other"]);
    }

    #[test]
    fn the_latest_insights_stay() {
        let mut findings = Findings::default();
        for number in 0..100 {
            findings.add_insight(&format!("{number}: {}", "é".repeat(200)));
        }
        let insights = findings.latest_insights_within_limit();
        assert!(insights.chars().count() <= limits::INSIGHT_CHARS);
        assert!(insights.contains("99: "), "{insights}");
        assert!(!insights.contains("\n0: ") && !insights.starts_with("0: "), "{insights}");
        findings.insights = vec!["ü".repeat(10_000)];
        assert_eq!(findings.latest_insights_within_limit().chars().count(), limits::INSIGHT_CHARS);
    }
}
