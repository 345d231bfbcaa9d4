//! The planned contents of an evidence document, and the steps that shrink the document to its token budget.

use std::collections::HashSet;
use std::fmt::Write as _;

use peelback_code::Completeness;
use peelback_tools::{Call, follow_up_call_builder};

use super::parts::{Body, KeyFile, ranking_completeness_remarks, without_line_breaks_backticks_and_pipes};
use crate::citations::Reference;
use crate::excerpt::Excerpt;
use crate::markdown::{
    format_code_block, format_count_with_unit, format_inline_code, format_path_and_lines, one_line,
    truncate_with_ellipsis,
};
use crate::retrieval::{Retrieved, Via};

/// The maximum number of characters of the question that the document repeats.
const TITLE: usize = 200;

/// The maximum number of dependencies between files that the document lists.
const LINKS: usize = 24;

/// The level of detail of an evidence document, apart from its number of symbol bodies and outlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Whole,
    /// Without the dependencies between files.
    Unlinked,
    /// Also without the reasons for listing each file.
    Rows,
    /// Also without the list of code references, and with only one suggested tool call.
    Names,
    /// Only one sentence and one suggested tool call.
    Verdict,
}

/// The contents of an evidence document at its current level of detail.
pub(super) struct EvidenceDocumentPlan<'a> {
    retrieved: &'a Retrieved,
    pub rows: Vec<KeyFile>,
    pub outlines: Vec<Excerpt>,
    pub bodies: Vec<Body>,
    detail: Detail,
    /// The numbers of key file rows, outlines and symbol bodies before the document was shrunk.
    before: (usize, usize, usize),
}

impl<'a> EvidenceDocumentPlan<'a> {
    pub fn new(retrieved: &'a Retrieved, rows: Vec<KeyFile>) -> Self {
        let detail = Detail::Whole;
        Self { retrieved, rows, outlines: Vec::new(), bodies: Vec::new(), detail, before: (0, 0, 0) }
    }

    /// Records the current numbers of key file rows, outlines and symbol bodies as the planned numbers.
    pub fn save_part_counts_before_trimming(&mut self) {
        self.before = (self.rows.len(), self.outlines.len(), self.bodies.len());
    }

    /// Removes the least important part of the document. Returns `false` if nothing is left to remove.
    pub fn remove_least_important_part(&mut self) -> bool {
        let (bodies, outlines, rows) = (self.bodies.len(), self.outlines.len(), self.rows.len());
        if outlines > self.before.1.div_ceil(2) {
            self.outlines.pop();
        } else if rows > 10 {
            self.rows.truncate(10);
        } else if outlines > 1 {
            self.outlines.pop();
        } else if self.detail == Detail::Whole {
            self.detail = Detail::Unlinked;
        } else if bodies > 3 {
            self.bodies.pop();
        } else if outlines > 0 {
            self.outlines.pop();
        } else if bodies > 2 {
            self.bodies.pop();
        } else if rows > 5 {
            self.rows.truncate(5);
        } else if bodies > 1 {
            self.bodies.pop();
        } else if self.detail == Detail::Unlinked {
            self.detail = Detail::Rows;
        } else if self.detail == Detail::Rows {
            self.detail = Detail::Names;
        } else if bodies > 0 {
            self.bodies.pop();
        } else if rows > 1 {
            self.rows.truncate(rows - 1);
        } else if self.detail == Detail::Names {
            self.detail = Detail::Verdict;
        } else {
            return false;
        }
        true
    }

    /// Sentences about the parts that were removed from the document.
    pub fn describe_removed_parts(&self) -> Vec<String> {
        let (rows, outlines, bodies) = self.before;
        let mut out = Vec::new();
        let mut missing = |before: usize, now: usize, one: &str, many: &str| {
            if now < before {
                out.push(format!("{} left out to fit the budget", format_count_with_unit(before - now, one, many)));
            }
        };
        missing(bodies, self.bodies.len(), "body is", "bodies are");
        missing(outlines, self.outlines.len(), "outline is", "outlines are");
        missing(rows, self.rows.len(), "file is", "files are");
        if self.detail > Detail::Unlinked {
            out.push("the reasons are left out to fit the budget".to_owned());
        } else if self.detail == Detail::Unlinked && self.has_dependencies_between_listed_files() {
            out.push("the imports between the files are left out to fit the budget".to_owned());
        }
        out
    }

    /// The code references that the document cites: at most one for each pair of path and first line.
    pub fn cited_locations(&self) -> Vec<Reference> {
        if self.detail == Detail::Verdict {
            return Vec::new();
        }
        let rows = self.rows.iter().filter_map(|row| {
            let (lines, description) = row.best.as_ref()?;
            Some(Reference {
                path: row.path.clone(),
                line_start: lines.first,
                line_end: lines.last,
                description: description.clone(),
            })
        });
        let bodies = self.bodies.iter().flat_map(|body| {
            let named = |reference: &Reference| Reference { description: body.title.clone(), ..reference.clone() };
            body.excerpt.references.iter().map(named).collect::<Vec<_>>()
        });
        let mut seen = HashSet::new();
        let mut all: Vec<Reference> = rows.chain(bodies).collect();
        all.retain(|reference| seen.insert((reference.path.clone(), reference.line_start)));
        // A line range inside another cited line range adds no information.
        let inside: Vec<bool> =
            all.iter().map(|one| all.iter().any(|other| is_containing_line_range(other, one))).collect();
        let mut inside = inside.into_iter();
        all.retain(|_| !inside.next().unwrap_or(false));
        all
    }

    pub fn render(&self) -> String {
        let mut out = String::new();
        self.write_summary(&mut out);
        if self.detail < Detail::Verdict {
            self.write_key_files_section(&mut out);
        }
        self.write_outlines_section(&mut out);
        self.write_symbol_bodies_section(&mut out);
        if self.detail == Detail::Whole {
            self.write_dependencies_between_listed_files(&mut out);
        }
        self.write_open_questions(&mut out);
        if self.detail < Detail::Names {
            self.write_code_references(&mut out);
        }
        out
    }

    fn write_summary(&self, out: &mut String) {
        let retrieved = self.retrieved;
        let question = truncate_with_ellipsis(&one_line(&retrieved.question), TITLE);
        let said = self.completeness_remarks();
        out.push_str("## Summary\n\n");
        if self.detail == Detail::Verdict {
            let files = format_count_with_unit(retrieved.matching_files, "file contains", "files contain");
            let best =
                self.rows.first().map_or(String::new(), |row| format!(", {} first", format_inline_code(&row.path)));
            let _ = writeln!(out, "{files} words of the question{best}; the rest did not fit the budget.");
            return;
        }
        let _ = writeln!(
            out,
            "This is not an answer to {}: it is what the ranking found for it, read from the files without a model.",
            format_inline_code(&question)
        );
        out.push('\n');
        if retrieved.candidates.is_empty() {
            out.push_str(&self.nothing_found_sentence());
        } else {
            out.push_str(&self.file_counts_sentence());
            out.push_str(&self.ranking_coverage_sentence());
        }
        if !said.is_empty() {
            out.push('\n');
            for remark in said {
                let _ = writeln!(out, "- {}", truncate_with_ellipsis(&one_line(&remark), 400));
            }
        }
    }

    /// Sentences about files that were skipped or withheld, and about parts that were left out of the document.
    fn completeness_remarks(&self) -> Vec<String> {
        let retrieved = self.retrieved;
        // That there was nothing to search for is what the document begins with.
        let mut said: Vec<String> =
            if retrieved.searched { ranking_completeness_remarks(&retrieved.evidence) } else { Vec::new() };
        let withheld: Vec<String> = retrieved
            .withheld
            .iter()
            .take(8)
            .map(|held| {
                format!(
                    "{} ({})",
                    format_inline_code(&held.path),
                    without_line_breaks_backticks_and_pipes(&held.reason)
                )
            })
            .collect();
        if !withheld.is_empty() {
            let more = retrieved.withheld.len().saturating_sub(withheld.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            said.push(format!("Not shown, because they may contain secrets: {}{more}", withheld.join(", ")));
        }
        said.extend(self.describe_removed_parts());
        said.truncate(if self.detail < Detail::Names { 12 } else { 2 });
        said
    }

    /// The words ` in …` for a sentence if only a part of the project was searched; otherwise an empty text.
    fn searched_scope_suffix(&self) -> String {
        let scope: Vec<String> = self.retrieved.scope.iter().take(4).map(|part| format_inline_code(part)).collect();
        let more = if self.retrieved.scope.len() > scope.len() { ", …" } else { "" };
        if scope.is_empty() { String::new() } else { format!(" in {}{more}", scope.join(", ")) }
    }

    /// The sentence for a question whose words no file contains.
    fn nothing_found_sentence(&self) -> String {
        let retrieved = self.retrieved;
        if !retrieved.searched {
            return "The question has no word to search for.\n".to_owned();
        }
        let words = if retrieved.keywords.is_empty() {
            "the question".to_owned()
        } else {
            format!("the words: {}", without_line_breaks_backticks_and_pipes(&retrieved.keywords.join(", ")))
        };
        let any = if retrieved.keywords.is_empty() { "any word of" } else { "any of" };
        format!(
            "No file{} contains {any} {words}. Files are found by their words: ask with words or names that the code \
             uses, in the language of the code.\n",
            self.searched_scope_suffix()
        )
    }

    /// The sentences with the numbers of matching files, listed files, and outlines and symbols shown.
    fn file_counts_sentence(&self) -> String {
        let retrieved = self.retrieved;
        let count = |is: fn(&Via) -> bool| self.rows.iter().filter(|row| is(&row.via)).count();
        let ranked = count(|via| *via == Via::Ranking);
        let named = count(|via| *via == Via::Name);
        let linked = count(|via| matches!(via, Via::Imports(_)));
        let mut out = format_count_with_unit(retrieved.matching_files, "file", "files");
        out.push_str(&self.searched_scope_suffix());
        out.push_str(if retrieved.matching_files == 1 { " holds" } else { " hold" });
        out.push_str(" some of its words");
        if !retrieved.keywords.is_empty() {
            let _ = write!(out, " ({})", without_line_breaks_backticks_and_pipes(&retrieved.keywords.join(", ")));
        }
        let mut listed: Vec<String> = Vec::new();
        match ranked {
            0 => {}
            1 if retrieved.matching_files == 1 => listed.push("it is listed".to_owned()),
            1 => listed.push("the best one is listed".to_owned()),
            _ if ranked == retrieved.matching_files => listed.push("all are listed, best first".to_owned()),
            _ => listed.push(format!("{ranked} are listed, best first")),
        }
        match named {
            0 => {}
            1 => listed.push("1 that defines a name of the question".to_owned()),
            _ => listed.push(format!("{named} that define names of the question")),
        }
        let they = if ranked == 1 { "it is" } else { "they are" };
        if linked > 0 {
            listed.push(format!("{linked} that {they} linked to by imports"));
        }
        if !listed.is_empty() {
            let _ = write!(out, "; {}", listed.join(", and "));
        }
        out.push('.');
        let mut shown: Vec<String> = Vec::new();
        match self.outlines.len() {
            0 => {}
            1 => shown.push("the outline of 1 file".to_owned()),
            files => shown.push(format!("the outlines of {files} files")),
        }
        if !self.bodies.is_empty() {
            shown.push(format!("the code of {}", format_count_with_unit(self.bodies.len(), "symbol", "symbols")));
        }
        if !shown.is_empty() {
            let _ = write!(out, " Shown below: {}.", shown.join(" and "));
        }
        out.push('\n');
        out
    }

    /// The sentence that says which files the ranking covered.
    fn ranking_coverage_sentence(&self) -> String {
        let retrieved = self.retrieved;
        let every = match retrieved.scope.is_empty() {
            true => "Every file of the project".to_owned(),
            false => format!("Every file{}", self.searched_scope_suffix()),
        };
        let by = "by words, names and imports";
        let how = match retrieved.evidence.completeness {
            Completeness::Complete => format!("{every} was ranked, {by}."),
            _ if retrieved.evidence.is_complete_except_withheld() => {
                format!("{every} was ranked, {by}, except those that are withheld.")
            }
            Completeness::LowerBound => format!("Files were ranked {by}, but not every file could be."),
            Completeness::Unknown => format!("Files were ranked {by}; it is not known whether all of them were."),
        };
        format!(
            "{how} A relevant file that uses other words can be missing, and a file can be listed only because it has the words.\n"
        )
    }

    fn write_key_files_section(&self, out: &mut String) {
        if self.rows.is_empty() {
            return;
        }
        out.push_str("\n## Key Files\n\n");
        for (number, row) in (1..).zip(&self.rows) {
            let shown = match &row.best {
                Some((lines, _)) => format_path_and_lines(&row.path, lines.first, lines.last),
                None => row.path.clone(),
            };
            let _ = write!(out, "{number}. {}", format_inline_code(&shown));
            if self.detail < Detail::Rows {
                let what = row.best.as_ref().map(|(_, what)| format_inline_code(what));
                let why = Some(row.why.clone()).filter(|why| !why.is_empty());
                let said: Vec<String> = what.into_iter().chain(why).collect();
                if !said.is_empty() {
                    let _ = write!(out, " — {}", said.join("; "));
                }
            }
            out.push('\n');
        }
        let linked = self.rows.iter().filter(|row| matches!(row.via, Via::Imports(_))).count();
        if linked > 0 && self.detail < Detail::Rows {
            let last = match linked {
                1 => "The last one has few of the words, or none; it is listed for its imports.".to_owned(),
                _ => format!("The last {linked} have few of the words, or none; they are listed for their imports."),
            };
            let _ = writeln!(out, "\n{last}");
        }
    }

    fn write_outlines_section(&self, out: &mut String) {
        if self.outlines.is_empty() {
            return;
        }
        out.push_str("\n## Outlines\n\nLines, signatures, and about how many tokens a body costs.\n");
        for excerpt in &self.outlines {
            out.push('\n');
            out.push_str(&format_code_block("text", &excerpt.text));
        }
    }

    fn write_symbol_bodies_section(&self, out: &mut String) {
        if self.bodies.is_empty() {
            return;
        }
        out.push_str("\n## Code\n");
        for body in &self.bodies {
            let shown = body.excerpt.references.first().map_or_else(
                || body.excerpt.path.clone(),
                |reference| format_path_and_lines(&reference.path, reference.line_start, reference.line_end),
            );
            let _ = writeln!(out, "\n### {}\n\n{}\n", format_inline_code(&body.title), format_inline_code(&shown));
            // The excerpt's first line repeats the path that the heading already names.
            let text = body.excerpt.text.split_once('\n').map_or("", |(_, rest)| rest);
            out.push_str(&format_code_block(body.language, text));
            if body.excerpt.left_out > 0 {
                let call = follow_up_call_builder().read_symbol_body_call(&body.id).to_command_from_project_root();
                let _ = writeln!(out, "\nThe rest: {}", format_inline_code(&call));
            }
        }
    }

    fn has_dependencies_between_listed_files(&self) -> bool {
        let is_listed = |path: &str| self.rows.iter().any(|row| row.path == path);
        self.retrieved.import_edges.iter().any(|(from, to)| is_listed(from) && is_listed(to))
    }

    /// Writes the dependencies between the listed files.
    fn write_dependencies_between_listed_files(&self, out: &mut String) {
        let is_listed = |path: &str| self.rows.iter().any(|row| row.path == path);
        let write_dependencies: Vec<&(String, String)> =
            self.retrieved.import_edges.iter().filter(|(from, to)| is_listed(from) && is_listed(to)).collect();
        if write_dependencies.is_empty() {
            return;
        }
        out.push_str("\n## Imports Between the Files\n\n");
        let mut by_file: Vec<(&str, Vec<&str>)> = Vec::new();
        for row in &self.rows {
            let to: Vec<&str> =
                write_dependencies.iter().filter(|(from, _)| *from == row.path).map(|(_, to)| to.as_str()).collect();
            if !to.is_empty() {
                by_file.push((&row.path, to));
            }
        }
        let mut left = LINKS;
        for (from, to) in by_file {
            if left == 0 {
                break;
            }
            let shown: Vec<String> = to.iter().take(left).map(|path| format_inline_code(path)).collect();
            left -= shown.len();
            let _ = writeln!(out, "- {} imports {}", format_inline_code(from), shown.join(", "));
        }
        let more = write_dependencies.len().saturating_sub(LINKS);
        if more > 0 {
            let _ = writeln!(out, "- and {}", format_count_with_unit(more, "more import", "more imports"));
        }
        if self.retrieved.links_evidence.completeness != Completeness::Complete {
            out.push_str("\nNot every import could be followed: there may be more.\n");
        }
    }

    /// Writes the section of open questions, with the suggested tool calls.
    fn write_open_questions(&self, out: &mut String) {
        out.push_str("\n## Open Questions\n\n");
        let calls = self.suggested_tool_calls();
        if self.detail < Detail::Names {
            out.push_str(
                "Nobody has judged which of these places answers the question. Next calls, in the project's folder:\n\n",
            );
        }
        for (what, call) in calls {
            let _ = writeln!(out, "- {what}: {}", format_inline_code(&call.to_command_from_project_root()));
        }
    }

    fn suggested_tool_calls(&self) -> Vec<(String, Call)> {
        let mut calls: Vec<(String, Call)> = Vec::new();
        let question = truncate_with_ellipsis(&one_line(&self.retrieved.question), TITLE);
        let unseen = self.rows.iter().find(|row| self.outlines.iter().all(|excerpt| excerpt.path != row.path));
        let best = self.retrieved.passages.iter().find(|passage| {
            let is_shown = |body: &Body| body.id == passage.symbol_id();
            !self.bodies.iter().any(is_shown) && self.rows.iter().any(|row| row.path == passage.path)
        });
        if let Some(passage) = best {
            let call = follow_up_call_builder().read_symbol_body_call(&passage.symbol_id());
            calls.push((format!("the next symbol, {}", format_inline_code(&passage.symbol.qualified_name)), call));
        }
        if let Some(row) = unseen {
            calls.push(("the outline of the next file".to_owned(), follow_up_call_builder().outline_call(&row.path)));
        }
        if let Some(body) = self.bodies.first() {
            calls.push((
                "who uses the first symbol".to_owned(),
                follow_up_call_builder().find_references_call(&body.id),
            ));
        }
        if let Some(row) = self.rows.first() {
            let call = follow_up_call_builder().dependencies_and_dependents_call(&row.path);
            calls.push(("what the first file depends on, and what depends on it".to_owned(), call));
        }
        let ranked = self.rows.iter().filter(|row| row.via == Via::Ranking).count();
        if self.retrieved.matching_files > ranked && ranked > 0 {
            let call = follow_up_call_builder().rank_files_call(&question).with_row_offset(ranked);
            calls.push(("files that rank lower".to_owned(), call));
        }
        if self.rows.is_empty() {
            calls.push(("what is there".to_owned(), follow_up_call_builder().project_tree_call()));
        }
        if self.detail >= Detail::Names {
            calls.truncate(1);
        }
        calls
    }

    fn write_code_references(&self, out: &mut String) {
        let references = self.cited_locations();
        if references.is_empty() {
            return;
        }
        out.push_str("\n## Code References\n\n");
        for reference in references {
            let shown = format_path_and_lines(&reference.path, reference.line_start, reference.line_end);
            let what = reference.description.trim_start_matches("part of ");
            let _ = writeln!(out, "- {} — {}", format_inline_code(&shown), format_inline_code(what));
        }
    }
}

/// Whether the line range of `other` contains that of `one` in the same file.
fn is_containing_line_range(other: &Reference, one: &Reference) -> bool {
    other.path == one.path
        && (other.line_start, other.line_end) != (one.line_start, one.line_end)
        && other.line_start <= one.line_start
        && one.line_end <= other.line_end
}
