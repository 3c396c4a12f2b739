//! Fixes of ignore comments.

use std::sync::Arc;

use crate::resolve::target::closest;
use crate::rules::{Fix, Safety};
use crate::source::{Change, Edit, SourceFile, Span, TextEdit};

use super::super::comments::Comment;
use super::super::directive::Named;

fn fix(title: String, safety: Safety, file: &Arc<SourceFile>, span: Span, content: String) -> Fix {
    Fix {
        title,
        safety,
        edits: vec![Edit {
            file: Arc::clone(file),
            change: Change::Comment {
                span,
                text: content.clone(),
            },
            text: TextEdit { span, content },
        }],
    }
}

/// The same fix, where it is known to take nothing away.
pub(super) fn safely(fix: Fix) -> Fix {
    Fix {
        safety: Safety::Safe,
        ..fix
    }
}

/// Takes a directive away: its whole line, where nothing else stands there. What somebody meant by it is lost.
pub(super) fn removal(file: &Arc<SourceFile>, comment: &Comment, directive: Span) -> Option<Fix> {
    let text = file.text();
    let before = text.get(..directive.start)?;
    let start = before.trim_end_matches([' ', '\t']).len();
    let is_all = directive.start == comment.span.start
        && text.get(directive.end..comment.span.end)?.trim().is_empty();
    let span = if comment.is_alone && is_all {
        let behind = text.get(comment.span.end..)?;
        let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        let ending = behind.get(blanks..)?;
        let ending = ["\r\n", "\n", "\r"]
            .iter()
            .find(|end| ending.starts_with(**end));
        let end = comment.span.end + blanks + ending.map_or(0, |end| end.len());
        Span::new(start, end)
    } else if directive.start == comment.span.start && !is_all {
        // Another directive follows: the blanks before the comment stay.
        let behind = text.get(directive.end..)?;
        let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        Span::new(directive.start, directive.end + blanks)
    } else {
        Span::new(start, directive.end)
    };
    Some(fix(
        "remove the comment".to_owned(),
        Safety::Unsafe,
        file,
        span,
        String::new(),
    ))
}

/// Leaves these rules in the bracket.
pub(super) fn only(file: &Arc<SourceFile>, bracket: Span, kept: &[&Named]) -> Fix {
    let kept: Vec<_> = kept.iter().map(|named| named.text.as_str()).collect();
    let content = kept.join(", ");
    let title = format!("write `[{content}]`");
    fix(title, Safety::Unsafe, file, bracket, content)
}

/// Takes one rule out of the bracket, with the comma that parts it from another.
pub(super) fn without_rule(file: &Arc<SourceFile>, bracket: Span, named: &Named) -> Option<Fix> {
    let text = file.text();
    let before = text.get(bracket.start..named.span.start)?.trim_end();
    let behind = text.get(named.span.end..bracket.end)?;
    let rest = behind.trim_start();
    let span = match rest.strip_prefix(',') {
        Some(rest) => {
            let kept = rest.trim_start().len();
            Span::new(named.span.start, bracket.end - kept)
        }
        None => {
            let kept = before.strip_suffix(',').unwrap_or(before).trim_end().len();
            Span::new(bracket.start + kept, named.span.end)
        }
    };
    let title = format!("take `{}` out", named.text);
    Some(fix(title, Safety::Unsafe, file, span, String::new()))
}

/// Spells a rule right.
pub(super) fn rule(file: &Arc<SourceFile>, named: &Named, meant: &str) -> Fix {
    let title = format!("write `{meant}`");
    fix(title, Safety::Safe, file, named.span, meant.to_owned())
}

/// Spells the first word right, if it is close to one that there is.
pub(super) fn word(file: &Arc<SourceFile>, span: Span, word: &str) -> Option<Fix> {
    let meant = closest(word, ["ignore", "ignore-file"])?;
    let title = format!("write `{meant}`");
    Some(fix(title, Safety::Safe, file, span, meant.to_owned()))
}
