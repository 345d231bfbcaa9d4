//! Search by meaning: the best passages in a new order, by a model that turns texts into vectors.

use std::sync::Arc;
use std::time::Duration;

use crate::embedding_cache::EmbeddingCache;
use crate::passages::Placed;
use crate::ranker::Ranker;
use peelback_project::Evidence;
use peelback_project::SourceFile;

/// How many of the best passages a model is asked about.
const MOST_COMPARED: usize = 50;

/// Bytes of a passage that a model is given: more than the models take that one would run for this.
const MOST_BYTES: usize = 2_000;

/// A model that turns texts into vectors of length 1.
pub trait Embedder: Send + Sync {
    /// What its vectors are known by: two models of one name give the same vector for the same text.
    fn name(&self) -> &str;

    /// The host that texts are sent to; `None` where they stay on this machine.
    fn host(&self) -> Option<&str>;

    /// Whether the user agreed that texts are sent there.
    fn may_send(&self) -> bool;

    /// Texts that go into one call.
    fn batch(&self) -> usize;

    /// How many tokens a text has, about.
    fn tokens(&self, text: &str) -> usize;

    /// One vector for each text, in their order, within the time that is left.
    ///
    /// # Errors
    /// Where one text has no vector there are none: why, in words for the user.
    fn embed(&self, texts: &[&str], left: Option<Duration>) -> Result<Vec<Vec<f32>>, String>;
}

impl std::fmt::Debug for dyn Embedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedder").field("name", &self.name()).field("host", &self.host()).finish_non_exhaustive()
    }
}

/// Why the order is that of the words alone.
struct Refused(String);

impl Ranker<'_> {
    /// Orders the best of the passages by their words and their meaning, where there is a model for that; what stands
    /// against it is in the evidence.
    pub(super) fn by_meaning(&self, question: &str, weight: f32, placed: &mut [Placed<'_>], evidence: &mut Evidence) {
        let Some(embedder) = self.embedder() else { return };
        let compared = placed.len().min(MOST_COMPARED);
        let Some((best, others)) = placed.split_at_mut_checked(compared).filter(|(best, _)| !best.is_empty()) else {
            return;
        };
        let texts: Vec<String> = best.iter().map(text_of).collect();
        match self.likenesses(embedder, question, &texts) {
            Ok(likenesses) => {
                let words: Vec<f32> = best.iter().map(|one| one.score).collect();
                for (one, (score, meaning)) in best.iter_mut().zip(joined(&words, &likenesses, weight)) {
                    one.signals.meaning = Some(meaning);
                    one.score = score;
                }
                crate::passages::sort(best);
                // Below them come those that were not compared, in their order.
                let least = best.last().map_or(0.0, |one| one.score);
                let most = others.first().map_or(0.0, |one| one.score);
                if most > least {
                    others.iter_mut().for_each(|one| one.score *= least / most);
                }
                evidence.analysis.push_str(", meaning");
                if !others.is_empty() {
                    let all = compared + others.len();
                    evidence.note(format!("compared by meaning: the best {compared} of {all} by words"));
                }
            }
            Err(Refused(why)) => evidence.note(format!("by words alone, not by meaning: {why}")),
        }
    }

    /// How like the question each text is, from -1 to 1.
    fn likenesses(&self, embedder: &dyn Embedder, question: &str, texts: &[String]) -> Result<Vec<f32>, Refused> {
        let all: Vec<&str> = std::iter::once(cut(question)).chain(texts.iter().map(String::as_str)).collect();
        let cache = EmbeddingCache::new(self.reader());
        let mut vectors: Vec<Vector> = all.iter().map(|text| cache.get(embedder.name(), text)).collect();
        let mut missing: Vec<usize> =
            (0..).zip(&vectors).filter(|(_, vector)| vector.is_none()).map(|(index, _)| index).collect();
        let length = |vector: &Vector| vector.as_ref().map(|vector| vector.len());
        if missing.is_empty() && vectors.iter().any(|vector| length(vector) != vectors.first().and_then(length)) {
            // Which of them are of the model as it is now, its answer tells.
            missing.push(0);
        }
        self.ask(embedder, &all, &missing, &mut vectors)?;
        // A model that was changed under its name: what was kept of the other is of no use.
        if let Some(now) = missing.first().and_then(|index| vectors.get(*index)).map(length) {
            let is_stale = |(index, vector): &(usize, &Vector)| length(vector) != now && !missing.contains(index);
            let stale: Vec<usize> = (0..).zip(&vectors).filter(is_stale).map(|(index, _)| index).collect();
            self.ask(embedder, &all, &stale, &mut vectors)?;
        }
        let mut vectors = vectors.into_iter().flatten();
        let Some(asked) = vectors.next() else { return Err(Refused("the question has no vector".to_owned())) };
        vectors
            .map(|vector| {
                let same = vector.len() == asked.len();
                let product = vector.iter().zip(&*asked).map(|(a, b)| a * b).sum::<f32>();
                if same { Ok(product) } else { Err(Refused("vectors of two lengths came from one model".to_owned())) }
            })
            .collect()
    }

    /// Asks for the vectors of the texts at these places, of which the first is the question, and keeps them.
    fn ask(
        &self,
        embedder: &dyn Embedder,
        all: &[&str],
        wanted: &[usize],
        vectors: &mut [Vector],
    ) -> Result<(), Refused> {
        if wanted.is_empty() {
            return Ok(());
        }
        let text = |index: &usize| all.get(*index).copied().unwrap_or("");
        if let Some(host) = embedder.host().filter(|_| !embedder.may_send()) {
            let tokens: usize = wanted.iter().map(|index| embedder.tokens(text(index))).sum();
            return Err(Refused(format!(
                "{host} would be sent {}, ~{tokens} tokens; to allow that, set embedding.send",
                texts_named(wanted)
            )));
        }
        let cache = EmbeddingCache::new(self.reader());
        let cancellation = self.reader().project().cancellation();
        cancellation.expect(wanted.len());
        for batch in wanted.chunks(embedder.batch().max(1)) {
            if let Some(stop) = cancellation.stopped() {
                return Err(Refused(format!("{} before all vectors were there; ask again to go on", stop.as_str())));
            }
            let texts: Vec<&str> = batch.iter().map(text).collect();
            let made = embedder.embed(&texts, cancellation.left()).map_err(Refused)?;
            if made.len() != batch.len() {
                return Err(Refused(format!("{} vectors came for {} texts", made.len(), batch.len())));
            }
            for ((index, text), vector) in batch.iter().zip(texts).zip(made) {
                cancellation.step();
                let vector: Arc<[f32]> = vector.into();
                cache.put(embedder.name(), text, &vector);
                if let Some(entry) = vectors.get_mut(*index) {
                    *entry = Some(vector);
                }
            }
        }
        Ok(())
    }
}

/// The vector of a text, where it is known.
type Vector = Option<Arc<[f32]>>;

/// The texts at these places in words; the first place is that of the question.
fn texts_named(entries: &[usize]) -> String {
    let own = entries.iter().filter(|entry| **entry > 0).count();
    let texts = if own == 1 { "1 text of this project".to_owned() } else { format!("{own} texts of this project") };
    match (own, entries.contains(&0)) {
        (0, _) => "the question".to_owned(),
        (_, true) => format!("{texts} and the question"),
        (_, false) => texts,
    }
}

/// The scores that words and likenesses to the question give together, each with its likeness as a share of the best.
fn joined(words: &[f32], likenesses: &[f32], weight: f32) -> Vec<(f32, f32)> {
    let most = likenesses.iter().copied().fold(f32::MIN, f32::max);
    let least = likenesses.iter().copied().fold(f32::MAX, f32::min);
    let most_words = words.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let join = |(score, likeness): (&f32, &f32)| {
        // Where all are equally like, meaning has nothing to say against any.
        let meaning = if most > least { (likeness - least) / (most - least) } else { 1.0 };
        (most_words * ((1.0 - weight) * score / most_words + weight * meaning), meaning)
    };
    words.iter().zip(likenesses).map(join).collect()
}

/// What a model is told of a passage: where it is, and its text as far as it takes it.
fn text_of(placed: &Placed<'_>) -> String {
    let (path, name, _) = placed.entry();
    let file = SourceFile::read(placed.file.subject.entry).ok();
    let text = file.as_ref().map_or("", |file| placed.text(file));
    format!("{path} {name}\n{}", cut(text))
}

/// The beginning of a text, at most [`MOST_BYTES`] long, up to a whole character.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(MOST_BYTES);
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
        assert_eq!(joined(&[2.0], &[0.3], 0.4), [(2.0, 1.0)]);
        let scores: Vec<f32> = joined(&[2.0, 1.0], &[0.3, 0.3], 0.4).into_iter().map(|(score, _)| score).collect();
        assert!((scores[0] - 2.0).abs() < 1e-6 && scores[0] > scores[1], "{scores:?}");
        let meanings: Vec<f32> =
            joined(&[2.0, 1.0], &[0.1, 0.5], 0.4).into_iter().map(|(_, meaning)| meaning).collect();
        assert_eq!(meanings, [0.0, 1.0]);
    }

    #[test]
    fn the_question_is_no_text_of_the_project() {
        assert_eq!(texts_named(&[0, 1, 2, 3]), "3 texts of this project and the question");
        assert_eq!(texts_named(&[2]), "1 text of this project");
        assert_eq!(texts_named(&[0]), "the question");
    }
}
