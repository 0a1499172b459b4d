//! One value as it was given, whether as TOML or as a word of the command line.
//!
//! `"zipf=1.1"` and `{ zipf = 1.1 }` are the same: a value is a word, or names with values.

use super::forms::Form;
use plimsoll_diagnostic::nearest;
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

/// A piece of text and where it was written (bytes); flags have no place.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The text.
    pub text: String,
    /// Its place.
    pub span: Option<Range<usize>>,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The whole value as people would write it in a flag.
    pub whole: Part,
    /// A word or a number that stands alone.
    pub word: Option<Part>,
    /// Names and their values, in the order in which they were written.
    pub pairs: Vec<(Part, Part)>,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Wrong {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub remedy: Option<String>,
    /// The part that is wrong, if it's less than the whole value.
    pub span: Option<Range<usize>>,
    /// What to put in the place of that part.
    pub patch: Option<String>,
}

impl Wrong {
    /// A complaint about a part.
    pub fn new(part: &Part, message: impl Into<String>) -> Self {
        Wrong {
            message: message.into(),
            remedy: None,
            span: part.span.clone(),
            patch: None,
        }
    }

    /// Says what to write instead.
    pub fn remedy(mut self, text: impl Into<String>) -> Self {
        self.remedy = Some(text.into());
        self
    }
}

impl Part {
    /// A text without a place.
    pub fn of(text: &str) -> Self {
        Part {
            text: text.to_string(),
            span: None,
        }
    }

    /// A piece of this one; `piece` is a slice of `self.text`.
    pub fn piece(&self, piece: &str) -> Self {
        let trimmed = piece.trim();
        let offset = trimmed.as_ptr() as usize - self.text.as_ptr() as usize;
        // An escape in a TOML string makes it longer than its meaning: then only the whole has a place.
        let span = match &self.span {
            Some(s) if s.len() == self.text.len() => {
                Some(s.start + offset..s.start + offset + trimmed.len())
            }
            other => other.clone(),
        };
        Part {
            text: trimmed.to_string(),
            span,
        }
    }
}

impl Given {
    /// Reads `word`, or `name=value,name=value`.
    pub fn from_text(whole: Part) -> Self {
        let mut given = Given {
            word: None,
            pairs: Vec::new(),
            whole: whole.clone(),
        };
        if !whole.text.contains('=') {
            given.word = Some(whole.piece(&whole.text));
            return given;
        }
        for item in whole.text.split(',') {
            match item.split_once('=') {
                Some((name, value)) => given.pairs.push((whole.piece(name), whole.piece(value))),
                None => given.word = Some(whole.piece(item)),
            }
        }
        given
    }

    /// Reads a TOML value of a key with this form; `source` is the text that the spans are of.
    pub fn from_toml(
        value: &Spanned<DeValue<'_>>,
        form: &Form,
        source: &str,
    ) -> Result<Self, Wrong> {
        if let DeValue::Table(table) = value.get_ref() {
            if form.fields.is_empty() && form.open.is_none() {
                return Err(expected(form, value));
            }
            let mut pairs = Vec::new();
            for (name, inner) in table {
                let name = Part {
                    text: name.get_ref().to_string(),
                    span: Some(name.span()),
                };
                pairs.push((name, scalar(inner, source).ok_or_else(|| not_plain(inner))?));
            }
            pairs.sort_by_key(|(name, _)| name.span.as_ref().map(|s| s.start));
            let texts: Vec<String> = pairs
                .iter()
                .map(|(n, v)| format!("{}={}", n.text, v.text))
                .collect();
            let whole = Part {
                text: texts.join(","),
                span: Some(value.span()),
            };
            return Ok(Given {
                whole,
                word: None,
                pairs,
            });
        }
        let fits = match value.get_ref() {
            DeValue::String(_) => form.text || !form.words.is_empty() || !form.fields.is_empty(),
            DeValue::Integer(_) | DeValue::Float(_) => form.number,
            DeValue::Boolean(_) => form.words.contains(&"true"),
            _ => false,
        };
        match scalar(value, source) {
            Some(whole) if fits => Ok(match value.get_ref() {
                DeValue::String(_) => Given::from_text(whole),
                _ => Given {
                    word: Some(whole.clone()),
                    whole,
                    pairs: Vec::new(),
                },
            }),
            _ => Err(expected(form, value)),
        }
    }

    /// Complains of a word or a name that the form doesn't know, with the nearest that it does.
    pub fn check(&self, form: &Form) -> Result<(), Wrong> {
        let names = || {
            form.words
                .iter()
                .copied()
                .chain(form.fields.iter().map(|f| f.name))
        };
        if let Some(word) = &self.word {
            let alone = self.pairs.is_empty();
            if !alone {
                return Err(Wrong::new(word, format!("`{}` has no `=` here", word.text))
                    .remedy(format!("expected {}", form.what)));
            }
            if !form.text && !form.words.contains(&word.text.as_str()) && !self.is_number(form) {
                return Err(unknown(word, form, names()));
            }
        }
        for (name, _) in &self.pairs {
            if form.open.is_none() && !form.fields.iter().any(|f| f.name == name.text) {
                return Err(unknown(name, form, names()));
            }
        }
        for (i, (name, _)) in self.pairs.iter().enumerate() {
            if self.pairs[..i].iter().any(|(n, _)| n.text == name.text) {
                return Err(Wrong::new(name, format!("`{}` is given twice", name.text)));
            }
        }
        Ok(())
    }

    fn is_number(&self, form: &Form) -> bool {
        form.number
            && self
                .word
                .as_ref()
                .is_some_and(|w| w.text.parse::<f64>().is_ok())
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Part> {
        self.pairs
            .iter()
            .find(|(n, _)| n.text == name)
            .map(|(_, v)| v)
    }

    /// The word, where that's all there is.
    pub fn alone(&self) -> Option<&Part> {
        if self.pairs.is_empty() {
            self.word.as_ref()
        } else {
            None
        }
    }

    /// The one name and its value; a complaint where there are several.
    pub fn one_choice(&self) -> Result<(&Part, &Part), Wrong> {
        self.single().ok_or_else(|| {
            Wrong::new(
                &self.whole,
                format!("`{}` is more than one choice", self.whole.text),
            )
            .remedy("keep one")
        })
    }

    /// The one name and its value, where that's all there is.
    pub fn single(&self) -> Option<(&Part, &Part)> {
        match self.pairs.as_slice() {
            [(name, value)] if self.word.is_none() => Some((name, value)),
            _ => None,
        }
    }
}

/// The text of a plain value; `None` for lists, tables and dates.
pub fn scalar(value: &Spanned<DeValue<'_>>, source: &str) -> Option<Part> {
    let span = value.span();
    let (text, span) = match value.get_ref() {
        DeValue::String(s) => {
            // The place inside the quotes, where nothing was escaped.
            let inner = span.start + 1..span.end.saturating_sub(1).max(span.start + 1);
            let plain = source.get(inner.clone()).is_some_and(|t| t == s.as_ref());
            (
                s.to_string(),
                if plain && !s.is_empty() { inner } else { span },
            )
        }
        DeValue::Integer(n) if n.radix() == 10 => (n.as_str().to_string(), span),
        DeValue::Integer(n) => match i64::from_str_radix(n.as_str(), n.radix()) {
            Ok(value) => (value.to_string(), span),
            Err(_) => (n.to_string(), span),
        },
        DeValue::Float(n) => (n.as_str().to_string(), span),
        DeValue::Boolean(b) => (b.to_string(), span),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => return None,
    };
    Some(Part {
        text,
        span: Some(span),
    })
}

/// What people call a value's type.
pub fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn expected(form: &Form, value: &Spanned<DeValue<'_>>) -> Wrong {
    Wrong {
        message: format!("expected {}, found {}", form.what, kind(value.get_ref())),
        remedy: None,
        span: Some(value.span()),
        patch: None,
    }
}

fn not_plain(value: &Spanned<DeValue<'_>>) -> Wrong {
    Wrong {
        message: format!(
            "expected a text or a number, found {}",
            kind(value.get_ref())
        ),
        remedy: None,
        span: Some(value.span()),
        patch: None,
    }
}

fn unknown<'a>(part: &Part, form: &Form, names: impl Iterator<Item = &'a str> + Clone) -> Wrong {
    let mut wrong = Wrong::new(
        part,
        format!("`{}` is not known here; expected {}", part.text, form.what),
    );
    match nearest(&part.text, names.clone()) {
        Some(near) => {
            wrong.remedy = Some(format!("`{near}` is near"));
            wrong.patch = Some(near.to_string());
        }
        None => {
            wrong.remedy = Some(format!(
                "known are {}",
                names.collect::<Vec<_>>().join(", ")
            ))
        }
    }
    wrong
}

/// `4k,8k` is two values. Names with `=` are the parts of one, as in `4k=50,64k=50`, unless all are the same:
/// `streams=2,streams=4` can only be two.
pub fn is_list(value: &str) -> bool {
    let name = |part: &str| {
        part.split_once('=')
            .map(|(name, _)| name.trim().to_string())
    };
    let mut names = value.split(',').map(name);
    let first = names.next().flatten();
    value.contains(',') && names.all(|n| n == first)
}
