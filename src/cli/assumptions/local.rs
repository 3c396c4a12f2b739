//! What settings include and exclude, for the walk.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use crate::discover::{Folder, Local, LocalPatterns};

use super::Assumptions;

impl Local for Assumptions {
    fn in_folder(&self, folder: &Path) -> Option<Arc<LocalPatterns>> {
        let known = self.local.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(patterns) = known.get(folder) {
            return patterns.clone();
        }
        drop(known);
        // Wrong settings are said when a file below them is read.
        let settings = self.settings_of(&folder.join("any file")).ok().flatten();
        let patterns = settings.and_then(|settings| {
            let inside = self.absolute(&folder.join("any file"));
            settings.local(inside.parent()?).map(Arc::new)
        });
        let mut known = self.local.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(folder.to_owned(), patterns.clone());
        patterns
    }

    fn excludes(&self, path: &Path) -> bool {
        let absolute = self.absolute(path);
        let (path, folders) = match absolute.is_dir() {
            // Its own folder may be the root, above which nothing holds.
            true => {
                let inside = path.join("any file");
                let own = self.absolute(&inside).parent().map(Path::to_owned);
                (own.unwrap_or(absolute), self.upwards.folders(&inside))
            }
            false => (absolute, self.upwards.folders(path)),
        };
        let root = folders.last().map(Folder::path);
        path.ancestors()
            .take_while(|path| Some(*path) != root)
            .any(|path| {
                let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
                    return false;
                };
                let patterns = self.in_folder(folder);
                patterns.is_some_and(|patterns| patterns.excludes(Path::new(name)))
            })
    }
}
