//! HTTP for pages of our own, those of `lab serve` and of `serve`: one request a connection, in bounded time and space.
//!
//! Requests under a name that is not the server's are refused, and so are changes that another site's page makes a browser ask for
//! ([`guard`](self)). A server that other hosts can reach has TLS and a token.

mod events;
mod guard;
mod request;
mod requests;
mod response;
mod stream;
mod token;

pub use events::{Event, Events};
pub use guard::is_host;
pub use plimsoll_tls::{Server as Tls, TlsError};
pub use request::Request;
pub use response::{Policy, Response, json, text};

use guard::Guard;
use requests::OpenRequests;
use response::Body;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use stream::Stream;
use token::Door;

/// Time limit of a request: until all of it has arrived, and again until its answer has been taken.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of an answer that a client has to take in a second, so that a large page may take longer.
const SLOWEST: u64 = 64 << 10;

/// Options of a server: the address that it listens on, and the clients that it answers.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// The address; port 0 is any that is free.
    pub address: SocketAddr,
    /// Names under which others know it, beside its address: `lab.example`, or `lab.example:8080` where they see another port.
    pub names: Vec<String>,
    /// Requests at a time; where one more comes, the oldest is hung up on.
    pub most: usize,
    /// Stack of a request's thread, bytes.
    pub stack: usize,
    /// TLS; `None`: plain text.
    pub tls: Option<Tls>,
    /// Token without which nothing is answered.
    pub token: Option<String>,
}

impl HttpOptions {
    /// Plain text on an address, for everyone who reaches it.
    pub fn new(address: SocketAddr) -> Self {
        HttpOptions {
            address,
            names: Vec::new(),
            most: 32,
            stack: 256 << 10,
            tls: None,
            token: None,
        }
    }
}

/// The answers of a server.
pub trait Answers: Send + Sync + 'static {
    /// The answer to a request that passed the guards.
    fn answer(&self, request: &Request) -> Response;
}

/// A server of HTTP. It ends when it is dropped.
#[derive(Debug)]
pub struct Http {
    /// Address that it listens on.
    pub address: SocketAddr,
    closed: Arc<AtomicBool>,
    requests: Arc<OpenRequests>,
    thread: Option<JoinHandle<()>>,
}

/// State that the threads of all requests share.
struct Shared<A> {
    answers: A,
    guard: Guard,
    door: Option<Door>,
    tls: Option<Tls>,
    closed: Arc<AtomicBool>,
}

impl Http {
    /// Listens.
    ///
    /// # Errors
    /// The address cannot be had, or there is no thread.
    pub fn start(options: HttpOptions, answers: impl Answers) -> std::io::Result<Self> {
        let listener = TcpListener::bind(options.address)?;
        let address = listener.local_addr()?;
        let closed = Arc::new(AtomicBool::new(false));
        let requests = Arc::new(OpenRequests::new(options.most));
        let shared = Arc::new(Shared {
            answers,
            guard: Guard::new(&options.names),
            door: (options.token)
                .map(|token| Door::new(token, address.port(), options.tls.is_some())),
            tls: options.tls,
            closed: closed.clone(),
        });
        let (open, stack) = (requests.clone(), options.stack);
        let thread = Builder::new()
            .name("http".to_owned())
            .spawn(move || accept(&listener, &shared, &open, stack))?;
        Ok(Http {
            address,
            closed,
            requests,
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
        self.requests.hang_up();
    }
}

fn accept<A: Answers>(
    listener: &TcpListener,
    shared: &Arc<Shared<A>>,
    requests: &Arc<OpenRequests>,
    stack: usize,
) {
    while !shared.closed.load(Ordering::Relaxed) {
        let Ok((stream, peer)) = listener.accept() else {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        let stream = Arc::new(stream);
        let Some(id) = requests.enter(stream.clone(), peer.ip().to_canonical()) else {
            continue;
        };
        let (shared, at) = (shared.clone(), requests.clone());
        let thread = Builder::new()
            .name("http client".to_owned())
            .stack_size(stack)
            .spawn(move || {
                // A client that is gone needs no answer, and what panics for one must not cost the others their place.
                let _ = catch_unwind(AssertUnwindSafe(|| converse(&stream, &shared)));
                at.leave(id);
            });
        if thread.is_err() {
            requests.leave(id);
        }
    }
}

/// One request and its answer.
fn converse<A: Answers>(socket: &TcpStream, shared: &Shared<A>) -> std::io::Result<()> {
    let here = socket.local_addr()?;
    let deadline = Instant::now() + PATIENCE;
    let mut stream = Stream::open(socket, shared.tls.as_ref(), deadline)?;
    let response = match request::read_request(&mut stream, deadline) {
        Ok(request) => {
            let refusal = shared.guard.refuse(&request, here);
            let refusal = refusal.or_else(|| shared.door.as_ref()?.refuse(&request));
            refusal.unwrap_or_else(|| shared.answers.answer(&request))
        }
        Err(problem) => Response::problem(problem.status(), &problem.to_string()),
    };
    let head = response.head();
    stream.send(head.as_bytes(), Instant::now() + PATIENCE)?;
    match response.body {
        Body::Whole(body) => {
            let longer = Duration::from_secs(body.len() as u64 / SLOWEST);
            stream.send(body.as_bytes(), Instant::now() + PATIENCE + longer)?;
        }
        Body::Events(mut events) => {
            while !shared.closed.load(Ordering::Relaxed)
                && let Some(event) = events.next_event()
            {
                stream.send(event.text().as_bytes(), Instant::now() + PATIENCE)?;
            }
        }
    }
    stream.close()
}
