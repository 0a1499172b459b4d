//! The viewer page with data in it.

use super::packed::packed;
use serde_json::Value;

/// The element of the page that holds the data.
const OPENING: &str = r#"<script type="application/json" id="plimsoll-data">"#;
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
    fill(VIEWER.ok_or(HtmlError::NoViewer)?, &packed(data))
}

fn fill(viewer: &str, data: &Value) -> Result<String, HtmlError> {
    let (head, rest) = viewer.split_once(OPENING).ok_or(HtmlError::BrokenViewer)?;
    let (_, tail) = rest.split_once(CLOSING).ok_or(HtmlError::BrokenViewer)?;
    // Inside a script element only `</script` and `<!--` mean anything to HTML; no `<` means neither can occur.
    let json = serde_json::to_string(data)?.replace('<', r"\u003c");
    Ok([head, OPENING, &json, CLOSING, tail].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const VIEWER: &str =
        r#"<body><script type="application/json" id="plimsoll-data">null</script><p></body>"#;

    #[test]
    fn the_data_replaces_the_placeholder_and_nothing_else() {
        let page = fill(VIEWER, &json!({"a": 1})).unwrap();
        assert_eq!(
            page,
            r#"<body><script type="application/json" id="plimsoll-data">{"a":1}</script><p></body>"#
        );
    }

    #[test]
    fn data_cannot_end_its_element() {
        let page = fill(VIEWER, &json!({"name": "</script><!--<script>"})).unwrap();
        assert_eq!(page.matches("</script").count(), 1);
        assert!(!page.contains("<!--"));
        let json = page
            .split_once(OPENING)
            .unwrap()
            .1
            .split_once(CLOSING)
            .unwrap()
            .0;
        let back: Value = serde_json::from_str(json).unwrap();
        assert_eq!(back["name"], "</script><!--<script>");
    }

    #[test]
    fn a_page_without_a_place_for_data_is_refused() {
        assert!(matches!(
            fill("<body></body>", &json!(1)),
            Err(HtmlError::BrokenViewer)
        ));
    }
}
