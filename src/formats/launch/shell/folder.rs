//! Folders and the ways between them.

use super::super::Folder;

/// The folder that `cd path` leads to.
pub(in super::super) fn joined(folder: &Folder, path: &str) -> Folder {
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

/// The path of one folder as seen from another; `.` for itself. The path of the file's own folder tells what its parents
/// are called.
pub(super) fn relative(from: &Folder, to: &Folder, own: &str) -> Option<String> {
    let (from, to): (Vec<&str>, Vec<&str>) = match (from, to) {
        (Folder::Start(from), Folder::Start(to)) => (steps(from).collect(), steps(to).collect()),
        (Folder::Own(from), Folder::Own(to)) => {
            let up = |path: &str| steps(path).take_while(|step| *step == "..").count();
            let above = up(from).max(up(to));
            let mut named: Vec<&str> = steps(own).collect();
            let is_named = !named[named.len().saturating_sub(above)..].contains(&"..");
            if above > named.len() || !is_named {
                // Only what lies below both can be said without names.
                if up(from) > up(to) {
                    return None;
                }
                named.clear();
            }
            let walked = |path: &str, named: &[&str]| -> Vec<String> {
                let kept = named.len().saturating_sub(up(path));
                let missing = up(path).saturating_sub(named.len());
                let up_steps = std::iter::repeat_n("..", missing);
                let down = steps(path).skip(up(path));
                let all = named[..kept].iter().copied().chain(up_steps).chain(down);
                all.map(str::to_owned).collect()
            };
            return Some(way(&walked(from, &named), &walked(to, &named)));
        }
        _ => return None,
    };
    Some(way(&from, &to))
}

/// The way from one list of steps to another.
fn way<T: AsRef<str> + PartialEq>(from: &[T], to: &[T]) -> String {
    let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    let up = from[shared..].iter().map(|_| "..");
    let down = to[shared..].iter().map(AsRef::as_ref);
    let way: Vec<&str> = up.chain(down).collect();
    if way.is_empty() {
        ".".to_owned()
    } else {
        way.join("/")
    }
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
            (own(".."), own(""), Some("scripts")),
            (own("../a"), own("x"), Some("../scripts/x")),
            (own("../.."), own("../b"), Some("repo/b")),
            (own("../../.."), own(""), None),
            (own(""), own("../../../a"), Some("../../../a")),
            (own(""), start(""), None),
            (start("a/b"), start("a"), Some("..")),
        ] {
            assert_eq!(
                relative(&from, &to, "repo/scripts").as_deref(),
                way,
                "{from:?} {to:?}"
            );
        }
        assert_eq!(relative(&own(".."), &own(""), ".."), None);
    }
}
