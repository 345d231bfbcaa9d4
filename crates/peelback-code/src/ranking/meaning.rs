//! Search by meaning: the best passages in a new order, by a model that turns texts into vectors.

use std::sync::Arc;
use std::time::Duration;

use super::passages::Placed;
use crate::access::CodeAccess;
use crate::evidence::Evidence;
use crate::source::SourceFile;

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

impl CodeAccess {
    /// Orders the best of the passages by their words and their meaning, where there is a model for that; what stands
    /// against it is in the evidence.
    pub(super) fn by_meaning(&self, question: &str, weight: f32, placed: &mut [Placed<'_>], evidence: &mut Evidence) {
        let Some(embedder) = self.embedder() else { return };
        let compared = placed.len().min(MOST_COMPARED);
        let Some(best) = placed.get_mut(..compared).filter(|best| !best.is_empty()) else { return };
        let texts: Vec<String> = best.iter().map(text_of).collect();
        match self.likenesses(&**embedder, question, &texts) {
            Ok(likenesses) => {
                let most = likenesses.iter().copied().fold(f32::MIN, f32::max);
                let least = likenesses.iter().copied().fold(f32::MAX, f32::min);
                let most_score = best.iter().map(|one| one.score).fold(f32::MIN_POSITIVE, f32::max);
                for (one, likeness) in best.iter_mut().zip(likenesses) {
                    let meaning = (likeness - least) / (most - least).max(f32::MIN_POSITIVE);
                    one.signals.meaning = Some(meaning);
                    one.score = most_score * ((1.0 - weight) * one.score / most_score + weight * meaning);
                }
                // Below them come those that were not compared, in their order.
                super::passages::sort(best);
                evidence.analysis.push_str(", meaning");
                if compared < placed.len() {
                    evidence.note(format!("compared by meaning: the best {compared} of {} by words", placed.len()));
                }
            }
            Err(Refused(why)) => evidence.note(format!("by words alone, not by meaning: {why}")),
        }
    }

    /// How like the question each text is, from -1 to 1.
    fn likenesses(&self, embedder: &dyn Embedder, question: &str, texts: &[String]) -> Result<Vec<f32>, Refused> {
        let question = cut(question);
        let all: Vec<&str> = std::iter::once(question).chain(texts.iter().map(String::as_str)).collect();
        let store = self.store();
        let facts = store.of(self.project().root());
        let mut vectors: Vec<Option<Arc<[f32]>>> =
            all.iter().map(|text| facts.meaning(embedder.name(), text)).collect();
        let missing: Vec<usize> = (0..all.len()).filter(|index| vectors[*index].is_none()).collect();
        if let Some(host) = embedder.host().filter(|_| !missing.is_empty() && !embedder.may_send()) {
            let tokens: usize = missing.iter().map(|index| embedder.tokens(all[*index])).sum();
            return Err(Refused(format!(
                "{host} would be sent {} texts of this project and the question, ~{tokens} tokens; to allow that, set \
                 embedding.send",
                missing.len()
            )));
        }
        let work = self.project().work();
        work.expect(missing.len());
        for batch in missing.chunks(embedder.batch().max(1)) {
            if let Some(stop) = work.stopped() {
                return Err(Refused(format!("{} before all vectors were there; ask again to go on", stop.as_str())));
            }
            let texts: Vec<&str> = batch.iter().map(|index| all[*index]).collect();
            let made = embedder.embed(&texts, work.left()).map_err(Refused)?;
            if made.len() != batch.len() {
                return Err(Refused(format!("{} vectors came for {} texts", made.len(), batch.len())));
            }
            for (index, vector) in batch.iter().zip(made) {
                work.step();
                let vector: Arc<[f32]> = vector.into();
                facts.keep_meaning(embedder.name(), all[*index], &vector);
                vectors[*index] = Some(vector);
            }
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
}

/// What a model is told of a passage: where it is, and its text as far as it takes it.
fn text_of(placed: &Placed<'_>) -> String {
    let (path, name, lines) = placed.place();
    let text = SourceFile::read(placed.file.subject.place).ok();
    let text = text.as_ref().map_or("", |file| file.lines(lines.first, lines.last));
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
