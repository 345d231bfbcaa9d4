//! The references to symbols: names are resolved, not only matched.
//!
//! 1. `scan.rs` reads every file that is not known to lack the target's names, and notes the lines that contain one.
//! 2. `aliases.rs` finds further names of the target (imports and exports under another name), until there is no new one.
//! 3. `classifier.rs` asks the resolver what each occurrence of such a name means (`meaning.rs`).
//!
//! `relations.rs` goes on from references to callers and callees, `implementations.rs` to what derives from a
//! definition. `inherited.rs` finds members by the names of their heirs, `family.rs` describes what a member overrides and
//! what overrides it.
//! `outline_symbols.rs` finds the symbol of the outline that a definition is, `reference_lines.rs` the lines of
//! references. `plausibility.rs` weighs places of which only the name is known, by the name of the receiver
//! (`name_match.rs`) and by the other members that are used of it (`receiver_members.rs`).

mod aliases;
mod classifier;
mod conditional_code;
mod derived;
mod enclosing;
mod family;
mod implementations;
mod inherited;
mod linkage;
mod meaning;
mod name_match;
mod outline_symbols;
mod overloads;
mod plausibility;
mod query;
mod receiver_members;
mod reference;
mod reference_lines;
mod relations;
mod scan;
mod search;
mod target;
mod uses;

pub use inherited::InheritedMembers;
pub use reference::{Confidence, Endpoint, Reference, ReferenceQuery, References, Relation, SymbolQuery};
