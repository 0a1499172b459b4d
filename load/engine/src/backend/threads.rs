//! pread and pwrite on schedule: one thread in each system call, as many threads as I/Os are out at once.
//!
//! A worker that made the calls itself would see nothing of what comes due while it is in one. So it hands them to threads,
//! which are made as they are needed; the one that was idle last goes first, so that a few do what a few can do. Each
//! stamps its I/O just before and just after the call: the way to the thread is the generator's lateness, and the way
//! back is nobody's.

use super::{Backend, Completion, Request, Wait};
use crate::clock::RealClock;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The backend. `F` makes the system call of a request, and gives the bytes moved or -errno.
pub struct Threads<F> {
    call: Arc<F>,
    completions: Arc<Completions>,
    threads: Vec<Arc<Inbox>>,
    /// Those that have nothing to do; the last goes first.
    idle: Vec<usize>,
    queued: Vec<Request>,
    /// (submitted, done) of the I/O that came back last in each slot, ns on the worker's clock.
    stamps: Vec<(u64, u64)>,
    taken: Vec<Done>,
    epoch_ns: u64,
}

/// A system call needs little.
const STACK_BYTES: usize = 64 << 10;

/// What one thread is to do next.
#[derive(Default)]
struct Inbox {
    order: Mutex<Order>,
    changed: Condvar,
}

#[derive(Default)]
enum Order {
    #[default]
    Nothing,
    Call(Errand),
    End,
}

/// A request on its way to a thread.
struct Errand(Request);

// SAFETY: the request's pointer leads into the arena of the worker that owns the backend. Nothing else touches those bytes
// until the completion, and where that never comes the worker leaves the arena mapped for ever.
unsafe impl Send for Errand {}

/// Where threads put what they have done.
#[derive(Default)]
struct Completions {
    done: Mutex<Vec<Done>>,
    changed: Condvar,
}

/// One call that has returned; times in ns on CLOCK_MONOTONIC.
struct Done {
    thread: usize,
    completion: Completion,
    submitted_ns: u64,
    done_ns: u64,
}

// SAFETY: `queued` holds pointers into the arena of the worker that owns this backend, and moves with it.
unsafe impl<F: Send + Sync> Send for Threads<F> {}

impl<F: Fn(&Request) -> i32 + Send + Sync + 'static> Threads<F> {
    /// Pool for so many requests at once. There are no threads yet.
    pub fn new(call: F, slots: usize) -> Self {
        Threads {
            call: Arc::new(call),
            completions: Arc::default(),
            threads: Vec::new(),
            idle: Vec::with_capacity(slots),
            queued: Vec::with_capacity(slots),
            stamps: vec![(0, 0); slots],
            taken: Vec::with_capacity(slots),
            epoch_ns: 0,
        }
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    #[cold]
    fn add_thread(&mut self) -> io::Result<usize> {
        let number = self.threads.len();
        let inbox = Arc::new(Inbox::default());
        let (own, completions, call) = (
            Arc::clone(&inbox),
            Arc::clone(&self.completions),
            Arc::clone(&self.call),
        );
        std::thread::Builder::new()
            .name(format!("call-{number}"))
            .stack_size(STACK_BYTES)
            .spawn(move || {
                while let Some(Errand(request)) = own.wait() {
                    completions.put(carry_out(number, &request, call.as_ref()));
                }
            })?;
        self.threads.push(inbox);
        Ok(number)
    }

    fn take_done(&mut self, wait: Wait) {
        let mut done = locked(&self.completions.done);
        if let (true, Wait::For { ns, .. }) = (done.is_empty(), wait) {
            let long = Duration::from_nanos(ns);
            done = match self
                .completions
                .changed
                .wait_timeout_while(done, long, |d| d.is_empty())
            {
                Ok((done, _)) => done,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        std::mem::swap(&mut *done, &mut self.taken);
    }
}

impl<F: Fn(&Request) -> i32 + Send + Sync + 'static> Backend for Threads<F> {
    const NAME: &'static str = "psync";
    const STAMPS: bool = true;

    fn start(&mut self, epoch_ns: u64) {
        self.epoch_ns = epoch_ns;
    }

    fn stamps(&self, slot: u32) -> (u64, u64) {
        self.stamps[slot as usize]
    }

    fn queue(&mut self, request: Request) -> io::Result<()> {
        self.queued.push(request);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        for at in 0..self.queued.len() {
            let thread = match self.idle.pop() {
                Some(thread) => thread,
                None => self.add_thread()?,
            };
            self.threads[thread].put(Order::Call(Errand(self.queued[at])));
        }
        self.queued.clear();
        Ok(())
    }

    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        self.flush()?;
        self.take_done(wait);
        for done in self.taken.drain(..) {
            let from_epoch = |ns: u64| ns.saturating_sub(self.epoch_ns);
            let stamps = (from_epoch(done.submitted_ns), from_epoch(done.done_ns));
            self.stamps[done.completion.slot as usize] = stamps;
            self.idle.push(done.thread);
            out.push(done.completion);
        }
        Ok(())
    }
}

impl<F> Drop for Threads<F> {
    fn drop(&mut self) {
        // One that is stuck in its call ends when that returns, or with the process.
        for thread in &self.threads {
            thread.put(Order::End);
        }
    }
}

fn carry_out(thread: usize, request: &Request, call: impl Fn(&Request) -> i32) -> Done {
    let submitted_ns = RealClock::monotonic_ns();
    let result = call(request);
    Done {
        thread,
        completion: Completion {
            slot: request.slot,
            result,
        },
        submitted_ns,
        done_ns: RealClock::monotonic_ns(),
    }
}

impl Inbox {
    fn put(&self, order: Order) {
        *locked(&self.order) = order;
        self.changed.notify_one();
    }

    /// The next request; `None` at the end.
    fn wait(&self) -> Option<Errand> {
        let mut order = locked(&self.order);
        loop {
            match std::mem::take(&mut *order) {
                Order::Call(errand) => return Some(errand),
                Order::End => return None,
                Order::Nothing => {
                    order = self
                        .changed
                        .wait(order)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl Completions {
    fn put(&self, done: Done) {
        locked(&self.done).push(done);
        self.changed.notify_one();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever held it may have died; what is in it is whole all the same.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Action;

    /// Calls that return when they are let.
    #[derive(Default)]
    struct Barred {
        open: Mutex<bool>,
        changed: Condvar,
    }

    impl Barred {
        fn pass(&self) {
            let open = locked(&self.open);
            drop(self.changed.wait_while(open, |open| !*open));
        }

        fn open(&self) {
            *locked(&self.open) = true;
            self.changed.notify_all();
        }
    }

    fn request(slot: u32) -> Request {
        Request {
            slot,
            file: 0,
            action: Action::Read,
            offset: u64::from(slot),
            length: 512,
            buffer: std::ptr::null_mut(),
        }
    }

    /// Waits for so many completions.
    fn reap<F: Fn(&Request) -> i32 + Send + Sync + 'static>(
        backend: &mut Threads<F>,
        count: usize,
    ) -> Vec<Completion> {
        let mut out = Vec::new();
        while out.len() < count {
            let forever = Wait::first(u64::MAX / 4);
            backend.poll(forever, &mut out).expect("polls");
        }
        out
    }

    #[test]
    fn one_after_the_other_needs_one_thread() {
        let mut backend = Threads::new(|r| r.length as i32, 8);
        backend.start(RealClock::monotonic_ns());
        let mut last_ns = 0;
        for n in 0..100 {
            backend.queue(request(n % 8)).expect("queues");
            let done = reap(&mut backend, 1);
            assert_eq!((done[0].slot, done[0].result), (n % 8, 512));
            let (submitted_ns, done_ns) = backend.stamps(n % 8);
            assert!(last_ns <= submitted_ns && submitted_ns <= done_ns);
            last_ns = done_ns;
        }
        assert_eq!(backend.threads(), 1);
    }

    #[test]
    fn those_that_are_stuck_hold_up_no_others() {
        let bar = Arc::new(Barred::default());
        let own = Arc::clone(&bar);
        let call = move |r: &Request| {
            if r.slot < 3 {
                own.pass();
            }
            r.slot as i32
        };
        let mut backend = Threads::new(call, 4);
        for slot in [0, 1, 2, 3, 3, 3] {
            backend.queue(request(slot)).expect("queues");
            if slot == 3 {
                assert_eq!(reap(&mut backend, 1)[0].result, 3);
            }
        }
        assert_eq!(backend.threads(), 4);
        let mut none = Vec::new();
        backend.poll(Wait::None, &mut none).expect("polls");
        assert!(none.is_empty());
        bar.open();
        let mut slots: Vec<u32> = reap(&mut backend, 3).iter().map(|c| c.slot).collect();
        slots.sort_unstable();
        assert_eq!(slots, [0, 1, 2]);
    }

    #[test]
    fn one_that_never_comes_back_keeps_nobody_from_ending() {
        let bar = Arc::new(Barred::default());
        let own = Arc::clone(&bar);
        let mut backend = Threads::new(
            move |_: &Request| {
                own.pass();
                0
            },
            1,
        );
        backend.queue(request(0)).expect("queues");
        backend.flush().expect("hands over");
        drop(backend);
        bar.open();
    }
}
