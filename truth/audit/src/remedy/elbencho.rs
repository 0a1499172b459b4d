//! Remedies in elbencho's options, of the rules that its results are judged by. No plan is written in them.

/// The remedies that name an option, by the rules' numbers.
pub(super) const WORDS: &[(u16, &str)] = words! {
    13 "Say --blockvarpct 100, so that each block is new.";
    15 "Use at least twice the largest cache on the way (--size), or claim cached.";
    19 "Say --direct, or claim cached.";
    30 "Measure longer (--timelimit with --infloop), a minute at the least for what is sustained.";
    106 "See what answers: say --direct, and write the target before it is read.";
    413 "Use more --threads or a larger --iodepth, or claim host.";
    114 "Use more --threads, or a smaller --iodepth, and state the depth that was reached.";
    411 "Run it longer (--timelimit with --infloop), or use `plimsoll soak`.";
    439 "Repeat it, and in another order.";
    530 "Use more --threads with a lower rate each.";
    531 "Take the figures of the first thread that was done, or let all run for the same time (--infloop with --timelimit).";
};
