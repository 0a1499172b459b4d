//! `plimsoll agent`, `plimsoll hosts`, and the hosts of a run.

use crate::cli::{AgentArgs, HostsArgs, ServerArgs, TogetherArgs, WhenLost};
use crate::failure::Failure;
use crate::out::{self, say, tell};
use crate::signals;
use plimsoll_fleet::handover::Handover;
use plimsoll_fleet::{
    AgentOptions, Allowed, Crew, CrewOptions, FleetError, FoundAgent, LEASE, LaunchOptions, Nats,
    NatsOptions, OnLost, Reach, SHORTEST_LEASE, Secrets, Wire, late, launch, serve, who_is_there,
};
use plimsoll_plan::{Host, Nanos, Plan, Shell};
use plimsoll_printable::{Printable, human};
use plimsoll_rig::{AtWork, Control, RigError, SimulatedHosts};
use serde::Serialize;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Longest wait for agents that were named.
const WAIT: Duration = Duration::from_secs(5);

/// Longest wait of an agent that was started for one run.
const IN_VAIN: Duration = Duration::from_secs(300);

/// `plimsoll agent`.
pub fn agent(args: &AgentArgs) -> Result<ExitCode, Failure> {
    let name = args.name.clone().unwrap_or_else(hostname);
    let connection = format!("plimsoll agent {name}");
    let wire = match args.while_input {
        true => connect_as_told(&args.server, &connection)?,
        false => connect(&args.server, &connection)?,
    };
    let input = args.while_input.then(input_ends);
    let by_default = Allowed::default();
    let options = AgentOptions {
        allowed: Allowed {
            targets: match args.allow_target.is_empty() {
                true => by_default.targets,
                false => args.allow_target.clone(),
            },
            destroy: args.allow_destroy.clone(),
        },
        records: args.records.clone().unwrap_or_else(|| PathBuf::from(".")),
        name,
    };
    let control = signals::control(&AtWork::default())?;
    tell!("agent {} is ready", Printable(&options.name));
    let (was_busy, began) = (Cell::new(false), Instant::now());
    let ends = |busy: bool| {
        was_busy.set(was_busy.get() || busy);
        // Of an agent that was started for one run, whoever started it may be gone without a word.
        let done = input.as_ref().is_some_and(|ended| {
            let in_vain = !was_busy.get() && began.elapsed() > IN_VAIN;
            ended.load(Ordering::Relaxed) || was_busy.get() || in_vain
        });
        control.stopped() || (done && !busy)
    };
    serve(&wire, &options, &ends, &mut |line| {
        tell!("{}", Printable(&line));
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The server of a run that started this agent: what only the two know comes as the first line of standard input.
fn connect_as_told(args: &ServerArgs, name: &str) -> Result<Nats, Failure> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    let secrets: Secrets = serde_json::from_str(&line)?;
    let options = NatsOptions {
        url: args.nats.clone().unwrap_or_default(),
        creds: None,
        ca: None,
        ca_pem: Some(secrets.ca),
        login: Some((secrets.user, secrets.password)),
    };
    Ok(Nats::connect(&options, name)?)
}

/// True when standard input has ended.
fn input_ends() -> Arc<AtomicBool> {
    let ended = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&ended);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        told.store(true, Ordering::Relaxed);
    });
    ended
}

fn hostname() -> String {
    let facts = plimsoll_witness::host::facts(&plimsoll_witness::Root::system());
    facts.hostname
}

/// Says what a plan means for many hosts, for whoever looks at it before.
pub fn say_how_divided(args: &TogetherArgs) {
    if args.hosts.is_empty() {
        return;
    }
    say!(
        "by {}: rates and limits are totals, of which each host has its share; depths, slots and workers are each host's own; \
         what is seen of targets below is seen from here",
        Printable(&args.hosts.join(", "))
    );
}

/// The hosts that are to carry a plan out: those of the definition, or those that were named.
#[derive(Debug)]
pub enum Chosen {
    /// All agents that are there.
    All,
    /// Hosts that were named.
    These(Vec<Reach>),
    /// Hosts of the lab.
    Simulated(SimulatedHosts),
}

/// Hosts that are to carry a plan out; `None`: this host alone.
///
/// # Errors
/// Where that is said twice, or flags say how to reach hosts that nobody named.
pub fn chosen(args: &TogetherArgs, plan: &Plan) -> Result<Option<Chosen>, Failure> {
    if plan.hosts.is_empty() {
        let flags = [
            ("--lease", args.lease.is_some()),
            ("--on-lost", args.on_lost.is_some()),
            ("--ssh", args.ssh.is_some()),
            ("--nats-server", args.nats_server.is_some()),
            ("--nats", args.server.nats.is_some()),
        ];
        return match (
            args.hosts.is_empty(),
            flags.iter().find(|(_, given)| *given),
        ) {
            (true, Some((flag, _))) => Err(Failure::usage(format!(
                "{flag} is of hosts that carry a plan out together, and none are named: name them with --hosts, or in the \
                 definition ([host.NAME], hd=)"
            ))),
            (true, None) => Ok(None),
            (false, _) if args.server.nats.is_some() && args.hosts.iter().any(|h| h == "all") => {
                Ok(Some(Chosen::All))
            }
            (false, _) if args.hosts.iter().any(|h| h.starts_with("sim:")) => {
                simulated(args).map(Some)
            }
            (false, _) => {
                let reach = args.hosts.iter().map(|to| Reach::ssh(to));
                Ok(Some(Chosen::These(reach.collect())))
            }
        };
    }
    let names: Vec<&str> = plan.hosts.list.iter().map(|h| h.name.as_str()).collect();
    if !args.hosts.is_empty() {
        return Err(Failure::usage(format!(
            "the definition says what each of the hosts {} does, and has them carry it out: leave --hosts out, or take the hosts \
             out of the definition to have those of --hosts do it in equal parts",
            names.join(", ")
        )));
    }
    let with_a_part = plan.hosts_with_a_part();
    let ids = with_a_part.map_err(|e| Failure::usage(format!("{e}: {}", e.remedy())))?;
    let hosts = ids.iter().map(|id| &plan.hosts.list[id.0 as usize]);
    let reach = hosts.map(|host| reach(host, args));
    Ok(Some(Chosen::These(reach.collect::<Result<_, _>>()?)))
}

/// `sim:4`, and what happens when one of them is gone.
fn simulated(args: &TogetherArgs) -> Result<Chosen, Failure> {
    let [words] = &args.hosts[..] else {
        return Err(Failure::usage(
            "--hosts: hosts that are simulated have no time in common with others; name sim:N alone",
        ));
    };
    let flags = [
        ("--lease", args.lease.is_some()),
        ("--ssh", args.ssh.is_some()),
        ("--nats-server", args.nats_server.is_some()),
        ("--nats", args.server.nats.is_some()),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!(
            "{flag} is of hosts that are reached, and those of --hosts {words} are simulated: leave it out"
        )));
    }
    let text = words.strip_prefix("sim:").unwrap_or(words);
    let hosts: SimulatedHosts = text
        .parse()
        .map_err(|e| Failure::usage(format!("--hosts {words}: {e}")))?;
    Ok(Chosen::Simulated(SimulatedHosts {
        goes_on: args.on_lost == Some(WhenLost::Continue),
        ..hosts
    }))
}

fn reach(host: &Host, args: &TogetherArgs) -> Result<Reach, Failure> {
    if host.shell == Shell::Agent && args.server.nats.is_none() {
        return Err(Failure::usage(format!(
            "an agent called {} is to run on {} already, says the definition: name the server that it is on with --nats",
            host.name,
            host.reached_by()
        )));
    }
    Ok(Reach {
        name: host.name.clone(),
        by: (!host.is_here()).then(|| host.reached_by()),
    })
}

/// The hosts of a run, before they have heard of it.
pub fn crew(args: &TogetherArgs, chosen: &Chosen, control: &Control) -> Result<Crew, RigError> {
    gather(args, chosen, control).map_err(|failure| RigError::Hosts(failure.message().to_string()))
}

fn gather(args: &TogetherArgs, chosen: &Chosen, control: &Control) -> Result<Crew, Failure> {
    let run = plimsoll_fleet::drawn_id().to_lowercase();
    let connection = format!("plimsoll run {run}");
    let lease = lease(args)?;
    let hosts = match chosen {
        Chosen::All | Chosen::Simulated(_) => &[][..],
        Chosen::These(hosts) => hosts,
    };
    let (wire, launched) = match &args.server.nats {
        Some(_) => (connect(&args.server, &connection)?, None),
        None => {
            let launched = launch(hosts, &launch_options(args, lease)?)?;
            let wire = Nats::connect(&launched.nats(), &connection)?;
            (wire, Some(launched))
        }
    };
    let options = CrewOptions {
        hosts: hosts.iter().map(|h| h.name.clone()).collect(),
        lease,
        on_lost: match args.on_lost {
            Some(WhenLost::Continue) => OnLost::Continue,
            Some(WhenLost::Stop) => OnLost::Stop,
            Some(WhenLost::Repeat) | None => OnLost::Repeat,
        },
        // Over ssh they are only starting.
        wait: if launched.is_some() { 4 * WAIT } else { WAIT },
        server: server(&args.server),
    };
    Ok(Crew::gather(
        Box::new(wire),
        &run,
        options,
        launched,
        control,
    )?)
}

fn lease(args: &TogetherArgs) -> Result<Duration, Failure> {
    let Some(text) = &args.lease else {
        return Ok(LEASE);
    };
    match time("--lease", text)? {
        lease if lease < SHORTEST_LEASE => Err(Failure::usage(format!(
            "--lease {text}: give at least {} s; a word goes each second, and some may be lost",
            SHORTEST_LEASE.as_secs()
        ))),
        lease => Ok(lease),
    }
}

/// The hosts of a run whose controller was killed.
pub fn attach(record: &Path, control: &Control) -> Result<Crew, RigError> {
    let go_on = || {
        let (handover, kept) = Handover::take(record)?;
        let connection = format!("plimsoll attach {}", handover.run);
        let wire = match Nats::connect(&handover.server, &connection) {
            Ok(wire) => wire,
            // It ends a while after the agents' lease.
            Err(_) if handover.own_server => {
                kept.forget();
                return Err(late(&handover));
            }
            Err(e) => return Err(e),
        };
        Crew::attach(Box::new(wire), handover, kept, control)
    };
    go_on().map_err(|e: FleetError| RigError::Hosts(e.to_string()))
}

fn launch_options(args: &TogetherArgs, lease: Duration) -> Result<LaunchOptions, Failure> {
    let ssh = args.ssh.as_deref().unwrap_or("ssh");
    let ssh: Vec<String> = ssh.split_whitespace().map(str::to_string).collect();
    if ssh.is_empty() {
        return Err(Failure::usage("--ssh: name a command, as `ssh -p 2222`"));
    }
    Ok(LaunchOptions {
        ssh,
        server: args.nats_server.clone(),
        program: std::env::current_exe()?,
        lease,
    })
}

fn time(flag: &str, text: &str) -> Result<Duration, Failure> {
    let time: Nanos = text
        .parse()
        .map_err(|e| Failure::usage(format!("{flag}: {e}")))?;
    Ok(Duration::from_nanos(time.0))
}

fn connect(args: &ServerArgs, name: &str) -> Result<Nats, Failure> {
    if args.nats.is_none() {
        return Err(Failure::usage(
            "--nats is missing: name the nats-server that the hosts meet on, as nats://HOST:4222",
        ));
    }
    Ok(Nats::connect(&server(args), name)?)
}

/// The server that was named.
fn server(args: &ServerArgs) -> NatsOptions {
    NatsOptions {
        url: args.nats.clone().unwrap_or_default(),
        creds: args.creds.clone(),
        ca: args.ca.clone(),
        ca_pem: None,
        login: None,
    }
}

/// `plimsoll keep-server`: what a run over ssh starts beside itself.
pub fn keep_server() -> Result<ExitCode, Failure> {
    plimsoll_fleet::keep_server()?;
    Ok(ExitCode::SUCCESS)
}

/// An agent as `--json` prints it.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    hostname: &'a str,
    version: &'a str,
    kernel: &'a str,
    cpus: u32,
    /// Lead of its clock, ns; none where that cannot be told.
    clock_ahead_ns: Option<i64>,
    /// At most so much more or less, ns.
    clock_bound_ns: Option<u64>,
    busy: Option<&'a str>,
    targets: &'a [String],
    destroy: &'a [String],
}

/// `plimsoll hosts`.
pub fn hosts(args: &HostsArgs) -> Result<ExitCode, Failure> {
    let wait = time("--wait", &args.wait)?;
    let wire = connect(&args.server, "plimsoll hosts")?;
    let there = who_is_there(&wire as &dyn Wire, wait, &|_| false)?;
    let hosts: Vec<Listed> = there.iter().map(host).collect();
    if args.json {
        out::json(&hosts)?;
        return Ok(ExitCode::SUCCESS);
    }
    if hosts.is_empty() {
        return Err(Failure::usage(
            "no agent answers on this server; start one on each host: plimsoll agent --nats URL",
        ));
    }
    for host in &hosts {
        say!("{}", Printable(&line(host)));
    }
    Ok(ExitCode::SUCCESS)
}

fn host(seen: &FoundAgent) -> Listed<'_> {
    let hello = &seen.hello;
    let offset = seen.clock.offset(plimsoll_fleet::now_ns());
    Listed {
        name: &hello.name,
        hostname: &hello.hostname,
        version: &hello.version,
        kernel: &hello.kernel,
        cpus: hello.cpus,
        clock_ahead_ns: offset.and_then(|o| i64::try_from(o.ns).ok()),
        clock_bound_ns: offset.map(|o| o.bound_ns),
        busy: hello.busy.as_deref(),
        targets: &hello.targets,
        destroy: &hello.destroy,
    }
}

fn line(host: &Listed<'_>) -> String {
    let clock = match host.clock_bound_ns {
        Some(bound) => format!("clock known to ±{}", human::time(bound as f64)),
        None => "clock unknown: it would be refused".into(),
    };
    let busy = match host.busy {
        Some(run) => format!("busy with run {run}"),
        None => "free".into(),
    };
    let writes = match host.destroy.is_empty() {
        true => "nothing may be written".into(),
        false => format!("may be written: {}", host.destroy.join(", ")),
    };
    format!(
        "{} ({}): plimsoll {}, Linux {}, {} CPUs, {clock}, {busy}; lends {}; {writes}",
        host.name,
        host.hostname,
        host.version,
        host.kernel,
        host.cpus,
        host.targets.join(", ")
    )
}
