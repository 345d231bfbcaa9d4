//! The details of rows of symbols, in the order in which an answer that is too long gives them up.
//!
//! Every tool that lists symbols uses this one order: names with lines are worth most, then the names of parameters, types,
//! documentation, decorators, fields, and values. Rows of private symbols give up a detail before the others do.

use std::borrow::Cow;

use peelback_code::syntax::signature::{
    declaration_without_value, signature_with_parameter_names, signature_without_default_values,
};

use crate::left_out::LeftOut;
use crate::rows::SymbolRow;

/// A detail of the rows of symbols, in the order of removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SymbolDetail {
    /// Default values of parameters, and what constants and fields are set to.
    Values,
    /// Fields, properties and enum members inside of other symbols; types of constants outside.
    Members,
    /// Decorators and attributes.
    Decorators,
    /// The first line of the documentation.
    Documentation,
    /// Types of parameters and results, and modifiers: `pub`, `async`, `static`.
    Types,
    /// What reading each symbol costs.
    Costs,
    /// The declarations of symbols that are not called: bases, type parameters, aliased types.
    Headers,
    /// The names of parameters.
    Parameters,
}

impl SymbolDetail {
    const IN_ORDER_OF_REMOVAL: [Self; 8] = [
        Self::Values,
        Self::Members,
        Self::Decorators,
        Self::Documentation,
        Self::Types,
        Self::Costs,
        Self::Headers,
        Self::Parameters,
    ];

    /// The noun for the detail in a list of what was left out.
    fn noun(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Members => "members",
            Self::Decorators => "decorators",
            Self::Documentation => "documentation",
            Self::Types => "types and modifiers",
            Self::Costs => "costs",
            Self::Headers => "declarations of types and values",
            Self::Parameters => "parameters",
        }
    }

    /// Removes the detail from one row, without its children, and returns how many items were removed.
    fn remove_from_row(self, row: &mut SymbolRow) -> usize {
        match self {
            Self::Values => {
                let short = match row.kind.is_value() {
                    true => Cow::Borrowed(declaration_without_value(&row.signature)),
                    false => signature_without_default_values(&row.signature, &row.name),
                };
                replace_signature(row, short.into_owned())
            }
            Self::Members => {
                let before = row.children.len();
                row.children.retain(|child| !child.kind.is_field_property_or_enum_member());
                before - row.children.len()
            }
            Self::Decorators => usize::from(!std::mem::take(&mut row.decorators).is_empty()),
            Self::Documentation => usize::from(row.docstring.take().is_some()),
            Self::Types if !row.kind.is_callable() => 0,
            Self::Types => {
                let short = signature_with_parameter_names(&row.signature, &row.name).into_owned();
                replace_signature(row, short)
            }
            Self::Costs => usize::from(row.tokens.take().is_some()),
            Self::Headers if row.kind.is_callable() => 0,
            Self::Headers => {
                let bare = format!("{} {}", row.kind.as_str(), row.name);
                let is_longer = row.signature.len() > bare.len();
                if is_longer {
                    row.signature.clear();
                }
                usize::from(is_longer)
            }
            Self::Parameters => usize::from(!std::mem::take(&mut row.signature).is_empty()),
        }
    }
}

fn replace_signature(row: &mut SymbolRow, short: String) -> usize {
    let is_shorter = short.len() < row.signature.len();
    if is_shorter {
        row.signature = short;
    }
    usize::from(is_shorter)
}

/// The details that the rows of an answer still have.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DetailLadder {
    /// The number of removals so far: two for each detail, one from private symbols and one from all.
    step: usize,
}

impl DetailLadder {
    /// How many removals leave the names of parameters in all rows.
    pub const REMOVALS_THAT_KEEP_PARAMETERS: usize = 2 * (SymbolDetail::IN_ORDER_OF_REMOVAL.len() - 1);

    /// Removes the next detail from trees of rows as long as functions and methods keep their parameters.
    pub fn remove_next_detail_beyond_parameters(&mut self, trees: &mut [SymbolRow]) -> Option<LeftOut> {
        if self.step >= Self::REMOVALS_THAT_KEEP_PARAMETERS {
            return None;
        }
        self.remove_next_detail(&mut trees.iter_mut().collect::<Vec<_>>())
    }

    /// Removes the next detail from trees of rows, and where only names and lines are left, the deepest level of them: one
    /// large container must not hide all of its children. Returns what was removed, or `None` where only the names of the
    /// top level are left.
    pub fn remove_next_detail_or_level(&mut self, trees: &mut [SymbolRow]) -> Option<LeftOut> {
        if let Some(left_out) = self.remove_next_detail(&mut trees.iter_mut().collect::<Vec<_>>()) {
            return Some(left_out);
        }
        let depth = trees.iter().map(SymbolRow::tree_depth).max().unwrap_or(1);
        if depth < 2 {
            return None;
        }
        let before: usize = trees.iter().map(SymbolRow::count_rows_in_tree).sum();
        trees.iter_mut().for_each(|row| row.remove_rows_below_depth(depth - 1));
        let after: usize = trees.iter().map(SymbolRow::count_rows_in_tree).sum();
        Some(LeftOut { what: "nested symbols", count: before - after })
    }

    /// Removes the next detail from rows and their children. Returns what was removed, or `None` where the rows have only
    /// names and lines.
    pub fn remove_next_detail(&mut self, rows: &mut [&mut SymbolRow]) -> Option<LeftOut> {
        let detail = SymbolDetail::IN_ORDER_OF_REMOVAL.get(self.step / 2).copied()?;
        let is_from_private_rows_only = self.step.is_multiple_of(2);
        self.step += 1;
        let mut count = 0;
        for row in rows {
            let is_private = row.visibility == Some("private");
            let mut stack: Vec<(&mut SymbolRow, bool)> = vec![(row, is_private)];
            while let Some((row, is_private)) = stack.pop() {
                if is_private || !is_from_private_rows_only {
                    count += detail.remove_from_row(row);
                }
                stack.extend(row.children.iter_mut().map(|child| {
                    let is_private = is_private || child.visibility == Some("private");
                    (child, is_private)
                }));
            }
        }
        Some(LeftOut { what: detail.noun(), count })
    }
}
