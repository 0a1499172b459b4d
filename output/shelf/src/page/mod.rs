//! The pages, written whole here; only that of a run that goes on has a script. Every text in them goes through [`text`].

pub(crate) mod list;
pub(crate) mod live;
pub(crate) mod plot;
pub(crate) mod trend;

use plimsoll_http::Response;
pub(crate) use plimsoll_report::html::comparison::element::{prose, text};
use std::fmt::Write;

/// Letters of a name that are shown.
const LONGEST: usize = 240;

/// A page with the shelf's frame.
pub(crate) fn page(title: &str, head: &str, body: &str) -> Response {
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{} – Plimsoll</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/page.css\">\n{head}</head>\n<body>\n<main>\n\
         <header class=\"masthead\"><a class=\"brand\" href=\"/\"><svg viewBox=\"0 0 24 16\" aria-hidden=\"true\">\
         <path d=\"M1 8H23M12 2a6 6 0 1 0 .01 0Z\"/></svg>Plimsoll</a></header>\n{body}</main>\n</body>\n</html>\n",
        text(title)
    );
    plimsoll_http::text("text/html; charset=utf-8", page)
}

/// A page that says in a sentence why there is nothing else.
pub(crate) fn problem(status: &'static str, message: &str) -> Response {
    let body = format!(
        "<h1>{}</h1>\n<p><a href=\"/\">All records</a></p>\n",
        text(message)
    );
    page("Problem", "", &body).with_status(status)
}

/// The style sheet: the report's, and what the shelf has of its own.
pub(crate) fn style() -> String {
    plimsoll_report::html::comparison::style::sheet() + include_str!("shelf.css")
}

/// A foreign text, cut where it is far too long.
pub(crate) fn word(foreign: &str) -> String {
    let mut shown: String = foreign.chars().take(LONGEST).collect();
    if shown.len() < foreign.len() {
        shown.push('…');
    }
    text(&shown)
}

/// An address with names and values behind it.
pub(crate) fn address(path: &str, pairs: &[(&str, &str)]) -> String {
    let mut address = path.to_owned();
    for (at, (name, value)) in pairs.iter().enumerate() {
        address.push(if at == 0 { '?' } else { '&' });
        address.push_str(name);
        address.push('=');
        for byte in value.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                    address.push(byte.into())
                }
                // Writing to a text cannot fail.
                other => drop(write!(address, "%{other:02X}")),
            }
        }
    }
    address
}

/// The time of a record for people: `2026-05-21 08:15 UTC` of RFC 3339.
pub(crate) fn time(started: &str) -> String {
    let minutes: String = started.chars().take(16).collect();
    match minutes.is_empty() {
        true => minutes,
        false => minutes.replacen('T', " ", 1) + " UTC",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_nothing_that_html_or_an_address_could_mean() {
        let made = address("/trend", &[("test", "a&b=\"><é"), ("step", "1 %")]);
        assert_eq!(made, "/trend?test=a%26b%3D%22%3E%3C%C3%A9&step=1%20%25");
    }

    #[test]
    fn a_time_of_any_text_is_cut_at_letters() {
        assert_eq!(time("2026-05-21T08:15:00.1Z"), "2026-05-21 08:15 UTC");
        assert_eq!(time("ééééééééééééééééééé").chars().count(), 20);
        assert_eq!(time(""), "");
    }
}
