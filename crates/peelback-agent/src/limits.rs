//! All limits of `scope`, in one place. Characters are those of a text; tokens are those of the encoding o200k.

/// Files that the ranking offers before a model is asked.
pub const CANDIDATES: usize = 20;

/// Files whose outlines the first round of exploration shows.
pub const OUTLINED_FILES: usize = 12;

/// The most calls of exploration; one more call writes the document.
pub const EXPLORATION_ROUNDS: usize = 2;

/// Characters of one file that an exploration request shows.
pub const EXPLORATION_FILE_CHARS: usize = 8_000;

/// Characters of all files that one exploration request shows. A ceiling, not an aim: see [`FIRST_ROUND_CHARS`].
pub const EXPLORATION_CHARS: usize = 80_000;

/// Characters of the tree of files.
pub const TREE_CHARS: usize = 8_000;

/// Characters of the file tree in a request, where the whole tree is larger than [`TREE_CHARS`].
pub const TREE_SHOWN_CHARS: usize = 1_200;

/// Characters of the outlines that the first round shows; with the tree and the list of candidates, and with
/// [`SECOND_ROUND_CHARS`], both rounds stay under 30 KB, where whole files were 96 KB.
pub const FIRST_ROUND_CHARS: usize = 10_000;

/// Characters of the symbols and outlines that the second round shows.
pub const SECOND_ROUND_CHARS: usize = 7_500;

/// Characters of one file while writing.
pub const WRITING_FILE_CHARS: usize = 15_000;

/// Characters of all files while writing.
pub const WRITING_CHARS: usize = 120_000;

/// Characters up to which a file is shown whole to the writer: an outline with bodies would be as long.
pub const WHOLE_FILE_CHARS: usize = 3_000;

/// The most files that a document is written from.
pub const WRITING_FILES: usize = 24;

/// The most tokens of a reply of exploration.
pub const EXPLORATION_OUTPUT_TOKENS: u32 = 4_000;

/// The most tokens of a document's text; the thoughts of a reasoning model count too.
pub const WRITING_OUTPUT_TOKENS: u32 = 8_000;

/// Characters of insights that are carried from call to call.
pub const INSIGHT_CHARS: usize = 6_000;

/// Estimated characters of one token, for a first guess before tokens are counted. Code has fewer characters per token
/// than prose.
pub const CHARS_PER_TOKEN: usize = 3;
