//! As much of XML as results have: elements, attributes and text, with lines. What is cut off is read as far as it goes, which
//! no strict reader does.

/// An element.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Element {
    /// Name of the element.
    pub name: String,
    /// Line of the element, from 1.
    pub line: u32,
    /// Attributes in order.
    pub attributes: Vec<(String, String)>,
    /// The elements in it.
    pub children: Vec<Element>,
    /// The text in it, trimmed.
    pub text: String,
}

impl Element {
    /// The first element of that name in it.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|c| c.name == name)
    }

    /// All of that name in it.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |c| c.name == name)
    }

    /// By names, one inside of the other.
    pub fn at(&self, path: &[&str]) -> Option<&Element> {
        path.iter().try_fold(self, |e, name| e.child(name))
    }

    /// The text of the element at a path.
    pub fn text_at(&self, path: &[&str]) -> Option<&str> {
        Some(self.at(path)?.text.as_str()).filter(|t| !t.is_empty())
    }

    /// The number at a path, where it is one and not below zero.
    pub fn number_at(&self, path: &[&str]) -> Option<f64> {
        crate::text::amount(self.text_at(path)?)
    }

    /// An attribute's number, where it is one and not below zero.
    pub fn attribute(&self, name: &str) -> Option<f64> {
        let (_, text) = self.attributes.iter().find(|(n, _)| n == name)?;
        crate::text::amount(text)
    }
}

/// A document, and whether it was cut off.
#[derive(Debug)]
pub struct Document {
    /// The element that was asked for.
    pub root: Element,
    /// The line on which the input ended within it.
    pub cut_at: Option<u32>,
}

/// Elements inside of elements; DiskSPD has seven.
const MOST_DEPTH: usize = 32;

/// The first element of that name, wherever it begins.
pub fn find(text: &str, name: &str) -> Option<Document> {
    let start = text.match_indices('<').map(|(at, _)| at).find(|at| {
        let rest = &text[at + 1..];
        rest.strip_prefix(name)
            .is_some_and(|r| r.starts_with(['>', ' ', '\t', '\r', '\n']))
    })?;
    let line = 1 + text[..start].matches('\n').count() as u32;
    read(&text[start..], line)
}

fn read(text: &str, mut line: u32) -> Option<Document> {
    let mut open: Vec<Element> = Vec::new();
    let mut rest = text;
    let mut too_deep = 0_usize;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        if let Some(top) = open.last_mut() {
            let before = before.trim();
            if !before.is_empty() && too_deep == 0 {
                top.text.push_str(&plain(before));
            }
        }
        line = line.saturating_add(before.matches('\n').count() as u32);
        let Some(end) = end_of(tag) else { break };
        let (tag, behind) = tag.split_at(end);
        rest = behind;
        let begun = line;
        line = line.saturating_add(tag.matches('\n').count() as u32);
        if tag.starts_with("<!") || tag.starts_with("<?") {
            continue;
        }
        if let Some(name) = tag.strip_prefix("</") {
            if too_deep > 0 {
                too_deep -= 1;
                continue;
            }
            // An end that nothing begins is passed over.
            let name = name.trim_end_matches('>').trim();
            if open.last().is_none_or(|top| top.name != name) {
                continue;
            }
            if let Some(root) = close(&mut open) {
                return Some(Document { root, cut_at: None });
            }
            continue;
        }
        let alone = tag.ends_with("/>");
        if open.len() >= MOST_DEPTH {
            too_deep += usize::from(!alone);
            continue;
        }
        open.push(element(tag, begun));
        if alone && let Some(root) = close(&mut open) {
            return Some(Document { root, cut_at: None });
        }
    }
    loop {
        if open.is_empty() {
            return None;
        }
        if let Some(root) = close(&mut open) {
            let cut_at = Some(line);
            return Some(Document { root, cut_at });
        }
    }
}

/// Ends the innermost element; `Some` where it was the outermost.
fn close(open: &mut Vec<Element>) -> Option<Element> {
    let done = open.pop()?;
    match open.last_mut() {
        Some(parent) => {
            parent.children.push(done);
            None
        }
        None => Some(done),
    }
}

/// The byte after a tag.
fn end_of(tag: &str) -> Option<usize> {
    match tag.starts_with("<!--") {
        true => tag.find("-->").map(|at| at + 3),
        false => tag.find('>').map(|at| at + 1),
    }
}

fn element(tag: &str, line: u32) -> Element {
    let inner = tag
        .trim_start_matches('<')
        .trim_end_matches('>')
        .trim_end_matches('/');
    let end = inner.find(char::is_whitespace).unwrap_or(inner.len());
    let (name, mut rest) = inner.split_at(end);
    let mut attributes = Vec::new();
    while let Some((key, behind)) = rest.split_once('=') {
        let behind = behind.trim_start();
        let Some(quote) = behind.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            break;
        };
        let Some((value, after)) = behind[1..].split_once(quote) else {
            break;
        };
        attributes.push((key.trim().to_string(), plain(value)));
        rest = after;
    }
    Element {
        name: name.to_string(),
        line,
        attributes,
        ..Element::default()
    }
}

fn plain(text: &str) -> String {
    if !text.contains('&') {
        return text.to_string();
    }
    let quotes = text.replace("&lt;", "<").replace("&gt;", ">");
    let quotes = quotes.replace("&quot;", "\"").replace("&apos;", "'");
    quotes.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_lines_attributes_and_text() {
        let text = "noise\n<Results>\n <A x=\"1.5\" y='b'/>\n <!-- <B> -->\n <T>\n  <U>7</U></T>\n</Results>";
        let document = find(text, "Results").expect("there");
        let a = document.root.child("A").expect("A");
        assert_eq!((a.line, a.attribute("x")), (3, Some(1.5)));
        assert_eq!(document.root.number_at(&["T", "U"]), Some(7.0));
        assert_eq!(document.root.at(&["T", "U"]).expect("U").line, 6);
        assert_eq!(document.cut_at, None);
    }

    #[test]
    fn what_is_cut_off_is_read_as_far_as_it_goes() {
        let document = find("<Results>\n<A>1</A>\n<B><C>2</C>\n<D", "Results").expect("there");
        assert_eq!(document.root.number_at(&["A"]), Some(1.0));
        assert_eq!(document.root.number_at(&["B", "C"]), Some(2.0));
        assert_eq!(document.cut_at, Some(4));
    }

    #[test]
    fn depth_has_a_bound() {
        let document = find(&format!("<Results>{}", "<a>".repeat(100_000)), "Results");
        assert!(document.is_some());
    }
}
