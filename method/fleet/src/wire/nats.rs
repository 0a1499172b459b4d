//! A wire over NATS. Its runtime has one thread of its own: no thread that issues I/O knows of it.

use super::Wire;
use crate::FleetError;
use async_nats::{Client, ConnectOptions, ServerAddr};
use plimsoll_printable::one_line;
use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;
use tempfile::NamedTempFile;
use tokio::runtime::{Builder, Runtime};

/// Address and login of a server.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct NatsOptions {
    /// `nats://host:4222`, or `tls://…`; several with commas between them.
    pub url: String,
    /// A file of credentials, as `nsc` makes it.
    pub creds: Option<PathBuf>,
    /// A file with the certificates that the server's is to be signed by, instead of the system's.
    pub ca: Option<PathBuf>,
    /// The same as text.
    pub ca_pem: Option<String>,
    /// User and password.
    pub login: Option<(String, String)>,
}

/// Longest time that a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Packets that may lie unread. What comes beyond them is lost, and comes again.
const UNREAD: usize = 8192;

/// A connection that comes back by itself.
#[derive(Debug)]
pub struct Nats {
    // Before the runtime, so that it ends first.
    client: Client,
    own: SyncSender<Vec<u8>>,
    incoming: Receiver<Vec<u8>>,
    runtime: Runtime,
    /// Read again with each new connection.
    _ca: Option<NamedTempFile>,
}

impl Nats {
    /// Connects. `name` is what the server's monitoring calls this connection.
    pub fn connect(options: &NatsOptions, name: &str) -> Result<Self, FleetError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("plimsoll-nats")
            .enable_io()
            .enable_time()
            .build()
            .map_err(FleetError::Thread)?;
        let ca = options.ca_pem.as_deref().map(kept).transpose()?;
        let with_ca = NatsOptions {
            ca: ca
                .as_ref()
                .map(|f| f.path().to_path_buf())
                .or_else(|| options.ca.clone()),
            ..options.clone()
        };
        let client = runtime.block_on(connect(&with_ca, name))?;
        let (own, incoming) = sync_channel(UNREAD);
        Ok(Nats {
            client,
            own,
            incoming,
            runtime,
            _ca: ca,
        })
    }
}

/// A text as a file that only this user reads.
fn kept(text: &str) -> Result<NamedTempFile, FleetError> {
    let made = NamedTempFile::new().and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        Ok(file)
    });
    made.map_err(|e| FleetError::File {
        path: std::env::temp_dir().display().to_string(),
        why: e.to_string(),
    })
}

async fn connect(options: &NatsOptions, name: &str) -> Result<Client, FleetError> {
    let failed = |why: &dyn std::fmt::Display| FleetError::Connect {
        url: without_login(&options.url),
        why: one_line(&why.to_string()),
    };
    let servers: Vec<ServerAddr> = options
        .url
        .split(',')
        .map(|url| url.trim().parse())
        .collect::<Result<_, _>>()
        .map_err(|e| failed(&e))?;
    let mut with = ConnectOptions::new()
        .name(name)
        .connection_timeout(PATIENCE)
        .ping_interval(Duration::from_secs(5))
        .max_reconnects(None)
        .reconnect_delay_callback(|tries| Duration::from_millis(50 << tries.min(5) as u64));
    let of_url = |s: &ServerAddr| Some((s.username()?.to_string(), s.password()?.to_string()));
    let login = options.login.clone();
    if let Some((user, password)) = login.or_else(|| servers.iter().find_map(of_url)) {
        with = with.user_and_password(user, password);
    }
    if let Some(ca) = &options.ca {
        with = with.add_root_certificates(ca.clone());
    }
    if let Some(path) = &options.creds {
        let named = |e: std::io::Error| FleetError::File {
            path: path.display().to_string(),
            why: e.to_string(),
        };
        with = with.credentials_file(path).await.map_err(named)?;
    }
    with.connect(servers).await.map_err(|e| failed(&e))
}

/// Addresses fit to be shown: without user and password.
fn without_login(url: &str) -> String {
    let of_one = |one: &str| {
        let (scheme, rest) = one.split_once("://").unwrap_or(("", one));
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        match scheme {
            "" => host.to_string(),
            scheme => format!("{scheme}://{host}"),
        }
    };
    url.split(',').map(of_one).collect::<Vec<_>>().join(",")
}

impl Wire for Nats {
    fn send(&self, subject: &str, bytes: Vec<u8>) -> Result<(), FleetError> {
        self.fits(bytes.len())?;
        let sending = self.client.publish(subject.to_string(), bytes.into());
        // While the server is away its queue fills; what waits in it is sent again by whoever needs an answer.
        let _ = self
            .runtime
            .block_on(async { tokio::time::timeout(Duration::from_millis(100), sending).await });
        Ok(())
    }

    fn fits(&self, bytes: usize) -> Result<(), FleetError> {
        let most = self.client.server_info().max_payload;
        match most > 0 && bytes > most {
            true => Err(FleetError::TooLong { bytes, most }),
            false => Ok(()),
        }
    }

    fn listen(&self, subject: &str) -> Result<(), FleetError> {
        let failed = |why: String| FleetError::Connect {
            url: subject.into(),
            why,
        };
        let mut heard = self
            .runtime
            .block_on(self.client.subscribe(subject.to_string()))
            .map_err(|e| failed(e.to_string()))?;
        let own = self.own.clone();
        self.runtime.spawn(async move {
            while let Some(message) = std::future::poll_fn(|cx| next(&mut heard, cx)).await {
                let _ = own.try_send(message.payload.to_vec());
            }
        });
        // The server knows of it before anybody is asked to answer there.
        let flushed = self
            .runtime
            .block_on(async { tokio::time::timeout(PATIENCE, self.client.flush()).await });
        match flushed {
            Ok(Ok(())) => Ok(()),
            Ok(Err(e)) => Err(failed(e.to_string())),
            Err(_) => Err(failed("the server does not answer".into())),
        }
    }

    fn receive(&self, wait: Duration) -> Option<Vec<u8>> {
        self.incoming.recv_timeout(wait).ok()
    }
}

fn next(
    heard: &mut async_nats::Subscriber,
    cx: &mut std::task::Context<'_>,
) -> std::task::Poll<Option<async_nats::Message>> {
    futures_core::Stream::poll_next(std::pin::Pin::new(heard), cx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        let shown = without_login("tls://u:p@w@a:4222,nats://b:1,c");
        assert_eq!(shown, "tls://a:4222,nats://b:1,c");
    }
}
