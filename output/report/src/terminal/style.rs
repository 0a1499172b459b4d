//! Colour, characters and width of what is printed.

/// Style of text for the place that it goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// With ANSI colours.
    pub color: bool,
    /// With characters beyond ASCII; else each is replaced by an ASCII one of the same width (`±` by `~`).
    pub unicode: bool,
    /// Columns of the terminal; tables leave out what doesn't fit.
    pub width: usize,
    /// Sentences are wrapped at words to the width; elsewhere a line is a line, for `grep`.
    pub wrap: bool,
}

/// Meaning of a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// A heading.
    Heading,
    /// Less important.
    Dim,
    /// A result.
    Good,
    /// To be read with care.
    Warn,
    /// An error.
    Bad,
}

impl Style {
    /// No colour, all characters: for files, pipes and tests.
    pub fn plain(width: usize) -> Self {
        Style {
            color: false,
            unicode: true,
            width,
            wrap: false,
        }
    }

    /// The style for a stream, from what the caller knows of it: whether it is a terminal, its columns, and a look-up
    /// of environment variables. `NO_COLOR` (not empty) and `TERM=dumb` take colours away; a locale (`LC_ALL`,
    /// `LC_CTYPE`, `LANG`, the first that is set) that doesn't name UTF-8 takes other characters away.
    pub fn detect(terminal: bool, width: usize, var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(set)
            .unwrap_or_default()
            .to_ascii_lowercase();
        Style {
            color: terminal && set("NO_COLOR").is_none() && set("TERM").as_deref() != Some("dumb"),
            unicode: locale.contains("utf-8") || locale.contains("utf8"),
            width,
            wrap: terminal,
        }
    }

    /// `line` behind what has `indent` columns, wrapped at words where lines are; what follows is indented as far.
    pub fn sentence(&self, indent: usize, line: &str) -> String {
        if !self.wrap {
            return line.to_owned();
        }
        super::wrap::wrap(line, self.width, indent)
    }

    /// `text` in a colour, where there are colours.
    pub fn paint(&self, paint: Paint, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let code = match paint {
            Paint::Heading => "1",
            Paint::Dim => "2",
            Paint::Good => "32",
            Paint::Warn => "33",
            Paint::Bad => "31",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// `text` in characters that can be shown.
    pub fn characters(&self, text: String) -> String {
        if self.unicode {
            text
        } else {
            text.chars().map(ascii).collect()
        }
    }
}

/// One ASCII character for each that the reports use, so that columns stay columns.
fn ascii(c: char) -> char {
    match c {
        '±' => '~',
        '—' | '─' => '-',
        '≤' => '<',
        '·' => ',',
        '…' => '.',
        '×' => 'x',
        '▲' => '^',
        '◇' | '○' => 'o',
        '●' => '@',
        '■' => '#',
        '□' => '=',
        '\u{a0}' => ' ',
        'µ' => 'u',
        '↑' => '^',
        '↓' => 'v',
        '│' | '┤' => '|',
        '└' => '+',
        '▁' | '▂' | '▃' | '░' => '.',
        '▒' => ':',
        '▓' => '%',
        '▄' | '▅' | '▆' | '▇' | '█' | '▌' => '#',
        c if c.is_ascii() => c,
        _ => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(terminal: bool, vars: &[(&str, &str)]) -> Style {
        Style::detect(terminal, 80, |name| {
            vars.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| v.to_string())
        })
    }

    #[test]
    fn no_color_a_pipe_and_a_dumb_terminal_take_colours_away() {
        assert!(detect(true, &[]).color);
        assert!(detect(true, &[("NO_COLOR", "")]).color);
        assert!(!detect(true, &[("NO_COLOR", "1")]).color);
        assert!(!detect(true, &[("TERM", "dumb")]).color);
        assert!(!detect(false, &[]).color);
    }

    #[test]
    fn the_first_locale_that_is_set_decides_about_characters() {
        assert!(detect(true, &[("LANG", "C.UTF-8")]).unicode);
        assert!(!detect(true, &[("LC_ALL", "C"), ("LANG", "C.UTF-8")]).unicode);
        assert!(detect(true, &[("LC_ALL", ""), ("LANG", "de_DE.utf8")]).unicode);
        assert!(!detect(true, &[]).unicode);
    }

    #[test]
    fn ascii_text_is_as_wide_as_the_other() {
        let ascii = Style {
            unicode: false,
            ..Style::plain(80)
        };
        let text = "p99 ≤ 1ms ±0.4% — ░█▄";
        let shown = ascii.characters(text.into());
        assert!(shown.is_ascii());
        assert_eq!(shown.len(), text.chars().count());
    }
}
