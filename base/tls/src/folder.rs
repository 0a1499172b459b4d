//! A folder of certificates, with the names that GnuTLS's users gave to its files.

use crate::error::TlsError;
use rustls::RootCertStore;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Certificates of the authorities that are trusted.
const AUTHORITIES: &str = "ca-cert.pem";
/// List of certificates that the authorities have revoked; may be missing.
const REVOKED: &str = "ca-crl.pem";
/// The longest file that is read, bytes: a list of all authorities in the world has a quarter of it.
const LONGEST: u64 = 1 << 20;

/// A folder with certificates.
#[derive(Debug, Clone)]
pub(crate) struct Folder(PathBuf);

/// A certificate of one's own with those that vouch for it, and its key.
pub(crate) struct Identity {
    pub chain: Vec<CertificateDer<'static>>,
    pub key: PrivateKeyDer<'static>,
    /// File that the certificate was read from, for complaints.
    pub file: PathBuf,
}

impl Folder {
    pub fn new(path: &Path) -> Self {
        Folder(path.to_owned())
    }

    /// Folder where other NBD clients look: /etc/pki/libnbd for root, else two places in the user's home.
    pub fn usual() -> Result<Self, TlsError> {
        let places = if rustix::process::geteuid().is_root() {
            vec![PathBuf::from("/etc/pki/libnbd")]
        } else {
            let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
            vec![home.join(".pki/libnbd"), home.join(".config/pki/libnbd")]
        };
        let found = places.iter().find(|p| p.join(AUTHORITIES).exists());
        found.map(|p| Folder::new(p)).ok_or_else(|| {
            let all: Vec<String> = places.iter().map(|p| p.display().to_string()).collect();
            TlsError::NoFolder(all.join(" or "))
        })
    }

    /// The authorities that are trusted.
    pub fn authorities(&self) -> Result<Arc<RootCertStore>, TlsError> {
        let needs = "the certificates of the authorities that are trusted";
        let (file, text) = self.required(AUTHORITIES, needs)?;
        let mut store = RootCertStore::empty();
        for certificate in certificates(&file, &text)? {
            store.add(certificate).map_err(|why| TlsError::Unusable {
                file: file.clone(),
                why: why.to_string(),
            })?;
        }
        Ok(Arc::new(store))
    }

    /// Lists of certificates that the authorities have revoked; none where there is no file of them.
    pub fn revoked(&self) -> Result<Vec<CertificateRevocationListDer<'static>>, TlsError> {
        let Some((file, text)) = self.read(REVOKED)? else {
            return Ok(Vec::new());
        };
        all(
            &file,
            "list of revoked certificates",
            CertificateRevocationListDer::pem_slice_iter(&text),
        )
    }

    /// The file that is judged by [`Folder::revoked`], for complaints.
    pub fn revoked_file(&self) -> PathBuf {
        self.0.join(REVOKED)
    }

    /// A server's certificate and key.
    pub fn server(&self) -> Result<Identity, TlsError> {
        let needs =
            "a server has to have a certificate, server-cert.pem, and its key, server-key.pem";
        let certificate = self.required("server-cert.pem", needs)?;
        identity(certificate, self.required("server-key.pem", needs)?)
    }

    /// A client's certificate and key, where it has one.
    pub fn client(&self) -> Result<Option<Identity>, TlsError> {
        let (certificate, key) = ("client-cert.pem", "client-key.pem");
        let needs =
            "a client's certificate, client-cert.pem, and its key, client-key.pem, belong together";
        match (self.read(certificate)?, self.read(key)?) {
            (None, None) => Ok(None),
            (Some(certificate), Some(key)) => identity(certificate, key).map(Some),
            (None, Some(_)) => Err(self.missing(certificate, needs)),
            (Some(_), None) => Err(self.missing(key, needs)),
        }
    }

    fn missing(&self, name: &'static str, needs: &'static str) -> TlsError {
        let folder = self.0.clone();
        TlsError::Missing {
            folder,
            name,
            needs,
        }
    }

    fn required(
        &self,
        name: &'static str,
        needs: &'static str,
    ) -> Result<(PathBuf, Vec<u8>), TlsError> {
        self.read(name)?.ok_or_else(|| self.missing(name, needs))
    }

    /// A file of the folder; `None` where there is none.
    fn read(&self, name: &str) -> Result<Option<(PathBuf, Vec<u8>)>, TlsError> {
        let file = self.0.join(name);
        let mut text = Vec::new();
        let read = File::open(&file).and_then(|f| f.take(LONGEST + 1).read_to_end(&mut text));
        match read {
            Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
            Err(why) => Err(TlsError::Read { file, why }),
            Ok(_) if text.len() as u64 > LONGEST => Err(TlsError::Unusable {
                file,
                why: "it is longer than 1 MiB".to_owned(),
            }),
            Ok(_) => Ok(Some((file, text))),
        }
    }
}

fn identity(
    (file, text): (PathBuf, Vec<u8>),
    (key_file, key): (PathBuf, Vec<u8>),
) -> Result<Identity, TlsError> {
    let key = PrivateKeyDer::from_pem_slice(&key).map_err(|why| TlsError::NotPem {
        file: key_file,
        what: "private key without a passphrase",
        why: why.to_string(),
    })?;
    let chain = certificates(&file, &text)?;
    Ok(Identity { chain, key, file })
}

fn certificates(file: &Path, text: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    all(file, "certificate", CertificateDer::pem_slice_iter(text))
}

/// All of them; at least one.
fn all<T>(
    file: &Path,
    what: &'static str,
    found: impl Iterator<Item = Result<T, PemError>>,
) -> Result<Vec<T>, TlsError> {
    let not_pem = |why: String| TlsError::NotPem {
        file: file.to_owned(),
        what,
        why,
    };
    let found: Vec<T> = found
        .collect::<Result<_, _>>()
        .map_err(|why| not_pem(why.to_string()))?;
    if found.is_empty() {
        return Err(not_pem("nothing of the kind is in it".to_owned()));
    }
    Ok(found)
}
