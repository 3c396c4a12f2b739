//! Pieces of text with the places that they come from.

use std::rc::Rc;

use crate::source::Span;

use super::super::{Folder, Spot, Term};
use super::folder;

/// What a piece is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Known text.
    Text(Rc<str>),
    /// The absolute path of a folder, which is known only as seen from another; with the path of the folder of the file.
    Folder(Folder, Rc<str>),
    /// It is not known, and why; whether it may stand for any number of words.
    Unknown(Rc<str>, bool),
}

/// A piece of a value.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) content: Content,
    /// Where it stands. A text of the same length stands there as it is.
    pub(super) spot: Option<Spot>,
    /// Where it stands in the assignment that the value was last given by: the place of `$A` in `B="--x $A"`.
    pub(super) via: Option<Spot>,
}

impl Piece {
    pub(super) fn text(text: &str, spot: Option<Spot>) -> Self {
        Self::new(Content::Text(text.into()), spot)
    }

    pub(super) fn unknown(why: &str) -> Self {
        Self::new(Content::Unknown(why.into(), false), None)
    }

    pub(super) fn folder(folder: Folder, own: &Rc<str>) -> Self {
        Self::new(Content::Folder(folder, Rc::clone(own)), None)
    }

    fn new(content: Content, spot: Option<Spot>) -> Self {
        Self {
            content,
            spot,
            via: None,
        }
    }

    /// The same, but one word or not, if it is unknown.
    pub(super) fn with_many(mut self, is_many: bool) -> Self {
        if let Content::Unknown(_, many) = &mut self.content {
            *many = is_many;
        }
        self
    }

    /// These bytes of its text.
    fn part(&self, text: &str, start: usize) -> Self {
        let spot = self.spot.as_ref().map(|spot| {
            let is_verbatim = matches!(&self.content, Content::Text(all)
                if spot.span.end - spot.span.start == all.len());
            let mut spot = spot.clone();
            if is_verbatim {
                let start = spot.span.start + start;
                spot.span = Span::new(start, start + text.len());
            }
            spot
        });
        Self {
            content: Content::Text(text.into()),
            spot,
            via: self.via.clone(),
        }
    }

    /// Its text from this byte on; `None` where nothing is left.
    pub(super) fn after(&self, start: usize) -> Option<Self> {
        match &self.content {
            Content::Text(text) => {
                let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
                Some(self.part(rest, start))
            }
            Content::Folder(..) | Content::Unknown(..) => None,
        }
    }

    /// Whether it begins, or ends, with a blank.
    pub(super) fn is_blank_at(&self, is_start: bool) -> bool {
        let Content::Text(text) = &self.content else {
            return false;
        };
        let blanks = [' ', '\t', '\n'];
        if is_start {
            text.starts_with(blanks)
        } else {
            text.ends_with(blanks)
        }
    }

    /// How long it is, in bytes.
    pub(super) fn len(&self) -> usize {
        match &self.content {
            Content::Text(text) => text.len(),
            Content::Folder(..) | Content::Unknown(..) => 1,
        }
    }
}

/// A field: a word that comes out of expansion.
#[derive(Clone, Debug, Default)]
pub(super) struct Field {
    pub(super) pieces: Vec<Piece>,
    /// Whether text of the word itself is in it, not only values.
    pub(super) is_written: bool,
}

/// Fields, as the parts of a word add to them.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) done: Vec<Field>,
    open: Option<Field>,
}

impl Fields {
    /// Adds pieces as they are.
    pub(super) fn add(&mut self, pieces: impl IntoIterator<Item = Piece>, is_written: bool) {
        let field = self.open.get_or_insert_default();
        field.pieces.extend(pieces);
        field.is_written |= is_written;
    }

    /// Ends the field that is being added to.
    pub(super) fn end(&mut self) {
        self.done.extend(self.open.take());
    }

    /// Adds pieces that are split at blanks.
    pub(super) fn split(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            let Content::Text(text) = &piece.content else {
                let is_many = matches!(piece.content, Content::Unknown(..));
                self.add([piece.clone().with_many(is_many)], false);
                continue;
            };
            let mut start = 0;
            for token in text.split_inclusive([' ', '\t', '\n']) {
                let word = token.trim_end_matches([' ', '\t', '\n']);
                if !word.is_empty() {
                    self.add([piece.part(word, start)], false);
                }
                if word.len() < token.len() {
                    self.end();
                }
                start += token.len();
            }
        }
    }
}

/// The text of pieces, seen from a folder; or why it is not known.
pub(super) fn text_of(pieces: &[Piece], seen_from: &Folder) -> Result<String, String> {
    let mut text = String::new();
    for piece in pieces {
        match &piece.content {
            Content::Text(known) => text.push_str(known),
            Content::Unknown(why, _) => return Err(why.to_string()),
            Content::Folder(to, own) => match folder::relative(seen_from, to, own) {
                Some(way) => text.push_str(&way),
                None => return Err(folder_is_unknown(to)),
            },
        }
    }
    Ok(text)
}

fn folder_is_unknown(folder: &Folder) -> String {
    match folder {
        Folder::Own(_) => "it is a path from the folder of this file, which is not where it runs",
        _ => "it is a path from the folder of the start, which is not where it runs",
    }
    .to_owned()
}

/// A field as a word of a command.
pub(super) fn term(field: &Field, seen_from: &Folder, word: &Spot) -> Term {
    let text = text_of(&field.pieces, seen_from);
    let is_open = text.is_err()
        && field.pieces.iter().all(|piece| match &piece.content {
            Content::Unknown(_, is_many) => *is_many,
            Content::Text(text) => text.is_empty(),
            Content::Folder(..) => false,
        });
    let spot = (!field.is_written)
        .then(|| place_of(&field.pieces))
        .flatten()
        .unwrap_or_else(|| word.clone());
    Term {
        text,
        is_open,
        spot,
    }
}

/// The place where pieces stand together, if there is one.
fn place_of(pieces: &[Piece]) -> Option<Spot> {
    together(pieces.iter().map(|piece| piece.spot.as_ref()))
        .or_else(|| together(pieces.iter().map(|piece| piece.via.as_ref())))
}

/// The place that these make up: nothing but quotes, escapes and line ends is between them.
pub(super) fn together<'a>(spots: impl Iterator<Item = Option<&'a Spot>>) -> Option<Spot> {
    let mut whole: Option<Spot> = None;
    for spot in spots {
        let spot = spot?;
        let Some(before) = &mut whole else {
            whole = Some(spot.clone());
            continue;
        };
        let is_same_file = std::sync::Arc::ptr_eq(&before.file, &spot.file);
        if !is_same_file || spot.span.start < before.span.start {
            return None;
        }
        // The same place again: several pieces of one `$A`.
        if spot.span.start >= before.span.end {
            let between = Span::new(before.span.end, spot.span.start);
            let is_near = before
                .file
                .slice(between)
                .chars()
                .all(|c| matches!(c, '\'' | '"' | '\\' | '$') || c.is_whitespace());
            if !is_near {
                return None;
            }
        }
        before.span.end = before.span.end.max(spot.span.end);
    }
    whole
}

/// `dirname`.
pub(super) fn parent(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let (first, rest) = pieces.split_first()?;
    let base = match &first.content {
        Content::Folder(base, own) => Some((base, own)),
        _ => None,
    };
    let named = if base.is_some() { rest } else { pieces };
    let text = text_of(named, &Folder::Unknown).ok()?;
    let trimmed = text.trim_end_matches('/');
    let kept = match (trimmed.rfind('/'), base) {
        (Some(at), _) => trimmed[..at].trim_end_matches('/'),
        (None, Some((base, own))) => {
            return Some(vec![Piece::folder(folder::joined(base, ".."), own)]);
        }
        (None, None) => ".",
    };
    let mut parent: Vec<Piece> = base.map(|_| first.clone()).into_iter().collect();
    if !kept.is_empty() || base.is_none() {
        let kept = if kept.is_empty() { "/" } else { kept };
        parent.push(Piece::text(kept, None));
    }
    Some(parent)
}

/// A path and the folder from which it is seen; `None` where it is not known.
pub(super) fn path_of(pieces: &[Piece], current: &Folder) -> Option<(String, Folder)> {
    match pieces.split_first() {
        Some((
            Piece {
                content: Content::Folder(base, _),
                ..
            },
            rest,
        )) => {
            let text = text_of(rest, current).ok()?;
            let path = text.strip_prefix('/').unwrap_or(&text).to_owned();
            Some((path, base.clone()))
        }
        _ => Some((text_of(pieces, current).ok()?, current.clone())),
    }
}
