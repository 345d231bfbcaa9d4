//! TypeScript: the frontend of JavaScript over two grammars. In `.tsx` files `<T>x` is an element, not a type
//! assertion.

use super::javascript::EcmaScript;
use crate::language::{Analysis, Language, Tier};

static FRONTEND: EcmaScript = EcmaScript { typescript: true };

pub(crate) static LANGUAGE: Language = Language {
    name: "typescript",
    tier: Tier::Complete,
    extensions: &["ts", "mts", "cts"],
    file_names: &[],
    interpreters: &["ts-node", "tsx", "deno"],
    analysis: Analysis::Frontend { grammar: tree_sitter_typescript::LANGUAGE_TYPESCRIPT, frontend: &FRONTEND },
};

pub(crate) static TSX: Language = Language {
    name: "tsx",
    tier: Tier::Complete,
    extensions: &["tsx"],
    file_names: &[],
    interpreters: &[],
    analysis: Analysis::Frontend { grammar: tree_sitter_typescript::LANGUAGE_TSX, frontend: &FRONTEND },
};
