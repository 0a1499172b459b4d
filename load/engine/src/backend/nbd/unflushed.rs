//! Which writes a flush has yet to make durable, where a flush counts for its own connection only.
//!
//! Only a server that offers MULTI_CONN promises that a flush on one connection covers what was answered on another. Of
//! the others each connection with unflushed writes has to be flushed, and what was unflushed on one that is lost cannot
//! be made durable any more.

/// Answered writes of one connection that were not flushed. Times are numbers of issues, which only grow.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unflushed {
    /// The last issue when the oldest of them was answered, and the newest.
    span: Option<(u64, u64)>,
}

impl Unflushed {
    /// A write was answered; `last_issue` is the last one of any I/O.
    pub fn wrote(&mut self, last_issue: u64) {
        let oldest = self.span.map_or(last_issue, |(oldest, _)| oldest);
        self.span = Some((oldest, last_issue));
    }

    /// The flush of this number was answered well. It covers what had been answered when it went out.
    pub fn flushed(&mut self, issue: u64) {
        self.span = self
            .span
            .filter(|(_, newest)| *newest >= issue)
            .map(|(oldest, newest)| (oldest.max(issue), newest));
    }

    /// True where a flush that was opened when this issue was the next has to cover some of them.
    pub fn before(&self, issue: u64) -> bool {
        self.span.is_some_and(|(oldest, _)| oldest < issue)
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.span.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_covers_what_was_answered_before_it_went_out() {
        let mut unflushed = Unflushed::default();
        assert!(unflushed.is_empty() && !unflushed.before(9));
        unflushed.wrote(3);
        unflushed.wrote(5);
        assert!(unflushed.before(6) && unflushed.before(4) && !unflushed.before(3));
        unflushed.flushed(6);
        assert!(unflushed.is_empty());
    }

    #[test]
    fn what_is_answered_while_a_flush_is_out_is_left_to_the_next() {
        let mut unflushed = Unflushed::default();
        unflushed.wrote(3);
        unflushed.wrote(7);
        unflushed.flushed(6);
        assert!(!unflushed.is_empty());
        assert!(unflushed.before(8) && !unflushed.before(6));
    }
}
