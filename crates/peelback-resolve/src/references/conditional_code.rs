//! Conditional code: the lines of a file that only some builds compile.

use std::collections::HashMap;

use peelback_syntax::Names;
use peelback_syntax::names::NameId;

use crate::modules::FileId;
use crate::resolve::resolver::Resolver;

/// Line ranges that are compiled only if a macro is defined that no file of the project defines. The ranges are sorted
/// and do not touch.
pub(super) struct ConditionalCode(Vec<(u32, u32)>);

impl ConditionalCode {
    pub fn new(resolver: &Resolver<'_>, file: FileId, names: &Names) -> Self {
        let mut macros: HashMap<NameId, bool> = HashMap::new();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for condition in &names.conditions {
            let is_macro =
                macros.entry(condition.name).or_insert_with(|| resolver.is_name_of_visible_macro(file, condition.name));
            if *is_macro {
                continue;
            }
            // Conditions are in the order of their first lines.
            let (first, last) = condition.lines;
            match ranges.last_mut().filter(|range| first <= range.1.saturating_add(1)) {
                Some(range) => range.1 = range.1.max(last),
                None => ranges.push((first, last)),
            }
        }
        Self(ranges)
    }

    /// Whether a line is in conditional code, so that a name on it may be no reference in the current build.
    pub fn contains_line(&self, line: u32) -> bool {
        let before = self.0.partition_point(|(first, _)| *first <= line);
        before.checked_sub(1).and_then(|at| self.0.get(at)).is_some_and(|(_, last)| line <= *last)
    }
}
