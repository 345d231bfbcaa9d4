//! What names refer to across files: look-up by scope, imports followed to the definition, members through the types of
//! their receivers.
//!
//! [`resolver::Resolver`] evaluates the expressions of [`peelback_syntax::Names`] on demand, and loads a file's names
//! when an expression leads to it. Each evaluation has a budget, so that no source makes it hang. What differs between
//! languages is a question to [`crate::semantics::LanguageSemantics`].
//!
//! - `declaration.rs`, `definition.rs`, `value.rs`, `inner_values.rs`, `structural.rs`: the results. `budget.rs`, `memo.rs`, `index.rs`:
//!   what limits, stores and indexes them. `resolver.rs`: the state.
//! - `scopes.rs`: bare names. `namespaces.rs`: namespaces that are spread over files, `namespace_members.rs` their members,
//!   `spread_names.rs` bare names there. `include_links.rs`: files that include one another. `imports.rs`: imports. `module_members.rs`: the members of modules. `members.rs`: the members
//!   of types, through extensions and bases. `occurrences.rs`: occurrences and expressions as names. `forwarding.rs`: definitions
//!   that only pass on another one, `module_constants.rs` the variables among them.
//! - `values.rs`: the values of expressions. `calls.rs`: the results of calls. `instances.rs`: instances of types.
//!   `elements.rs`: the elements of containers. `inference.rs`: type parameters of a function that is called.
//!   `signatures.rs`: what types declare of calls and arguments. `declared_parameters.rs`: what functions declare of their parameters. `closures.rs`: the parameters of closures.
//!   `cyclic_types.rs`: types that derive from themselves. `spread_types.rs`: types that are opened in several files. `receivers.rs`: of which types an object may be an heir. `member_scopes.rs`: bare names that can be members.

pub(crate) mod budget;
mod calls;
mod closures;
mod cyclic_types;
mod declaration;
mod declared_parameters;
pub(crate) mod definition;
mod elements;
mod forwarding;
mod handed_out_functions;
mod imports;
pub(crate) mod include_links;
pub(crate) mod index;
pub(crate) mod inference;
pub(crate) mod inner_values;
mod instances;
mod macro_calls;
mod member_scopes;
mod members;
pub(crate) mod memo;
pub(crate) mod missing;
mod module_constants;
mod module_members;
mod namespace_members;
mod namespace_tables;
pub(crate) mod namespaces;
mod occurrences;
pub(crate) mod outside;
pub(crate) mod parameter_types;
mod receivers;
pub(crate) mod resolver;
pub(crate) mod returned_members;
mod scopes;
mod signatures;
mod spread_names;
pub(crate) mod spread_types;
pub(crate) mod structural;
mod type_parts;
pub(crate) mod value;
mod values;
