//! Paths of the repository: what names a file wherever the program is started.

use std::path::{Component, Path, PathBuf};

/// Makes shown paths, which begin at the current folder, into paths that begin at the root of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryPaths {
    root: PathBuf,
    current: PathBuf,
}

impl RepositoryPaths {
    /// For a program that is started in `current`, below `root`; both are absolute. Outside a repository the root is
    /// the current folder.
    pub fn new(root: &Path, current: &Path) -> Self {
        Self {
            root: root.to_owned(),
            current: current.to_owned(),
        }
    }

    /// The root of the repository; outside of one, the current folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path from the root; as it is shown, where the file lies outside.
    pub fn of(&self, shown: &str) -> String {
        let path = self.absolute(shown);
        match path.strip_prefix(&self.root) {
            Ok(_) => super::shown(&path, &self.root),
            Err(_) => shown.to_owned(),
        }
    }

    /// The path from the root of the file system.
    pub fn absolute(&self, shown: &str) -> PathBuf {
        let mut path = PathBuf::new();
        for part in self.current.join(shown).components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => {
                    path.pop();
                }
                part => path.push(part),
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_root() {
        let paths = RepositoryPaths::new(Path::new("/r"), Path::new("/r/sub"));
        assert_eq!(paths.of("a.yaml"), "sub/a.yaml");
        assert_eq!(paths.of("../b/a.yaml"), "b/a.yaml");
        assert_eq!(paths.of("../../x/a.yaml"), "../../x/a.yaml");
        assert_eq!(paths.of("/r/c.yaml"), "c.yaml");
        let outside = RepositoryPaths::new(Path::new("/r"), Path::new("/r"));
        assert_eq!(outside.of("a.yaml"), "a.yaml");
    }
}
