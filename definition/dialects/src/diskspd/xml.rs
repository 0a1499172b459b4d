//! Profiles in XML: what the schema asks for, then types.

use super::codes;
use super::complaints::Complaints;
use super::schema::{Attribute, Element, ElementContent, PROFILE};
use plimsoll_diagnostic::{Diagnostic, FileId, Span, nearest};
use roxmltree::{Document, Node};

/// Reads a profile, and makes what it is of its root. Complaints are added; `None` after errors.
pub(super) fn read<T>(
    file: FileId,
    text: &str,
    complaints: &mut Complaints,
    make: impl FnOnce(Node<'_, '_>, &mut XmlReader<'_>) -> T,
) -> Option<T> {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let at = place_of(text, error.pos());
            let message = format!("it is no XML that can be read: {error}");
            let span = Span::new(file, at..at);
            complaints.add(Diagnostic::error(codes::NOT_XML, message).at(span, "here"));
            return None;
        }
    };
    let root = document.root_element();
    let mut reader = XmlReader { file, complaints };
    if root.tag_name().name() != "Profile" {
        let mut complaint = reader.error(
            codes::NOT_A_PROFILE,
            root,
            "it is no profile of DiskSPD, which begins with <Profile>",
        );
        if root.tag_name().name() == "Results" {
            complaint = complaint.help("it is a result; `plimsoll audit FILE` judges it");
        }
        reader.complaints.add(complaint);
        return None;
    }
    reader.children(root, PROFILE, false);
    if reader.complaints.failed() {
        return None;
    }
    let profile = make(root, &mut reader);
    (!reader.complaints.failed()).then_some(profile)
}

/// The byte of a row and a column, both from 1; columns count characters.
fn place_of(text: &str, at: roxmltree::TextPos) -> usize {
    let row = at.row.saturating_sub(1) as usize;
    let start: usize = text.split_inclusive('\n').take(row).map(str::len).sum();
    let line = text.get(start..).unwrap_or("");
    let column = at.col.saturating_sub(1) as usize;
    let within = line
        .char_indices()
        .nth(column)
        .map_or(line.len(), |(i, _)| i);
    (start + within).min(text.len())
}

/// Where complaints go, and of which text they are.
pub(super) struct XmlReader<'c> {
    pub file: FileId,
    pub complaints: &'c mut Complaints,
}

/// An element's text, comments left out, without blanks around it.
pub(super) fn text_of(node: Node<'_, '_>) -> String {
    let texts = node.children().filter(Node::is_text);
    let all: String = texts.filter_map(|t| t.text()).collect();
    all.trim().to_string()
}

impl XmlReader<'_> {
    /// Where an element is: one that holds others only by its tag.
    pub fn span(&self, node: Node<'_, '_>) -> Span {
        let range = node.range();
        let holds = node.children().any(|c| c.is_element());
        let tag = range.start + node.tag_name().name().len() + 2;
        Span::new(
            self.file,
            range.start..if holds { tag.min(range.end) } else { range.end },
        )
    }

    fn error(&self, code: &str, node: Node<'_, '_>, message: &str) -> Diagnostic {
        Diagnostic::error(code, message).at(self.span(node), "")
    }

    /// Checks what is below an element against the schema.
    fn children(&mut self, parent: Node<'_, '_>, elements: &[Element], only_one: bool) {
        let mut seen: Vec<(&str, Node<'_, '_>)> = Vec::new();
        for child in parent.children().filter(Node::is_element) {
            let name = child.tag_name().name();
            let Some(element) = elements.iter().find(|e| e.name == name) else {
                self.unknown(child, parent, elements);
                continue;
            };
            let before = seen.iter().find(|(n, _)| *n == element.name);
            if let (Some((_, first)), false) = (before, element.many) {
                let complaint =
                    self.error(codes::TWICE, child, &format!("<{name}> is there twice"));
                let complaint = complaint.at(self.span(*first), "the first");
                self.complaints.add(complaint);
            }
            if only_one && let Some((other, first)) = seen.iter().find(|(n, _)| *n != element.name)
            {
                let message = format!("<{name}> and <{other}> exclude each other");
                let complaint = self.error(codes::CONFLICT, child, &message);
                let complaint = complaint.at(self.span(*first), "the other");
                self.complaints.add(complaint);
            }
            if before.is_none() {
                seen.push((element.name, child));
            }
            self.attributes(child, element.attributes);
            self.value(child, element.kind);
        }
        for element in elements.iter().filter(|e| e.required) {
            if !seen.iter().any(|(n, _)| *n == element.name) {
                self.missing(parent, element.name);
            }
        }
        if only_one && seen.is_empty() {
            let names: Vec<&str> = elements.iter().map(|e| e.name).collect();
            self.missing(parent, &names.join("> or <"));
        }
    }

    fn missing(&mut self, parent: Node<'_, '_>, name: &str) {
        let message = format!("<{}> needs a <{name}>", parent.tag_name().name());
        let complaint = self.error(codes::MISSING, parent, &message);
        self.complaints.add(complaint);
    }

    /// Newer versions may have it: it is said, and left out.
    fn unknown(&mut self, child: Node<'_, '_>, parent: Node<'_, '_>, elements: &[Element]) {
        let name = child.tag_name().name();
        let message = format!(
            "<{name}> in <{}> is no element of DiskSPD 2.2, and is left out",
            parent.tag_name().name()
        );
        let mut complaint =
            Diagnostic::warning(codes::UNKNOWN_ELEMENT, message).at(self.span(child), "");
        if let Some(meant) = nearest(name, elements.iter().map(|e| e.name)) {
            complaint = complaint.help(format!("did you mean <{meant}>?"));
        }
        self.complaints.add(complaint);
    }

    fn attributes(&mut self, node: Node<'_, '_>, attributes: &[Attribute]) {
        let name = node.tag_name().name();
        for (attribute, kind, required) in attributes {
            match node.attribute(*attribute) {
                Some(text) => {
                    if let Err(why) = fits(text.trim(), *kind) {
                        let message = format!("`{text}` is no {attribute} of <{name}>: {why}");
                        let complaint = self.error(codes::VALUE, node, &message);
                        self.complaints.add(complaint);
                    }
                }
                None if *required => {
                    let message = format!("<{name}> needs the attribute {attribute}");
                    let complaint = self.error(codes::MISSING, node, &message);
                    self.complaints.add(complaint);
                }
                None => {}
            }
        }
    }

    fn value(&mut self, node: Node<'_, '_>, kind: ElementContent) {
        match kind {
            ElementContent::Of(elements) => return self.children(node, elements, false),
            ElementContent::OneElement(elements) => return self.children(node, elements, true),
            _ => {}
        }
        let text = text_of(node);
        let name = node.tag_name().name();
        if let Err(why) = fits(&text, kind) {
            let complaint = self.error(
                codes::VALUE,
                node,
                &format!("`{text}` is no <{name}>: {why}"),
            );
            self.complaints.add(complaint);
        }
        if matches!(kind, ElementContent::Bool) && matches!(text.as_str(), "1" | "0") {
            let read = if text == "1" { "false" } else { "the same" };
            let message = format!("<{name}> is `{text}`: DiskSPD reads {read}");
            let complaint = Diagnostic::warning(codes::LENIENT, message).at(self.span(node), "");
            if text == "1" {
                self.complaints.add(complaint.help("write true"));
            }
        }
    }
}

/// Whether a text is of a kind; why it is not.
fn fits(text: &str, kind: ElementContent) -> Result<(), String> {
    let number = |most: u64| {
        let plain = text.strip_prefix('+').unwrap_or(text);
        let digits = !plain.is_empty() && plain.bytes().all(|b| b.is_ascii_digit());
        plain.parse::<u64>().ok().filter(|n| digits && *n <= most)
    };
    match kind {
        ElementContent::Bool => match text {
            "true" | "false" | "1" | "0" => Ok(()),
            _ => Err("it is true or false".to_string()),
        },
        ElementContent::Number(least, most) => match number(u64::from(most)) {
            Some(n) if n >= u64::from(least) => Ok(()),
            _ => Err(format!("it is a number from {least} to {most}")),
        },
        ElementContent::Large => number(u64::MAX)
            .map(|_| ())
            .ok_or("it is a number of 64 bits".to_string()),
        ElementContent::OneOf(words) if !words.contains(&text) => {
            Err(format!("it is {}", words.join(", ")))
        }
        _ => Ok(()),
    }
}
