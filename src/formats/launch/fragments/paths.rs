//! Folders that files name.

use super::super::super::paths::cleaned;
use super::super::Folder;

/// The folder at a path below the one from which the file is started.
pub(super) fn start(path: &str) -> Folder {
    match below(path) {
        Some(path) if !path.starts_with("..") => Folder::Start(path),
        _ => Folder::Unknown,
    }
}

/// The folder at a path as seen from the folder of the file.
pub(super) fn own(path: &str) -> Folder {
    below(path).map_or(Folder::Unknown, Folder::Own)
}

/// A relative path without `.` and empty parts, and with `..` at its front only; `None` for one that leads elsewhere.
fn below(path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) || path.contains(['$', '\\']) {
        return None;
    }
    Some(cleaned(path.split('/')))
}

/// What is left of a path below a folder; empty for the folder itself.
pub(super) fn inside<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_matches('/'))
}

/// A path as seen from another one, both absolute or the second one relative.
pub(super) fn join(folder: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let path = path.trim_start_matches("./").trim_end_matches("/.");
    match path {
        "" | "." => folder.to_owned(),
        path => format!("{}/{path}", folder.trim_end_matches('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders() {
        let cases = [
            ("", Folder::Start(String::new())),
            ("./a//b/", Folder::Start("a/b".to_owned())),
            ("a/../b", Folder::Start("b".to_owned())),
            ("/a", Folder::Unknown),
            ("~/a", Folder::Unknown),
            ("$A", Folder::Unknown),
            ("../a", Folder::Unknown),
        ];
        for (path, folder) in cases {
            assert_eq!(start(path), folder, "{path}");
        }
        assert_eq!(own("../../a"), Folder::Own("../../a".to_owned()));
        assert_eq!(inside("/app/train", "/app/"), Some("train"));
        assert_eq!(inside("/application", "/app"), None);
        assert_eq!(join("/app", "./train/."), "/app/train");
    }
}
