//! The flags that say in which order I/Os go through a target.

use super::reader::{Reader, Word};
use super::{codes, distribution, size};
use plimsoll_diagnostic::{Diagnostic, Span};

impl Reader {
    /// `-r`, `-rs` and `-rd`.
    pub(super) fn random(&mut self, word: Word<'_>) {
        if let Some(percent) = word.value.strip_prefix('s') {
            return self.part_random(word, percent);
        }
        if let Some(text) = word.value.strip_prefix('d') {
            match distribution::parse(text, u64::from(self.target.block)) {
                Ok(found) => {
                    self.target.distribution = Some(found);
                    self.target.origins.note("distribution", word.at);
                }
                Err(why) => self.wrong(word, why),
            }
            return;
        }
        let align = match word.value {
            "" => Some(u64::from(self.target.block)),
            text => self.size(word, text),
        };
        match align {
            Some(0) => return self.wrong(word, "an alignment of 0 is none"),
            None => return,
            Some(_) => {}
        }
        if let (Some(before), Some(_)) = (self.target.origins.of("-r"), self.target.align) {
            return self.twice(word, before, "where I/Os go");
        }
        if let Some(before) = self.target.origins.of("-s") {
            return self.clash(word, before);
        }
        if self.target.random_percent == 0 {
            self.target.random_percent = 100;
        }
        self.target.align = align;
        self.target.origins.note("-r", word.at);
        self.target.origins.note("access", word.at);
    }

    fn part_random(&mut self, word: Word<'_>, percent: &str) {
        let (n, rest) = size::count(percent).unwrap_or((0, percent));
        if !(1..=100).contains(&n) || !rest.is_empty() {
            return self.wrong(word, "the percentage of random I/Os is from 1 to 100");
        }
        if let Some(before) = self.target.origins.of("-s") {
            return self.clash(word, before);
        }
        if let Some(before) = self.target.origins.of("-rs") {
            return self.twice(word, before, "how many I/Os are random");
        }
        self.target.random_percent = n as u32;
        if n < 100 {
            self.target.origins.note("-rs", word.at);
        }
        self.target.origins.note("access", word.at);
    }

    fn clash(&mut self, word: Word<'_>, before: Span) {
        let message = format!(
            "`{}` asks for another order than an earlier flag",
            word.text
        );
        self.complaints.add(
            Diagnostic::error(codes::CONFLICT, message)
                .at(word.at, "")
                .at(before, "asked for here")
                .help("keep -s for I/Os in order, or -r and -rs for random ones"),
        );
    }

    /// `-s` and `-si`.
    pub(super) fn sequential(&mut self, word: Word<'_>) {
        let (interlocked, text) = match word.value.strip_prefix('i') {
            Some(text) => (true, text),
            None => (false, word.value),
        };
        let random = ["-r", "-rs"].iter().find_map(|n| self.target.origins.of(n));
        if self.target.random_percent > 0 {
            let before = random.or(self.target.origins.of("access"));
            return self.clash(word, before.unwrap_or(word.at));
        }
        if let Some(before) = self.target.origins.of("-s") {
            return self.twice(word, before, "how far apart I/Os are");
        }
        let stride = match text {
            "" => Some(u64::from(self.target.block)),
            text => self.size(word, text),
        };
        let Some(stride) = stride else {
            return;
        };
        self.target.interlocked |= interlocked;
        self.target.align = Some(stride);
        self.target.origins.note("-s", word.at);
        self.target.origins.note("access", word.at);
    }
}
