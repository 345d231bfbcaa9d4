//! All limits for a run that answers a question (`peelback scope`). Limits of characters count the characters of a
//! text; limits of tokens count tokens of the encoding o200k.

/// The number of files that the file ranking proposes before the first model call.
pub const CANDIDATES: usize = 20;

/// The number of passages that the ranking proposes before the first model call.
pub const PASSAGES: usize = 60;

/// The number of files whose outlines are in the first exploration request.
pub const OUTLINED_FILES: usize = 12;

/// The maximum number of model calls that explore the code. One more call writes the document.
pub const EXPLORATION_ROUNDS: usize = 2;

/// The maximum number of characters of one file in an exploration request.
pub const EXPLORATION_FILE_CHARS: usize = 8_000;

/// The maximum number of characters of the file tree in an exploration request.
pub const TREE_CHARS: usize = 8_000;

/// The maximum number of characters of one file in the request that writes the document.
pub const WRITING_FILE_CHARS: usize = 15_000;

/// The limits on the characters of code in the requests of a run. [`CharacterLimits::default`] has the largest values
/// of the two limits; a configuration may lower them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CharacterLimits {
    /// The maximum number of characters of all files in one exploration request of the pipeline.
    pub exploration: usize,
    /// The maximum number of characters of all files in the request that writes the document.
    pub writing: usize,
    /// The number of characters of code that both exploration requests together aim at. Names that the model must
    /// choose from are shown beyond it, up to `exploration`; details of what is named are not.
    pub exploration_aim: usize,
}

impl Default for CharacterLimits {
    /// 80,000 characters in an exploration request, 120,000 in the request that writes the document. The aim of 16,000
    /// characters keeps both exploration requests, with instructions and notes, at about 30 KB; with whole files they had
    /// 96 KB.
    fn default() -> Self {
        Self { exploration: 80_000, writing: 120_000, exploration_aim: 16_000 }
    }
}

impl CharacterLimits {
    /// The number of characters of outlines that the first exploration request aims at.
    pub fn first_round_aim(&self) -> usize {
        (self.exploration_aim / 2).min(self.exploration)
    }

    /// The number of characters of code that the second exploration request aims at, where the first one has `first`
    /// characters: what the first one leaves, and at least a quarter of the whole.
    pub fn second_round_aim(&self, first: usize) -> usize {
        self.exploration_aim.saturating_sub(first).max(self.exploration_aim / 4).min(self.exploration)
    }

    /// The maximum number of characters of the file tree in the first exploration request.
    pub fn tree(&self) -> usize {
        (self.exploration_aim / 10).min(TREE_CHARS).min(self.exploration)
    }
}

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

/// The maximum number of tokens of the notes in the request that writes the document, where promised code needs the room.
pub const WRITING_NOTES_TOKENS: usize = 2_500;

/// The estimated number of characters in one token, for converting token limits to character limits before tokens are
/// counted. Code has fewer characters per token than prose.
pub const CHARS_PER_TOKEN: usize = 3;
