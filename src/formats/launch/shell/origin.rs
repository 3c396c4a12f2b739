//! The text that is run, with the place of each of its bytes in a file.

use std::rc::Rc;
use std::sync::Arc;

use crate::source::shell::HereDoc;
use crate::source::{SourceFile, Span};

use super::super::fragments::MappedText;
use super::super::{Folder, Spot};
use super::folder;
use super::piece::{Content, Piece, together};

/// The name of the variable that stands in a text of `eval` for what is not known in it.
const UNKNOWN: &str = "__fp8lint_";

/// A text that is run.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) text: String,
    pub(super) heredocs: Vec<HereDoc>,
    places: Places,
    /// Whether it is the file, so that `$0` is the file's path.
    pub(super) is_own: bool,
    /// Why the parts of it that are not known are not.
    unknowns: Vec<Rc<str>>,
}

#[derive(Debug)]
enum Places {
    /// All in one file, in its order.
    Mapped(Arc<SourceFile>, MappedText),
    /// Put together from several places.
    Joined {
        origins: Vec<Origin>,
        /// The word that is run, for what stands at no one place.
        word: Spot,
    },
}

/// From this byte of the text on, it is what stands there.
#[derive(Debug)]
struct Origin {
    at: usize,
    length: usize,
    spot: Spot,
}

impl Source {
    pub(super) fn mapped(file: &Arc<SourceFile>, text: &MappedText) -> Self {
        let is_own = text.pieces == [(0, 0)] && text.text == file.text();
        Self {
            text: text.text.clone(),
            heredocs: Vec::new(),
            places: Places::Mapped(Arc::clone(file), text.clone()),
            is_own,
            unknowns: Vec::new(),
        }
    }

    /// A text made of values: the argument of `eval`, of `bash -c`.
    pub(super) fn joined(pieces: &[Piece], seen_from: &Folder, word: &Spot) -> Self {
        let mut text = String::new();
        let mut origins = Vec::new();
        let mut unknowns: Vec<Rc<str>> = Vec::new();
        for piece in pieces {
            let at = text.len();
            match &piece.content {
                Content::Text(known) => text.push_str(known),
                Content::Folder(to, own) => match folder::relative(seen_from, to, own) {
                    Some(way) => text.push_str(&way),
                    None => unknowns.push("the folder is not known".into()),
                },
                Content::Unknown(why, _) => unknowns.push(Rc::clone(why)),
            }
            if text.len() == at && piece.len() > 0 {
                text.push_str(&format!("${{{UNKNOWN}{}}}", unknowns.len() - 1));
            }
            origins.push(Origin {
                at,
                length: text.len() - at,
                spot: piece.spot.clone().unwrap_or_else(|| word.clone()),
            });
        }
        Self {
            text,
            heredocs: Vec::new(),
            places: Places::Joined {
                origins,
                word: word.clone(),
            },
            is_own: false,
            unknowns,
        }
    }

    /// Why the part of the text is not known that this variable stands for.
    pub(super) fn unknown(&self, name: &str) -> Option<&Rc<str>> {
        let number = name.strip_prefix(UNKNOWN)?.parse::<usize>().ok()?;
        self.unknowns.get(number)
    }

    /// Where these bytes stand.
    pub(super) fn spot(&self, span: Span) -> Spot {
        match &self.places {
            Places::Mapped(file, text) => bounded(file, text.in_file(span)),
            Places::Joined { origins, word } => {
                let found = within(origins, span);
                let spots: Vec<Spot> = found.map(|origin| origin.part(span)).collect();
                together(spots.iter().map(Some)).unwrap_or_else(|| word.clone())
            }
        }
    }

    /// The pieces of a text that these bytes give.
    pub(super) fn pieces(&self, text: &str, span: Span) -> Vec<Piece> {
        if text.contains(UNKNOWN) && !self.unknowns.is_empty() {
            return vec![Piece::unknown(&self.unknowns[0])];
        }
        if text.len() != span.end - span.start || text.is_empty() {
            return vec![Piece::text(text, Some(self.spot(span)))];
        }
        let mut starts: Vec<usize> = vec![span.start];
        let inner = |at: &usize| *at > span.start && *at < span.end;
        match &self.places {
            Places::Mapped(_, mapped) => {
                let pieces = &mapped.pieces;
                let first = pieces.partition_point(|(at, _)| *at <= span.start);
                let rest = pieces[first..].iter().map(|(at, _)| *at);
                starts.extend(rest.take_while(|at| inner(at)));
            }
            Places::Joined { origins, .. } => {
                starts.extend(within(origins, span).map(|origin| origin.at).filter(inner));
            }
        }
        starts.push(span.end);
        starts
            .windows(2)
            .filter_map(|pair| {
                let part = text.get(pair[0] - span.start..pair[1] - span.start)?;
                Some(Piece::text(
                    part,
                    Some(self.spot(Span::new(pair[0], pair[1]))),
                ))
            })
            .collect()
    }

    /// These parts of the text, one after the other, with their places in `file`; `None` where they are not there.
    pub(super) fn mapped_parts(
        &self,
        parts: &[Span],
        file: &Arc<SourceFile>,
    ) -> Option<MappedText> {
        let mut pieces = Vec::new();
        for part in parts {
            pieces.extend(self.pieces(self.text.get(part.start..part.end)?, *part));
        }
        mapped_text(&pieces, file)
    }
}

/// Pieces as one text with their places in `file`; `None` where they are not there or not known.
pub(super) fn mapped_text(pieces: &[Piece], file: &Arc<SourceFile>) -> Option<MappedText> {
    let mut mapped = MappedText {
        text: String::new(),
        pieces: Vec::new(),
    };
    for piece in pieces {
        let (Content::Text(text), Some(spot)) = (&piece.content, &piece.spot) else {
            return None;
        };
        if text.is_empty() {
            continue;
        }
        let is_there = Arc::ptr_eq(&spot.file, file) && spot.file.slice(spot.span) == &**text;
        if !is_there {
            return None;
        }
        mapped.pieces.push((mapped.text.len(), spot.span.start));
        mapped.text.push_str(text);
    }
    if mapped.pieces.is_empty() {
        mapped.pieces.push((0, 0));
    }
    Some(mapped)
}

impl Origin {
    /// The place of those bytes of the span that are its own.
    fn part(&self, span: Span) -> Spot {
        let mut spot = self.spot.clone();
        if spot.span.end - spot.span.start == self.length {
            let start = span.start.max(self.at) - self.at;
            let end = span.end.min(self.at + self.length).max(self.at + start) - self.at;
            spot.span = Span::new(spot.span.start + start, spot.span.start + end);
        }
        spot
    }
}

/// The origins that a span touches.
fn within(origins: &[Origin], span: Span) -> impl Iterator<Item = &Origin> {
    let first = origins.partition_point(|origin| origin.at + origin.length <= span.start);
    origins[first..]
        .iter()
        .take_while(move |origin| origin.at < span.end.max(span.start + 1))
}

/// The span, kept within the file and on its character boundaries.
fn bounded(file: &Arc<SourceFile>, span: Span) -> Spot {
    let floor = |offset: usize| file.text().floor_char_boundary(offset);
    let start = floor(span.start);
    Spot {
        file: Arc::clone(file),
        span: Span::new(start, floor(span.end).max(start)),
    }
}
