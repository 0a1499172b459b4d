//! Starting, addresses, stopping.

use crate::assemble::assemble;
use crate::connection::{Lab, serve};
use crate::endpoint::{Endpoint, Listener};
use crate::history_thread::HistoryThread;
use crate::http;
use crate::options::{ServerError, ServerOptions};
use crate::status::{self, Status};
use plimsoll_array::{Fault, FaultError};
use plimsoll_http::{Http, is_host};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// Enough for a connection: its buffers are on the heap.
const STACK: usize = 256 << 10;

/// An array that serves.
#[derive(Debug)]
pub struct Server {
    lab: Arc<Lab>,
    listeners: Vec<Arc<Listener>>,
    threads: Vec<JoinHandle<()>>,
    http: Option<Http>,
    history: Option<HistoryThread>,
}

impl Server {
    /// Builds the array and listens. Clients can connect as soon as this returns.
    pub fn start(options: ServerOptions) -> Result<Self, ServerError> {
        if options.endpoints.is_empty() {
            return Err(ServerError::NoEndpoint);
        }
        if let Some(odd) = options.http_hosts.iter().find(|n| !is_host(n)) {
            return Err(ServerError::HttpHost(odd.clone()));
        }
        check_reach(&options)?;
        let (mut listeners, mut endpoints) = (Vec::new(), Vec::new());
        for asked in &options.endpoints {
            let listener = Listener::bind(asked).map_err(|why| cannot_listen(asked, why))?;
            let endpoint = listener.endpoint();
            endpoints.push(endpoint.map_err(|why| cannot_listen(asked, why))?);
            listeners.push(Arc::new(listener));
        }
        let mut server = Server {
            lab: Arc::new(assemble(&options, endpoints)?),
            listeners,
            threads: Vec::new(),
            http: None,
            history: None,
        };
        for path in 0..server.listeners.len() {
            server.serve_path(path)?;
        }
        if let Some(address) = options.http {
            let failed = |why| cannot_listen(&Endpoint::Tcp(address), why);
            let http = http::start(address, &options.http_hosts, server.lab.clone());
            server.http = Some(http.map_err(failed)?);
            server.history = Some(HistoryThread::start(server.lab.clone()).map_err(failed)?);
        }
        Ok(server)
    }

    /// Where it listens, in the order of the paths; a port 0 that was asked for is the port that was had.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.lab.endpoints
    }

    /// The URI of a LUN over a path, as NBD clients take it. Numbers past the last are the last.
    pub fn uri(&self, path: usize, lun: usize) -> String {
        let endpoint = &self.lab.endpoints[path.min(self.lab.endpoints.len() - 1)];
        let export = &self.lab.exports[lun.min(self.lab.exports.len() - 1)];
        endpoint.uri(&export.name, self.lab.is_secret())
    }

    /// Where its page is, when it has one.
    pub fn http(&self) -> Option<SocketAddr> {
        self.http.as_ref().map(|http| http.address)
    }

    /// The size of each LUN, bytes.
    pub fn lun_bytes(&self) -> u64 {
        self.lab.exports[0].size
    }

    /// What it counts, now.
    pub fn status(&self) -> Status {
        status::of(&self.lab)
    }

    /// Something goes wrong, or right again, now.
    pub fn inject(&self, fault: &Fault) -> Result<(), FaultError> {
        self.lab.model.inject(fault)
    }

    /// Hangs up on everybody and waits until all threads are gone. Data in a backing file is durable then.
    pub fn stop(self) {}

    fn serve_path(&mut self, path: usize) -> Result<(), ServerError> {
        let (lab, listener) = (self.lab.clone(), self.listeners[path].clone());
        let thread = Builder::new()
            .name(format!("lab path {path}"))
            .spawn(move || accept(&lab, &listener, path as u32))
            .map_err(ServerError::Thread)?;
        self.threads.push(thread);
        Ok(())
    }
}

/// Nothing that is said in plain text leaves this host unless that is meant.
fn check_reach(options: &ServerOptions) -> Result<(), ServerError> {
    if options.insecure {
        return Ok(());
    }
    let is_secret = options.tls.as_ref().is_some_and(|tls| tls.required);
    let open = options.endpoints.iter().find(|e| !e.is_local());
    if let Some(endpoint) = open.filter(|_| !is_secret) {
        let endpoint = endpoint.to_string();
        return Err(ServerError::PlainText { endpoint });
    }
    match options.http.map(Endpoint::Tcp) {
        Some(page) if !page.is_local() => Err(ServerError::OpenPage {
            endpoint: page.to_string(),
        }),
        _ => Ok(()),
    }
}

fn cannot_listen(endpoint: &Endpoint, why: std::io::Error) -> ServerError {
    let endpoint = endpoint.to_string();
    ServerError::Listen { endpoint, why }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.http = None;
        self.history = None;
        self.lab.registry.close();
        for listener in &self.listeners {
            listener.close();
        }
        for thread in self.threads.drain(..) {
            // A listener that panicked has nothing to say any more.
            let _ = thread.join();
        }
        self.lab.registry.wait_until_empty();
        // Nobody is left who could be told of an error.
        let _ = self.lab.store.flush();
        self.lab.store.end();
    }
}

/// Takes clients until the server stops.
fn accept(lab: &Arc<Lab>, listener: &Listener, path: u32) {
    while !lab.registry.is_closed() {
        let Ok((stream, caller)) = listener.accept() else {
            // Too many files are open, or the client is gone again already: neither is for ever.
            std::thread::sleep(std::time::Duration::from_millis(1));
            continue;
        };
        let (connection, client) = (lab.clone(), caller.client);
        let stream = Arc::new(stream);
        let Some(id) = lab.registry.enter(stream.clone(), caller, path) else {
            continue;
        };
        let thread = Builder::new()
            .name(format!("lab client {id}"))
            .stack_size(STACK)
            .spawn(move || serve(&connection, &stream, id, &client, path));
        if thread.is_err() {
            lab.registry
                .leave(id, Some("there is no thread for it".to_owned()));
        }
    }
}
