//! A project: a tree of source files below one root, with cached facts about their contents.
//!
//! This crate provides the root and the check that no path leaves it, the directory walk by ripgrep's ignore rules,
//! reading and decoding of files, text search, the [`FileSignature`]s that detect changed files, the [`Snapshot`] that one
//! call works on, and the [`FactsStore`]: the cache of facts computed from contents, in memory and on disk. The store's
//! keys contain the hash of the content, so that a value cannot be stale.
//!
//! With the feature `cache`, the store also keeps facts on disk, in an SQLite file; without it, in memory only. With
//! the feature `git`, the module `git` runs the git program safely and reads repositories without it.
//!
//! This crate resolves no names across files and ranks nothing. Crates above attach their own values to the store, to a
//! snapshot or to a file's names: see [`AttachedValues`].
//!
//! ```no_run
//! use peelback_project::{Project, ProjectReader, WalkOptions};
//!
//! let project = Project::discover(None, None)?;
//! println!("{} files", project.files_in_scope(None, &WalkOptions::default())?.entries.len());
//! let reader = ProjectReader::new(project);
//! let file = reader.read_file("src/lib.rs")?;
//! println!("{} symbols", reader.analyse_file(file).facts.symbols.len());
//! # Ok::<(), peelback_project::CodeError>(())
//! ```

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::string_slice,
        reason = "unit tests fail by a panic"
    )
)]

mod attached_values;
mod cancellation;
mod content_hash;
mod coverage;
mod decode;
mod entry;
mod error;
mod escape;
mod evidence;
mod file_table;
mod generated;
#[cfg(feature = "git")]
pub mod git;
mod glob;
mod grep;
mod notebook;
mod open_folder;
mod parallel;
mod path_text;
mod project;
mod reader;
mod regular_file;
mod root_folder;
mod shortest_path;
mod signature;
mod similar_names;
mod snapshot;
mod source;
mod store;
mod thread_pool;
mod tree;
mod walk;
mod withheld;
mod writable_folder;

pub use attached_values::{AttachedValue, AttachedValues};
pub use cancellation::{CancellationToken, StopCause};
pub use content_hash::ContentHash;
pub use coverage::describe_parse_coverage_gap;
pub use entry::ProjectEntry;
pub use error::{CodeError, ErrorCategory};
pub use escape::{
    escape_control_characters, escape_control_characters_of_json, escape_to_one_line, is_writing_direction_control,
};
pub use evidence::{Completeness, Evidence, Skipped};
pub use file_table::{
    ConsultedText, ConsultedTexts, FileId, FileTable, file_id_from_index, file_name_of_path, folder_of_path,
    join_and_normalize_path, note_consulted_files_that_are_too_large,
};
pub use generated::GeneratedFiles;
pub use glob::{compile_glob, glob_nesting_error};
pub use grep::{
    FileMatches, GrepAnswer, GrepLine, GrepQuery, LineKind, MAX_PATTERN_CLASSES, MatchCounts, MatchExistence, RowUnit,
};
pub use notebook::cell_and_line_in_cell;
pub use parallel::{process_files_in_parallel_largest_first, process_items_in_parallel_largest_first};
pub use path_text::{existing_path_of_text, path_of_text, text_of_path};
pub use project::Project;
pub use reader::{AnalysedFile, Outliner, ProjectReader, SYNTAX_ANALYSIS};
pub use regular_file::{
    open_regular_file_following_links, read_regular_file_following_links, read_text_file_following_links,
    read_unless_larger_than,
};
pub use root_folder::set_openat2_disabled;
pub use signature::{FileSignature, set_settling_time};
pub use similar_names::find_similar_names;
pub use snapshot::Snapshot;
pub use source::SourceFile;
pub use store::{
    CacheKey, CodeIdentity, FactsStore, MemoryCache, NamesError, NamesInFile, ProjectFactsStore, TextIdentity,
    Vocabulary, WordSet, Worth, are_module_interfaces_equal_except_lines, is_whole_word,
};
#[cfg(feature = "cache")]
pub use store::{CacheOptions, CacheStatus, clear_cache};
pub use thread_pool::{set_thread_count, start_thread_pool};
pub use tree::TreeEntry;
pub use walk::{FileSet, WalkOptions, WalkedFiles};
pub use withheld::{RefusalCallback, WithholdPathRule, WithholdTextRule};
pub use writable_folder::WritableFolder;
