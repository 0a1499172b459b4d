//! Remedies of what is only claimed: nothing can be measured again.

/// The remedies for a claim, by the rules' numbers.
pub(super) const WORDS: &[(u16, &str)] = words! {
    30 "Ask for a longer run, of a minute at the least for what is sustained.";
    105 "Ask for the tool's own output, and check that with `plimsoll audit`.";
    106 "Ask what answered: a cache of the host, or the storage.";
    114 "Ask for the depth that was really reached, and for the tool's own output.";
    502 "Ask for how many targets and hosts the depth is.";
    532 "Ask what changed between the two, and for both runs in the other order.";
};
