//! The features by which the best passages are ranked a second time, and their learned weights.

/// Defines [`PassageFeatures`] and [`LEARNED_WEIGHTS`] from one list: a feature, what it says, and its weight.
macro_rules! passage_features {
    ($($(#[$doc:meta])* $name:ident: $weight:expr,)*) => {
        /// The features of a passage by which the best passages are ranked a second time.
        #[derive(Debug, Clone, Copy, Default, PartialEq)]
        pub struct PassageFeatures {
            $($(#[$doc])* pub $name: f32,)*
        }

        impl PassageFeatures {
            /// All features as pairs of name and value.
            pub fn names_and_values(&self) -> Vec<(&'static str, f32)> {
                vec![$((stringify!($name), self.$name),)*]
            }

            /// The sum of the features, each multiplied by its weight.
            fn weighted_sum(&self, weights: &Self) -> f32 {
                0.0 $(+ self.$name * weights.$name)*
            }
        }

        /// The weights of the features as `bench/localization/learn.py` learned them; its README has the command. A
        /// feature that says how well the words agree has no negative weight.
        const LEARNED_WEIGHTS: PassageFeatures = PassageFeatures { $($name: $weight,)* };
    };
}

passage_features! {
    /// The score of the first ranking, as a share of the highest.
    first: 1.625,
    /// The score of the passage's words; see [`crate::PassageSignals::words`].
    words: 1.787,
    /// How certainly the question mentions the symbol, at most 1.
    mention: 1.105,
    /// The score of the file; see [`crate::PassageSignals::file`].
    file: 2.568,
    /// The logarithm of the factor for the kind of the file.
    kind: 2.387,
    /// The share of the question's words, by weight, that are in the name of the class or of whatever else encloses the
    /// symbol, and not in the symbol's own.
    covered_by_owner: 3.624,
    /// The share of them that the passage, the names around it and the path contain together.
    covered_by_all: 2.292,
    /// The share of the name's parts that are words of the question.
    name_precision: 0.466,
    /// Whether the passage contains at least two words of the question.
    two_words: 0.216,
    /// Whether the symbol can be called.
    callable: 1.321,
    /// Whether the symbol is a field, a constant or another value.
    value: 0.689,
    /// Whether the passage is the header of a class.
    header: -0.619,
    /// Whether the passage is the text after the methods of a class.
    remainder: 1.859,
    /// Whether the passage is a section of a document.
    section: -3.653,
    /// The logarithm of the passage's length.
    length: 2.114,
    /// Whether the symbol is visible in its own file or class alone.
    private: 0.407,
    /// The sum of the scores of the leading passages that contain the symbol's name, as shares of the highest, at most 3.
    called: 0.184,
    /// One by the place of the passage among those of its file.
    place_in_file: 0.815,
    /// The score of the words in the path; see [`crate::FileRankingSignals::path`].
    path: 1.436,
}

/// The value of a passage in the second ranking. `share` says how far the learned features count beside the first
/// score: 1 as learned, 0 not at all.
pub(super) fn value_by_features(features: &PassageFeatures, share: f32) -> f32 {
    let first = features.first * LEARNED_WEIGHTS.first;
    first + share * (features.weighted_sum(&LEARNED_WEIGHTS) - first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_agreement_have_no_negative_weight() {
        let agreement = [
            "first",
            "words",
            "mention",
            "file",
            "covered_by_owner",
            "covered_by_all",
            "name_precision",
            "two_words",
            "called",
            "path",
        ];
        let weights = LEARNED_WEIGHTS.names_and_values();
        for feature in agreement {
            let weight = weights.iter().find(|(name, _)| *name == feature).expect(feature).1;
            assert!(weight >= 0.0, "{feature} {weight}");
        }
        assert!(weights.iter().all(|(_, weight)| weight.is_finite()) && LEARNED_WEIGHTS.first > 0.0);
    }
}
