//! Files that a command writes from a heredoc.

use std::sync::Arc;

use crate::source::{SourceFile, Span};

use super::super::fragments::MappedText;
use super::super::shell::Redirection;
use super::super::words::{base_name, is_flag};
use super::super::{Folder, Term, Written};

/// The file that these words write: `cat > FILE <<EOF`, `tee FILE <<EOF`. One that is appended to is none: what stands
/// before is not known.
pub(super) fn of(
    words: &[Term],
    redirections: &[Redirection],
    folder: &Folder,
    file: &Arc<SourceFile>,
) -> Option<Written> {
    let body = redirections
        .iter()
        .rev()
        .find_map(|redirection| match redirection {
            Redirection::Body { text, .. } => Some(text),
            _ => None,
        })?;
    let path = match base_name(words.first()?)? {
        "cat" if words.iter().skip(1).all(|word| word.known() == Some("-")) => {
            match redirections
                .iter()
                .rev()
                .find(|one| !matches!(one, Redirection::Body { .. }))?
            {
                Redirection::Output(path) => path,
                _ => return None,
            }
        }
        "tee" if !words.iter().any(is_flag) => words.get(1)?,
        _ => return None,
    };
    let (text, body) = blanked(file, body)?;
    Some(Written {
        path: path.clone(),
        folder: folder.clone(),
        file: Arc::new(SourceFile::part(file.path.clone(), text)),
        body,
    })
}

/// The text of the file with blanks for all that is not of the body, and where the body stands; `None` where its lines
/// are not indented alike in the file, so that the text would not read as the body does.
fn blanked(file: &SourceFile, body: &MappedText) -> Option<(String, Span)> {
    let source = file.text().as_bytes();
    let mut bytes: Vec<u8> = source
        .iter()
        .map(|byte| {
            if matches!(byte, b'\n' | b'\r') {
                *byte
            } else {
                b' '
            }
        })
        .collect();
    let ends = body.pieces.iter().skip(1).map(|(text, _)| *text);
    let ends = ends.chain([body.text.len()]);
    for ((start, offset), end) in body.pieces.iter().zip(ends) {
        let piece = body.text.as_bytes().get(*start..end)?;
        let place = *offset..offset.checked_add(piece.len())?;
        if source.get(place.clone())? != piece {
            return None;
        }
        bytes.get_mut(place)?.copy_from_slice(piece);
    }
    let span = body.in_file(Span::new(0, body.text.len()));
    let text = String::from_utf8(bytes).ok()?;
    is_indented_alike(file, body).then_some((text, span))
}

/// Whether every line of the body begins in the same column of the file.
fn is_indented_alike(file: &SourceFile, body: &MappedText) -> bool {
    let mut columns = Vec::new();
    let mut start = 0;
    for line in body.text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            let at = body.in_file(Span::new(start, start + 1)).start;
            columns.push(file.line_column(at).column);
        }
        start += line.len();
    }
    columns.windows(2).all(|pair| pair.first() == pair.last())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{open, terms};
    use super::*;

    /// What `words` writes where the script is this, with the body's pieces at these places.
    fn write(words: &str, redirections: Vec<Redirection>, script: &str) -> Option<Written> {
        let file = Arc::new(SourceFile::from_text("run.sh", script));
        of(
            &terms(words),
            &redirections,
            &Folder::Start(String::new()),
            &file,
        )
    }

    fn body(script: &str, lines: &[&str]) -> Redirection {
        let mut text = MappedText {
            text: String::new(),
            pieces: Vec::new(),
        };
        for line in lines {
            text.pieces
                .push((text.text.len(), script.find(line).unwrap()));
            text.text.push_str(line);
        }
        Redirection::Body {
            text,
            is_expanded: false,
        }
    }

    #[test]
    fn the_body_stands_where_it_stood() {
        let script = "# é\ncat > a.yaml <<EOF\nmixed_precision: fp8\nEOF\n";
        let redirections = vec![
            Redirection::Output(open("a.yaml")),
            body(script, &["mixed_precision: fp8\n"]),
        ];
        let written = write("cat", redirections, script).unwrap();
        assert_eq!(written.file.path, "run.sh");
        let blanks = |count| " ".repeat(count);
        let expected = format!(
            "{}\n{}\nmixed_precision: fp8\n{}\n",
            blanks("# é".len()),
            blanks("cat > a.yaml <<EOF".len()),
            blanks(3)
        );
        assert_eq!(written.file.text(), expected);
        assert_eq!(written.file.slice(written.body), "mixed_precision: fp8\n");
    }

    #[test]
    fn indentation_that_the_shell_takes_away_is_blank() {
        let script = "\ttee a.yaml <<-EOF\n\ta: 1\n\tb:\n\t  c: 2\n\tEOF\n";
        let lines = ["a: 1\n", "b:\n", "  c: 2\n"];
        let written = write("tee a.yaml", vec![body(script, &lines)], script).unwrap();
        let expected = format!(
            "{}\n a: 1\n b:\n   c: 2\n    \n",
            " ".repeat("\ttee a.yaml <<-EOF".len())
        );
        assert_eq!(written.file.text(), expected);
        assert_eq!(written.path.known(), Some("a.yaml"));

        let uneven = "cat <<-EOF\n\ta: 1\n\t\tb: 2\nEOF\n";
        let text = body(uneven, &["a: 1\n", "b: 2\n"]);
        let output = Redirection::Output(open("a.yaml"));
        assert!(write("cat", vec![text, output], uneven).is_none());
    }

    #[test]
    fn what_writes_nothing() {
        let script = "cat <<EOF\na: 1\nEOF\n";
        let text = || body(script, &["a: 1\n"]);
        let append = || Redirection::Append(open("a.yaml"));
        let output = || Redirection::Output(open("a.yaml"));
        for (words, redirections) in [
            ("cat", vec![text()]),
            ("cat", vec![output()]),
            ("cat", vec![append(), text()]),
            ("cat other.yaml", vec![output(), text()]),
            ("tee -a a.yaml", vec![text()]),
            ("python", vec![output(), text()]),
        ] {
            assert!(write(words, redirections, script).is_none(), "{words}");
        }
    }
}
