//! The profile of a file, at the richest level of detail that fits its budget.
//!
//! By default, the token limit of a profile is a share of the raw file, and the share decreases with the file's size:
//! larger bodies do not make a skeleton of their signatures more useful.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::SystemTime;

use peelback_code::syntax::skeleton::{FOLDED, Options, Skeleton, build_skeleton};
use peelback_code::syntax::{Coverage, Lines, Symbol, SymbolKind, Tier, walk_symbols};
use peelback_code::{Analysed, Completeness, Dependencies, Neighbour};
use peelback_tokens::{LineCosts, estimate_tokens};
use serde::Serialize;

use crate::budget::Budget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{counted, grouped, line_range};
use crate::message::Message;
use crate::page::{Page, Part};
use crate::reply::{Closeness, Content, Place, Reply, ReplyStatus};
use crate::rows::{ExportRow, ImportRow, SymbolRow, symbol_id};
use crate::shorten::clip;
use crate::shorten::clip_signature;
use crate::view::{DetailLevel, Format, View};

/// The data of a file's profile, before rendering.
pub(crate) struct Profile {
    analysed: Analysed,
    /// The file's dependencies and dependents; `None` where they could not be determined.
    relations: Option<Dependencies>,
    skeleton: Skeleton,
    costs: LineCosts,
    raw_tokens: usize,
}

/// Levels of detail of a profile, the richest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// The source with folded bodies and with comments cut to one line.
    Skeleton,
    /// The source with folded bodies and without comments.
    Code,
    /// Signatures with token costs, including members.
    Prices,
    /// Signatures, including members.
    Members,
    /// Signatures without members.
    Signatures,
    /// Names with line ranges.
    Ranges,
    /// Names only.
    Names,
}

impl Level {
    const ALL: [Level; 7] =
        [Self::Skeleton, Self::Code, Self::Prices, Self::Members, Self::Signatures, Self::Ranges, Self::Names];
}

impl Profile {
    pub fn new(analysed: Analysed, relations: Option<Dependencies>) -> Self {
        let text = &analysed.file.text;
        let skeleton = build_skeleton(text, &analysed.facts.folds, 0..text.len(), Options { comments: true });
        let costs = LineCosts::new(text);
        let raw_tokens = estimate_tokens(text);
        Self { analysed, relations, skeleton, costs, raw_tokens }
    }

    /// The default token limit of a profile, for a call without a budget.
    ///
    /// The limit was measured on files of six languages: 37% of small files, and from about 800 tokens on a constant
    /// for the header plus 12.5% for the symbols.
    fn allowance(&self) -> usize {
        (self.raw_tokens * 37 / 100).min(self.raw_tokens / 8 + 205)
    }

    /// Renders the profile within the budget of a call; `numbered` adds line numbers to the skeleton in JSON.
    pub fn into_reply(self, context: &CallContext, view: &View, numbered: bool) -> Reply {
        let preview = self.preview();
        let mut fitted = FittedProfile {
            form: TextForm::At(Level::Skeleton),
            stage: JsonStage::Whole,
            full: view.is_full(),
            numbered,
            profile: self,
        };
        match view.format {
            Format::Json => fitted.stage = fitted.fitting_stage(context, view),
            _ => fitted.form = fitted.profile.fitting_form(context, view),
        }
        Reply::new(ReplyStatus::Found, preview, view.format, context, fitted)
    }

    /// The richest text form that fits the budget of a call.
    fn fitting_form(&self, context: &CallContext, view: &View) -> TextForm {
        let budget = Budget::new(context, view);
        let named = view.max_tokens.is_some_and(|tokens| tokens > 0);
        let everything = view.max_tokens == Some(0) || (view.detail_level == DetailLevel::Full && !named);
        let allowance = if everything || named { usize::MAX } else { self.allowance() };
        let mut chosen = None;
        for level in Level::ALL {
            let page = self.page_at(level, context);
            let fits = budget.admits(page.text());
            // Beyond the default limit, names with line ranges are still shown as long as the budget allows them.
            if fits && (estimate_tokens(page.text()) <= allowance || (level == Level::Ranges && !named)) {
                chosen = Some((TextForm::At(level), page));
                break;
            }
        }
        let (form, page) = chosen.unwrap_or_else(|| self.fewer_names(context, budget));
        let costs_more = estimate_tokens(page.text()) >= self.raw_tokens && budget.admits(&self.analysed.file.text);
        if costs_more { TextForm::Raw } else { form }
    }

    /// The first symbols of the file, as a preview for a person.
    pub fn preview(&self) -> String {
        const ROWS: usize = 8;
        let file = &self.analysed.file;
        let total = self.visible().count();
        let mut out = format!(
            "{}: {}, {}\n",
            file.path,
            counted(file.line_count() as usize, "line", "lines"),
            counted(total, "symbol", "symbols")
        );
        for (symbol, _) in self.visible().take(ROWS) {
            let lines = line_range(symbol.lines.first, symbol.lines.last);
            let _ = writeln!(out, "  {lines} {}", clip_signature(&symbol.signature, &symbol.name, 110));
        }
        if total > ROWS {
            let _ = writeln!(out, "  … +{} more", total - ROWS);
        }
        out
    }

    /// The raw text of the file, for a file whose profile would cost more tokens.
    fn raw_page(&self) -> Page {
        let file = &self.analysed.file;
        let mut page = Page::default();
        if file.text.is_empty() {
            let _ = writeln!(page, "{}: empty file{}", file.path, self.modified());
            return page;
        }
        let _ = writeln!(page, "{}: whole text, a profile would cost more", file.path);
        if let Some(note) = &file.decoding {
            page.note(note);
        }
        page.source(&file.text);
        page
    }

    fn modified(&self) -> String {
        self.analysed.file.modified.and_then(timestamp).map_or(String::new(), |time| format!(", modified {time}"))
    }

    fn visible(&self) -> impl Iterator<Item = (&Symbol, usize)> {
        walk_symbols(&self.analysed.facts.symbols).filter(|(symbol, _)| !symbol.local)
    }

    /// The header: the file, the evidence, and a summary of the shown and omitted parts.
    fn header(&self, level: Level, context: &CallContext) -> Page {
        let Analysed { file, language, facts, evidence } = &self.analysed;
        let mut page = Page::default();
        let path = file.path.as_str();
        let language = language.map_or("no known language", |language| language.name);
        let _ = writeln!(
            page,
            "{path}: {language}, {} lines, {} bytes{}, ~{} tokens raw",
            file.line_count(),
            file.size_bytes,
            self.modified(),
            self.raw_tokens
        );
        if evidence.completeness != Completeness::Complete || evidence.analysis.contains('(') {
            let gap = evidence.skipped.first().map_or(String::new(), |skipped| format!(": {}", skipped.reason));
            page.put(Part::Caution, "evidence:");
            let _ = writeln!(page, " {}, {}{gap}", evidence.completeness.as_str(), evidence.analysis);
        }
        for note in &evidence.notes {
            page.note(note);
        }
        if matches!(facts.coverage, Coverage::NotParsed(_)) {
            let next = context.next();
            let next = Message::from("no symbols to show; next: ")
                .call(next.lines(path, "1-40"))
                .words("; ")
                .call(next.raw_text(path));
            next.write(context, &mut page);
            page.push('\n');
        } else {
            self.write_summary(level, context, &mut page);
        }
        page
    }

    /// Writes a summary of the shown and omitted parts, and the follow-up calls.
    fn write_summary(&self, level: Level, context: &CallContext, page: &mut Page) {
        let facts = &self.analysed.facts;
        let count = walk_symbols(&facts.symbols).count();
        let members = self.visible().filter(|(symbol, _)| is_member(symbol)).count();
        page.push_str(&counted(count, "symbol", "symbols"));
        match level {
            Level::Skeleton | Level::Code => {
                if self.skeleton.folded > 0 {
                    let _ = write!(page, "; {} bodies collapsed to {FOLDED}, not empty", self.skeleton.folded);
                }
            }
            _ => {
                let local = walk_symbols(&facts.symbols).filter(|(symbol, _)| symbol.local).count();
                if level >= Level::Signatures && members > 0 {
                    let _ = write!(page, ", {members} of them members left out");
                }
                if local > 0 {
                    let _ = write!(page, ", {local} local left out");
                }
                page.push_str("; bodies collapsed, not empty");
                if level == Level::Prices {
                    page.push_str("; ~N: tokens of the body");
                }
            }
        }
        page.push('\n');
        page.put(Part::Label, "next:");
        for (index, call) in self.next_calls(level, context).into_iter().enumerate() {
            page.push_str(if index == 0 { " " } else { "; " });
            page.put(Part::Call, context.command(&call));
        }
        page.push('\n');
        self.write_dependencies(level, context, page);
    }

    /// Follow-up calls that read more of the file: one symbol, its lines, or the whole text.
    fn next_calls(&self, level: Level, context: &CallContext) -> Vec<Call> {
        let path = self.analysed.file.path.as_str();
        let first = self.visible().map(|(symbol, _)| symbol).find(|symbol| symbol.kind.is_callable());
        let mut calls = Vec::new();
        if let Some(symbol) = first.or(self.analysed.facts.symbols.first()) {
            calls.push(context.next().body(&symbol_id(path, symbol)));
            if level <= Level::Signatures {
                calls.push(context.next().lines(path, &line_range(symbol.outer_line, symbol.lines.last)));
            }
        }
        if level <= Level::Ranges {
            calls.push(context.next().raw_text(path));
        }
        calls
    }

    fn write_dependencies(&self, level: Level, context: &CallContext, page: &mut Page) {
        let facts = &self.analysed.facts;
        match level {
            // The skeleton already contains the import statements.
            Level::Skeleton | Level::Code => {}
            Level::Prices | Level::Members if !facts.imports.is_empty() => {
                let mut sources: Vec<&str> = facts.imports.iter().map(|import| import.source.as_str()).collect();
                sources.dedup();
                let _ = writeln!(page, "imports: {}", sources.join(", "));
            }
            _ if !facts.imports.is_empty() => {
                let _ = write!(page, "{}; ", counted(facts.imports.len(), "import", "imports"));
            }
            _ => {}
        }
        match level {
            Level::Skeleton | Level::Code | Level::Prices | Level::Members
                if !facts.exports.is_empty() && facts.exports.len() <= 12 =>
            {
                let names: Vec<&str> = facts.exports.iter().map(|export| export.name.as_str()).collect();
                let _ = writeln!(page, "exports: {}", names.join(", "));
            }
            _ => {
                let _ = writeln!(page, "{}", counted(facts.exports.len(), "export", "exports"));
            }
        }
        self.write_relations(level, context, page);
    }

    /// The dependencies and dependents of a file, where imports of its language are followed.
    fn followed(&self) -> Option<&Dependencies> {
        self.relations.as_ref().filter(|relations| relations.are_imports_resolved)
    }

    fn write_relations(&self, level: Level, context: &CallContext, out: &mut Page) {
        let Some(relations) = self.followed() else {
            if self.analysed.language.is_some_and(|language| language.tier != Tier::Document) {
                out.push_str("where imports lead, and usage: not known of this language\n");
            }
            return;
        };
        let (outgoing, incoming) = (relations.outgoing.len(), relations.incoming.len());
        let is_whole = relations.evidence.completeness == Completeness::Complete;
        let at_least = if is_whole { "" } else { "at least " };
        if level >= Level::Signatures {
            let outgoing = counted(outgoing, "file", "files");
            let _ = write!(out, "depends on {outgoing}; used by {at_least}{incoming}");
            if !is_whole {
                Message::from("; all: ").call(self.usage_call(context)).write(context, out);
            }
            out.push('\n');
            return;
        }
        let listed = |ends: &[Neighbour], most: usize| {
            let paths: Vec<&str> = ends.iter().take(most).map(|end| end.path.as_str()).collect();
            let more = ends.len().saturating_sub(most);
            let more = if more > 0 { format!(", … +{more} more") } else { String::new() };
            format!("{}{more}", paths.join(", "))
        };
        match outgoing {
            0 => out.push_str("depends on no file\n"),
            _ => {
                let _ = writeln!(out, "depends on {outgoing}: {}", listed(&relations.outgoing, OUTGOING));
            }
        }
        match incoming {
            0 if is_whole => out.push_str("used by no file\n"),
            0 => out.push_str("used by: none found so far\n"),
            _ => {
                let _ = writeln!(out, "used by {at_least}{incoming}: {}", listed(&relations.incoming, INCOMING));
            }
        }
        if !is_whole {
            let why = reasons(relations).next().map_or(String::new(), |why| format!("{}; ", clip(&why, 120)));
            let message = Message::from(format!("not all users: {why}to find them: "));
            message.call(self.usage_call(context)).write(context, out);
            out.push('\n');
        }
    }

    /// The call that finds all dependents of the file, without the time limit of a profile.
    fn usage_call(&self, context: &CallContext) -> Call {
        context.next().dependents(&self.analysed.file.path)
    }

    /// The profile at one level of detail.
    fn page_at(&self, level: Level, context: &CallContext) -> Page {
        let mut out = self.header(level, context);
        if matches!(self.analysed.facts.coverage, Coverage::NotParsed(_)) {
            return out;
        }
        out.push('\n');
        match level {
            Level::Skeleton => self.write_skeleton(&self.skeleton, &mut out),
            Level::Code => {
                let text = &self.analysed.file.text;
                let folds = &self.analysed.facts.folds;
                self.write_skeleton(&build_skeleton(text, folds, 0..text.len(), Options { comments: false }), &mut out);
            }
            Level::Prices | Level::Members | Level::Signatures => self.write_signatures(level, &mut out),
            Level::Ranges | Level::Names => self.write_names(level, usize::MAX, &mut out),
        }
        out
    }

    /// Writes the skeleton. The first line of each symbol is marked with the symbol's whole line range.
    fn write_skeleton(&self, skeleton: &Skeleton, out: &mut Page) {
        let mut ranges: HashMap<u32, Lines> = HashMap::new();
        for (symbol, _) in self.visible() {
            ranges.entry(symbol.lines.first).or_insert(symbol.lines);
        }
        for line in &skeleton.lines {
            let begins = (line.lines.first..=line.lines.last).find_map(|number| ranges.get(&number));
            let Lines { first, last } = begins.copied().unwrap_or(line.lines);
            out.put(Part::Number, line_range(first, last));
            out.push_str(": ");
            out.put(Part::Source, &line.text);
            out.push('\n');
        }
    }

    fn write_signatures(&self, level: Level, out: &mut Page) {
        for (symbol, depth) in self.visible() {
            if level == Level::Signatures && is_member(symbol) {
                continue;
            }
            for _ in 0..depth {
                out.push(' ');
            }
            out.put(Part::Number, line_range(symbol.lines.first, symbol.lines.last));
            out.push(' ');
            if level == Level::Prices && !symbol.kind.is_member_value() {
                let _ = write!(out, "~{} ", self.costs.tokens_in_lines(symbol.outer_line, symbol.lines.last));
            }
            let _ = writeln!(
                out,
                "{}",
                clip_signature(&symbol.signature, &symbol.name, if level == Level::Signatures { 90 } else { 300 })
            );
        }
    }

    /// Writes the names of the first `most` symbols. The names of one owner share its line.
    fn write_names(&self, level: Level, most: usize, page: &mut Page) {
        let mut out = String::new();
        let symbols: Vec<(&Symbol, usize)> = self.visible().filter(|(symbol, _)| !is_member(symbol)).collect();
        let mut previous_depth = 0;
        for (index, (symbol, depth)) in symbols.iter().take(most).enumerate() {
            // After a deeper level, the owner must be named again.
            let back = *depth > 0 && *depth < previous_depth;
            if index > 0 {
                out.push_str(match depth {
                    0 => "\n",
                    _ if back => "; ",
                    _ if *depth > previous_depth => ": ",
                    _ => ", ",
                });
            }
            previous_depth = *depth;
            if level == Level::Ranges {
                let _ = write!(out, "{} ", line_range(symbol.lines.first, symbol.lines.last));
            }
            out.push_str(if back { &symbol.qualified_name } else { &symbol.name });
        }
        page.source(&out);
    }

    /// The longest list of names that fits the budget, with counts of the remaining symbols by kind. Under a smaller
    /// budget: only counts.
    fn fewer_names(&self, context: &CallContext, budget: Budget) -> (TextForm, Page) {
        let total = self.visible().filter(|(symbol, _)| !is_member(symbol)).count();
        let (mut low, mut high) = (0, total);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if budget.admits(self.names_page(middle, context).text()) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        let forms = [TextForm::Names(low), TextForm::Counts, TextForm::Bare];
        let mut fitting = forms.into_iter().map(|form| (form, self.page_in(form, context)));
        let fits = |(form, page): &(TextForm, Page)| *form == TextForm::Bare || budget.admits(page.text());
        fitting.find(fits).unwrap_or_else(|| (TextForm::Bare, self.bare_page()))
    }

    /// The names of the first `most` symbols, with the number of omitted symbols by kind.
    fn names_page(&self, most: usize, context: &CallContext) -> Page {
        let mut page = self.header(Level::Names, context);
        page.put(Part::Caution, "left out to fit the budget:");
        let _ = write!(page, " {}\n\n", self.kinds_left_out(most));
        self.write_names(Level::Names, most, &mut page);
        page
    }

    /// The numbers of lines and symbols, with the call that reads the file as lines.
    fn counts_page(&self, context: &CallContext) -> Page {
        let file = &self.analysed.file;
        let total = self.visible().filter(|(symbol, _)| !is_member(symbol)).count();
        let mut page = Page::default();
        let counts = format!("{}: {} lines, {total} symbols; next: ", file.path, file.line_count());
        Message::from(counts).call(context.next().all_lines(&file.path)).write(context, &mut page);
        page.push('\n');
        page
    }

    /// The numbers of lines and symbols, where nothing else fits.
    fn bare_page(&self) -> Page {
        let total = self.visible().filter(|(symbol, _)| !is_member(symbol)).count();
        let mut page = Page::default();
        let lines = self.analysed.file.line_count();
        let _ = writeln!(page, "{lines} lines, {total} symbols; none fits: raise max_tokens");
        page
    }

    fn page_in(&self, form: TextForm, context: &CallContext) -> Page {
        match form {
            TextForm::At(level) => self.page_at(level, context),
            TextForm::Names(most) => self.names_page(most, context),
            TextForm::Counts => self.counts_page(context),
            TextForm::Bare => self.bare_page(),
            TextForm::Raw => self.raw_page(),
        }
    }

    /// The number of symbols of each kind after the first `most`.
    fn kinds_left_out(&self, most: usize) -> String {
        let mut counts = std::collections::BTreeMap::new();
        for (symbol, _) in self.visible().filter(|(symbol, _)| !is_member(symbol)).skip(most) {
            *counts.entry(symbol.kind.as_str()).or_insert(0usize) += 1;
        }
        let counts: Vec<String> =
            counts.into_iter().map(|(kind, count)| format!("{} {kind}", grouped(count as u64))).collect();
        if counts.is_empty() { "lines and signatures".to_owned() } else { counts.join(", ") }
    }

    /// The minimal JSON, where nothing else fits.
    fn bare_json(&self) -> String {
        let bare = serde_json::json!({
            "line_count": self.analysed.file.line_count(),
            "symbol_count": walk_symbols(&self.analysed.facts.symbols).count(),
            "completeness": self.analysed.evidence.completeness.as_str(),
            "hint": "raise max_tokens",
        });
        format!("{bare}\n")
    }

    fn wire(&self, context: &CallContext, full: bool, stage: JsonStage, numbered: bool) -> ProfileWire<'_> {
        let Analysed { file, language, facts, evidence } = &self.analysed;
        let path = file.path.as_str();
        let mut symbols = if stage == JsonStage::Counts {
            Vec::new()
        } else {
            SymbolRow::forest(path, facts.symbols.clone(), &self.costs, usize::MAX, &|symbol| full || !symbol.local)
        };
        if stage == JsonStage::Names {
            symbols.iter_mut().for_each(SymbolRow::keep_names);
        }
        let folded = self.skeleton.folded > 0;
        let first = facts.symbols.first();
        let lines = first.map_or_else(|| "1-40".to_owned(), |symbol| line_range(symbol.outer_line, symbol.lines.last));
        ProfileWire {
            evidence: serde_json::json!({
                "completeness": evidence.completeness.as_str(),
                "analysis": evidence.analysis,
                "skipped": evidence.skipped.iter().map(|s| serde_json::json!({"path": s.path, "reason": s.reason})).collect::<Vec<_>>(),
                "notes": evidence.notes,
            }),
            left_out: match stage {
                JsonStage::Whole => Vec::new(),
                JsonStage::NoSkeleton => vec!["skeleton"],
                JsonStage::Names => vec!["skeleton", "signatures", "imports", "exports"],
                JsonStage::Counts | JsonStage::Bare => vec!["skeleton", "symbols", "imports", "exports"],
            },
            metadata: Metadata {
                path,
                size_bytes: file.size_bytes,
                line_count: file.line_count(),
                language: language.map(|language| language.name),
                last_modified: file.modified.and_then(timestamp),
                tokens: self.raw_tokens,
            },
            structure: Structure {
                symbol_count: walk_symbols(&facts.symbols).count(),
                skeleton: (stage == JsonStage::Whole)
                    .then(|| if numbered { self.skeleton.text_with_line_numbers() } else { self.skeleton.text() }),
                symbols,
            },
            dependencies: DependenciesSection {
                import_count: facts.imports.len(),
                export_count: facts.exports.len(),
                imports: if stage <= JsonStage::NoSkeleton {
                    facts.imports.iter().map(ImportRow::from).collect()
                } else {
                    Vec::new()
                },
                exports: if stage <= JsonStage::NoSkeleton {
                    facts.exports.iter().map(ExportRow::from).collect()
                } else {
                    Vec::new()
                },
                outgoing_count: self.followed().map(|relations| relations.outgoing.len()),
                outgoing: match self.followed() {
                    Some(relations) if stage < JsonStage::Counts => {
                        relations.outgoing.iter().map(|end| end.path.as_str()).collect()
                    }
                    _ => Vec::new(),
                },
                unresolved_count: self.followed().map_or(0, |relations| relations.unresolved.len()),
            },
            usage: self.usage(context),
            guidance: GuidanceSection {
                body_hidden: folded,
                note: folded.then_some("Bodies are collapsed to { ... }: they exist and are hidden, not empty."),
                read_full_hint: context.command(&context.next().raw_text(path)),
                read_fragment_hint: context.command(&context.next().lines(path, &lines)),
            },
        }
    }
}

impl Profile {
    fn usage(&self, context: &CallContext) -> Usage<'_> {
        let Some(relations) = self.followed() else {
            return Usage { completeness: Completeness::Unknown.as_str(), ..Usage::default() };
        };
        let is_whole = relations.evidence.completeness == Completeness::Complete;
        Usage {
            incoming_count: Some(relations.incoming.len()),
            incoming_files: relations.incoming.iter().take(INCOMING).map(|end| end.path.as_str()).collect(),
            completeness: relations.evidence.completeness.as_str(),
            reasons: reasons(relations).take(INCOMING).collect(),
            hint: (!is_whole || relations.incoming.len() > INCOMING)
                .then(|| context.command(&self.usage_call(context))),
        }
    }
}

/// The reasons why the list of dependents is incomplete.
fn reasons(relations: &Dependencies) -> impl Iterator<Item = String> {
    let skipped = relations.evidence.skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason));
    relations.evidence.notes.iter().cloned().chain(skipped)
}

/// The most dependents that a profile names.
const INCOMING: usize = 5;

/// The most dependencies that a profile names as text.
const OUTGOING: usize = 8;

/// Whether a symbol is a member: a field, an enum member, or a non-function inside a type or an object.
fn is_member(symbol: &Symbol) -> bool {
    symbol.kind.is_member_value() || symbol.kind == SymbolKind::Key && symbol.qualified_name.contains('.')
}

/// The time in ISO 8601, UTC, with a precision of one second.
fn timestamp(time: SystemTime) -> Option<String> {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    let (days, rest) = (i64::try_from(seconds / 86_400).ok()?, seconds % 86_400);
    // Conversion from days to a civil date, after Howard Hinnant's `civil_from_days`.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_shifted + 2) / 5 + 1;
    let month = if month_shifted < 10 { month_shifted + 3 } else { month_shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest % 3_600 / 60, rest % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// How far a profile's JSON is degraded.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum JsonStage {
    Whole,
    NoSkeleton,
    Names,
    Counts,
    /// Only the numbers of lines and symbols.
    Bare,
}

/// The form of a profile as text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextForm {
    /// The profile at one level of detail.
    At(Level),
    /// The names of this number of symbols, with counts of the remaining symbols by kind.
    Names(usize),
    /// The numbers of lines and symbols, with a follow-up call.
    Counts,
    /// Only the numbers of lines and symbols.
    Bare,
    /// The raw text of the file, where a profile would cost more tokens.
    Raw,
}

/// A profile in the richest form that fits its budget.
struct FittedProfile {
    profile: Profile,
    form: TextForm,
    stage: JsonStage,
    /// Whether the JSON includes symbols that are local to functions.
    full: bool,
    /// Whether the skeleton in JSON has line numbers.
    numbered: bool,
}

impl FittedProfile {
    /// The richest stage of the JSON that fits the budget of a call.
    fn fitting_stage(&self, context: &CallContext, view: &View) -> JsonStage {
        let budget = Budget::new(context, view);
        let stages = [JsonStage::Whole, JsonStage::NoSkeleton, JsonStage::Names, JsonStage::Counts];
        let mut fitting = stages.into_iter().filter(|stage| budget.admits(&self.json_at(*stage, context)));
        fitting.next().unwrap_or(JsonStage::Bare)
    }

    fn json_at(&self, stage: JsonStage, context: &CallContext) -> String {
        let wire = self.profile.wire(context, self.full, stage, self.numbered);
        let mut out = serde_json::to_string(&wire).unwrap_or_default();
        out.push('\n');
        out
    }
}

impl Content for FittedProfile {
    fn page(&self, context: &CallContext) -> Page {
        self.profile.page_in(self.form, context)
    }

    fn json(&self, context: &CallContext) -> String {
        match self.stage {
            JsonStage::Bare => self.profile.bare_json(),
            stage => self.json_at(stage, context),
        }
    }

    fn places(&self) -> Vec<Place> {
        vec![Place::file(&self.profile.analysed.file.path, Closeness::Read)]
    }
}

#[derive(Serialize)]
struct ProfileWire<'a> {
    evidence: serde_json::Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<&'static str>,
    metadata: Metadata<'a>,
    structure: Structure,
    dependencies: DependenciesSection<'a>,
    usage: Usage<'a>,
    guidance: GuidanceSection,
}

#[derive(Serialize)]
struct Metadata<'a> {
    path: &'a str,
    size_bytes: u64,
    line_count: u32,
    language: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
    tokens: usize,
}

#[derive(Serialize)]
struct Structure {
    symbol_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    skeleton: Option<String>,
    symbols: Vec<SymbolRow>,
}

#[derive(Serialize)]
struct DependenciesSection<'a> {
    import_count: usize,
    export_count: usize,
    imports: Vec<ImportRow>,
    exports: Vec<ExportRow>,
    /// Number of project files that the file depends on; absent where imports of its language are not followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    outgoing_count: Option<usize>,
    outgoing: Vec<&'a str>,
    #[serde(skip_serializing_if = "crate::view::is_default")]
    unresolved_count: usize,
}

#[derive(Serialize, Default)]
struct Usage<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    incoming_count: Option<usize>,
    incoming_files: Vec<&'a str>,
    completeness: &'static str,
    /// The reasons why the count is only a lower bound.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Serialize)]
struct GuidanceSection {
    body_hidden: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    read_full_hint: String,
    read_fragment_hint: String,
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    #[test]
    fn timestamps_are_civil() {
        let at = |seconds| super::timestamp(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(at(951_827_696).as_deref(), Some("2000-02-29T12:34:56Z"));
    }
}
