//! Remedies in elbencho's options, of the rules that its results are judged by. No plan is written in them.

/// The remedies that name an option, by the rules' numbers.
pub(super) const WORDS: &[(u16, &str)] = words! {
    13 "Say --blockvarpct 100, so that each block is new.";
    15 "Use at least twice the largest cache on the way (--size), or claim cached.";
    19 "Say --direct, or claim cached.";
    30 "Measure longer (--timelimit with --infloop), a minute at the least for what is sustained.";
    106 "See what answers: say --direct, and write the target before it is read.";
    413 "Use more --threads or a larger --iodepth, or claim host.";
};
