//! Serves a persona on a Unix socket until standard input ends: `serve PERSONA SOCKET [--no-timing]`.

use plimsoll_server::{Endpoint, Server, ServerOptions};
use std::io::Read;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let persona = words.next().unwrap_or("scale-out-flash-8".into());
    let mut options = ServerOptions::persona(&persona)?;
    options.endpoints = vec![Endpoint::Unix(
        words.next().unwrap_or("lab.sock".into()).into(),
    )];
    options.timing = words.next().is_none();
    options.http = Some("127.0.0.1:9180".parse()?);
    let server = Server::start(options)?;
    println!("{}", server.uri(0, 0));
    std::io::stdin().read_to_end(&mut Vec::new())?;
    println!("{}", server.status().to_json());
    server.stop();
    Ok(())
}
