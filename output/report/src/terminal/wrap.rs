//! Sentences on narrow terminals.

/// `line` broken at blanks so that no row is wider than `width` columns; `indent` columns are taken in the first row, and
/// left free in the others. A word that is wider than a row stays whole.
pub fn wrap(line: &str, width: usize, indent: usize) -> String {
    // Where little is left beside the indent, what is broken reads worse than what is not.
    let room = width.saturating_sub(indent);
    if room < 20 {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for (index, word) in line.split(' ').enumerate() {
        let letters = word.chars().count();
        if index > 0 && column + 1 + letters > room {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = 0;
        } else if index > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += letters;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::wrap;

    const TEXT: &str = "the generator itself was late and its lateness is in the response times";

    #[test]
    fn rows_end_at_words_and_lose_none() {
        for width in 20..90 {
            for indent in [0, 4, 11] {
                let wrapped = wrap(TEXT, width, indent);
                let rows: Vec<&str> = wrapped.lines().collect();
                assert_eq!(
                    rows.iter().map(|r| r.trim()).collect::<Vec<_>>().join(" "),
                    TEXT
                );
                if width >= indent + 20 {
                    assert!(rows.iter().skip(1).all(|r| r.len() <= width), "{wrapped}");
                    assert!(rows[0].len() + indent <= width, "{wrapped}");
                }
            }
        }
    }

    #[test]
    fn a_long_word_stays_whole() {
        let path = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4";
        assert_eq!(
            wrap(&format!("on {path} there"), 24, 0),
            format!("on\n{path}\nthere")
        );
    }
}
