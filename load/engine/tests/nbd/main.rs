//! The engine's NBD client: against a server of our own that fails when it is told to, against nbdkit and against qemu-nbd.

#[path = "../../../../base/tls/tests/session/certificates.rs"]
mod certificates;
mod content;
mod failing;
mod hand;
mod late;
mod lying;
mod others;
mod relay;
#[allow(
    dead_code,
    reason = "the same runs as on files, of which these tests need a part"
)]
#[path = "../real/run.rs"]
mod run;
mod secret;
mod serving;
