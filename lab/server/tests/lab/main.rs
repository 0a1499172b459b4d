//! A lab as its clients see it.

#[path = "../../../../base/tls/tests/session/certificates.rs"]
mod certificates;
mod client;
mod data;
mod faults;
mod hostile;
mod http;
mod http_client;
mod masking;
mod secret;
mod stage;
mod tools;
