//! The few elements of a page that is written by hand. Every text goes through [`text`].

use plimsoll_printable::line_of;

/// A line of text, for between tags and for quoted attributes: nothing in it means anything to HTML or to a terminal.
pub fn text(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for c in line_of(line).chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            c => shown.push(c),
        }
    }
    shown
}

/// A sentence, for between tags: words between backticks are code, as commands are.
pub fn prose(line: &str) -> String {
    let shown = text(line);
    let parts: Vec<&str> = shown.split('`').collect();
    let mut prose = String::with_capacity(shown.len());
    for (at, part) in parts.iter().enumerate() {
        match at % 2 == 1 {
            true if at + 1 < parts.len() => prose += &format!("<code>{part}</code>"),
            true => prose += &format!("`{part}"),
            false => prose += part,
        }
    }
    prose
}

/// The heading of a section.
pub fn heading(line: &str) -> String {
    format!("<h2>{}</h2>", prose(line))
}

/// A list of sentences; nothing where there are none.
pub fn list(lines: &[String]) -> String {
    let items: String = lines
        .iter()
        .map(|line| format!("<li>{}</li>", prose(line)))
        .collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!("<ul class=\"notes\">{items}</ul>"),
    }
}

/// A table of rows that are made by [`row`].
pub fn table(head: &[&str], rows: &str) -> String {
    let head: String = head
        .iter()
        .map(|name| format!("<th>{}</th>", text(name)))
        .collect();
    format!(
        "<div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

/// A row of cells, each a text and its class; the first names the row.
pub fn row(cells: &[(&str, &str)], class: &str) -> String {
    let cells: String = cells
        .iter()
        .enumerate()
        .map(|(at, (words, class))| {
            let tag = if at == 0 { "th" } else { "td" };
            format!("<{tag} class=\"{class}\">{}</{tag}>", text(words))
        })
        .collect();
    format!("<tr class=\"{}\">{cells}</tr>\n", text(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_between_two_backticks_are_code() {
        assert_eq!(
            prose("run `a <b`, then `c"),
            "run <code>a &lt;b</code>, then `c"
        );
    }

    #[test]
    fn no_text_can_leave_its_element_or_its_attribute() {
        let hostile = "\"'><script>alert(1)</script>&\u{1b}[2J\n";
        for made in [
            heading(hostile),
            list(&[hostile.to_string()]),
            row(&[(hostile, "words")], hostile),
            table(&[hostile], ""),
        ] {
            assert!(!made.contains("<script"), "{made}");
            assert!(made.contains("&lt;script&gt;"), "{made}");
            assert!(!made.contains('\u{1b}'), "{made}");
            assert!(!made.contains("\"'>"), "{made}");
        }
    }
}
