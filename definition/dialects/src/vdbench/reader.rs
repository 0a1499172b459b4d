//! Typed access to the parameters of one definition.

use super::codes;
use super::number::{self, Number, Unit};
use super::object::Field;
use super::parameter::{Item, Value};
use super::report::Report;
use plimsoll_diagnostic::{Diagnostic, nearest};
use plimsoll_plan::{Command, Origins};

/// Reads parameters; of several with one name the last counts.
pub(crate) struct Reader<'a> {
    fields: &'a [Field],
    /// Where complaints go.
    pub report: &'a mut Report,
}

impl<'a> Reader<'a> {
    /// A reader of these parameters.
    pub fn new(fields: &'a [Field], report: &'a mut Report) -> Self {
        Reader { fields, report }
    }

    /// The parameter of that name.
    pub fn field(&self, name: &str) -> Option<&'a Field> {
        self.fields.iter().rev().find(|f| f.keyword.name == name)
    }

    /// The last parameter that has one of these names.
    pub fn any(&self, names: &[&str]) -> Option<&'a Field> {
        self.fields
            .iter()
            .rev()
            .find(|f| names.contains(&f.keyword.name))
    }

    /// Where each parameter was written.
    pub fn origins(&self) -> Origins {
        let mut origins = Origins::default();
        for field in self.fields {
            origins.note(field.keyword.name, field.span);
        }
        origins
    }

    /// Complains that a value is none of those that a parameter takes.
    pub fn refuse(&mut self, field: &Field, expected: &str) {
        self.report.add(
            Diagnostic::error(
                codes::VALUE,
                format!(
                    "`{}={}` cannot be read",
                    field.keyword.name,
                    shorten(&field.value.joined())
                ),
            )
            .at(field.value.span, format!("expected {expected}")),
        );
    }

    /// All numbers of a field.
    pub fn numbers_of(&mut self, field: &Field, unit: Unit) -> Option<Vec<Number>> {
        match number::numbers(&field.value, unit) {
            // A default's range is expanded again for each definition.
            Ok(numbers) => {
                self.warn_of_cut(&numbers);
                self.report
                    .charge(numbers.len() as u64, field.span)
                    .ok()
                    .map(|()| numbers)
            }
            Err(diagnostic) => {
                self.report.add(*diagnostic);
                None
            }
        }
    }

    fn warn_of_cut(&mut self, numbers: &[Number]) {
        for number in numbers.iter().filter(|n| n.cut) {
            self.report.add(
                Diagnostic::warning(codes::LENIENT, "a range that runs backwards")
                    .at(
                        number.span,
                        "only its first value is taken, as Vdbench does",
                    )
                    .help("only d can go down, by halves; else list the values"),
            );
        }
    }

    /// The number of a parameter, of several the first; it must be in `min..=max`.
    pub fn number(&mut self, name: &str, unit: Unit, min: f64, max: f64) -> Option<f64> {
        let field = self.field(name)?;
        let numbers = self.numbers_of(field, unit)?;
        let number = *numbers.first()?;
        if numbers.len() > 1 {
            self.report.add(
                Diagnostic::warning(
                    codes::LENIENT,
                    format!("`{name}=` takes one number, and has {}", numbers.len()),
                )
                .at(field.value.span, "the first is taken, as Vdbench does"),
            );
        }
        if !(min..=max).contains(&number.value) || number.percent {
            self.outside(field, min, max);
            return None;
        }
        Some(number.value)
    }

    /// Complains that a number is outside of its range.
    pub fn outside(&mut self, field: &Field, min: f64, max: f64) {
        let range = match max >= 1e15 {
            true => format!("at least {min}"),
            false => format!("{min} to {max}"),
        };
        self.report.add(
            Diagnostic::error(
                codes::OUT_OF_RANGE,
                format!(
                    "`{}={}` is out of range",
                    field.keyword.name,
                    shorten(&field.value.joined())
                ),
            )
            .at(field.value.span, format!("must be {range}")),
        );
    }

    /// A whole number of at least `min`.
    pub fn whole(&mut self, name: &str, min: u64) -> Option<u64> {
        self.number(name, Unit::Plain, min as f64, 1e18)
            .map(|v| v as u64)
    }

    /// `n`, or `(n,divisor)`.
    pub fn divided(&mut self, name: &str, min: f64) -> Option<f64> {
        let field = self.field(name)?;
        let numbers = self.numbers_of(field, Unit::Plain)?;
        let value = match numbers[..] {
            [n] => n.value,
            [n, by] if by.value > 0.0 => (n.value / by.value).floor(),
            _ => {
                self.refuse(field, "a number, or (number,divisor)");
                return None;
            }
        };
        if value < min || value > 1e18 {
            self.outside(field, min, 1e18);
            return None;
        }
        Some(value)
    }

    /// Warns of `2d`, which looks like two days.
    fn warn_of_days(&mut self, name: &str, value: f64) {
        let Some(field) = self.field(name) else {
            return;
        };
        let text = field.value.items.first().map_or("", |item| &item.text);
        if text.ends_with(['d', 'D', 'f', 'F']) {
            self.report.add(
                Diagnostic::warning(
                    codes::LENIENT,
                    format!("`{name}={}` is taken for {value} seconds", shorten(text)),
                )
                .at(field.value.span, "d and f are no units of Vdbench's")
                .help("a time is in seconds; suffixes are m (60) and h (3600)"),
            );
        }
    }

    /// A time. Vdbench counts whole seconds and cuts off what is more; less than one is this program's own.
    pub fn seconds(&mut self, name: &str) -> Option<f64> {
        let value = self.number(name, Unit::Seconds, 0.0, 1e12)?;
        self.warn_of_days(name, value);
        let field = self
            .field(name)
            .filter(|_| value > 1.0 && value.fract() != 0.0);
        if let Some(field) = field {
            self.report.add(
                Diagnostic::warning(
                    codes::LENIENT,
                    format!("`{name}={value}` is taken for {}", value.trunc()),
                )
                .at(field.value.span, "Vdbench counts whole seconds"),
            );
            return Some(value.trunc());
        }
        Some(value)
    }

    /// Percent, of which Vdbench heeds whole ones.
    pub fn integral(&mut self, name: &str) -> Option<f64> {
        let value = self.number(name, Unit::Plain, 0.0, 100.0)?;
        if let Some(field) = self.field(name).filter(|_| value.fract() != 0.0) {
            self.report.add(
                Diagnostic::warning(
                    codes::LENIENT,
                    format!("`{name}={value}` is taken for {}", value.trunc()),
                )
                .at(field.value.span, "Vdbench takes whole percent here"),
            );
        }
        Some(value.trunc())
    }

    /// The one word of a parameter.
    pub fn text(&mut self, name: &str) -> Option<&'a str> {
        self.field(name).map(|f| f.value.text())
    }

    /// `yes` or `no`, or how they begin.
    pub fn yes(&mut self, name: &str) -> Option<bool> {
        let field = self.field(name)?;
        let word = field.value.text().to_lowercase();
        match word.chars().next() {
            Some('y') => Some(true),
            Some('n') => Some(false),
            _ => {
                self.refuse(field, "yes or no");
                None
            }
        }
    }

    /// `"command"`, or `("command",cons|log|sum)`.
    pub fn command(&mut self, name: &str) -> Vec<Command> {
        let Some(field) = self.field(name) else {
            return Vec::new();
        };
        let (line, output) = match &field.value.items[..] {
            [line] => (&line.text, "log"),
            [line, output] => {
                let word = output.text.to_lowercase();
                let known = [("cons", "console"), ("log", "log"), ("sum", "summary")];
                let Some((_, output)) = known.iter().find(|(start, _)| word.starts_with(start))
                else {
                    self.refuse(
                        field,
                        "(\"command\",cons), (\"command\",log) or (\"command\",sum)",
                    );
                    return Vec::new();
                };
                (&line.text, *output)
            }
            _ => {
                self.refuse(field, "a command, in quotes where it has blanks");
                return Vec::new();
            }
        };
        vec![Command {
            line: line.clone(),
            output: output.to_string(),
        }]
    }

    /// The words of a parameter, each one of `known`.
    pub fn words(&mut self, name: &str, known: &[&'static str]) -> Vec<&'static str> {
        let Some(field) = self.field(name) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for item in &field.value.items {
            match self.word(item, known) {
                Some(word) => out.push(word),
                None => return Vec::new(),
            }
        }
        out
    }

    /// The member of `known` that an item is, or that it begins.
    pub fn word(&mut self, item: &Item, known: &[&'static str]) -> Option<&'static str> {
        let typed = item.text.to_lowercase();
        let found = known.iter().find(|k| **k == typed).or_else(|| {
            known
                .iter()
                .find(|k| !typed.is_empty() && k.starts_with(&typed))
        });
        if found.is_none() {
            let mut diagnostic = Diagnostic::error(
                codes::VALUE,
                format!("`{}` is not known here", shorten(&item.text)),
            )
            .at(item.span, format!("expected {}", known.join(", ")));
            if let Some(meant) = nearest(&typed, known.iter().copied()) {
                diagnostic = diagnostic
                    .help(format!("did you mean `{meant}`?"))
                    .patch(item.span, meant);
            }
            self.report.add(diagnostic);
        }
        found.copied()
    }
}

/// A text cut for a message.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}

/// The members of a list of names, its ranges such as `(sd1-sd9)` expanded. A dash that makes no range is part of the
/// name, which Vdbench accepts only in quotes.
pub(crate) fn names(value: &Value, report: &mut Report) -> Vec<Item> {
    let mut out = Vec::new();
    for item in &value.items {
        let dash = item.dash.filter(|_| value.list);
        let Some(dash) = dash else {
            out.push(item.clone());
            continue;
        };
        match name_range(&item.text[..dash], &item.text[dash + 1..]) {
            Some((prefix, from, to)) => {
                if from == to {
                    report.add(
                        Diagnostic::warning(codes::LENIENT, "a range of one name")
                            .at(item.span, "Vdbench wants a last number above the first"),
                    );
                }
                if report.charge(to - from + 1, item.span).is_err() {
                    return Vec::new();
                }
                out.extend((from..=to).map(|n| Item {
                    text: format!("{prefix}{n}"),
                    dash: None,
                    span: item.span,
                }));
            }
            None => {
                report.add(
                    Diagnostic::warning(
                        codes::LENIENT,
                        format!("`{}` is taken for a name", shorten(&item.text)),
                    )
                    .at(
                        item.span,
                        "in parentheses Vdbench takes the dash for a range",
                    )
                    .help("put the name in quotes"),
                );
                out.push(item.clone());
            }
        }
    }
    out
}

/// `sd1` to `sd9`: one prefix, two numbers without leading zeros, not descending.
fn name_range<'t>(from: &'t str, to: &str) -> Option<(&'t str, u64, u64)> {
    let split = |text: &str| text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (prefix, first) = from.split_at(split(from));
    let (other, last) = to.split_at(split(to));
    let leading = |digits: &str| digits.len() > 1 && digits.starts_with('0');
    if prefix != other || leading(first) || leading(last) {
        return None;
    }
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((prefix, first, last))
}
