//! Paths as links (OSC 8), for terminals that know them.

use std::fmt::Write;
use std::path::Path;

use crate::discover::RepositoryPaths;

use super::one_line;

/// A path, safe to show; with `links`, and if there is such a file, as a link to it.
pub(super) fn path(shown: &str, links: Option<&RepositoryPaths>) -> String {
    let text = one_line(shown);
    let target = links.map(|paths| paths.absolute(shown));
    // What is no file, such as standard input, is nothing to open.
    match target.filter(|target| target.is_file()) {
        None => text.into_owned(),
        Some(target) => {
            let host = gethostname::gethostname();
            let url = url(&host.to_string_lossy(), &target);
            format!("\u{1b}]8;;{url}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\")
        }
    }
}

/// `file://host/path`. The host keeps a terminal from opening a file of the same name on another machine.
fn url(host: &str, path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut url = "file://".to_owned();
    for byte in format!("{host}{slash}{path}").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte) {
            url.push(char::from(byte));
        } else {
            // Writing to a text cannot fail.
            let _ = write!(url, "%{byte:02X}");
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_hold_nothing_that_ends_them() {
        assert_eq!(
            url("host", Path::new("/a b/\u{1b}\\%é.yaml")),
            "file://host/a%20b/%1B/%25%C3%A9.yaml"
        );
    }

    #[test]
    fn only_files_are_links() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.yaml"), "").unwrap();
        let paths = RepositoryPaths::new(folder.path(), folder.path());
        let link = path("a.yaml", Some(&paths));
        assert!(link.starts_with("\u{1b}]8;;file://"), "{link:?}");
        assert!(
            link.ends_with("/a.yaml\u{1b}\\a.yaml\u{1b}]8;;\u{1b}\\"),
            "{link:?}"
        );
        assert_eq!(path("a.yaml", None), "a.yaml");
        assert_eq!(path("<stdin>", Some(&paths)), "<stdin>");
    }
}
