//! Where the array below a target tells of itself.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The metrics endpoint of a target's array, and what it calls its counters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metrics {
    /// The endpoint; `None` where nobody is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<MetricsUrl>,
    /// The file that says which metric is what; the lab's own names where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<PathBuf>,
}

impl Metrics {
    /// True where nothing is said of metrics.
    pub fn is_default(&self) -> bool {
        *self == Metrics::default()
    }
}

/// `http://HOST[:PORT]/PATH`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MetricsUrl(String);

/// Why a text is no metrics endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetricsUrlError {
    /// It has another scheme, or none.
    #[error("`{0}` is no metrics endpoint; write it as http://HOST:PORT/metrics")]
    Scheme(String),
    /// TLS is not spoken.
    #[error(
        "metrics are read over http:// alone; put a proxy or an exporter on this host in between"
    )]
    Tls,
    /// A name and a password would be in every record.
    #[error("a metrics endpoint may have no name or password in it: they would be in every record")]
    Secret,
    /// No host, or no port after its colon.
    #[error("`{0}` names no host and port; write it as http://HOST:PORT/metrics")]
    Host(String),
    /// A space or worse.
    #[error("a metrics endpoint has no spaces and no unprintable characters in it")]
    Odd,
}

impl MetricsUrl {
    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MetricsUrl {
    type Err = MetricsUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.chars().all(|c| c.is_ascii_graphic()) {
            return Err(MetricsUrlError::Odd);
        }
        if text.starts_with("https://") {
            return Err(MetricsUrlError::Tls);
        }
        let Some(rest) = text.strip_prefix("http://") else {
            return Err(MetricsUrlError::Scheme(text.to_owned()));
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(MetricsUrlError::Secret);
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()),
            _ => (authority, Some(80u16)),
        };
        let bracketed = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
        let is_host = match bracketed {
            Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
            None => {
                let allowed = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
                !host.is_empty() && host.chars().all(allowed)
            }
        };
        match is_host && port.is_some_and(|p| p > 0) {
            true => Ok(MetricsUrl(text.to_owned())),
            false => Err(MetricsUrlError::Host(text.to_owned())),
        }
    }
}

impl TryFrom<String> for MetricsUrl {
    type Error = MetricsUrlError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<MetricsUrl> for String {
    fn from(url: MetricsUrl) -> String {
        url.0
    }
}

impl fmt::Display for MetricsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_plain_http_with_a_host_and_without_a_secret() {
        for good in [
            "http://127.0.0.1:9180/metrics",
            "http://[::1]:9180/metrics",
            "http://[fd00::1]/metrics",
            "http://array.example/metrics?scope=all",
            "http://array",
        ] {
            assert_eq!(good.parse::<MetricsUrl>().unwrap().as_str(), good);
        }
        for (bad, said) in [
            ("", "http://HOST:PORT"),
            ("127.0.0.1:9180", "http://HOST:PORT"),
            ("ftp://a/b", "http://HOST:PORT"),
            ("https://array/metrics", "http:// alone"),
            ("http://", "no host"),
            ("http:///metrics", "no host"),
            ("http://array:/metrics", "no host"),
            ("http://array:0/metrics", "no host"),
            ("http://array:99999/metrics", "no host"),
            ("http://[::g]/metrics", "no host"),
            ("http://me:secret@array/metrics", "password"),
            ("http://array/a b", "spaces"),
            ("http://array/\n", "spaces"),
        ] {
            let error = bad.parse::<MetricsUrl>().unwrap_err().to_string();
            assert!(error.contains(said), "{bad:?}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
