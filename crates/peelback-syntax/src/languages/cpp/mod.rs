//! C++, and CUDA, which the C++ grammar parses well enough.

mod repair;

use crate::language::{Analysis, Language, Tier};
use crate::tags::Tags;

pub(crate) static LANGUAGE: Language = Language {
    name: "cpp",
    tier: Tier::Basic,
    extensions: &[
        "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp", "ixx", "cppm", "cu", "cuh",
    ],
    file_names: &[],
    interpreters: &[],
    analysis: Analysis::Tags(
        Tags::new(tree_sitter_cpp::LANGUAGE, include_str!("outline.scm")).with_preparation(repair::repair_source),
    ),
};
