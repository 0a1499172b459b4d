//! Many hosts: the ground that a fleet is tested on, which is three hosts with sshd, links that can be cut, and a nats-server.
//! What a machine lacks for it is skipped with its reason.

#[path = "../../../base/tls/tests/session/certificates.rs"]
mod certificates;
mod definitions;
mod ground;
mod grounding;
mod host;
mod nats;
mod space;
