//! Both sides of a session, and whom they trust.

use crate::anyone::Anyone;
use crate::error::TlsError;
use crate::folder::{Folder, Identity};
use crate::session::Session;
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::ServerName;
use rustls::server::{NoServerSessionStorage, VerifierBuilderError, WebPkiClientVerifier};
use rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Trust of a client in servers: which it accepts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trust {
    /// The folder with `ca-cert.pem`, and with `client-cert.pem` and `client-key.pem` where the server wants to know who
    /// the client is. Where none is given, the places where libnbd looks.
    pub folder: Option<PathBuf>,
    /// Take any server: what is sent is hidden from those who listen, not from one who answers in the server's place.
    pub anyone: bool,
}

/// A session with the server that has this name, or address, in its certificate. The folder is read for each, so that a
/// certificate that was renewed meanwhile counts.
pub fn client(trust: &Trust, name: &str) -> Result<Session, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Setup)?;
    let folder = match &trust.folder {
        Some(path) => Some(Folder::new(path)),
        None if trust.anyone => None,
        None => Some(Folder::usual()?),
    };
    let builder = match &folder {
        Some(folder) if !trust.anyone => {
            builder.with_webpki_verifier(server_verifier(folder, provider)?)
        }
        _ => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anyone(provider))),
    };
    let identity = folder.as_ref().map(Folder::client).transpose()?.flatten();
    let mut config = match identity {
        Some(Identity { chain, key, file }) => builder
            .with_client_auth_cert(chain, key)
            .map_err(|why| unusable(file, &why))?,
        None => builder.with_no_client_auth(),
    };
    // A session is as long as a measurement; none is taken up again.
    config.resumption = Resumption::disabled();
    let name = ServerName::try_from(name)
        .map_err(|_| TlsError::Name(name.to_owned()))?
        .to_owned();
    let connection = ClientConnection::new(Arc::new(config), name).map_err(TlsError::Setup)?;
    Ok(Session::new(connection.into()))
}

fn server_verifier(
    folder: &Folder,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, TlsError> {
    WebPkiServerVerifier::builder_with_provider(folder.authorities()?, provider)
        .with_crls(folder.revoked()?)
        // As others have it: an authority without a list has taken nothing back.
        .allow_unknown_revocation_status()
        .build()
        .map_err(|why| unusable_list(folder, why))
}

/// Server's side of TLS: what it shows to its clients and asks of them.
#[derive(Debug, Clone)]
pub struct Server(Arc<ServerConfig>);

impl Server {
    /// With the certificate in `server-cert.pem` and the key in `server-key.pem` of a folder. `verify_peer`: only for
    /// clients with a certificate that one of the authorities in `ca-cert.pem` gave them.
    pub fn new(folder: &Path, verify_peer: bool) -> Result<Self, TlsError> {
        let folder = Folder::new(folder);
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Setup)?;
        let builder = if verify_peer {
            let roots = folder.authorities()?;
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider)
                .with_crls(folder.revoked()?)
                .allow_unknown_revocation_status()
                .build()
                .map_err(|why| unusable_list(&folder, why))?;
            builder.with_client_cert_verifier(verifier)
        } else {
            builder.with_no_client_auth()
        };
        let Identity { chain, key, file } = folder.server()?;
        let mut config = builder
            .with_single_cert(chain, key)
            .map_err(|why| unusable(file, &why))?;
        config.send_tls13_tickets = 0;
        config.session_storage = Arc::new(NoServerSessionStorage {});
        Ok(Server(Arc::new(config)))
    }

    /// A session with a client that has connected.
    pub fn session(&self) -> Result<Session, TlsError> {
        let connection = ServerConnection::new(self.0.clone()).map_err(TlsError::Setup)?;
        Ok(Session::new(connection.into()))
    }
}

fn unusable(file: PathBuf, why: &rustls::Error) -> TlsError {
    let why = why.to_string();
    TlsError::Unusable { file, why }
}

fn unusable_list(folder: &Folder, why: VerifierBuilderError) -> TlsError {
    let (file, why) = (folder.revoked_file(), why.to_string());
    TlsError::Unusable { file, why }
}
