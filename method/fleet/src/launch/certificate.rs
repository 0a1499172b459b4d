//! A certificate for one run.

use crate::FleetError;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

/// A server's certificate and key, and the one that signed it, whose key is forgotten at once.
#[derive(Debug)]
pub struct Certificate {
    /// PEM, of who signed.
    pub ca: String,
    /// PEM.
    pub certificate: String,
    /// PEM.
    pub key: String,
}

impl Certificate {
    /// For a server by these names and addresses.
    pub fn make(names: &[String]) -> Result<Self, FleetError> {
        let failed = |e: rcgen::Error| {
            FleetError::Named(format!("a certificate for the run cannot be made: {e}"))
        };
        let own = KeyPair::generate().map_err(failed)?;
        let mut signs = CertificateParams::new(Vec::<String>::new()).map_err(failed)?;
        let name = "a run of plimsoll";
        signs.distinguished_name.push(DnType::CommonName, name);
        signs.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        let ca = signs.self_signed(&own).map_err(failed)?.pem();
        let issuer = Issuer::new(signs, own);
        let key = KeyPair::generate().map_err(failed)?;
        let server = CertificateParams::new(names.to_vec()).map_err(failed)?;
        let certificate = server.signed_by(&key, &issuer).map_err(failed)?;
        Ok(Certificate {
            ca,
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        })
    }
}
