//! A profile as text: its forms, and the choice of the richest one that fits the budget.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use peelback_code::syntax::skeleton::{FOLDED, Options, Skeleton, build_skeleton};
use peelback_code::syntax::{Lines, ParseCoverage, Symbol, walk_symbols_with_depth};
use peelback_code::{AnalysedFile, escape_to_one_line};
use peelback_tokens::estimate_tokens;

use super::facts::{FileProfile, is_field_enum_member_or_nested_key};
use super::structure::ProfileRows;
use crate::budget::{AnswerTokenBudget, DefaultBudget, row_count_for_text_share};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_line_range, format_with_thousands_separators};
use crate::evidence_text::analysis_to_name;
use crate::first_body::first_symbol_with_body;
use crate::left_out::{LeftOut, add_removal, has_most_room, write_left_out_line};
use crate::message::Message;
use crate::page::{MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::rows::symbol_id;
use crate::symbol_detail::DetailLadder;
use crate::view::{DetailLevel, OutputOptions};

/// The form of a profile as text, the richest first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextForm {
    /// The source with folded bodies, and with its comments cut to one line where `has_comments` is set.
    Skeleton { has_comments: bool },
    /// A row for each symbol, after this number of removals of detail.
    Rows { removals: usize },
    /// The names and lines of this number of symbols, with counts of the remaining symbols by kind.
    Names(usize),
    /// The numbers of lines and symbols, with a follow-up call.
    Counts,
    /// Only the numbers of lines and symbols.
    Bare,
    /// The raw text of the file, where a profile would cost more tokens.
    Raw,
}

/// A profile's form with the tokens that its default share of the file allows.
#[derive(Clone, Copy)]
pub(super) struct TextLayout {
    pub form: TextForm,
    pub relation_tokens: usize,
    /// Whether the header has only what nothing else in the profile says, so that the rows of a small file keep their
    /// parameters within its share.
    pub has_short_header: bool,
    /// Whether symbols that are local to functions are listed.
    pub is_full: bool,
    /// What shows what the profile leaves out.
    pub more: MoreDetail,
}

/// The call that shows what a profile leaves out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MoreDetail {
    /// The profile in full detail.
    FullProfile,
    /// The outline in full detail, this number of symbols at a time.
    PageOfOutline(usize),
}

/// The most removals of detail that a form has: all details, and levels of nesting.
const MAX_REMOVALS: usize = 64;

/// The raw tokens of the largest file whose profile may have a short header. In a larger one, the header saves little
/// beside the symbols, and each further layout that is tried costs time.
const MAX_RAW_TOKENS_FOR_SHORT_HEADER: usize = 20_000;

impl FileProfile {
    /// The richest form of the profile as text that fits the budget of a call.
    pub(super) fn richest_fitting_text_layout(&self, context: &CallContext, view: &OutputOptions) -> TextLayout {
        let budget = AnswerTokenBudget::with_default(context, view, DefaultBudget::OF_PROFILE);
        let has_token_budget = view.max_tokens.is_some_and(|tokens| tokens > 0);
        let is_unlimited = view.max_tokens == Some(0) || (view.detail_level == DetailLevel::Full && !has_token_budget);
        let token_limit = if is_unlimited || has_token_budget { usize::MAX } else { self.default_token_limit() };
        let relation_tokens = token_limit.min(budget.max_tokens().unwrap_or(usize::MAX));
        let (is_full, more) = (view.is_full_detail(), self.more_detail_than(context, view));
        let lay_out = |form| TextLayout { form, relation_tokens, has_short_header: false, is_full, more };
        let with_short_header = |form| TextLayout { has_short_header: true, ..lay_out(form) };
        let is_layout_within = |layout: TextLayout, limit: usize| {
            let page = self.render_page_in_layout(layout, context);
            budget.can_hold_text(page.text()) && estimate_tokens(page.text()) <= limit
        };
        let is_within = |form: TextForm, limit: usize| is_layout_within(lay_out(form), limit);
        let skeletons = [true, false].map(|has_comments| TextForm::Skeleton { has_comments });
        let layout = match skeletons.into_iter().find(|form| is_within(*form, token_limit)) {
            Some(skeleton) => lay_out(skeleton),
            None if self.raw_tokens <= token_limit && is_within(TextForm::Raw, token_limit) => lay_out(TextForm::Raw),
            None => {
                // Beyond its default share of the file, a profile still has the names of all parameters, as long as the
                // budget of the call allows them. Before that, the header gives up what the profile also says elsewhere.
                let floor = DetailLadder::REMOVALS_THAT_KEEP_PARAMETERS;
                let rows_within = |layout: &dyn Fn(TextForm) -> TextLayout, (least, most), limit| {
                    self.fewest_removals_within(least, most, |form| is_layout_within(layout(form), limit))
                        .map(|removals| layout(TextForm::Rows { removals }))
                };
                let may_shorten_header =
                    token_limit != usize::MAX && self.raw_tokens <= MAX_RAW_TOKENS_FOR_SHORT_HEADER;
                let shortest: &dyn Fn(TextForm) -> TextLayout =
                    if may_shorten_header { &with_short_header } else { &lay_out };
                rows_within(&lay_out, (0, floor), token_limit)
                    .or_else(|| may_shorten_header.then(|| rows_within(shortest, (0, floor), token_limit)).flatten())
                    .or_else(|| rows_within(shortest, (floor, MAX_REMOVALS), usize::MAX))
                    .unwrap_or_else(|| lay_out(self.longest_fitting_names_or_counts(context, budget, &lay_out)))
            }
        };
        let costs_more = || {
            let page = self.render_page_in_layout(layout, context);
            estimate_tokens(page.text()) >= self.raw_tokens
                && budget.can_hold_text(self.render_page_in_layout(lay_out(TextForm::Raw), context).text())
        };
        if !matches!(layout.form, TextForm::Raw) && costs_more() { lay_out(TextForm::Raw) } else { layout }
    }

    /// What shows more than a profile with this view: one in full detail, or, for one that has that already, pages of an
    /// outline.
    fn more_detail_than(&self, context: &CallContext, view: &OutputOptions) -> MoreDetail {
        if !has_most_room(view) {
            return MoreDetail::FullProfile;
        }
        let rows = self.rows_after_removals(0, true).rows;
        let mut page = MarkedText::default();
        rows.iter().for_each(|row| row.write_row_tree(0, &mut page));
        let share = AnswerTokenBudget::largest(context).share_of_text_that_fits(page.text()).min(1.0);
        MoreDetail::PageOfOutline(row_count_for_text_share(rows.len(), share).max(1))
    }

    /// The fewest removals of detail, from `least` to `most`, after which the rows fit; `None` where they never do. More
    /// removals make them no longer.
    fn fewest_removals_within(&self, least: usize, most: usize, fits: impl Fn(TextForm) -> bool) -> Option<usize> {
        let (mut low, mut high) = (least, most + 1);
        while low < high {
            let middle = low.midpoint(high);
            if fits(TextForm::Rows { removals: middle }) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        (low <= most).then_some(low)
    }

    /// The default token limit of a profile, for a call without a budget.
    ///
    /// The limit was measured on files of six languages: 37% of small files, and from about 800 tokens on a constant
    /// for the header plus 12.5% for the symbols.
    fn default_token_limit(&self) -> usize {
        (self.raw_tokens * 37 / 100).min(self.raw_tokens / 8 + 205)
    }

    /// The page with the raw text of the file, for a file whose profile would cost more tokens.
    fn whole_raw_text(&self, relation_tokens: usize, context: &CallContext) -> MarkedText {
        let file = &self.analysed.file;
        let mut page = MarkedText::default();
        if file.text.is_empty() {
            let _ = writeln!(page, "{}: empty file{}", file.path, self.last_modified_suffix());
            return page;
        }
        self.write_metadata("; whole text, a profile would cost more", &mut page);
        if let Some(note) = &file.decoding_note {
            page.write_completeness_note_line(note);
        }
        self.write_neighbours(relation_tokens, context, &mut page);
        page.push('\n');
        page.write_source_with_line_end(&file.text);
        page
    }

    /// The time of the file's last change as the end of a list in a sentence; empty where unknown.
    fn last_modified_suffix(&self) -> String {
        self.last_modified_timestamp().map_or(String::new(), |time| format!(", modified {time}"))
    }

    /// Writes the line with the file's path, language and size, and with `end`.
    fn write_metadata(&self, end: &str, page: &mut MarkedText) {
        let file = &self.analysed.file;
        let _ = writeln!(
            page,
            "{}: {}, {}, {}{}, ~{} tokens raw{end}",
            file.path,
            self.analysed.language.map_or("no known language", |language| language.name),
            format_count_with_noun(file.line_count(), "line", "lines"),
            format_count_with_noun(file.size_bytes, "byte", "bytes"),
            self.last_modified_suffix(),
            self.raw_tokens
        );
    }

    /// The header of the profile: the file, the evidence, what is hidden and left out, the next calls, and the relations of
    /// the file.
    fn header_page(&self, layout: TextLayout, left_out: &[LeftOut], context: &CallContext) -> MarkedText {
        let AnalysedFile { file, facts, evidence, .. } = &self.analysed;
        let mut page = MarkedText::default();
        let path = file.path.as_str();
        self.write_metadata("", &mut page);
        if let Some(analysis) = analysis_to_name(evidence) {
            let gap = evidence.skipped.first().map_or(String::new(), |skipped| format!(": {}", skipped.reason));
            page.write_part(PartKind::Caution, "evidence:");
            let _ = writeln!(page, " {}, {analysis}{gap}", evidence.completeness.as_str());
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
            return page;
        }
        self.write_symbol_and_body_counts(layout, &mut page);
        page.write_part(PartKind::Label, "next:");
        for call in self.follow_up_read_calls(layout, context) {
            page.write_call_on_own_line(&context.format_call(&call));
            page.push('\n');
        }
        write_left_out_line(left_out, Some(self.call_for_more_detail(layout.more, context)), context, &mut page);
        self.write_relations(layout.relation_tokens, layout.has_short_header, context, &mut page);
        page
    }

    /// The call that shows what the profile leaves out.
    fn call_for_more_detail(&self, more: MoreDetail, context: &CallContext) -> Call {
        let (path, next) = (self.analysed.file.path.as_str(), context.follow_up_call_builder());
        let call = match more {
            MoreDetail::FullProfile => next.file_profile_call(path),
            MoreDetail::PageOfOutline(rows) => {
                next.outline_call(path).with_argument(parameter_name!(OutputOptions, limit), rows)
            }
        };
        call.with_argument(parameter_name!(OutputOptions, detail_level), "full")
    }

    fn write_symbol_and_body_counts(&self, layout: TextLayout, page: &mut MarkedText) {
        let is_skeleton = matches!(layout.form, TextForm::Skeleton { .. });
        let symbols = &self.analysed.facts.symbols;
        page.push_str(&format_count_with_noun(walk_symbols_with_depth(symbols).count(), "symbol", "symbols"));
        if self.skeleton.folded > 0 {
            let bodies = format_count_with_noun(self.skeleton.folded, "body", "bodies");
            let what_they_are = if is_skeleton { format!("collapsed to {FOLDED}") } else { "hidden".to_owned() };
            let _ = write!(page, "; {bodies} {what_they_are}, not empty");
        }
        let local = walk_symbols_with_depth(symbols).filter(|(symbol, _)| symbol.local).count();
        if local > 0 && !is_skeleton && !layout.is_full {
            let _ = write!(page, "; {local} local to functions: detail_level full");
        }
        page.push('\n');
    }

    /// Follow-up calls that read more of the file: one symbol, its lines, or the whole text. A short header has only the
    /// first.
    fn follow_up_read_calls(&self, layout: TextLayout, context: &CallContext) -> Vec<Call> {
        let path = self.analysed.file.path.as_str();
        let next = context.follow_up_call_builder();
        let facts = &self.analysed.facts;
        let is_document = self.analysed.language.is_some_and(|language| language.is_document_format());
        let first = first_symbol_with_body(facts, |symbol| !symbol.local);
        let mut calls = Vec::new();
        if let Some(symbol) = first.or_else(|| facts.symbols.first().filter(|_| is_document)) {
            calls.push(next.read_symbol_body_call(&symbol_id(path, symbol)));
            if layout.has_short_header {
                return calls;
            }
            if matches!(layout.form, TextForm::Skeleton { .. } | TextForm::Rows { .. }) {
                let lines = format_line_range(symbol.outer_line, symbol.lines.last);
                calls.push(next.read_lines_call(path, &lines));
            }
        }
        calls.push(next.raw_file_text_call(path));
        calls
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

    fn page_with_skeleton(&self, layout: TextLayout, has_comments: bool, context: &CallContext) -> MarkedText {
        let text = &self.analysed.file.text;
        let without_comments = (!has_comments)
            .then(|| build_skeleton(text, &self.analysed.facts.folds, 0..text.len(), Options { comments: false }));
        let skeleton = without_comments.as_ref().unwrap_or(&self.skeleton);
        let mut left_out = Vec::new();
        let count = self.skeleton.lines.len().saturating_sub(skeleton.lines.len());
        add_removal(&mut left_out, LeftOut { what: "lines of comments", count });
        let mut page = self.header_page(layout, &left_out, context);
        if !matches!(self.analysed.facts.coverage, ParseCoverage::NotParsed(_)) {
            page.push('\n');
            self.write_skeleton(skeleton, &mut page);
        }
        page
    }

    fn page_with_rows(&self, layout: TextLayout, removals: usize, context: &CallContext) -> MarkedText {
        let ProfileRows { rows, left_out } = self.rows_after_removals(removals, layout.is_full);
        let mut page = self.header_page(layout, &left_out, context);
        page.push('\n');
        rows.iter().for_each(|row| row.write_row_tree(0, &mut page));
        page
    }

    /// Writes the names of the first `most` symbols with their lines. Names in one enclosing symbol share a line with it.
    fn write_symbol_names(&self, most: usize, page: &mut MarkedText) {
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
            let name = if must_repeat_owner { &symbol.qualified_name } else { &symbol.name };
            let lines = format_line_range(symbol.lines.first, symbol.lines.last);
            let _ = write!(out, "{lines} {}", escape_to_one_line(name));
        }
        page.write_source_with_line_end(&out);
    }

    /// The longest list of symbol names that fits the budget, with counts of the remaining symbols by kind. Under a smaller
    /// budget: only counts.
    fn longest_fitting_names_or_counts(
        &self,
        context: &CallContext,
        budget: AnswerTokenBudget,
        lay_out: &dyn Fn(TextForm) -> TextLayout,
    ) -> TextForm {
        let fits = |form: TextForm| {
            let page = self.render_page_in_layout(lay_out(form), context);
            budget.can_hold_text(page.text())
        };
        let total = self.count_non_member_non_local_symbols();
        let (mut low, mut high) = (0, total);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if fits(TextForm::Names(middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        [TextForm::Names(low), TextForm::Counts].into_iter().find(|form| fits(*form)).unwrap_or(TextForm::Bare)
    }

    /// The page with the names of the first `most` symbols and the number of omitted symbols by kind.
    fn symbol_names_page(&self, layout: TextLayout, most: usize, context: &CallContext) -> MarkedText {
        let mut page = self.header_page(layout, &[], context);
        page.write_part(PartKind::Caution, "left out to fit the budget:");
        let _ = write!(page, " {}", self.describe_omitted_symbols_by_kind(most));
        let more = self.call_for_more_detail(layout.more, context);
        Message::from("; to see them: ").with_call(more).write_to_page(context, &mut page);
        page.push_str("\n\n");
        self.write_symbol_names(most, &mut page);
        page
    }

    /// The page with the numbers of lines and symbols, and with the call that reads the file as lines.
    fn line_and_symbol_counts_page(&self, context: &CallContext) -> MarkedText {
        let file = &self.analysed.file;
        let total = self.count_non_member_non_local_symbols();
        let mut page = MarkedText::default();
        let lines = format_count_with_noun(file.line_count(), "line", "lines");
        let counts = format!("{}: {lines}, {}; next: ", file.path, format_count_with_noun(total, "symbol", "symbols"));
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
        let lines = format_count_with_noun(self.analysed.file.line_count(), "line", "lines");
        let symbols = format_count_with_noun(total, "symbol", "symbols");
        let _ = writeln!(page, "{lines}, {symbols}; none fits: raise max_tokens");
        page
    }

    pub(super) fn render_page_in_layout(&self, layout: TextLayout, context: &CallContext) -> MarkedText {
        match layout.form {
            TextForm::Skeleton { has_comments } => self.page_with_skeleton(layout, has_comments, context),
            TextForm::Rows { removals } => self.page_with_rows(layout, removals, context),
            TextForm::Names(most) => self.symbol_names_page(layout, most, context),
            TextForm::Counts => self.line_and_symbol_counts_page(context),
            TextForm::Bare => self.minimal_page(),
            TextForm::Raw => self.whole_raw_text(layout.relation_tokens, context),
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
        if counts.is_empty() { "signatures".to_owned() } else { counts.join(", ") }
    }
}
