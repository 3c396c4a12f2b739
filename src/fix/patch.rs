//! Patches that `git apply` takes.

use similar::{Algorithm, TextDiff};

/// The patch of one file. `path` is the path from the root of the repository.
pub fn patch(path: &str, before: &str, after: &str) -> String {
    // Lines as git counts them: a carriage return alone ends none.
    let lines = |text| -> Vec<&str> { str::split_inclusive(text, '\n').collect() };
    let (before, after) = (lines(before), lines(after));
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .newline_terminated(true)
        .diff_slices(&before, &after);
    let old = quoted(&format!("a/{path}"));
    let new = quoted(&format!("b/{path}"));
    let mut patch = format!("diff --git {old} {new}\n");
    // A blank in a name is told from a time stamp behind it by a tab.
    let end = if path.contains(' ') && !old.starts_with('"') {
        "\t"
    } else {
        ""
    };
    patch += &format!("--- {old}{end}\n+++ {new}{end}\n");
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        patch += &hunk.header().to_string();
        patch.push('\n');
        for change in hunk.iter_changes() {
            let sign = match change.tag() {
                similar::ChangeTag::Equal => ' ',
                similar::ChangeTag::Delete => '-',
                similar::ChangeTag::Insert => '+',
            };
            patch.push(sign);
            patch += change.value();
            if !change.value().ends_with('\n') {
                patch += "\n\\ No newline at end of file\n";
            }
        }
    }
    patch
}

/// A name as git quotes it.
fn quoted(name: &str) -> String {
    if !name
        .chars()
        .any(|character| character.is_control() || matches!(character, '"' | '\\'))
    {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for byte in name.bytes() {
        match byte {
            b'"' => quoted += "\\\"",
            b'\\' => quoted += "\\\\",
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => quoted += &format!("\\{byte:03o}"),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_as_git_writes_it() {
        let patch = patch("a b.yaml", "a: 1\r\nb: 2", "a: 1\r\nb: 3\r\n");
        assert_eq!(
            patch,
            "diff --git a/a b.yaml b/a b.yaml\n--- a/a b.yaml\t\n+++ b/a b.yaml\t\n@@ -1,2 +1,2 @@\n a: 1\r\n\
             -b: 2\n\\ No newline at end of file\n+b: 3\r\n"
        );
        assert_eq!(quoted("a/é\n\"x"), "\"a/\\303\\251\\012\\\"x\"");
        assert_eq!(quoted("a/é"), "a/é");
    }
}
