//! The page, the API and the metrics, over HTTP.

mod manage;
mod metrics;
mod routes;

use crate::connection::Lab;
use plimsoll_http::{Answers, Http, HttpOptions, Request, Response};
use std::net::SocketAddr;
use std::sync::Arc;

/// The pages of a lab.
struct Pages(Arc<Lab>);

impl Answers for Pages {
    fn answer(&self, request: &Request) -> Response {
        routes::answer(&self.0, request)
    }
}

/// Listens.
pub(crate) fn start(address: SocketAddr, names: &[String], lab: Arc<Lab>) -> std::io::Result<Http> {
    let options = HttpOptions {
        names: names.to_vec(),
        most: lab.limits.http,
        ..HttpOptions::new(address)
    };
    Http::start(options, Pages(lab))
}
