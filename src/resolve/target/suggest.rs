//! The word that was probably meant.

/// The one of `words` that is closest to `given`, if it is close enough to be meant.
pub fn closest<'a>(given: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    words
        .into_iter()
        .map(|word| (distance(&given, &word.to_lowercase()), word))
        .filter(|(distance, word)| *distance <= (word.len() / 4).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Whether `given` is `word` but for a slip of the fingers: little enough to leave no doubt.
pub fn is_slip(given: &str, word: &str) -> bool {
    let allowed = if word.len() < 8 { 1 } else { 2 };
    distance(&given.to_lowercase(), &word.to_lowercase()) <= allowed
}

/// How many characters must be put in, taken out, replaced or swapped with their neighbour.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().take(64).collect();
    let right: Vec<char> = right.chars().take(64).collect();
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, left_char) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, right_char) in right.iter().enumerate() {
            let mut best = (last[column] + usize::from(left_char != right_char))
                .min(last[column + 1] + 1)
                .min(current[column] + 1);
            let swapped = row > 0
                && column > 0
                && left_char == &right[column - 1]
                && &left[row - 1] == right_char;
            if swapped {
                let before: &Vec<usize> = &before_last;
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swaps_and_typos_are_close() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("acclerate", "accelerate"), 1);
        assert_eq!(distance("ba", "ab"), 1);
        assert_eq!(closest("gpus", ["gpu", "capability"]), Some("gpu"));
        assert_eq!(closest("zzzz", ["gpu", "capability"]), None);
    }
}
