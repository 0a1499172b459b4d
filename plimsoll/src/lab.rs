//! `plimsoll lab`.

use crate::cli::{PersonaArgs, ServeArgs, TlsWhen};
use crate::failure::Failure;
use crate::out::{self, tell};
use plimsoll_array::Persona;
use plimsoll_array::persona::BUILT_IN;
use plimsoll_permit::output::Precious;
use plimsoll_plan::{LabArray, LabTarget};
use plimsoll_server::{Endpoint, FaultScript, Server, ServerError, ServerOptions, Tls};
use plimsoll_sim::find_persona;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::channel;

/// The port that the IANA gave to NBD.
const NBD: u16 = 10809;

/// Serves until it is interrupted.
pub fn serve(args: &ServeArgs) -> Result<ExitCode, Failure> {
    let script = args.faults.as_deref().map(FaultScript::read).transpose()?;
    let server = start(options(args)?, script.as_ref())?;
    let (interrupted, interrupts) = channel();
    ctrlc::set_handler(move || {
        // Once is enough: when nobody listens any more, it is stopping.
        let _ = interrupted.send(());
    })?;
    out::put(format_args!("{}", greeting(&server)));
    interrupts.recv()?;
    tell!("\nstopping");
    server.stop();
    Ok(ExitCode::SUCCESS)
}

/// Prints a built-in persona's file; or lists them.
pub fn persona(args: &PersonaArgs) -> Result<ExitCode, Failure> {
    if let Some(name) = &args.persona {
        let base = name.split_once('@').map_or(name.as_str(), |(base, _)| base);
        if base != name {
            Persona::named(name)?;
            let revision = &name[base.len() + 1..];
            out::put(format_args!(
                "# {name} is this with what [revisions.{revision}] says below.\n"
            ));
        }
        out::put(format_args!("{}", Persona::text(base)?));
        return Ok(ExitCode::SUCCESS);
    }
    let width = BUILT_IN.iter().map(|b| b.0.len()).max().unwrap_or(0);
    for (name, text) in BUILT_IN {
        let about = Persona::parse(text)?.about;
        out::put(format_args!("{name:width$}  {about}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Starts it, with what a script lets happen to it.
fn start(options: ServerOptions, script: Option<&FaultScript>) -> Result<Server, Failure> {
    let faults = script.map_or_else(Vec::new, |s| s.faults().to_vec());
    let started = Server::start(ServerOptions { faults, ..options });
    started.map_err(|error| match (error, script) {
        (ServerError::Fault { number, why }, Some(script)) => {
            Failure::usage(script.complain(number, &why).to_string())
        }
        (error, _) => error.into(),
    })
}

fn options(args: &ServeArgs) -> Result<ServerOptions, Failure> {
    let mut array = array(&args.persona)?;
    array.scale = args.scale;
    if args.size.is_some_and(|size| size.0 == 0) {
        let why = "--size 0: a LUN needs a size above 0, as in --size 16g";
        return Err(Failure::usage(why.to_owned()));
    }
    let found = find_persona(&array);
    let (persona, scale) = found.map_err(|e| Failure::usage(format!("{e}; {}", e.remedy())))?;
    let persona_file = array
        .file()
        .map(|path| Precious::new("the persona's file", path))
        .into_iter();
    Ok(ServerOptions {
        scale: Some(scale),
        lun_bytes: args.size.map(|size| size.0),
        endpoints: endpoints(args)?,
        http: args.http,
        http_hosts: args.http_host.clone(),
        tls: tls(args)?,
        insecure: args.insecure,
        backing: args.backing.clone(),
        overwrite: args.overwrite,
        precious: persona_file
            .chain(
                args.faults
                    .iter()
                    .map(|p| Precious::new("the script of faults", p)),
            )
            .collect(),
        timing: !args.no_timing,
        seed: args.seed,
        ..ServerOptions::new(persona)
    })
}

/// The array that is meant: a persona, with or without the `lab:` of a target. What else a target says has no meaning here.
fn array(text: &str) -> Result<LabArray, Failure> {
    let text = text.strip_prefix("lab:").unwrap_or(text);
    let array = text.parse::<LabTarget>()?.array;
    let all = array.to_string();
    if all.strip_prefix("lab:") == Some(text) {
        return Ok(array);
    }
    Err(Failure::usage(format!(
        "{text}: an array is served with all of its LUNs; name the persona alone, and give --size and --scale for the rest"
    )))
}

/// TLS as it was asked for, or why that makes no sense.
fn tls(args: &ServeArgs) -> Result<Option<Tls>, Failure> {
    let verify_peer = args.tls_verify_peer;
    let when = match (args.tls, &args.tls_certificates) {
        (Some(when), _) => when,
        (None, Some(_)) => TlsWhen::Require,
        (None, None) => TlsWhen::Off,
    };
    let wrong = match (when, &args.tls_certificates) {
        (TlsWhen::Off | TlsWhen::On, _) if verify_peer => {
            "--tls-verify-peer: clients without TLS would be let in all the same; give --tls require with --tls-certificates DIR"
        }
        (TlsWhen::Off, _) => return Ok(None),
        (_, Some(folder)) => {
            return Ok(Some(Tls {
                certificates: folder.clone(),
                verify_peer,
                required: when == TlsWhen::Require,
            }));
        }
        (_, None) => "--tls: a server with TLS needs certificates; give --tls-certificates DIR",
    };
    Err(Failure::usage(wrong.to_owned()))
}

/// Every path's place.
fn endpoints(args: &ServeArgs) -> Result<Vec<Endpoint>, Failure> {
    let mut addresses = args.listen.clone();
    if addresses.is_empty() && args.socket.is_empty() {
        addresses.push(SocketAddr::from((Ipv4Addr::LOCALHOST, NBD)));
    }
    let mut endpoints = Vec::new();
    for address in addresses {
        for i in 0..args.paths {
            // Port 0 takes any that is free, every time.
            let step = if address.port() == 0 { 0 } else { i };
            let port = address.port().checked_add(step).ok_or_else(|| {
                Failure::usage(format!(
                    "--paths {}: there is no port after 65535",
                    args.paths
                ))
            })?;
            endpoints.push(Endpoint::Tcp(SocketAddr::new(address.ip(), port)));
        }
    }
    for socket in &args.socket {
        for i in 0..args.paths {
            let mut path = socket.clone().into_os_string();
            if i > 0 {
                path.push(format!("-{i}"));
            }
            endpoints.push(Endpoint::Unix(PathBuf::from(path)));
        }
    }
    Ok(endpoints)
}

/// Greeting for a person: what it is, and the words that lead there.
fn greeting(server: &Server) -> String {
    let status = server.status();
    let timing = if status.timing {
        ""
    } else {
        ", answering at once"
    };
    let mut text = format!(
        "{}: {}\n{} of {}, scale 1:{}{timing}\n\n",
        status.persona,
        status.about,
        luns(status.luns.len()),
        size(server.lun_bytes()),
        status.scale,
    );
    for path in 0..server.endpoints().len() {
        text += &format!("path {path}  {}\n", server.uri(path, 0));
    }
    if let Some(address) = server.http() {
        text += &format!("page    http://{address}/\n");
    }
    text + "\nInterrupt (Ctrl-C) to stop.\n"
}

/// LUNs are of whole MiB.
fn size(bytes: u64) -> String {
    match bytes as f64 / (1_u64 << 30) as f64 {
        small if small < 1.0 => format!("{} MiB", bytes >> 20),
        gib => format!("{gib:.1} GiB"),
    }
}

fn luns(count: usize) -> String {
    match count {
        1 => "1 LUN".to_owned(),
        n => format!("{n} LUNs"),
    }
}
