//! Differences that are meant, each with a reason that the documentation gives to users, in these words.

/// A difference that is meant.
pub struct Known {
    /// Words of what is found, any of them.
    pub found: &'static [&'static str],
    /// Words of what was drawn, all of them. Behind a `!` one that it hasn't.
    pub asked: &'static [&'static str],
    /// Reason, in the words of the documentation.
    pub reason: &'static str,
}

/// Differences as lines: what is found, what was drawn, why it is meant.
macro_rules! known {
    ($($found:expr, $asked:expr => $reason:expr;)*) => {
        &[$(Known { found: $found, asked: $asked, reason: $reason },)*]
    };
}
pub(crate) use known;

/// Why a difference is meant, of what was drawn in the text `asked`.
pub fn reason(known: &[Known], asked: &str, what: &str) -> Option<&'static str> {
    let has = |word: &&str| match word.strip_prefix('!') {
        Some(not) => !asked.contains(not),
        None => asked.contains(*word),
    };
    let found = |known: &&Known| known.found.iter().any(|f| what.contains(f));
    let known = known.iter().filter(found).find(|k| k.asked.iter().all(has));
    known.map(|k| k.reason)
}

/// Asserts that `docs/PAGE` says each reason.
pub fn each_is_said(known: &[Known], page: &str) {
    let path = format!("{}/../docs/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("there");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for known in known {
        assert!(
            text.contains(known.reason),
            "`{}` is said nowhere in docs/{page}",
            known.reason
        );
    }
}
