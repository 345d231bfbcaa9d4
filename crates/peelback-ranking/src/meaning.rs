//! Semantic search: reorders the best passages with an embedding model, which turns texts into vectors.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::embedding_cache::EmbeddingCache;
use crate::passages::ScoredPassage;
use crate::ranker::Ranker;
use peelback_project::Evidence;
use peelback_project::SourceFile;

/// The maximum number of passages that are compared with the question by their vectors.
const MAX_COMPARED_PASSAGES: usize = 50;

/// The maximum length in bytes of a text that the embedding model receives: more than the context of a model that a
/// user would run for this purpose.
const MAX_TEXT_BYTES: usize = 2_000;

/// An embedding model: it turns texts into vectors of length 1.
pub trait Embedder: Send + Sync {
    /// The model's name, which is part of cache keys: models with one name must return equal vectors for equal texts.
    fn model_name(&self) -> &str;

    /// The host to which the texts are sent; `None` if they stay on this machine.
    fn host(&self) -> Option<&str>;

    /// Whether the user has agreed that texts are sent to the host.
    fn is_sending_text_allowed(&self) -> bool;

    /// The maximum number of texts in one call of [`Self::embed_texts`].
    fn max_batch_size(&self) -> usize;

    /// The approximate number of tokens in a text.
    fn estimate_token_count(&self, text: &str) -> usize;

    /// The text as the model receives it: a model on another machine receives no secrets. Vectors are cached by this
    /// text. `file_text` is the whole text of the file of which `text` shows a part, which says what is secret; empty for a
    /// text that comes from no file.
    fn text_as_sent_to_model<'t>(&self, text: &'t str, file_text: &str) -> Cow<'t, str> {
        let _ = file_text;
        Cow::Borrowed(text)
    }

    /// Whether the model may receive texts of the file at `path`: a model on another machine does not receive those of
    /// files that hold nothing but secrets.
    fn may_receive_file(&self, path: &str) -> bool {
        let _ = path;
        true
    }

    /// Computes one vector for each text, in the order of `texts`, within the time `left`.
    ///
    /// # Errors
    /// If any text gets no vector, the whole call fails. The error is the reason, as text for the user.
    fn embed_texts(&self, texts: &[&str], left: Option<Duration>) -> Result<Vec<Vec<f32>>, String>;
}

impl std::fmt::Debug for dyn Embedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedder").field("name", &self.model_name()).field("host", &self.host()).finish_non_exhaustive()
    }
}

/// The reason why passages are ordered by words alone, without an embedding model.
struct MeaningUnavailable(String);

impl Ranker<'_> {
    /// Reorders the best passages by words and meaning if an embedding model is available. If the model cannot be used,
    /// the evidence says why.
    pub(super) fn rerank_passages_by_words_and_meaning(
        &self,
        question: &str,
        weight: f32,
        placed: &mut [ScoredPassage<'_>],
        evidence: &mut Evidence,
    ) {
        let Some(embedder) = self.embedder() else { return };
        // Passages that the model may not receive keep their order behind the others.
        let may_receive = |one: &ScoredPassage<'_>| embedder.may_receive_file(one.path_symbol_name_and_lines().0);
        let withheld = placed.iter().take(MAX_COMPARED_PASSAGES).filter(|one| !may_receive(one)).count();
        if withheld > 0 {
            placed.sort_by_key(|one| !may_receive(one));
            evidence.add_note(format!(
                "by words alone: {withheld} passage{} of files that contain secrets",
                if withheld == 1 { "" } else { "s" }
            ));
        }
        let receivable = placed.iter().take_while(|one| may_receive(one)).count();
        let compared = receivable.min(MAX_COMPARED_PASSAGES);
        let Some((best, others)) = placed.split_at_mut_checked(compared).filter(|(best, _)| !best.is_empty()) else {
            return;
        };
        let texts: Vec<String> = best.iter().map(|one| passage_location_and_text_to_embed(embedder, one)).collect();
        match self.text_similarities_to_question(embedder, question, &texts) {
            Ok(likenesses) => {
                let words: Vec<f32> = best.iter().map(|one| one.score).collect();
                for (one, (score, meaning)) in
                    best.iter_mut().zip(combined_scores_and_scaled_similarities(&words, &likenesses, weight))
                {
                    one.signals.meaning = Some(meaning);
                    one.score = score;
                }
                crate::passages::sort_passages_best_first(best);
                // Passages that were not compared follow the compared ones, in their previous order.
                let least = best.last().map_or(0.0, |one| one.score);
                let most = others.first().map_or(0.0, |one| one.score);
                if most > least {
                    others.iter_mut().for_each(|one| one.score *= least / most);
                }
                evidence.analysis.push_str(", meaning");
                if !others.is_empty() {
                    let all = compared + others.len();
                    evidence.add_note(format!("compared by meaning: the best {compared} of {all} by words"));
                }
            }
            Err(MeaningUnavailable(why)) => evidence.add_note(format!("by words alone, not by meaning: {why}")),
        }
    }

    /// The similarity of each text to the question, from -1 to 1, computed from their vectors.
    fn text_similarities_to_question(
        &self,
        embedder: &dyn Embedder,
        question: &str,
        texts: &[String],
    ) -> Result<Vec<f32>, MeaningUnavailable> {
        let question = embedder.text_as_sent_to_model(truncate_text_to_embed(question), "");
        let all: Vec<&str> = std::iter::once(&*question).chain(texts.iter().map(String::as_str)).collect();
        let cache = EmbeddingCache::new(self.reader());
        let mut vectors: Vec<Vector> = all.iter().map(|text| cache.get(embedder.model_name(), text)).collect();
        let mut missing: Vec<usize> =
            (0..).zip(&vectors).filter(|(_, vector)| vector.is_none()).map(|(index, _)| index).collect();
        let length = |vector: &Vector| vector.as_ref().map(|vector| vector.len());
        if missing.is_empty() && vectors.iter().any(|vector| length(vector) != vectors.first().and_then(length)) {
            // Cached vectors of different lengths come from different models. A new vector of the question shows the
            // length of the current model's vectors.
            missing.push(0);
        }
        self.request_and_cache_text_vectors(embedder, &all, &missing, &mut vectors)?;
        // The model behind the name has changed: cached vectors of another length are useless.
        if let Some(now) = missing.first().and_then(|index| vectors.get(*index)).map(length) {
            let is_stale = |(index, vector): &(usize, &Vector)| length(vector) != now && !missing.contains(index);
            let stale: Vec<usize> = (0..).zip(&vectors).filter(is_stale).map(|(index, _)| index).collect();
            self.request_and_cache_text_vectors(embedder, &all, &stale, &mut vectors)?;
        }
        let mut vectors = vectors.into_iter().flatten();
        let Some(asked) = vectors.next() else {
            return Err(MeaningUnavailable("the question has no vector".to_owned()));
        };
        vectors
            .map(|vector| {
                let same = vector.len() == asked.len();
                let product = vector.iter().zip(&*asked).map(|(a, b)| a * b).sum::<f32>();
                if same {
                    Ok(product)
                } else {
                    Err(MeaningUnavailable("vectors of two lengths came from one model".to_owned()))
                }
            })
            .collect()
    }

    /// Requests the vectors of the texts in `all` at the indices `wanted` from the model and caches them. Index 0 is
    /// the question.
    fn request_and_cache_text_vectors(
        &self,
        embedder: &dyn Embedder,
        all: &[&str],
        wanted: &[usize],
        vectors: &mut [Vector],
    ) -> Result<(), MeaningUnavailable> {
        if wanted.is_empty() {
            return Ok(());
        }
        let text = |index: &usize| all.get(*index).copied().unwrap_or("");
        if let Some(host) = embedder.host().filter(|_| !embedder.is_sending_text_allowed()) {
            let tokens: usize = wanted.iter().map(|index| embedder.estimate_token_count(text(index))).sum();
            return Err(MeaningUnavailable(format!(
                "{host} would be sent {}, ~{tokens} tokens; to allow that, set embedding.send",
                describe_texts_to_send(wanted)
            )));
        }
        let cache = EmbeddingCache::new(self.reader());
        let cancellation = self.reader().project().cancellation();
        cancellation.add_expected_files(wanted.len());
        for batch in wanted.chunks(embedder.max_batch_size().max(1)) {
            if let Some(stop) = cancellation.stop_cause() {
                return Err(MeaningUnavailable(format!(
                    "{} before all vectors were there; ask again to go on",
                    stop.as_str()
                )));
            }
            let texts: Vec<&str> = batch.iter().map(text).collect();
            let made = embedder.embed_texts(&texts, cancellation.time_left()).map_err(MeaningUnavailable)?;
            if made.len() != batch.len() {
                return Err(MeaningUnavailable(format!("{} vectors came for {} texts", made.len(), batch.len())));
            }
            for ((index, text), vector) in batch.iter().zip(texts).zip(made) {
                cancellation.count_processed_file_unless_stopped();
                let vector: Arc<[f32]> = vector.into();
                cache.insert(embedder.model_name(), text, &vector);
                if let Some(entry) = vectors.get_mut(*index) {
                    *entry = Some(vector);
                }
            }
        }
        Ok(())
    }
}

/// The embedding vector of a text; `None` while unknown.
type Vector = Option<Arc<[f32]>>;

/// A description of the texts at these indices for a message: how many texts of the project there are, and whether the
/// question is among them. Index 0 is the question.
fn describe_texts_to_send(entries: &[usize]) -> String {
    let own = entries.iter().filter(|entry| **entry > 0).count();
    let texts = if own == 1 { "1 text of this project".to_owned() } else { format!("{own} texts of this project") };
    match (own, entries.contains(&0)) {
        (0, _) => "the question".to_owned(),
        (_, true) => format!("{texts} and the question"),
        (_, false) => texts,
    }
}

/// Combines the word scores of passages with their similarities to the question. Each result is the combined score, and
/// the similarity on a scale from 0 for the least similar passage to 1 for the most similar.
fn combined_scores_and_scaled_similarities(words: &[f32], likenesses: &[f32], weight: f32) -> Vec<(f32, f32)> {
    let most = likenesses.iter().copied().fold(f32::MIN, f32::max);
    let least = likenesses.iter().copied().fold(f32::MAX, f32::min);
    let most_words = words.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let join = |(score, likeness): (&f32, &f32)| {
        // If all similarities are equal, meaning must not lower the score of any passage.
        let meaning = if most > least { (likeness - least) / (most - least) } else { 1.0 };
        (most_words * ((1.0 - weight) * score / most_words + weight * meaning), meaning)
    };
    words.iter().zip(likenesses).map(join).collect()
}

/// The text of a passage for the embedding model: its location and as much of its content as the limit allows.
fn passage_location_and_text_to_embed(embedder: &dyn Embedder, placed: &ScoredPassage<'_>) -> String {
    let (path, name, _) = placed.path_symbol_name_and_lines();
    let file = SourceFile::read(placed.file.subject.entry).ok();
    let text = file.as_ref().map_or("", |file| placed.text(file));
    let text = format!("{path} {name}\n{}", truncate_text_to_embed(text));
    embedder.text_as_sent_to_model(&text, file.as_ref().map_or("", |file| &file.text)).into_owned()
}

/// The longest prefix of a text of at most [`MAX_TEXT_BYTES`] bytes that ends between two characters.
fn truncate_text_to_embed(text: &str) -> &str {
    let mut end = text.len().min(MAX_TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_all_are_equally_like_the_words_decide() {
        assert_eq!(combined_scores_and_scaled_similarities(&[2.0], &[0.3], 0.4), [(2.0, 1.0)]);
        let scores: Vec<f32> = combined_scores_and_scaled_similarities(&[2.0, 1.0], &[0.3, 0.3], 0.4)
            .into_iter()
            .map(|(score, _)| score)
            .collect();
        assert!((scores[0] - 2.0).abs() < 1e-6 && scores[0] > scores[1], "{scores:?}");
        let meanings: Vec<f32> = combined_scores_and_scaled_similarities(&[2.0, 1.0], &[0.1, 0.5], 0.4)
            .into_iter()
            .map(|(_, meaning)| meaning)
            .collect();
        assert_eq!(meanings, [0.0, 1.0]);
    }

    #[test]
    fn the_question_is_no_text_of_the_project() {
        assert_eq!(describe_texts_to_send(&[0, 1, 2, 3]), "3 texts of this project and the question");
        assert_eq!(describe_texts_to_send(&[2]), "1 text of this project");
        assert_eq!(describe_texts_to_send(&[0]), "the question");
    }
}
