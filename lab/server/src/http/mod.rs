//! The page, the API and the metrics, over HTTP.

mod manage;
mod metrics;
mod request;
mod routes;

use crate::connection::Lab;
use request::read_request;
use routes::Response;
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Requests at the same time; more are hung up on.
const MAX_OPEN: usize = 32;

/// How long a request may take to come, and an answer to be taken.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server of HTTP. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Http {
    pub address: SocketAddr,
    closed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Http {
    /// Listens.
    pub(crate) fn start(address: SocketAddr, lab: Arc<Lab>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let closed = Arc::new(AtomicBool::new(false));
        let stop = closed.clone();
        let thread = Builder::new()
            .name("lab http".to_owned())
            .spawn(move || accept(&listener, &lab, &stop))?;
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

fn accept(listener: &TcpListener, lab: &Arc<Lab>, closed: &AtomicBool) {
    let open = Arc::new(AtomicUsize::new(0));
    while !closed.load(Ordering::Relaxed) {
        let Ok((stream, _)) = listener.accept() else {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        if open.load(Ordering::Relaxed) >= MAX_OPEN {
            continue;
        }
        open.fetch_add(1, Ordering::Relaxed);
        let (lab, count) = (lab.clone(), open.clone());
        let thread = Builder::new()
            .name("lab http client".to_owned())
            .spawn(move || {
                // A client that is gone needs no answer.
                let _ = converse(stream, &lab);
                count.fetch_sub(1, Ordering::Relaxed);
            });
        if thread.is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// One request and its answer.
fn converse(mut stream: TcpStream, lab: &Lab) -> std::io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let response = match read_request(&mut stream, PATIENCE) {
        Ok(request) => routes::answer(lab, &request),
        Err(problem) => Response::problem(problem.status(), &problem.to_string()),
    };
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        response.status,
        response.kind,
        response.body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(response.body.as_bytes())?;
    stream.shutdown(Shutdown::Both)
}
