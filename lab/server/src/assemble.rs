//! From what a server is to be to what its connections share.

use crate::access::Access;
use crate::connection::{Awake, LINES, Lab, Secrecy};
use crate::endpoint::Endpoint;
use crate::history::History;
use crate::lag::Lag;
use crate::model::Model;
use crate::options::{ServerError, ServerOptions};
use crate::registry::Registry;
use crate::store::{ExtentKind, Store, StoreError};
use crate::turns::Turns;
use plimsoll_array::{Array, CHUNK, Persona};
use plimsoll_content::identify_bytes;
use plimsoll_nbd::{BlockSizes, Export, TransmissionFlags};
use plimsoll_permit::output::{BackingPermit, Rules};
use plimsoll_witness::{Root, memory};
use std::sync::Arc;

/// The array, its data and its exports, for clients that come over these endpoints.
pub(crate) fn assemble(
    options: &ServerOptions,
    endpoints: Vec<Endpoint>,
) -> Result<Lab, ServerError> {
    let persona = sized(options);
    let scale = options.scale.unwrap_or(persona.scale);
    let available = options.memory_bytes.unwrap_or_else(available_bytes);
    persona.check_memory(scale, available, options.lun_bytes.is_some())?;
    let mut array = Array::new(&persona, scale, options.seed)?;
    for (number, fault) in options.faults.iter().enumerate() {
        let entered = array.schedule(std::slice::from_ref(fault));
        entered.map_err(|why| ServerError::Fault { number, why })?;
    }
    // What the model has built is not free any more, and half of the rest is for data.
    let rest = available.saturating_sub(persona.footprint(scale).built as u64);
    let store = open_store(options, &mut array, rest / 2)?;
    let exports = exports(&persona, &array);
    let masking = persona.masking().map_err(|(_, why)| why)?;
    let paths = array.front_end().paths().iter().map(|p| p.port).collect();
    Ok(Lab {
        model: Model::new(array, &persona, options.timing),
        store,
        lag: Lag::default(),
        history: History::default(),
        awake: Awake::new(),
        turns: Turns::new(LINES),
        registry: Registry::new(options.limits),
        access: Access::new(masking, paths),
        limits: options.limits,
        tls: options.tls.as_ref().map(Secrecy::new).transpose()?,
        exports,
        endpoints,
        persona,
    })
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
fn open_store(
    options: &ServerOptions,
    array: &mut Array,
    for_data: u64,
) -> Result<Store, ServerError> {
    let luns = array.luns().len();
    let Some(path) = &options.backing else {
        let limit = options.limits.data_bytes.unwrap_or(for_data);
        return Ok(Store::in_memory(luns, limit));
    };
    let lun_bytes = array.lun_bytes();
    let rules = Rules {
        overwrite: options.overwrite,
        precious: &options.precious,
    };
    let permit = BackingPermit::ask(path, &rules).map_err(StoreError::from)?;
    let store = Store::in_file(permit, luns, lun_bytes)?;
    let mut bytes = vec![0; CHUNK as usize];
    for lun in 0..luns as u32 {
        let mut at = 0;
        while at < lun_bytes {
            let run = store.run(lun, at..lun_bytes)?;
            let end = at + run.len;
            if run.kind == ExtentKind::Data {
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

/// What this process may still take of the machine's memory and of its control group's; 2 GiB where nothing says so.
fn available_bytes() -> u64 {
    memory::available(&Root::system()).map_or(2 << 30, |a| a.bytes)
}
