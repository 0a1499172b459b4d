//! Arithmetic in parentheses, and that of fio's keywords: `(2*1m+4k)`, `$ncpus*2`.

/// How deep parentheses may nest; more would be an attack on the stack.
const DEEPEST: u32 = 64;

/// What an expression comes to; `unit` is what a suffix stands for. `None` where it is none, or divides by nothing.
pub(super) fn evaluate(text: &str, unit: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    let mut parser = Parser {
        rest: text,
        unit,
        depth: 0,
    };
    let value = parser.sum()?;
    parser.skip_blanks();
    (parser.rest.is_empty() && value.is_finite()).then_some(value)
}

struct Parser<'t> {
    rest: &'t str,
    unit: &'t dyn Fn(&str) -> Option<f64>,
    depth: u32,
}

impl<'t> Parser<'t> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Takes the next character where it is one of these.
    fn take(&mut self, among: &[char]) -> Option<char> {
        self.skip_blanks();
        let c = self.rest.chars().next().filter(|c| among.contains(c))?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let next = self.product()?;
            value = if sign == '+' {
                value + next
            } else {
                value - next
            };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.power()?;
        while let Some(sign) = self.take(&['*', '/', '%']) {
            let next = self.power()?;
            value = match sign {
                '*' => value * next,
                _ if next == 0.0 => return None,
                '/' => (value / next).trunc(),
                _ => value % next,
            };
        }
        Some(value)
    }

    fn power(&mut self) -> Option<f64> {
        let base = self.single()?;
        match self.take(&['^']) {
            None => Some(base),
            Some(_) => {
                self.deeper()?;
                let raised = base.powf(self.power()?);
                self.depth -= 1;
                Some(raised)
            }
        }
    }

    fn deeper(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }

    fn single(&mut self) -> Option<f64> {
        if self.take(&['(']).is_some() {
            self.deeper()?;
            let value = self.sum()?;
            self.depth -= 1;
            self.take(&[')'])?;
            return Some(value);
        }
        if self.take(&['-']).is_some() {
            self.deeper()?;
            let value = self.single()?;
            self.depth -= 1;
            return Some(-value);
        }
        self.number()
    }

    fn number(&mut self) -> Option<f64> {
        self.skip_blanks();
        let digits = |c: char| c.is_ascii_digit() || c == '.';
        let (number, rest) = split(self.rest, digits);
        let value: f64 = number.parse().ok()?;
        let (suffix, rest) = split(rest, |c| c.is_ascii_alphabetic());
        self.rest = rest;
        match suffix {
            "" => Some(value),
            suffix => Some(value * (self.unit)(suffix)?),
        }
    }
}

fn split(text: &str, of: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !of(c)).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_as_taught_in_school() {
        let unit = |s: &str| match s {
            "k" => Some(1024.0),
            "m" => Some(1048576.0),
            _ => None,
        };
        let cases = [
            ("2*(1m+4k)", Some(2105344.0)),
            ("7/2", Some(3.0)),
            ("7%4-1", Some(2.0)),
            ("2^3^2", Some(512.0)),
            ("-(3)*2", Some(-6.0)),
            ("1/0", None),
            ("1+", None),
            ("3q", None),
            ("2 3", None),
        ];
        for (text, expected) in cases {
            assert_eq!(evaluate(text, &unit), expected, "{text}");
        }
        let deep = "(".repeat(100_000);
        assert_eq!(evaluate(&deep, &unit), None);
        assert_eq!(evaluate(&"-".repeat(100_000), &unit), None);
    }
}
