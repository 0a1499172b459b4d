//! A fleet for one run: a server with a certificate of its own, and agents that are started over ssh. All of it is gone when the
//! run is, however that ended.

mod certificate;
mod keeper;
mod server;
mod ssh;

pub use keeper::keep_server;
pub use server::find as find_server;

use crate::{FleetError, NatsOptions, drawn_id};
use certificate::Certificate;
use server::Server;
use ssh::Host;
use std::path::PathBuf;

/// Settings for reaching hosts.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// The command that runs another on a host: `ssh`, or with its flags, as `ssh -p 2222`.
    pub ssh: Vec<String>,
    /// The program of nats-server; `None`: looked for.
    pub server: Option<PathBuf>,
    /// Path of this program, which is copied to the hosts and keeps the server.
    pub program: PathBuf,
    /// Time for which agents go on without a controller, and their server with them.
    pub lease: std::time::Duration,
}

/// Agents and server that were started. They end when this is dropped.
#[derive(Debug)]
pub struct Launched {
    secrets: Secrets,
    // The agents first: what they say last still goes over the server.
    hosts: Vec<Host>,
    server: Server,
    ca: String,
}

/// Secrets that an agent needs to reach the server, a line on its standard input.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Secrets {
    /// The certificate that the server's is signed by, PEM.
    pub ca: String,
    /// The server's user.
    pub user: String,
    /// Password of the agent.
    pub password: String,
}

/// The server's user.
const USER: &str = "plimsoll";

/// A host on which an agent is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Name of the agent.
    pub name: String,
    /// Destination for ssh: `host`, or `user@host`; `None` where it is this host.
    pub by: Option<String>,
}

impl Reach {
    /// A host that is called what it is reached by, but for the user.
    pub fn ssh(to: &str) -> Self {
        Reach {
            name: to.rsplit('@').next().unwrap_or(to).into(),
            by: Some(to.into()),
        }
    }
}

/// Starts a server here, and an agent on each of these hosts.
pub fn launch(hosts: &[Reach], options: &LaunchOptions) -> Result<Launched, FleetError> {
    let program = server::find(options.server.as_deref())?;
    let mut reached = Vec::new();
    for host in hosts {
        reached.push(match &host.by {
            Some(to) => Host::reach(to, &host.name, options)?,
            None => Host::here(&host.name, options),
        });
    }
    let mut names: Vec<String> = reached.iter().map(|h| h.seen_from.clone()).collect();
    names.push("127.0.0.1".into());
    names.sort();
    names.dedup();
    let certificate = Certificate::make(&names)?;
    let secrets = Secrets {
        ca: certificate.ca.clone(),
        user: USER.into(),
        password: drawn_id(),
    };
    let server = Server::start(
        &options.program,
        program,
        &certificate,
        &secrets,
        &names,
        options.lease,
    )?;
    for host in &mut reached {
        host.start_agent(server.port(), &secrets)?;
    }
    Ok(Launched {
        secrets,
        hosts: reached,
        server,
        ca: certificate.ca,
    })
}

impl Launched {
    /// Says where the run's handover lies.
    pub fn handed_over(&mut self, path: &std::path::Path) {
        self.server.handed_over(path);
    }

    /// Starts a host's agent again where it has ended; whether it comes up is seen by what it says.
    pub fn start_again(&mut self, host: usize) {
        if let Some(host) = self.hosts.get_mut(host)
            && host.has_ended()
        {
            let _ = host.start_agent(self.server.port(), &self.secrets);
        }
    }

    /// Address and login of the server from here.
    pub fn nats(&self) -> NatsOptions {
        NatsOptions {
            url: format!("tls://127.0.0.1:{}", self.server.port()),
            creds: None,
            ca: None,
            ca_pem: Some(self.ca.clone()),
            login: Some(self.server.login()),
        }
    }
}
