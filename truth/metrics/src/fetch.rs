//! Asks an endpoint, and waits for it no longer than a second.

use std::time::Duration;
use ureq::Agent;

/// Longest time that an endpoint may take with its whole answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);
/// The longest answer that is read, bytes. A longer one would cost more of a processor than a look may.
const LARGEST: u64 = 4 << 20;

/// Reason why an endpoint told nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// Endpoint that cannot be reached, or broke off.
    #[error("it does not answer: {0}")]
    Unreachable(String),
    /// Answer that took too long.
    #[error("it took longer than a second")]
    TooSlow,
    /// HTTP status other than 200.
    #[error("it answers with HTTP status {0}")]
    Refused(u16),
    /// Answer longer than 4 MiB.
    #[error("its answer is longer than 4 MiB")]
    TooLong,
    /// More than any array has of it.
    #[error(
        "of what the mapping names it has more than 4096 series, or names of more than 200 bytes"
    )]
    TooMuch,
    /// Answer with none of the metrics.
    #[error("it has none of the metrics that the mapping names")]
    Foreign,
}

/// Fetcher of an endpoint's text.
pub(crate) struct Fetcher {
    agent: Agent,
    url: String,
}

impl Fetcher {
    /// Fetcher of one endpoint.
    pub fn new(url: &str) -> Fetcher {
        let config = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            // Whoever answers is who was named, and not who it or the environment says.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            // A connection that is kept may be dead by the next second.
            .max_idle_connections(0)
            .user_agent("plimsoll")
            .accept("text/plain;version=0.0.4")
            .build();
        Fetcher {
            agent: Agent::new_with_config(config),
            url: url.to_owned(),
        }
    }

    /// Text of the endpoint.
    pub fn text(&self) -> Result<String, FetchError> {
        let mut answer = self.agent.get(&self.url).call().map_err(why)?;
        let status = answer.status().as_u16();
        if status != 200 {
            return Err(FetchError::Refused(status));
        }
        let body = answer.body_mut().with_config().limit(LARGEST);
        body.lossy_utf8(true).read_to_string().map_err(why)
    }
}

fn why(error: ureq::Error) -> FetchError {
    match error {
        ureq::Error::Timeout(_) => FetchError::TooSlow,
        ureq::Error::BodyExceedsLimit(_) => FetchError::TooLong,
        ureq::Error::Io(e) if e.kind() == std::io::ErrorKind::TimedOut => FetchError::TooSlow,
        other => FetchError::Unreachable(other.to_string()),
    }
}
