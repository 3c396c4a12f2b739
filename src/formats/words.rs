//! The cheap test before any parse: which of the words that signatures consist of occur in a text, wherever they stand?
//! What this test refuses, the tree cannot pass either.

use std::sync::LazyLock;

use super::recipe::signatures::SIGNATURES;
use super::signature::{SIGNS, THRESHOLD};

/// Whether the words of a text could make a signature hold.
pub(super) fn may_hold(text: &str) -> bool {
    let table = &*TABLE;
    let mut seen = Words::default();
    let mut votes = 0;
    let words = text
        .as_bytes()
        .split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
    for word in words {
        // Nearly every word of a text that is none of ours ends here.
        let Some(known) = table.get(word) else {
            continue;
        };
        if !seen.insert(known.position) {
            continue;
        }
        votes += known.vote;
        if votes >= THRESHOLD || table.any_holds(&seen) {
            return true;
        }
    }
    false
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

/// A set of known words.
#[derive(Clone, Default)]
struct Words([u64; 4]);

impl Words {
    /// Adds the word at this position; false where it is there already.
    fn insert(&mut self, position: usize) -> bool {
        let Some(part) = self.0.get_mut(position / 64) else {
            return false;
        };
        let bit = 1 << (position % 64);
        let is_new = *part & bit == 0;
        *part |= bit;
        is_new
    }

    /// How many words both sets have.
    fn common(&self, other: &Self) -> usize {
        let parts = self.0.iter().zip(&other.0);
        parts
            .map(|(one, two)| (one & two).count_ones() as usize)
            .sum()
    }
}

/// A word that a signature has.
struct Known {
    word: &'static [u8],
    position: usize,
    /// Its best vote for an accelerate config.
    vote: i32,
}

struct Table {
    /// The known words by their first byte.
    buckets: Vec<Vec<Known>>,
    /// By first byte: a bit for each length, up to 63, that a known word has.
    lengths: [u64; 256],
    /// What each signature needs: so many of these words.
    signatures: Vec<Vec<(usize, Words)>>,
}

impl Table {
    fn new() -> Self {
        let mut table = Self {
            buckets: (0..256).map(|_| Vec::new()).collect(),
            lengths: [0; 256],
            signatures: Vec::new(),
        };
        let mut count = 0;
        for sign in SIGNS.iter().filter(|sign| sign.telling_weight != 0) {
            table.position(sign.key, sign.telling_weight, &mut count);
        }
        for signature in SIGNATURES {
            let needs = signature.needs.iter().map(|need| {
                let mut words = Words::default();
                for key in need.of.iter().copied().flatten() {
                    words.insert(table.position(key.name, 0, &mut count));
                }
                (need.least, words)
            });
            let needs = needs.collect();
            table.signatures.push(needs);
        }
        table
    }

    /// The position of a word, which is added if it is new.
    fn position(&mut self, key: &'static str, vote: i32, count: &mut usize) -> usize {
        let word = key.trim_start_matches('-').as_bytes();
        if let Some(known) = self.get(word) {
            return known.position;
        }
        let position = *count;
        *count += 1;
        if let Some(first) = word.first().map(|first| usize::from(*first)) {
            self.lengths[first] |= 1 << word.len().min(63);
            self.buckets[first].push(Known {
                word,
                position,
                vote,
            });
        }
        position
    }

    fn get(&self, word: &[u8]) -> Option<&Known> {
        let first = usize::from(*word.first()?);
        if word.len() > 63 || self.lengths[first] & (1 << word.len()) == 0 {
            return None;
        }
        self.buckets[first].iter().find(|known| known.word == word)
    }

    fn any_holds(&self, seen: &Words) -> bool {
        self.signatures.iter().any(|needs| {
            needs
                .iter()
                .all(|(least, words)| seen.common(words) >= *least)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_place_in_the_set() {
        let table = Table::new();
        let known: Vec<_> = table.buckets.iter().flatten().collect();
        assert!(
            known.len() <= 64 * Words::default().0.len(),
            "{}",
            known.len()
        );
        assert!(known.iter().all(|known| known.word.len() < 63));
    }

    #[test]
    fn words_are_whole_words() {
        for (text, expected) in [
            ("{\"distributed_type\": \"NO\"}", true),
            ("? distributed_type\n: FSDP", true),
            ("my_distributed_type: FSDP", false),
            ("mixed_precision mixed_precision", false),
            ("zero_optimization", true),
            ("--model_family --model_type --data_backend_config", true),
            ("output_dir learning_rate max_steps", false),
            ("output_dir learning_rate num_train_epochs", true),
            ("", false),
            ("é\u{0}\u{feff}", false),
        ] {
            assert_eq!(may_hold(text), expected, "{text:?}");
        }
    }
}
