//! Which parts of a file only some builds compile.

use std::collections::HashMap;

use peelback_syntax::Names;
use peelback_syntax::names::NameId;

use crate::modules::FileId;
use crate::resolve::resolver::Resolver;

/// The lines of a file that are compiled only where a macro is defined that no file says: no two ranges touch.
pub(super) struct ConditionalCode(Vec<(u32, u32)>);

impl ConditionalCode {
    pub fn of(resolver: &Resolver<'_>, file: FileId, names: &Names) -> Self {
        let mut macros: HashMap<NameId, bool> = HashMap::new();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for condition in &names.conditions {
            let is_macro = macros.entry(condition.name).or_insert_with(|| resolver.is_macro(file, condition.name));
            if *is_macro {
                continue;
            }
            // They come in the order of their first lines.
            let (first, last) = condition.lines;
            match ranges.last_mut().filter(|range| first <= range.1.saturating_add(1)) {
                Some(range) => range.1 = range.1.max(last),
                None => ranges.push((first, last)),
            }
        }
        Self(ranges)
    }

    /// Whether a line is among them: what stands there may be no use in the build that is asked about.
    pub fn have(&self, line: u32) -> bool {
        let before = self.0.partition_point(|(first, _)| *first <= line);
        before.checked_sub(1).and_then(|at| self.0.get(at)).is_some_and(|(_, last)| line <= *last)
    }
}
