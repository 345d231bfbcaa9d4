//! What a profile knows of its file, before rendering.

use std::fmt::Write as _;
use std::time::SystemTime;

use peelback_code::syntax::skeleton::{Options, Skeleton, build_skeleton};
use peelback_code::syntax::{Symbol, SymbolKind, walk_symbols_with_depth};
use peelback_code::{AnalysedFile, Dependencies, escape_to_one_line};
use peelback_tokens::{LineCosts, estimate_tokens};

use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_line_range};
use crate::shorten::clip_signature_keeping_name;

/// The data of a file's profile, before rendering.
pub(crate) struct FileProfile {
    pub(super) analysed: AnalysedFile,
    /// The file's dependencies and dependents; `None` where they could not be determined.
    pub(super) relations: Option<Dependencies>,
    pub(super) skeleton: Skeleton,
    pub(super) costs: LineCosts,
    pub(super) raw_tokens: usize,
}

impl FileProfile {
    pub fn new(analysed: AnalysedFile, relations: Option<Dependencies>) -> Self {
        let text = &analysed.file.text;
        let skeleton = build_skeleton(text, &analysed.facts.folds, 0..text.len(), Options { comments: true });
        let costs = LineCosts::new(text);
        let raw_tokens = estimate_tokens(text);
        Self { analysed, relations, skeleton, costs, raw_tokens }
    }

    /// The first symbols of the file, as a preview for a person.
    pub fn render_preview(&self) -> String {
        const MAX_PREVIEW_ROWS: usize = 8;
        let file = &self.analysed.file;
        let total = self.non_local_symbols_with_depth().count();
        let mut out = format!(
            "{}: {}, {}\n",
            file.path,
            format_count_with_noun(file.line_count() as usize, "line", "lines"),
            format_count_with_noun(total, "symbol", "symbols")
        );
        for (symbol, _) in self.non_local_symbols_with_depth().take(MAX_PREVIEW_ROWS) {
            let lines = format_line_range(symbol.lines.first, symbol.lines.last);
            let _ = writeln!(
                out,
                "  {lines} {}",
                escape_to_one_line(&clip_signature_keeping_name(&symbol.signature, &symbol.name, 110))
            );
        }
        if total > MAX_PREVIEW_ROWS {
            let _ = writeln!(out, "  … +{} more", total - MAX_PREVIEW_ROWS);
        }
        out
    }

    pub(super) fn non_local_symbols_with_depth(&self) -> impl Iterator<Item = (&Symbol, usize)> {
        walk_symbols_with_depth(&self.analysed.facts.symbols).filter(|(symbol, _)| !symbol.local)
    }

    /// The number of the file's symbols that are neither members nor local to functions.
    pub(super) fn count_non_member_non_local_symbols(&self) -> usize {
        self.non_local_symbols_with_depth().filter(|(symbol, _)| !is_field_enum_member_or_nested_key(symbol)).count()
    }

    /// The time of the file's last change as text; `None` where it is unknown or before 1970.
    pub(super) fn last_modified_timestamp(&self) -> Option<String> {
        self.analysed.file.modified.and_then(format_utc_timestamp)
    }

    /// The dependencies and dependents of the file, if imports of its language are followed.
    pub(super) fn dependencies_if_imports_followed(&self) -> Option<&Dependencies> {
        self.relations.as_ref().filter(|relations| relations.are_imports_resolved)
    }

    /// The call that finds all dependents of the file, without the time limit of a profile.
    pub(super) fn dependents_call(&self, context: &CallContext) -> Call {
        context.follow_up_call_builder().dependents_call(&self.analysed.file.path)
    }
}

/// The reasons why the list of a file's dependents is incomplete.
pub(super) fn incomplete_dependents_reasons(relations: &Dependencies) -> impl Iterator<Item = String> {
    let skipped = relations.evidence.skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason));
    relations.evidence.notes.iter().cloned().chain(skipped)
}

/// Whether a symbol is a member: a field, a property, an enum member, or a key inside another key.
pub(super) fn is_field_enum_member_or_nested_key(symbol: &Symbol) -> bool {
    symbol.kind.is_field_property_or_enum_member()
        || symbol.kind == SymbolKind::Key && symbol.qualified_name.contains('.')
}

/// A time as text in ISO 8601, UTC, with a precision of one second; `None` before 1970 and after 9999.
fn format_utc_timestamp(time: SystemTime) -> Option<String> {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    let time = jiff::Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
    Some(time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    #[test]
    fn timestamps_are_civil() {
        let at = |seconds| super::format_utc_timestamp(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(at(951_827_696).as_deref(), Some("2000-02-29T12:34:56Z"));
    }
}
