//! What the personas are known for, in virtual time. The published figures and their sources are in the persona files.

mod cliff;
mod content;
mod cores;
mod curve;
mod driver;
mod faults;
mod fit;
mod gateway;
mod host;
mod hybrid;
mod laws;
mod personas;
mod rates;
mod snapshots;
