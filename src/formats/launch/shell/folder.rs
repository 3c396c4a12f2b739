//! Folders and the ways between them.

use super::super::Folder;

/// The folder that `cd path` leads to.
pub(super) fn joined(folder: &Folder, path: &str) -> Folder {
    if path.starts_with(['/', '~']) {
        return Folder::Unknown;
    }
    let walk = |from: &str| {
        let mut steps: Vec<&str> = steps(from).collect();
        for step in self::steps(path) {
            match (step, steps.last()) {
                ("..", Some(last)) if *last != ".." => {
                    steps.pop();
                }
                _ => steps.push(step),
            }
        }
        steps.join("/")
    };
    match folder {
        Folder::Start(from) => {
            let to = walk(from);
            if to == ".." || to.starts_with("../") {
                Folder::Unknown
            } else {
                Folder::Start(to)
            }
        }
        Folder::Own(from) => Folder::Own(walk(from)),
        Folder::Unknown => Folder::Unknown,
    }
}

/// The path of one folder as seen from another; `.` for itself.
pub(super) fn relative(from: &Folder, to: &Folder) -> Option<String> {
    let (from, to) = match (from, to) {
        (Folder::Start(from), Folder::Start(to)) | (Folder::Own(from), Folder::Own(to)) => {
            (from, to)
        }
        _ => return None,
    };
    let (from, to): (Vec<&str>, Vec<&str>) = (steps(from).collect(), steps(to).collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if from[shared..].contains(&"..") {
        return None;
    }
    let up = from[shared..].iter().map(|_| "..");
    let way: Vec<&str> = up.chain(to[shared..].iter().copied()).collect();
    Some(if way.is_empty() {
        ".".to_owned()
    } else {
        way.join("/")
    })
}

fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|step| !matches!(*step, "" | "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways() {
        let start = |path: &str| Folder::Start(path.to_owned());
        let own = |path: &str| Folder::Own(path.to_owned());
        for (from, path, to) in [
            (start(""), "a/./b/", start("a/b")),
            (start("a"), "..", start("")),
            (start("a"), "../..", Folder::Unknown),
            (own(""), "../x", own("../x")),
            (own("../x"), "../..", own("../..")),
            (start("a"), "/a", Folder::Unknown),
            (start("a"), "~/a", Folder::Unknown),
            (Folder::Unknown, "a", Folder::Unknown),
        ] {
            assert_eq!(joined(&from, path), to, "{from:?} {path}");
        }
        for (from, to, way) in [
            (own("a"), own("b/c"), Some("../b/c")),
            (own(""), own(""), Some(".")),
            (own("../a"), own(""), None),
            (own(""), start(""), None),
        ] {
            assert_eq!(relative(&from, &to).as_deref(), way);
        }
    }
}
