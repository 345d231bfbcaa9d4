//! The markup of Astro: JSX with HTML's leniency, behind the code between two lines of `---`.

use super::expressions::record_names_in_tokens;
use super::lexer::{Dialect, Lexer};
use super::sink::{FileNames, MarkupNames};
use crate::languages::javascript::embedded::astro_code_and_start_of_markup;
use crate::names::{NamesBuilder, Role};

/// Records the names that the markup of an Astro file uses, after those of its code.
pub(crate) fn record_names_in_astro_markup(builder: &mut NamesBuilder<'_>) {
    let source = builder.source;
    let (_, start) = astro_code_and_start_of_markup(source);
    let mut tokens = Lexer::new(source, start..source.len(), Dialect::WithMarkup).tokens_of_markup();
    let end = tokens.len();
    record_names_in_tokens(&mut tokens, (0, end), Role::Read, &mut MarkupNames::new(builder, FileNames::InScope));
}
