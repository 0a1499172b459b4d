//! Guard of the requests: they have to address this server by a name that it has, and a request that changes something must not be
//! one that another site's page makes a browser send.
//!
//! A browser lets a page talk to the host that the page came from, by name. Whoever owns a name can let it point here
//! (DNS rebinding), so a name that nobody gave this server is not answered. Addresses cannot be made to point elsewhere.

use super::request::Request;
use super::response::Response;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The ports that go without saying in a URL, of HTTP and of HTTPS.
const USUAL: [u16; 2] = [80, 443];

/// The names of the server.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    /// Names that were given to it, with the port where one was given, in small letters.
    names: Vec<(String, Option<u16>)>,
}

impl Guard {
    /// A server that has these names too: `lab.example`, or `lab.example:8080` where others see another port.
    pub(crate) fn new(names: &[String]) -> Self {
        let name = |name: &String| {
            let (host, port) = split(name);
            (host.to_ascii_lowercase(), port)
        };
        Guard {
            names: names.iter().map(name).collect(),
        }
    }

    /// The answer to a request that is not answered otherwise; `here` is where it came to.
    pub(crate) fn refuse(&self, request: &Request, here: SocketAddr) -> Option<Response> {
        if !self.is_meant(&request.host, here) {
            let message = match request.host.as_str() {
                "" => {
                    "the request does not say which host it means; send it as HTTP/1.1 with a Host"
                        .to_owned()
                }
                host => format!(
                    "this server is not called {host:?}; use its address, or start it with --http-host and that name"
                ),
            };
            return Some(Response::problem("421 Misdirected Request", &message));
        }
        let changes = !matches!(request.method.as_str(), "GET" | "HEAD");
        if changes && !self.is_own(request, here) {
            let message = "a page of another site may not change anything here";
            return Some(Response::problem("403 Forbidden", message));
        }
        None
    }

    /// True where a `Host` is a name of this server, with its port.
    fn is_meant(&self, host: &str, here: SocketAddr) -> bool {
        let (name, port) = split(host);
        if self.is_named(name, port, here.port()) {
            return true;
        }
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        let own_port = match bare.parse::<IpAddr>() {
            Ok(address) => address.to_canonical() == here.ip().to_canonical(),
            Err(_) => {
                name.eq_ignore_ascii_case("localhost") && here.ip().to_canonical().is_loopback()
            }
        };
        own_port && is_port(port, here.port())
    }

    fn is_named(&self, name: &str, port: Option<u16>, own_port: u16) -> bool {
        let is = |n: &&(String, Option<u16>)| n.0.eq_ignore_ascii_case(name);
        let mut given = self.names.iter().filter(is);
        given.any(|n| is_port(port, n.1.unwrap_or(own_port)))
    }

    /// True where no other site made a browser send it. What is no browser says nothing of this.
    fn is_own(&self, request: &Request, here: SocketAddr) -> bool {
        let from = request
            .origin
            .as_deref()
            .map(|o| match o.split_once("://") {
                Some(("http" | "https", host)) => self.is_meant(host, here),
                _ => false,
            });
        let site = request.fetch_site.as_deref();
        from.unwrap_or(true) && matches!(site, None | Some("same-origin" | "none"))
    }
}

/// True where a port is the server's own. One that a browser leaves out is a usual one.
fn is_port(said: Option<u16>, own: u16) -> bool {
    said.map_or(USUAL.contains(&own), |said| said == own)
}

/// True for what a browser would send as the host: a name or an address, and a port where there is one.
pub fn is_host(text: &str) -> bool {
    let (name, _) = split(text);
    let bare = name.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
    match bare {
        Some(bare) => bare.parse::<Ipv6Addr>().is_ok(),
        None => {
            let allowed = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
            !name.is_empty() && name.chars().all(allowed)
        }
    }
}

/// A host, and its port where it has one; an address of IPv6 is in brackets.
fn split(host: &str) -> (&str, Option<u16>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => match port.parse() {
            Ok(port) => (name, Some(port)),
            // No port, and so no host: a name has no colon.
            Err(_) => (host, None),
        },
        _ => (host, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, host: &str) -> Request {
        Request {
            method: method.to_owned(),
            host: host.to_owned(),
            ..Request::default()
        }
    }

    fn status(guard: &Guard, request: &Request, here: &str) -> Option<&'static str> {
        let refused = guard.refuse(request, here.parse().unwrap());
        refused.map(|r| &r.status[..3])
    }

    #[test]
    fn only_its_own_addresses_and_names_with_its_port_are_answered() {
        let guard = Guard::new(&[
            "Lab.example".to_owned(),
            "proxy.example:80".to_owned(),
            "tls.example:443".to_owned(),
        ]);
        let local = "127.0.0.1:9180";
        for (host, here, answered) in [
            ("127.0.0.1:9180", local, true),
            ("localhost:9180", local, true),
            ("LOCALHOST:9180", local, true),
            ("lab.EXAMPLE:9180", local, true),
            ("proxy.example", local, true),
            ("[::1]:9180", "[::1]:9180", true),
            ("localhost:9180", "[::1]:9180", true),
            ("192.0.2.7:9180", "192.0.2.7:9180", true),
            ("192.0.2.7:9180", "[::ffff:192.0.2.7]:9180", true),
            ("localhost", "127.0.0.1:80", true),
            ("localhost", "127.0.0.1:443", true),
            ("lab.example", "192.0.2.7:443", true),
            ("lab.example:443", "192.0.2.7:443", true),
            ("tls.example", local, true),
            ("tls.example:80", local, false),
            ("lab.example:80", "192.0.2.7:443", false),
            ("", local, false),
            ("127.0.0.1", local, false),
            ("127.0.0.1:9181", local, false),
            ("127.0.0.2:9180", local, false),
            ("localhost:9180", "192.0.2.7:9180", false),
            ("evil.example:9180", local, false),
            ("localhost.evil.example:9180", local, false),
            ("127.0.0.1.evil.example:9180", local, false),
            ("localhost:9180@evil.example", local, false),
            ("localhost:9180:9180", local, false),
            ("lab.example", local, false),
            ("lab.example:80", local, false),
            ("proxy.example:9180", local, false),
            ("localhost.:9180", local, false),
        ] {
            let refused = status(&guard, &request("GET", host), here);
            assert_eq!(refused, (!answered).then_some("421"), "{host:?} at {here}");
        }
    }

    #[test]
    fn a_name_is_what_a_browser_would_send() {
        for name in ["lab", "lab.example:8080", "10.0.0.7", "[fd00::1]:80"] {
            assert!(is_host(name), "{name}");
        }
        for odd in [
            "",
            "*",
            "http://lab",
            "lab:many",
            "a b",
            "lab/",
            "fd00::1",
            "lab:70000",
        ] {
            assert!(!is_host(odd), "{odd}");
        }
    }

    #[test]
    fn another_sites_page_changes_nothing_but_may_lead_here() {
        let guard = Guard::new(&[]);
        let from = |method: &str, origin: Option<&str>, site: Option<&str>| {
            let request = Request {
                origin: origin.map(str::to_owned),
                fetch_site: site.map(str::to_owned),
                ..request(method, "localhost:9180")
            };
            status(&guard, &request, "127.0.0.1:9180")
        };
        for method in ["POST", "DELETE"] {
            assert_eq!(from(method, None, None), None);
            assert_eq!(
                from(method, Some("http://localhost:9180"), Some("same-origin")),
                None
            );
            assert_eq!(from(method, Some("http://127.0.0.1:9180"), None), None);
            for (origin, site) in [
                (Some("http://evil.example"), None),
                (Some("http://localhost:8000"), None),
                (Some("null"), None),
                (Some("file://"), None),
                (None, Some("cross-site")),
                (None, Some("same-site")),
                (Some("http://localhost:9180"), Some("cross-site")),
            ] {
                assert_eq!(
                    from(method, origin, site),
                    Some("403"),
                    "{origin:?} {site:?}"
                );
            }
        }
        assert_eq!(from("GET", None, Some("cross-site")), None);
    }
}
