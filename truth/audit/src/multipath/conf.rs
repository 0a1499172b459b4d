//! `multipath.conf` as multipathd reads it: line by line. A section's brace ends its line, a closing one has a line of its own, and an
//! option is a word and a value. What else stands on a line is ignored, braces too (`validate_config_strvec` of libmultipath).

/// A configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conf {
    /// The options that count, in their order.
    pub settings: Vec<Setting>,
    /// Faults in the file.
    pub faults: Vec<Fault>,
}

/// An option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The sections it is in: `devices device`.
    pub section: String,
    /// Line where the `device` or `multipath` section begins that the option is in.
    pub begins: usize,
    /// Name of the option.
    pub key: String,
    /// Value of the option, without quotes.
    pub value: String,
    /// Line of the option, from 1.
    pub line: usize,
}

/// Fault in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Line of the fault, from 1.
    pub line: usize,
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Description of the fault.
    pub text: String,
}

/// Kind of a fault in a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// More on a line than is read, a brace among it.
    SharedBrace,
    /// Quotes as a word processor makes them.
    Quotes,
    /// Line that is not in the grammar.
    Broken,
}

const SECTIONS: &[&str] = &[
    "defaults",
    "blacklist",
    "blacklist_exceptions",
    "devices",
    "device",
    "multipaths",
    "multipath",
    "overrides",
    "protocol",
];

/// So many faults are enough of a file that is none.
const FAULTS_MOST: usize = 200;

/// Reads a configuration. Whatever it is given, it comes to an end and complains.
pub fn parse(text: &str) -> Conf {
    let mut conf = Conf::default();
    let mut open: Vec<(String, usize)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if conf.faults.len() >= FAULTS_MOST {
            break;
        }
        let words = words(number, line, &mut conf.faults);
        let plain: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
        let mut fault = |kind, text: String| {
            conf.faults.push(Fault {
                line: number,
                kind,
                text,
            });
        };
        let read = match plain.first() {
            None => continue,
            Some(&"}") => {
                if open.pop().is_none() {
                    fault(FaultKind::Broken, "} closes nothing".into());
                }
                1
            }
            Some(&"{") => {
                fault(
                    FaultKind::Broken,
                    "a section has no name before its {".into(),
                );
                continue;
            }
            // `protocol` is an option of a blacklist too.
            Some(name)
                if SECTIONS.contains(name)
                    && (*name != "protocol" || plain.get(1) == Some(&"{")) =>
            {
                if plain.get(1) != Some(&"{") {
                    fault(FaultKind::Broken, format!("no {{ after {name} on its line"));
                }
                open.push(((*name).to_string(), number));
                2
            }
            Some(key) => {
                match plain.get(1) {
                    None => fault(FaultKind::Broken, format!("{key} has no value")),
                    Some(value) => conf.settings.push(Setting {
                        section: open
                            .iter()
                            .map(|(n, _)| n.as_str())
                            .collect::<Vec<_>>()
                            .join(" "),
                        begins: open.last().map_or(0, |(_, at)| *at),
                        key: (*key).to_string(),
                        value: (*value).to_string(),
                        line: number,
                    }),
                }
                2
            }
        };
        let rest = words.get(read..).unwrap_or_default();
        let brace = rest
            .iter()
            .any(|w| !w.quoted && ["{", "}"].contains(&w.text.as_str()));
        let shown: Vec<&str> = rest.iter().map(|w| w.text.as_str()).collect();
        if !rest.is_empty() {
            let kind = if brace {
                FaultKind::SharedBrace
            } else {
                FaultKind::Broken
            };
            conf.faults.push(Fault {
                line: number,
                kind,
                text: format!("`{}` is ignored", shown.join(" ")),
            });
        }
    }
    if let Some((name, line)) = open.first() {
        conf.faults.push(Fault {
            line: *line,
            kind: FaultKind::Broken,
            text: format!("{name} is never closed"),
        });
    }
    conf
}

/// A word of a line.
struct Word {
    text: String,
    quoted: bool,
}

fn words(line: usize, text: &str, faults: &mut Vec<Fault>) -> Vec<Word> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => {}
            '#' | '!' => break,
            '{' | '}' => found.push(Word {
                text: c.to_string(),
                quoted: false,
            }),
            c if is_quote(c) => {
                let mut inside = String::new();
                let mut odd = c != '"';
                let mut closed = false;
                for end in chars.by_ref() {
                    if is_quote(end) && is_single(end) == is_single(c) {
                        odd |= end != '"';
                        closed = true;
                        break;
                    }
                    inside.push(end);
                }
                let mut fault = |kind, text: String| faults.push(Fault { line, kind, text });
                if odd {
                    fault(
                        FaultKind::Quotes,
                        format!("typographic quotes around `{inside}`"),
                    );
                }
                if !closed {
                    fault(FaultKind::Broken, format!("no quote ends `{inside}`"));
                }
                found.push(Word {
                    text: inside,
                    quoted: true,
                });
            }
            c => {
                let mut word = c.to_string();
                let is_end = |c: char| is_quote(c) && !is_single(c);
                let ends = |c: &char| c.is_whitespace() || "{}#!".contains(*c) || is_end(*c);
                while let Some(c) = chars.next_if(|c| !ends(c)) {
                    word.push(c);
                }
                found.push(Word {
                    text: word,
                    quoted: false,
                });
            }
        }
    }
    found
}

fn is_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}'
    ) || is_single(c)
}

/// One of the quotes that look like an apostrophe.
fn is_single(c: char) -> bool {
    matches!(c, '\u{2018}'..='\u{201b}' | '\u{2032}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_that_share_a_line_are_ignored_and_leave_their_section_open() {
        let conf = parse("defaults { no_path_retry fail }\nblacklist {\n}\n");
        assert_eq!(conf.settings, []);
        let kinds: Vec<FaultKind> = conf.faults.iter().map(|f| f.kind).collect();
        assert_eq!(kinds, [FaultKind::SharedBrace, FaultKind::Broken]);
        assert!(conf.faults[0].text.contains("no_path_retry fail }"));
        assert!(conf.faults[1].text.contains("defaults is never closed"));
    }

    #[test]
    fn sections_options_comments_and_both_kinds_of_quotes_are_read() {
        let text = "# one\ndevices {\n device {\n  vendor \u{201c}SAN ARRAY\u{201d} # two\n  product \"A#B { }\"\n }\n}\n";
        let conf = parse(text);
        let read: Vec<(&str, &str, &str)> = conf
            .settings
            .iter()
            .map(|s| (s.section.as_str(), s.key.as_str(), s.value.as_str()))
            .collect();
        assert_eq!(
            read,
            [
                ("devices device", "vendor", "SAN ARRAY"),
                ("devices device", "product", "A#B { }")
            ]
        );
        assert_eq!(conf.faults.len(), 1);
        assert_eq!(
            (conf.faults[0].kind, conf.faults[0].line),
            (FaultKind::Quotes, 4)
        );
    }

    #[test]
    fn quotes_like_apostrophes_are_quotes_too() {
        let conf = parse(
            "defaults {\n path_selector \u{2019}round-robin 0\u{2032}\n prio \"a\u{2019}b\"\n alias a\u{2019}b\n}\n",
        );
        let values: Vec<&str> = conf.settings.iter().map(|s| s.value.as_str()).collect();
        assert_eq!(values, ["round-robin 0", "a\u{2019}b", "a\u{2019}b"]);
        let faults: Vec<_> = conf.faults.iter().map(|f| (f.line, f.kind)).collect();
        assert_eq!(faults, [(2, FaultKind::Quotes)]);
    }

    #[test]
    fn garbage_is_complained_of() {
        for text in [
            "}",
            "{",
            "defaults",
            "x",
            "a b c",
            "\"",
            "\u{0}\u{fffd}{}{}{}}}}",
        ] {
            assert!(!parse(text).faults.is_empty(), "{text:?}");
        }
    }
}
