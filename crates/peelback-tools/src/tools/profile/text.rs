//! A profile as text: its levels of detail, and the choice of the richest one that fits the budget.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use peelback_code::syntax::skeleton::{FOLDED, Options, Skeleton, build_skeleton};
use peelback_code::syntax::{Lines, ParseCoverage, Symbol, Tier, walk_symbols_with_depth};
use peelback_code::{AnalysedFile, Completeness, Neighbour, escape_control_characters, escape_to_one_line};
use peelback_tokens::estimate_tokens;
use peelback_tokens::text::truncate_chars_and_add_ellipsis;

use super::facts::{
    FileProfile, MAX_NAMED_DEPENDENTS, incomplete_dependents_reasons, is_field_enum_member_or_nested_key,
};
use crate::budget::AnswerTokenBudget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_line_range, format_with_thousands_separators};
use crate::message::Message;
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
use crate::rows::symbol_id;
use crate::shorten::clip_signature_keeping_name;
use crate::view::{DetailLevel, OutputOptions};

/// The maximum number of dependencies that a profile as text names.
const MAX_NAMED_DEPENDENCIES: usize = 8;

/// Levels of detail of a profile, the richest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ProfileLevel {
    /// The source with folded bodies and with comments cut to one line.
    Skeleton,
    /// The source with folded bodies and without comments.
    Code,
    /// Signatures with token costs, including members.
    TokenCosts,
    /// Signatures, including members.
    Members,
    /// Signatures without members.
    Signatures,
    /// Names with line ranges.
    Ranges,
    /// Names only.
    Names,
}

impl ProfileLevel {
    const ALL: [ProfileLevel; 7] =
        [Self::Skeleton, Self::Code, Self::TokenCosts, Self::Members, Self::Signatures, Self::Ranges, Self::Names];
}

/// The form of a profile as text: one of its levels of detail, or less.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextForm {
    /// The profile at one level of detail.
    At(ProfileLevel),
    /// The names of this number of symbols, with counts of the remaining symbols by kind.
    Names(usize),
    /// The numbers of lines and symbols, with a follow-up call.
    Counts,
    /// Only the numbers of lines and symbols.
    Bare,
    /// The raw text of the file, where a profile would cost more tokens.
    Raw,
}

impl FileProfile {
    /// The richest form of the profile as text that fits the budget of a call.
    pub(super) fn richest_fitting_text_form(&self, context: &CallContext, view: &OutputOptions) -> TextForm {
        let budget = AnswerTokenBudget::new(context, view);
        let has_token_budget = view.max_tokens.is_some_and(|tokens| tokens > 0);
        let is_unlimited = view.max_tokens == Some(0) || (view.detail_level == DetailLevel::Full && !has_token_budget);
        let token_limit = if is_unlimited || has_token_budget { usize::MAX } else { self.default_token_limit() };
        let mut chosen = None;
        for level in ProfileLevel::ALL {
            let page = self.page_at_detail_level(level, context);
            let fits = budget.can_hold_text(page.text());
            // Beyond the default limit, names with line ranges are still shown as long as the budget allows them.
            if fits
                && (estimate_tokens(page.text()) <= token_limit || (level == ProfileLevel::Ranges && !has_token_budget))
            {
                chosen = Some((TextForm::At(level), page));
                break;
            }
        }
        let (form, page) = chosen.unwrap_or_else(|| self.longest_fitting_names_or_counts_page(context, budget));
        let costs_more = estimate_tokens(page.text()) >= self.raw_tokens
            && budget.can_hold_text(&escape_control_characters(&self.analysed.file.text));
        if costs_more { TextForm::Raw } else { form }
    }

    /// The default token limit of a profile, for a call without a budget.
    ///
    /// The limit was measured on files of six languages: 37% of small files, and from about 800 tokens on a constant
    /// for the header plus 12.5% for the symbols.
    fn default_token_limit(&self) -> usize {
        (self.raw_tokens * 37 / 100).min(self.raw_tokens / 8 + 205)
    }

    /// The page with the raw text of the file, for a file whose profile would cost more tokens.
    fn whole_raw_text(&self) -> MarkedText {
        let file = &self.analysed.file;
        let mut page = MarkedText::default();
        if file.text.is_empty() {
            let _ = writeln!(page, "{}: empty file{}", file.path, self.last_modified_suffix());
            return page;
        }
        let _ = writeln!(page, "{}: whole text, a profile would cost more", file.path);
        if let Some(note) = &file.decoding_note {
            page.write_completeness_note_line(note);
        }
        page.write_source_with_line_end(&file.text);
        page
    }

    /// The time of the file's last change as the end of a list in a sentence; empty where unknown.
    fn last_modified_suffix(&self) -> String {
        self.last_modified_timestamp().map_or(String::new(), |time| format!(", modified {time}"))
    }

    /// The header of the profile: the file, the evidence, and a summary of the shown and omitted parts.
    fn header_page(&self, level: ProfileLevel, context: &CallContext) -> MarkedText {
        let AnalysedFile { file, language, facts, evidence } = &self.analysed;
        let mut page = MarkedText::default();
        let path = file.path.as_str();
        let language = language.map_or("no known language", |language| language.name);
        let _ = writeln!(
            page,
            "{path}: {language}, {} lines, {} bytes{}, ~{} tokens raw",
            file.line_count(),
            file.size_bytes,
            self.last_modified_suffix(),
            self.raw_tokens
        );
        if evidence.completeness != Completeness::Complete || evidence.analysis.contains('(') {
            let gap = evidence.skipped.first().map_or(String::new(), |skipped| format!(": {}", skipped.reason));
            page.write_part(PartKind::Caution, "evidence:");
            let _ = writeln!(page, " {}, {}{gap}", evidence.completeness.as_str(), evidence.analysis);
        }
        for note in &evidence.notes {
            page.write_completeness_note_line(note);
        }
        if matches!(facts.coverage, ParseCoverage::NotParsed(_)) {
            let next = context.follow_up_call_builder();
            let next = Message::from("no symbols to show; next: ")
                .with_call(next.read_lines_call(path, "1-40"))
                .append_words("; ")
                .with_call(next.raw_file_text_call(path));
            next.write_to_page(context, &mut page);
            page.push('\n');
        } else {
            self.write_summary_and_follow_up_calls(level, context, &mut page);
        }
        page
    }

    /// Writes a summary of the shown and omitted parts, and the follow-up calls.
    fn write_summary_and_follow_up_calls(&self, level: ProfileLevel, context: &CallContext, page: &mut MarkedText) {
        let facts = &self.analysed.facts;
        let count = walk_symbols_with_depth(&facts.symbols).count();
        let members = self
            .non_local_symbols_with_depth()
            .filter(|(symbol, _)| is_field_enum_member_or_nested_key(symbol))
            .count();
        page.push_str(&format_count_with_noun(count, "symbol", "symbols"));
        match level {
            ProfileLevel::Skeleton | ProfileLevel::Code => {
                if self.skeleton.folded > 0 {
                    let _ = write!(page, "; {} bodies collapsed to {FOLDED}, not empty", self.skeleton.folded);
                }
            }
            _ => {
                let local = walk_symbols_with_depth(&facts.symbols).filter(|(symbol, _)| symbol.local).count();
                if level >= ProfileLevel::Signatures && members > 0 {
                    let _ = write!(page, ", {members} of them members left out");
                }
                if local > 0 {
                    let _ = write!(page, ", {local} local left out");
                }
                page.push_str("; bodies collapsed, not empty");
                if level == ProfileLevel::TokenCosts {
                    page.push_str("; ~N: tokens of the body");
                }
            }
        }
        page.push('\n');
        page.write_part(PartKind::Label, "next:");
        for (index, call) in self.follow_up_read_calls(level, context).into_iter().enumerate() {
            page.push_str(if index == 0 { " " } else { "; " });
            page.write_part(PartKind::Call, context.format_call_as_command(&call));
        }
        page.push('\n');
        self.write_imports_exports_and_dependencies(level, context, page);
    }

    /// Follow-up calls that read more of the file: one symbol, its lines, or the whole text.
    fn follow_up_read_calls(&self, level: ProfileLevel, context: &CallContext) -> Vec<Call> {
        let path = self.analysed.file.path.as_str();
        let first =
            self.non_local_symbols_with_depth().map(|(symbol, _)| symbol).find(|symbol| symbol.kind.is_callable());
        let mut calls = Vec::new();
        if let Some(symbol) = first.or(self.analysed.facts.symbols.first()) {
            calls.push(context.follow_up_call_builder().read_symbol_body_call(&symbol_id(path, symbol)));
            if level <= ProfileLevel::Signatures {
                calls.push(
                    context
                        .follow_up_call_builder()
                        .read_lines_call(path, &format_line_range(symbol.outer_line, symbol.lines.last)),
                );
            }
        }
        if level <= ProfileLevel::Ranges {
            calls.push(context.follow_up_call_builder().raw_file_text_call(path));
        }
        calls
    }

    fn write_imports_exports_and_dependencies(
        &self,
        level: ProfileLevel,
        context: &CallContext,
        page: &mut MarkedText,
    ) {
        let facts = &self.analysed.facts;
        match level {
            // The skeleton already contains the import statements.
            ProfileLevel::Skeleton | ProfileLevel::Code => {}
            ProfileLevel::TokenCosts | ProfileLevel::Members if !facts.imports.is_empty() => {
                let mut sources: Vec<&str> = facts.imports.iter().map(|import| import.source.as_str()).collect();
                sources.dedup();
                let _ = writeln!(page, "imports: {}", EscapedToOneLine(sources.join(", ")));
            }
            _ if !facts.imports.is_empty() => {
                let _ = write!(page, "{}; ", format_count_with_noun(facts.imports.len(), "import", "imports"));
            }
            _ => {}
        }
        match level {
            ProfileLevel::Skeleton | ProfileLevel::Code | ProfileLevel::TokenCosts | ProfileLevel::Members
                if !facts.exports.is_empty() && facts.exports.len() <= 12 =>
            {
                let names: Vec<&str> = facts.exports.iter().map(|export| export.name.as_str()).collect();
                let _ = writeln!(page, "exports: {}", EscapedToOneLine(names.join(", ")));
            }
            _ => {
                let _ = writeln!(page, "{}", format_count_with_noun(facts.exports.len(), "export", "exports"));
            }
        }
        self.write_dependencies_and_dependents(level, context, page);
    }

    fn write_dependencies_and_dependents(&self, level: ProfileLevel, context: &CallContext, out: &mut MarkedText) {
        let Some(relations) = self.dependencies_if_imports_followed() else {
            if self.analysed.language.is_some_and(|language| language.tier != Tier::Document) {
                out.push_str("where imports lead, and usage: not known of this language\n");
            }
            return;
        };
        let (outgoing, incoming) = (relations.outgoing.len(), relations.incoming.len());
        let is_whole = relations.evidence.completeness == Completeness::Complete;
        let at_least = if is_whole { "" } else { "at least " };
        if level >= ProfileLevel::Signatures {
            let outgoing = format_count_with_noun(outgoing, "file", "files");
            let _ = write!(out, "depends on {outgoing}; used by {at_least}{incoming}");
            if !is_whole {
                Message::from("; all: ").with_call(self.dependents_call(context)).write_to_page(context, out);
            }
            out.push('\n');
            return;
        }
        let list_paths = |ends: &[Neighbour], most: usize| {
            let paths: Vec<&str> = ends.iter().take(most).map(|end| end.path.as_str()).collect();
            let more = ends.len().saturating_sub(most);
            let more = if more > 0 { format!(", … +{more} more") } else { String::new() };
            format!("{}{more}", paths.join(", "))
        };
        match outgoing {
            0 => out.push_str("depends on no file\n"),
            _ => {
                let _ =
                    writeln!(out, "depends on {outgoing}: {}", list_paths(&relations.outgoing, MAX_NAMED_DEPENDENCIES));
            }
        }
        match incoming {
            0 if is_whole => out.push_str("used by no file\n"),
            0 => out.push_str("used by: none found so far\n"),
            _ => {
                let _ = writeln!(
                    out,
                    "used by {at_least}{incoming}: {}",
                    list_paths(&relations.incoming, MAX_NAMED_DEPENDENTS)
                );
            }
        }
        if !is_whole {
            let why = incomplete_dependents_reasons(relations)
                .next()
                .map_or(String::new(), |why| format!("{}; ", truncate_chars_and_add_ellipsis(&why, 120)));
            let message = Message::from(format!("not all users: {why}to find them: "));
            message.with_call(self.dependents_call(context)).write_to_page(context, out);
            out.push('\n');
        }
    }

    /// The page with the profile at one level of detail.
    fn page_at_detail_level(&self, level: ProfileLevel, context: &CallContext) -> MarkedText {
        let mut out = self.header_page(level, context);
        if matches!(self.analysed.facts.coverage, ParseCoverage::NotParsed(_)) {
            return out;
        }
        out.push('\n');
        match level {
            ProfileLevel::Skeleton => self.write_skeleton(&self.skeleton, &mut out),
            ProfileLevel::Code => {
                let text = &self.analysed.file.text;
                let folds = &self.analysed.facts.folds;
                self.write_skeleton(&build_skeleton(text, folds, 0..text.len(), Options { comments: false }), &mut out);
            }
            ProfileLevel::TokenCosts | ProfileLevel::Members | ProfileLevel::Signatures => {
                self.write_signatures(level, &mut out)
            }
            ProfileLevel::Ranges | ProfileLevel::Names => self.write_symbol_names(level, usize::MAX, &mut out),
        }
        out
    }

    /// Writes the skeleton of the file. The first line of each symbol is marked with the symbol's whole line range.
    fn write_skeleton(&self, skeleton: &Skeleton, out: &mut MarkedText) {
        let mut ranges: HashMap<u32, Lines> = HashMap::new();
        for (symbol, _) in self.non_local_symbols_with_depth() {
            ranges.entry(symbol.lines.first).or_insert(symbol.lines);
        }
        for line in &skeleton.lines {
            let begins = (line.lines.first..=line.lines.last).find_map(|number| ranges.get(&number));
            let Lines { first, last } = begins.copied().unwrap_or(line.lines);
            out.write_part(PartKind::Number, format_line_range(first, last));
            out.push_str(": ");
            out.write_part(PartKind::Source, &line.text);
            out.push('\n');
        }
    }

    fn write_signatures(&self, level: ProfileLevel, out: &mut MarkedText) {
        for (symbol, depth) in self.non_local_symbols_with_depth() {
            if level == ProfileLevel::Signatures && is_field_enum_member_or_nested_key(symbol) {
                continue;
            }
            for _ in 0..depth {
                out.push(' ');
            }
            out.write_part(PartKind::Number, format_line_range(symbol.lines.first, symbol.lines.last));
            out.push(' ');
            if level == ProfileLevel::TokenCosts && !symbol.kind.is_field_property_or_enum_member() {
                let _ = write!(out, "~{} ", self.costs.estimated_tokens_in_lines(symbol.outer_line, symbol.lines.last));
            }
            let _ = writeln!(
                out,
                "{}",
                EscapedToOneLine(clip_signature_keeping_name(
                    &symbol.signature,
                    &symbol.name,
                    if level == ProfileLevel::Signatures { 90 } else { 300 }
                ))
            );
        }
    }

    /// Writes the names of the first `most` symbols. Names in one enclosing symbol share a line with it.
    fn write_symbol_names(&self, level: ProfileLevel, most: usize, page: &mut MarkedText) {
        let mut out = String::new();
        let symbols: Vec<(&Symbol, usize)> = self
            .non_local_symbols_with_depth()
            .filter(|(symbol, _)| !is_field_enum_member_or_nested_key(symbol))
            .collect();
        let mut previous_depth = 0;
        for (index, (symbol, depth)) in symbols.iter().take(most).enumerate() {
            // After a deeper level, the enclosing symbol must be named again.
            let must_repeat_owner = *depth > 0 && *depth < previous_depth;
            if index > 0 {
                out.push_str(match depth {
                    0 => "\n",
                    _ if must_repeat_owner => "; ",
                    _ if *depth > previous_depth => ": ",
                    _ => ", ",
                });
            }
            previous_depth = *depth;
            if level == ProfileLevel::Ranges {
                let _ = write!(out, "{} ", format_line_range(symbol.lines.first, symbol.lines.last));
            }
            let name = if must_repeat_owner { &symbol.qualified_name } else { &symbol.name };
            out.push_str(&escape_to_one_line(name));
        }
        page.write_source_with_line_end(&out);
    }

    /// The page with the longest list of symbol names that fits the budget, and with counts of the remaining symbols by
    /// kind. Under a smaller budget: only counts.
    fn longest_fitting_names_or_counts_page(
        &self,
        context: &CallContext,
        budget: AnswerTokenBudget,
    ) -> (TextForm, MarkedText) {
        let total = self.count_non_member_non_local_symbols();
        let (mut low, mut high) = (0, total);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if budget.can_hold_text(self.symbol_names_page(middle, context).text()) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        let forms = [TextForm::Names(low), TextForm::Counts, TextForm::Bare];
        let mut fitting = forms.into_iter().map(|form| (form, self.render_page_in_form(form, context)));
        let fits = |(form, page): &(TextForm, MarkedText)| *form == TextForm::Bare || budget.can_hold_text(page.text());
        fitting.find(fits).unwrap_or_else(|| (TextForm::Bare, self.minimal_page()))
    }

    /// The page with the names of the first `most` symbols and the number of omitted symbols by kind.
    fn symbol_names_page(&self, most: usize, context: &CallContext) -> MarkedText {
        let mut page = self.header_page(ProfileLevel::Names, context);
        page.write_part(PartKind::Caution, "left out to fit the budget:");
        let _ = write!(page, " {}\n\n", self.describe_omitted_symbols_by_kind(most));
        self.write_symbol_names(ProfileLevel::Names, most, &mut page);
        page
    }

    /// The page with the numbers of lines and symbols, and with the call that reads the file as lines.
    fn line_and_symbol_counts_page(&self, context: &CallContext) -> MarkedText {
        let file = &self.analysed.file;
        let total = self.count_non_member_non_local_symbols();
        let mut page = MarkedText::default();
        let counts = format!("{}: {} lines, {total} symbols; next: ", file.path, file.line_count());
        Message::from(counts)
            .with_call(context.follow_up_call_builder().read_all_lines_call(&file.path))
            .write_to_page(context, &mut page);
        page.push('\n');
        page
    }

    /// The page with only the numbers of lines and symbols, where nothing else fits the budget.
    fn minimal_page(&self) -> MarkedText {
        let total = self.count_non_member_non_local_symbols();
        let mut page = MarkedText::default();
        let lines = self.analysed.file.line_count();
        let _ = writeln!(page, "{lines} lines, {total} symbols; none fits: raise max_tokens");
        page
    }

    pub(super) fn render_page_in_form(&self, form: TextForm, context: &CallContext) -> MarkedText {
        match form {
            TextForm::At(level) => self.page_at_detail_level(level, context),
            TextForm::Names(most) => self.symbol_names_page(most, context),
            TextForm::Counts => self.line_and_symbol_counts_page(context),
            TextForm::Bare => self.minimal_page(),
            TextForm::Raw => self.whole_raw_text(),
        }
    }

    /// The number of symbols of each kind after the first `most`, as text.
    fn describe_omitted_symbols_by_kind(&self, most: usize) -> String {
        let mut counts = BTreeMap::new();
        for (symbol, _) in self
            .non_local_symbols_with_depth()
            .filter(|(symbol, _)| !is_field_enum_member_or_nested_key(symbol))
            .skip(most)
        {
            *counts.entry(symbol.kind.as_str()).or_insert(0usize) += 1;
        }
        let counts: Vec<String> = counts
            .into_iter()
            .map(|(kind, count)| format!("{} {kind}", format_with_thousands_separators(count as u64)))
            .collect();
        if counts.is_empty() { "lines and signatures".to_owned() } else { counts.join(", ") }
    }
}
