//! The page's one style sheet: the report's colours and type, and what a comparison has of its own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

const OF_THE_REPORT: &str = include_str!("../../../../../viewer/src/page.css");
const OWN: &str = include_str!("comparison.css");

/// Start of the report's dark colours. A script chooses them there; here the browser does.
const DARK: &str = ":root[data-theme=\"dark\"] {";

/// The style sheet.
pub fn sheet() -> String {
    let mut sheet = OF_THE_REPORT.to_string();
    if let Some(at) = sheet.find(DARK)
        && let Some(length) = sheet[at..].find('}')
    {
        sheet.insert(at + length + 1, '}');
        sheet.replace_range(
            at..at + DARK.len(),
            "@media screen and (prefers-color-scheme: dark) { :root {",
        );
    }
    sheet + OWN
}

/// Hash of a sheet as a content security policy names it.
pub fn hash(sheet: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(sheet)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_as_others_make_it() {
        // printf abc | openssl dgst -sha256 -binary | base64
        assert_eq!(
            hash("abc"),
            "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
        );
    }

    #[test]
    fn the_dark_colours_are_the_browser_s_to_choose_and_the_braces_are_whole() {
        let sheet = sheet();
        assert!(!sheet.contains("data-theme"), "{sheet}");
        assert!(sheet.contains("prefers-color-scheme: dark"), "{sheet}");
        assert_eq!(sheet.matches('{').count(), sheet.matches('}').count());
        assert!(!sheet.contains("</"), "it would end its element");
    }
}
