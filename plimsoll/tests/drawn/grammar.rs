//! Text drawn from a grammar, which is a text itself.
//!
//! Each line is a rule, `name = this | that`; `3*this` is three times as likely, and `?this` is a doubtful way, of which a text has as
//! many as it is told to. `<name>` stands for what a rule draws, `<name?4>` for
//! that once in four times and else nothing, `<name*3>` for up to three of it, `<name+3>` for one to three.
//! `<nl>` ends a line, `<sp>` is a blank. Names of things are counted: `<new sd>` is `sd1`, then `sd2`; `<last sd>` the one before, and
//! `<old sd>` any of them. `<~elapsed>` is a keyword, now and then shortened or in capitals.

use crate::draw::Draw;
use std::collections::HashMap;

/// Rules by their names.
pub struct Grammar<'t>(HashMap<&'t str, Vec<&'t str>>);

impl<'t> Grammar<'t> {
    /// Reads rules; a line that begins with a blank goes on with the rule before it.
    pub fn new(text: &'t str) -> Self {
        let mut rules: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut name = "";
        for line in text
            .lines()
            .filter(|l| !l.trim().is_empty() && !l.starts_with('#'))
        {
            let body = match line.starts_with(' ') {
                true => line.trim().trim_start_matches("| "),
                false => {
                    let (before, body) = line.split_once(" = ").expect("name = this | that");
                    name = before.trim();
                    body.trim()
                }
            };
            for way in body.split(" | ") {
                let weighted = way
                    .split_once('*')
                    .and_then(|(n, rest)| Some((n.parse().ok()?, rest)));
                let (weight, way) = weighted.unwrap_or((1, way));
                rules.entry(name).or_default().extend(vec![way; weight]);
            }
        }
        Grammar(rules)
    }

    /// A text that the rule `name` stands for, with so many doubtful parts at most.
    pub fn draw(&self, name: &str, draw: &mut Draw, doubts: usize) -> String {
        let mut out = Drawing {
            grammar: self,
            draw,
            doubts,
            counts: HashMap::new(),
            text: String::new(),
        };
        out.rule(name);
        out.text
    }
}

struct Drawing<'g> {
    grammar: &'g Grammar<'g>,
    draw: &'g mut Draw,
    doubts: usize,
    counts: HashMap<String, usize>,
    text: String,
}

impl Drawing<'_> {
    fn rule(&mut self, name: &str) {
        let ways = self
            .grammar
            .0
            .get(name)
            .unwrap_or_else(|| panic!("no rule is called `{name}`"));
        let ways: Vec<&str> = ways
            .iter()
            .copied()
            .filter(|way| self.doubts > 0 || !way.starts_with('?'))
            .collect();
        let way = ways[self.draw.below(ways.len())];
        self.doubts -= usize::from(way.starts_with('?'));
        self.way(way.trim_start_matches('?'));
    }

    fn way(&mut self, mut way: &str) {
        while let Some((before, rest)) = way.split_once('<') {
            self.text += before;
            let (inside, rest) = rest.split_once('>').expect("a closing bracket");
            self.part(inside);
            way = rest;
        }
        self.text += way;
    }

    fn part(&mut self, inside: &str) {
        let times = |mark: char| {
            let (name, n) = inside.rsplit_once(mark)?;
            Some((name, n.parse::<usize>().ok()?))
        };
        if let Some(kind) = inside.strip_prefix("new ") {
            *self.counts.entry(kind.to_string()).or_default() += 1;
            self.named(kind, self.counts[kind]);
        } else if let Some(kind) = inside.strip_prefix("last ") {
            self.named(kind, self.counts.get(kind).copied().unwrap_or(0));
        } else if let Some(kind) = inside.strip_prefix("old ") {
            let count = self.counts.get(kind).copied().unwrap_or(0);
            let one = 1 + self.draw.below(count.max(1));
            self.named(kind, one);
        } else if let Some(keyword) = inside.strip_prefix('~') {
            self.keyword(keyword);
        } else if let Some((name, n)) = times('?') {
            if self.draw.below(n) == 0 {
                self.rule(name);
            }
        } else if let Some((name, n)) = times('*') {
            (0..self.draw.below(n + 1)).for_each(|_| self.rule(name));
        } else if let Some((name, n)) = times('+') {
            (0..1 + self.draw.below(n)).for_each(|_| self.rule(name));
        } else {
            match inside {
                "nl" => self.text += "\n",
                "sp" => self.text += " ",
                "" => {}
                name => self.rule(name),
            }
        }
    }

    fn named(&mut self, kind: &str, number: usize) {
        self.text += &format!("{kind}{number}");
    }

    fn keyword(&mut self, keyword: &str) {
        match self.draw.below(60) {
            0 => self.text += &keyword.to_uppercase(),
            1 | 2 if keyword.len() > 3 && self.doubts > 0 => {
                self.doubts -= 1;
                let kept = 2 + self.draw.below(keyword.len() - 2);
                self.text += &keyword[..kept];
            }
            _ => self.text += keyword,
        }
    }
}
