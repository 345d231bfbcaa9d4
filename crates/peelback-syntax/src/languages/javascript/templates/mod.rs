//! The names that the markup of components uses: Vue, Svelte and Astro. A handwritten reader finds the expressions in the
//! markup and records their names beside those of the scripts.
//!
//! - `tokens`, `lexer`, `markup_lexer`: expressions as tokens, and in Astro the whole markup.
//! - `patterns`, `expressions`: what the tokens bind and use.
//! - `sink`: what a name means.
//! - `tags`: the tags of HTML with their attributes.
//! - `vue`, `svelte`, `astro`: the markup of each language.
//! - `component`: the component that a file defines as a whole.
//! - `component_members`: the members of a Vue component.
//! - `stores`: the uses of stores in the scripts of Svelte.

mod astro;
mod component;
mod component_members;
mod expressions;
mod lexer;
mod markup_lexer;
mod patterns;
mod sink;
mod stores;
mod svelte;
mod tags;
#[cfg(all(test, feature = "lang-javascript", feature = "lang-typescript"))]
mod tests;
mod tokens;
mod vue;

pub(crate) use astro::record_names_in_astro_markup;
pub(crate) use svelte::record_names_in_svelte_markup;
pub(crate) use vue::record_names_in_vue_markup;
