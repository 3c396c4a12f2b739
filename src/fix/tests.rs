use super::*;
use crate::rules::{Confidence, Key, Label, Severity};
use crate::source::edit::Editor;
use crate::source::{Route, Span};

fn finding(file: &Arc<SourceFile>, fixes: Vec<Fix>) -> Finding {
    Finding {
        code: "FP201",
        name: "fp8-backend",
        severity: Severity::Error,
        confidence: Confidence::Certain,
        message: String::new(),
        primary: Label::at(file, Span::at(0), ""),
        related: Vec::new(),
        notes: Vec::new(),
        help: None,
        outcome: None,
        key: Key::default(),
        occurrence: 0,
        fixes,
    }
}

fn fix(safety: Safety, edits: Option<Vec<Edit>>) -> Fix {
    Fix {
        title: "write it so".to_owned(),
        safety,
        edits: edits.unwrap(),
    }
}

fn route(path: &str) -> Route {
    Route::keys(path.split('.'))
}

#[test]
fn what_touches_waits_and_what_is_not_allowed_stays() {
    let file = Arc::new(SourceFile::from_text("a.yaml", "a: 1\nb: 2\nc: 3\n"));
    let set = |key: &str, value: i64| Editor::of(&file).set(&route(key), value).finish();
    let findings = [
        finding(&file, vec![fix(Safety::Safe, set("a", 5))]),
        finding(&file, vec![fix(Safety::Safe, set("a", 6))]),
        finding(&file, vec![fix(Safety::Unsafe, set("b", 7))]),
        finding(&file, vec![fix(Safety::DisplayOnly, set("c", 8))]),
    ];
    let text_of = |_: &str| Ok(file.text().to_owned());
    let safe = round(&findings, false, text_of);
    assert_eq!(safe.texts["a.yaml"], "a: 5\nb: 2\nc: 3\n");
    assert_eq!((safe.fixed.len(), safe.not_fixed.len()), (1, 0));
    let all = round(&findings, true, text_of);
    assert_eq!(all.texts["a.yaml"], "a: 5\nb: 7\nc: 3\n");
    assert_eq!(all.fixed.len(), 2);
}

#[test]
fn a_fix_is_made_in_all_its_files_or_in_none() {
    let file = |path: &str| Arc::new(SourceFile::from_text(path, "a: 1\n"));
    let (first, second) = (file("1.yaml"), file("2.yaml"));
    let edits =
        [&first, &second].map(|file| Editor::of(file).set(&route("a"), 2).finish().unwrap());
    let both = fix(Safety::Safe, Some(edits.concat()));
    let findings = [finding(&first, vec![both])];
    let made = round(&findings, false, |_| Ok("a: 1\n".to_owned()));
    assert_eq!(made.texts.len(), 2);
    assert_eq!(made.fixed[0].edited, ["1.yaml", "2.yaml"]);
    let refused = round(&findings, false, |path| match path {
        "2.yaml" => Err("is read-only".to_owned()),
        _ => Ok("a: 1\n".to_owned()),
    });
    assert!(refused.texts.is_empty() && refused.fixed.is_empty());
    assert_eq!(refused.not_fixed[0].reason, "2.yaml is read-only");
    let changed = round(&findings, false, |_| Ok("b: 1\n".to_owned()));
    assert_eq!(
        changed.not_fixed[0].reason,
        "1.yaml has changed since it was read"
    );
}

#[test]
fn a_file_that_would_not_read_as_meant_stays() {
    let file = Arc::new(SourceFile::from_text("a.yaml", "a: 1\nb: 2\n"));
    let mut edits = Editor::of(&file).set(&route("a"), 3).finish().unwrap();
    edits[0].text.content = "3\nb: 4".to_owned();
    let wrong = finding(&file, vec![fix(Safety::Safe, Some(edits))]);
    let right = finding(
        &file,
        vec![fix(
            Safety::Safe,
            Editor::of(&file).set(&route("b"), 5).finish(),
        )],
    );
    let text_of = |_: &str| Ok(file.text().to_owned());
    let made = round(&[wrong.clone(), right.clone()], false, text_of);
    assert_eq!(made.texts["a.yaml"], "a: 1\nb: 5\n");
    assert_eq!(
        made.not_fixed[0].reason,
        "a.yaml would not read as intended afterwards"
    );
    // Behind another one it waits until it is alone.
    let made = round(&[right, wrong], false, text_of);
    assert_eq!((made.fixed.len(), made.not_fixed.len()), (1, 0));
}

#[test]
fn a_here_document_is_edited_in_its_script() {
    let script = "cat > a.yaml <<EOF\na: 1\nEOF\nrun --b ao\n";
    let blanked = "                  \na: 1\n   \n          \n";
    let inner = Arc::new(SourceFile::part("x.sh", blanked));
    let outer = Arc::new(SourceFile::from_text("x.sh", script));
    let start = script.find("ao").unwrap();
    let word = Edit::word(&outer, Span::new(start, start + 2), "AO").map(|edit| vec![edit]);
    let findings = [
        finding(
            &inner,
            vec![fix(
                Safety::Safe,
                Editor::of(&inner).set(&route("a"), 2).finish(),
            )],
        ),
        finding(&outer, vec![fix(Safety::Safe, word)]),
    ];
    let made = round(&findings, false, |_| Ok(script.to_owned()));
    assert_eq!(
        made.texts["x.sh"],
        "cat > a.yaml <<EOF\na: 2\nEOF\nrun --b AO\n"
    );
}

#[cfg(unix)]
#[test]
fn files_keep_their_mode_and_links_stay_links() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("a"), folder.path().join("l"));
    fs::write(&path, "1").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    symlink(&path, &link).unwrap();
    write(&link, b"1", b"2").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"2");
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert!(matches!(write(&path, b"1", b"3"), Err(Refusal::Changed)));
    fs::set_permissions(&path, Permissions::from_mode(0o440)).unwrap();
    assert!(matches!(write(&path, b"2", b"3"), Err(Refusal::ReadOnly)));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}
