//! The worker's I/Os, over all their issues: when one counts as done.
//!
//! NBD has no way to call a request back, so a write that was issued on a path which then failed may still be carried out
//! there, after a second issue on another path, and after whatever is written to the same place next. Therefore a write (or
//! a trim) only ends here once none of its issues can do anything any more. Until then it is one of several concurrent
//! writes, of which any may win; after that it cannot come back. A read or a flush ends with its last issue's answer: a
//! late one does no harm, and its data is thrown away.
//!
//! The connection that an I/O is out on has the last word: its error stays one, whatever another copy came to. What a
//! connection that was given up answers late counts only where nothing else does: a write that was carried out there
//! needs no second issue, and one that failed there is a failure unless a second issue succeeds. That its server shuts
//! down is no answer at all.

use super::connection::{cookie, generation_of, slot_of};
use crate::backend::{Action, Completion, Request};

/// The worker's I/Os, by slot.
#[derive(Debug)]
pub(super) struct Jobs {
    jobs: Vec<Job>,
    generation: u64,
    /// I/Os that ended, for the worker.
    pub done: Vec<Completion>,
}

#[derive(Debug, Clone, Copy)]
struct Job {
    request: Request,
    is_open: bool,
    /// Generations from here on are issues of this request.
    first: u64,
    /// The last issue's.
    current: u64,
    /// Issues that may still be carried out or answered.
    loose: u32,
    answer: Option<i32>,
    /// The answer is that of the last issue.
    is_final: bool,
    /// When it was taken off a path for the first time, ns; 0 where it never was.
    lost_ns: u64,
}

/// An I/O that waits for a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket {
    pub slot: u32,
    first: u64,
}

impl Ticket {
    /// Number of the first issue that came after its I/O was opened.
    pub fn first(self) -> u64 {
        self.first
    }
}

impl Jobs {
    /// Jobs for so many slots.
    pub fn new(slots: usize) -> Self {
        let none = Job {
            request: Request {
                slot: 0,
                file: 0,
                action: Action::Read,
                offset: 0,
                length: 0,
                buffer: std::ptr::null_mut(),
            },
            is_open: false,
            first: 0,
            current: 0,
            loose: 0,
            answer: None,
            is_final: false,
            lost_ns: 0,
        };
        Jobs {
            jobs: vec![none; slots],
            generation: 0,
            done: Vec::with_capacity(slots),
        }
    }

    /// Number of the worker's slots.
    pub fn slots(&self) -> usize {
        self.jobs.len()
    }

    /// A new I/O.
    #[inline]
    pub fn open(&mut self, request: Request) -> Ticket {
        let first = self.generation + 1;
        self.jobs[request.slot as usize] = Job {
            request,
            is_open: true,
            first,
            current: 0,
            loose: 0,
            answer: None,
            is_final: false,
            lost_ns: 0,
        };
        Ticket {
            slot: request.slot,
            first,
        }
    }

    /// The I/O that a cookie is of, so that it can be issued again; `None` where it needs no more issues.
    pub fn ticket(&self, cookie: u64) -> Option<Ticket> {
        let slot = slot_of(cookie);
        let job = &self.jobs[slot];
        let ticket = Ticket {
            slot: slot as u32,
            first: job.first,
        };
        (generation_of(cookie) >= job.first && self.wants(ticket)).then_some(ticket)
    }

    /// True while an I/O needs an issue that succeeds.
    pub fn wants(&self, ticket: Ticket) -> bool {
        let job = &self.jobs[ticket.slot as usize];
        job.is_open
            && job.first == ticket.first
            && !job.is_final
            && job.answer.is_none_or(|a| a < 0)
    }

    /// An open I/O is taken off a path: since when that has been happening to it, ns.
    pub fn taken_back(&mut self, ticket: Ticket, now_ns: u64) -> u64 {
        let job = &mut self.jobs[ticket.slot as usize];
        if job.lost_ns == 0 {
            job.lost_ns = now_ns.max(1);
        }
        job.lost_ns
    }

    /// Action of an open I/O.
    #[inline]
    pub fn action(&self, ticket: Ticket) -> Action {
        self.jobs[ticket.slot as usize].request.action
    }

    /// The number of the last issue of any I/O.
    #[inline]
    pub fn last_issue(&self) -> u64 {
        self.generation
    }

    /// Numbers an issue of it; its request.
    #[inline]
    pub fn issue(&mut self, ticket: Ticket) -> (u64, Request) {
        self.generation += 1;
        let job = &mut self.jobs[ticket.slot as usize];
        job.current = self.generation;
        job.loose += 1;
        job.answer = None;
        (cookie(self.generation, ticket.slot), job.request)
    }

    /// An issue was answered where it is out, with bytes or -errno.
    #[inline]
    pub fn answered(&mut self, cookie: u64, result: i32) {
        let Some(job) = self.of(cookie) else { return };
        job.loose -= 1;
        job.answer = Some(result);
        job.is_final = true;
        self.end(cookie);
    }

    /// An issue was answered by a connection that was given up, with bytes or -errno.
    pub fn answered_late(&mut self, cookie: u64, result: i32) {
        let Some(job) = self.of(cookie) else { return };
        job.loose -= 1;
        // Of a read the data was thrown away.
        let counts = may_harm(job.request.action) && !job.is_final;
        if counts && job.answer.is_none_or(|a| a < 0) {
            job.answer = Some(result);
        }
        self.end(cookie);
    }

    /// An issue cannot be carried out any more, and was not answered. True where it could have done harm.
    pub fn settled(&mut self, cookie: u64) -> bool {
        let Some(job) = self.of(cookie) else {
            return false;
        };
        job.loose -= 1;
        let harmful = may_harm(job.request.action);
        self.end(cookie);
        harmful
    }

    /// No issue is possible: the I/O fails, once none that was made can do anything.
    pub fn fail(&mut self, ticket: Ticket, errno: i32) {
        if !self.wants(ticket) {
            return;
        }
        let job = &mut self.jobs[ticket.slot as usize];
        job.answer = Some(-errno);
        let any = cookie(job.first, ticket.slot);
        self.end(any);
    }

    /// The open I/O that a cookie is of.
    #[inline]
    fn of(&mut self, cookie: u64) -> Option<&mut Job> {
        let job = &mut self.jobs[slot_of(cookie)];
        (job.is_open && generation_of(cookie) >= job.first).then_some(job)
    }

    #[inline]
    fn end(&mut self, cookie: u64) {
        let slot = slot_of(cookie);
        let job = &mut self.jobs[slot];
        let Some(result) = job.answer else { return };
        if job.loose == 0 || !may_harm(job.request.action) {
            job.is_open = false;
            self.done.push(Completion {
                slot: slot as u32,
                result,
            });
        }
    }
}

fn may_harm(action: Action) -> bool {
    matches!(action, Action::Write | Action::Trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(action: Action) -> Request {
        Request {
            slot: 3,
            file: 0,
            action,
            offset: 0,
            length: 4096,
            buffer: std::ptr::null_mut(),
        }
    }

    fn ended(jobs: &mut Jobs) -> Vec<i32> {
        jobs.done.drain(..).map(|c| c.result).collect()
    }

    #[test]
    fn a_write_ends_when_neither_issue_can_do_anything_any_more() {
        let mut jobs = Jobs::new(8);
        let ticket = jobs.open(request(Action::Write));
        let (first, _) = jobs.issue(ticket);
        let (second, _) = jobs.issue(ticket);
        jobs.answered(second, 4096);
        assert!(ended(&mut jobs).is_empty());
        assert!(jobs.settled(first));
        assert_eq!(ended(&mut jobs), [4096]);
        // Whatever comes later is of no I/O.
        jobs.answered_late(first, -5);
        assert!(ended(&mut jobs).is_empty());
    }

    #[test]
    fn a_read_ends_with_its_last_issues_answer_and_a_late_one_is_nothing() {
        let mut jobs = Jobs::new(8);
        let ticket = jobs.open(request(Action::Read));
        let (first, _) = jobs.issue(ticket);
        let (second, _) = jobs.issue(ticket);
        jobs.answered_late(first, 4096);
        assert!(ended(&mut jobs).is_empty());
        jobs.answered(second, 4096);
        assert_eq!(ended(&mut jobs), [4096]);
        let next = jobs.open(request(Action::Read));
        assert_eq!(jobs.ticket(first), None);
        jobs.issue(next);
        jobs.answered_late(first, -5);
        assert!(ended(&mut jobs).is_empty());
    }

    #[test]
    fn a_late_success_of_a_write_that_waits_for_a_path_makes_the_second_issue_needless() {
        let mut jobs = Jobs::new(8);
        let ticket = jobs.open(request(Action::Write));
        let (first, _) = jobs.issue(ticket);
        assert_eq!(jobs.ticket(first), Some(ticket));
        jobs.answered_late(first, 4096);
        assert_eq!(ended(&mut jobs), [4096]);
        assert!(!jobs.wants(ticket));
        jobs.fail(ticket, 5);
        assert!(ended(&mut jobs).is_empty());
    }

    #[test]
    fn a_write_without_a_path_fails_only_once_its_first_issue_is_over() {
        let mut jobs = Jobs::new(8);
        let ticket = jobs.open(request(Action::Write));
        let (first, _) = jobs.issue(ticket);
        jobs.fail(ticket, 5);
        assert!(ended(&mut jobs).is_empty());
        jobs.settled(first);
        assert_eq!(ended(&mut jobs), [-5]);
    }

    #[test]
    fn a_late_answer_of_a_read_or_a_flush_that_waits_for_a_path_is_none() {
        for action in [Action::Read, Action::Sync] {
            let mut jobs = Jobs::new(8);
            let ticket = jobs.open(request(action));
            let (first, _) = jobs.issue(ticket);
            jobs.answered_late(first, 4096);
            assert!(ended(&mut jobs).is_empty());
            assert!(jobs.wants(ticket));
            let (second, _) = jobs.issue(ticket);
            jobs.answered(second, -5);
            assert_eq!(ended(&mut jobs), [-5]);
        }
    }

    #[test]
    fn a_writes_last_issue_has_the_last_word() {
        // (late answer of the first, answer of the second) whichever comes first, and what the write comes to.
        for (first_says, second_says, result) in [
            (4096, -5, -5),
            (-5, 4096, 4096),
            (-5, -28, -28),
            (4096, 4096, 4096),
        ] {
            for late_first in [true, false] {
                let mut jobs = Jobs::new(8);
                let ticket = jobs.open(request(Action::Write));
                let (first, _) = jobs.issue(ticket);
                let (second, _) = jobs.issue(ticket);
                if late_first {
                    jobs.answered_late(first, first_says);
                    assert!(ended(&mut jobs).is_empty());
                    jobs.answered(second, second_says);
                } else {
                    jobs.answered(second, second_says);
                    assert!(ended(&mut jobs).is_empty());
                    jobs.answered_late(first, first_says);
                }
                assert_eq!(ended(&mut jobs), [result]);
            }
        }
    }

    #[test]
    fn a_late_success_of_a_write_that_found_no_path_is_one() {
        let mut jobs = Jobs::new(8);
        let ticket = jobs.open(request(Action::Write));
        let (first, _) = jobs.issue(ticket);
        jobs.fail(ticket, 5);
        jobs.answered_late(first, 4096);
        assert_eq!(ended(&mut jobs), [4096]);
    }

    #[test]
    fn an_io_is_known_by_when_it_was_first_taken_back() {
        let mut jobs = Jobs::new(8);
        let ticket = jobs.open(request(Action::Read));
        assert_eq!(jobs.taken_back(ticket, 100), 100);
        assert_eq!(jobs.taken_back(ticket, 300), 100);
        let next = jobs.open(request(Action::Read));
        assert_eq!(jobs.taken_back(next, 400), 400);
    }
}
