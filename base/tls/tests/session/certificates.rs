//! An authority of a test's own, and folders of what it issues. The tests of other crates take this file as well.
#![allow(dead_code, reason = "each test uses a part of it")]

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DnType,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose,
    RevokedCertParams, SerialNumber, date_time_ymd,
};
use std::path::{Path, PathBuf};

/// Issuer of certificates.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A folder of certificates, as NBD programs have them. It goes with this.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn text(&self) -> String {
        self.path().display().to_string()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn put(&self, name: &str, text: &str) {
        std::fs::write(self.file(name), text).expect("written");
    }
}

/// Age of a certificate: still good, or expired.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Age {
    Good,
    Expired,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().expect("a key");
        let pem = params.self_signed(&key).expect("signed").pem();
        let issuer = Issuer::new(params, key);
        Authority { issuer, pem }
    }

    /// A folder that trusts this authority, and has nothing else.
    pub fn folder(&self) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        folder.put("ca-cert.pem", &self.pem);
        folder
    }

    /// A folder for a server with these names or addresses.
    pub fn server(&self, names: &[&str]) -> Folder {
        self.server_of_age(names, Age::Good)
    }

    pub fn server_of_age(&self, names: &[&str], age: Age) -> Folder {
        let folder = self.folder();
        self.issue(
            &folder,
            "server",
            names,
            ExtendedKeyUsagePurpose::ServerAuth,
            age,
            7,
        );
        folder
    }

    /// A folder for a client with a certificate of its own.
    pub fn client(&self) -> Folder {
        let folder = self.folder();
        let purpose = ExtendedKeyUsagePurpose::ClientAuth;
        self.issue(&folder, "client", &["client"], purpose, Age::Good, 8);
        folder
    }

    /// Takes all servers' certificates back, in this folder's eyes.
    pub fn revoke_servers(&self, folder: &Folder) {
        let revoked = RevokedCertParams {
            serial_number: SerialNumber::from(7),
            revocation_time: date_time_ymd(2020, 1, 1),
            reason_code: None,
            invalidity_date: None,
        };
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2020, 1, 1),
            next_update: date_time_ymd(4000, 1, 1),
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: vec![revoked],
            key_identifier_method: KeyIdMethod::Sha256,
        };
        let list = list.signed_by(&self.issuer).expect("signed");
        folder.put("ca-crl.pem", &list.pem().expect("text"));
    }

    fn issue(
        &self,
        folder: &Folder,
        role: &str,
        names: &[&str],
        purpose: ExtendedKeyUsagePurpose,
        age: Age,
        serial: u64,
    ) {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let mut params = CertificateParams::new(names).expect("names");
        params.distinguished_name.push(DnType::CommonName, role);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![purpose];
        params.use_authority_key_identifier_extension = true;
        params.serial_number = Some(SerialNumber::from(serial));
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = match age {
            Age::Good => date_time_ymd(2049, 1, 1),
            Age::Expired => date_time_ymd(2021, 1, 1),
        };
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("signed");
        folder.put(&format!("{role}-cert.pem"), &certificate.pem());
        folder.put(&format!("{role}-key.pem"), &key.serialize_pem());
    }
}
