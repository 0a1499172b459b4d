//! Values that a shell offers, where others are good too: the language's own reader judges them.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use plimsoll_dialects::native::keys::{RUN, SHAPE, TARGET, WORKLOAD, find};
use plimsoll_dialects::native::method::METHOD;
use std::ffi::OsStr;

/// Takes any text, and offers these.
#[derive(Clone)]
pub struct Offered(pub Vec<&'static str>);

/// Offers the words of a key of the language.
pub fn words(key: &str) -> Offered {
    let form = find(&[&SHAPE, &RUN, &TARGET, &METHOD, &WORKLOAD], key).map(|k| k.form);
    Offered(form.map_or(Vec::new(), |f| f.words.to_vec()))
}

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}
