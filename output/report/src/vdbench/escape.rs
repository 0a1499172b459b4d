//! What is quoted in a page is shown in it, and is no part of it.

use plimsoll_printable::line_of;

/// A line of text between tags. Where nothing in it means anything to HTML it stays as it is, so that scripts which read
/// the pages line by line find what they look for.
pub(super) fn text(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for c in line_of(line).chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            c => shown.push(c),
        }
    }
    shown
}

/// A file of the same folder, as a link names it: each byte that a link may give another meaning is `%` and its number.
pub(super) fn link(file: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.()".contains(&b);
    let mut shown = String::with_capacity(file.len());
    for byte in file.bytes() {
        match plain(byte) {
            true => shown.push(char::from(byte)),
            false => shown.push_str(&format!("%{byte:02X}")),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_to_html_does_not_reach_it() {
        assert_eq!(
            text("a=\"b\" & <script>alert('x')</script>"),
            "a=\"b\" &amp; &lt;script&gt;alert('x')&lt;/script&gt;"
        );
        assert_eq!(text("a\tb\n\x1b[2Jc"), "a\tb\\n\\x1b[2Jc");
        let harmless = "rd=rd1,wd=*,iorate=max,elapsed=10 * a 'word', and \"two\"";
        assert_eq!(text(harmless), harmless);
    }

    #[test]
    fn a_link_names_one_file() {
        assert_eq!(link("sd1.html"), "sd1.html");
        assert_eq!(link("a_(10%).html"), "a_(10%25).html");
        assert_eq!(link("ä\"x'.html"), "%C3%A4%22x%27.html");
    }
}
