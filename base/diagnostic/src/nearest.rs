//! The word that was probably meant.

/// The candidate that is nearest to `word`, if one is near enough to have been meant.
///
/// Damerau-Levenshtein distance over lower case; near enough is a third of the longer word's length, at least one, and
/// a candidate that `word` begins (or the other way round) counts too. Of equals the first wins.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A word this long was never a misspelling, and the distance takes quadratic time.
    if word.is_empty() || word.len() > 64 {
        return None;
    }
    let word = word.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let lower = candidate.to_lowercase();
        let longer = word.chars().count().max(lower.chars().count());
        let mut distance = strsim::damerau_levenshtein(&word, &lower);
        let prefix = word.len().min(lower.len()) >= 3
            && (lower.starts_with(&word) || word.starts_with(&lower));
        if prefix {
            distance = distance.min(1);
        }
        if distance <= (longer / 3).max(1)
            && distance < longer
            && best.is_none_or(|(d, _)| distance < d)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const KEYS: [&str; 6] = ["workers", "warmup", "interval", "elapsed", "for", "pin"];

    #[test]
    fn a_slip_finds_the_word_that_was_meant() {
        for (word, meant) in [
            ("worker", "workers"),
            ("wramup", "warmup"),
            ("INTERVAL", "interval"),
            ("elapse", "elapsed"),
            ("intervall", "interval"),
        ] {
            assert_eq!(nearest(word, KEYS), Some(meant), "{word}");
        }
    }

    #[test]
    fn a_strange_word_finds_nothing() {
        for word in ["", "compression", "zzz", &"x".repeat(1000)] {
            assert_eq!(nearest(word, KEYS), None, "{word}");
        }
    }
}
