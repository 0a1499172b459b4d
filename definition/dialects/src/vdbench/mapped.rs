//! Text that remembers where each part of it was written, through substitutions and joined lines.

use plimsoll_diagnostic::{FileId, Span};
use std::ops::Range;

/// A text assembled from pieces of sources.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mapped {
    text: String,
    pieces: Vec<Piece>,
}

/// One piece: where it begins in the text, and where it comes from.
#[derive(Debug, Clone, Copy)]
struct Piece {
    at: usize,
    place: Span,
    /// Each byte of the text is a byte of the source; otherwise the piece stands for its place as a whole.
    literal: bool,
}

impl Mapped {
    /// A piece of a source as it is.
    pub fn literal(text: &str, file: FileId, start: usize) -> Self {
        let mut mapped = Mapped::default();
        let start = start as u32;
        let end = start + text.len() as u32;
        mapped.push(text, Span { file, start, end }, true);
        mapped
    }

    fn push(&mut self, text: &str, place: Span, literal: bool) {
        if text.is_empty() {
            return;
        }
        self.pieces.push(Piece {
            at: self.text.len(),
            place,
            literal,
        });
        self.text.push_str(text);
    }

    /// Adds text that replaces what was written at `place`.
    pub fn push_replacement(&mut self, text: &str, place: Span) {
        self.push(text, place, false);
    }

    /// Adds a part of another text, with its places.
    pub fn push_part(&mut self, other: &Mapped, range: Range<usize>) {
        let first = other.piece_at(range.start);
        for (index, piece) in other.pieces.iter().enumerate().skip(first) {
            if piece.at >= range.end {
                break;
            }
            let end = other
                .pieces
                .get(index + 1)
                .map_or(other.text.len(), |p| p.at);
            let from = piece.at.max(range.start);
            let to = end.min(range.end);
            let mut place = piece.place;
            if piece.literal {
                place.start += (from - piece.at) as u32;
                place.end = place.start + (to - from) as u32;
            }
            self.push(&other.text[from..to], place, piece.literal);
        }
    }

    fn piece_at(&self, at: usize) -> usize {
        self.pieces
            .partition_point(|p| p.at <= at)
            .saturating_sub(1)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a range of the text was written. A range over several files is given as its first file's part.
    pub fn span(&self, range: Range<usize>) -> Span {
        let Some(first) = self.pieces.get(self.piece_at(range.start)) else {
            return Span {
                file: FileId(0),
                start: 0,
                end: 0,
            };
        };
        let start = match first.literal {
            true => first.place.start + (range.start.saturating_sub(first.at)) as u32,
            false => first.place.start,
        };
        let last = &self.pieces[self.piece_at(range.end.saturating_sub(1).max(range.start))];
        let end = match last.literal {
            true => last.place.start + (range.end.saturating_sub(last.at)) as u32,
            false => last.place.end,
        };
        match last.place.file == first.place.file && end >= start {
            true => Span {
                file: first.place.file,
                start,
                end,
            },
            false => Span {
                file: first.place.file,
                start,
                end: first.place.end.max(start),
            },
        }
    }

    /// Replaces each `pattern` by `replacement`, and says how often.
    pub fn replace(&mut self, pattern: &str, replacement: &str) -> usize {
        let found: Vec<usize> = self.text.match_indices(pattern).map(|(at, _)| at).collect();
        if found.is_empty() {
            return 0;
        }
        let mut out = Mapped::default();
        let mut from = 0;
        for at in &found {
            out.push_part(self, from..*at);
            out.push_replacement(replacement, self.span(*at..at + pattern.len()));
            from = at + pattern.len();
        }
        out.push_part(self, from..self.text.len());
        *self = out;
        found.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_word_points_to_where_it_stood() {
        let mut line = Mapped::literal("range=($a,$b)", FileId(0), 100);
        assert_eq!(line.replace("$a", "10"), 1);
        assert_eq!(line.replace("$b", "2000"), 1);
        assert_eq!(line.text(), "range=(10,2000)");
        let span = line.span(10..14);
        assert_eq!((span.start, span.end), (110, 112));
        let span = line.span(14..15);
        assert_eq!((span.start, span.end), (112, 113));
        let span = line.span(0..5);
        assert_eq!((span.start, span.end), (100, 105));
    }
}
