//! Changing the folder.

use super::super::{Folder, Term};

/// The folder that this path names, as seen from another one.
pub(super) fn enter(from: &Folder, path: &Term) -> Folder {
    let Some(path) = path.known() else {
        return Folder::Unknown;
    };
    let joined = |base: &str| below(base, path);
    match from {
        Folder::Start(base) => joined(base).map_or(Folder::Unknown, Folder::Start),
        Folder::Own(base) => joined(base).map_or(Folder::Unknown, Folder::Own),
        Folder::Unknown => Folder::Unknown,
    }
}

/// `None` where it leads outside.
fn below(base: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) {
        return None;
    }
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            // Above the start lies what is not known; `..` in front of a folder's own path is kept.
            ".." if parts.last().is_none_or(|last| *last == "..") => parts.push(".."),
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{open, term};
    use super::*;

    #[test]
    fn paths_are_joined() {
        let start = |path: &str| Folder::Start(path.to_owned());
        for (from, path, expected) in [
            (start(""), "a/./b/", start("a/b")),
            (start("a/b"), "../c", start("a/c")),
            (start("a"), "../..", start("..")),
            (
                Folder::Own("scripts".to_owned()),
                "..",
                Folder::Own(String::new()),
            ),
            (start("a"), "/root", Folder::Unknown),
            (Folder::Unknown, "a", Folder::Unknown),
        ] {
            assert_eq!(enter(&from, &term(path)), expected, "{path}");
        }
        assert_eq!(enter(&start(""), &open("$DIR")), Folder::Unknown);
    }
}
