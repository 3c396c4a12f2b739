//! Glob patterns over paths.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A set of glob patterns as `.gitignore` reads them: one without `/` matches a name at any depth, one with `/` the
/// path from the current directory, or from the folder of the settings that hold it.
#[derive(Clone, Debug, Default)]
pub struct Patterns(Arc<GlobSet>);

/// A pattern that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a glob pattern: {}",
            self.pattern, self.reason
        )
    }
}

impl std::error::Error for PatternError {}

impl Patterns {
    /// Compiles patterns.
    ///
    /// # Errors
    /// The first pattern that is no glob.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, PatternError> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let error = |error: &globset::Error| PatternError {
                pattern: pattern.to_owned(),
                reason: error.kind().to_string(),
            };
            let trimmed = pattern.trim_end_matches('/');
            if trimmed.trim().is_empty() {
                return Err(PatternError {
                    pattern: pattern.to_owned(),
                    reason: "names nothing".to_owned(),
                });
            }
            let anchored = trimmed
                .strip_prefix("./")
                .or_else(|| trimmed.strip_prefix('/'));
            let glob = match anchored {
                Some(anchored) => anchored.to_owned(),
                None if trimmed.contains('/') => trimmed.to_owned(),
                None => format!("**/{trimmed}"),
            };
            let glob = GlobBuilder::new(&glob)
                .literal_separator(true)
                .build()
                .map_err(|found| error(&found))?;
            set.add(glob);
        }
        match set.build() {
            Ok(set) => Ok(Self(Arc::new(set))),
            Err(found) => Err(PatternError {
                pattern: found.glob().unwrap_or_default().to_owned(),
                reason: found.kind().to_string(),
            }),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a pattern matches this path.
    pub fn match_path(&self, path: &Path) -> bool {
        self.0.is_match(path)
    }

    /// Whether a pattern matches this path or a folder above it.
    pub fn match_path_or_folder(&self, path: &Path) -> bool {
        !self.0.is_empty() && path.ancestors().any(|path| self.0.is_match(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_without_a_slash_match_at_any_depth() {
        let patterns = Patterns::new(["third_party", "*.lock.json", "docs/**/*.yaml"]).unwrap();
        for path in ["a/third_party/b.yaml", "x.lock.json", "docs/a/b.yaml"] {
            assert!(patterns.match_path_or_folder(Path::new(path)), "{path}");
        }
        for path in ["a/third_party_b.yaml", "sub/docs/b.yaml", "x.json"] {
            assert!(!patterns.match_path_or_folder(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn what_is_no_glob_is_said() {
        let error = Patterns::new(["a[b"]).unwrap_err();
        assert_eq!(error.pattern, "a[b");
        assert!(error.to_string().contains("not a glob pattern"));
    }
}
