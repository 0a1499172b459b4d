//! A complaint as people read it, as a Rust compiler error looks.

use crate::excerpt::{Excerpt, excerpts};
use crate::{Diagnostic, FileId, Label, Severity, Source, Sources, Span, printed};
use annotate_snippets::{
    Annotation, AnnotationKind, Element, Group, Level, Origin, Patch, Renderer, Snippet,
    normalize_untrusted_str,
};

/// Draws several, one below the other with a line between, without colours.
pub fn render_all(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let each: Vec<String> = diagnostics
        .iter()
        .map(|d| render(d, sources, false))
        .collect();
    each.join("\n\n")
}

/// Draws `diagnostic` with the lines that it is about; the text ends without a newline.
///
/// Labels whose file is not in `sources` are left out. Lines of any length, tabs, control characters and CRLF are shown
/// readably; what is drawn stays small whatever the text is.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level
        .primary_title(clip(&diagnostic.message))
        .id(diagnostic.code.as_str());
    let mut main = Group::with_title(title).elements(cause(diagnostic, sources));
    for note in diagnostic
        .notes
        .iter()
        .chain(&printed_letter(diagnostic, sources))
    {
        main = main.element(Level::NOTE.message(normalize_untrusted_str(&clip(note))));
    }
    let suggestion = suggestion(diagnostic, sources);
    if let (Some(help), None) = (&diagnostic.help, &suggestion) {
        main = main.element(Level::HELP.message(normalize_untrusted_str(&clip(help))));
    }
    let report: Vec<Group<'_>> = std::iter::once(main).chain(suggestion).collect();
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.render(&report)
}

/// The first letter of documents in what is complained of, which looks like another one.
fn printed_letter(diagnostic: &Diagnostic, sources: &Sources) -> Option<String> {
    let written = |label: &Label| sources.find(label.span.file)?.text.get(bytes(label.span));
    let mut written = diagnostic.labels.iter().filter_map(written);
    let said = std::iter::once(&diagnostic.message).chain(&diagnostic.notes);
    written
        .find_map(printed::remark)
        .or_else(|| said.filter_map(|text| printed::remark(text)).next())
}

/// A message can quote the text, and the text can be a megabyte of garbage.
fn clip(message: &str) -> String {
    const MESSAGE_MAX: usize = 1000;
    if message.chars().count() <= MESSAGE_MAX {
        return message.to_string();
    }
    message
        .chars()
        .take(MESSAGE_MAX)
        .chain([' ', '…'])
        .collect()
}

/// The labelled lines, the files in the order of their first labels.
fn cause<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Vec<Element<'a>> {
    let mut files: Vec<FileId> = Vec::new();
    for label in &diagnostic.labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    let mut elements = Vec::new();
    for file in files {
        let Some(source) = sources.find(file) else {
            continue;
        };
        let here: Vec<usize> = (0..diagnostic.labels.len())
            .filter(|i| diagnostic.labels[*i].span.file == file)
            .collect();
        let spans: Vec<_> = here
            .iter()
            .map(|i| bytes(diagnostic.labels[*i].span))
            .collect();
        for excerpt in excerpts(&source.text, &spans) {
            let annotations: Vec<Annotation<'a>> = excerpt
                .labels
                .iter()
                .map(|(i, range)| {
                    let index = here[*i];
                    let kind = if index == 0 {
                        AnnotationKind::Primary
                    } else {
                        AnnotationKind::Context
                    };
                    let text = &diagnostic.labels[index].text;
                    kind.span(range.clone())
                        .label((!text.is_empty()).then(|| clip(text)))
                })
                .collect();
            elements.extend(snippet(source, excerpt, annotations));
        }
    }
    elements
}

/// One excerpt. Where it was cut, its columns are not the text's, so the place is then printed apart from it.
fn snippet<'a>(
    source: &'a Source,
    excerpt: Excerpt,
    annotations: Vec<Annotation<'a>>,
) -> Vec<Element<'a>> {
    let shown = Snippet::source(excerpt.source).line_start(excerpt.line);
    if excerpt.cut {
        let origin = Origin::path(source.name.as_str())
            .line(excerpt.line)
            .char_column(excerpt.column);
        vec![shown.annotations(annotations).into(), origin.into()]
    } else {
        vec![
            shown
                .path(source.name.as_str())
                .annotations(annotations)
                .into(),
        ]
    }
}

/// The corrected line.
fn suggestion<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Option<Group<'a>> {
    let patch = diagnostic.patch.as_ref()?;
    let source = sources.find(patch.span.file)?;
    let excerpt = excerpts(&source.text, std::slice::from_ref(&bytes(patch.span))).pop()?;
    let (_, range) = excerpt.labels.first()?.clone();
    let title = diagnostic.help.as_deref().unwrap_or("write");
    let shown = Snippet::source(excerpt.source)
        .line_start(excerpt.line)
        .path(source.name.as_str())
        .patch(Patch::new(range, clip(&patch.replacement)));
    Some(
        Level::HELP
            .secondary_title(normalize_untrusted_str(&clip(title)))
            .element(shown),
    )
}

fn bytes(span: Span) -> std::ops::Range<usize> {
    span.start as usize..span.end as usize
}
