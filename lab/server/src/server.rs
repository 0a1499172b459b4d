//! Starting, addresses, stopping.

use crate::connection::{Lab, serve};
use crate::endpoint::{Endpoint, Listener};
use crate::http::Http;
use crate::lag::Lag;
use crate::model::Model;
use crate::options::{ServerError, ServerOptions};
use crate::registry::Registry;
use crate::status::{self, Status};
use crate::store::{Kind, Store};
use plimsoll_array::{Array, CHUNK, Fault, FaultError, Persona};
use plimsoll_content::identify_bytes;
use plimsoll_nbd::{BlockSizes, Export, TransmissionFlags};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// Enough for a connection: its buffers are on the heap.
const STACK: usize = 256 << 10;

/// An array that serves.
#[derive(Debug)]
pub struct Server {
    lab: Arc<Lab>,
    endpoints: Vec<Endpoint>,
    listeners: Vec<Arc<Listener>>,
    threads: Vec<JoinHandle<()>>,
    http: Option<Http>,
}

impl Server {
    /// Builds the array and listens. Clients can connect as soon as this returns.
    pub fn start(options: ServerOptions) -> Result<Self, ServerError> {
        if options.endpoints.is_empty() {
            return Err(ServerError::NoEndpoint);
        }
        let persona = sized(&options);
        let scale = options.scale.unwrap_or(persona.scale);
        let mut array = Array::new(&persona, scale, options.seed)?;
        array.schedule(&options.faults)?;
        let store = open_store(&options, &mut array)?;
        let exports = exports(&persona, &array);
        let lab = Arc::new(Lab {
            model: Model::new(array, &persona, options.timing),
            store,
            lag: Lag::default(),
            registry: Registry::new(options.limits),
            limits: options.limits,
            exports,
            persona,
        });
        let mut server = Server {
            lab,
            endpoints: Vec::new(),
            listeners: Vec::new(),
            threads: Vec::new(),
            http: None,
        };
        for endpoint in &options.endpoints {
            server.listen(endpoint)?;
        }
        if let Some(address) = options.http {
            let http = Http::start(address, server.lab.clone());
            server.http = Some(http.map_err(|why| ServerError::Listen {
                endpoint: address.to_string(),
                why,
            })?);
        }
        Ok(server)
    }

    /// Where it listens, in the order of the paths; a port 0 that was asked for is the port that was had.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// The URI of a LUN over a path, as NBD clients take it. Numbers past the last are the last.
    pub fn uri(&self, path: usize, lun: usize) -> String {
        let name = &self.lab.exports[lun.min(self.lab.exports.len() - 1)].name;
        match &self.endpoints[path.min(self.endpoints.len() - 1)] {
            Endpoint::Tcp(address) => format!("nbd://{address}/{name}"),
            Endpoint::Unix(socket) => format!("nbd+unix:///{name}?socket={}", socket.display()),
        }
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

    fn listen(&mut self, endpoint: &Endpoint) -> Result<(), ServerError> {
        let failed = |why| ServerError::Listen {
            endpoint: endpoint.to_string(),
            why,
        };
        let listener = Arc::new(Listener::bind(endpoint).map_err(failed)?);
        let path = self.endpoints.len() as u32;
        self.endpoints.push(listener.endpoint().map_err(failed)?);
        self.listeners.push(listener.clone());
        let lab = self.lab.clone();
        let thread = Builder::new()
            .name(format!("lab path {path}"))
            .spawn(move || accept(&lab, &listener, path))
            .map_err(ServerError::Thread)?;
        self.threads.push(thread);
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.http = None;
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
    }
}

/// Takes clients until the server stops.
fn accept(lab: &Arc<Lab>, listener: &Listener, path: u32) {
    while !lab.registry.is_closed() {
        let Ok((stream, name)) = listener.accept() else {
            // Too many files are open, or the client is gone again already: neither is for ever.
            std::thread::sleep(std::time::Duration::from_millis(1));
            continue;
        };
        let connection = lab.clone();
        let stream = Arc::new(stream);
        let Some(id) = lab.registry.enter(stream.clone(), name, path) else {
            continue;
        };
        let thread = Builder::new()
            .name(format!("lab client {id}"))
            .stack_size(STACK)
            .spawn(move || serve(&connection, &stream, id, path));
        if thread.is_err() {
            lab.registry
                .leave(id, Some("there is no thread for it".to_owned()));
        }
    }
}

/// The persona with the size and the number of paths that were asked for.
fn sized(options: &ServerOptions) -> Persona {
    let mut persona = options.persona.clone();
    let scale = options.scale.unwrap_or(persona.scale);
    if let Some(bytes) = options.lun_bytes {
        persona.luns.gib = bytes as f64 * scale / (1_u64 << 30) as f64;
    }
    // Where nobody listens, there is no path.
    persona.ports.paths = options.endpoints.len() as u32;
    persona
}

/// The store; what a backing file holds is put into the array's map.
fn open_store(options: &ServerOptions, array: &mut Array) -> Result<Store, ServerError> {
    let luns = array.luns().len();
    let Some(path) = &options.backing else {
        let limit = options.limits.data_bytes;
        return Ok(Store::in_memory(
            luns,
            limit.unwrap_or_else(half_of_free_memory),
        ));
    };
    let lun_bytes = array.lun_bytes();
    let store = Store::in_file(path, luns, lun_bytes)?;
    let mut bytes = vec![0; CHUNK as usize];
    for lun in 0..luns as u32 {
        let mut at = 0;
        while at < lun_bytes {
            let run = store.run(lun, at..lun_bytes)?;
            let end = at + run.len;
            if run.kind == Kind::Data {
                for chunk in at / CHUNK..end.div_ceil(CHUNK) {
                    store.read(lun, chunk * CHUNK, &mut bytes)?;
                    array.fill(lun, chunk..chunk + 1, |_| identify_bytes(&bytes));
                }
            }
            at = end;
        }
    }
    Ok(store)
}

fn exports(persona: &Persona, array: &Array) -> Arc<[Export]> {
    let flags = TransmissionFlags::HAS_FLAGS
        | TransmissionFlags::FLUSH
        | TransmissionFlags::FUA
        | TransmissionFlags::TRIM
        | TransmissionFlags::WRITE_ZEROES
        | TransmissionFlags::MULTI_CONN;
    let export = |lun| Export {
        name: format!("{}/lun{lun}", persona.name),
        description: persona.about.clone(),
        size: array.lun_bytes(),
        flags,
        block_sizes: BlockSizes::default(),
    };
    (0..array.luns().len()).map(export).collect()
}

/// Half of the memory that the system could give now; 1 GiB where it doesn't say.
fn half_of_free_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.map_or(1 << 30, |kib| kib * 512)
}
