//! Several edits of one text, each made on what the one before it left, as edits of the text that was there first.

use super::{Change, Span, TextEdit};

/// The text with the edit made; `None` where the edit does not fit.
pub fn spliced(text: &str, edit: &TextEdit) -> Option<String> {
    let before = text.get(..edit.span.start)?;
    let after = text.get(edit.span.end..)?;
    Some([before, &edit.content, after].concat())
}

/// The text with edits that do not overlap, in the order of the text; `None` where one does not fit.
pub fn with_edits<'e>(text: &str, edits: impl Iterator<Item = &'e TextEdit>) -> Option<String> {
    let mut after = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        after += text.get(at..edit.span.start)?;
        after += &edit.content;
        at = edit.span.end;
    }
    after += text.get(at..)?;
    Some(after)
}

/// Edits that were made, and the text that they left.
pub(super) struct Composed {
    text: String,
    /// In the order of the text; no two touch.
    made: Vec<Made>,
}

/// What was done to one stretch of the text.
struct Made {
    changes: Vec<Change>,
    /// Its bytes in the text that was there first.
    first: Span,
    /// Its bytes in the text as it is now.
    now: Span,
}

impl Composed {
    pub(super) fn of(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            made: Vec::new(),
        }
    }

    /// The text as it is now.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Makes an edit of the text as it is now. One that does not fit is left out.
    pub(super) fn make(&mut self, change: Change, edit: &TextEdit) {
        let Some(text) = spliced(&self.text, edit) else {
            return;
        };
        let touches =
            |made: &Made| made.now.start <= edit.span.end && edit.span.start <= made.now.end;
        let from = self
            .made
            .partition_point(|made| made.now.end < edit.span.start);
        let to = from
            + self.made[from..]
                .iter()
                .take_while(|made| touches(made))
                .count();
        let touched: Vec<_> = self.made.drain(from..to).collect();
        let now = touched
            .iter()
            .fold(edit.span, |span, made| span.to(made.now));
        let shift = |offset: usize, by: usize, back: usize| (offset + by).saturating_sub(back);
        // What lies before is longer or shorter now than it was.
        let (first_before, now_before) = match from.checked_sub(1).and_then(|at| self.made.get(at))
        {
            Some(made) => (made.first.end, made.now.end),
            None => (0, 0),
        };
        let (first_within, now_within) = match touched.last() {
            Some(made) => (made.first.end, made.now.end),
            None => (first_before, now_before),
        };
        let first = Span::new(
            match touched.first() {
                Some(made) if made.now.start == now.start => made.first.start,
                _ => shift(now.start, first_before, now_before),
            },
            shift(now.end, first_within, now_within),
        );
        let grown =
            |offset: usize| shift(offset, edit.content.len(), edit.span.end - edit.span.start);
        let mut changes: Vec<_> = touched.into_iter().flat_map(|made| made.changes).collect();
        changes.push(change);
        let now = Span::new(now.start, grown(now.end));
        for made in &mut self.made[from..] {
            made.now = Span::new(grown(made.now.start), grown(made.now.end));
        }
        self.made.insert(
            from,
            Made {
                changes,
                first,
                now,
            },
        );
        self.text = text;
    }

    /// Each stretch as one edit of the text that was there first.
    pub(super) fn into_edits(self) -> impl Iterator<Item = (Change, TextEdit)> {
        let text = self.text;
        self.made.into_iter().map(move |mut made| {
            let content = text.get(made.now.start..made.now.end).unwrap_or_default();
            let edit = TextEdit {
                span: made.first,
                content: content.to_owned(),
            };
            let change = match made.changes.len() {
                1 => made.changes.remove(0),
                _ => Change::Several(made.changes),
            };
            (change, edit)
        })
    }
}
