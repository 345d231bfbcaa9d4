//! Ranks files, symbols and passages by relevance to a question or a bug report, without building an index first.
//!
//! This crate formats no answers and resolves no names. The entry point is [`Ranker`].
//!
//! 1. `question.rs` parses the question: its words, weighted by the part of the question that contains them, and the
//!    files and names that it mentions.
//! 2. `vector.rs` counts the words of every file, in chunks that begin at lines which look like definitions
//!    (`chunks.rs`). The counts are cached by the file's state.
//! 3. `score.rs` ranks all files by these counts: BM25 of the file and of its best chunk, words of the path, mentioned
//!    names, and the purpose of the file (`kind.rs`). This step parses no file.
//! 4. `passages.rs` parses the best files and ranks their functions, class headers, constants and sections, which
//!    `extents.rs` delimits. The best hundred are ranked a second time, by features whose weights were learned (`features.rs`).
//!    `meaning.rs` reorders the best passages if an embedding model is available.
//!
//! Sources of the signals: BM25 follows Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with
//! the inverse document frequency of Lucene. Zones of the question, kinds of files and the best function follow a study
//! of public bug reports, which found these signals to matter most. The benchmark page shows the measured value of each
//! signal.
//!
//! ```no_run
//! use peelback_project::{Project, ProjectReader};
//! use peelback_ranking::{Question, RankQuery, Ranker};
//!
//! let reader = ProjectReader::new(Project::discover(None, None)?);
//! let question = Question::new("where are retries configured?");
//! let query = RankQuery { question, page: 0..5, ..RankQuery::default() };
//! for file in Ranker::new(&reader, None).rank_files(&query)?.files.iter().take(5) {
//!     println!("{} {:.2}", file.path, file.score);
//! }
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

mod chunks;
mod embedding_cache;
mod extents;
mod features;
mod file_passages;
mod file_to_rank;
mod keywords;
mod kind;
mod meaning;
mod passage_features;
mod passages;
mod path_features;
mod query;
mod question;
mod ranked;
mod ranker;
mod related_words;
mod score;
mod signals;
mod stop_words;
mod vector;
mod vector_cache;
mod weights;
mod words;

pub use keywords::{KeywordFile, keywords_of_question};
pub use kind::FileKind;
pub use meaning::Embedder;
pub use passage_features::PassageFeatures;
pub use query::RankQuery;
pub use question::Question;
pub use ranked::{RankedFile, RankedFiles, RankedPassage, RankedPassages};
pub use ranker::Ranker;
pub use signals::{FileRankingSignals, PassageSignals};
pub use weights::Weights;
