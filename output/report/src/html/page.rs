//! The viewer page with data in it.

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

/// The element of the page that holds the data: JSON, by gzip, in base64.
const OPENING: &str = r#"<script type="application/gzip" id="plimsoll-data">"#;
const CLOSING: &str = "</script>";

#[cfg(plimsoll_viewer)]
const VIEWER: Option<&str> = Some(include_str!(concat!(env!("OUT_DIR"), "/viewer.html")));
#[cfg(not(plimsoll_viewer))]
const VIEWER: Option<&str> = None;

/// Reason why there is no HTML report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HtmlError {
    /// Program that was built without the viewer page.
    #[error(
        "this plimsoll was built without the HTML report's page; build it with `make`, which needs Node"
    )]
    NoViewer,
    /// The page that was built in has no place for data.
    #[error("the built-in HTML page has no place for data; build plimsoll with `make` again")]
    BrokenViewer,
    /// The record cannot be read.
    #[error(transparent)]
    Record(#[from] plimsoll_record::RecordError),
    /// The data has no JSON form.
    #[error("the report's data cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// The page as one text: write it to a file, and any browser shows it without a network.
///
/// # Errors
/// [`HtmlError::NoViewer`] where the program was built without Node.
pub fn page(data: &Value) -> Result<String, HtmlError> {
    fill(VIEWER.ok_or(HtmlError::NoViewer)?, data)
}

fn fill(viewer: &str, data: &Value) -> Result<String, HtmlError> {
    let (head, rest) = viewer.split_once(OPENING).ok_or(HtmlError::BrokenViewer)?;
    let (_, tail) = rest.split_once(CLOSING).ok_or(HtmlError::BrokenViewer)?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    serde_json::to_writer(&mut gzip, data)?;
    let data = gzip.finish().map_err(serde_json::Error::io)?;
    Ok([head, OPENING, &STANDARD.encode(data), CLOSING, tail].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const VIEWER: &str =
        r#"<body><script type="application/gzip" id="plimsoll-data"></script><p></body>"#;

    #[test]
    fn the_data_replaces_the_placeholder_and_nothing_else_and_cannot_end_its_element() {
        let name = "</script><!--<script>";
        let page = fill(VIEWER, &json!({ "name": name })).unwrap();
        let data = page.strip_prefix(&format!("<body>{OPENING}")).unwrap();
        let data = data.strip_suffix("</script><p></body>").unwrap();
        let mut json = String::new();
        let mut gzip = &STANDARD.decode(data).unwrap()[..];
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&mut gzip), &mut json)
            .unwrap();
        let back: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back, json!({ "name": name }));
    }

    #[test]
    fn a_page_without_a_place_for_data_is_refused() {
        assert!(matches!(
            fill("<body></body>", &json!(1)),
            Err(HtmlError::BrokenViewer)
        ));
    }
}
