//! What can be wrong with certificates, and with what the other side shows.

use rustls::{AlertDescription, CertificateError, Error};
use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// Reason why TLS cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// No folder was named, and none is where one could be.
    #[error(
        "no certificate of an authority to check the server's with: {0} has no ca-cert.pem; name its folder with tls-certificates=DIR"
    )]
    NoFolder(String),
    /// A file that has to be in the folder.
    #[error("{} has no {name}; {needs}", .folder.display())]
    Missing {
        /// The folder.
        folder: PathBuf,
        /// The file.
        name: &'static str,
        /// Need for the file: what it is required for, ready to end the message.
        needs: &'static str,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {why}", .file.display())]
    Read {
        /// File.
        file: PathBuf,
        /// Error of the system.
        why: io::Error,
    },
    /// A file that holds something else.
    #[error("{} holds no {what} in PEM: {why}", .file.display())]
    NotPem {
        /// File.
        file: PathBuf,
        /// Kind of item that the file should hold.
        what: &'static str,
        /// Fault in what is there.
        why: String,
    },
    /// A certificate, a key or a list that cannot be used.
    #[error("{} cannot be used: {why}", .file.display())]
    Unusable {
        /// File.
        file: PathBuf,
        /// Reason why it cannot be used.
        why: String,
    },
    /// A name that no certificate can have.
    #[error(
        "`{0}` is no host name and no address, so that no certificate can be for it; give the name that is in the server's with tls-hostname=NAME"
    )]
    Name(String),
    /// The library refuses.
    #[error("TLS cannot be set up: {0}")]
    Setup(Error),
}

/// An error of the session as one of the socket, in words and with a remedy where there is one.
pub(crate) fn broken(error: &Error) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, words(error))
}

fn words(error: &Error) -> String {
    let remedy = match error {
        Error::InvalidCertificate(why) => match why {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "; give the name that is in it with tls-hostname=NAME"
            }
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "; the ca-cert.pem that is trusted here did not issue it"
            }
            _ => "",
        },
        Error::AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::HandshakeFailure,
        ) => {
            "; it may want a certificate: client-cert.pem and client-key.pem in the folder of certificates"
        }
        Error::AlertReceived(AlertDescription::UnknownCA) => {
            "; the other side does not know the authority that issued our certificate"
        }
        _ => "",
    };
    format!("TLS: {error}{remedy}")
}
