//! JSON as it is found: with messages before, between and inside of it, cut off, with keys twice, with `nan`. Every value
//! knows its line.

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Line, from 1.
    pub line: u32,
    /// Kind of node, with its value.
    pub kind: NodeKind,
}

/// Kind of node, with its value.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// `null`, a word such as `nan`, or something that was left out.
    Nothing,
    /// `true`, `false`.
    Bool(bool),
    /// A finite number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    Array(Vec<Node>),
    /// Keys and values in their order.
    Object(Vec<(String, Node)>),
}

/// A document, and how whole it was.
#[derive(Debug)]
pub struct Document {
    /// Value of the document.
    pub root: Node,
    /// The byte after it.
    pub end: usize,
    /// The line on which the input ended within it.
    pub cut_at: Option<u32>,
    /// Lines inside of it that are no JSON and were left out.
    pub noise: Vec<u32>,
    /// Keys that an object has twice, with the line of the second.
    pub twice: Vec<(String, u32)>,
}

impl Node {
    /// The last value of a key: what every reader of JSON takes.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            NodeKind::Object(fields) => fields.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The last value of a key, to be changed.
    pub fn value_mut(&mut self, key: &str) -> Option<&mut NodeKind> {
        match &mut self.kind {
            NodeKind::Object(fields) => {
                let mut fields = fields.iter_mut().rev();
                fields.find(|(k, _)| k == key).map(|(_, v)| &mut v.kind)
            }
            _ => None,
        }
    }

    /// By keys, one inside of the other.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The number, also where it is in quotes.
    pub fn number(&self) -> Option<f64> {
        match &self.kind {
            NodeKind::Number(n) => Some(*n),
            NodeKind::Text(text) => crate::text::number(text),
            _ => None,
        }
    }

    /// The text.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values of a list.
    pub fn items(&self) -> &[Node] {
        match &self.kind {
            NodeKind::Array(items) => items,
            _ => &[],
        }
    }

    /// The keys and values of an object.
    pub fn fields(&self) -> &[(String, Node)] {
        match &self.kind {
            NodeKind::Object(fields) => fields,
            _ => &[],
        }
    }
}

/// Objects inside of objects; fio has six.
const MOST_DEPTH: usize = 32;
/// Histograms of json+, which are most of it and not looked at.
const LEFT_OUT: &str = "bins";

/// The object that begins at `start`, which is on `line`. `Err` has the byte at which it turned out to be none.
pub fn object(text: &str, start: usize, line: u32) -> Result<Document, usize> {
    let mut reader = Reader {
        bytes: text.as_bytes(),
        text,
        at: start,
        line,
        cut: false,
        noise: Vec::new(),
        twice: Vec::new(),
    };
    let root = reader.value(0).map_err(|Broken| reader.at)?;
    Ok(Document {
        root,
        end: reader.at,
        cut_at: reader.cut.then_some(reader.line),
        noise: reader.noise,
        twice: reader.twice,
    })
}

struct Broken;

struct Reader<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
    line: u32,
    cut: bool,
    noise: Vec<u32>,
    twice: Vec<(String, u32)>,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        while let Some(b) = self.bytes.get(self.at) {
            match b {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                _ => return Some(*b),
            }
            self.at += 1;
        }
        self.cut = true;
        None
    }

    fn nothing(&self) -> Node {
        Node {
            line: self.line,
            kind: NodeKind::Nothing,
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Broken> {
        let Some(first) = self.peek() else {
            return Ok(self.nothing());
        };
        let line = self.line;
        let kind = match first {
            b'{' | b'[' if depth >= MOST_DEPTH => return Err(Broken),
            b'{' => NodeKind::Object(self.fields(depth)?),
            b'[' => NodeKind::Array(self.items(depth)?),
            b'"' => NodeKind::Text(self.string()),
            _ => self.word()?,
        };
        Ok(Node { line, kind })
    }

    /// True where a list or an object goes on, behind its opening or behind a value of it. What stands there and is no JSON is a message
    /// that was printed into it: its line is left out.
    fn goes_on(&mut self, close: u8, begins: fn(u8) -> bool) -> bool {
        loop {
            match self.peek() {
                None => return false,
                Some(b) if b == close => {
                    self.at += 1;
                    return false;
                }
                Some(b',') => self.at += 1,
                Some(b) if begins(b) => return true,
                // Another closing: this one was forgotten.
                Some(b'}' | b']') => return false,
                Some(_) => self.leave_line(),
            }
        }
    }

    fn leave_line(&mut self) {
        self.noise.push(self.line);
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
    }

    fn fields(&mut self, depth: usize) -> Result<Vec<(String, Node)>, Broken> {
        let opened = self.line;
        self.at += 1;
        // A word behind the brace is somebody's text in braces.
        if self.peek().is_some_and(|b| !matches!(b, b'"' | b'}')) && self.line == opened {
            return Err(Broken);
        }
        let mut fields: Vec<(String, Node)> = Vec::new();
        while self.goes_on(b'}', |b| b == b'"') {
            let line = self.line;
            let key = self.string();
            match self.peek() {
                Some(b':') => self.at += 1,
                None => break,
                Some(_) => return Err(Broken),
            }
            let value = self.value(depth + 1)?;
            if key == LEFT_OUT {
                continue;
            }
            // Objects of fio have some fifty keys; of hostile ones not all are compared. fio's client repeats options as they are.
            let other = |(k, of): &&(String, Node)| *k == key && of.kind != value.kind;
            if fields.iter().take(200).any(|field| other(&field)) && self.twice.len() < 20 {
                self.twice.push((key.clone(), line));
            }
            fields.push((key, value));
        }
        Ok(fields)
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Node>, Broken> {
        self.at += 1;
        let mut items = Vec::new();
        let begins = |b: u8| {
            matches!(
                b,
                b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'
            )
        };
        while self.goes_on(b']', begins) {
            items.push(self.value(depth + 1)?);
        }
        Ok(items)
    }

    /// A text, from its first quote on. Where the input ends in it, it ends there.
    fn string(&mut self) -> String {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        while let Some(b) = self.bytes.get(self.at) {
            match b {
                b'"' => break,
                b'\\' => {
                    escaped = true;
                    self.at += 1;
                }
                b'\n' => self.line += 1,
                _ => {}
            }
            self.at += 1;
        }
        let end = self.at.min(self.bytes.len());
        self.cut |= end == self.bytes.len();
        self.at = (end + 1).min(self.bytes.len());
        // Both quotes are ASCII, so neither is inside of a character.
        let raw = self.text.get(start..end).unwrap_or_default();
        match escaped {
            true => unescape(raw),
            false => raw.to_string(),
        }
    }

    fn word(&mut self) -> Result<NodeKind, Broken> {
        let rest = &self.bytes[self.at..];
        let end = rest
            .iter()
            .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')))
            .unwrap_or(rest.len());
        let word = self.text.get(self.at..self.at + end).unwrap_or_default();
        if word.is_empty() {
            return Err(Broken);
        }
        self.at += end;
        // At the input's end the rest of a number may be missing.
        let whole = end < rest.len();
        self.cut |= !whole;
        Ok(match word {
            "true" => NodeKind::Bool(true),
            "false" => NodeKind::Bool(false),
            _ if whole => crate::text::number(word).map_or(NodeKind::Nothing, NodeKind::Number),
            _ => NodeKind::Nothing,
        })
    }
}

fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('u') => {
                let code: String = rest.by_ref().take(4).collect();
                let c = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(c) => text.push(c),
            None => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Document {
        object(text, 0, 1).expect("an object")
    }

    #[test]
    fn a_value_knows_its_line() {
        let document = read("{\n \"a\" : {\n  \"b\" : 4.5\n }\n}");
        let b = document.root.at(&["a", "b"]).expect("there");
        assert_eq!((b.line, b.number()), (3, Some(4.5)));
        assert_eq!(document.cut_at, None);
    }

    #[test]
    fn what_is_cut_off_keeps_what_was_there_and_no_half_number() {
        let document = read("{\"a\": [1, 2], \"b\": {\"c\": 12");
        assert_eq!(document.root.get("a").expect("a").items().len(), 2);
        let c = document.root.at(&["b", "c"]).expect("c");
        assert_eq!(c.kind, NodeKind::Nothing);
        assert_eq!(document.cut_at, Some(1));
    }

    #[test]
    fn messages_inside_are_left_out_and_told() {
        let document =
            read("{\n\"a\": 1,\nfio: something went wrong, err=5\n\"b\": nan,\n\"a\": 3 }");
        assert_eq!(document.noise, [3]);
        assert_eq!(document.root.get("b").expect("b").kind, NodeKind::Nothing);
        assert_eq!(document.root.get("a").and_then(Node::number), Some(3.0));
        assert_eq!(document.twice, [("a".to_string(), 5)]);
    }

    #[test]
    fn what_is_nested_without_end_is_refused() {
        assert!(object(&"{\"a\":".repeat(1000), 0, 1).is_err());
        assert!(object(&"[".repeat(1000), 0, 1).is_err());
    }
}
