//! Redirections.

use super::cursor::{Pending, Reader};
use super::{HereDoc, Redirection, RedirectionKind};
use crate::source::Span;

/// The signs; longer ones first. Here-documents are apart.
const SIGNS: [(&str, RedirectionKind); 11] = [
    ("&>>", RedirectionKind::BothAppend),
    ("<<<", RedirectionKind::HereString),
    ("&>", RedirectionKind::BothOutput),
    ("<&", RedirectionKind::CopyInput),
    ("<>", RedirectionKind::ReadWrite),
    (">>", RedirectionKind::Append),
    (">&", RedirectionKind::CopyOutput),
    (">|", RedirectionKind::Output),
    ("<<", RedirectionKind::HereDoc(0)),
    ("<", RedirectionKind::Input),
    (">", RedirectionKind::Output),
];

impl Reader<'_> {
    /// The redirection that begins here, if one does.
    pub(super) fn redirection(&mut self) -> Option<Redirection> {
        let start = self.at;
        let descriptor = self.descriptor();
        let is_process = matches!(self.byte(0), Some(b'<' | b'>')) && self.byte(1) == Some(b'(');
        let found = SIGNS
            .iter()
            .find(|(sign, _)| !is_process && self.starts_with(sign));
        let Some((sign, kind)) = found else {
            self.at = start;
            return None;
        };
        self.at += sign.len();
        if matches!(kind, RedirectionKind::HereDoc(_)) {
            return Some(self.here_document_start(descriptor));
        }
        self.blanks();
        Some(Redirection {
            kind: *kind,
            descriptor,
            target: self.word_or_missing(),
        })
    }

    /// `2` of `2>`, `{name}` of `{name}>`.
    fn descriptor(&mut self) -> Option<u32> {
        let start = self.at;
        if self.take("{") {
            self.name();
            if !self.take("}") || !matches!(self.byte(0), Some(b'<' | b'>')) {
                self.at = start;
            }
            return None;
        }
        while self.byte(0).is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if !matches!(self.byte(0), Some(b'<' | b'>')) {
            self.at = start;
        }
        self.slice(Span::new(start, self.at)).parse().ok()
    }

    fn here_document_start(&mut self, descriptor: Option<u32>) -> Redirection {
        let strips_tabs = self.take("-");
        self.blanks();
        let target = self.word_or_missing();
        let written = self.slice(target.span);
        let signs = ['\'', '"', '\\'];
        let position = self.heredocs.len();
        self.heredocs.push(HereDoc {
            pieces: Vec::new(),
            is_quoted: written.contains(signs),
        });
        self.pending.push(Pending {
            position,
            end_mark: written.replace(signs, ""),
            strips_tabs,
        });
        Redirection {
            kind: RedirectionKind::HereDoc(if self.counts_heredocs {
                position
            } else {
                usize::MAX
            }),
            descriptor,
            target,
        }
    }

    /// The redirections that begin here.
    pub(super) fn redirections(&mut self, found: &mut Vec<Redirection>) {
        loop {
            self.blanks();
            match self.redirection() {
                Some(redirection) => found.push(redirection),
                None => return,
            }
        }
    }
}
