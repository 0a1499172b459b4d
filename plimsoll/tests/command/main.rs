//! The built program, as its users meet it. What a machine lacks (root, loop devices) is skipped with its reason.

mod backends;
mod bad_input;
mod browser;
#[path = "../../../lab/tls/tests/session/certificates.rs"]
mod certificates;
mod definitions;
mod destroying;
mod devices;
mod docs;
mod errors;
mod exports;
mod failing;
mod filling;
mod gates;
mod interrupting;
mod joined;
mod killing;
mod leaving;
mod limits;
mod measuring;
mod mistaken;
mod outputs;
mod outputs_in_use;
mod overrides;
mod place;
mod records;
mod repeating;
mod resuming;
mod serving;
mod simulated;
mod stopped;
mod terminal;
mod tls;
mod unprivileged;
mod vanishing;
mod vdbench;
