//! The page, the API and the metrics, over HTTP.

mod guard;
mod manage;
mod metrics;
mod request;
mod requests;
mod response;
mod routes;

use crate::connection::Lab;
use guard::Guard;
pub(crate) use guard::is_host;
use request::read_request;
use requests::OpenRequests;
use response::Response;
use std::io::{ErrorKind, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// How long a request may take: until it is all there, and then until its answer is taken.
const PATIENCE: Duration = Duration::from_secs(5);

/// Enough for a request: what is large is on the heap.
const STACK: usize = 256 << 10;

/// What a browser may do with any answer: take script and style from here, nothing from elsewhere and nothing that is
/// written into a page, and show it in no frame of another page.
const RULES: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
                     X-Frame-Options: DENY\r\n\
                     X-Content-Type-Options: nosniff\r\n\
                     Referrer-Policy: no-referrer\r\n\
                     Cross-Origin-Resource-Policy: same-origin\r\n\
                     Cache-Control: no-store\r\n";

/// A server of HTTP. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Http {
    pub address: SocketAddr,
    closed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Http {
    /// Listens.
    pub(crate) fn start(
        address: SocketAddr,
        names: &[String],
        lab: Arc<Lab>,
    ) -> std::io::Result<Self> {
        let guard = Guard::new(names);
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let closed = Arc::new(AtomicBool::new(false));
        let stop = closed.clone();
        let thread = Builder::new()
            .name("lab http".to_owned())
            .spawn(move || accept(&listener, &lab, &guard, &stop))?;
        Ok(Http {
            address,
            closed,
            thread: Some(thread),
        })
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
        // Wakes the listener; where that cannot be done, it is gone already.
        let _ = TcpStream::connect_timeout(&self.address, PATIENCE);
        if let Some(thread) = self.thread.take() {
            // A listener that panicked has nothing to say any more.
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, lab: &Arc<Lab>, guard: &Guard, closed: &AtomicBool) {
    let requests = Arc::new(OpenRequests::new(lab.limits.http));
    while !closed.load(Ordering::Relaxed) {
        let Ok((stream, peer)) = listener.accept() else {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        let stream = Arc::new(stream);
        let Some(id) = requests.enter(stream.clone(), peer.ip().to_canonical()) else {
            continue;
        };
        let (lab, guard, at) = (lab.clone(), guard.clone(), requests.clone());
        let thread = Builder::new()
            .name("lab http client".to_owned())
            .stack_size(STACK)
            .spawn(move || {
                // A client that is gone needs no answer, and what panics for one must not cost the others their place.
                let _ = catch_unwind(AssertUnwindSafe(|| converse(&stream, &lab, &guard)));
                at.leave(id);
            });
        if thread.is_err() {
            requests.leave(id);
        }
    }
}

/// One request and its answer.
fn converse(stream: &TcpStream, lab: &Lab, guard: &Guard) -> std::io::Result<()> {
    let here = stream.local_addr()?;
    let response = match read_request(stream, Instant::now() + PATIENCE) {
        Ok(request) => match guard.refuse(&request, here) {
            Some(refusal) => refusal,
            None => routes::answer(lab, &request),
        },
        Err(problem) => Response::problem(problem.status(), &problem.to_string()),
    };
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{RULES}Connection: close\r\n\r\n",
        response.status,
        response.kind,
        response.body.len()
    );
    let deadline = Instant::now() + PATIENCE;
    send(stream, head.as_bytes(), deadline)?;
    send(stream, response.body.as_bytes(), deadline)?;
    stream.shutdown(Shutdown::Both)
}

/// Sends all of it, or as much as is taken in time.
fn send(mut stream: &TcpStream, mut bytes: &[u8], deadline: Instant) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_write_timeout(Some(left))?;
        match stream.write(bytes) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
