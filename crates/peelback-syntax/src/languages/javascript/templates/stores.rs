//! The uses of stores in the scripts of Svelte: `$count` is the value of the store `count`.

use std::collections::HashSet;

use crate::names::{Expr, FILE_SCOPE, NameId, NamesBuilder, Occurrence, Target};

/// Whether the word `$…` at byte `at` is one of the functions of Svelte that look like values of stores.
pub(super) fn is_rune_use(source: &str, at: usize, word: &str) -> bool {
    let is_rune = matches!(word, "$state" | "$derived" | "$effect" | "$props" | "$bindable" | "$inspect" | "$host");
    let after = source.get(at + word.len()..).unwrap_or("");
    let member = after.strip_prefix('.').unwrap_or("");
    let known = ["raw", "snapshot", "eager", "by", "pre", "tracking", "pending", "root", "id", "trace"];
    is_rune && (after.starts_with(['(', '<']) || known.iter().any(|name| member.starts_with(name)))
}

/// Adds the uses of the stores whose values the scripts use.
pub(super) fn record_store_uses_in_scripts(builder: &mut NamesBuilder<'_>) {
    let names = &builder.names;
    let bound: HashSet<NameId> = names.bindings.iter().map(|binding| binding.name).collect();
    let of_file: HashSet<&str> = names
        .bindings
        .iter()
        .filter(|binding| binding.scope == FILE_SCOPE)
        .map(|binding| names.name_text(binding.name))
        .collect();
    let is_store_value = |found: &&Occurrence| {
        let text = names.name_text(found.name);
        matches!(found.target, Target::Expr(expr) if matches!(names.expr_by_id(expr), Expr::Name { .. }))
            && text.strip_prefix('$').is_some_and(|store| of_file.contains(store))
            && !bound.contains(&found.name)
            && !is_rune_use(builder.source, found.at as usize, text)
    };
    let uses: Vec<Occurrence> = names.occurrences.iter().filter(is_store_value).cloned().collect();
    for found in uses {
        let start = found.at as usize + 1;
        let length = builder.names.name_text(found.name).len().saturating_sub(1);
        let name = builder.name_id_of_source_range(start..start + length);
        let expr = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: found.at + 1 });
        builder.record_occurrence_at_offset(name, start, found.line, found.role, Target::Expr(expr));
    }
}
