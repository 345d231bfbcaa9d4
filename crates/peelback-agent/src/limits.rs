//! All limits for a run that answers a question (`peelback scope`). Limits of characters count the characters of a
//! text; limits of tokens count tokens of the encoding o200k.

/// The number of files that the file ranking proposes before the first model call.
pub const CANDIDATES: usize = 20;

/// The number of files whose outlines are in the first exploration request.
pub const OUTLINED_FILES: usize = 12;

/// The maximum number of model calls that explore the code. One more call writes the document.
pub const EXPLORATION_ROUNDS: usize = 2;

/// The maximum number of characters of one file in an exploration request.
pub const EXPLORATION_FILE_CHARS: usize = 8_000;

/// The maximum number of characters of all files in one exploration request. The value is a ceiling, not a target: see
/// [`FIRST_ROUND_CHARS`].
pub const EXPLORATION_CHARS: usize = 80_000;

/// The maximum number of characters of a file tree that a request contains completely.
pub const TREE_CHARS: usize = 8_000;

/// The maximum number of characters of the file tree in a request, where the whole tree exceeds [`TREE_CHARS`].
pub const TREE_SHOWN_CHARS: usize = 1_200;

/// The maximum number of characters of the outlines in the first exploration request. With the file tree, the list of
/// candidate files and [`SECOND_ROUND_CHARS`], both exploration requests stay under 30 KB; with whole files they had 96
/// KB.
pub const FIRST_ROUND_CHARS: usize = 10_000;

/// The maximum number of characters of the symbols and outlines in the second exploration request.
pub const SECOND_ROUND_CHARS: usize = 7_500;

/// The maximum number of characters of one file in the request that writes the document.
pub const WRITING_FILE_CHARS: usize = 15_000;

/// The maximum number of characters of all files in the request that writes the document.
pub const WRITING_CHARS: usize = 120_000;

/// The maximum number of characters of a file that the writing request contains whole: for such a small file, an
/// outline with bodies would be as long.
pub const WHOLE_FILE_CHARS: usize = 3_000;

/// The maximum number of files in the request that writes the document.
pub const WRITING_FILES: usize = 24;

/// The maximum number of tokens in the model's reply to an exploration request.
pub const EXPLORATION_OUTPUT_TOKENS: u32 = 4_000;

/// The maximum number of tokens in the model's reply with the document. The thinking tokens of a reasoning model count
/// too.
pub const WRITING_OUTPUT_TOKENS: u32 = 8_000;

/// The maximum number of characters of the model's insights that one model call passes on to the next.
pub const INSIGHT_CHARS: usize = 6_000;

/// The estimated number of characters in one token, for converting token limits to character limits before tokens are
/// counted. Code has fewer characters per token than prose.
pub const CHARS_PER_TOKEN: usize = 3;
