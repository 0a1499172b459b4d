//! How long a server is waited for, by a process that may stand still itself.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// A blocking call on a socket says so after waiting this long.
pub(super) const SLICE: Duration = Duration::from_millis(100);

/// Time spent in waiting for a server, against what that may take in all.
///
/// Of one wait no more than a slice counts: the rest of it this process was stopped or had no CPU, and the server may
/// have answered long since.
#[derive(Debug)]
pub(super) struct Waited {
    patience: Duration,
    spent: Duration,
}

impl Waited {
    /// Nothing yet.
    pub fn new(patience: Duration) -> Self {
        Waited {
            patience,
            spent: Duration::ZERO,
        }
    }

    /// Longest time that the waits may take in all.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Does what waits a slice at most, again where it was interrupted or its slice was over. Fails with
    /// [`ErrorKind::TimedOut`] once patience is.
    pub fn retry<T>(&mut self, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        // A server that sends a byte now and then must not hold us for ever.
        while self.spent < self.patience {
            let since = Instant::now();
            let result = attempt();
            self.spent += since.elapsed().min(SLICE);
            match result {
                Err(e) if is_passing(e.kind()) => {}
                result => return result,
            }
        }
        Err(ErrorKind::TimedOut.into())
    }
}

/// Whether the same call may do better: its slice was over, or a signal came. One comes with SIGCONT, too.
fn is_passing(kind: ErrorKind) -> bool {
    use ErrorKind::*;
    matches!(kind, Interrupted | WouldBlock | TimedOut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_call_is_made_again() {
        let mut says = vec![
            Ok(7),
            Err(ErrorKind::WouldBlock.into()),
            Err(ErrorKind::Interrupted.into()),
        ];
        let mut waited = Waited::new(Duration::from_secs(10));
        let got = waited.retry(|| says.pop().expect("asked too often"));
        assert_eq!(got.expect("answered"), 7);
    }

    #[test]
    fn other_errors_are_final() {
        let mut waited = Waited::new(Duration::from_secs(10));
        let mut asked = 0;
        let refused = waited.retry(|| -> io::Result<()> {
            asked += 1;
            Err(ErrorKind::ConnectionReset.into())
        });
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::ConnectionReset);
        assert_eq!(asked, 1);
    }

    #[test]
    fn one_long_wait_is_not_the_servers_and_many_are() {
        let mut waited = Waited::new(SLICE * 2);
        // As when this process is stopped in the first call.
        let mut asked = 0;
        let over = waited.retry(|| -> io::Result<()> {
            asked += 1;
            std::thread::sleep(if asked == 1 { SLICE * 3 } else { SLICE });
            Err(ErrorKind::Interrupted.into())
        });
        assert_eq!(over.unwrap_err().kind(), ErrorKind::TimedOut);
        assert_eq!(asked, 2);
    }
}
