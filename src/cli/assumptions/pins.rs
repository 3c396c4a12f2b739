//! The version of accelerate that a project pins.

use std::sync::Arc;

use crate::discover::Folder;
use crate::formats::pins::{Pin, PinFile};
use crate::source::SourceFile;

use super::super::check::decode;

/// A pin, and the file that it stands in.
pub(in crate::cli) struct FoundPin {
    pub(in crate::cli) file: Arc<SourceFile>,
    pub(in crate::cli) pin: Pin,
}

/// What a folder says: its lock, then its requirements (an exact pin before a range, `requirements.txt` before the
/// others), then its project.
pub(super) fn in_folder(folder: &Folder) -> Option<Arc<FoundPin>> {
    let names = folder.names(|name| PinFile::of_name(name).is_some());
    let found = names.into_iter().filter_map(|name| {
        let kind = PinFile::of_name(&name)?;
        let file = folder.read(&name)?;
        // `pip freeze` in a PowerShell of old writes UTF-16, which pip reads.
        let text = String::from_utf8(file.bytes).unwrap_or_else(|error| decode(error.as_bytes()));
        let file = Arc::new(SourceFile::from_text(file.shown, text));
        let pin = kind.deciding_pin(&file, "accelerate")?;
        let order = (
            kind,
            pin.exact().is_none(),
            name != "requirements.txt",
            name,
        );
        Some((order, FoundPin { file, pin }))
    });
    let (_, first) = found.min_by(|(left, _), (right, _)| left.cmp(right))?;
    Some(Arc::new(first))
}
