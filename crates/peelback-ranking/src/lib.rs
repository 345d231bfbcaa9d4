//! The right place for words: files, symbols and passages ranked for a question or a bug report, without an index to wait
//! for.
//!
//! This crate renders nothing and resolves no names. [`Ranker`] is the way in.
//!
//! 1. `question.rs` reads the question: its words, weighed by where they stand, and what it names outright.
//! 2. `vector.rs` counts the words of every file, in pieces that begin where a definition seems to (`pieces.rs`); the
//!    counts are kept by the file's state.
//! 3. `score.rs` ranks all files by them: BM25 of the file and of its best piece, words of the path, what is named, what
//!    the file is for (`kind.rs`). Nothing is parsed for that.
//! 4. `passages.rs` parses the best of them and ranks their functions, class headers, constants and sections, which
//!    `passages/extents.rs` tells apart; `meaning.rs` orders the best of those anew where there is a model for that.
//!
//! Signals and their origin: BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the
//! inverse document frequency of Lucene; zones of the question, kinds of files and the best function after what a study
//! of public bug reports found to carry such a ranking. What each is worth is measured: see the benchmark page.
//!
//! ```no_run
//! use peelback_project::{Project, ProjectReader};
//! use peelback_ranking::{Question, RankQuery, Ranker};
//!
//! let reader = ProjectReader::new(Project::discover(None, None)?);
//! let query = RankQuery { question: Question::new("where are retries configured?"), page: 0..5, ..RankQuery::default() };
//! for file in Ranker::new(&reader, None).rank_files(&query)?.files.iter().take(5) {
//!     println!("{} {:.2}", file.path, file.score);
//! }
//! # Ok::<(), peelback_project::CodeError>(())
//! ```

mod about;
mod embedding_cache;
mod extents;
mod file_passages;
mod keywords;
mod kind;
mod meaning;
mod passages;
mod pieces;
mod query;
mod question;
mod ranked;
mod ranker;
mod score;
mod signals;
mod stop;
mod subject;
mod vector;
mod vector_cache;
mod weights;
mod words;

pub use keywords::{KeywordFile, keywords_of};
pub use kind::FileKind;
pub use meaning::Embedder;
pub use query::RankQuery;
pub use question::Question;
pub use ranked::{RankedFile, RankedFiles, RankedPassage, RankedPassages};
pub use ranker::Ranker;
pub use signals::{PassageSignals, Signals};
pub use weights::Weights;
